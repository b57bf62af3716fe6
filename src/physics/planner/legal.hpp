// What makes a layout of GPUs legal for a model, whoever chose it.
#pragma once

#include "job/job.hpp"
#include "physics/machine.hpp"

namespace gpusel::physics {

bool divides(std::int64_t part, double whole);

/// Tensor ranks share attention heads and K/V heads evenly. Latent attention has no K/V heads of its own.
bool tp_divides_heads(const catalog::Model& model, std::int64_t tp);

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
