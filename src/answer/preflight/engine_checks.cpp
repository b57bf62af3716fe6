#include "answer/preflight/engine_checks.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "physics/formats.hpp"

namespace gpusel::answer {

namespace {

using physics::Ability;
using physics::Runs;

bool runs_on(const Ability& ability, const catalog::Gpu& gpu) {
  const Runs how = ability.on(gpu);
  return how == Runs::natively || how == Runs::widened;
}

std::string engine_release(const physics::EngineAbility& engine, std::string_view release) {
  return format("{} {}", engine.name, release);
}

}  // namespace

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
  context(out);
  base(out);
  weights(out);
  cache(out);
  return out;
}

bool EngineChecks::looks_at_context() const {
  return engine_ != nullptr && (engine_->limit(physics::Refusal::cache) != nullptr ||
                                job::kernels_of(engine_->engine) == job::Engine::llama_cpp);
}

std::string EngineChecks::filled(std::string_view text, const Names& more) const {
  std::string out(text);
  Names names = more;
  const double capability = gpu_.capability.value_or(0);
  // "Minimum capability: 75" is written without its point.
  const bool whole = text.contains("apability: {capability}");
  names.emplace_back("{capability}", whole ? format("{:.0f}", capability * 10) : format("{:.1f}", capability));
  for (const auto& [name, value] : names)
    if (const auto at = out.find(name); at != std::string::npos) out.replace(at, name.size(), value);
  return out;
}

void EngineChecks::heads(std::vector<Refused>& out) const {
  const std::int64_t tp = request_.tp.value_or(1);
  const double heads = model_.heads.value_or(0);
  if (tp <= 1 || heads < 1 || std::fmod(heads, static_cast<double>(tp)) == 0) return;
  std::int64_t legal = 1;
  for (std::int64_t less = 1; less < tp; ++less)
    if (std::fmod(heads, static_cast<double>(less)) == 0) legal = less;
  const auto* limit = engine_->limit(physics::Refusal::heads);
  const Names names{
      {"{heads}", format("{:g}", heads)}, {"{tp}", format("{}", tp)}, {"{legal_tp}", format("{}", legal)}};
  if (limit != nullptr) {
    out.push_back({"heads", filled(limit->says, names), limit->source, filled(limit->would, names)});
    return;
  }
  out.push_back({"heads",
                 say("tensor parallelism {} does not divide the {:g} attention heads", tp, heads),
                 {},
                 say("tensor parallelism {}", legal)});
}

void EngineChecks::context(std::vector<Refused>& out) const {
  const auto* limit = engine_->limit(physics::Refusal::context);
  if (limit == nullptr || asked_.context_of_model || !request_.context || !model_.max_context) return;
  if (static_cast<double>(*request_.context) <= *model_.max_context) return;
  const Names names{{"{context}", format("{}", *request_.context)},
                    {"{longest}", format("{:.0f}", *model_.max_context)}};
  out.push_back({"context", filled(limit->says, names), limit->source, filled(limit->would, names)});
}

std::optional<Refused> EngineChecks::no_room(std::int64_t context, double room) const {
  const auto* limit = engine_ == nullptr ? nullptr : engine_->limit(physics::Refusal::cache);
  const std::string longest = format("{:.0f}", std::max(0.0, room));
  if (limit != nullptr && room >= 1) {
    const Names names{{"{context}", format("{}", context)}, {"{room}", longest}};
    return Refused{"cache", filled(limit->says, names), limit->source, filled(limit->would, names)};
  }
  Refused refused{"cache", say("no room for the cache of {} tokens", context), {}, {}};
  if (room >= 1) refused.would = say("a context of {} tokens", longest);
  return refused;
}

std::optional<Refused> EngineChecks::judged(std::span<const Ability* const> rows, std::string_view what) const {
  const std::string asked = request_.engine_version;
  const Ability* refusing = nullptr;
  const Ability* older = nullptr;
  for (const Ability* row : rows) {
    const bool covered = row->covers(asked);
    const Runs how = row->on(gpu_);
    if (covered && how != Runs::not_at_all) return std::nullopt;
    if (covered)
      refusing = row;
    else if (how == Runs::natively || how == Runs::widened)
      older = row;
  }
  if (refusing == nullptr) return std::nullopt;
  std::string says = filled(refusing->says);
  if (says.empty()) {
    const double least = refusing->widened.value_or(refusing->least.value_or(0));
    const bool beyond = refusing->most && gpu_.capability && *gpu_.capability > *refusing->most;
    says = beyond ? say("{} has no kernels for {} beyond compute capability {:.1f}; {} has {:.1f}", engine_->name, what,
                        *refusing->most, gpu_.id, gpu_.capability.value_or(0))
                  : say("{} needs compute capability {:.1f} for {}; {} has {:.1f}", engine_->name, least, what, gpu_.id,
                        gpu_.capability.value_or(0));
  }
  Refused out{"format", std::move(says), refusing->source, refusing->would};
  if (older != nullptr) {
    out.for_sure = !asked.empty();
    const std::string& until = older->until.empty() ? older->from : older->until;
    out.would = older->until.empty() ? say("{} or newer", engine_release(*engine_, until))
                                     : say("{} or older", engine_release(*engine_, until));
  }
  return out;
}

/// What the engine's wheels run on at all: 16 bit is in everything.
void EngineChecks::base(std::vector<Refused>& out) const {
  std::vector<const Ability*> rows;
  for (const Ability& row : engine_->formats)
    if (row.format == "fp16") rows.push_back(&row);
  auto refused = judged(rows, say("its kernels"));
  if (!refused) return;
  std::string others;
  for (const physics::EngineAbility& other : engines_->engines())
    for (const Ability& row : other.formats)
      if (&other != engine_ && row.format == "fp16" && row.is_current() && runs_on(row, gpu_))
        others += (others.empty() ? "" : ", ") + other.name;
  if (refused->would.empty()) refused->would = others;
  out.push_back(std::move(*refused));
}

void EngineChecks::weights(std::vector<Refused>& out) const {
  std::vector<const Ability*> rows;
  std::string what = asked_.scheme;
  if (!what.empty()) {
    for (const Ability& row : engine_->formats)
      if (row.scheme == what) rows.push_back(&row);
  } else {
    what = request_.weights_precision.empty() ? std::string(model_.native_dtype) : request_.weights_precision;
    const auto known = physics::weight_format(what);
    const bool unsaid = request_.weights_precision.empty();
    // A 16-bit type that nobody asked for is the one that the GPU has.
    if (!known || (unsaid && (*known)->bits >= 16)) return;
    if ((*known)->name == "fp16") return;  // base() has said it
    for (const Ability& row : engine_->formats)
      if (physics::is_about(row, **known)) rows.push_back(&row);
  }
  auto refused = judged(rows, what);
  if (!refused) {
    for (const Ability* row : rows)
      if (row->covers(request_.engine_version) && row->on(gpu_) == Runs::widened) return;
    return;
  }
  if (refused->would.empty()) refused->would = other_format(what);
  out.push_back(std::move(*refused));
}

/// What starts on this GPU instead: other schemes of as few bits here, then other engines with this one.
std::string EngineChecks::other_format(std::string_view scheme) const {
  const Ability* asked = nullptr;
  for (const Ability& row : engine_->formats)
    if (row.scheme == scheme || row.format == scheme) asked = &row;
  if (asked == nullptr) return {};
  std::string would;
  const auto add = [&](const std::string& text) {
    if (!would.contains(text)) would += (would.empty() ? "" : say(", or ")) + text;
  };
  const auto same_width = [&](const Ability& row) {
    const auto a = physics::weight_format(row.format);
    const auto b = physics::weight_format(asked->format);
    return (a && b && std::abs((*a)->bits - (*b)->bits) < 1) || row.format == "gguf";
  };
  for (const bool current : {true, false})
    for (const Ability& row : engine_->formats) {
      if (row.scheme == asked->scheme || row.format.starts_with("kv-") || !same_width(row) || !runs_on(row, gpu_))
        continue;
      if (row.is_current() != current || row.scheme == "marlin") continue;
      add(current ? say("{} weights", row.scheme)
                  : say("{} weights with {} or older", row.scheme, engine_release(*engine_, row.until)));
    }
  for (const physics::EngineAbility& other : engines_->engines()) {
    if (&other == engine_) continue;
    for (const Ability& row : other.formats)
      if (row.is_current() && row.format == asked->format && row.scheme == asked->scheme && runs_on(row, gpu_))
        add(say("{} weights with {}", row.scheme, other.name));
  }
  return would;
}

void EngineChecks::cache(std::vector<Refused>& out) const {
  if (!request_.kv_precision) return;
  const std::string wanted = "kv-" + std::string(to_text(*request_.kv_precision));
  std::vector<const Ability*> rows;
  for (const Ability& row : engine_->formats)
    if (row.format == wanted) rows.push_back(&row);
  if (auto refused = judged(rows, say("a cache in {}", to_text(*request_.kv_precision))))
    out.push_back(std::move(*refused));
}

}  // namespace gpusel::answer
