// A streaming parser that reports tokens, and another pass that finds where they stand, cost a batch more than its
// estimates do.
#include "base/io/plain_json.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "base/io/limits.hpp"

namespace gpusel {

namespace {

/// What a string may hold as it stands.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Every reading function: false where the text is not plain; then it may stand anywhere.
class PlainReader {
 public:
  explicit PlainReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()), line_begin_(at_) {}

  bool document(Node& root) {
    if (!value(root, 0)) return false;
    skip_blanks();
    return at_ == end_;
  }

 private:
  bool value(Node& node, int depth) {
    skip_blanks();
    if (at_ == end_ || ++values_ > kMaxValues) return false;
    node.line = line_;
    node.column = column();
    switch (*at_) {
      case '{': return members(node, depth);
      case '[': return items(node, depth);
      case '"':
        node.kind = Node::Kind::scalar;
        node.quoted = true;
        return string(node.text);
      case 't': return word(node, "true");
      case 'f': return word(node, "false");
      case 'n': node.kind = Node::Kind::null; return pass("null");
      default: return number(node);
    }
  }

  bool members(Node& node, int depth) {
    if (depth == kMaxDepth) return false;
    node.kind = Node::Kind::map;
    constexpr std::size_t kUsual = 16;  // of a request
    if (depth == 0) node.children.reserve(kUsual);
    ++at_;
    if (is_next('}')) return true;
    do {
      skip_blanks();
      Node& child = node.children.emplace_back();
      child.key_line = line_;
      child.key_column = column();
      if (!string(child.key) || !is_next(':') || !value(child, depth + 1)) return false;
    } while (is_next(','));
    return is_next('}') && duplicate_key(node) == nullptr;
  }

  bool items(Node& node, int depth) {
    if (depth == kMaxDepth) return false;
    node.kind = Node::Kind::list;
    ++at_;
    if (is_next(']')) return true;
    do {
      if (!value(node.children.emplace_back(), depth + 1)) return false;
    } while (is_next(','));
    return is_next(']');
  }

  bool string(std::string& text) {
    if (!pass("\"")) return false;
    const char* const begin = at_;
    while (at_ != end_ && kPlain[static_cast<unsigned char>(*at_)]) ++at_;
    text.assign(begin, at_);
    return pass("\"");
  }

  bool word(Node& node, std::string_view word) {
    node.kind = Node::Kind::scalar;
    node.text = word;
    return pass(word);
  }

  /// As it is written, where the library would not write it otherwise.
  bool number(Node& node) {
    constexpr std::ptrdiff_t kExact = 18;  // digits that any whole number of 64 bits can have
    const char* const begin = at_;
    if (*at_ == '-') ++at_;
    const char* const whole = at_;
    skip_digits();
    if (at_ == whole || at_ - whole > kExact) return false;
    if (*whole == '0' && (at_ - whole > 1 || begin != whole)) return false;
    if (at_ != end_ && *at_ == '.') {
      const char* const fraction = ++at_;
      skip_digits();
      if (at_ == fraction) return false;
    }
    node.kind = Node::Kind::scalar;
    node.text.assign(begin, at_);
    return true;
  }

  void skip_digits() {
    while (at_ != end_ && is_digit(*at_)) ++at_;
  }

  void skip_blanks() {
    for (; at_ != end_; ++at_) {
      if (*at_ == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
      } else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r') {
        return;
      }
    }
  }

  bool is_next(char c) {
    skip_blanks();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool pass(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_begin_) + 1; }

  const char* at_;
  const char* end_;
  const char* line_begin_;
  std::uint32_t line_ = 1;
  std::size_t values_ = 0;
};

}  // namespace

std::optional<Node> read_plain_json(std::string_view text) {
  std::optional<Node> root(std::in_place);
  if (!PlainReader(text).document(*root)) root.reset();
  return root;
}

}  // namespace gpusel
