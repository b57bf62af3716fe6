#include "answer/preflight/engine_checks.hpp"

#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "catalog/hf/hf_config.hpp"
#include "catalog/weights/quantised_name.hpp"
#include "physics/formats.hpp"
#include "physics/planner/legal.hpp"

namespace gpusel::answer {

EngineChecks::EngineChecks(const LineRequest& asked, const job::Request& request, const catalog::Model& model,
                           const catalog::Gpu& gpu, const physics::EngineAbilities* engines)
    : asked_(asked), request_(request), model_(model), gpu_(gpu), engines_(engines) {
  if (engines != nullptr) engine_ = engines->find(request.engine.value_or(job::Engine::vllm));
}

std::string EngineChecks::release() const {
  if (!request_.engine_version.empty() || engine_ == nullptr) return request_.engine_version;
  return engine_->release;
}

std::vector<Refused> EngineChecks::run() const {
  std::vector<Refused> out;
  if (engine_ == nullptr) return out;
  heads(out);
  experts(out);
  context(out);
  input(out);
  scheme(out);
  base(out);
  weights(out);
  cache(out);
  return out;
}

bool EngineChecks::looks_at_context() const {
  return engine_ != nullptr && (engine_->limit(physics::Refusal::cache) != nullptr ||
                                job::kernels_of(engine_->engine) == job::Engine::llama_cpp);
}

std::string EngineChecks::filled(std::string_view text, const Names& names) const {
  std::string out = physics::with_capability(text, gpu_);
  for (const auto& [name, value] : names)
    if (const auto at = out.find(name); at != std::string::npos) out.replace(at, name.size(), value);
  return out;
}

void EngineChecks::heads(std::vector<Refused>& out) const {
  const std::int64_t tp = request_.tp.value_or(1);
  if (tp <= 1 || !model_.heads) return;
  using physics::Refusal;
  using physics::Unshared;
  const physics::SharedWeights shared{block(), request_.ep.value_or(1) > 1};
  const physics::TensorFault fault = physics::tensor_fault(model_, tp, shared);
  if (fault.of == Unshared::nothing) return;
  // Fewer ranks than were asked for need no more GPUs.
  const std::int64_t legal = physics::nearest_tp(model_, tp, tp - 1, shared);
  const double heads = model_.heads.value_or(1);
  const double kv = physics::shared_kv_heads(model_);
  const bool copied = static_cast<double>(tp) > kv;
  Refusal about = Refusal::heads;
  std::string plain = say("tensor parallelism {} does not divide the {:g} attention heads", tp, heads);
  if (fault.of == Unshared::kv_heads) {
    about = Refusal::kv_heads;
    plain = say("tp {} neither divides the {:g} K/V heads nor is a multiple of them", tp, kv);
  } else if (fault.of != Unshared::heads) {
    about = fault.of == Unshared::blocks ? Refusal::blocks : Refusal::expert_blocks;
    plain = say("tp {} would cut FP8 weights into parts {:g} wide, which blocks of {:g} by {:g} do not divide", tp,
                fault.part, shared.block, shared.block);
  }
  const Names names{
      {"{heads}", format("{:g}", heads)},
      {"{tp}", format("{}", tp)},
      {"{legal_tp}", format("{}", legal)},
      {"{kv_assertion}", copied ? "tp_size % self.total_num_kv_heads == 0" : "self.total_num_kv_heads % tp_size == 0"},
      {"{part}", format("{:g}", fault.part)},
      {"{block}", format("{:g}", shared.block)}};
  const std::string check(about == Refusal::heads || about == Refusal::kv_heads ? "heads" : "blocks");
  if (const auto* limit = engine_->limit(about); limit != nullptr)
    out.push_back({check, filled(limit->says, names), limit->source, filled(limit->would, names)});
  else
    out.push_back({check, std::move(plain), {}, say("tensor parallelism {}", legal)});
}

double EngineChecks::block() const {
  const std::string& asked = request_.weights_precision;
  const auto known = physics::weight_format(asked.empty() ? model_.native_dtype : std::string_view(asked));
  // Weights of more bits that the engine itself makes fp8 of have no blocks.
  if (!known || !model_.native_dtype.starts_with((*known)->name)) return 0;
  // A folder's configuration says it itself, whatever the folder is called.
  const bool is_path = catalog::looks_like_path(request_.model);
  return physics::weight_block(*engine_, model_, is_path ? std::string_view() : request_.model, **known);
}

void EngineChecks::context(std::vector<Refused>& out) const {
  const auto* limit = engine_->limit(physics::Refusal::context);
  const catalog::Number longest = asked_.longest(model_);
  if (limit == nullptr || asked_.context_of_model || asked_.longer_context || !request_.context || !longest) return;
  if (static_cast<double>(*request_.context) <= *longest) return;
  const Names names{{"{context}", format("{}", *request_.context)}, {"{longest}", format("{:.0f}", *longest)}};
  out.push_back({"context", filled(limit->says, names), limit->source, filled(limit->would, names)});
}

void EngineChecks::experts(std::vector<Refused>& out) const {
  const auto* limit = engine_->limit(physics::Refusal::experts);
  if (limit == nullptr || !asked_.has_experts || model_.is_moe()) return;
  out.push_back({"experts", limit->says, limit->source, limit->would});
}

void EngineChecks::input(std::vector<Refused>& out) const {
  const auto* limit = engine_->limit(physics::Refusal::input);
  if (limit == nullptr || !asked_.longest_input || asked_.context_of_model || !request_.context) return;
  if (*asked_.longest_input < *request_.context) return;
  const Names names{{"{input}", format("{}", *asked_.longest_input)},
                    {"{context}", format("{}", *request_.context)},
                    {"{longer}", format("{}", *asked_.longest_input + 1)}};
  out.push_back({"input", filled(limit->says, names), limit->source, filled(limit->would, names)});
}

/// The scheme of the line against that of the repository, as its name says it; a folder may hold anything.
void EngineChecks::scheme(std::vector<Refused>& out) const {
  const std::string& typed = asked_.typed_scheme;
  if (typed.empty() || asked_.scheme.empty() || catalog::looks_like_path(request_.model)) return;
  const std::string stored = physics::scheme_of_name(request_.model, *engine_);
  const auto native = physics::weight_format(model_.native_dtype);
  const bool plain = !catalog::quantised_name(request_.model) && (!native || (*native)->bits >= 16);
  const auto* limit =
      plain ? engine_->limit(physics::Refusal::unquantised) : engine_->limit(physics::Refusal::mismatched, stored);
  if (limit == nullptr || (!plain && stored.empty())) return;
  const bool listed = std::ranges::find(limit->schemes, typed) != limit->schemes.end();
  if (listed != plain) return;
  const Names names{{"{stored}", stored}, {"{scheme}", typed}};
  out.push_back({"quantization", filled(limit->says, names), limit->source, filled(limit->would, names)});
}

std::optional<Refused> EngineChecks::no_room(std::int64_t context, double room) const {
  const auto* limit = engine_ == nullptr ? nullptr : engine_->limit(physics::Refusal::cache);
  const std::string longest = format("{:.0f}", std::max(0.0, room));
  if (limit != nullptr && room >= 1) {
    const Names names{{"{context}", format("{}", context)}, {"{room}", longest}};
    return Refused{"cache", filled(limit->says, names), limit->source, filled(limit->would, names), true, room};
  }
  Refused refused{"cache", say("no room for the cache of {} tokens", context), {}, {}, true, room};
  if (room >= 1) refused.would = say("a context of {} tokens", longest);
  return refused;
}

std::optional<Refused> EngineChecks::judged(const physics::AbilityRows& rows, std::string what) const {
  const auto refused = physics::not_starting(*engine_, rows, request_.engine_version, gpu_, std::move(what));
  if (!refused) return std::nullopt;
  Refused out{"format", refused->text(gpu_), refused->refusing->source, refused->refusing->would};
  if (refused->other != nullptr) {
    out.for_sure = !request_.engine_version.empty();
    out.would = refused->other_release();
  } else if (out.would.empty()) {
    out.would = physics::starts_instead(*engines_, *refused, gpu_);
  }
  return out;
}

void EngineChecks::base(std::vector<Refused>& out) const {
  if (auto refused = judged(physics::rows_of_base(*engine_), say("its kernels"))) out.push_back(std::move(*refused));
}

void EngineChecks::weights(std::vector<Refused>& out) const {
  physics::AbilityRows rows;
  std::string what = asked_.scheme;
  if (!what.empty()) {
    rows = physics::rows_of_scheme(*engine_, what);
  } else {
    what = request_.weights_precision.empty() ? std::string(model_.native_dtype) : request_.weights_precision;
    const auto known = physics::weight_format(what);
    const bool unsaid = request_.weights_precision.empty();
    // A 16-bit type that nobody asked for is the one that the GPU has.
    if (!known || (unsaid && (*known)->bits >= 16)) return;
    if ((*known)->name == "fp16") return float16(out);  // of the GPU, base() has said it
    rows = physics::rows_of_format(*engine_, **known);
  }
  if (auto refused = judged(rows, what)) out.push_back(std::move(*refused));
  arithmetic(out);
}

/// The 16-bit type that quantised weights are computed in.
void EngineChecks::arithmetic(std::vector<Refused>& out) const {
  const auto type = physics::weight_format(asked_.computes_in);
  if (asked_.computes_in.empty() || !type || (*type)->bits != 16) return;
  if ((*type)->name == "fp16") return float16(out);
  if (auto refused = judged(physics::rows_of_format(*engine_, **type), asked_.computes_in))
    out.push_back(std::move(*refused));
}

void EngineChecks::float16(std::vector<Refused>& out) const {
  if (const auto* limit = physics::refuses_float16(*engine_, model_); limit != nullptr)
    out.push_back({"format", physics::with_model_type(limit->says, model_), limit->source, limit->would});
}

void EngineChecks::cache(std::vector<Refused>& out) const {
  if (!request_.kv_precision) return;
  const std::string wanted = "kv-" + std::string(to_text(*request_.kv_precision));
  physics::AbilityRows rows;
  for (const physics::Ability& row : engine_->formats)
    if (row.format == wanted) rows.push_back(&row);
  if (auto refused = judged(rows, say("a cache in {}", to_text(*request_.kv_precision))))
    out.push_back(std::move(*refused));
}

}  // namespace gpusel::answer
