#include "catalog/hf/keys.hpp"

#include <algorithm>
#include <cmath>

#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog::hf {

namespace {

constexpr double kLargest = 1e12;
constexpr std::size_t kLongestList = 10'000;

}  // namespace

void Reading::fail(const Node& at, std::string message) {
  if (!error) error = Error{ErrorKind::usage, std::move(message), position(name, at), {}};
}

const Node* Keys::find(std::string_view key) const {
  const Node* found = nullptr;
  for (const Node* map : {first_, second_}) {
    const Node* node = map != nullptr ? map->find(key) : nullptr;
    if (node == nullptr) continue;
    reading_->used.insert(node);
    if (found == nullptr && (node->kind != Node::Kind::null || !node->text.empty())) found = node;
  }
  return found;
}

Number Keys::number(Names keys, double low, bool whole) const {
  Number value;
  for (const std::string_view key : keys) {
    const Node* node = find(key);
    if (node == nullptr || value) continue;
    value = node->is_scalar() && !node->quoted ? plain_number(node->text) : std::nullopt;
    if (!value || *value < low || *value > kLargest || (whole && *value != std::floor(*value))) {
      fail(*node, whole ? say("'{}' must be a whole number from {:g}, found {}", key, low, node->describe())
                        : say("'{}' must be a number of at least {:g}, found {}", key, low, node->describe()));
      return std::nullopt;
    }
  }
  return value;
}

Number Keys::largest(std::span<const std::string_view> keys) const {
  for (const std::string_view key : keys) {
    const Node* node = find(key);
    if (node == nullptr) continue;
    if (!node->is_list()) return count({key});
    const std::vector<double> each = counts(key);
    if (!each.empty()) return *std::max_element(each.begin(), each.end());
    fail(*node, say("'{}' must be a whole number from {:g}, found {}", key, 0.0, node->describe()));
  }
  return std::nullopt;
}

std::optional<bool> Keys::boolean(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_scalar() || node->quoted || (node->text != "true" && node->text != "false")) {
    fail(*node, say("'{}' must be true or false, found {}", key, node->describe()));
    return std::nullopt;
  }
  return node->text == "true";
}

std::string Keys::text(std::string_view key) const {
  const Node* node = find(key);
  return node != nullptr && node->is_scalar() ? node->text : std::string();
}

std::string Keys::only_text(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return {};
  if (!node->is_scalar() || !node->quoted) fail(*node, say("'{}' must be text, found {}", key, node->describe()));
  return node->text;
}

const Node* Keys::list(std::string_view key) const {
  const Node* node = find(key);
  return node != nullptr && node->is_list() ? node : nullptr;
}

const Node* Keys::only_list(std::string_view key) const {
  const Node* node = find(key);
  if (node != nullptr && !node->is_list()) fail(*node, say("'{}' must be a list, found {}", key, node->describe()));
  return list(key);
}

std::vector<double> Keys::counts(std::string_view key) const {
  std::vector<double> out;
  const Node* node = list(key);
  if (node == nullptr) return out;
  if (node->children.size() > kLongestList) {
    fail(*node, say("'{}' lists {} numbers, more than any model has layers", key, node->children.size()));
    return out;
  }
  for (const Node& entry : node->children) {
    const auto value = entry.is_scalar() && !entry.quoted ? plain_number(entry.text) : std::nullopt;
    if (!value || *value < 0 || *value > kLargest || *value != std::floor(*value)) {
      fail(entry, say("'{}' must list whole numbers, found {}", key, entry.describe()));
      return {};
    }
    out.push_back(*value);
  }
  return out;
}

std::optional<Keys> Keys::map(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (node->is_map()) return Keys(*reading_, node);
  fail(*node, say("'{}' must be an object, found {}", key, node->describe()));
  return std::nullopt;
}

std::vector<std::string> Keys::unread() const {
  std::vector<std::string> out;
  for (const Node* map : {first_, second_}) {
    if (map == nullptr || (map == second_ && first_ == second_)) continue;
    for (const Node& member : map->children)
      if (!reading_->used.contains(&member) && !is_without_effect(member.key)) out.push_back(member.key);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace gpusel::catalog::hf
