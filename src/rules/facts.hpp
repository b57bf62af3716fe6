// The facts a rule may speak of: named, typed, each with the stage at which it becomes known. How
// they are found out is none of this room's business.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpusel::rules {

enum class FactType : std::uint8_t { number, text, boolean };

/// Facts become known in this order: a rule is judged as soon as its last one is.
enum class Stage : std::uint8_t { job, instance, plan, offer };

enum class Fact : std::uint8_t {
  // job
  task,
  profile,
  model,
  model_kind,
  model_family,
  model_licence,
  model_params_b,
  is_moe,
  method,
  precision,
  weights_precision,
  engine,
  framework,
  accepts_unavailable,
  seq_len,
  context_tokens,
  work,
  render,
  renderer,
  codec,
  solver,
  preprocess,
  mode,
  scene_vram_gib,
  demand,
  needs_workstation,
  guest,
  // instance
  provider,
  provider_kind,
  provider_country,
  seller,
  third_party_hosts,
  sku,
  family,
  status,
  bare_metal,
  gpu,
  gpu_vendor,
  gpu_architecture,
  gpu_year,
  form_factor,
  compute_capability,
  has_fp16,
  has_bf16,
  has_fp8,
  fp16_tflops,
  dense16_tflops,
  fp32_tflops,
  gpu_memory_gb,
  gpu_memory_usable_gib,
  gpu_bandwidth_gbs,
  tdp_w,
  mig_max_instances,
  vgpu,
  peer_link,
  last_cuda_major,
  rt_cores,
  rt_generation,
  blender_score,
  nvenc_count,
  av1_encode,
  gpu_share,
  gpus_per_node,
  gpu_count,
  total_gpu_memory_gb,
  gpu_link,
  has_nvlink,
  link_gbs_per_gpu,
  vcpu,
  vcpu_per_gpu,
  host_memory_gib,
  host_memory_per_gpu_gib,
  local_ssd_gb,
  network_gbps,
  has_rdma,
  rdma,
  cpu_arch,
  is_cpu,
  cpu,
  cpu_turbo_ghz,
  graphics,
  workstation_licence,
  fp64_tflops,
  int8_tops,
  nvdec_count,
  av1_decode,
  // plan
  nodes,
  gpus,
  tp,
  pp,
  replica_nodes,
  dp,
  memory_needed_gib,
  memory_usable_gib,
  memory_low_gib,
  memory_high_gib,
  memory_free_gib,
  memory_used_share,
  memory_required_gib,
  fit_probability,
  fit_asked,
  fit,
  load_memory_gib,
  offloaded_gib,
  flash_attention,
  native_arithmetic,
  assumed_tflops,
  engine_until,
  quantised,
  mfu,
  bound_by,
  hours,
  elapsed_hours,
  tokens_per_s,
  batch,
  throughput,
  latency_ms,
  slowdown,
  largest_table_share,
  loader_share,
  // offer
  region,
  country,
  term,
  offer_status,
  price_ended,
  price_is_guess,
  price_note,
  currency,
  price_per_hour,
  price_age_days,
  price_days_ahead,
  price_to_published,
  price_too_old,
  price_today,
  price_today_low,
  price_today_high,
  price_order,
  price_confidence,
  cost,
  cost_per_million_tokens,
  cost_per_unit,
  targets_probability,
  budget_probability,
  count_,
};
inline constexpr std::size_t kFactCount = static_cast<std::size_t>(Fact::count_);

/// Which facts; a word of bits for 64 of them, so that those of a small set are found at once.
class FactSet {
 public:
  constexpr void set(Fact fact) { word_of(fact) |= bit(fact); }
  constexpr void reset(Fact fact) { word_of(fact) &= ~bit(fact); }
  constexpr void set(Fact fact, bool in) { in ? set(fact) : reset(fact); }
  constexpr bool test(Fact fact) const { return (words_[index(fact) / kBits] & bit(fact)) != 0; }

  constexpr FactSet& operator|=(const FactSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  constexpr FactSet& operator&=(const FactSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  friend constexpr FactSet operator|(FactSet a, const FactSet& b) { return a |= b; }
  friend constexpr FactSet operator&(FactSet a, const FactSet& b) { return a &= b; }
  constexpr bool operator==(const FactSet&) const = default;

  /// In the order of Fact; `visit` takes one.
  template <class Visitor>
  constexpr void for_each(Visitor visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        visit(static_cast<Fact>(i * kBits + static_cast<std::size_t>(std::countr_zero(rest))));
  }
  /// Whether that is true of one of them.
  template <class Predicate>
  constexpr bool any_of(Predicate is) const {
    bool any = false;
    for_each([&](Fact fact) { any = any || is(fact); });
    return any;
  }

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t index(Fact fact) { return static_cast<std::size_t>(fact); }
  static constexpr std::uint64_t bit(Fact fact) { return std::uint64_t{1} << index(fact) % kBits; }
  constexpr std::uint64_t& word_of(Fact fact) { return words_[index(fact) / kBits]; }

  std::array<std::uint64_t, (kFactCount + kBits - 1) / kBits> words_{};
};

constexpr FactSet every_fact() {
  FactSet all;
  for (std::size_t i = 0; i < kFactCount; ++i) all.set(static_cast<Fact>(i));
  return all;
}

struct FactInfo {
  std::string_view name;
  FactType type;
  std::string_view unit;
  Stage stage;
  std::string_view meaning;
};

/// In the order of Fact.
std::span<const FactInfo> fact_table();
const FactInfo& info(Fact fact);
std::optional<Fact> find_fact(std::string_view name);
/// A number of this fact's kind as a message shows it.
std::string shown_as(Fact fact, double value);

/// What is known of one candidate. Texts must outlive it. Compact, because one is filled per instance.
class Facts {
 public:
  void set(Fact fact, double value) {
    known_.set(fact);
    values_[index(fact)].number = value;
  }
  void set(Fact fact, bool value) { set(fact, value ? 1.0 : 0.0); }
  /// An empty text is an unknown one.
  void set(Fact fact, std::string_view value) {
    known_.set(fact, !value.empty());
    values_[index(fact)].text = {value.data(), value.size()};
  }
  void set(Fact fact, const char* value) { set(fact, std::string_view(value)); }
  void set(Fact fact, const std::optional<double>& value) { value ? set(fact, *value) : forget(fact); }
  void set(Fact fact, const std::optional<bool>& value) { value ? set(fact, *value) : forget(fact); }
  void forget(Fact fact) { known_.reset(fact); }

  bool known(Fact fact) const { return known_.test(fact); }
  double number(Fact fact) const { return values_[index(fact)].number; }
  std::string_view text(Fact fact) const {
    const auto& text = values_[index(fact)].text;
    return {text.begin, text.size};
  }
  /// As a message shows it; "unknown" where it is.
  std::string shown(Fact fact) const;

 private:
  union Value {  // which of the two is for the fact's type to say
    double number = 0;
    struct {
      const char* begin;
      std::size_t size;
    } text;
  };
  static constexpr std::size_t index(Fact fact) { return static_cast<std::size_t>(fact); }
  std::array<Value, kFactCount> values_{};
  FactSet known_;
};

}  // namespace gpusel::rules
