#include "answer/gate/policy_names.hpp"

#include <algorithm>
#include <set>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/places/countries.hpp"
#include "catalog/places/places.hpp"
#include "job/limits/constraints.hpp"

namespace gpusel::answer {

namespace {

/// One of a few words.
template <NamedEnum E>
Names one_of(std::string_view name) {
  if (const auto value = job::spelled<E>(name)) return std::vector{std::string(to_text(*value))};
  return std::unexpected(job::not_one_of(name, enum_names<E>).error());
}

Names unknown(std::string message, std::string_view name, const std::vector<std::string_view>& known,
              std::string otherwise) {
  const Hint near = did_you_mean(name, known);
  return usage_error(std::move(message), {}, near.or_else(std::move(otherwise)));
}

}  // namespace

Names provider_kinds(std::string_view name, const catalog::Catalog&) { return one_of<catalog::ProviderKind>(name); }
Names term_names(std::string_view name, const catalog::Catalog&) { return one_of<catalog::Term>(name); }
Names confidence_names(std::string_view name, const catalog::Catalog&) { return one_of<catalog::Confidence>(name); }

Names region_ids(std::string_view name, const catalog::Catalog& catalog) {
  std::set<std::string> ids;  // providers differ in capitals
  for (const catalog::Region& region : catalog.regions())
    if (fold_name(region.id) == fold_name(name)) ids.emplace(region.id);
  const catalog::Place* place = catalog::find_place(name, catalog);
  const bool wide = place != nullptr && place->kind != catalog::PlaceKind::locality;
  if (wide || (place == nullptr && catalog::is_country(upper(name))))
    return usage_error(say("'{}' is a country or a group of countries, not a region", printable(name)), {},
                       say("countries are judged by allowed_countries and denied_countries: [{}]", lower(name)));
  if (!ids.empty()) return std::vector<std::string>(ids.begin(), ids.end());
  const auto found = catalog::locate(name, catalog);
  if (!found) return std::unexpected(found.error());
  std::set<std::string_view> countries;
  for (const catalog::Region* region : found->regions) {
    countries.insert(region->country);
    ids.emplace(region->id);
  }
  if (countries.size() > 1)
    return usage_error(
        say("'{}' occurs in region names of several countries and is not a region", shorten(printable(name), 40)), {},
        say("name regions by their ids, or countries by allowed_countries and denied_countries"));
  return std::vector<std::string>(ids.begin(), ids.end());
}

Names countries_in(std::string_view name, const catalog::Catalog& catalog) {
  return catalog::countries_called(name, catalog);
}

namespace {

/// "ada", "Ada Lovelace", "hopper" …
bool is_of_architecture(const catalog::Gpu& gpu, std::string_view folded) {
  return !gpu.architecture.empty() && (catalog::fold_gpu_name(gpu.architecture) == folded ||
                                       catalog::fold_gpu_name(split(gpu.architecture, ' ').front()) == folded);
}

}  // namespace

Names gpu_ids(std::string_view name, const catalog::Catalog& catalog) {
  const auto spec = job::parse_gpu_spec(name);
  if (!spec) return std::unexpected(spec.error());
  const auto bounds = [](const Bounds& of) { return of.low || of.high; };
  if (bounds(spec->count) || bounds(spec->memory_gb))
    return usage_error(
        say("'{}' gives a count or a memory size; only GPU names are allowed here", shorten(printable(name), 40)), {},
        say("a rule judges those: {{fact: gpu_count, above: 4}}, {{fact: gpu_memory_gb, below: 80}}"));
  std::vector<std::string> ids;
  std::vector<std::string_view> known;
  for (const catalog::Gpu& gpu : catalog.gpus()) {
    known.push_back(gpu.id);
    const bool is_vendors = spec->vendor.empty() || spec->vendor == gpu.vendor;
    const auto is_kind = [&](const std::string& word) { return is_vendors && is_of_architecture(gpu, word); };
    if (spec->names_gpu(gpu) || std::ranges::any_of(spec->names, is_kind)) ids.emplace_back(gpu.id);
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
  return unknown(say("no model has the license '{}'", shorten(printable(name), 40)), name, {known.begin(), known.end()},
                 say("all models with their licenses: gpusel models -o wide"));
}

}  // namespace gpusel::answer
