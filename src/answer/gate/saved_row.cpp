#include "answer/gate/saved_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

const Node* at(const Node& row, std::string_view path) {
  const Node* node = &row;
  for (const std::string_view key : split(path, '.')) {
    node = node != nullptr && node->is_map() ? node->find(key) : nullptr;
    if (node == nullptr) return nullptr;
  }
  return node;
}
std::string_view text_at(const Node& row, std::string_view path) {
  const Node* node = at(row, path);
  return node != nullptr && node->is_scalar() ? std::string_view(node->text) : std::string_view{};
}
std::optional<double> figure_at(const Node& row, std::string_view path) {
  const Node* node = at(row, path);
  return node != nullptr && node->is_scalar() && !node->quoted ? plain_number(node->text) : std::nullopt;
}

namespace {

constexpr double kRounding = 1e-3;  // saved figures are rounded

double rounding(double figure) { return kRounding * std::max(std::abs(figure), kRounding); }
bool exceeds(double figure, double limit) { return figure > limit + rounding(limit); }
bool differ(double figure, double expected) { return std::abs(figure - expected) > rounding(expected); }

/// Figures of the row, all of which have to be known.
template <class... Paths>
auto figures(const Node& row, Paths... paths) {
  return std::array{figure_at(row, paths)...};
}
template <std::size_t N>
bool are_known(const std::array<std::optional<double>, N>& all) {
  return std::ranges::all_of(all, [](const auto& one) { return one.has_value(); });
}

std::optional<Contradiction> contradicts(const Node& row, std::string_view path, std::string_view others) {
  return Contradiction{at(row, path), say("'{}' contradicts {}", path, others)};
}

std::optional<Contradiction> in_memory(const Node& row) {
  const auto all = figures(row, "memory.needed", "memory.usable", "memory.margin", "probability.fits");
  const auto& [needed, usable, margin, fits] = all;
  if (!needed || !usable) return std::nullopt;
  if (margin && std::abs(*usable - *needed - *margin) > kRounding * std::max(1.0, *usable))
    return contradicts(row, "memory.margin", "memory.usable, memory.needed");
  if (fits && (*fits >= 0.5) != (*needed <= *usable) && differ(*needed, *usable))
    return contradicts(row, "probability.fits", "memory.usable, memory.needed");
  return std::nullopt;
}

std::optional<Contradiction> in_money(const Node& row) {
  const auto bill = figures(row, "cost.total", "cost.hourly", "cost.hours_paid");
  if (are_known(bill) && exceeds(*bill[1] * *bill[2], *bill[0]))
    return contradicts(row, "cost.total", "cost.hourly, cost.hours_paid");
  const auto offer = figures(row, "cost.hourly", "cost.offer.hourly", "nodes");
  if (text_at(row, "cost.offer.currency") == text_at(row, "cost.currency") && are_known(offer) &&
      exceeds(*offer[1] * *offer[2], *offer[0]))
    return contradicts(row, "cost.hourly", "cost.offer.hourly, nodes");
  return std::nullopt;
}

}  // namespace

std::optional<Contradiction> contradiction(const Node& row) {
  for (const std::string_view path : {"probability.fits", "probability.targets", "probability.budget"})
    if (const auto chance = figure_at(row, path); chance && (*chance < 0 || *chance > 1))
      return Contradiction{at(row, path), say("'{}' must be between 0 and 1", path)};
  const auto gpus = figures(row, "gpus", "gpus_per_node", "nodes");
  if (are_known(gpus) && differ(*gpus[0], *gpus[1] * *gpus[2])) return contradicts(row, "gpus", "gpus_per_node, nodes");
  if (auto found = in_memory(row)) return found;
  return in_money(row);
}

}  // namespace gpusel::answer
