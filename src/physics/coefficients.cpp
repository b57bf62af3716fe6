#include "physics/coefficients.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/catalog.hpp"
#include "physics/economy.hpp"
#include "physics/kinds/coefficients.hpp"
#include "physics/own.hpp"
#include "physics/serving/abilities.hpp"

namespace gpusel::physics {

namespace {

struct Entry {
  std::string_view id;
  Coefficient Coefficients::* place;
};

constexpr Entry kEntries[] = {
    {"memory.driver_reserve_gib", &Coefficients::driver_reserve_gib},
    {"memory.context_gib", &Coefficients::context_gib},
    {"memory.collectives_gib", &Coefficients::collectives_gib},
    {"memory.allocator_slack", &Coefficients::allocator_slack},
    {"memory.fragmentation", &Coefficients::fragmentation},
    {"memory.states_deviation", &Coefficients::states_deviation},
    {"memory.activations_deviation", &Coefficients::activations_deviation},
    {"memory.selective_share", &Coefficients::selective_share},
    {"memory.gated_bytes", &Coefficients::gated_bytes},
    {"memory.unquantised_bytes", &Coefficients::unquantised_bytes},
    {"memory.logits_bytes", &Coefficients::logits_bytes},
    {"memory.fused_logits_bytes", &Coefficients::fused_logits_bytes},
    {"memory.step_bytes", &Coefficients::step_bytes},
    {"memory.gathered_layers", &Coefficients::gathered_layers},
    {"memory.reduce_bucket_elements", &Coefficients::reduce_bucket_elements},
    {"compute.gemm_efficiency", &Coefficients::gemm_efficiency},
    {"compute.low_precision_efficiency", &Coefficients::low_precision_efficiency},
    {"compute.training_efficiency", &Coefficients::training_efficiency},
    {"compute.watts_per_tflops", &Coefficients::watts_per_tflops},
    {"compute.power_exponent", &Coefficients::power_exponent},
    {"compute.eager_efficiency", &Coefficients::eager_efficiency},
    {"compute.gemm_tokens_half", &Coefficients::gemm_tokens_half},
    {"compute.gemm_width_half", &Coefficients::gemm_width_half},
    {"compute.format_efficiency", &Coefficients::format_efficiency},
    {"compute.attention_efficiency", &Coefficients::attention_efficiency},
    {"compute.expert_bytes", &Coefficients::expert_bytes},
    {"compute.logit_traffic", &Coefficients::logit_traffic},
    {"compute.score_bytes", &Coefficients::score_bytes},
    {"compute.dequantise_bytes", &Coefficients::dequantise_bytes},
    {"compute.bandwidth_efficiency", &Coefficients::bandwidth_efficiency},
    {"compute.pointwise_bytes", &Coefficients::pointwise_bytes},
    {"compute.adapter_bytes", &Coefficients::adapter_bytes},
    {"compute.cast_bytes", &Coefficients::cast_bytes},
    {"compute.training_layer_us", &Coefficients::training_layer_us},
    {"compute.launch_exposed", &Coefficients::launch_exposed},
    {"compute.adapter_layer_us", &Coefficients::adapter_layer_us},
    {"compute.chunk_layers", &Coefficients::chunk_layers},
    {"compute.step_ms", &Coefficients::step_ms},
    {"compute.step_scale", &Coefficients::training_step_scale},
    {"compute.assumed_flop_per_byte", &Coefficients::assumed_flop_per_byte},
    {"compute.host_memory_gbs", &Coefficients::host_memory_gbs},
    {"communication.link_efficiency", &Coefficients::link_efficiency},
    {"communication.link_latency_us", &Coefficients::link_latency_us},
    {"communication.network_efficiency", &Coefficients::network_efficiency},
    {"communication.network_latency_us", &Coefficients::network_latency_us},
    {"communication.gradient_overlap", &Coefficients::gradient_overlap},
    {"communication.least_exposed", &Coefficients::least_exposed},
    {"communication.tensor_exposed", &Coefficients::tensor_exposed},
    {"communication.straggler", &Coefficients::straggler},
    {"inference.decode_bandwidth_efficiency", &Coefficients::decode_bandwidth_efficiency},
    {"inference.decode_layer_us", &Coefficients::decode_layer_us},
    {"inference.decode_step_us", &Coefficients::decode_step_us},
    {"inference.step_scale", &Coefficients::step_scale},
    {"inference.decode_rows_half", &Coefficients::decode_rows_half},
    {"inference.prompt_rows_half", &Coefficients::prompt_rows_half},
    {"inference.prefill_efficiency", &Coefficients::prefill_efficiency},
    {"inference.dequantise_efficiency", &Coefficients::dequantise_efficiency},
    {"inference.serving_efficiency", &Coefficients::serving_efficiency},
    {"inference.sequence_us", &Coefficients::sequence_us},
    {"inference.batched_tokens", &Coefficients::batched_tokens},
    {"inference.whole_prompt_tokens", &Coefficients::whole_prompt_tokens},
    {"inference.max_sequences", &Coefficients::max_sequences},
    {"inference.engine_memory_share", &Coefficients::engine_memory_share},
    {"inference.engine_workspace_gib", &Coefficients::engine_workspace_gib},
    {"inference.activation_copies", &Coefficients::activation_copies},
    {"inference.bandwidth_share", &Coefficients::bandwidth_share},
    {"inference.fixed_scale", &Coefficients::fixed_scale},
    {"inference.expert_format_us", &Coefficients::expert_format_us},
    {"inference.unpack_share", &Coefficients::unpack_share},
    {"inference.prompt_expert_layer_us", &Coefficients::prompt_expert_layer_us},
    {"inference.chain_share", &Coefficients::chain_share},
    {"inference.chain_hop", &Coefficients::chain_hop},
    {"inference.arrival_ms", &Coefficients::arrival_ms},
    {"inference.multiprocessor_bytes", &Coefficients::multiprocessor_bytes},
    {"inference.collective_growth", &Coefficients::collective_growth},
    {"inference.host_exposed", &Coefficients::host_exposed},
    {"inference.graph_tokens", &Coefficients::graph_tokens},
    {"inference.cache_efficiency", &Coefficients::cache_efficiency},
    {"inference.cache_copies", &Coefficients::cache_copies},
    {"inference.expert_layer_us", &Coefficients::expert_layer_us},
    {"inference.host_layer_us", &Coefficients::host_layer_us},
    {"inference.host_expert_us", &Coefficients::host_expert_us},
    {"inference.half_rate_gain", &Coefficients::half_rate_gain},
    {"inference.expert_efficiency", &Coefficients::expert_efficiency},
    {"inference.prefill_attention_efficiency", &Coefficients::prefill_attention_efficiency},
    {"inference.prefill_bytes", &Coefficients::prefill_bytes},
    {"inference.prefill_layer_us", &Coefficients::prefill_layer_us},
    {"inference.prompt_graph_tokens", &Coefficients::prompt_graph_tokens},
    {"inference.pipelines_prompts", &Coefficients::pipelines_prompts},
    {"inference.request_ms", &Coefficients::request_ms},
    {"inference.arrivals_together", &Coefficients::arrivals_together},
    {"inference.prompt_interference", &Coefficients::prompt_interference},
    {"inference.reserved_output", &Coefficients::reserved_output},
    {"inference.tflops_per_watt", &Coefficients::tflops_per_watt},
    {"inference.decode_attention_share", &Coefficients::decode_attention_share},
    {"inference.collective_us", &Coefficients::collective_us},
    {"inference.sampler_bytes", &Coefficients::sampler_bytes},
    {"inference.prompt_logits_bytes", &Coefficients::prompt_logits_bytes},
    {"inference.counted_deviation", &Coefficients::counted_deviation},
    {"inference.memory_deviation", &Coefficients::memory_deviation},
    {"inference.process_gib", &Coefficients::process_gib},
    {"inference.expert_rows_half", &Coefficients::expert_rows_half},
    {"serving.async_steps", &Coefficients::async_steps},
    {"serving.prompts_first", &Coefficients::prompts_first},
    {"serving.chunked_prefill", &Coefficients::chunked_prefill},
    {"serving.prefix_caching", &Coefficients::prefix_caching},
    {"serving.block_tokens", &Coefficients::block_tokens},
    {"serving.kept_answer", &Coefficients::kept_answer},
    {"serving.compute_spread", &Coefficients::compute_spread},
    {"serving.front_end_spread", &Coefficients::front_end_spread},
    {"interval.memory_low", &Coefficients::interval_memory_low},
    {"interval.memory_high", &Coefficients::interval_memory_high},
    {"interval.speed_low", &Coefficients::interval_speed_low},
    {"interval.speed_high", &Coefficients::interval_speed_high},
    {"interval.between", &Coefficients::interval_between},
    {"interval.within", &Coefficients::interval_within},
    {"interval.unmeasured", &Coefficients::interval_unmeasured},
    {"interval.measured", &Coefficients::interval_measured},
    {"interval.widening", &Coefficients::interval_widening},
    {"fit.min_fit", &Coefficients::min_fit},
    {"own.prior_rows", &Coefficients::own_prior_rows},
    {"own.noise_floor", &Coefficients::own_noise_floor},
    {"own.outlier", &Coefficients::own_outlier},
    {"own.least_sensitivity", &Coefficients::own_least_sensitivity},
    {"own.setup_hours", &Coefficients::own_setup_hours},
};

// Fitted to data/measurements: to its rows, or to the ratios between rows of one source.
constexpr std::string_view kBases[] = {"rows", "ratios"};
constexpr std::size_t kShownOfId = 60;  // of one that nobody knows

using Places = std::vector<std::pair<std::string_view, Coefficient*>>;

Places places_in(Coefficients& out, CountedCoefficients& counted, EconomyCoefficients& economy) {
  Places places;
  for (const Entry& entry : kEntries) places.emplace_back(entry.id, &(out.*(entry.place)));
  const auto add = [&](std::string_view id, Coefficient& place) { places.emplace_back(id, &place); };
  visit_coefficients(counted, add);
  visit_coefficients(economy, add);
  return places;
}

/// Which of the places have been read, and where the next entry's is likely to be: files keep their order.
struct Seen {
  explicit Seen(const Places& places) : read(places.size(), false), next(places.begin()) {}

  std::vector<bool> read;
  Places::const_iterator next;
};

/// The place of that id, looked for from `first` on; the end where there is none.
Places::const_iterator find_place(const Places& places, std::string_view id, Places::const_iterator first) {
  const auto at = std::ranges::find(first, places.end(), id, &Places::value_type::first);
  return at != places.end() ? at : std::ranges::find(places, id, &Places::value_type::first);
}

void set_read(const Places& places, Places::const_iterator at, Seen& seen) {
  seen.read[static_cast<std::size_t>(std::distance(places.begin(), at))] = true;
  seen.next = std::next(at);
}

void read_entry(const Node& node, Problems& problems, const Places& places, Seen& seen) {
  Fields fields(node, problems);
  const std::string id = fields.text("id");
  for (const std::string_view key : {"id", "value", "unit", "meaning", "source"}) fields.require(key);
  for (const std::string_view key : {"unit", "meaning", "source"}) fields.text(key);
  if (const std::string basis = fields.text("basis");
      !basis.empty() && std::ranges::find(kBases, basis) == std::end(kBases))
    fields.fail(*fields.find("basis"), say("'basis' must be '{}', '{}' or absent", kBases[0], kBases[1]));
  const Range allowed = allowed_values(id);
  const auto value = fields.number("value", allowed);
  const Node* cases = fields.find("cases");
  const auto at = find_place(places, id, seen.next);
  if (at == places.end()) {
    std::vector<std::string_view> ids;
    for (const auto& [known, place] : places) ids.push_back(known);
    fields.fail(node, say("unknown coefficient '{}'", shorten(id, kShownOfId)), did_you_mean(id, ids));
    return;
  }
  Coefficient& place = *at->second;
  place.value = value.value_or(place.value);
  if (cases != nullptr && !cases->is_map())
    fields.fail(*cases, say("'cases' must be a map, found {}", cases->describe()));
  if (cases != nullptr) {
    place.cases.clear();
    place.cases.reserve(cases->children.size());
    for (const Node& special : cases->children)
      if (const auto number = fields.number("cases." + special.key, allowed))
        place.cases.emplace_back(special.key, *number);
  }
  set_read(places, at, seen);
  fields.finish();
}

void set(Coefficient& coefficient, const std::string& name, double value) {
  if (name.empty()) {
    coefficient.value = value;
    return;
  }
  const auto special = std::ranges::find(coefficient.cases, name, &std::pair<std::string, double>::first);
  if (special != coefficient.cases.end())
    special->second = value;
  else
    coefficient.cases.emplace_back(name, value);
}

/// The user's own calibration; of several the last.
std::shared_ptr<const OwnCalibration> own_in(const Node& section, Problems& problems, const Places& places) {
  auto own = std::make_shared<OwnCalibration>(read_own(section, problems));
  for (const OwnValue& each : own->values)
    if (std::ranges::find(places, each.value.id, &Places::value_type::first) == places.end())
      problems.add(section, say("unknown coefficient '{}'", shorten(each.value.id, kShownOfId)),
                   say("gpusel calibrate without a file fits again"));
  return own;
}

}  // namespace

/// Shares and efficiencies lie within one; what a rate is divided by is not zero.
Range allowed_values(std::string_view id) {
  const auto is = [&](std::string_view word) { return id.find(word) != std::string_view::npos; };
  if (is("interval.measured")) return {0, 1e9};  // 0: none
  if (is("format_efficiency")) return {0.01, 3};
  if (is("reach")) return {0.01, 1};
  if (is("efficiency") || is("engine_memory_share")) return {0.01, 1.5};
  if (is("_half") || is("_gain") || is("_per_watt") || is("attention_share") || is("multiprocessor") ||
      is("batched_tokens") || is("_mhz") || is("host_memory") || is("max_sequences") || is("chunk_") ||
      is("interval.") || is("own.") || is("step_scale"))
    return {1e-3, 1e9};
  return {0, 1e12};
}

std::optional<Coefficient> find_coefficient(const Coefficients& coefficients, std::string_view id) {
  for (const Entry& entry : kEntries)
    if (entry.id == id) return coefficients.*(entry.place);
  std::optional<Coefficient> found;
  const auto look = [&](std::string_view known, const Coefficient& place) {
    if (known == id) found = place;
  };
  CountedCoefficients counted = *coefficients.counted;
  EconomyCoefficients economy = *coefficients.economy;
  visit_coefficients(counted, look);
  visit_coefficients(economy, look);
  return found;
}

Coefficients with_values(const Coefficients& coefficients, std::span<const CoefficientValue> values) {
  Coefficients out = coefficients;
  const auto counted = std::make_shared<CountedCoefficients>(*coefficients.counted);
  const auto economy = std::make_shared<EconomyCoefficients>(*coefficients.economy);
  const Places places = places_in(out, *counted, *economy);
  for (const CoefficientValue& value : values)
    if (const auto place = std::ranges::find(places, value.id, &Places::value_type::first); place != places.end())
      set(*place->second, value.name, value.value);
  out.counted = counted;
  out.economy = economy;
  return out;
}

std::expected<Coefficients, Errors> read_coefficients(std::span<const Document> documents, Own use) {
  Coefficients out;
  const auto counted = std::make_shared<CountedCoefficients>();
  const auto economy = std::make_shared<EconomyCoefficients>();
  const Places places = places_in(out, *counted, *economy);
  Errors errors;
  Seen seen(places);
  for (const Document& document : documents) {
    const Node* section = document.root.find("calibration");
    if (section == nullptr) continue;
    Problems problems{document.name, ErrorKind::bad_catalogue, {}};
    Fields fields(*section, problems);
    if (const std::string version = fields.text("version"); !version.empty()) out.version = version;
    if (const Node* list = fields.find("coefficients"); list != nullptr)
      for (const Node& node : list->children) read_entry(node, problems, places, seen);
    if (const Node* own = fields.find("own"); own != nullptr) out.own = own_in(*own, problems, places);
    fields.finish();
    errors.insert(errors.end(), problems.errors.begin(), problems.errors.end());
  }
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!seen.read[i])
      errors.push_back(
          {ErrorKind::bad_catalogue, say("coefficient '{}' is missing", places[i].first), "calibration", {}});
  if (!errors.empty()) return std::unexpected(std::move(errors));
  if (use == Own::left_out) out.own.reset();
  if (out.own)
    for (const OwnValue& each : out.own->values)
      set(*std::ranges::find(places, each.value.id, &Places::value_type::first)->second, each.value.name,
          each.value.value);
  out.counted = counted;
  out.economy = economy;
  return out;
}

std::expected<Coefficients, Errors> read_coefficients(const catalog::Catalog& catalog, Own use) {
  auto out = read_coefficients(catalog.documents("calibration"), use);
  if (!out) return out;
  auto engines = read_engines(catalog.documents("engines"));
  if (!engines) return std::unexpected(std::move(engines.error()));
  out->engines = std::make_shared<const EngineAbilities>(std::move(*engines));
  return out;
}

}  // namespace gpusel::physics
