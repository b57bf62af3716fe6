#include "job/limits/families.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::job {

namespace {

constexpr std::string_view kSection = "family_names";

void add_new(std::vector<FamilyName::Family>& families, std::string provider, std::string id) {
  const bool known = std::ranges::any_of(
      families, [&](const FamilyName::Family& one) { return one.provider == provider && one.id == id; });
  if (!known) families.push_back({std::move(provider), std::move(id)});
}

bool is_among(const std::vector<FamilyName::Family>& families, const std::string& provider, const std::string& id) {
  return std::ranges::any_of(families,
                             [&](const FamilyName::Family& one) { return one.provider == provider && one.id == id; });
}

template <class Action>
void each_entry(std::span<const Document> documents, Action action) {
  for (const Document& document : documents)
    if (const Node* list = document.root.find(kSection))
      for (const Node& entry : list->children) action(entry);
}

/// "gn8" of "gn8e": letters, and digits behind them.
std::string_view stem_of(std::string_view name) {
  const auto digits = name.find_first_of("0123456789");
  return name.substr(0, digits == std::string_view::npos ? digits : name.find_first_not_of("0123456789", digits));
}

}  // namespace

std::vector<FamilyName::Family> families_near(std::string_view name, const catalog::Catalog& catalog) {
  const std::string folded = fold_name(name);
  const auto dot = folded.find('.');
  const std::string prefix = dot == std::string::npos ? std::string() : folded.substr(0, dot + 1);
  const std::string stem(stem_of(folded.substr(prefix.size())));
  std::vector<FamilyName::Family> near, of_provider;
  for (const catalog::Instance& instance : catalog.instances()) {
    if (instance.gpu.empty() || instance.status == catalog::Availability::retired) continue;
    const std::string sku = fold_name(instance.sku), family = fold_name(instance.family);
    const bool alike = !stem.empty() && family.starts_with(stem) &&
                       (prefix.empty() || sku.starts_with(prefix) || family == folded.substr(0, dot));
    if (alike) add_new(near, std::string(instance.provider), std::string(instance.family));
    if (!prefix.empty() && sku.starts_with(prefix))
      add_new(of_provider, std::string(instance.provider), std::string(instance.family));
  }
  return near.empty() ? of_provider : near;
}

Result<FamilyName> family_called(std::string_view name, const catalog::Catalog& catalog) {
  const std::string folded = fold_name(name);
  FamilyName out;
  std::vector<std::string> known;
  for (const catalog::Instance& instance : catalog.instances()) {
    if (fold_name(instance.family) == folded)
      add_new(out.families, std::string(instance.provider), std::string(instance.family));
    known.emplace_back(instance.family);
  }
  const auto documents = catalog.documents(kSection);
  const bool is_id = !out.families.empty();
  each_entry(documents, [&](const Node& entry) {
    const std::string provider = entry.text_at("provider");
    for (const std::string& said : entry.texts_at("names")) {
      if (!is_id && fold_name(said) == folded)
        for (std::string& family : entry.texts_at("families")) add_new(out.families, provider, std::move(family));
      known.push_back(said);
    }
  });
  if (out.families.empty()) {
    const std::vector<std::string_view> names(known.begin(), known.end());
    return usage_error(say("unknown family '{}'", shorten(name, 40)), {},
                       did_you_mean(name, names)
                           .or_else(say("all families, with their instances: gpusel instances --columns family,sku")));
  }
  each_entry(documents, [&](const Node& entry) {
    const std::string provider = entry.text_at("provider");
    const auto ids = entry.texts_at("families");
    const auto is_meant = [&](const std::string& id) { return is_among(out.families, provider, id); };
    if (!std::ranges::all_of(ids, is_meant)) return;
    for (const std::string& other : entry.texts_at("not")) {
      const auto slash = other.find('/');
      if (slash != std::string::npos && !is_among(out.families, other.substr(0, slash), other.substr(slash + 1)))
        add_new(out.others, other.substr(0, slash), other.substr(slash + 1));
    }
  });
  return out;
}

}  // namespace gpusel::job
