#include "base/io/document.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/io/file.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

/// What a file that is no plain text begins with.
struct Magic {
  std::string_view bytes;
  std::string_view what;
};
constexpr Magic kMagics[] = {
    {"\xFF\xFE", to_say("it is UTF-16; save it as UTF-8")},
    {"\xFE\xFF", to_say("it is UTF-16; save it as UTF-8")},
    {"\x1F\x8B", to_say("it is compressed with gzip; unpack it first")},
    {"PK\x03\x04", to_say("it is a zip archive; unpack it first")},
    {"\x28\xB5\x2F\xFD", to_say("it is compressed with zstd; unpack it first")},
};

}  // namespace

const Node* Node::find(std::string_view name) const {
  if (kind != Kind::map) return nullptr;
  for (const Node& child : children)
    if (child.key == name) return &child;
  return nullptr;
}

const std::string& Node::text_at(std::string_view name) const {
  static const std::string kNone;
  const Node* node = find(name);
  return node != nullptr && node->is_scalar() ? node->text : kNone;
}

std::vector<std::string> Node::texts_at(std::string_view name) const {
  const Node* node = find(name);
  if (node == nullptr) return {};
  if (node->is_scalar()) return {node->text};
  std::vector<std::string> texts;
  for (const Node& child : node->children) texts.push_back(child.text);
  return texts;
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::null: return text.empty() ? say("nothing") : format("'{}'", text);
    case Kind::scalar: return format("'{}'", shorten(text, 40));
    case Kind::list: return say("a list");
    case Kind::map: return say("a map");
  }
  return {};
}

namespace {

bool all_differ(const std::vector<Node>& members) {
  for (std::size_t i = 1; i < members.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (members[i].key == members[j].key) return false;
  return true;
}

}  // namespace

const Node* duplicate_key(const Node& map) {
  if (!map.is_map()) return nullptr;
  constexpr std::size_t kFew = 20;  // as long as comparing all costs less than sorting
  if (map.children.size() <= kFew && all_differ(map.children)) return nullptr;
  std::vector<const Node*> members;
  members.reserve(map.children.size());
  for (const Node& child : map.children) members.push_back(&child);
  std::stable_sort(members.begin(), members.end(), [](const Node* a, const Node* b) { return a->key < b->key; });
  const auto twice =
      std::adjacent_find(members.begin(), members.end(), [](const Node* a, const Node* b) { return a->key == b->key; });
  return twice == members.end() ? nullptr : *std::next(twice);
}

std::string position(std::string_view name, const Node& at) {
  return at.line == 0 ? std::string(name) : format("{}:{}:{}", name, at.line, at.column);
}

std::string key_position(std::string_view name, const Node& at) {
  return at.key_line == 0 ? position(name, at) : format("{}:{}:{}", name, at.key_line, at.key_column);
}

Result<std::string> read_text(const InputFile& file, const std::string& name, std::size_t max_bytes) {
  const auto cannot = [&](const std::string& why) {
    return usage_error(say("cannot read '{}': {}", printable(name), why));
  };
  std::string text;
  char block[65536];
  ssize_t got = 0;
  while ((got = file.read(block)) > 0) {
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) return cannot(say("it is larger than {} MiB", max_bytes >> 20U));
  }
  if (got < 0) return cannot(system_reason(errno));
  if (const std::string_view what = not_text(text); !what.empty()) return cannot(say_text(what));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

Result<std::string> read_text_file(const std::string& path, std::size_t max_bytes) {
  const auto file = InputFile::open(path);
  if (!file) return usage_error(say("cannot read '{}': {}", printable(path), file.error()));
  return read_text(*file, path, max_bytes);
}

std::string too_many_values() { return say("more than {} values", human_number(kMaxValues)); }
std::string too_many_columns() { return say("more than {} columns", human_number(kMaxColumns)); }

std::string_view not_text(std::string_view begin) {
  for (const Magic& magic : kMagics)
    if (begin.starts_with(magic.bytes)) return magic.what;
  return {};
}

}  // namespace gpusel
