#include "physics/serving/abilities.hpp"

#include <algorithm>

#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "physics/formats.hpp"

namespace gpusel::physics {

namespace {

constexpr std::string_view kGguf = "gguf";
constexpr std::string_view kOfCaches = "kv-";

/// Compute capabilities that there are or were; a wrong one would shut out every GPU, or none.
constexpr double kCapabilities[] = {2.0, 2.1, 3.0, 3.2, 3.5, 3.7, 5.0, 5.2,  5.3,  6.0,  6.1,  6.2,  7.0,
                                    7.2, 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0, 10.1, 10.3, 11.0, 12.0, 12.1};

catalog::Number read_capability(Fields& fields, std::string_view key) {
  const auto value = fields.number(key);
  if (!value) return value;
  if (std::ranges::find(kCapabilities, *value) == std::end(kCapabilities))
    fields.fail(*fields.find(key), say("compute capability {:g} does not exist", *value),
                say("7.0, 7.5, 8.0, 8.9, 9.0 …"));
  return value;
}

Ability read_ability(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  for (const std::string_view key : {"format", "scheme", "source"}) fields.require(key);
  Ability out;
  out.format = fields.text("format");
  if (!out.format.empty() && out.format != kGguf && !out.format.starts_with(kOfCaches))
    if (const auto known = weight_format(out.format); !known)
      fields.fail(*fields.find("format"), known.error().message, known.error().hint);
  out.scheme = fields.text("scheme");
  out.from = fields.text("from");
  out.until = fields.text("until");
  out.least = read_capability(fields, "least");
  out.most = read_capability(fields, "most");
  out.widened = read_capability(fields, "widened");
  if (out.least && out.most && *out.most < *out.least)
    fields.fail(*fields.find("most"), say("the highest capability is below the lowest"));
  out.amd = fields.texts("amd");
  out.named = fields.texts("named");
  out.says = fields.text("says");
  out.would = fields.text("would");
  out.source = fields.text("source");
  fields.finish();
  return out;
}

EngineLimit read_limit(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  for (const std::string_view key : {"limit", "says", "source"}) fields.require(key);
  EngineLimit out;
  out.limit = fields.one_of<Refusal>("limit").value_or(Refusal::heads);
  out.says = fields.text("says");
  out.would = fields.text("would");
  out.source = fields.text("source");
  out.model_types = fields.texts("model_types");
  out.stored = fields.text("stored");
  out.schemes = fields.texts("schemes");
  fields.finish();
  return out;
}

EngineAbility read_engine(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  for (const std::string_view key : {"engine", "name", "release", "formats"}) fields.require(key);
  EngineAbility out;
  out.engine = fields.one_of<job::Engine>("engine").value_or(job::Engine::vllm);
  out.name = fields.text("name");
  out.release = fields.text("release");
  out.expert_ranks = fields.one_of<ExpertRanks>("expert_ranks");
  for (const Node& format : fields.entries("formats")) out.formats.push_back(read_ability(format, problems));
  for (const Node& limit : fields.entries("limits")) out.limits.push_back(read_limit(limit, problems));
  fields.finish();
  return out;
}

}  // namespace

int compared_releases(std::string_view a, std::string_view b) {
  const auto left = split(a, '.');
  const auto right = split(b, '.');
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const auto number = [](std::string_view text) { return plain_number(text).value_or(0); };
    if (const double difference = number(left[i]) - number(right[i]); difference != 0) return difference < 0 ? -1 : 1;
  }
  return 0;
}

Runs Ability::on(const catalog::Gpu& gpu) const {
  if (const catalog::Number capability = gpu.capability; capability) {
    if (!least) return Runs::unknown;
    if (*capability >= *least) return most && *capability > *most ? Runs::not_at_all : Runs::natively;
    return widened && *capability >= *widened ? Runs::widened : Runs::not_at_all;
  }
  if (std::ranges::find(amd, gpu.compute_capability) != amd.end()) return Runs::natively;
  return leaves_out(gpu) ? Runs::not_at_all : Runs::unknown;
}

bool Ability::leaves_out(const catalog::Gpu& gpu) const {
  if (amd.empty() || format.starts_with(kOfCaches) || !gpu.compute_capability.starts_with("gfx")) return false;
  if (std::ranges::find(amd, gpu.compute_capability) != amd.end()) return false;
  const auto known = weight_format(format);
  if (!known) return false;
  if ((*known)->arithmetic == Arithmetic::fp8) return !gpu.has_fp8;
  return (*known)->arithmetic == Arithmetic::fp4 && !gpu.fp4_dense_tflops;
}

bool EngineLimit::is_about(const catalog::Model& model) const {
  return model_types.empty() || std::ranges::find(model_types, model.model_type) != model_types.end();
}

bool Ability::covers(std::string_view release) const {
  if (release.empty()) return is_current();
  return (from.empty() || compared_releases(release, from) >= 0) &&
         (until.empty() || compared_releases(release, until) <= 0);
}

const EngineLimit* EngineAbility::limit(Refusal which, std::string_view stored) const {
  const auto found =
      std::ranges::find_if(limits, [&](const EngineLimit& one) { return one.limit == which && one.stored == stored; });
  return found == limits.end() ? nullptr : &*found;
}

bool EngineAbility::computes_on(const catalog::Gpu& gpu) const {
  return std::ranges::any_of(formats, [&](const Ability& one) {
    const bool wide = one.format == "fp16" || one.format == "bf16";
    return wide && one.is_current() && one.on(gpu) != Runs::not_at_all;
  });
}

const EngineAbility* EngineAbilities::find(job::Engine engine) const {
  const auto found = std::ranges::find(engines_, engine, &EngineAbility::engine);
  return found == engines_.end() ? nullptr : &*found;
}

bool is_about(const Ability& ability, const WeightFormat& format) {
  if (ability.format == format.name) return true;
  if (ability.format != kGguf) return false;
  return format.name == "f16" || format.name.starts_with('q') || format.name.starts_with("iq") ||
         format.name.starts_with("tq");
}

std::expected<EngineAbilities, Errors> read_engines(std::span<const Document> documents) {
  auto engines = read_section(documents, "engines", read_engine, &EngineAbility::engine);
  if (!engines) return std::unexpected(std::move(engines.error()));
  return EngineAbilities(std::move(*engines));
}

}  // namespace gpusel::physics
