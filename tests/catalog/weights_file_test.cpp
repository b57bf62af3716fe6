// Headers of safetensors and GGUF files: sizes to the byte, and one sentence for whatever is wrong in them.
#include <catch2/catch.hpp>

#include "catalog/hf/hf_config.hpp"
#include "listing.hpp"
#include "weights_bytes.hpp"

namespace weights_file_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const std::string kConfig = R"({"model_type": "llama", "hidden_size": 8, "intermediate_size": 16,
  "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 32, "tie_word_embeddings": true})";

const std::string kTensors = "{" + tensor("model.embed_tokens.weight", "BF16", "[32, 8]", 0, 512) + "," +
                             tensor("model.layers.0.mlp.up_proj.weight", "BF16", "[16, 8]", 512, 768) + "," +
                             tensor("model.layers.0.input_layernorm.weight", "F32", "[8]", 768, 800) +
                             R"(, "__metadata__": {"format": "pt"}})";

std::unique_ptr<catalog::ConfigModel> read(const std::string& path) {
  auto model = catalog::read_model_file(path);
  if (!model) FAIL(model.error().where + ": " + model.error().message);
  return std::move(*model);
}

Error refused(const std::string& path) {
  const auto model = catalog::read_model_file(path);
  REQUIRE_FALSE(model);
  CHECK(model.error().kind == ErrorKind::usage);
  CHECK_FALSE(model.error().message.empty());
  return model.error();
}

std::string gguf_file(const std::string& bytes) { return scratch_file("model.gguf", bytes); }

}  // namespace

TEST_CASE("a folder's tensors are summed by type") {
  const std::string path = folder({{"config.json", kConfig}, {"model.safetensors", safetensors(kTensors, 800)}});
  for (const std::string& named : {path, path + "/model.safetensors"}) {
    CAPTURE(named);
    const auto model = read(named);
    REQUIRE(model->stored);
    const catalog::StoredWeights& stored = *model->stored;
    CHECK(stored.bytes == 800);
    CHECK(stored.layout == "safetensors");
    REQUIRE(stored.types.size() == 2);
    CHECK(stored.types[0].name == "BF16");
    CHECK(stored.types[0].tensors == 2);
    CHECK(stored.types[0].elements == 384);
    CHECK(stored.types[0].bytes == 768);
    CHECK(model->model.native_dtype == "bf16");
    CHECK(*model->model.native_weights_gib * 1073741824 == Approx(800));
  }
}

TEST_CASE("an index stands for its shards, and for its total without them") {
  const std::string index = R"({"metadata": {"total_size": 900}, "weight_map": {"a": "one.safetensors",
    "lm_head.weight": "two.safetensors"}})";
  const std::string one = safetensors("{" + tensor("a", "F16", "[4]", 0, 8) + "}", 8);
  const std::string two = safetensors("{" + tensor("lm_head.weight", "F16", "[2, 4]", 0, 16) + "}", 16);
  const std::string name = "model.safetensors.index.json";
  const auto whole =
      read(folder({{"config.json", kConfig}, {name, index}, {"one.safetensors", one}, {"two.safetensors", two}}));
  CHECK(whole->stored->bytes == 24);
  CHECK(whole->stored->files == 2);
  CHECK(whole->stored->has_head);
  CHECK(whole->model.native_dtype == "fp16");
  const auto alone = read(folder({{"config.json", kConfig}, {name, index}}) + "/" + name);
  CHECK(alone->stored->bytes == 900);
  CHECK(alone->stored->types.empty());
  CHECK_THAT(refused(folder({{"config.json", kConfig}, {name, index}, {"one.safetensors", one}})).message,
             Catch::Contains("'two.safetensors' is not beside it"));
  CHECK_THAT(
      refused(folder({{"config.json", kConfig}, {name, R"({"weight_map": {"a": "../../etc/passwd"}})"}})).message,
      Catch::Contains("the name of a file"));
}

TEST_CASE("tensors of multi-token prediction are not loaded") {
  const std::string tensors = "{" + tensor("model.layers.0.a", "BF16", "[4]", 0, 8) + "," +
                              tensor("model.layers.1.eh_proj", "BF16", "[8]", 8, 24) + "}";
  const auto model = read(folder({{"config.json", kConfig}, {"model.safetensors", safetensors(tensors, 24)}}));
  CHECK(model->stored->unloaded_bytes == 16);
  CHECK(*model->model.native_weights_gib * 1073741824 == Approx(8));
}

TEST_CASE("safetensors that are cut off or contradict themselves are refused") {
  const auto of = [](const std::string& bytes) {
    return refused(folder({{"config.json", kConfig}, {"model.safetensors", bytes}})).message;
  };
  CHECK_THAT(of(""), Catch::Contains("cut off"));
  CHECK_THAT(of("abc"), Catch::Contains("cut off"));
  CHECK_THAT(of(raw<std::uint64_t>(~0ULL)), Catch::Contains("not a safetensors file"));
  CHECK_THAT(of(raw<std::uint64_t>(1000) + "{}"), Catch::Contains("cut off"));
  CHECK_THAT(of(safetensors(kTensors, 700)), Catch::Contains("700 bytes of weights are there of 800"));
  CHECK_THAT(of(safetensors("[]", 0)), Catch::Contains("not an object"));
  CHECK_THAT(of(safetensors(R"({"a": 3})", 0)), Catch::Contains("tensor 'a'"));
  CHECK_THAT(of(safetensors("{" + tensor("a", "F16", "[4]", 0, 9) + "}", 9)), Catch::Contains("in 9 bytes"));
  CHECK_THAT(of(safetensors("{" + tensor("a", "F16", "[-4]", 0, 8) + "}", 8)), Catch::Contains("cannot be"));
  CHECK_THAT(of(safetensors("{" + tensor("a", "F16", "[4]", 8, 0) + "}", 8)), Catch::Contains("cannot be"));
  CHECK_FALSE(of(safetensors(std::string(100'000, '['), 0)).empty());
  CHECK_FALSE(of(safetensors(std::string("{\"\xff\xfe\": 1}"), 0)).empty());
  CHECK_THAT(refused(folder({{"lonely.safetensors", safetensors(kTensors, 800)}}) + "/lonely.safetensors").message,
             Catch::Contains("no config.json beside it"));
}

TEST_CASE("a GGUF file says its shape and the bytes of each type") {
  const auto model = read(gguf_file(Gguf{}.bytes()));
  const catalog::Model& m = model->model;
  CHECK(m.layers == 1.0);
  CHECK(m.hidden_size == 256.0);
  CHECK(m.kv_heads == 2.0);
  CHECK(m.head_dim == 64.0);
  CHECK(m.vocab_size == 64.0);
  CHECK(m.native_dtype == "q4_k_m");
  CHECK(m.file_layout == "gguf");
  CHECK(m.tied_embeddings == true);  // there is no output.weight
  CHECK(*m.params_b * 1e9 == Approx(256 * 64 + 256 * 512));
  REQUIRE(model->stored->types.size() == 2);
  CHECK(model->stored->types[0].name == "Q4_K");
  CHECK(model->stored->types[0].bytes == 73728);  // 131,072 ÷ 256 × 144
  CHECK(model->stored->bytes == 13440 + 73728);
}

TEST_CASE("a GGUF file that does not say its type has that of most of its bytes") {
  const std::string said = pair("general.file_type", 15);
  const auto dtype = [&](const std::string& instead) {
    Gguf file;
    file.pairs.replace(file.pairs.find(said), said.size(), instead);
    if (instead.empty()) --file.pair_count;
    const auto model = read(gguf_file(file.bytes()));
    // What is stored is what is loaded: 13,440 + 73,728 bytes
    CHECK(*model->model.native_weights_gib * 1024 * 1024 * 1024 == Approx(13440 + 73728));
    return std::string(model->model.native_dtype);
  };
  CHECK(dtype("") == "q4_k_m");
  CHECK(dtype(pair("general.file_type", 999)) == "q4_k_m");
  CHECK(dtype(pair("general.file_type", 15 + 1024)) == "q4_k_m");  // guessed by the writer
  CHECK(dtype(pair("general.file_type", 18 + 1024)) == "q6_k");
}

TEST_CASE("a GGUF file of a vocabulary alone is refused") {
  Gguf file;
  file.tensors.clear();
  file.tensor_count = 0;
  file.data = 0;
  CHECK_THAT(refused(gguf_file(file.bytes())).message, Catch::Contains("no tensors"));
}

TEST_CASE("the parts of a split GGUF file are read together") {
  Gguf first;
  first.tensors = info("token_embd.weight", 256, 64, 14, 0);
  first.tensor_count = 1;
  first.data = 13440;
  Gguf second;
  second.pairs.clear();
  second.pair_count = 0;
  second.tensors = info("blk.0.ffn_up.weight", 256, 512, 12, 0);
  second.tensor_count = 1;
  second.data = 73728;
  const std::string path =
      folder({{"m-00001-of-00002.gguf", first.bytes()}, {"m-00002-of-00002.gguf", second.bytes()}});
  for (const std::string& named : {path, path + "/m-00001-of-00002.gguf", path + "/m-00002-of-00002.gguf"}) {
    CAPTURE(named);
    const auto model = read(named);
    CHECK(model->stored->files == 2);
    CHECK(model->stored->bytes == 13440 + 73728);
  }
  const std::string part = folder({{"m-00001-of-00002.gguf", first.bytes()}}) + "/m-00001-of-00002.gguf";
  CHECK_THAT(refused(part).where, Catch::Contains("m-00002-of-00002.gguf"));
}

TEST_CASE("a GGUF file cut off anywhere is refused") {
  const std::string whole = Gguf{}.bytes();
  const std::size_t header = whole.size() - Gguf{}.data;
  for (std::size_t length = 0; length < header; length += 7) {
    CAPTURE(length);
    refused(gguf_file(whole.substr(0, length)));
  }
  CHECK_THAT(refused(gguf_file(whole.substr(0, whole.size() - 1))).message, Catch::Contains("cut off"));
}

TEST_CASE("a GGUF file that announces nonsense is refused") {
  const auto of = [](const Gguf& file) { return refused(gguf_file(file.bytes())).message; };
  Gguf file;
  file.version = 1;
  CHECK_THAT(of(file), Catch::Contains("version 1"));
  file = {};
  file.tensor_count = ~0ULL;
  CHECK_THAT(of(file), Catch::Contains("more than are read"));
  file = {};
  file.pairs = text("general.architecture") + raw<std::uint32_t>(8) + raw<std::uint64_t>(~0ULL);
  CHECK_THAT(of(file), Catch::Contains("cut off"));
  file = {};
  file.pairs =
      text("tokenizer.ggml.tokens") + raw<std::uint32_t>(9) + raw<std::uint32_t>(8) + raw<std::uint64_t>(~0ULL);
  CHECK_THAT(of(file), Catch::Contains("a list of"));
  file = {};
  file.pairs = text("a") + raw<std::uint32_t>(9) + raw<std::uint32_t>(9) + raw<std::uint64_t>(1);
  CHECK_THAT(of(file), Catch::Contains("type 9"));
  file = {};
  // 2,100 lists of 4,096 numbers of one byte, each kept in eight: 65.6 MiB.
  const std::string numbers =
      raw<std::uint32_t>(9) + raw<std::uint32_t>(0) + raw<std::uint64_t>(4096) + std::string(4096, '\x01');
  for (int i = 0; i < 2100; ++i) file.pairs += text("list." + std::to_string(i)) + numbers;
  file.pair_count += 2100;
  CHECK_THAT(of(file), Catch::Contains("more than 64 MiB"));
  file = {};
  file.tensors = info("x", ~0ULL, ~0ULL, 0, 0);
  file.tensor_count = 1;
  CHECK_THAT(of(file), Catch::Contains("cut off"));
  file = {};
  file.tensors = info("x", 1, 1, 77, 0);
  file.tensor_count = 1;
  CHECK_THAT(of(file), Catch::Contains("type 77"));
  file = {};
  file.pairs = pair("general.file_type", 15);
  file.pair_count = 1;
  CHECK_THAT(of(file), Catch::Contains("'general.architecture' is missing"));
  CHECK_THAT(refused(gguf_file("")).message, Catch::Contains("not a GGUF") || Catch::Contains("cut off"));
}

}  // namespace weights_file_test
