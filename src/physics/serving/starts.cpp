#include "physics/serving/starts.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/quantised_name.hpp"
#include "job/job.hpp"
#include "physics/formats.hpp"

namespace gpusel::physics {

namespace {

bool starts(const Ability& row, const catalog::Gpu& gpu) {
  const Runs how = row.on(gpu);
  return how == Runs::natively || how == Runs::widened;
}

/// A format of the cache may go by the same name.
bool is_of_weights(const Ability& row) { return !row.format.starts_with("kv-"); }

template <class Matches>
AbilityRows rows_where(const EngineAbility& engine, Matches matches) {
  AbilityRows rows;
  for (const Ability& row : engine.formats)
    if (matches(row)) rows.push_back(&row);
  return rows;
}

/// As the question names it, or the name of the model does.
std::string scheme_of(const job::Inference& job, std::string_view asked_as, const EngineAbility& engine) {
  const std::string asked = lower(job.weights_precision);
  for (const Ability& row : engine.formats)
    if (!asked.empty() && row.scheme == asked && is_of_weights(row)) return asked;
  return asked.empty() ? scheme_of_name(asked_as, engine) : std::string();
}

}  // namespace

AbilityRows rows_of_scheme(const EngineAbility& engine, std::string_view scheme) {
  return rows_where(engine, [&](const Ability& row) { return row.scheme == scheme && is_of_weights(row); });
}

AbilityRows rows_of_format(const EngineAbility& engine, const WeightFormat& format) {
  return rows_where(engine, [&](const Ability& row) { return is_about(row, format); });
}

AbilityRows rows_of_base(const EngineAbility& engine) {
  return rows_where(engine, [](const Ability& row) { return row.format == "fp16"; });
}

std::string scheme_of_name(std::string_view model, const EngineAbility& engine) {
  const auto quantised = catalog::quantised_name(model);
  if (!quantised) return {};
  const std::string folded = "-" + fold_name(model) + "-";
  const auto has = [&](const std::string& word) {
    return folded.contains("-" + word + "-") || folded.contains("." + word + "-");
  };
  for (const Ability& ability : engine.formats) {
    if (ability.format != quantised->format && ability.format != "gguf") continue;
    if (has(ability.scheme) || std::ranges::any_of(ability.named, has)) return ability.scheme;
  }
  return {};
}

std::string with_capability(std::string_view text, const catalog::Gpu& gpu) {
  std::string out(text);
  constexpr std::string_view kName = "{capability}";
  const double capability = gpu.capability.value_or(0);
  // "Minimum capability: 75" is written without its point.
  const bool whole = out.contains("apability: {capability}");
  if (const auto at = out.find(kName); at != std::string::npos)
    out.replace(at, kName.size(), whole ? format("{:.0f}", capability * 10) : format("{:.1f}", capability));
  return out;
}

std::string NotStarting::text(const catalog::Gpu& gpu) const {
  const bool of_nvidia = gpu.capability.has_value();  // as its messages are
  if (!refusing->says.empty() && of_nvidia) return with_capability(refusing->says, gpu);
  if (refusing->leaves_out(gpu))
    return say("{} runs {} on {}; {} is {}", engine->name, what, join_texts(refusing->amd, say_name(", ")), gpu.id,
               gpu.compute_capability);
  const double has = gpu.capability.value_or(0);
  if (refusing->most && has > *refusing->most)
    return say("{} has no kernels for {} beyond compute capability {:.1f}; {} has {:.1f}", engine->name, what,
               *refusing->most, gpu.id, has);
  return say("{} needs compute capability {:.1f} for {}; {} has {:.1f}", engine->name,
             refusing->widened.value_or(refusing->least.value_or(0)), what, gpu.id, has);
}

std::string NotStarting::other_release() const {
  if (other == nullptr) return {};
  const std::string release = format("{} {}", engine->name, other->until.empty() ? other->from : other->until);
  return other->until.empty() ? say("{} or newer", release) : say("{} or older", release);
}

std::optional<NotStarting> not_starting(const EngineAbility& engine, const AbilityRows& rows, std::string_view release,
                                        const catalog::Gpu& gpu, std::string what) {
  NotStarting out{&engine, nullptr, nullptr, std::move(what)};
  for (const Ability* row : rows) {
    const bool covered = row->covers(release);
    if (covered && row->on(gpu) != Runs::not_at_all) return std::nullopt;
    if (covered)
      out.refusing = row;
    else if (starts(*row, gpu))
      out.other = row;
  }
  if (out.refusing == nullptr) return std::nullopt;
  return out;
}

std::string_view asked_release(const job::Inference& job) {
  const std::string_view version = job.engine_version;
  return version.find_first_not_of("0123456789.") == std::string_view::npos ? version : std::string_view();
}

std::optional<NotStarting> weights_not_starting(const job::Inference& job, std::string_view asked_as,
                                                const WeightFormat& format, const Device& device) {
  if (device.engines == nullptr || device.gpu == nullptr) return std::nullopt;
  const EngineAbility* engine = device.engines->find(job.engine);
  if (engine == nullptr) return std::nullopt;
  const auto of = [&](const AbilityRows& rows, std::string what) {
    return not_starting(*engine, rows, asked_release(job), *device.gpu, std::move(what));
  };
  auto base = of(rows_of_base(*engine), say("its kernels"));
  if (base && base->other == nullptr) return base;
  const std::string scheme = scheme_of(job, asked_as, *engine);
  // A 16-bit type that nobody asked for is the one that the GPU has.
  const bool unsaid = scheme.empty() && job.weights_precision.empty() && format.bits >= 16;
  auto weights = unsaid           ? std::nullopt
                 : scheme.empty() ? of(rows_of_format(*engine, format), std::string(format.name))
                                  : of(rows_of_scheme(*engine, scheme), scheme);
  // What no release runs is the end; what another one runs, a condition.
  return base && (!weights || weights->other != nullptr) ? base : weights;
}

double weight_block(const EngineAbility& engine, const catalog::Model& model, std::string_view asked_as,
                    const WeightFormat& format) {
  if (!model.fp8_block || format.name != "fp8" || engine.limit(Refusal::expert_blocks) == nullptr) return 0;
  std::vector<std::string_view> published{model.id};
  for (const catalog::TextList* names : {&model.aliases, &model.official_repositories})
    for (const std::string_view name : *names) published.push_back(name);
  const bool others = catalog::quantised_name(asked_as) && !catalog::is_called(published, asked_as);
  return others ? 0 : *model.fp8_block;
}

double weight_block(const job::Job& work, const WeightFormat& format, const Device& device) {
  const EngineAbility* engine = device.engines == nullptr ? nullptr : device.engines->find(work.inference.engine);
  if (engine == nullptr || work.model == nullptr) return 0;
  const bool converts =
      work.pins.tp && !work.inference.weights_precision.empty() && !work.model->native_dtype.starts_with(format.name);
  return converts ? 0 : weight_block(*engine, *work.model, work.asked_as, format);
}

const EngineLimit* refuses_float16(const EngineAbility& engine, const catalog::Model& model) {
  const EngineLimit* limit = engine.limit(Refusal::float16);
  return limit != nullptr && limit->is_about(model) ? limit : nullptr;
}

std::string with_model_type(std::string_view text, const catalog::Model& model) {
  std::string out(text);
  constexpr std::string_view kName = "{model_type}";
  if (const auto at = out.find(kName); at != std::string::npos) out.replace(at, kName.size(), model.model_type);
  return out;
}

std::string_view served_as_released(const job::Job& work, const Device& device) {
  const std::string_view native = native_weight_format(*work.model, device);
  const EngineAbility* engine = device.engines == nullptr ? nullptr : device.engines->find(work.inference.engine);
  const bool wider = native == "fp16" && engine != nullptr && refuses_float16(*engine, *work.model) != nullptr;
  return wider ? std::string_view("fp32") : native;
}

std::vector<std::string_view> schemes_that_start(const EngineAbility& engine, const catalog::Gpu& gpu) {
  std::vector<std::string_view> out;
  for (const Ability& row : engine.formats)
    if (starts(row, gpu) && weight_format(row.scheme) && std::ranges::find(out, row.scheme) == out.end())
      out.push_back(row.scheme);
  return out;
}

std::string starts_instead(const EngineAbilities& engines, const NotStarting& refused, const catalog::Gpu& gpu) {
  const Ability& asked = *refused.refusing;
  std::string would;
  const auto add = [&](const std::string& text) {
    if (!would.contains(text)) would += (would.empty() ? "" : say(", or ")) + text;
  };
  const bool base = asked.format == "fp16";
  const auto same_width = [&](const Ability& row) {
    const auto a = weight_format(row.format);
    const auto b = weight_format(asked.format);
    return (a && b && std::abs((*a)->bits - (*b)->bits) < 1) || row.format == "gguf";
  };
  for (const bool current : {true, false})
    for (const Ability& row : refused.engine->formats) {
      if (base || row.scheme == asked.scheme || !is_of_weights(row) || !same_width(row) || !starts(row, gpu)) continue;
      if (row.is_current() != current || row.scheme == "marlin") continue;
      add(current ? say("{} weights", row.scheme)
                  : say("{} weights with {} or older", row.scheme, format("{} {}", refused.engine->name, row.until)));
    }
  for (const EngineAbility& other : engines.engines()) {
    if (&other == refused.engine) continue;
    for (const Ability& row : other.formats)
      if (row.is_current() && row.format == asked.format && row.scheme == asked.scheme && starts(row, gpu))
        add(base ? other.name : say("{} weights with {}", row.scheme, other.name));
  }
  return would;
}

}  // namespace gpusel::physics
