#include "advise/policy_names.hpp"

#include <algorithm>
#include <set>

#include "advise/limits.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::advise {

namespace {

/// One of a few words.
template <NamedEnum E>
Names one_of(std::string_view name) {
  if (const auto value = workload::spelled<E>(name)) return std::vector{std::string(to_text(*value))};
  return std::unexpected(workload::not_one_of(name, enum_names<E>).error());
}

Names unknown(std::string message, std::string_view name, const std::vector<std::string_view>& known,
              std::string otherwise) {
  const std::string near = did_you_mean(name, known);
  return usage_error(std::move(message), {}, near.empty() ? std::move(otherwise) : near);
}

}  // namespace

Names provider_ids(std::string_view name, const catalog::Catalog& catalog) {
  const auto provider = catalog.provider(name);
  if (!provider) return std::unexpected(provider.error());
  return std::vector{std::string((*provider)->id)};
}

Names provider_kinds(std::string_view name, const catalog::Catalog&) { return one_of<catalog::ProviderKind>(name); }
Names term_names(std::string_view name, const catalog::Catalog&) { return one_of<catalog::Term>(name); }
Names confidence_names(std::string_view name, const catalog::Catalog&) { return one_of<catalog::Confidence>(name); }

Names region_ids(std::string_view name, const catalog::Catalog& catalog) {
  std::set<std::string> ids;  // providers differ in capitals
  for (const catalog::Region& region : catalog.regions())
    if (fold_name(region.id) == fold_name(name)) ids.emplace(region.id);
  if (ids.empty()) return regions_called(name, catalog);
  return std::vector<std::string>(ids.begin(), ids.end());
}

Names countries_in(std::string_view name, const catalog::Catalog& catalog) {
  for (const catalog::CountryGroup& group : catalog.country_groups())
    if (fold_name(group.id) == fold_name(name)) {
      std::vector<std::string> countries;
      for (const std::string_view country : group.countries) countries.emplace_back(country);
      return countries;
    }
  std::string code(name);
  std::ranges::transform(code, code.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  const auto is_letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  // A country without a region today may have one tomorrow: any code will do.
  if (code.size() == 2 && is_letter(code[0]) && is_letter(code[1])) return std::vector{code};
  std::vector<std::string_view> known;
  for (const catalog::CountryGroup& group : catalog.country_groups()) known.push_back(group.id);
  return unknown(say("'{}' is no country and no group of countries", shorten(printable(name), 40)), name, known,
                 say("write eu, or country codes such as cn, us, de"));
}

Names gpu_ids(std::string_view name, const catalog::Catalog& catalog) {
  const auto spec = workload::parse_gpu_spec(name);
  if (!spec) return std::unexpected(spec.error());
  std::vector<std::string> ids;
  std::vector<std::string_view> known;
  for (const catalog::Gpu& gpu : catalog.gpus()) {
    known.push_back(gpu.id);
    if (spec->names_gpu(gpu)) ids.emplace_back(gpu.id);
  }
  if (!ids.empty()) return ids;
  return unknown(say("unknown GPU '{}'", shorten(printable(name), 40)), name, known, say("all GPUs: gpusel gpus"));
}

Names licence_names(std::string_view name, const catalog::Catalog& catalog) {
  std::set<std::string_view> known;
  for (const catalog::Model& model : catalog.models())
    if (!model.licence.empty()) known.insert(model.licence);
  for (const std::string_view licence : known)
    if (fold_name(licence) == fold_name(name)) return std::vector{std::string(licence)};
  return unknown(say("no model has the licence '{}'", shorten(printable(name), 40)), name, {known.begin(), known.end()},
                 say("all models with their licences: gpusel models -o wide"));
}

}  // namespace gpusel::advise
