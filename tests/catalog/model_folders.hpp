// Folders of a small model with its weights, whole and damaged: config.json, safetensors, an index.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/words/message.hpp"
#include "catalog/weights_bytes.hpp"

namespace gpusel::test {

using Folder = std::map<std::string, std::string>;

/// A llama of 4 layers, 64 wide: 4 heads, 2 K/V heads of 16, an FFN of 128, 256 words.
inline const std::string kSmallLlama = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
  "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
  "num_hidden_layers": 4, "vocab_size": 256, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})";

struct SmallTensor {
  std::string name;
  int rows = 0;
  int columns = 0;  // 0: one dimension
  std::string type = "BF16";

  int values() const { return rows * (columns == 0 ? 1 : columns); }
  int bytes() const {
    const bool four = type == "F32" || type == "I32";
    return values() * (four ? 4 : type == "BF16" || type == "F16" ? 2 : 1);
  }
};
using SmallTensors = std::vector<SmallTensor>;

inline SmallTensors small_llama(int layers = 4) {
  SmallTensors out{{"model.embed_tokens.weight", 256, 64}};
  for (int i = 0; i < layers; ++i) {
    const std::string at = "model.layers." + std::to_string(i) + ".";
    for (const SmallTensor& one : SmallTensors{{"self_attn.q_proj.weight", 64, 64},
                                               {"self_attn.k_proj.weight", 32, 64},
                                               {"self_attn.v_proj.weight", 32, 64},
                                               {"self_attn.o_proj.weight", 64, 64},
                                               {"mlp.gate_proj.weight", 128, 64},
                                               {"mlp.up_proj.weight", 128, 64},
                                               {"mlp.down_proj.weight", 64, 128},
                                               {"input_layernorm.weight", 64, 0},
                                               {"post_attention_layernorm.weight", 64, 0}})
      out.push_back({at + one.name, one.rows, one.columns});
  }
  out.push_back({"model.norm.weight", 64, 0});
  out.push_back({"lm_head.weight", 256, 64});
  return out;
}

/// The small llama with its matrices packed. As AWQ does it: eight of 4 bits in a value, scales for each column.
inline SmallTensors packed_awq(const SmallTensor& one) {
  const std::string name = one.name.substr(0, one.name.rfind('.'));
  return {{name + ".qweight", one.columns, one.rows / 8, "I32"},
          {name + ".qzeros", one.columns / 64, one.rows / 8, "I32"},
          {name + ".scales", one.columns / 64, one.rows, "F16"}};
}
inline SmallTensors packed_fp8(const SmallTensor& one) {
  return {{one.name, one.rows, one.columns, "F8_E4M3"}, {one.name + "_scale_inv", 1, 1, "F32"}};
}
/// Two of 4 bits in a byte, in one column.
inline SmallTensors packed_bnb(const SmallTensor& one) {
  return {{one.name, one.values() / 2, 1, "U8"},
          {one.name + ".absmax", one.values() / 64, 0, "U8"},
          {one.name + ".quant_map", 16, 0, "F32"}};
}
inline SmallTensors packed_llama(SmallTensors (*pack)(const SmallTensor&)) {
  SmallTensors out;
  for (const SmallTensor& one : small_llama()) {
    const SmallTensors parts = one.name.find("_proj") == std::string::npos ? SmallTensors{one} : pack(one);
    out.insert(out.end(), parts.begin(), parts.end());
  }
  return out;
}
/// Its configuration, with how the weights are said to be stored.
inline std::string quantised(const std::string& method) {
  return kSmallLlama.substr(0, kSmallLlama.rfind('}')) + R"(, "quantization_config": {)" + method + "}}";
}

/// The small llama behind a tower of 3 layers, 32 wide.
inline const std::string kSmallVision = R"({"architectures": ["LlavaForConditionalGeneration"], "model_type": "llava",
  "torch_dtype": "bfloat16", "vision_config": {"model_type": "clip_vision_model", "hidden_size": 32,
  "intermediate_size": 256, "num_attention_heads": 2, "num_hidden_layers": 3, "patch_size": 8, "image_size": 16},
  "text_config": )" + kSmallLlama + "}";

inline SmallTensors small_vision() {
  SmallTensors out;
  for (SmallTensor one : small_llama()) {
    one.name = "language_model." + one.name;
    out.push_back(one);
  }
  const std::string tower = "vision_tower.vision_model.";
  for (const SmallTensor& one : SmallTensors{{"embeddings.patch_embedding.weight", 32, 192},
                                             {"embeddings.position_embedding.weight", 5, 32},
                                             {"embeddings.class_embedding", 32, 0},
                                             {"pre_layrnorm.weight", 32, 0},
                                             {"pre_layrnorm.bias", 32, 0},
                                             {"post_layernorm.weight", 32, 0},
                                             {"post_layernorm.bias", 32, 0}})
    out.push_back({tower + one.name, one.rows, one.columns});
  for (int i = 0; i < 3; ++i)
    for (const SmallTensor& one : SmallTensors{{"self_attn.q_proj", 32, 32},
                                               {"self_attn.k_proj", 32, 32},
                                               {"self_attn.v_proj", 32, 32},
                                               {"self_attn.out_proj", 32, 32},
                                               {"mlp.fc1", 256, 32},
                                               {"mlp.fc2", 32, 256},
                                               {"layer_norm1", 32, 0},
                                               {"layer_norm2", 32, 0}})
      for (const char* kind : {".weight", ".bias"})
        out.push_back({format("{}encoder.layers.{}.{}{}", tower, i, one.name, kind), one.rows,
                       std::string(kind) == ".weight" ? one.columns : 0});
  out.push_back({"multi_modal_projector.linear_1.weight", 64, 32});
  out.push_back({"multi_modal_projector.linear_2.weight", 64, 64});
  return out;
}

/// One file; `gap` bytes lie behind the first tensor (below 0: the second begins inside it), `behind` behind the last.
inline std::string small_file(const SmallTensors& tensors, int gap = 0, int behind = 0) {
  std::string header;
  int at = 0;
  for (const SmallTensor& one : tensors) {
    const std::string shape = one.columns == 0 ? format("[{}]", one.rows) : format("[{}, {}]", one.rows, one.columns);
    header +=
        (header.empty() ? "{" : ",") + tensor(one.name.c_str(), one.type.c_str(), shape.c_str(), at, at + one.bytes());
    at += one.bytes() + (&one == tensors.data() ? gap : 0);
  }
  return safetensors(header + "}", static_cast<std::size_t>(at + behind));
}

inline std::string shard_name(std::size_t i, std::size_t of) {
  return format("model-{:05}-of-{:05}.safetensors", i, of);
}

/// Tensors dealt to `count` files in turn, with their index.
inline Folder sharded(const SmallTensors& tensors, std::size_t count, const std::string& config = kSmallLlama) {
  std::vector<SmallTensors> parts(count);
  std::string map;
  int total = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::size_t part = i * count / tensors.size();
    parts[part].push_back(tensors[i]);
    map += (map.empty() ? "" : ", ") + format("\"{}\": \"{}\"", tensors[i].name, shard_name(part + 1, count));
    total += tensors[i].bytes();
  }
  Folder folder{{"config.json", config}};
  for (std::size_t i = 0; i < count; ++i) folder[shard_name(i + 1, count)] = small_file(parts[i]);
  folder["model.safetensors.index.json"] =
      format(R"({{"metadata": {{"total_size": {}}}, "weight_map": {{{}}}}})", total, map);
  return folder;
}

inline Folder in_one(const SmallTensors& tensors, const std::string& config = kSmallLlama) {
  return {{"config.json", config}, {"model.safetensors", small_file(tensors)}};
}

/// `text` with the one place of `part` replaced; throws where there is none.
inline std::string changed(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) throw std::runtime_error("no '" + part + "' to change");
  return text.replace(at, part.size(), by);
}

}  // namespace gpusel::test
