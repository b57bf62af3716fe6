// JSON of any kind: nlohmann's streaming parser builds our tree, and says what is wrong.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

#include "base/io/document.hpp"
#include "base/text/among.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

constexpr Among kBetweenTokens(" \t\r\n,:");
constexpr Among kBrackets("{}[]");
constexpr Among kBehindToken(" \t\r\n,:{}[]\"");

/// Follows the parser through the text token by token: the library reports what it reads, not where.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return column_; }

  /// Moves to the start of the next token; it is returned, empty at the end.
  std::string_view find_token() {
    while (at_ < text_.size() && kBetweenTokens(text_[at_])) step();
    return text_.substr(at_, length_of_token());
  }
  /// Moves behind the token that was found; one that the library took has no line feed in it.
  void pass(std::string_view token) {
    column_ += static_cast<std::uint32_t>(token.size());
    at_ += token.size();
  }

 private:
  void step() {
    ++column_;
    if (text_[at_] == '\n') {
      ++line_;
      column_ = 1;
    }
    ++at_;
  }

  std::size_t length_of_token() const {
    if (at_ >= text_.size()) return 0;
    std::size_t end = at_ + 1;
    if (text_[at_] == '"') {
      while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
      return std::min(end + 1, text_.size()) - at_;
    }
    if (kBrackets(text_[at_])) return 1;
    while (end < text_.size() && !kBehindToken(text_[end])) ++end;
    return end - at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

class JsonTreeBuilder {
 public:
  using Json = nlohmann::json;

  JsonTreeBuilder(std::string_view name, std::string_view text) : name_(name), cursor_(text) {}

  Node take() { return std::move(root_); }
  const Error& error() const { return error_; }

  /// Python's NaN comes as null, and keeps its name: what is no number is not what was left out.
  bool null() {
    const std::string_view token = cursor_.find_token();
    Node* node = add(Node::Kind::null);
    if (node != nullptr && token != "null") node->text = token;
    return node != nullptr;
  }
  bool boolean(bool value) { return scalar(value ? "true" : "false", false); }
  bool number_integer(Json::number_integer_t) { return number(); }
  bool number_unsigned(Json::number_unsigned_t) { return number(); }
  bool number_float(Json::number_float_t, const Json::string_t&) { return number(); }
  bool string(Json::string_t& text) { return scalar(text, true); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Node::Kind::map); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Node::Kind::list); }
  bool end_array() { return close(); }
  bool key(Json::string_t& text) {
    const std::string_view token = cursor_.find_token();
    Node& member = open_.back()->children.emplace_back();
    member.key = std::move(text);
    member.key_line = cursor_.line();
    member.key_column = cursor_.column();
    cursor_.pass(token);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) {
    const std::string_view token = cursor_.find_token();
    return refuse(token.empty() ? say("not valid JSON: it ends too early")
                                : say("not valid JSON: unexpected '{}'", printable(shorten(token, 24))),
                  cursor_.line(), cursor_.column());
  }

 private:
  bool refuse(std::string message, std::uint32_t line, std::uint32_t column) {
    error_ = {ErrorKind::usage, std::move(message), format("{}:{}:{}", name_, line, column), {}};
    return false;
  }

  /// A place for the next value; null, and an error, where there are too many.
  Node* add(Node::Kind kind) {
    const std::string_view token = cursor_.find_token();
    if (++values_ > kMaxValues) {
      refuse(too_many_values(), cursor_.line(), cursor_.column());
      return nullptr;
    }
    Node* node = &root_;  // a member is there since its key
    if (!open_.empty())
      node = open_.back()->is_map() ? &open_.back()->children.back() : &open_.back()->children.emplace_back();
    node->kind = kind;
    node->line = cursor_.line();
    node->column = cursor_.column();
    cursor_.pass(token);
    return node;
  }

  /// As it is written: the library has no integer of more than 64 bits.
  bool number() { return scalar(std::string(cursor_.find_token()), false); }

  bool scalar(std::string text, bool quoted) {
    Node* node = add(Node::Kind::scalar);
    if (node == nullptr) return false;
    node->quoted = quoted;
    node->text = std::move(text);
    return true;
  }

  bool open(Node::Kind kind) {
    cursor_.find_token();
    if (open_.size() >= kMaxDepth)
      return refuse(say("nested deeper than {} levels", kMaxDepth), cursor_.line(), cursor_.column());
    constexpr std::size_t kUsual = 16;  // members of a request
    const bool first = open_.empty();
    open_.push_back(add(kind));
    if (first && open_.back() != nullptr) open_.back()->children.reserve(kUsual);
    return open_.back() != nullptr;
  }

  bool close() {
    cursor_.pass(cursor_.find_token());
    const Node* twice = duplicate_key(*open_.back());
    open_.pop_back();
    if (twice == nullptr) return true;
    return refuse(say("'{}' is given twice", shorten(twice->key, 60)), twice->key_line, twice->key_column);
  }

  std::string_view name_;
  Cursor cursor_;
  std::size_t values_ = 0;
  Node root_;
  std::vector<Node*> open_;
  Error error_;
};

/// NaN, Infinity and -Infinity outside strings as null.
std::string without_python_numbers(std::string_view text) {
  static constexpr std::string_view kWords[] = {"-Infinity", "Infinity", "NaN"};
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  while (!text.empty()) {
    const auto* word =
        in_string ? std::end(kWords) : std::ranges::find_if(kWords, [&](auto one) { return text.starts_with(one); });
    if (word != std::end(kWords)) {
      out += "null";
      text.remove_prefix(word->size());
      continue;
    }
    if (text.front() == '"') in_string = !in_string;
    const std::size_t bytes = in_string && text.front() == '\\' ? 2 : 1;
    out += text.substr(0, bytes);
    text.remove_prefix(std::min(bytes, text.size()));
  }
  return out;
}

/// Long integers with blanks for their last digits: the library refuses what no double holds, and the tree keeps what
/// is written. Nothing where there is none.
std::optional<std::string> without_last_digits(std::string_view text) {
  constexpr std::size_t kHeld = 300;  // digits
  std::optional<std::string> out;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') in_string = !in_string;
    if (in_string && text[at] == '\\') ++at;
    if (in_string || text[at] < '0' || text[at] > '9') continue;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    const bool whole = end == text.size() || (text[end] != '.' && text[end] != 'e' && text[end] != 'E');
    if (whole && end - at > kHeld) {
      if (!out) out = text;
      out->replace(at + kHeld, end - at - kHeld, end - at - kHeld, ' ');
    }
    at = end - 1;
  }
  return out;
}

}  // namespace

Result<Document> parse_json(std::string_view text, std::string name, JsonDialect dialect) {
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return usage_error(say("not valid JSON: a NUL character at byte {}", nul + 1), std::move(name));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  JsonTreeBuilder builder(name, text);
  std::string cleaned;
  if (dialect == JsonDialect::python) {
    cleaned = without_python_numbers(text);
    text = cleaned;
  }
  const auto shorter = without_last_digits(text);
  if (shorter) text = *shorter;
  if (!nlohmann::json::sax_parse(text, &builder)) return std::unexpected(builder.error());
  return Document{std::move(name), builder.take()};
}

namespace {

void move_down(Node& node, std::uint32_t lines) {
  node.line += lines;
  node.key_line += node.key_line > 0 ? lines : 0;
  for (Node& child : node.children) move_down(child, lines);
}

}  // namespace

Result<std::vector<Node>> parse_json_lines(std::string_view text, const std::string& name, JsonDialect dialect) {
  std::vector<Node> values;
  std::uint32_t above = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) {
      auto document = parse_json(line, name, dialect);
      if (!document) {
        const std::string column = document.error().where.substr(document.error().where.rfind(':') + 1);
        document.error().where = format("{}:{}:{}", name, above + 1, column);
        return std::unexpected(document.error());
      }
      move_down(document->root, above);
      values.push_back(std::move(document->root));
    }
    ++above;
  }
  return values;
}

}  // namespace gpusel
