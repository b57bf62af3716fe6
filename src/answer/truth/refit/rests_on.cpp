#include "answer/truth/refit/rests_on.hpp"

#include <algorithm>

namespace gpusel::answer {

namespace {

Basis basis_of(std::string_view word) {
  return word == "rows" ? Basis::rows : word == "ratios" ? Basis::ratios : Basis::source;
}

}  // namespace

std::vector<RestsOn> rests_on(std::span<const Document> texts) {
  std::vector<RestsOn> out;
  const auto text = [](const Node& entry, std::string_view key) {
    const Node* node = entry.find(key);
    return node != nullptr ? node->text : std::string();
  };
  for (const Document& document : texts) {
    const Node* section = document.root.find("calibration");
    const Node* list = section != nullptr ? section->find("coefficients") : nullptr;
    if (list == nullptr) continue;
    for (const Node& entry : list->children) {
      RestsOn is{text(entry, "id"), basis_of(text(entry, "basis")), text(entry, "source")};
      const auto known = std::ranges::find(out, is.id, &RestsOn::id);  // a later file takes its place
      known != out.end() ? * known = std::move(is) : out.emplace_back(std::move(is));
    }
  }
  return out;
}

}  // namespace gpusel::answer
