// Models out of Hugging Face configurations, with the hyperparameters their papers and cards publish.
#include <catch2/catch.hpp>

#include "catalog/records/parameters.hpp"

#include "catalog/hf/hf_config.hpp"
#include "listing.hpp"

namespace hf_config_test {

using namespace gpusel;
using namespace gpusel::test;
using catalog::ConfigModel;
using catalog::ModelKind;

namespace {

/// "config.json" of these members in a scratch file.
std::string config(const std::string& members) { return scratch_file("config.json", "{" + members + "}"); }

std::unique_ptr<ConfigModel> read(const std::string& members) {
  auto model = catalog::read_model_file(config(members));
  if (!model) FAIL(model.error().where + ": " + model.error().message);
  return std::move(*model);
}

Error refused(const std::string& members) {
  const auto model = catalog::read_model_file(config(members));
  INFO(members);
  REQUIRE_FALSE(model);
  return model.error();
}

const std::string kLlama7 = R"("model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096,
  "intermediate_size": 11008, "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 32000,
  "max_position_embeddings": 2048, "tie_word_embeddings": false, "torch_dtype": "float16", "rms_norm_eps": 1e-06)";

const std::string kMixtral = R"("model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
  "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, "num_local_experts": 8,
  "num_experts_per_tok": 2, "vocab_size": 32000, "max_position_embeddings": 32768, "sliding_window": null,
  "tie_word_embeddings": false, "torch_dtype": "bfloat16")";

const std::string kGemma3 = R"("model_type": "gemma3_text", "hidden_size": 1152, "intermediate_size": 6912,
  "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256, "num_hidden_layers": 26, "vocab_size": 262144,
  "max_position_embeddings": 32768, "sliding_window": 512, "sliding_window_pattern": 6, "torch_dtype": "bfloat16")";

const std::string kDeepSeek = R"("model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
  "moe_intermediate_size": 2048, "num_attention_heads": 128, "num_key_value_heads": 128, "num_hidden_layers": 61,
  "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
  "moe_layer_freq": 1, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
  "v_head_dim": 128, "vocab_size": 129280, "max_position_embeddings": 163840, "num_nextn_predict_layers": 1,
  "tie_word_embeddings": false, "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "fp8"})";

}  // namespace

TEST_CASE("the configuration of LLaMA 7B is read") {
  const auto read_model = read(kLlama7);
  const catalog::Model& m = read_model->model;
  CHECK(m.kind == ModelKind::decoder_llm);
  CHECK(m.kv_heads == 32.0);   // absent: as many as heads
  CHECK(m.head_dim == 128.0);  // 4,096 / 32
  CHECK(m.attention == "mha");
  CHECK(m.native_dtype == "fp16");
  CHECK(m.max_context == 2048.0);
  CHECK(*m.params_b == Approx(6.738415616).epsilon(1e-6));
  CHECK(catalog::kv_bytes_per_token_fp16(m) == 524288.0);
  CHECK(read_model->unread.empty());  // rms_norm_eps changes neither size nor speed
}

TEST_CASE("the configuration of Mixtral 8x7B is read") {
  const auto read_model = read(kMixtral);
  const catalog::Model& m = read_model->model;
  CHECK(m.is_moe());
  CHECK(m.experts == 8.0);
  CHECK(m.experts_per_token == 2.0);
  CHECK(m.attention == "gqa");
  CHECK(m.native_dtype == "bf16");
  CHECK(m.kv_full_layers == 32.0);  // "sliding_window": null means none
  CHECK(*m.params_b == Approx(46.702792704).epsilon(1e-6));
}

TEST_CASE("the configuration of Gemma 3 with one full layer in six is read") {
  const auto read_model = read(kGemma3);
  const catalog::Model& m = read_model->model;
  CHECK(m.kv_full_layers == 4.0);  // layers 6, 12, 18 and 24 of 26
  CHECK(m.kv_window_layers == 22.0);
  CHECK(m.window_tokens == 512.0);
  CHECK(m.tied_embeddings == true);  // its class says so where the file does not
  CHECK(m.attention == "mqa");
  CHECK(*m.params_b == Approx(0.999885952).epsilon(1e-3));
}

TEST_CASE("the configuration of DeepSeek V3 is read") {
  const auto read_model = read(kDeepSeek);
  const catalog::Model& m = read_model->model;
  CHECK(m.is_mla());
  CHECK(m.attention == "mla");
  CHECK(m.head_dim == 192.0);  // 128 + 64
  CHECK(m.first_dense_layers == 3.0);
  CHECK(m.shared_experts == 1.0);
  CHECK(m.native_dtype == "fp8");
  CHECK(*m.params_b == Approx(671.0264).epsilon(1e-5));
  CHECK(catalog::kv_bytes_per_token_fp16(m) == 70272.0);  // 61 × 576 × 2
}

TEST_CASE("the configuration of DeepSeek V2 Lite has no low-rank query") {
  const auto read_model = read(R"("model_type": "deepseek_v2", "hidden_size": 2048, "intermediate_size": 10944,
    "moe_intermediate_size": 1408, "num_attention_heads": 16, "num_key_value_heads": 16, "num_hidden_layers": 27,
    "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1,
    "moe_layer_freq": 1, "q_lora_rank": null, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
    "v_head_dim": 128, "vocab_size": 102400, "max_position_embeddings": 163840, "tie_word_embeddings": false)");
  CHECK(*read_model->model.params_b == Approx(15.706484).epsilon(1e-5));
}

TEST_CASE("the configuration of Mistral 7B has a window in every layer") {
  const auto read_model = read(R"("model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 32000,
    "sliding_window": 4096, "max_position_embeddings": 32768, "tie_word_embeddings": false)");
  const catalog::Model& m = read_model->model;
  CHECK(m.kv_full_layers == 0.0);
  CHECK(m.kv_window_layers == 32.0);
  CHECK(m.window_tokens == 4096.0);
  CHECK(*m.params_b == Approx(7.241732096).epsilon(1e-6));
}

TEST_CASE("a window that is switched off is no window") {
  const auto read_model = read(kLlama7 + R"(, "sliding_window": 4096, "use_sliding_window": false)");
  CHECK(read_model->model.kv_full_layers == 32.0);
  CHECK_FALSE(read_model->model.kv_window_layers.has_value());
}

TEST_CASE("layers that are listed one by one are counted by kind") {
  const auto read_model = read(
      R"("model_type": "x", "hidden_size": 64, "intermediate_size": 256, "num_attention_heads": 4, "num_hidden_layers": 5,
    "vocab_size": 100, "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention", "linear_attention"])");
  CHECK(read_model->model.kv_full_layers == 2.0);
  CHECK(read_model->model.kv_window_layers == 2.0);
  CHECK(read_model->model.window_tokens == 128.0);
  CHECK(read_model->model.linear_layers == 1.0);
}

TEST_CASE("a hybrid keeps a fixed state in its linear layers") {
  const auto read_model = read(R"("model_type": "qwen3_next", "hidden_size": 2048, "num_attention_heads": 16,
    "num_key_value_heads": 2, "head_dim": 256, "num_hidden_layers": 48, "vocab_size": 151936, "num_experts": 512,
    "num_experts_per_tok": 10, "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512, "full_attention_interval": 4, "linear_num_value_heads": 32, "linear_key_head_dim": 128,
    "linear_value_head_dim": 128)");
  CHECK(read_model->model.kv_full_layers == 12.0);  // every fourth of 48
  CHECK(read_model->model.linear_layers == 36.0);
  CHECK(read_model->model.linear_state_bytes == 37748736.0);              // 36 × 32 × 128 × 128 × 2
  CHECK(catalog::kv_bytes_per_token_fp16(read_model->model) == 24576.0);  // 2 × 12 × 2 × 256 × 2
}

TEST_CASE("the configuration of Qwen3 30B A3B is read") {
  const auto read_model = read(R"("model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
    "moe_intermediate_size": 768, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
    "num_hidden_layers": 48, "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1,
    "vocab_size": 151936, "tie_word_embeddings": false, "sliding_window": null, "use_sliding_window": false)");
  CHECK(*read_model->model.params_b == Approx(30.532122624).epsilon(1e-5));
}

TEST_CASE("older spellings of the keys are read as well") {
  const auto gpt2 = read(R"("model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024,
    "n_inner": null, "vocab_size": 50257)");
  CHECK(gpt2->model.ffn_size == 3072.0);  // 4 × 768
  CHECK(gpt2->model.gated_ffn == false);
  CHECK(gpt2->model.max_context == 1024.0);
  CHECK(*gpt2->model.params_b == Approx(0.124439808).epsilon(0.01));  // without positions and biases
}

TEST_CASE("encoders are told from decoders") {
  const auto bert = read(R"("model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 768,
    "intermediate_size": 3072, "num_attention_heads": 12, "num_hidden_layers": 12, "vocab_size": 30522,
    "max_position_embeddings": 512)");
  CHECK(bert->model.kind == ModelKind::encoder);
  CHECK(*bert->model.params_b == Approx(0.10948224).epsilon(0.02));
  CHECK(catalog::kv_bytes_per_token_fp16(bert->model) == 0.0);
  const auto unknown = read(R"("model_type": "newbert", "architectures": ["NewBertForSequenceClassification"],
    "hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12, "num_hidden_layers": 12,
    "vocab_size": 30522)");
  CHECK(unknown->model.kind == ModelKind::encoder);
}

TEST_CASE("T5 has an encoder and a decoder") {
  const auto t5 = read(R"("model_type": "t5", "d_model": 768, "d_ff": 3072, "d_kv": 64, "num_layers": 12,
    "num_decoder_layers": 12, "num_heads": 12, "vocab_size": 32128, "feed_forward_proj": "relu")");
  CHECK(t5->model.kind == ModelKind::encoder_decoder);
  CHECK(t5->model.decoder_layers == 12.0);
  CHECK(t5->model.head_dim == 64.0);
  CHECK(*t5->model.params_b == Approx(0.222903552).epsilon(1e-3));
}

TEST_CASE("the text part of a model that sees is read") {
  const auto vlm =
      read("\"model_type\": \"llava\", \"vision_config\": {\"hidden_size\": 1024}, \"text_config\": {" + kLlama7 + "}");
  CHECK(vlm->model.kind == ModelKind::vlm);
  CHECK(vlm->model.hidden_size == 4096.0);
  CHECK(vlm->model.layers == 32.0);
}

TEST_CASE("NaN and Infinity are what python writes, and no number of a shape") {
  CHECK(*read(kLlama7 + R"(, "rope_theta": NaN, "scale": -Infinity)")->model.params_b == Approx(6.7384).epsilon(1e-4));
  CHECK_THAT(refused(with(kLlama7, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": NaN")).message,
             Catch::Contains("'num_hidden_layers' must be a whole number from 0, found 'NaN'"));
}

TEST_CASE("a configuration without its shape names the missing key") {
  struct Case {
    const char* part;
    const char* key;
  };
  const auto given = GENERATE(
      Case{"\"num_hidden_layers\": 32, ", "num_hidden_layers"}, Case{"\"hidden_size\": 4096,", "hidden_size"},
      Case{"\"num_attention_heads\": 32, ", "num_attention_heads"}, Case{"\"vocab_size\": 32000,", "vocab_size"});
  const Error error = refused(with(kLlama7, given.part, ""));
  CHECK(error.kind == ErrorKind::usage);
  CHECK_THAT(error.message, Catch::Contains(std::string("'") + given.key + "' is missing"));
}

TEST_CASE("a configuration with nonsense for a number is refused") {
  const auto value = GENERATE("0", "-32", "1e20", "100000", "\"32\"", "[32]", "{}", "true");
  CAPTURE(value);
  const Error error =
      refused(with(kLlama7, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": " + std::string(value)));
  CHECK(error.kind == ErrorKind::usage);
  CHECK_FALSE(error.message.empty());
}

TEST_CASE("a number in quotes is told at its place") {
  const std::string file = config("\n  \"hidden_size\": \"4096\",\n  \"num_hidden_layers\": 2\n");
  const auto model = catalog::read_model_file(file);
  REQUIRE_FALSE(model);
  CHECK(model.error().where == file + ":2:18");  // `  "hidden_size": "4096"`
  CHECK_THAT(model.error().message, Catch::Contains("'hidden_size' must be a whole number"));
}

TEST_CASE("a configuration is a json object") {
  const auto text = GENERATE("[]", "3", "\"llama\"", "null");
  CHECK_FALSE(catalog::read_model_file(scratch_file("config.json", text)));
  CHECK_FALSE(catalog::read_model_file(scratch_file("config.json", "{,}")));
  CHECK_FALSE(catalog::read_model_file(scratch_file("config.json", "")));
  CHECK_FALSE(catalog::read_model_file("/nonexistent/config.json"));
}

TEST_CASE("a folder with a configuration stands for it") {
  const std::string file = config(kLlama7);
  const auto model = catalog::read_model_file(std::filesystem::path(file).parent_path().string());
  REQUIRE(model);
  CHECK((*model)->model.layers == 32.0);
  CHECK_FALSE(catalog::read_model_file(folder({{"other.json", "{}"}})));
}

TEST_CASE("a size that is stated is kept") {
  const auto model = read(kLlama7 + R"(, "params_b": 6.5, "active_params_b": 6)");
  CHECK(model->model.params_b == 6.5);
  CHECK(model->model.active_params_b == 6.0);
}

TEST_CASE("weights that are stored narrow are told by their method") {
  CHECK(read(kLlama7 + R"(, "quantization_config": {"quant_method": "awq", "bits": 4})")->model.native_dtype ==
        "w4a16");
  CHECK(read(kLlama7 + R"(, "quantization_config": {"quant_method": "gptq", "bits": 8})")->model.native_dtype ==
        "w8a16");
  CHECK(read(kLlama7 + R"(, "quantization_config": {"quant_method": "mxfp4"})")->model.native_dtype == "mxfp4");
}

TEST_CASE("every way of storing weights narrow has its format") {
  struct Case {
    const char* quantised;
    const char* format;
  };
  const auto given =
      GENERATE(Case{R"({"quant_method": "fp8", "weight_block_size": [128, 128]})", "fp8"},
               Case{R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4"})", "nf4"},
               Case{R"({"quant_method": "bitsandbytes", "load_in_8bit": true})", "int8"},
               Case{R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})", "nvfp4"},
               Case{R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 4,
              "type": "int", "group_size": 128}, "input_activations": null}}})",
                    "w4a16"},
               Case{R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8,
              "type": "int"}, "input_activations": {"num_bits": 8}}}})",
                    "int8"},
               Case{R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8,
              "type": "float"}, "input_activations": {"num_bits": 8}}}})",
                    "fp8"});
  CAPTURE(given.quantised);
  const auto model = read(kLlama7 + R"(, "quantization_config": )" + given.quantised);
  CHECK(model->model.native_dtype == given.format);
  CHECK(model->notes.empty());
}

TEST_CASE("a way of storing weights that is not known is refused unless it says its bits") {
  const auto with = [](const std::string& quantised) { return kLlama7 + R"(, "quantization_config": )" + quantised; };
  CHECK_THAT(refused(with(R"({"quant_method": "aqlm", "nbits_per_codebook": 16})")).message,
             Catch::Contains("'aqlm'") && Catch::Contains("set 'bits'"));
  const auto three = read(with(R"({"quant_method": "gptq", "bits": 3})"));
  CHECK(three->model.native_dtype == "w4a16");
  REQUIRE(three->notes.size() == 1);
  CHECK_THAT(three->notes.front(), Catch::Contains("3 bits") && Catch::Contains("w4a16"));
  CHECK(read(with(R"({"quant_method": "vptq", "bits": 5})"))->model.native_dtype == "w8a16");
  CHECK(read(with(R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 2,
    "type": "int"}}}})"))
            ->model.native_dtype == "w4a16");
}

TEST_CASE("K/V heads that do not divide the heads are refused") {
  CHECK_THAT(refused(kLlama7 + R"(, "num_key_value_heads": 5)").message,
             Catch::Contains("5 K/V heads do not divide the 32"));
}

TEST_CASE("a model that reads images without its tower is said to be counted without") {
  std::string members = kLlama7;
  const std::string type = R"("model_type": "llama")";
  const std::size_t at = members.find(type);
  REQUIRE(at != std::string::npos);
  const auto model = read(members.replace(at, type.size(), R"("model_type": "qwen2_vl")"));
  REQUIRE_FALSE(model->notes.empty());
  CHECK_THAT(model->notes.front(), Catch::Contains("'vision_config' is missing"));
}

TEST_CASE("keys that are not understood are listed, those without effect are not") {
  const auto model = read(kLlama7 + R"(, "bos_token_id": 1, "rope_scaling": {"factor": 8}, "attention_dropout": 0.0,
    "quantum_gates": 3, "vision_config": null)");
  CHECK(model->unread == std::vector<std::string>{"quantum_gates"});
}

TEST_CASE("a class that is not known is counted only where its shape is plain") {
  const std::string plain = with(kLlama7, "\"model_type\": \"llama\"", "\"model_type\": \"newllm\"");
  const auto model = read(plain);
  CHECK(*model->model.params_b == Approx(6.738415616).epsilon(1e-6));
  REQUIRE(model->notes.size() == 1);
  CHECK_THAT(model->notes.front(), Catch::Contains("'newllm' is not known"));
  const Error unusual = refused(plain + R"(, "ssm_state": 128)");
  CHECK_THAT(unusual.message, Catch::Contains("'newllm'") && Catch::Contains("'ssm_state'"));
  CHECK_THAT(unusual.hint, Catch::Contains("params_b"));
  CHECK(read(plain + R"(, "ssm_state": 128, "params_b": 7)")->model.params_b == 7.0);
  CHECK_THAT(refused(with(plain, "\"intermediate_size\": 11008,", "")).message,
             Catch::Contains("'intermediate_size' is missing"));
}

TEST_CASE("a mixture by its name alone is no dense model") {
  const auto named = [](const std::string& type) {
    return with(kLlama7, "\"model_type\": \"llama\"", "\"model_type\": \"" + type + "\"");
  };
  for (const char* type :
       {"foo_moe", "FooMoe", "bailing_moe_v2", "arctic", "grok-1", "hunyuan", "switch_transformers"}) {
    CAPTURE(type);
    CHECK_THAT(refused(named(type)).message, Catch::Contains("missing in a mixture of experts"));
  }
  CHECK_THAT(refused(with(kLlama7, "LlamaForCausalLM", "LlamaMoEForCausalLM")).message,
             Catch::Contains("missing in a mixture of experts"));
  CHECK_THAT(refused(named("newllm") + R"(, "router_aux_loss_coef": 0.01)").message,
             Catch::Contains("missing in a mixture of experts"));
  CHECK(read(named("foo_moe") + R"(, "num_experts": 8, "num_experts_per_tok": 2)")->model.experts == 8.0);
}

TEST_CASE("classes and towers whose size does not follow from their keys are refused with the reason") {
  CHECK_THAT(refused(with(kLlama7, "\"model_type\": \"llama\"", "\"model_type\": \"zamba2\"")).message,
             Catch::Contains("shared"));
  CHECK_THAT(refused(kLlama7 + R"(, "audio_config": {"hidden_size": 1024})").message,
             Catch::Contains("'audio_config'"));
  CHECK_THAT(refused(kLlama7 + R"(, "vision_config": {"model_type": "mobilenet"})").message,
             Catch::Contains("'vision_config' ('mobilenet')"));
  CHECK_THAT(refused(with(kLlama7, "\"num_hidden_layers\": 32",
                          R"("num_hidden_layers": 2, "layer_types": ["full_attention", "quantum"])"))
                 .message,
             Catch::Contains("'quantum' is not known"));
}

TEST_CASE("parts of a configuration that should be objects are refused as anything else") {
  const auto key = GENERATE("text_config", "vision_config", "quantization_config", "linear_attn_config");
  const auto value = GENERATE("[]", "3", "\"x\"", "true");
  CAPTURE(key, value);
  const Error error = refused(kLlama7 + ", \"" + key + "\": " + value);
  CHECK_THAT(error.message, Catch::Contains("must be an object"));
  CHECK_THAT(error.where, Catch::Contains("config.json:"));
}

TEST_CASE("a path is told from a model name") {
  for (const char* path :
       {"./llama", "../x", "/models/llama", "config.json", "dir/config.json", ".", "..", "a.gguf", "model.safetensors"})
    CHECK(catalog::looks_like_path(path));
  for (const char* name : {"llama-7b", "meta-llama/Llama-3.1-8B", "a.b", ""})
    CHECK_FALSE(catalog::looks_like_path(name));
}

namespace {

auto config_of(const std::string& m) { return catalog::read_model_file(scratch_file("config.json", "{" + m + "}")); }
const std::string kLlamaShape =
    R"("model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 32000, "intermediate_size": 11008)";

}  // namespace

TEST_CASE("Gemma 2 has a window in every second layer") {
  const auto m = config_of(R"("model_type": "gemma2", "hidden_size": 3584, "intermediate_size": 14336,
    "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "num_hidden_layers": 42,
    "vocab_size": 256000, "max_position_embeddings": 8192, "sliding_window": 4096)");
  REQUIRE(m);
  CHECK((*m)->model.kv_full_layers == 21.0);
  CHECK((*m)->model.kv_window_layers == 21.0);
}
TEST_CASE("T5 caches the decoder's layers alone") {
  const auto m = config_of(R"("model_type": "t5", "d_model": 768, "d_ff": 3072, "d_kv": 64, "num_layers": 12,
    "num_decoder_layers": 12, "num_heads": 12, "vocab_size": 32128)");
  REQUIRE(m);
  CHECK(catalog::kv_bytes_per_token_fp16((*m)->model) ==
        catalog::kv_bytes_per_token_fp16(**embedded().model("t5-base")));
}
TEST_CASE("nonsense in other keys is refused") {
  CHECK_FALSE(config_of(kLlamaShape + R"(, "num_key_value_heads": 0)"));
  CHECK_FALSE(config_of(kLlamaShape + R"(, "num_key_value_heads": 64)"));
  CHECK_FALSE(config_of(kLlamaShape + R"(, "head_dim": 0)"));
  CHECK_FALSE(config_of(kLlamaShape + R"(, "num_local_experts": 8, "num_experts_per_tok": 16)"));
  CHECK_FALSE(config_of(kLlamaShape + R"(, "layer_types": ["full_attention"])"));
  CHECK_FALSE(config_of(kLlamaShape + R"(, "tie_word_embeddings": "yes")"));
  CHECK_FALSE(config_of(kLlamaShape + R"(, "first_k_dense_replace": 100, "num_local_experts": 8)"));
  CHECK_FALSE(
      config_of(R"("hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32.5, "vocab_size": 32000)"));
  CHECK_FALSE(config_of(kLlamaShape + R"(, "params_b": 0)"));
}
TEST_CASE("both parameter counts take an encoder's head as tied") {
  const catalog::Catalog c = embedded();
  const catalog::Model& m = **c.model("bert-base");
  CHECK(*catalog::parameters_from_shape(m) == Approx(0.10948).epsilon(0.02));
}

TEST_CASE("a stated size tells whether the FFN is gated and the head tied") {
  // GPT-2 medium's shape without its class: 24 × (4·1024² + 2·1024·4096) + 50257·1024 = 353e6 tied and plain.
  const std::string shape =
      R"("num_hidden_layers": 24, "hidden_size": 1024, "num_attention_heads": 16, "intermediate_size": 4096,
         "vocab_size": 50257)";
  const auto open = read(shape);
  open->model.params_b = 0.355;
  const auto plain = catalog::parameters_of(open->model);
  REQUIRE(plain);
  CHECK(plain->ffn_matrices == 2);
  CHECK(plain->head == 0);
  // With three matrices and a head of its own: 24 × (4·1024² + 3·1024·4096) + 2·50257·1024 = 506e6.
  open->model.params_b = 0.506;
  const auto gated = catalog::parameters_of(open->model);
  REQUIRE(gated);
  CHECK(gated->ffn_matrices == 3);
  CHECK(gated->head == gated->embedding);
}

TEST_CASE("a stated size far below the shape of a known class is refused where it stands") {
  const Error error = refused(kMixtral + R"(, "params_b": 4.67)");
  CHECK_THAT(error.message, Catch::Contains("'params_b' is 4.67, and the shape has 46.7e9 parameters"));
  CHECK_THAT(error.where, Catch::Contains("config.json:4:"));
  CHECK(read(kMixtral + R"(, "params_b": 45)")->notes.empty());
  const auto larger = read(kMixtral + R"(, "params_b": 60)");
  CHECK(larger->model.params_b == 60.0);
  REQUIRE(larger->notes.size() == 1);
  CHECK_THAT(larger->notes.front(), Catch::Contains("'params_b' is used"));
  // The shape of a class that is not known is not sure.
  const auto unknown =
      read(with(kLlama7, "\"model_type\": \"llama\"", "\"model_type\": \"newllm\"") + R"(, "params_b": 2)");
  CHECK(unknown->model.params_b == 2.0);
  CHECK_THAT(unknown->notes.front(), Catch::Contains("'params_b' is 2"));
}

TEST_CASE("Granite 4 is a mixture unless it says that it has no experts") {
  const std::string shape = R"("model_type": "granitemoehybrid", "hidden_size": 1024, "intermediate_size": 512,
    "shared_intermediate_size": 2048, "num_attention_heads": 16, "num_key_value_heads": 4, "num_hidden_layers": 2,
    "vocab_size": 1000, "tie_word_embeddings": true, "layer_types": ["attention", "attention"])";
  CHECK_THAT(refused(shape).message, Catch::Contains("'num_experts' is missing in a mixture"));
  CHECK_THAT(refused(shape + R"(, "num_local_experts": 8)").message,
             Catch::Contains("'num_experts_per_tok' is missing in a mixture"));
  CHECK_THAT(refused(shape + R"(, "num_local_experts": 0, "num_experts_per_tok": 4)").message,
             Catch::Contains("is 0 in a mixture"));
  const auto dense = read(shape + R"(, "num_local_experts": 0, "num_experts_per_tok": 0)");
  CHECK_FALSE(dense->model.is_moe());
  // 1000·1024 + 2 × (2·1024² + 2·1024·256 + 3·1024·2048 + 2·1024) + 1024
  CHECK(*dense->model.params_b * 1e9 == Approx(1024000 + 2 * (2097152 + 524288 + 6291456 + 2048) + 1024));
}

TEST_CASE("a mixture of a class that is not known says how many experts a token visits") {
  const std::string mixture = with(kMixtral, "\"model_type\": \"mixtral\"", "\"model_type\": \"newmix\"");
  CHECK(read(mixture)->model.experts_per_token == 2.0);
  const std::string silent = with(mixture, "\"num_experts_per_tok\": 2, ", "");
  CHECK_THAT(refused(silent).message, Catch::Contains("'num_experts_per_tok' is missing in a mixture"));
  CHECK_FALSE(read(silent + R"(, "active_params_b": 12.9)")->model.experts_per_token);
}

TEST_CASE("MiniMax M1 has the layers of MiniMax Text 01") {
  const auto read_as = [](const std::string& type) {
    const auto text = read_text_file(std::string(GPUSEL_SOURCE_DIR) + "/tests/catalog/configs/minimax-text-01.json");
    REQUIRE(text);
    return catalog::read_model_file(
        scratch_file("config.json", with(*text, "\"minimax_text_01\"", "\"" + type + "\"")));
  };
  const auto m1 = read_as("minimax_m1");
  REQUIRE(m1);
  CHECK(*(*m1)->model.params_b == Approx(456.09).epsilon(1e-3));
  CHECK((*m1)->model.kv_full_layers == 10.0);
  CHECK((*m1)->notes.empty());
}

TEST_CASE("a file around a text model that does not describe its tower says so") {
  for (const char* wrapper : {"llava", "mistral3", "mllama", "paligemma", "qwen3_vl", "internvl_chat", "glm4v_moe"}) {
    CAPTURE(wrapper);
    const auto model = read(format(R"("model_type": "{}", "text_config": {{{}}})", wrapper, kLlama7));
    REQUIRE(model->notes.size() == 1);
    CHECK_THAT(model->notes.front(), Catch::Contains("'vision_config' is missing"));
  }
  CHECK(read(kLlama7)->notes.empty());
}

TEST_CASE("Exaone 4 sees everything in one layer of four where its pattern is left out") {
  const std::string shape = R"("model_type": "exaone4", "hidden_size": 5120, "intermediate_size": 27392,
    "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": 64,
    "vocab_size": 102400)";
  const auto windowed = read(shape + R"(, "sliding_window": 4096)");
  CHECK(windowed->model.kv_full_layers == 16.0);
  CHECK(windowed->model.kv_window_layers == 48.0);
  CHECK(read(shape + R"(, "sliding_window": null)")->model.kv_full_layers == 64.0);
}

TEST_CASE("Falcon's larger decoder has as many K/V heads as heads unless it says how many") {
  const std::string shape = R"("model_type": "falcon", "hidden_size": 8192, "num_attention_heads": 128,
    "num_hidden_layers": 60, "vocab_size": 65024, "multi_query": true, "parallel_attn": true, "bias": false)";
  const std::string larger = shape + R"(, "new_decoder_architecture": true)";
  CHECK(read(larger + R"(, "num_kv_heads": 8)")->model.kv_heads == 8.0);
  const auto silent = read(larger);
  CHECK(silent->model.kv_heads == 128.0);
  REQUIRE(silent->notes.size() == 1);
  CHECK_THAT(silent->notes.front(), Catch::Contains("'num_kv_heads' is missing"));
  const auto ignored = read(shape + R"(, "num_kv_heads": 8)");
  CHECK(ignored->model.kv_heads == 1.0);
  REQUIRE(ignored->notes.size() == 1);
  CHECK_THAT(ignored->notes.front(), Catch::Contains("'num_kv_heads' is 8 and is not used"));
  CHECK(read(shape + R"(, "num_kv_heads": 128)")->notes.empty());  // what the class fills in
}

TEST_CASE("lists of layers that cannot be are refused where they stand") {
  struct Case {
    const char* config;
    const char* part;
    const char* by;
    const char* says;
  };
  const auto given =
      GENERATE(Case{"jamba-v0.1", "\"attn_layer_offset\": 4", "\"attn_layer_offset\": 8", "no layer is meant"},
               Case{"jamba-v0.1", "\"expert_layer_offset\": 1", "\"expert_layer_offset\": 2", "no layer is meant"},
               Case{"kimi-linear-48b-a3b", "\"full_attn_layers\": [", "\"full_attn_layers\": [99, ", "names layer 99"},
               Case{"kimi-linear-48b-a3b", "\"full_attn_layers\": [", "\"full_attn_layers\": [0, ", "names layer 0"},
               Case{"kimi-linear-48b-a3b", "\"full_attn_layers\": [", "\"full_attn_layers\": [1, ",
                    "layer 1 is in both of 'full_attn_layers' and 'kda_layers'"},
               Case{"llama-4-maverick", "\"interleave_moe_layer_step\": 2", "\"moe_layers\": [999]",
                    "'moe_layers' names layer 999"},
               Case{"minimax-text-01", "\"attn_type_list\": [", "\"attn_type_list\": [1, ", "names 81 layers of 80"});
  CAPTURE(given.config, given.by);
  const auto text = read_text_file(format("{}/tests/catalog/configs/{}.json", GPUSEL_SOURCE_DIR, given.config));
  REQUIRE(text);
  const auto model = catalog::read_model_file(scratch_file("config.json", with(*text, given.part, given.by)));
  REQUIRE_FALSE(model);
  CHECK_THAT(model.error().message, Catch::Contains(given.says));
  CHECK_THAT(model.error().where, Catch::Contains("config.json:"));
}

TEST_CASE("keys of the wrong kind are refused where they stand") {
  struct Case {
    const char* members;
    const char* says;
  };
  const auto given = GENERATE(Case{R"("feed_forward_proj": 0)", "'feed_forward_proj' must be text"},
                              Case{R"("attention_bias": "x")", "'attention_bias' must be true or false"},
                              Case{R"("attn_type_list": "x")", "'attn_type_list' must be a list"},
                              Case{R"("num_local_experts": 4, "num_experts_per_tok": 2, "mlp_layer_types": ["sparse"])",
                                   "'mlp_layer_types' names 1 layers of 32"},
                              Case{R"("num_local_experts": 4, "num_experts_per_tok": 2, "mlp_only_layers": [32])",
                                   "'mlp_only_layers' names layer 32"});
  const Error error = refused(kLlama7 + ",\n" + given.members);
  CHECK_THAT(error.message, Catch::Contains(given.says));
  CHECK_THAT(error.where, Catch::Contains("config.json:4:"));
}

TEST_CASE("K/V heads that are left out are the class's own, and it is said") {
  const auto model = read(with(kMixtral, "\"num_key_value_heads\": 8, ", ""));
  CHECK(model->model.kv_heads == 8.0);
  REQUIRE(model->notes.size() == 1);
  CHECK_THAT(model->notes.front(),
             Catch::Contains("'num_key_value_heads' is missing: 8, the published default of 'mixtral'"));
}

TEST_CASE("JetMoE has queries and outputs in each expert") {
  const auto model = read(R"("model_type": "jetmoe", "hidden_size": 2048, "intermediate_size": 5632,
    "num_attention_heads": 32, "num_key_value_heads": 16, "kv_channels": 128, "num_hidden_layers": 24,
    "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000, "tie_word_embeddings": true)");
  CHECK(*model->model.params_b == Approx(8.52).epsilon(0.005));
}

}  // namespace hf_config_test
