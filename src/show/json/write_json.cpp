// JSON as text. nlohmann's dump() decodes every text byte by byte, which is most of what an answer of a batch costs;
// texts without anything to escape are copied whole here.
#include "show/json/write_json.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "base/text/unicode.hpp"

namespace gpusel::show {

namespace {

/// Whether it can stand as it is: nothing to be escaped, no letters beyond ASCII, which have to be valid and seen.
bool is_plain(std::string_view text) {
  int special = 0;  // no early end: so many at once
  for (const char c : text) special |= (c < ' ') | (c == 0x7F) | (c == '"') | (c == '\\');
  return special == 0;
}

/// In quotes, and valid UTF-8 whatever it holds.
void put_quoted(std::string& out, std::string_view text) {
  if (!is_plain(text)) {
    out += with_escapes(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

template <class Number, class... Format>
void put_number(std::string& out, Number value, Format... format) {
  std::array<char, 32> digits;  // NOLINT(*-member-init): as many as are written
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value, format...).ptr);
}

}  // namespace

void JsonWriter::clear() {
  out_.clear();
  closing_.clear();
  is_first_ = true;
}

std::string_view JsonWriter::finish() {
  while (!closing_.empty()) end();
  out_ += '\n';
  return out_;
}

void JsonWriter::break_line() {
  if (indent_ < 0) return;
  out_ += '\n';
  out_.append(closing_.size() * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::member(std::string_view key) {
  if (!is_first_) out_ += ',';
  is_first_ = false;
  if (!closing_.empty()) break_line();
  if (key.data() == nullptr) return;
  put_quoted(out_, key);
  out_ += indent_ >= 0 ? ": " : ":";
}

void JsonWriter::begin(std::string_view key, char bracket, char closing) {
  member(key);
  out_ += bracket;
  closing_ += closing;
  is_first_ = true;
}

void JsonWriter::begin_object(std::string_view key) { begin(key, '{', '}'); }
void JsonWriter::begin_list(std::string_view key) { begin(key, '[', ']'); }

void JsonWriter::end() {
  const char closing = closing_.back();
  closing_.pop_back();
  if (!is_first_) break_line();
  out_ += closing;
  is_first_ = false;
}

void JsonWriter::null(std::string_view key) {
  member(key);
  out_ += "null";
}

void JsonWriter::truth(std::string_view key, bool value) {
  member(key);
  out_ += value ? "true" : "false";
}

void JsonWriter::whole(std::string_view key, std::int64_t value) {
  member(key);
  put_number(out_, value);
}

void JsonWriter::natural(std::string_view key, std::uint64_t value) {
  member(key);
  put_number(out_, value);
}

/// The fewest digits that read back the same, with an exponent where nlohmann's library writes one.
void JsonWriter::fraction(std::string_view key, double value) {
  if (!std::isfinite(value)) return null(key);
  member(key);
  const double size = std::abs(value);
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e15);
  put_number(out_, value, exponent ? std::chars_format::scientific : std::chars_format::fixed);
  if (!exponent && std::trunc(value) == value) out_ += ".0";
}

void JsonWriter::text(std::string_view key, std::string_view value) {
  member(key);
  put_quoted(out_, value);
}

std::string dump(const Json& json, int indent) {
  JsonWriter out(indent);
  out.tree(JsonOut::kItem, json);
  return std::string(out.finish());
}

}  // namespace gpusel::show
