// What makes a layout of GPUs legal for a model, whoever chose it.
#pragma once

#include "job/job.hpp"
#include "physics/machine.hpp"

namespace gpusel::physics {

bool divides(std::int64_t part, double whole);

/// Tensor ranks share attention heads and K/V heads evenly. Latent attention has no K/V heads of its own.
bool tp_divides_heads(const catalog::Model& model, std::int64_t tp);

/// What tensor ranks cannot share evenly.
enum class Unshared : std::uint8_t { nothing, heads, kv_heads, blocks, expert_blocks };

/// How the weights lie that they share.
struct SharedWeights {
  double block = 0;            // side of the blocks that share a scale, which no rank may cut; 0: there are none
  bool whole_experts = false;  // expert parallelism: no expert is cut
};

struct TensorFault {
  Unshared of = Unshared::nothing;
  double part = 0;  // of blocks: the width that a rank would have
};

/// K/V heads that ranks share, or hold copies of; of latent attention the heads.
double shared_kv_heads(const catalog::Model& model);

/// The first thing that stands in the way of so many ranks.
TensorFault tensor_fault(const catalog::Model& model, std::int64_t tp, SharedWeights weights = {});

/// The number of ranks next to `tp`, up to `most`, that nothing stands in the way of; the FFN is shared evenly too.
std::int64_t nearest_tp(const catalog::Model& model, std::int64_t tp, std::int64_t most, SharedWeights weights = {});

/// Stages differ by a layer at most where their count does not divide the layers; the fullest sets the pace.
bool spread_evenly(double layers, int stages);

/// Pinned degrees against the model and the GPUs: an error names the constraint and the nearest legal value.
/// A pinned tp may also be a multiple of the K/V heads, of which each rank then holds a copy.
Status check_pins(const job::Job& work, const physics::Machine& machine);

/// Of these each degree by itself: tensor ranks against heads, stages against layers, expert ranks against experts.
Status check_degrees(const job::Job& work, const physics::Machine& machine);

/// Whether nobody gave the key and a default stands for it.
bool is_assumed(const job::Job& work, std::string_view key);

/// Whether the framework can divide so much over the data-parallel ranks of pipeline stages.
bool stages_can(const job::Training& job, job::Sharding sharding);

}  // namespace gpusel::physics
