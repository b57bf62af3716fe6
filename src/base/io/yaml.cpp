// Only this file and yaml_ordinary.cpp know yaml-cpp. Its event interface is used, not its node tree: events
// carry positions and tags, and let duplicate keys, aliases and deep nesting be refused early.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "base/io/document.hpp"
#include "base/io/yaml_ordinary.hpp"
#include "base/text/among.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

/// Bytes that are given to the library, which takes ten times as long as the reader of ordinary files.
constexpr std::size_t kMostUnusual = std::size_t{4} << 20U;

/// Leaves yaml-cpp's parser from inside one of its callbacks.
struct Refused {
  Error error;
};

class YamlTreeBuilder final : public YAML::EventHandler {
 public:
  YamlTreeBuilder(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    no_anchor(mark, anchor);
    if (awaits_key()) refuse(mark, say("a key may not be empty"));
    add(mark, Node::Kind::null);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, say("aliases (*name) are not accepted"));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    no_anchor(mark, anchor);
    if (tag != "?" && tag != "!" && !tag.empty()) refuse(mark, say("tags (!name) are not accepted"));
    if (value.find('\0') != std::string::npos) refuse(mark, say("text may not contain a NUL character"));
    if (!closes(mark)) refuse(mark, say("this quote is never closed"));
    if (awaits_key()) {
      pending_key(mark, value);
      return;
    }
    Node& node = add(mark, Node::Kind::scalar);
    node.quoted = tag == "!";
    node.text = value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Key {
    bool set = false;
    std::string text;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  static std::uint32_t from_one(int zero_based) { return static_cast<std::uint32_t>(zero_based + 1); }

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message) const {
    throw Refused{
        {ErrorKind::usage, std::move(message), format("{}:{}:{}", name_, mark.line + 1, mark.column + 1), {}}};
  }

  void no_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) refuse(mark, say("anchors (&name) are not accepted"));
  }

  /// Whether a quoted text ends: the library takes the rest of the file for it.
  bool closes(const YAML::Mark& mark) const {
    auto at = static_cast<std::size_t>(mark.pos);
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return true;
    const char quote = text_[at];
    for (++at; at < text_.size(); ++at) {
      if (quote == '"' && text_[at] == '\\') {
        ++at;
      } else if (text_[at] == quote) {
        if (quote == '"' || at + 1 >= text_.size() || text_[at + 1] != quote) return true;
        ++at;
      }
    }
    return false;
  }

  bool awaits_key() const { return !open_.empty() && open_.back()->is_map() && !keys_.back().set; }

  void pending_key(const YAML::Mark& mark, const std::string& text) {
    keys_.back() = {true, text, from_one(mark.line), from_one(mark.column)};
  }

  /// A place for the next value: the root, the next list item, or the value of the pending key.
  Node& add(const YAML::Mark& mark, Node::Kind kind) {
    if (++values_ > kMaxValues) refuse(mark, too_many_values());
    Node* place = &root_;
    if (!open_.empty()) {
      place = &open_.back()->children.emplace_back();
      if (open_.back()->is_map()) {
        Key& key = keys_.back();
        place->key = std::move(key.text);
        place->key_line = key.line;
        place->key_column = key.column;
        key = {};
      }
    }
    place->kind = kind;
    place->line = from_one(mark.line);
    place->column = from_one(mark.column);
    return *place;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Node::Kind kind) {
    no_anchor(mark, anchor);
    if (awaits_key()) refuse(mark, say("a key cannot start with a bracket; is the end missing?"));
    if (open_.size() >= kMaxDepth) refuse(mark, say("nested deeper than {} levels", kMaxDepth));
    open_.push_back(&add(mark, kind));
    keys_.emplace_back();
  }

  void close() {
    if (const Node* twice = duplicate_key(*open_.back()))
      throw Refused{
          {ErrorKind::usage, say("'{}' is given twice", shorten(twice->key, 60)), key_position(name_, *twice), {}}};
    open_.pop_back();
    keys_.pop_back();
  }

  std::string_view name_;
  std::string_view text_;
  std::size_t values_ = 0;
  Node root_;
  std::vector<Node*> open_;  // a parent gains no child while one of its children is open, so these stay valid
  std::vector<Key> keys_;
};

constexpr Among kMarks("[{,:?\"'!&*|>%@#");

/// The library keeps in mind all of a line, and all of a bracket until it is closed, as long as that might be a key:
/// what is too much for it is refused before. Marks in texts and remarks are counted, too; none has so many.
Status check_marks(std::string_view text, const std::string& name) {
  constexpr std::size_t kMostOpen = 1'000;
  std::size_t open = 0;
  std::size_t marks = 0;
  std::uint32_t line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '\n' && open == 0) marks = 0;
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (kMarks(c)) ++marks;
    if (open > kMostOpen)
      return usage_error(say("nested deeper than {} levels", kMaxDepth), format("{}:{}", name, line));
    if (marks > kMaxValues)
      return usage_error(say("more is in one line or bracket than can be read"), format("{}:{}", name, line),
                         say("write one line per entry"));
  }
  return {};
}

/// Lines that end in CRLF, ended as all others are; a lone CR is the library's to judge.
std::string with_plain_ends(const std::string& text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\r\n", at), text.size());
    plain.append(text, at, end - at);
    at = end < text.size() ? end + 1 : end;
  }
  return plain;
}

/// Whatever the library reads.
Result<Document> parse_any_yaml(const std::string& text, std::string name) {
  if (Status few = check_marks(text, name); !few) return std::unexpected(few.error());
  YamlTreeBuilder builder(name, text);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlTreeBuilder rest(name, text);
    if (parser.HandleNextDocument(rest))
      return usage_error(say("a file may contain only one YAML document"), std::move(name));
  } catch (const Refused& refused) {
    return std::unexpected(refused.error);
  } catch (const YAML::Exception& error) {
    const std::string where =
        error.mark.is_null() ? name : format("{}:{}:{}", name, error.mark.line + 1, error.mark.column + 1);
    return usage_error(say("not valid YAML: {}", printable(error.msg)), where);
  }
  Node root = builder.take();
  const bool directed = text.starts_with('%') || text.find("\n%") != std::string::npos;
  if (root.kind == Node::Kind::null && directed)
    return usage_error(say("not valid YAML: nothing follows its directives (%)"), std::move(name));
  return Document{std::move(name), std::move(root)};
}

}  // namespace

Result<Document> parse_yaml(const std::string& given, std::string name) {
  if (const std::size_t valid = valid_utf8_prefix(given); valid < given.size())
    return usage_error(say("not valid YAML: byte {} is not UTF-8", valid + 1), std::move(name));
  const std::string text = with_plain_ends(given);
  YamlTreeBuilder builder(name, text);
  try {
    const auto unusual = read_ordinary_yaml(text, builder);
    if (!unusual) return Document{std::move(name), builder.take()};
    if (text.size() > kMostUnusual)
      return usage_error(say("not plain YAML, of which at most {} MiB are read", kMostUnusual >> 20U),
                         format("{}:{}:{}", name, unusual->line + 1, unusual->column + 1),
                         say("one entry per line, without anchors, escapes, tabs and texts of several lines, or JSON"));
  } catch (const Refused& refused) {
    return std::unexpected(refused.error);
  }
  return parse_any_yaml(text, std::move(name));
}

}  // namespace gpusel
