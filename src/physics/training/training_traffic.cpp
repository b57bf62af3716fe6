#include "physics/training/training_traffic.hpp"

#include <algorithm>

#include "physics/serving/half_rate.hpp"
#include "physics/training/training_shape.hpp"

namespace gpusel::physics {

namespace {

using job::Checkpointing;
using job::Job;
using job::Method;
using job::Precision;
using job::Sharding;

struct Group {
  int members = 0;
  int per_node = 0;
  bool crosses() const { return members > per_node; }
};

/// Pipeline stages lie across nodes; where there are more of them than nodes, a node has several.
int stages_here(const Machine& machine, const Layout& layout) {
  return std::max(1, layout.pp * machine.gpus_per_node / machine.gpus());
}

/// The data-parallel group: what the node has left after tp and cp.
Group data_group(const Machine& machine, const Layout& layout) {
  Group group;
  group.members = layout.dp * layout.cp;
  group.per_node = std::clamp(machine.gpus_per_node / (layout.tp * stages_here(machine, layout)), 1, group.members);
  if (layout.sharding == Sharding::hsdp) group.members = group.per_node;
  return group;
}

double ring(int members) { return (members - 1.0) / members; }

double value_bytes(const Layout& layout) {
  return layout.precision == Precision::fp32 || layout.precision == Precision::tf32 ? 4 : 2;
}

bool gathers_weights(Sharding sharding) {
  return sharding == Sharding::zero3 || sharding == Sharding::fsdp || sharding == Sharding::hsdp;
}

}  // namespace

double expert_ranks(const Layout& layout) {
  if (layout.ep == 1) return layout.tp;
  const bool whole = layout.dp * layout.cp % layout.ep != 0;
  return static_cast<double>(layout.ep) * (whole ? 1 : layout.tp);
}

double local_parameters(const Job& work, const Layout& layout) {
  const auto& p = work.parameters;
  return ((p.total() - p.experts) / layout.tp + p.experts / expert_ranks(layout)) / layout.pp;
}

/// Consumer cards have no peer access over PCIe: what they send goes through host memory.
BytesPerSecond TrainingTraffic::rate(int members_per_node, bool crosses) const {
  const BytesPerSecond direct = groups_.bandwidth(members_per_node, crosses);
  const catalog::Gpu& gpu = *machine_.device.gpu;
  if (!half_rate(gpu) || link_case(machine_.link) != "pcie" || members_per_node <= 1) return direct;
  return std::min(direct, pcie_bandwidth(gpu) * c_.link_efficiency.of("pcie staged"));
}

/// What of `traffic` is left after the work it runs beside; the first and last pieces always show.
Seconds TrainingTraffic::exposed(Seconds traffic, Seconds beside) const {
  return std::max(traffic - beside * c_.gradient_overlap.value, traffic * c_.least_exposed.value);
}

TrainingTraffic::Shown TrainingTraffic::per_micro_batch(const MicroBatch& micro) const {
  return {tensor(micro.tokens), experts(micro.tokens), context(micro), stages(micro), gathered_weights(micro.busy)};
}

/// Two all-reduces per layer each way, two more when the forward pass is repeated.
Seconds TrainingTraffic::tensor(double tokens) const {
  if (layout_.tp <= 1) return {};
  const bool crosses = layout_.tp > machine_.gpus_per_node;
  const double repeated = layout_.checkpointing == Checkpointing::full ? 2 * layout_.recomputed : 0;
  const double calls = (4 + repeated) * work_.parameters.layers / layout_.pp;
  const Bytes each = bytes(value_bytes(layout_) * *work_.model->hidden_size * tokens);
  return (2 * ring(layout_.tp) * each / rate(std::min(layout_.tp, machine_.gpus_per_node), crosses) +
          groups_.latency(crosses)) *
         (calls * job_.tensor_exposed);
}

/// Dispatch and combine, forward and backward, of every token's experts; tensor ranks share the tokens.
Seconds TrainingTraffic::experts(double tokens) const {
  if (layout_.ep <= 1 || !work_.model->is_moe()) return {};
  const bool crosses = expert_ranks(layout_) > machine_.gpus_per_node;
  const double calls = 4 * work_.parameters.moe_layers / layout_.pp;
  const Bytes each =
      bytes(value_bytes(layout_) * work_.model->experts_per_token.value_or(1) * work_.training.capacity_factor *
            *work_.model->hidden_size * tokens / layout_.tp * ring(layout_.ep));
  const int here = std::max(1, std::min(layout_.ep, machine_.gpus_per_node / layout_.tp));
  return (each / rate(here, crosses) + groups_.latency(crosses)) * calls;
}

/// Keys and values around the ring, once forward and twice backward, beside the attention they are for.
Seconds TrainingTraffic::context(const MicroBatch& micro) const {
  if (layout_.cp <= 1) return {};
  const AttentionWidths widths = attention_widths(*work_.model, layout_.tp);
  const double kv = (widths.k + widths.v) / layout_.tp;
  const Bytes each = bytes(value_bytes(layout_) * kv * micro.tokens * (layout_.cp - 1));
  const bool crosses = layout_.cp * layout_.tp > machine_.gpus_per_node;
  const int here = std::clamp(machine_.gpus_per_node / layout_.tp, 1, layout_.cp);
  return exposed(each / rate(here, crosses) * (3 * work_.parameters.layers / layout_.pp), micro.attention);
}

/// A stage sends what comes out of each of its chunks forward, and the gradients of what went in back. Tensor ranks
/// share it where they share the sequence; the GPUs of a node that end their stage share its network.
Seconds TrainingTraffic::stages(const MicroBatch& micro) const {
  if (layout_.pp <= 1) return {};
  const bool crosses = machine_.nodes > 1;
  const double shared = work_.training.sequence_parallel ? layout_.tp : 1;
  const Bytes each = bytes(value_bytes(layout_) * *work_.model->hidden_size * micro.tokens / shared);
  const int members = crosses ? stages_here(machine_, layout_) : machine_.gpus_per_node;
  const double sends = 2 * job_.chunks(layout_);
  return exposed((each / rate(members, crosses) + groups_.latency(crosses)) * sends, micro.busy);
}

/// A pipeline keeps a stage's weights for all micro-batches of a step: gathering them anew would undo it.
bool TrainingTraffic::gathers_each_micro_batch() const { return gathers_weights(layout_.sharding) && layout_.pp == 1; }

/// ZeRO-3 and FSDP: all-gather forward and backward, reduce-scatter of gradients, every micro-batch.
Seconds TrainingTraffic::gathered_weights(Seconds busy) const {
  const Group group = data_group(machine_, layout_);
  if (!gathers_each_micro_batch() || group.members <= 1) return {};
  const bool adapter = job::trains_adapter(work_.training.method);
  const double width = work_.training.method == Method::qlora ? 0.52 : value_bytes(layout_);
  const Bytes once = bytes(local_parameters(work_, layout_) * width) * ring(group.members);
  const Seconds traffic = once * (adapter ? 2.0 : 3.0) / rate(group.per_node, group.crosses()) +
                          groups_.latency(group.crosses()) * (work_.parameters.layers * 3);
  return exposed(traffic, busy);
}

/// DDP and ZeRO-1 reduce beside the last backward pass, ZeRO-2 beside each and gathers weights at the end. Hybrid
/// sharding reduces each GPU's part over the nodes, all of them over the node's network at once.
Seconds TrainingTraffic::per_step(Seconds busy) const {
  const bool hybrid = layout_.sharding == Sharding::hsdp;
  const Group shard = data_group(machine_, layout_);
  const Group group = hybrid ? Group{layout_.dp * layout_.cp / shard.members, 1} : shard;
  if (group.members <= 1 || (gathers_each_micro_batch() && !hybrid)) return {};
  double parameters = job::trains_adapter(work_.training.method) ? job_.trainable : local_parameters(work_, layout_);
  if (hybrid) parameters /= shard.members;
  const Seconds once =
      bytes(value_bytes(layout_) * parameters) * ring(group.members) / rate(group.per_node, group.crosses()) +
      groups_.latency(group.crosses()) * 5;
  const Seconds backward = busy * (2.0 / 3);
  if (layout_.sharding != Sharding::zero2) return exposed(once * 2.0, backward);
  const auto accum = static_cast<double>(layout_.grad_accum);
  return exposed(once, backward) * accum + once;
}

}  // namespace gpusel::physics
