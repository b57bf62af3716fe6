#include "catalog/import/dialects/json_items.hpp"

#include <nlohmann/json.hpp>

#include <vector>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog::import {

namespace {

/// A single text or number may not be longer.
constexpr std::size_t kMaxToken = std::size_t{4} << 20U;
constexpr std::size_t kMaxItemNodes = 100'000;

/// Hands the file to the parser byte by byte, and counts lines.
struct Bytes {
  SourceFile& file;
  std::string_view rest;
  std::uint32_t line = 1;
  std::size_t in_token = 0;  // bytes since the last event
  bool too_long = false;

  explicit Bytes(SourceFile& source) : file(source), rest(source.unread()) {}

  int current() {
    if (too_long) return -1;
    if (rest.empty()) {
      file.use(file.unread().size());
      if (!file.more()) return -1;
      rest = file.unread();
    }
    return static_cast<unsigned char>(rest.front());
  }
  void advance() {
    if (rest.front() == '\n') ++line;
    rest.remove_prefix(1);
    too_long = ++in_token > kMaxToken;
  }
};

/// What the parser asks of an iterator; the end is any with no bytes left.
class Iterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = char;
  using iterator_category = std::input_iterator_tag;

  Iterator() = default;
  explicit Iterator(Bytes& bytes) : bytes_(&bytes) {}
  char operator*() const { return static_cast<char>(bytes_->current()); }
  Iterator& operator++() {
    bytes_->advance();
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(const Iterator& other) const { return at_end() == other.at_end(); }
  bool operator!=(const Iterator& other) const { return !(*this == other); }

 private:
  bool at_end() const { return bytes_ == nullptr || bytes_->current() < 0; }
  Bytes* bytes_ = nullptr;
};

class Collector final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Collector(const JsonItems& items, Bytes& bytes) : items_(items), bytes_(bytes) {}

  bool null() override { return scalar(Node::Kind::null, {}, false); }
  bool boolean(bool value) override { return scalar(Node::Kind::scalar, value ? "true" : "false", false); }
  bool number_integer(number_integer_t value) override {
    return scalar(Node::Kind::scalar, format("{}", value), false);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return scalar(Node::Kind::scalar, format("{}", value), false);
  }
  bool number_float(number_float_t, const string_t& text) override {
    return scalar(Node::Kind::scalar, with_point(text), false);
  }
  bool string(string_t& value) override { return scalar(Node::Kind::scalar, std::move(value), true); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Node::Kind::map); }
  bool start_array(std::size_t) override { return open(Node::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    bytes_.in_token = 0;
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    if (reason_.empty()) reason_ = in_short(error.what());
    return false;
  }
  const std::string& reason() const { return reason_; }

 private:
  /// Without the library's own number and byte position.
  static std::string in_short(std::string_view text) {
    const auto cause = text.find("syntax error");
    return shorten(printable(cause == std::string_view::npos ? text : text.substr(cause)), 160);
  }

  bool building() const { return depth_ > 0; }

  bool scalar(Node::Kind kind, std::string text, bool quoted) {
    bytes_.in_token = 0;
    path_.push_back(std::move(key_));
    key_.clear();
    if (building() || items_.wanted(path_)) {
      Node node;
      node.kind = kind;
      node.text = std::move(text);
      node.quoted = quoted;
      node.line = bytes_.line;
      node.key = path_.back();
      if (!building())
        items_.take(path_, node, bytes_.line);
      else if (!add(std::move(node)))
        return false;
    }
    path_.pop_back();
    return true;
  }

  bool open(Node::Kind kind) {
    bytes_.in_token = 0;
    if (path_.size() >= kMaxDepth) {
      reason_ = say("more than {} levels", kMaxDepth);
      return false;
    }
    path_.push_back(std::move(key_));
    key_.clear();
    if (!building() && !items_.wanted(path_)) return true;
    Node node;
    node.kind = kind;
    node.line = bytes_.line;
    node.key = path_.back();
    ++depth_;
    open_.push_back(std::move(node));
    return true;
  }

  bool close() {
    bytes_.in_token = 0;
    bool good = true;
    if (building()) {
      Node node = std::move(open_.back());
      open_.pop_back();
      --depth_;
      if (building()) {
        good = add(std::move(node));
      } else {
        nodes_ = 0;
        items_.take(path_, node, node.line);
      }
    }
    path_.pop_back();
    return good;
  }

  bool add(Node node) {
    if (++nodes_ > kMaxItemNodes) {
      reason_ = say("one item of more than {} values", kMaxItemNodes);
      return false;
    }
    open_.back().children.push_back(std::move(node));
    return true;
  }

  const JsonItems& items_;
  Bytes& bytes_;
  std::vector<std::string> path_;
  std::string key_;
  std::vector<Node> open_;
  int depth_ = 0;
  std::size_t nodes_ = 0;
  std::string reason_;
};

}  // namespace

std::optional<JsonBreak> read_json_items(SourceFile& file, const JsonItems& items) {
  Bytes bytes(file);
  Collector collector(items, bytes);
  const bool whole = nlohmann::json::sax_parse(Iterator(bytes), Iterator(), &collector);
  if (whole) return std::nullopt;
  if (bytes.too_long) return JsonBreak{bytes.line, say("a value of more than {} MiB", kMaxToken >> 20U)};
  return JsonBreak{bytes.line, collector.reason()};
}

}  // namespace gpusel::catalog::import
