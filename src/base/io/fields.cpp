#include "base/io/fields.hpp"

#include <algorithm>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

constexpr std::size_t kAskedPaths = 24;  // of the usual map

}  // namespace

std::span<const Node> entries_of(const Node* list, std::string_view key, Problems& problems) {
  if (list == nullptr) return {};
  if (list->is_list()) return list->children;
  problems.add(*list, say("'{}' must be a list, found {}", key, list->describe()));
  return {};
}

Fields::Fields(const Node& map, Problems& problems) : map_(map), problems_(problems) {
  if (!map.is_map()) problems_.add(map, say("a map was expected, found {}", map.describe()));
}

const Node* Fields::find(std::string_view path) {
  if (asked_.empty()) asked_.reserve(kAskedPaths);
  asked_.emplace_back(path);  // once more where it is asked for again: that costs less than to look
  const auto dot = path.find('.');
  const Node* node = map_.find(path.substr(0, dot));
  if (node == nullptr || dot == std::string_view::npos) return node;
  return node->find(path.substr(dot + 1));
}

std::optional<double> Fields::number(std::string_view path, Range allowed) {
  const Node* node = find(path);
  if (node == nullptr) return std::nullopt;
  const auto value = node->is_scalar() && !node->quoted ? plain_number(node->text) : std::nullopt;
  if (!value) {
    fail(*node, say("'{}' must be a number, found {}", path, node->describe()));
    return std::nullopt;
  }
  if (allowed.contains(*value)) return value;
  const auto checked = parse_count(node->text, allowed);
  if (!checked) problems_.add(*node, checked.error(), path);
  return checked ? value : std::nullopt;
}

std::optional<double> Fields::fraction(std::string_view path, Range allowed) {
  const Node* node = find(path);
  if (node == nullptr) return std::nullopt;
  if (!node->is_scalar()) {
    fail(*node, say("'{}' must be a number or a fraction such as 1/6, found {}", path, node->describe()));
    return std::nullopt;
  }
  const auto value = parse_fraction(node->text, allowed);
  if (!value) problems_.add(*node, value.error(), path);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<bool> Fields::boolean(std::string_view path) {
  const Node* node = find(path);
  if (node == nullptr) return std::nullopt;
  if (node->is_scalar() && !node->quoted && node->text == "true") return true;
  if (node->is_scalar() && !node->quoted && node->text == "false") return false;
  fail(*node, say("'{}' must be true or false, found {}", path, node->describe()));
  return std::nullopt;
}

std::optional<Date> Fields::date(std::string_view path) {
  const Node* node = find(path);
  if (node == nullptr) return std::nullopt;
  const auto value = node->is_scalar() ? Date::parse(node->text) : std::nullopt;
  if (!value)
    fail(*node, say("'{}' must be a date, found {}", path, node->describe()),
         say("write 2026-07-20, or 2026-07 or 2026 if no more is known"));
  return value;
}

std::string Fields::text(std::string_view path) {
  const Node* node = find(path);
  if (node == nullptr) return {};
  if (node->is_scalar() && !node->text.empty()) return node->text;
  fail(*node, say("'{}' must be text, found {}", path, node->describe()));
  return {};
}

std::vector<std::string> Fields::texts(std::string_view path) {
  const Node* node = find(path);
  std::vector<std::string> out;
  if (node == nullptr) return out;
  if (node->is_scalar()) return {node->text};
  if (!node->is_list()) fail(*node, say("'{}' must be a list, found {}", path, node->describe()));
  for (const Node& item : node->children) {
    if (item.is_scalar() && !item.text.empty())
      out.push_back(item.text);
    else
      fail(item, say("an entry of '{}' must be text, found {}", path, item.describe()));
  }
  return out;
}

std::span<const Node> Fields::entries(std::string_view path) { return entries_of(find(path), path, problems_); }

void Fields::require(std::string_view path) {
  if (map_.is_map() && !has(path)) fail(map_, say("'{}' is missing", path));
}

void Fields::fail(const Node& at, std::string message, std::string hint) {
  problems_.add(at, std::move(message), std::move(hint));
}

void Fields::not_one_of(std::string_view path, const Node& node, std::span<const std::string_view> allowed) {
  std::string list = join_texts(allowed, say_name(", "));
  fail(node, say("'{}' cannot be {}", path, node.describe()), say("allowed: {}", list));
}

void Fields::finish() {
  if (map_.is_map()) report_unknown(map_, {});
}

void Fields::report_unknown(const Node& map, const std::string& prefix) {
  for (const Node& child : map.children) {
    const std::string path = prefix + child.key;
    if (std::find(asked_.begin(), asked_.end(), path) != asked_.end()) continue;
    if (is_enough(problems_.errors)) return;
    const bool group = std::any_of(asked_.begin(), asked_.end(),
                                   [&](const std::string& known) { return known.starts_with(path + "."); });
    if (group && child.is_map()) {
      report_unknown(child, path + ".");
      continue;
    }
    if (group) {
      fail(child, say("'{}' must be a map, found {}", path, child.describe()));
      continue;
    }
    const std::vector<std::string_view> known(asked_.begin(), asked_.end());
    std::vector<std::string_view> here;  // beside it
    for (const std::string_view one : known)
      if (one.starts_with(prefix) && std::ranges::find(here, one) == here.end()) here.push_back(one);
    problems_.add_at_key(child, say("unknown key '{}'", shorten(path, 60)),
                         did_you_mean(path, known).or_else(say("keys: {}", join_texts(here, say_name(", ")))));
  }
}

}  // namespace gpusel
