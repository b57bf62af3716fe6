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
  for (const Document& document : texts) {
    const Node* section = document.root.find("calibration");
    const Node* list = section != nullptr ? section->find("coefficients") : nullptr;
    if (list == nullptr) continue;
    for (const Node& entry : list->children) {
      RestsOn is{entry.text_at("id"), basis_of(entry.text_at("basis")), entry.text_at("source")};
      const auto known = std::ranges::find(out, is.id, &RestsOn::id);  // a later file takes its place
      known != out.end() ? * known = std::move(is) : out.emplace_back(std::move(is));
    }
  }
  return out;
}

}  // namespace gpusel::answer
