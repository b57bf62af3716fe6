#include "catalog/records/mig.hpp"

#include <algorithm>
#include <tuple>

#include "base/text/text.hpp"
#include "base/values/number.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::string_view kSection = "mig";

double number_at(const Node& node, std::string_view key, Range allowed) {
  const Node* found = node.find(key);
  return found == nullptr ? 0 : parse_fraction(found->text, allowed).value_or(0);
}

MigProfile read_profile(const Node& node) {
  const Node* name = node.find("name");
  return {name != nullptr ? name->text : std::string(), number_at(node, "compute", {0.01, 1}),
          number_at(node, "memory", {0.01, 1}), static_cast<int>(number_at(node, "most", {1, 64}))};
}

bool is_whole(const MigProfile& one) { return !one.name.empty() && one.compute > 0 && one.memory > 0 && one.most > 0; }

}  // namespace

std::vector<MigProfile> mig_profiles(const Gpu& gpu, const Catalog& catalog) {
  std::vector<MigProfile> found;
  for (const Document& document : catalog.documents(kSection)) {
    const Node* list = document.root.find(kSection);
    if (list == nullptr) continue;
    for (const Node& entry : list->children) {
      const Node* gpus = entry.find("gpus");
      const Node* profiles = entry.find("profiles");
      if (gpus == nullptr || profiles == nullptr ||
          !std::ranges::any_of(gpus->children, [&](const Node& one) { return one.text == gpu.id; }))
        continue;
      for (const Node& profile : profiles->children)
        if (MigProfile one = read_profile(profile); is_whole(one)) found.push_back(std::move(one));
    }
  }
  return found;
}

std::optional<MigProfile> mig_slice(const Gpu& gpu, int parts, const Catalog& catalog) {
  std::optional<MigProfile> best;
  for (MigProfile& one : mig_profiles(gpu, catalog))
    if (one.most >= parts && (!best || std::tie(one.compute, one.memory) > std::tie(best->compute, best->memory)))
      best = std::move(one);
  return best;
}

}  // namespace gpusel::catalog
