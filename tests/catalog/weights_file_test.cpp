// Headers of safetensors and GGUF files: sizes to the byte, and one sentence for whatever is wrong in them.
#include <catch2/catch.hpp>

#include "catalog/hf/hf_config.hpp"
#include "listing.hpp"
#include "model_folders.hpp"
#include "weights_bytes.hpp"

namespace weights_file_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const std::string kConfig = R"({"model_type": "llama", "hidden_size": 8, "intermediate_size": 16,
  "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 32, "tie_word_embeddings": true})";

// 256 + 4 · 64 + 3 · 128 values of 2 bytes and 3 norms of 8 of 4 bytes.
constexpr int kBytes = 1888;
std::string of_layer(const char* name, const char* shape, int from, int to) {
  return tensor((std::string("model.layers.0.") + name + ".weight").c_str(), "BF16", shape, from, to) + ",";
}
const std::string kTensors =
    "{" + tensor("model.embed_tokens.weight", "BF16", "[32, 8]", 0, 512) + "," +
    of_layer("self_attn.q_proj", "[8, 8]", 512, 640) + of_layer("self_attn.k_proj", "[8, 8]", 640, 768) +
    of_layer("self_attn.v_proj", "[8, 8]", 768, 896) + of_layer("self_attn.o_proj", "[8, 8]", 896, 1024) +
    of_layer("mlp.gate_proj", "[16, 8]", 1024, 1280) + of_layer("mlp.up_proj", "[16, 8]", 1280, 1536) +
    of_layer("mlp.down_proj", "[8, 16]", 1536, 1792) +
    tensor("model.layers.0.input_layernorm.weight", "F32", "[8]", 1792, 1824) + "," +
    tensor("model.layers.0.post_attention_layernorm.weight", "F32", "[8]", 1824, 1856) + "," +
    tensor("model.norm.weight", "F32", "[8]", 1856, kBytes) + R"(, "__metadata__": {"format": "pt"}})";

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
  const std::string path = folder({{"config.json", kConfig}, {"model.safetensors", safetensors(kTensors, kBytes)}});
  for (const std::string& named : {path, path + "/model.safetensors"}) {
    CAPTURE(named);
    const auto model = read(named);
    REQUIRE(model->stored);
    const catalog::StoredWeights& stored = *model->stored;
    CHECK(stored.bytes == kBytes);
    CHECK(stored.layout == "safetensors");
    REQUIRE(stored.types.size() == 2);
    CHECK(stored.types[0].name == "BF16");
    CHECK(stored.types[0].tensors == 8);
    CHECK(stored.types[0].elements == 896);
    CHECK(stored.types[0].bytes == 1792);
    CHECK(model->model.native_dtype == "bf16");
    CHECK(*model->model.native_weights_gib * 1073741824 == Approx(kBytes));
  }
}

TEST_CASE("an index stands for its shards, and for its total without them") {
  const Folder parts = sharded(small_llama(), 2);
  const std::string name = "model.safetensors.index.json";
  const auto written = [](const Folder& files) {
    const std::string path = scratch_directory();
    for (const auto& [file, bytes] : files) std::ofstream(path + "/" + file, std::ios::binary) << bytes;
    return path;
  };
  const auto whole = read(written(parts));
  CHECK(whole->stored->bytes == 361600);
  CHECK(whole->stored->files == 2);
  CHECK(whole->stored->has_head);
  CHECK(whole->model.native_dtype == "bf16");
  const auto alone = read(written({{"config.json", kSmallLlama}, {name, parts.at(name)}}) + "/" + name);
  CHECK(alone->stored->bytes == 361600);
  CHECK(alone->stored->types.empty());
  CHECK_THAT(
      refused(folder({{"config.json", kConfig}, {name, R"({"weight_map": {"a": "../../etc/passwd"}})"}})).message,
      Catch::Contains("the name of a file"));
}

TEST_CASE("tensors of multi-token prediction are not loaded") {
  const std::string tensors =
      changed(kTensors, ", \"__metadata__\"",
              "," + tensor("model.layers.1.eh_proj.weight", "BF16", "[8]", kBytes, kBytes + 16) + ", \"__metadata__\"");
  const auto model = read(folder({{"config.json", kConfig}, {"model.safetensors", safetensors(tensors, kBytes + 16)}}));
  CHECK(model->stored->unloaded_bytes == 16);
  CHECK(*model->model.native_weights_gib * 1073741824 == Approx(kBytes));
}

TEST_CASE("safetensors that are cut off or contradict themselves are refused") {
  const auto of = [](const std::string& bytes) {
    return refused(folder({{"config.json", kConfig}, {"model.safetensors", bytes}})).message;
  };
  CHECK_THAT(of(""), Catch::Contains("cut off"));
  CHECK_THAT(of("abc"), Catch::Contains("cut off"));
  CHECK_THAT(of(raw<std::uint64_t>(~0ULL)), Catch::Contains("not a safetensors file"));
  CHECK_THAT(of(raw<std::uint64_t>(1000) + "{}"), Catch::Contains("cut off"));
  CHECK_THAT(of(safetensors(kTensors, 700)), Catch::Contains("700 of 1888 bytes of weights"));
  CHECK_THAT(of(safetensors("[]", 0)), Catch::Contains("not an object"));
  CHECK_THAT(of(safetensors(R"({"a": 3})", 0)), Catch::Contains("tensor 'a'"));
  CHECK_THAT(of(safetensors("{" + tensor("a", "F16", "[4]", 0, 9) + "}", 9)), Catch::Contains("in 9 bytes"));
  CHECK_THAT(of(safetensors("{" + tensor("a", "F16", "[-4]", 0, 8) + "}", 8)), Catch::Contains("cannot be"));
  CHECK_THAT(of(safetensors("{" + tensor("a", "F16", "[4]", 8, 0) + "}", 8)), Catch::Contains("cannot be"));
  CHECK_FALSE(of(safetensors(std::string(100'000, '['), 0)).empty());
  CHECK_FALSE(of(safetensors(std::string("{\"\xff\xfe\": 1}"), 0)).empty());
  CHECK_THAT(refused(folder({{"lonely.safetensors", safetensors(kTensors, kBytes)}}) + "/lonely.safetensors").message,
             Catch::Contains("no config.json next to it"));
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
  CHECK(*m.params_b * 1e9 == Approx(256 * 64 + 589824));
  REQUIRE(model->stored->types.size() == 2);
  CHECK(model->stored->types[0].name == "Q4_K");
  CHECK(model->stored->types[0].bytes == kLayerBytes);
  CHECK(model->stored->bytes == kTableBytes + kLayerBytes);
}

TEST_CASE("a GGUF file that does not say its type has that of most of its bytes") {
  const std::string said = pair("general.file_type", 15);
  const auto dtype = [&](const std::string& instead) {
    Gguf file;
    file.pairs.replace(file.pairs.find(said), said.size(), instead);
    if (instead.empty()) --file.pair_count;
    const auto model = read(gguf_file(file.bytes()));
    // What is stored is what is loaded.
    CHECK(*model->model.native_weights_gib * 1024 * 1024 * 1024 == Approx(kTableBytes + kLayerBytes));
    return std::string(model->model.native_dtype);
  };
  CHECK(dtype("") == "q4_k_m");
  CHECK(dtype(pair("general.file_type", 999)) == "q4_k_m");
  CHECK(dtype(pair("general.file_type", 15 + 1024)) == "q4_k_m");  // guessed by the writer
  CHECK(dtype(pair("general.file_type", 14)) == "q4_k_s");
}

namespace {

/// A file with `part` of its pairs replaced.
Gguf with_pair(const std::string& part, const std::string& by) {
  Gguf file;
  file.pairs = changed(file.pairs, part, by);
  if (by.empty()) --file.pair_count;
  return file;
}

/// As a mixture of four experts, 128 wide: their matrices lie together.
Gguf mixture(const std::string& pairs, std::uint64_t count) {
  Gguf file;
  file.pairs += pairs;
  file.pair_count += count;
  const auto together = [](const char* name, std::uint64_t columns, std::uint64_t rows, std::uint64_t offset) {
    return text(std::string("blk.0.") + name + ".weight") + raw<std::uint32_t>(3) + raw(columns) + raw(rows) +
           raw<std::uint64_t>(4) + raw<std::uint32_t>(12) + raw(offset);
  };
  file.tensors = info("token_embd.weight", 256, 64, 14, 0) + layer_infos(kTableBytes);
  file.tensors.resize(file.tensors.find(text("blk.0.ffn_gate.weight")));
  constexpr std::uint64_t kAttention = (2 * 256 * 256 + 2 * 256 * 128) / 256 * 144;
  constexpr std::uint64_t kMatrix = 4 * 256 * 128 / 256 * 144;
  const std::uint64_t at = kTableBytes + kAttention;
  file.tensors += together("ffn_gate_exps", 256, 128, at) + together("ffn_up_exps", 256, 128, at + kMatrix) +
                  together("ffn_down_exps", 128, 256, at + 2 * kMatrix);
  file.data = at + 3 * kMatrix;
  return file;
}

std::string experts(std::uint32_t count) { return pair("llama.expert_count", count); }

}  // namespace

TEST_CASE("a GGUF file's type is that of its tensors where the header says another") {
  for (const std::uint32_t said : {0U, 1U, 7U, 18U, 19U, 32U}) {
    CAPTURE(said);
    const auto model =
        read(gguf_file(with_pair(pair("general.file_type", 15), pair("general.file_type", said)).bytes()));
    CHECK(model->model.native_dtype == "q4_k_m");
    REQUIRE(model->notes.size() == 1);
    CHECK_THAT(model->notes.front(), Catch::Contains("the tensors have 4.6 bits per value: counted as q4_k_m"));
  }
}

TEST_CASE("a GGUF file's heads and FFN are those of its tensors, or it is refused") {
  const auto of = [](const char* key, std::uint32_t is, std::uint32_t by) {
    return refused(gguf_file(with_pair(pair(key, is), pair(key, by)).bytes())).message;
  };
  CHECK_THAT(of("llama.attention.head_count_kv", 2, 1),
             Catch::Contains("a layer's keys have 128 values, and the configuration says 1 heads of 64"));
  CHECK_THAT(of("llama.attention.head_count", 4, 8), Catch::Contains("8 heads of 32") || Catch::Contains("2 heads of"));
  CHECK_THAT(of("llama.feed_forward_length", 512, 500),
             Catch::Contains("a layer's FFN is 512 wide, and the configuration says 500"));
}

TEST_CASE("a GGUF mixture is never taken for a dense model, nor for one of other experts") {
  const auto whole = read(gguf_file(
      mixture(experts(4) + pair("llama.expert_used_count", 2) + pair("llama.expert_feed_forward_length", 128), 3)
          .bytes()));
  CHECK(whole->model.experts == 4.0);
  CHECK(whole->notes.empty());
  const auto of = [](const std::string& pairs, std::uint64_t count) {
    return refused(gguf_file(mixture(pairs, count).bytes())).message;
  };
  CHECK_THAT(of("", 0), Catch::Contains("the tensors have 4 experts, and the configuration has none"));
  CHECK_THAT(of(experts(3) + pair("llama.expert_used_count", 2), 2),
             Catch::Contains("the tensors have 4 experts, and the configuration says 3"));
  CHECK_THAT(of(experts(8) + pair("llama.expert_used_count", 2), 2), Catch::Contains("the configuration says 8"));
  CHECK_THAT(of(experts(4), 1), Catch::Contains("'num_experts_per_tok' is missing"));
}

TEST_CASE("bytes of a GGUF file that belong to no tensor are told") {
  Gguf behind;
  behind.data += 4096;
  CHECK_THAT(refused(gguf_file(behind.bytes())).message, Catch::Contains("4096 bytes of weights belong to no tensor"));
  Gguf padded;
  padded.data += 31;  // a header's padding, or a last tensor's
  read(gguf_file(padded.bytes()));
  Gguf before;
  before.tensors = info("token_embd.weight", 256, 64, 14, 0) + layer_infos(kTableBytes + 8192);
  before.data += 8192;
  CHECK_THAT(refused(gguf_file(before.bytes())).message,
             Catch::Contains("8192 bytes of weights before tensor 'blk.0.attn_q.weight' belong to no tensor"));
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
  first.data = kTableBytes;
  Gguf second;
  second.pairs.clear();
  second.pair_count = 0;
  second.tensors = layer_infos(0);
  second.tensor_count = 7;
  second.data = kLayerBytes;
  const std::string path =
      folder({{"m-00001-of-00002.gguf", first.bytes()}, {"m-00002-of-00002.gguf", second.bytes()}});
  for (const std::string& named : {path, path + "/m-00001-of-00002.gguf", path + "/m-00002-of-00002.gguf"}) {
    CAPTURE(named);
    const auto model = read(named);
    CHECK(model->stored->files == 2);
    CHECK(model->stored->bytes == kTableBytes + kLayerBytes);
  }
  const std::string part = folder({{"m-00001-of-00002.gguf", first.bytes()}}) + "/m-00001-of-00002.gguf";
  CHECK_THAT(refused(part).message, Catch::Contains("1 of 2 files of weights are missing, 'm-00002-of-00002.gguf'"));
}

TEST_CASE("a GGUF file cut off anywhere is refused") {
  const std::string whole = Gguf{}.bytes();
  const std::size_t header = whole.size() - Gguf{}.data;
  for (std::size_t length = 0; length < header; length += 7) {
    CAPTURE(length);
    refused(gguf_file(whole.substr(0, length)));
  }
  CHECK_THAT(refused(gguf_file(whole.substr(0, whole.size() - 1))).message, Catch::Contains("truncated"));
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
  CHECK_THAT(of(file), Catch::Contains("truncated"));
  file = {};
  file.tensors = info("x", 1, 1, 77, 0);
  file.tensor_count = 1;
  CHECK_THAT(of(file), Catch::Contains("type 77"));
  file = {};
  file.pairs = pair("general.file_type", 15);
  file.pair_count = 1;
  CHECK_THAT(of(file), Catch::Contains("'general.architecture' is missing"));
  CHECK_THAT(refused(gguf_file("")).message, Catch::Contains("not a GGUF") || Catch::Contains("truncated"));
}

}  // namespace weights_file_test
