// The only file that reads JSON: nlohmann's streaming parser builds our tree, counting lines.
#include <nlohmann/json.hpp>

#include <algorithm>

#include "gpusel/base/document.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel {

namespace {

struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// Hands the text to the parser character by character and remembers how far it has read.
class CountingIterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  CountingIterator(const char* at, Place* place) : at_(at), place_(place) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++place_->column;
    if (*at_ == '\n') *place_ = {place_->line + 1, 1};
    ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Place* place_;
};

class TreeBuilder {
 public:
  using Json = nlohmann::json;

  TreeBuilder(std::string_view name, Place& place) : name_(name), place_(place) {}

  Node take() { return std::move(root_); }
  const Error& error() const { return error_; }

  bool null() { return add(Node::Kind::null) != nullptr; }
  bool boolean(bool value) { return scalar(value ? "true" : "false", false); }
  bool number_integer(Json::number_integer_t value) { return scalar(std::to_string(value), false); }
  bool number_unsigned(Json::number_unsigned_t value) { return scalar(std::to_string(value), false); }
  bool number_float(Json::number_float_t, const Json::string_t& text) { return scalar(text, false); }
  bool string(Json::string_t& text) { return scalar(text, true); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Node::Kind::map); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Node::Kind::list); }
  bool end_array() { return close(); }
  bool key(Json::string_t& text) {
    const auto length = static_cast<std::uint32_t>(text.size()) + 2;
    key_line_ = place_.line;
    key_column_ = place_.column > length ? place_.column - length : 1;
    key_ = std::move(text);
    return true;
  }
  bool parse_error(std::size_t, const std::string& last_token, const Json::exception&) {
    return refuse(last_token.empty() ? say("not valid JSON: it ends too early")
                                     : say("not valid JSON: unexpected '{}'", shorten(last_token, 24)));
  }

 private:
  bool refuse(std::string message) {
    error_ = {ErrorKind::usage, std::move(message), format("{}:{}:{}", name_, place_.line, place_.column), {}};
    return false;
  }

  Node* add(Node::Kind kind) {
    Node* node = &root_;
    if (!open_.empty()) {
      node = &open_.back()->children.emplace_back();
      if (open_.back()->is_map()) {
        node->key = std::move(key_);
        node->key_line = key_line_;
        node->key_column = key_column_;
      }
    }
    node->kind = kind;
    node->line = place_.line;
    node->column = place_.column;
    return node;
  }

  bool scalar(std::string text, bool quoted) {
    Node* node = add(Node::Kind::scalar);
    // The parser has already passed the token; its start is what a person looks for.
    const auto length = static_cast<std::uint32_t>(text.size()) + (quoted ? 2 : 1);
    node->column = node->column > length ? node->column - length : 1;
    node->quoted = quoted;
    node->text = std::move(text);
    return true;
  }

  bool open(Node::Kind kind) {
    if (open_.size() >= kMaxDepth) return refuse(say("nested deeper than {} levels", kMaxDepth));
    open_.push_back(add(kind));
    return true;
  }

  bool close() {
    const Node* twice = duplicate_key(*open_.back());
    open_.pop_back();
    if (twice == nullptr) return true;
    place_ = {twice->key_line, twice->key_column};
    return refuse(say("'{}' is given twice", shorten(twice->key, 60)));
  }

  std::string_view name_;
  Place& place_;
  Node root_;
  std::vector<Node*> open_;
  std::string key_;
  std::uint32_t key_line_ = 0;
  std::uint32_t key_column_ = 0;
  Error error_;
};

/// Blanks NaN, Infinity and -Infinity outside strings to null, keeping positions.
std::string without_python_numbers(std::string_view text) {
  std::string out(text);
  bool in_string = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (in_string) {
      if (out[i] == '\\')
        ++i;
      else if (out[i] == '"')
        in_string = false;
      continue;
    }
    if (out[i] == '"') in_string = true;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (out.compare(i, word.size(), word) != 0) continue;
      std::string filler = "null";
      filler.resize(std::max(filler.size(), word.size()), ' ');
      out.replace(i, word.size(), filler);
    }
  }
  return out;
}

}  // namespace

Result<Document> parse_json(std::string_view text, std::string name, JsonDialect dialect) {
  std::string cleaned;
  if (dialect == JsonDialect::python) {
    cleaned = without_python_numbers(text);
    text = cleaned;
  }
  Place place;
  TreeBuilder builder(name, place);
  const CountingIterator first(text.data(), &place);
  const CountingIterator last(text.data() + text.size(), &place);
  if (!nlohmann::json::sax_parse(first, last, &builder)) return std::unexpected(builder.error());
  return Document{std::move(name), builder.take()};
}

}  // namespace gpusel
