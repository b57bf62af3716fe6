// Model folders that were damaged: none is taken for a model by what is missing.
#include <catch2/catch.hpp>

#include "catalog/hf/hf_config.hpp"
#include "listing.hpp"
#include "model_folders.hpp"

namespace damaged_models_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const std::string kIndex = "model.safetensors.index.json";

struct Damaged {
  std::string cause;
  Folder folder;
  std::string says;        // in the one sentence
  std::string named = {};  // file in it that is named; empty: the folder
};

std::string written(const Folder& files) {
  const std::string path = scratch_directory();
  for (const auto& [name, bytes] : files) std::ofstream(path + "/" + name, std::ios::binary) << bytes;
  return path;
}

Folder without(Folder folder, const std::string& name) {
  folder.erase(name);
  return folder;
}
Folder with(Folder folder, const std::string& name, const std::string& bytes) {
  folder[name] = bytes;
  return folder;
}
Folder config_alone(const std::string& config) { return {{"config.json", config}}; }

SmallTensors lacking(const std::string& word, SmallTensors out = small_llama()) {
  std::erase_if(out, [&](const SmallTensor& one) { return one.name.find(word) != std::string::npos; });
  return out;
}
SmallTensors with_rows(const std::string& word, int rows) {
  SmallTensors out = small_llama();
  for (SmallTensor& one : out)
    if (one.name.find(word) != std::string::npos) one.rows = rows;
  return out;
}
SmallTensors only_norm_of(const std::string& layer) {
  SmallTensors out = small_llama();
  std::erase_if(out, [&](const SmallTensor& one) {
    return one.name.find(layer) != std::string::npos && one.name.find("input_layernorm") == std::string::npos;
  });
  return out;
}
const std::string kSmallMixture = changed(changed(kSmallLlama, "\"llama\"", "\"mixtral\""), "\"vocab_size\"",
                                          "\"num_local_experts\": 8, \"num_experts_per_tok\": 2, \"vocab_size\"");
SmallTensors small_mixture(int experts) {
  SmallTensors out = lacking("mlp.");
  for (int layer = 0; layer < 4; ++layer) {
    const std::string at = format("model.layers.{}.block_sparse_moe.", layer);
    out.push_back({at + "gate.weight", 8, 64});
    for (int i = 0; i < experts; ++i)
      for (const char* name : {"w1", "w2", "w3"})
        out.push_back({format("{}experts.{}.{}.weight", at, i, name), 128, 64});
  }
  return out;
}
SmallTensors with_twice(const std::string& name) {
  SmallTensors out = small_llama();
  out.push_back({name, 64, 64});
  return out;
}

/// Of a published mixture with the keys that are looked at here.
const std::string kQwenMoe = R"({"model_type": "qwen3_moe", "hidden_size": 4096, "intermediate_size": 12288,
  "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 128, "num_hidden_layers": 94, "vocab_size": 151936,
  "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 1536})";
const std::string kLlama70 = R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
  "num_attention_heads": 64, "num_key_value_heads": 8, "num_hidden_layers": 80, "vocab_size": 128256})";

std::vector<Damaged> weights() {
  const SmallTensors all = small_llama();
  const Folder parts = sharded(all, 4);
  const std::string shard = shard_name(2, 4);
  Folder in_wrong_file = parts;
  std::swap(in_wrong_file[shard_name(1, 4)], in_wrong_file[shard_name(2, 4)]);
  return {
      {"one shard of thirty",
       {{"config.json", kSmallLlama}, {shard_name(1, 30), small_file({all[0]})}},
       "29 of 30 files of weights are missing"},
      {"one shard of thirty, named itself",
       {{"config.json", kSmallLlama}, {shard_name(1, 30), small_file({all[0]})}},
       "29 of 30 files of weights are missing",
       shard_name(1, 30)},
      {"two shards of four without an index", without(without(without(parts, kIndex), shard), shard_name(3, 4)),
       "2 of 4 files of weights are missing, 'model-00002-of-00004.safetensors' for one"},
      {"one shard of four missing", without(parts, shard), "1 of 4 files of weights are missing"},
      {"an index that names too few parts",
       with(parts, kIndex,
            changed(parts.at(kIndex), R"("model.embed_tokens.weight": "model-00001-of-00004.safetensors", )", "")),
       "is not in 'weight_map'"},
      {"an index of a whole part less",
       with(parts, kIndex, R"({"weight_map": {"model.embed_tokens.weight": "model-00001-of-00004.safetensors"}})"),
       "names nothing in 'model-00002-of-00004.safetensors'"},
      {"an index that names a tensor that is not there",
       with(parts, kIndex, changed(parts.at(kIndex), "model.norm.weight", "model.morn.weight")),
       "'model.morn.weight' is not in"},
      {"shards that were swapped", in_wrong_file, "where 'weight_map' has it"},
      {"an index of one byte, without its files",
       {{"config.json", kSmallLlama},
        {kIndex, changed(parts.at(kIndex), "\"total_size\": ", "\"total_size\": 0, \"x\": ")}},
       "'total_size' is 0.0 GiB"},
      {"an index without files and total",
       {{"config.json", kSmallLlama}, {kIndex, R"({"weight_map": {"a": "b"}})"}},
       "neither the files it names nor 'total_size' are there"},
      {"an index without tensors",
       {{"config.json", kSmallLlama}, {kIndex, R"({"weight_map": {}})"}},
       "'weight_map' is missing"},
      {"two of four layers", in_one(small_llama(2)),
       "4 layers in the configuration, 2 of them missing from the tensors: 2 to 3"},
      {"a layer in the middle missing", in_one(lacking("layers.1.")), "1 of them missing from the tensors: 1"},
      {"more layers than said", in_one(small_llama(6)), "the tensors have 6 layers, and the configuration says 4"},
      {"no FFN anywhere", in_one(lacking("mlp.")), "the FFN is missing from the tensors of every layer"},
      {"one matrix of one layer missing", in_one(lacking("layers.3.mlp.up_proj")),
       "'mlp.up_proj' is missing from layer 3"},
      {"a layer of which one norm is left", in_one(only_norm_of("layers.1.")),
       "8 tensors that other layers of their kind have are missing, 'mlp.down_proj' of layer 1 for one"},
      {"keys of no layer", in_one(lacking("k_proj")), "'self_attn.k_proj' is missing from the tensors of every layer"},
      {"norms of no layer", in_one(lacking("layernorm")), "the tensors of the layers have no norms"},
      {"no norm behind the last layer", in_one(lacking("model.norm")), "the norm behind the last layer is missing"},
      {"one matrix of half its size", in_one(with_rows("layers.2.mlp.down_proj", 32)),
       "'mlp.down_proj' of layer 2 has 4096 values, and 8192 in the other layers of its kind"},
      {"fewer experts in every layer", in_one(small_mixture(7), kSmallMixture),
       "the tensors have 7 experts, and the configuration says 8"},
      {"no attention anywhere", in_one(lacking("self_attn.")),
       "the attention is missing from the tensors of every layer"},
      {"no table of words", in_one(lacking("embed_tokens")), "the token embedding is missing from the tensors"},
      {"no output projection", in_one(lacking("lm_head")),
       "the output projection (lm_head) is missing from the tensors"},
      {"a table of half the words", in_one(with_rows("embed_tokens", 128)),
       "has 128 rows, and the configuration says 256"},
      {"other K/V heads", in_one(with_rows("k_proj", 64)),
       "keys have 64 values, and the configuration says 2 heads of 16"},
      {"another width", in_one(all, changed(kSmallLlama, "\"hidden_size\": 64", "\"hidden_size\": 128")),
       "the token embedding is 64 wide, and the configuration says 128"},
      {"another FFN", in_one(all, changed(kSmallLlama, "\"intermediate_size\": 128", "\"intermediate_size\": 256")),
       "a layer's FFN is 128 wide, and the configuration says 256"},
      {"overlapping tensors",
       {{"config.json", kSmallLlama}, {"model.safetensors", small_file(all, -64)}},
       "begins inside another"},
      {"aliased tensors",
       {{"config.json", kSmallLlama}, {"model.safetensors", small_file(all, -all[0].bytes())}},
       "begins inside another"},
      {"a gap",
       {{"config.json", kSmallLlama}, {"model.safetensors", small_file(all, 64)}},
       "bytes before it belong to none"},
      {"bytes of no tensor",
       {{"config.json", kSmallLlama}, {"model.safetensors", small_file(all, 0, 32)}},
       "32 bytes of weights belong to no tensor"},
      {"cut off", {{"config.json", kSmallLlama}, {"model.safetensors", small_file(all, 0, -32)}}, "truncated"},
      {"empty", {{"config.json", kSmallLlama}, {"model.safetensors", ""}}, "cut off"},
      {"a pointer of Git LFS",
       {{"config.json", kSmallLlama},
        {"model.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"}},
       "a pointer of Git LFS"},
      {"a tensor in two files",
       with(with(without(parts, kIndex), shard_name(1, 4), parts.at(shard_name(2, 4))), "x", ""), "is in two files"},
      {"a tensor twice in one file", in_one(with_twice("model.layers.0.self_attn.q_proj.weight")), "is given twice"},
      {"weights of a model eight times as large", in_one(all, changed(kLlama70, "llama", "llama")),
       "80 layers in the configuration"},
      {"bf16 weights said to be packed, half of them gone",
       {{"config.json", changed(kSmallLlama, "\"torch_dtype\"",
                                "\"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 4}, \"torch_dtype\"")},
        {kIndex, R"({"metadata": {"total_size": 1000}, "weight_map": {"a.qweight": "b"}})"}},
       "GiB or more"},
  };
}

const std::string kAwq = quantised(R"("quant_method": "awq", "bits": 4)");
const std::string kFp8 = quantised(R"("quant_method": "fp8")");
const std::string kBnb = quantised(R"("quant_method": "bitsandbytes", "load_in_4bit": true)");

std::string one_kv_head(const std::string& config) {
  return changed(config, "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 1");
}

/// Queries, keys and values in one matrix, and both branches of the FFN in another.
const std::string kSmallPhi = changed(changed(kSmallLlama, "\"llama\"", "\"phi3\""), "Llama", "Phi3");
SmallTensors small_phi() {
  SmallTensors out;
  for (SmallTensor one : small_llama()) {
    if (one.name.find("k_proj") != std::string::npos || one.name.find("v_proj") != std::string::npos ||
        one.name.find("gate_proj") != std::string::npos)
      continue;
    if (const std::size_t at = one.name.find("q_proj"); at != std::string::npos) {
      one.name.replace(at, 1, "qkv");
      one.rows = 128;
    }
    if (const std::size_t at = one.name.find("up_proj"); at != std::string::npos) {
      one.name.insert(at, "gate_");
      one.rows = 256;
    }
    out.push_back(one);
  }
  return out;
}

std::vector<Damaged> packed_weights() {
  const SmallTensors awq = packed_llama(packed_awq);
  const SmallTensors fp8 = packed_llama(packed_fp8);
  const SmallTensors bnb = packed_llama(packed_bnb);
  const auto lost = [](const char* what) { return format("{} is missing from the tensors of every layer", what); };
  return {
      {"AWQ without an attention output", in_one(lacking("o_proj", awq), kAwq), lost("'self_attn.o_proj'")},
      {"AWQ without a matrix of the FFN", in_one(lacking("down_proj", awq), kAwq), lost("'mlp.down_proj'")},
      {"AWQ without gates", in_one(lacking("gate_proj", awq), kAwq), lost("'mlp.gate_proj'")},
      {"AWQ without FFNs", in_one(lacking("mlp.", awq), kAwq), lost("the FFN")},
      {"AWQ without attention", in_one(lacking("self_attn.", awq), kAwq), lost("the attention")},
      {"AWQ without queries", in_one(lacking("q_proj", awq), kAwq), lost("'self_attn.q_proj'")},
      {"AWQ without scales", in_one(lacking("scales", awq), kAwq), "28 packed matrices have no scales"},
      {"AWQ without one scale", in_one(lacking("layers.2.mlp.up_proj.scales", awq), kAwq),
       "'mlp.up_proj' of layer 2 is packed, and its scales are missing"},
      {"AWQ without one packed matrix", in_one(lacking("layers.2.mlp.up_proj.qweight", awq), kAwq),
       "'mlp.up_proj' is missing from layer 2"},
      {"fp8 without scales", in_one(lacking("scale", fp8), kFp8), "28 packed matrices have no scales"},
      {"bitsandbytes without scales", in_one(lacking("absmax", bnb), kBnb), "28 packed matrices have no scales"},
      {"bitsandbytes without an FFN's end", in_one(lacking("down_proj", bnb), kBnb), lost("'mlp.down_proj'")},
      {"AWQ with other K/V heads", in_one(awq, one_kv_head(kAwq)),
       "a layer's keys have 32 values, and the configuration says 1 heads of 16"},
      {"fp8 with other K/V heads", in_one(fp8, one_kv_head(kFp8)), "keys have 32 values"},
      {"bitsandbytes with other K/V heads", in_one(bnb, one_kv_head(kBnb)), "keys have 32 values"},
      {"AWQ with a much smaller FFN",
       in_one(awq, changed(kAwq, "\"intermediate_size\": 128", "\"intermediate_size\": 32")),
       "a layer's FFN is 128 wide, and the configuration says 32"},
      {"fused projections with other K/V heads", in_one(small_phi(), one_kv_head(kSmallPhi)),
       "queries, keys and values are 128 together, and the configuration says 4 heads and 1 K/V heads of 16"},
      {"other heads",
       in_one(small_llama(),
              changed(kSmallLlama, "\"num_attention_heads\": 4", "\"head_dim\": 16, \"num_attention_heads\": 6")),
       "a layer's queries have 64 values, and the configuration says 6 heads of 16"},
      {"experts of a dense model", in_one(small_mixture(8)),
       "the tensors have 8 experts, and the configuration has none"},
  };
}

std::vector<Damaged> towers() {
  const SmallTensors all = small_vision();
  return {
      {"no tower", in_one(lacking("multi_modal_projector", lacking("vision_tower", all)), kSmallVision),
       "the vision tower is missing from the tensors"},
      {"a projector alone", in_one(lacking("vision_tower", all), kSmallVision),
       "the layers of the vision tower are missing"},
      {"a tower of fewer layers", in_one(lacking("vision_model.encoder.layers.2.", all), kSmallVision),
       "3 layers of the vision tower in the configuration, 1 of them missing from the tensors: 2"},
      {"a tower of more layers",
       in_one(all, changed(kSmallVision, "\"num_hidden_layers\": 3", "\"num_hidden_layers\": 2")),
       "the vision tower has 3 layers in the tensors, and the configuration says 2"},
      {"a tower that lost a matrix",
       in_one(lacking("layers.1.mlp.fc2.weight", lacking("layers.1.mlp.fc2.bias", all)), kSmallVision),
       "in the vision tower 'mlp.fc2' is missing from layer 1"},
      {"a tower that lost a kind of matrix", in_one(lacking("mlp.fc2", all), kSmallVision),
       "'mlp.fc2' is missing from the tensors of every layer of the vision tower"},
      {"a tower without attention and its tables",
       in_one(lacking("embeddings.p", lacking("vision_model.encoder.layers.0.self_attn",
                                              lacking("vision_model.encoder.layers.1.self_attn",
                                                      lacking("vision_model.encoder.layers.2.self_attn", all)))),
              kSmallVision),
       "the vision tower has 0.00e9 values in the files"},
  };
}

std::vector<Damaged> configs() {
  const auto moe = [](const std::string& part, const std::string& by) {
    return config_alone(changed(kQwenMoe, part, by));
  };
  const std::string experts = "\"num_experts\": 128, ";
  return {
      {"no number of experts", moe(experts, ""), "'num_experts' is missing in a mixture"},
      {"no experts", moe(experts, "\"num_experts\": 0, "), "'num_experts' is 0 in a mixture"},
      {"one expert", moe(experts, "\"num_experts\": 1, "), "'num_experts' is 1 in a mixture"},
      {"NaN experts", moe(experts, "\"num_experts\": NaN, "),
       "'num_experts' must be a whole number from 0, found 'NaN'"},
      {"a list of no experts", moe(experts, "\"num_experts\": [], "),
       "'num_experts' must be a whole number from 0, found a list"},
      {"experts in quotes", moe(experts, "\"num_experts\": \"128\", "), "'num_experts' must be a whole number"},
      {"no experts per token", moe("\"num_experts_per_tok\": 8, ", ""), "'num_experts_per_tok' is missing"},
      {"none of the experts per token", moe("\"num_experts_per_tok\": 8", "\"num_experts_per_tok\": 0"),
       "no experts per token"},
      {"no width of experts", moe(", \"moe_intermediate_size\": 1536", ""), "'moe_intermediate_size' is missing"},
      {"experts of no width", moe("1536", "0"), "'moe_intermediate_size' is 0"},
      {"a dense class with experts per token and no experts",
       config_alone(changed(kLlama70, "\"vocab_size\"", "\"num_experts_per_tok\": 8, \"vocab_size\"")),
       "'num_experts' is missing"},
      {"an unknown mixture without experts",
       config_alone(changed(changed(kQwenMoe, "qwen3_moe", "newmoe"), experts, "")), "'num_experts' is missing"},
      {"a mixtral without experts", config_alone(changed(changed(kLlama70, "llama", "mixtral"), "8192", "6144")),
       "'num_experts' is missing"},
      {"a deepseek without experts", config_alone(changed(kLlama70, "llama", "deepseek_v3")),
       "'num_experts' is missing"},
      {"no FFN", config_alone(changed(kLlama70, "\"intermediate_size\": 28672,", "")),
       "'intermediate_size' is missing"},
      {"an FFN of no width", config_alone(changed(kLlama70, "28672", "0")), "'intermediate_size' is '0'"},
      {"an FFN of NaN", config_alone(changed(kLlama70, "28672", "NaN")),
       "'intermediate_size' must be a whole number from 0, found 'NaN'"},
      {"no layers", config_alone(changed(kLlama70, "\"num_hidden_layers\": 80,", "")),
       "'num_hidden_layers' is missing"},
      {"no layers said as 0", config_alone(changed(kLlama70, "80", "0")), "'num_hidden_layers' is '0'"},
      {"no heads", config_alone(changed(kLlama70, "\"num_attention_heads\": 64,", "")),
       "'num_attention_heads' is missing"},
      {"cut off in the middle", config_alone(kLlama70.substr(0, 90)), "not valid JSON"},
      {"blocks of fewer layers",
       config_alone(changed(changed(kLlama70, "llama", "nemotron-nas"), "\"vocab_size\"",
                            "\"block_configs\": [{}], \"vocab_size\"")),
       "'block_configs' names 1 layers of 80"},
  };
}

}  // namespace

TEST_CASE("the small model is whole, in one file and in four", "[damaged]") {
  // 2·256·64 + 4 × (64·64 + 2·32·64 + 64·64 + 3·128·64 + 2·64) + 64 = 180,800 values of 2 bytes
  for (const Folder& folder :
       {in_one(small_llama()), sharded(small_llama(), 4), without(sharded(small_llama(), 4), kIndex)}) {
    const auto model = catalog::read_model_file(written(folder));
    if (!model) FAIL(model.error().where + ": " + model.error().message);
    CHECK((*model)->stored->elements == 180800);
    CHECK(*(*model)->model.native_weights_gib * 1073741824 == Approx(361600));
    CHECK((*model)->notes.empty());
  }
  for (const Folder& folder : {in_one(small_mixture(8), kSmallMixture), in_one(packed_llama(packed_awq), kAwq),
                               in_one(packed_llama(packed_fp8), kFp8), in_one(packed_llama(packed_bnb), kBnb),
                               in_one(small_phi(), kSmallPhi), in_one(small_vision(), kSmallVision)}) {
    const auto model = catalog::read_model_file(written(folder));
    if (!model) FAIL(model.error().message);
    CHECK((*model)->notes.empty());
  }
}

TEST_CASE("weights that are not stored as quantization_config says are counted as they are", "[damaged]") {
  struct Case {
    SmallTensors tensors;
    std::string config;
    const char* taken;
  };
  for (const Case& given :
       {Case{small_llama(), kAwq, "bf16"}, Case{small_llama(), kFp8, "bf16"}, Case{small_llama(), kBnb, "bf16"},
        Case{packed_llama(packed_fp8), kAwq, "fp8"}, Case{packed_llama(packed_awq), kFp8, "w4a16"}}) {
    CAPTURE(given.config, given.taken);
    const auto model = catalog::read_model_file(written(in_one(given.tensors, given.config)));
    if (!model) FAIL(model.error().message);
    CHECK((*model)->model.native_dtype == given.taken);
    REQUIRE((*model)->notes.size() == 1);
    CHECK_THAT((*model)->notes.front(), Catch::Contains(std::string("the files store ") + given.taken));
  }
}

TEST_CASE("an index alone tells what is lost by names, and does not ask for what lies in another matrix", "[damaged]") {
  const auto indexed = [](const SmallTensors& tensors, const std::string& config) {
    return catalog::read_model_file(
        written({{"config.json", config}, {kIndex, sharded(tensors, 2, config).at(kIndex)}}));
  };
  REQUIRE(indexed(small_llama(), kSmallLlama));
  const auto lost = indexed(lacking("o_proj"), kSmallLlama);
  REQUIRE_FALSE(lost);
  CHECK_THAT(lost.error().message, Catch::Contains("'self_attn.o_proj' is missing from the tensors of every layer"));
  // Phi 3 Small has both branches in its up_proj, and DBRX its attention inside of a norm.
  CHECK(indexed(lacking("gate_proj", with_rows("up_proj", 256)), changed(kSmallLlama, "\"llama\"", "\"phi3small\"")));
  SmallTensors inside = small_llama();
  for (SmallTensor& one : inside)
    if (const std::size_t at = one.name.find("self_attn"); at != std::string::npos)
      one.name.insert(at, "norm_attn_norm.");
  CHECK(indexed(inside, kSmallLlama));
}

TEST_CASE("a tower in the files alone is counted with them", "[damaged]") {
  const std::string config = R"({"model_type": "llava", "text_config": )" + kSmallLlama + "}";
  const auto alone = catalog::read_model_file(written(config_alone(config)));
  REQUIRE(alone);
  REQUIRE((*alone)->notes.size() == 1);
  CHECK_THAT((*alone)->notes.front(), Catch::Contains("'vision_config' is missing"));
  const auto stored = catalog::read_model_file(written(in_one(small_vision(), config)));
  REQUIRE(stored);
  CHECK((*stored)->notes.empty());
  CHECK(*(*stored)->model.native_weights_gib * 1073741824 > 2 * 180800);
}

TEST_CASE("an adapter is not taken for the model", "[damaged]") {
  const std::string adapter = R"({"peft_type": "LORA", "base_model_name_or_path": "meta-llama/Llama-3.1-8B"})";
  const std::string weights = small_file({{"base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", 8, 64}});
  const std::string alone = written({{"adapter_config.json", adapter}, {"adapter_model.safetensors", weights}});
  for (const std::string& named : {alone, alone + "/adapter_model.safetensors", alone + "/adapter_config.json"}) {
    const auto refused = catalog::read_model_file(named);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Catch::Contains("an adapter for 'meta-llama/Llama-3.1-8B'"));
  }
  const auto nameless = catalog::read_model_file(written({{"adapter_config.json", "{}"}}));
  REQUIRE_FALSE(nameless);
  CHECK_THAT(nameless.error().message, Catch::Contains("an adapter, not a model"));
  const auto beside =
      catalog::read_model_file(written(with(config_alone(kSmallLlama), "adapter_model.safetensors", weights)));
  REQUIRE(beside);
  CHECK_FALSE((*beside)->stored);
  REQUIRE((*beside)->notes.size() == 1);
  CHECK_THAT((*beside)->notes.front(), Catch::Contains("the weights of an adapter alone"));
  Folder whole = with(in_one(small_llama()), "adapter_model.safetensors", weights);
  whole["other.safetensors"] = whole.at("model.safetensors");
  whole.erase("model.safetensors");
  const auto model = catalog::read_model_file(written(whole));
  REQUIRE(model);
  CHECK((*model)->stored->bytes == 361600);
}

TEST_CASE("a damaged model folder is refused with what is wrong and where", "[damaged]") {
  for (const auto& cases : {weights(), packed_weights(), towers(), configs()})
    for (const Damaged& damaged : cases) {
      const std::string path = written(damaged.folder);
      CAPTURE(damaged.cause);
      const auto model = catalog::read_model_file(damaged.named.empty() ? path : path + "/" + damaged.named);
      if (model) {
        FAIL_CHECK("taken for a model of " << (*model)->model.params_b.value_or(0) << "e9 parameters");
        continue;
      }
      CHECK(model.error().kind == ErrorKind::usage);
      CHECK_THAT(model.error().message, Catch::Contains(damaged.says));
      CHECK_FALSE(model.error().where.empty());
    }
}

TEST_CASE("a published configuration with one figure damaged is refused", "[damaged]") {
  struct Case {
    const char* config;
    const char* part;
    const char* by;
    const char* says;
  };
  const auto given = GENERATE(
      Case{"mistral-small-3.1-24b", "\"intermediate_size\": 32768, ", "", "'intermediate_size' is missing"},
      Case{"mistral-small-3.1-24b", "32768", "NaN", "'intermediate_size' must be a whole number from 0, found 'NaN'"},
      Case{"mistral-small-3.1-24b", "32768", "[]", "'intermediate_size' must be a whole number"},
      Case{"mistral-small-3.1-24b", "\"vocab_size\": 131072", "\"x\": 1", "'vocab_size' is missing"},
      Case{"gemma-3-27b", "\"hidden_size\": 5376, ", "", "'hidden_size' is missing"},
      Case{"gemma-3-27b", "\"num_hidden_layers\": 62, ", "", "'num_hidden_layers' is missing"},
      Case{"gemma-3-27b", "62", "NaN", "'num_hidden_layers' must be a whole number"},
      Case{"gemma-3-27b", "\"intermediate_size\": 21504, ", "", "'intermediate_size' is missing"},
      Case{"mamba-2.8b", "\"intermediate_size\": 5120", "\"intermediate_size\": 0", "'intermediate_size' must be"},
      Case{"mamba-codestral-7b", "\"expand\": 2", "\"expand\": 0", "'expand' must be a number of at least"},
      Case{"bamba-9b", "\"mamba_expand\": 2", "\"mamba_expand\": 0", "'mamba_expand' must be a number of at least"},
      Case{"bamba-9b", "\"attn_layer_indices\": [9, 18, 27]", "\"x\": 1",
           "'bamba' models have layers without attention"},
      Case{"bamba-9b", "[9, 18, 27]", "[]", "'bamba' models have layers without attention"},
      Case{"bamba-9b", "[9, 18, 27]", "[9, 18, 270]", "'attn_layer_indices' names layer 270, and there are 32"},
      Case{"bamba-9b", "[9, 18, 27]", "\"abc\"", "'attn_layer_indices' must be a list"},
      Case{"nemotron-h-8b", "\"mamba_num_heads\": 128", "\"mamba_num_heads\": 0", "'mamba_num_heads' must be"},
      Case{"bart-large", "\"decoder_ffn_dim\": 4096", "\"decoder_ffn_dim\": 0", "'decoder_ffn_dim' must be"},
      Case{"qwen3.5-27b", "\"linear_num_value_heads\": 48", "\"linear_num_value_heads\": 0",
           "'linear_num_value_heads' must"},
      Case{"recurrentgemma-2b", "\"lru_width\": 2560", "\"lru_width\": 0", "'lru_width' must be"},
      Case{"recurrentgemma-2b", "\"block_types\"", "\"blocks\"",
           "'recurrent_gemma' models have layers without attention"},
      Case{"rwkv-4-169m", "\"attention_hidden_size\": 768", "\"attention_hidden_size\": 0",
           "'attention_hidden_size' must"},
      Case{"minicpm3-4b", "\"qk_nope_head_dim\": 64", "\"qk_nope_head_dim\": 0", "'qk_nope_head_dim' must be"},
      Case{"qwen2-57b-a14b", "\"shared_expert_intermediate_size\"", "\"x\"",
           "'shared_expert_intermediate_size' is missing"},
      Case{"clip-vit-large", "\"num_hidden_layers\": 24, ", "", "'num_hidden_layers' is missing"},
      Case{"clip-vit-large", "\"hidden_size\": 1024, ", "", "'hidden_size' is missing"},
      Case{"clip-vit-large", "\"text_config\"", "\"x\"", "'text_config' is missing"},
      Case{"siglip-so400m", "\"vision_config\"", "\"x\"", "'vision_config' is missing"},
      Case{"siglip-so400m", "\"intermediate_size\": 4304, \"num_hidden_layers\": 27, \"num_attention_heads\": 16}",
           "\"num_hidden_layers\": 27}", "'intermediate_size' is missing"},
      Case{"glm-4.5-air", "\"head_dim\": 128, ", "", "'head_dim' is missing"},
      Case{"whisper-tiny", "\"model_type\": \"whisper\", ", "", "'decoder_layers' says that its layers are not plain"},
      Case{"whisper-tiny", "\"num_mel_bins\": 80, ", "", "'num_mel_bins' is missing"},
      Case{"bamba-9b", "\"model_type\": \"bamba\", ", "", "says that its layers are not plain"},
      Case{"gemma-4-26b-a4b", "\"num_experts\": 128", "\"num_experts\": 1", "'num_experts' is 1 in a mixture"},
      Case{"granite-4.0-h-tiny", "\"num_local_experts\": 64", "\"num_local_experts\": 1",
           "'num_local_experts' is 1 in a mixture"},
      Case{"granite-4.0-h-tiny", "\"layer_types\"", "\"types\"",
           "'granitemoehybrid' models have layers without attention"},
      Case{"lfm2-1.2b", "\"full_attn_idxs\"", "\"idxs\"", "'lfm2' models have layers without attention"});
  CAPTURE(given.config, given.part, given.by);
  const auto whole = read_text_file(format("{}/tests/catalog/configs/{}.json", GPUSEL_SOURCE_DIR, given.config));
  REQUIRE(whole);
  REQUIRE(whole->find(given.part) != std::string::npos);
  const auto model = catalog::read_model_file(written(config_alone(changed(*whole, given.part, given.by))));
  REQUIRE_FALSE(model);
  CHECK_THAT(model.error().message, Catch::Contains(given.says));
}

TEST_CASE("a nested configuration leaves out what is usual, and each such figure is said", "[damaged]") {
  const auto notes_of = [](const std::string& name) {
    const auto model = catalog::read_model_file(format("{}/tests/catalog/configs/{}.json", GPUSEL_SOURCE_DIR, name));
    REQUIRE(model);
    std::string all;
    for (const std::string& note : (*model)->notes) all += note + "\n";
    return all;
  };
  CHECK_THAT(notes_of("pixtral-12b"), Catch::Contains("'intermediate_size' is missing: 14336"));
  CHECK_THAT(notes_of("gemma-3-4b"), Catch::Contains("'num_attention_heads' is missing: 8"));
  CHECK_THAT(notes_of("llava-1.5-7b"), Catch::Contains("'num_hidden_layers' is missing: 32"));
  CHECK(notes_of("mistral-small-3.1-24b").empty());
}

TEST_CASE("a tower of the class's own sizes may leave one out, and it is said", "[damaged]") {
  // CLIP ViT-B/32: 151.3 M parameters.
  const auto model = catalog::read_model_file(written(config_alone(
      R"({"model_type": "clip", "projection_dim": 512, "text_config": {"hidden_size": 512},
          "vision_config": {"hidden_size": 768, "intermediate_size": 3072, "patch_size": 32}})")));
  if (!model) FAIL(model.error().message);
  CHECK(*(*model)->model.params_b == Approx(0.1513).epsilon(0.005));
  REQUIRE((*model)->notes.size() == 3);
  CHECK_THAT((*model)->notes[0], Catch::Contains("'num_hidden_layers' is missing: 12"));
  CHECK_THAT((*model)->notes[1], Catch::Contains("'intermediate_size' is missing: 2048"));
}

TEST_CASE("a configuration without its class says as what it is counted", "[damaged]") {
  const auto model =
      catalog::read_model_file(written(config_alone(changed(kLlama70, "\"model_type\": \"llama\", ", ""))));
  REQUIRE(model);
  REQUIRE((*model)->notes.size() == 1);
  CHECK_THAT((*model)->notes.front(), Catch::Contains("'model_type' is missing"));
}

TEST_CASE("weights a little smaller than the shape leave its figure, and it is said", "[damaged]") {
  // 256 of 270 rows of both tables: 1 % of the whole is missing
  const std::string config = changed(kSmallLlama, "\"vocab_size\": 256", "\"vocab_size\": 270");
  const auto model = catalog::read_model_file(written(in_one(small_llama(), config)));
  REQUIRE(model);
  CHECK_FALSE((*model)->model.native_weights_gib);
  REQUIRE((*model)->notes.size() == 1);
  CHECK_THAT((*model)->notes.front(), Catch::Contains("the larger is used"));
}

TEST_CASE("fp8 tensors that the configuration does not speak of are said", "[damaged]") {
  SmallTensors narrow = small_llama();
  for (SmallTensor& one : narrow)
    if (one.name.find("proj") != std::string::npos) one.type = "F8_E4M3";
  const auto model = catalog::read_model_file(written(in_one(narrow)));
  REQUIRE(model);
  REQUIRE((*model)->notes.size() == 1);
  CHECK_THAT((*model)->notes.front(), Catch::Contains("most weights are fp8, and config.json says bf16"));
}

TEST_CASE("what a published class leaves out is taken from it where the rest is its own shape, and said", "[damaged]") {
  const std::string config = R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 32000})";
  const auto mixture = catalog::read_model_file(written(config_alone(config)));
  REQUIRE(mixture);
  CHECK((*mixture)->model.experts == 8.0);
  CHECK(*(*mixture)->model.params_b == Approx(46.7).epsilon(0.01));
  REQUIRE((*mixture)->notes.size() == 1);
  CHECK_THAT((*mixture)->notes.front(),
             Catch::Contains("'num_experts' is missing: 8, the published default of 'mixtral'"));
  const auto dense = catalog::read_model_file(written(config_alone(R"({"model_type": "llama", "hidden_size": 4096,
    "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 32000})")));
  REQUIRE(dense);
  CHECK((*dense)->model.ffn_size == 11008.0);
  CHECK_THAT((*dense)->notes.front(), Catch::Contains("'intermediate_size' is missing: 11008"));
}

TEST_CASE("an index whose total is of other files is told, and the files are believed", "[damaged]") {
  Folder folder = sharded(small_llama(), 2);
  folder[kIndex] = changed(folder[kIndex], "\"total_size\": ", "\"total_size\": 9");
  const auto model = catalog::read_model_file(written(folder));
  REQUIRE(model);
  CHECK((*model)->stored->bytes == 361600);
  REQUIRE((*model)->notes.size() == 1);
  CHECK_THAT((*model)->notes.front(), Catch::Contains("'total_size'"));
}

TEST_CASE("a class that is not known keeps the larger figure, and says so", "[damaged]") {
  const std::string config = changed(changed(kSmallLlama, "\"llama\"", "\"newllm\""), "128", "256");
  const auto model = catalog::read_model_file(written(in_one(small_llama(), config)));
  REQUIRE(model);
  CHECK_FALSE((*model)->model.native_weights_gib);
  CHECK(std::ranges::any_of(
      (*model)->notes, [](const std::string& note) { return note.find("the larger is used") != std::string::npos; }));
}

TEST_CASE("layers that block_configs describes one by one are counted so", "[damaged]") {
  // As Nemotron Super's: attention of 8 K/V heads and an FFN of 5.25 (28,672), one without attention, one linear.
  const std::string full = R"({"attention": {"n_heads_in_group": 8, "no_op": false, "replace_with_linear": false},
    "ffn": {"ffn_mult": 5.25, "no_op": false, "replace_with_linear": false}})";
  const std::string bare = R"({"attention": {"n_heads_in_group": null, "no_op": true, "replace_with_linear": false},
    "ffn": {"ffn_mult": 2.625, "no_op": false, "replace_with_linear": false}})";
  const std::string linear = R"({"attention": {"no_op": false, "replace_with_linear": true}, "ffn": {"no_op": true}})";
  const auto model = catalog::read_model_file(written(config_alone(
      R"({"model_type": "nemotron-nas", "hidden_size": 8192, "num_attention_heads": 64, "num_hidden_layers": 3,
      "vocab_size": 128256, "tie_word_embeddings": false, "block_configs": [)" +
      full + "," + bare + "," + linear + "]}")));
  if (!model) FAIL(model.error().message);
  const catalog::Model& m = (*model)->model;
  CHECK(m.kv_heads == 8.0);
  CHECK(m.kv_full_layers == 1.0);
  CHECK(m.ffn_size == 28672.0);
  const double attention = 2.0 * 8192 * 8192 + 2.0 * 8192 * 1024;
  const double ffn = 3.0 * 8192 * (28672 + 14336);
  const double norms = 8192.0 * (2 + 1 + 1 + 1);
  CHECK(*m.params_b * 1e9 == Approx(2.0 * 128256 * 8192 + attention + ffn + 8192.0 * 8192 + norms).epsilon(1e-9));
}

TEST_CASE("Falcon's first names and its two decoders are read", "[damaged]") {
  const auto large = catalog::read_model_file(written(config_alone(R"({"model_type": "RefinedWeb", "n_head": 128,
    "n_head_kv": 8, "n_layer": 60, "hidden_size": 8192, "parallel_attn": true, "bias": false, "vocab_size": 65024})")));
  REQUIRE(large);
  CHECK((*large)->model.kv_heads == 8.0);
  CHECK(*(*large)->model.params_b == Approx(41.3).epsilon(0.01));
  const auto small = catalog::read_model_file(written(config_alone(R"({"model_type": "RefinedWebModel", "n_head": 71,
    "n_layer": 32, "hidden_size": 4544, "multi_query": true, "parallel_attn": true, "bias": false, "vocab_size": 65024})")));
  REQUIRE(small);
  CHECK((*small)->model.kv_heads == 1.0);
  CHECK(*(*small)->model.params_b == Approx(6.92).epsilon(0.01));
}

}  // namespace damaged_models_test
