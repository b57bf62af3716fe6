// Files of weights with few bytes in them: safetensors and GGUF.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "base/words/message.hpp"

namespace gpusel::test {

/// Little-endian, as both formats want it.
template <class T>
inline std::string raw(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

inline std::string safetensors(const std::string& header, std::size_t data) {
  return raw<std::uint64_t>(header.size()) + header + std::string(data, '\0');
}

inline std::string tensor(const char* name, const char* type, const char* shape, int from, int to) {
  return format(R"("{}": {{"dtype": "{}", "shape": {}, "data_offsets": [{}, {}]}})", name, type, shape, from, to);
}

inline std::string text(const std::string& words) { return raw<std::uint64_t>(words.size()) + words; }
inline std::string pair(const std::string& key, std::uint32_t value) {
  return text(key) + raw<std::uint32_t>(4) + raw(value);
}
inline std::string pair(const std::string& key, const std::string& value) {
  return text(key) + raw<std::uint32_t>(8) + text(value);
}
inline std::string info(const std::string& name, std::uint64_t columns, std::uint64_t rows, std::uint32_t type,
                        std::uint64_t offset) {
  return text(name) + raw<std::uint32_t>(2) + raw(columns) + raw(rows) + raw(type) + raw(offset);
}

// 256 × 64 values in Q6_K, 210 bytes for 256; the layer's 589,824 in Q4_K, 144 bytes for 256.
inline constexpr std::size_t kTableBytes = 13440;
inline constexpr std::size_t kLayerBytes = 331776;

/// The tensors of the one layer, from `offset`.
inline std::string layer_infos(std::uint64_t offset) {
  struct Matrix {
    const char* name;
    std::uint64_t columns, rows;
  };
  std::string out;
  for (const Matrix& one : {Matrix{"attn_q", 256, 256}, Matrix{"attn_k", 256, 128}, Matrix{"attn_v", 256, 128},
                            Matrix{"attn_output", 256, 256}, Matrix{"ffn_gate", 256, 512}, Matrix{"ffn_up", 256, 512},
                            Matrix{"ffn_down", 512, 256}}) {
    out += info("blk.0." + std::string(one.name) + ".weight", one.columns, one.rows, 12, offset);
    offset += one.columns * one.rows / 256 * 144;
  }
  return out;
}

struct Gguf {
  std::string pairs = pair("general.architecture", std::string("llama")) + pair("general.file_type", 15) +
                      pair("llama.block_count", 1) + pair("llama.embedding_length", 256) +
                      pair("llama.feed_forward_length", 512) + pair("llama.attention.head_count", 4) +
                      pair("llama.attention.head_count_kv", 2) + pair("llama.context_length", 4096) +
                      pair("llama.vocab_size", 64);
  std::uint64_t pair_count = 9;
  std::string tensors = info("token_embd.weight", 256, 64, 14, 0) + layer_infos(kTableBytes);
  std::uint64_t tensor_count = 8;
  std::size_t data = kTableBytes + kLayerBytes;
  std::uint32_t version = 3;

  std::string bytes() const {
    return "GGUF" + raw(version) + raw(tensor_count) + raw(pair_count) + pairs + tensors + std::string(data, '\0');
  }
};

}  // namespace gpusel::test
