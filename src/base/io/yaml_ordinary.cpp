// Block maps and lists with one entry per line, flow maps and lists, plain texts of one line, and quoted ones without
// an escape. The library takes ten times as long for the same.
#include "base/io/yaml_ordinary.hpp"

#include <algorithm>
#include <string>

#include "base/text/among.hpp"

namespace gpusel {

namespace {

struct Unusual {};

constexpr std::size_t kLongestKey = 1000;  // the library takes no more than 1024
constexpr int kDeepest = 80;               // whoever takes the events refuses before

constexpr Among kBeginsPlain("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_/+(<$~;^=)");
constexpr Among kEndsPlain("\n:#");
constexpr Among kEndsPlainInFlow("\n:#,[]{}?");

struct Scalar {
  YAML::Mark mark;
  std::string text;
  bool quoted = false;
};

class OrdinaryYaml {
 public:
  OrdinaryYaml(std::string_view text, YAML::EventHandler& events) : text_(text), events_(events) {}

  void read() {
    to_content();
    if (at_end() || column() != 0) throw Unusual{};
    events_.OnDocumentStart(mark());
    block(0);
    if (!at_end()) throw Unusual{};
    events_.OnDocumentEnd();
  }

  /// How far it is.
  YAML::Mark mark() const {
    YAML::Mark mark;
    mark.pos = static_cast<int>(at_);
    mark.line = line_;
    mark.column = column();
    return mark;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char here() const { return at_end() ? '\n' : text_[at_]; }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\n'; }
  int column() const { return static_cast<int>(at_ - line_start_); }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  void next_line() {
    line_start_ = ++at_;
    ++line_;
  }
  void skip_remark() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  /// Behind blanks, remarks and ends of lines.
  void to_content() {
    while (!at_end()) {
      skip_blanks();
      if (at_end()) return;
      if (text_[at_] == '#')
        skip_remark();
      else if (text_[at_] == '\n')
        next_line();
      else
        return;
    }
  }
  /// Nothing but a remark may follow in the line.
  void end_line() {
    const std::size_t before = at_;
    skip_blanks();
    if (!at_end() && text_[at_] == '#' && at_ > before) skip_remark();
    if (here() != '\n') throw Unusual{};
  }

  bool at_entry() const { return here() == '-' && (next() == ' ' || next() == '\n'); }
  bool at_colon() const { return here() == ':' && (next() == ' ' || next() == '\n'); }

  Scalar quoted() {
    Scalar out{mark(), {}, true};
    const char quote = text_[at_++];
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) throw Unusual{};
    const std::string_view inside = text_.substr(at_, end - at_);
    if (inside.find_first_of(quote == '"' ? "\\\n" : "\n") != std::string_view::npos) throw Unusual{};
    at_ = end + 1;
    if (here() == quote) throw Unusual{};
    out.text = inside;
    return out;
  }

  /// Up to where it ends, blanks behind it not taken.
  Scalar plain(const Among& ends, bool in_flow) {
    Scalar out{mark(), {}, false};
    const bool marked = (here() == '-' || here() == '.') && kBeginsPlain(next());  // "-1", ".5", "-x"
    const bool beyond_ascii = (static_cast<unsigned char>(here()) & 0x80U) != 0;
    if (!kBeginsPlain(here()) && !marked && !beyond_ascii) throw Unusual{};
    const std::size_t begin = at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (!ends(c)) continue;
      if (c == '#' && text_[at_ - 1] != ' ') continue;
      if (c == ':' && next() != ' ' && next() != '\n') {
        if (in_flow && kEndsPlainInFlow(next())) throw Unusual{};
        continue;
      }
      break;
    }
    std::size_t end = at_;
    while (text_[end - 1] == ' ') --end;
    at_ = end;
    out.text = text_.substr(begin, end - begin);
    return out;
  }

  Scalar scalar(const Among& ends, bool in_flow) {
    return here() == '"' || here() == '\'' ? quoted() : plain(ends, in_flow);
  }

  static bool is_null(const std::string& text) {
    return text == "~" || text == "null" || text == "Null" || text == "NULL";
  }
  void hand_over(const Scalar& one) {
    if (!one.quoted && is_null(one.text))
      events_.OnNull(one.mark, 0);
    else
      events_.OnScalar(one.mark, one.quoted ? "!" : "?", 0, one.text);
  }

  /// A key stands in one line, and is not nothing.
  void hand_over_key(const Scalar& key) {
    if (key.text.size() > kLongestKey || key.text.empty() || (!key.quoted && is_null(key.text))) throw Unusual{};
    hand_over(key);
  }

  void deeper() {
    if (++depth_ > kDeepest) throw Unusual{};
  }

  /// What begins in this column of a line.
  void block(int column) {
    if (at_entry()) return list(column);
    const YAML::Mark start = mark();
    Scalar key = scalar(kEndsPlain, false);
    skip_blanks();
    if (!at_colon()) throw Unusual{};
    map(column, start, std::move(key));
  }

  /// From behind its first key on.
  void map(int column, const YAML::Mark& start, Scalar key) {
    deeper();
    events_.OnMapStart(start, "?", 0, YAML::EmitterStyle::Block);
    while (true) {
      hand_over_key(key);
      ++at_;
      value(column);
      if (at_end() || this->column() < column) break;
      if (this->column() > column || at_entry()) throw Unusual{};
      key = scalar(kEndsPlain, false);
      skip_blanks();
      if (!at_colon()) throw Unusual{};
    }
    events_.OnMapEnd();
    --depth_;
  }

  /// Of a key in that column; then to the next content.
  void value(int column) {
    skip_blanks();
    if (here() == '#' || here() == '\n') {
      to_content();
      const bool below = this->column() > column || (this->column() == column && at_entry());
      if (at_end() || !below) throw Unusual{};
      return block(this->column());
    }
    inline_value();
    to_content();
  }

  void inline_value() {
    if (here() == '[' || here() == '{')
      flow();
    else
      hand_over(scalar(kEndsPlain, false));
    end_line();
  }

  void list(int column) {
    deeper();
    events_.OnSequenceStart(mark(), "?", 0, YAML::EmitterStyle::Block);
    while (!at_end() && this->column() == column && at_entry()) {
      ++at_;
      entry(column);
    }
    if (!at_end() && this->column() > column) throw Unusual{};
    events_.OnSequenceEnd();
    --depth_;
  }

  void entry(int column) {
    skip_blanks();
    if (here() == '#' || here() == '\n') {
      to_content();
      if (at_end() || this->column() <= column) throw Unusual{};
      return block(this->column());
    }
    if (here() == '[' || here() == '{') {
      inline_value();
      return to_content();
    }
    const int begin = this->column();
    Scalar first = scalar(kEndsPlain, false);
    const std::size_t behind = at_;
    skip_blanks();
    if (at_colon()) {
      const YAML::Mark start = first.mark;
      return map(begin, start, std::move(first));
    }
    at_ = behind;
    hand_over(first);
    end_line();
    to_content();
  }

  void flow() {
    deeper();
    const bool is_map = here() == '{';
    const char end = is_map ? '}' : ']';
    if (is_map)
      events_.OnMapStart(mark(), "?", 0, YAML::EmitterStyle::Flow);
    else
      events_.OnSequenceStart(mark(), "?", 0, YAML::EmitterStyle::Flow);
    ++at_;
    to_flow_content();
    while (here() != end) {
      if (is_map) flow_key();
      if (here() == '[' || here() == '{')
        flow();
      else
        hand_over(scalar(kEndsPlainInFlow, true));
      to_flow_content();
      if (here() != ',' && here() != end) throw Unusual{};
      if (here() == end) break;
      ++at_;
      to_flow_content();
    }
    ++at_;
    if (is_map)
      events_.OnMapEnd();
    else
      events_.OnSequenceEnd();
    --depth_;
  }

  void flow_key() {
    hand_over_key(scalar(kEndsPlainInFlow, true));
    skip_blanks();
    if (here() != ':' || next() != ' ') throw Unusual{};
    ++at_;
    skip_blanks();
  }

  /// A remark between brackets is the library's, and a line that may begin another document.
  void to_flow_content() {
    while (!at_end()) {
      skip_blanks();
      if (at_end()) break;
      if (text_[at_] != '\n') return;
      next_line();
      if (here() == '-' || here() == '.' || here() == '%') throw Unusual{};
    }
    throw Unusual{};
  }

  std::string_view text_;
  YAML::EventHandler& events_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<YAML::Mark> read_ordinary_yaml(std::string_view text, YAML::EventHandler& events) {
  OrdinaryYaml reader(text, events);
  if (text.find_first_of(std::string_view("\t\r\0", 3)) != std::string_view::npos) return reader.mark();
  try {
    reader.read();
    return std::nullopt;
  } catch (const Unusual&) {
    return reader.mark();
  }
}

}  // namespace gpusel
