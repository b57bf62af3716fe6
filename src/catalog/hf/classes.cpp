#include "catalog/hf/classes.hpp"

#include <algorithm>
#include <iterator>

namespace gpusel::catalog::hf {

namespace {

using enum ModelKind;

constexpr unsigned kBiases = kQkvBias | kOutBias | kFfnBias;
constexpr unsigned kGpt = kPlainFfn | kBiases | kNormBias;
constexpr unsigned kBert = kPlainFfn | kTied | kBiases | kNormBias | kPositions | kTableNorm | kPostNorm;
constexpr unsigned kBart = kPlainFfn | kTied | kBiases | kNormBias | kPositions | kPositionsBehind | kTableNorm;
constexpr unsigned kNext = kQkNorm | kQueryGate | kSharedGate | kHybrid;

// From the classes' own code in transformers (src/transformers/models/<type>) or beside the checkpoint.
constexpr ModelClass kClasses[] = {
    {"RefinedWeb", decoder_llm, kPlainFfn | kTied | kNormBias | kFourfold},
    {"RefinedWebModel", decoder_llm, kPlainFfn | kTied | kNormBias | kFourfold},
    {"afmoe", decoder_llm, kSandwich | kQkNorm | kQueryGate | kMixture | kExpertWidth},
    {"apertus", decoder_llm, kPlainFfn | kQkNorm},
    {"arcee", decoder_llm, kPlainFfn},
    {"aya_vision", vlm, kTied | kOneNorm},
    {"baichuan"},
    {"bailing_moe", decoder_llm, kMixture | kExpertWidth},
    {"bamba", decoder_llm, kHybrid},
    {"bitnet", decoder_llm, kTied},
    {"bloom", decoder_llm, kGpt | kTied | kTableNorm | kFourfold},
    {"chatglm", decoder_llm, 0},
    {"codegen", decoder_llm, kPlainFfn | kFfnBias | kNormBias | kOneNorm | kHeadBias | kFourfold},
    {"cohere", decoder_llm, kTied | kOneNorm},
    {"cohere2", decoder_llm, kTied | kOneNorm, 0, 4, 4096},
    {"dbrx", decoder_llm, kMixture},
    {"deepseek", decoder_llm, kMixture | kExpertWidth},
    {"deepseek_v2", decoder_llm, kMixture | kExpertWidth},
    {"deepseek_v3", decoder_llm, kMixture | kExpertWidth},
    {"deepseek_v32", decoder_llm, kMixture | kExpertWidth},
    {"dots1", decoder_llm, kQkNorm | kMixture | kExpertWidth},
    {"ernie4_5", decoder_llm, 0, 128},
    {"ernie4_5_moe", decoder_llm, kMixture | kExpertWidth},
    {"exaone"},
    {"exaone4", decoder_llm, kQkNorm, 0, 4},
    {"falcon", decoder_llm, kPlainFfn | kTied | kNormBias | kFourfold},
    {"falcon_h1"},
    {"falcon_mamba", decoder_llm, kAttentionFree},
    {"flex_olmo", decoder_llm, kWideQkNorm | kMixture},
    {"gemma", decoder_llm, kTied, 256},
    {"gemma2", decoder_llm, kTied | kSandwich, 256, 2, 4096},
    {"gemma3", vlm, kTied | kSandwich | kQkNorm, 256, 6, 1024},
    {"gemma3_text", decoder_llm, kTied | kSandwich | kQkNorm, 256, 6, 1024},
    {"gemma3n_text", decoder_llm, kTied | kSandwich | kQkNorm, 256, 5, 512},
    {"gemma4_text", decoder_llm, kTied | kSandwich | kQkNorm, 256, 6, 512},
    {"glm", decoder_llm, kQkvBias},
    {"glm4", decoder_llm, kSandwich},
    {"glm4_moe", decoder_llm, kMixture | kExpertWidth},
    {"glm4_moe_lite", decoder_llm, kMixture | kExpertWidth},
    {"glm4v_moe_text", decoder_llm, kMixture | kExpertWidth},
    {"glm4v_text", decoder_llm, kSandwich | kQkvBias},
    {"glm_moe_dsa", decoder_llm, kMixture | kExpertWidth},
    {"gpt2", decoder_llm, kGpt | kTied | kPositions | kFourfold},
    {"gpt_bigcode", decoder_llm, kGpt | kTied | kPositions | kFourfold},
    {"gpt_neo", decoder_llm, kPlainFfn | kTied | kOutBias | kFfnBias | kNormBias | kPositions | kFourfold},
    {"gpt_neox", decoder_llm, kGpt},
    {"gpt_oss", decoder_llm, kQkvBias | kOutBias | kSinks | kExpertBias | kMixture, 64, 2, 128},
    {"gptj", decoder_llm, kPlainFfn | kFfnBias | kNormBias | kOneNorm | kHeadBias | kFourfold},
    {"granite"},
    {"granitemoe", decoder_llm, kMixture},
    {"granitemoehybrid", decoder_llm, kHybrid | kMixture | kOrDense},
    {"granitemoeshared", decoder_llm, kMixture},
    {"hunyuan_v1_dense", decoder_llm, kQkNorm},
    {"hunyuan_v1_moe", decoder_llm, kQkNorm | kMixture | kExpertWidth},
    {"internlm", decoder_llm, 0},
    {"internlm2"},
    {"internlm3"},
    {"jamba", decoder_llm, kMixture | kHybrid},
    {"jetmoe", decoder_llm, kMixture | kAttentionExperts},
    {"kimi_k2", decoder_llm, kMixture | kExpertWidth},
    {"kimi_linear", decoder_llm, kMixture | kExpertWidth | kHybrid},
    {"lfm2", decoder_llm, kTied | kQkNorm | kHybrid},
    {"lfm2_moe", decoder_llm, kTied | kQkNorm | kMixture | kExpertWidth | kHybrid},
    {"llama"},
    {"llama4"},
    {"llama4_text", decoder_llm, kMixture},
    {"mamba", decoder_llm, kTied | kAttentionFree},
    {"mamba2", decoder_llm, kAttentionFree},
    {"mimo", decoder_llm, kQkvBias},
    {"minicpm", decoder_llm, kTied},
    {"minicpm3", decoder_llm, kTied},
    {"minimax", decoder_llm, kMixture | kHybrid},
    {"minimax_m1", decoder_llm, kMixture | kHybrid},
    {"minimax_m2", decoder_llm, kWideQkNorm | kMixture},
    {"minimax_text_01", decoder_llm, kMixture | kHybrid},
    {"ministral"},
    {"ministral3"},
    {"mistral"},
    {"mixtral", decoder_llm, kMixture},
    {"mllama_text_model"},
    {"mpt", decoder_llm, kPlainFfn | kTied | kFourfold},
    {"nemotron", decoder_llm, kPlainFfn | kNormBias},
    {"nemotron-nas"},
    {"nemotron_h", decoder_llm, kPlainFfn | kHybrid},
    {"olmo", decoder_llm, kNoNorm},
    {"olmo2", decoder_llm, kWideQkNorm},
    {"olmo3", decoder_llm, kWideQkNorm, 0, 4, 4096},
    {"olmoe", decoder_llm, kWideQkNorm | kMixture},
    {"opt", decoder_llm, kGpt | kTied | kPositions | kPositionsBehind},
    {"orion", decoder_llm, kNormBias},
    {"persimmon", decoder_llm, kPlainFfn | kBiases | kNormBias | kQkNorm},
    {"phi", decoder_llm, kGpt | kOneNorm | kHeadBias},
    {"phi3"},
    {"phi3small", decoder_llm, kTied | kBiases | kNormBias},
    {"phimoe", decoder_llm, kQkvBias | kOutBias | kNormBias | kHeadBias | kMixture},
    {"qwen", decoder_llm, kQkvBias | kMerged},
    {"qwen2", decoder_llm, kQkvBias},
    {"qwen2_5_vl", vlm, kQkvBias},
    {"qwen2_5_vl_text", decoder_llm, kQkvBias},
    {"qwen2_moe", decoder_llm, kQkvBias | kSharedGate | kMixture | kExpertWidth},
    {"qwen2_vl", vlm, kQkvBias},
    {"qwen2_vl_text", decoder_llm, kQkvBias},
    {"qwen3", decoder_llm, kQkNorm, 128},
    {"qwen3_5_moe_text", decoder_llm, kNext | kMixture | kExpertWidth, 256},
    {"qwen3_5_text", decoder_llm, kNext, 256},
    {"qwen3_moe", decoder_llm, kQkNorm | kMixture | kExpertWidth, 128},
    {"qwen3_next", decoder_llm, kNext | kMixture | kExpertWidth, 256},
    {"qwen3_vl_moe_text", decoder_llm, kQkNorm | kMixture | kExpertWidth, 128},
    {"qwen3_vl_text", decoder_llm, kQkNorm, 128},
    {"recurrent_gemma", decoder_llm, kTied | kMerged | kHybrid, 256},
    {"rwkv", decoder_llm, kAttentionFree | kNormBias | kFourfold},
    {"seed_oss", decoder_llm, kQkvBias, 128},
    {"smollm3", decoder_llm, kTied},
    {"solar"},
    {"stablelm", decoder_llm, kNormBias},
    {"starcoder2", decoder_llm, kGpt | kTied},
    {"xglm", decoder_llm, kGpt | kTied},

    {"albert", encoder, kBert | kPooler},
    {"bert", encoder, kBert | kPooler},
    {"camembert", encoder, kBert | kPooler},
    {"deberta-v2", encoder, kBert},
    {"distilbert", encoder, kBert},
    {"electra", encoder, kBert},
    {"eurobert", encoder, 0},
    {"modernbert", encoder, kTied | kTableNorm, 0, 3},
    {"mpnet", encoder, kBert | kPooler},
    {"nomic_bert", encoder, kTied | kNormBias | kTableNorm | kPostNorm},
    {"roberta", encoder, kBert | kPooler},
    {"xlm-roberta", encoder, kBert | kPooler},

    {"bart", encoder_decoder, kBart},
    {"blenderbot", encoder_decoder, kBart},
    {"m2m_100", encoder_decoder, kPlainFfn | kTied | kBiases | kNormBias},
    {"marian", encoder_decoder, kPlainFfn | kTied | kBiases | kNormBias | kPositions | kPostNorm},
    {"mbart", encoder_decoder, kBart},
    {"mt5", encoder_decoder, 0, 64},
    {"pegasus", encoder_decoder, kPlainFfn | kTied | kBiases | kNormBias | kPositions},
    {"t5", encoder_decoder, kPlainFfn | kTied, 64},
    {"umt5", encoder_decoder, 0, 64},
    {"whisper", speech, kPlainFfn | kTied | kBiases | kNormBias | kPositions},

    {"clip", vit, kBiases},
    {"clip_vision_model", vit, kBiases},
    {"dinov2", vit, kBiases},
    {"siglip", vit, kBiases},
    {"siglip_vision_model", vit, kBiases},
    {"vit", vit, kBiases},
};

struct Refused {
  std::string_view type;
  std::string_view reason;
};
constexpr Refused kRefused[] = {
    {"deepseek_v4", "its compressed attention is not described by the keys alone"},
    {"longcat_flash", "its layers hold two attentions and experts that compute nothing"},
    {"mimo_v2_flash", "its full and windowed layers have projections of different widths"},
    {"openelm", "its layers differ in width"},
    {"phi4mm", "its vision, audio and adapter parts are not described by the keys"},
    {"rwkv6", "its time mixing is not described by the keys"},
    {"rwkv7", "its time mixing is not described by the keys"},
    {"step3p5", "its full and windowed layers have projections of different widths"},
    {"zamba", "one block is shared by several layers"},
    {"zamba2", "a few blocks are shared by many layers, with adapters for each"},
};

}  // namespace

const ModelClass* find_class(std::string_view type) {
  const auto* found =
      std::find_if(std::begin(kClasses), std::end(kClasses), [&](const ModelClass& each) { return each.type == type; });
  return found == std::end(kClasses) ? nullptr : found;
}

std::string_view refusal(std::string_view type) {
  for (const Refused& each : kRefused)
    if (each.type == type) return each.reason;
  return {};
}

}  // namespace gpusel::catalog::hf
