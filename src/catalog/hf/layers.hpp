// What each layer of a decoder is made of.
#pragma once

#include <vector>

#include "catalog/hf/classes.hpp"
#include "catalog/hf/keys.hpp"

namespace gpusel::catalog::hf {

enum class Mixer : std::uint8_t {
  full,       // attention over everything
  window,     // attention over a window or a chunk
  cross,      // attention over another input
  delta,      // gated delta net
  kimi,       // Kimi delta attention
  lightning,  // linear attention with a decay
  linear,     // a linear attention that nothing more is said of
  mamba,
  mamba2,
  beside,     // attention and Mamba 2 side by side
  conv,       // short convolution
  recurrent,  // gated linear recurrence
  rwkv,
  none,
};

enum class Ffn : std::uint8_t { dense, experts, none };

struct Layer {
  Mixer mixer = Mixer::full;
  Ffn ffn = Ffn::dense;
  double ffn_width = 0;  // 0: the model's
  double beside = 0;     // parameters more, or fewer, than mixer and FFN have

  bool is_empty() const { return mixer == Mixer::none && ffn == Ffn::none && beside == 0; }
};

/// Of `layers` layers, `experts` experts each where a layer has any. The reading has the error where the
/// keys contradict each other or name a kind of layer that is not known.
std::vector<Layer> read_layers(const Keys& keys, const ModelClass& model_class, double layers, bool has_experts);

/// K/V heads of the layer that has the most, where each layer is described by itself.
Number kv_heads_of_blocks(const Keys& keys);

/// The layers that a hybrid's pattern has, for files that leave out their number.
Number layers_of_pattern(const Keys& keys);

bool has_attention(Mixer mixer);
/// Keeps a state of fixed size.
bool has_state(Mixer mixer);
double count_of(const std::vector<Layer>& layers, Mixer mixer);
double count_of(const std::vector<Layer>& layers, Ffn ffn);

}  // namespace gpusel::catalog::hf
