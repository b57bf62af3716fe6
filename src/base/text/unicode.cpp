#include "base/text/unicode.hpp"

#include <algorithm>

#include <utf8proc.h>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

/// What no line begins with.
bool closes(char32_t c) {
  constexpr std::u32string_view kClosing = U"、。〉》」』】〕〗，．：；！？）］｝～…”’";
  return kClosing.find(c) != std::u32string_view::npos;
}

/// What no line ends with.
bool opens(char32_t c) {
  constexpr std::u32string_view kOpening = U"〈《「『【〔〖（［｛“‘";
  return kOpening.find(c) != std::u32string_view::npos;
}

/// "\x1b[1;31m" and the like at the start of `text`: its length; 0: there is none.
std::size_t colour(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const auto end = text.find_first_not_of("0123456789;", 2);
  return end == std::string_view::npos || text[end] != 'm' ? 0 : end + 1;
}

/// As UTF-16, of which JSON's escapes are.
std::string escape(char32_t c) {
  const auto unit = [](char32_t value) { return format("\\u{:04x}", static_cast<unsigned>(value)); };
  if (c < 0x10000) return unit(c);
  return unit(0xD800 + ((c - 0x10000) >> 10U)) + unit(0xDC00 + ((c - 0x10000) & 0x3FFU));
}

/// What stands in JSON as it is, and needs no second look.
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x7F; }
/// A letter, figure or mark of ASCII, or what lays out lines.
bool is_plain(char c) { return (c >= ' ' && is_ascii(c)) || c == '\n' || c == '\t'; }

}  // namespace

CodePoint decode(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  if (*bytes < 0x80) return {*bytes, 1, true};
  utf8proc_int32_t value = 0;
  const auto length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (length <= 0) return {*bytes, 1, false};
  return {static_cast<char32_t>(value), static_cast<std::size_t>(length), true};
}

std::size_t columns_of(char32_t character) {
  if (character < 0x7F) return 1;
  return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(character)));
}

std::vector<std::string_view> line_pieces(std::string_view word) {
  std::vector<std::string_view> pieces;
  std::size_t start = 0;
  bool after_wide = false;
  bool after_opening = false;
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint c = decode(word.substr(at));
    const std::size_t columns = columns_of(c.value);
    const bool may_break = (columns == 2 || after_wide) && !closes(c.value) && !after_opening;
    if (at > start && columns > 0 && may_break) {
      pieces.push_back(word.substr(start, at - start));
      start = at;
    }
    if (columns > 0) {
      after_wide = columns == 2;
      after_opening = opens(c.value);
    }
    at += c.length;
  }
  if (start < word.size() || word.empty()) pieces.push_back(word.substr(start));
  return pieces;
}

bool is_unseen(char32_t c) {
  if (c < 0x7F) return c < 0x20;
  const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  if (within(0xFE00, 0xFE0F)) return false;  // only choose a glyph
  // Blocks kept for what is not seen, assigned or not.
  if (within(0x2060, 0x206F) || within(0xFFF0, 0xFFFB) || within(0xE0000, 0xE0FFF)) return true;
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  return property->ignorable || property->category == UTF8PROC_CATEGORY_CC ||
         property->category == UTF8PROC_CATEGORY_ZL || property->category == UTF8PROC_CATEGORY_ZP;
}

std::string visible(std::string_view text, bool coloured) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const CodePoint c = decode(text);
    const std::size_t sequence = coloured ? colour(text) : 0;
    const std::size_t length = std::max(c.length, sequence);
    if (sequence > 0 || (c.valid && !is_unseen(c.value)))
      out += text.substr(0, length);
    else
      out += printable(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

std::string with_escapes(std::string json) {
  // What is below 0x20 is escaped by whoever writes JSON at all.
  const auto first = std::ranges::find_if_not(json, is_ascii);
  if (first == json.end()) return json;
  std::string_view rest(json);
  std::string out(rest.substr(0, static_cast<std::size_t>(first - json.begin())));
  rest.remove_prefix(out.size());
  while (!rest.empty()) {
    const CodePoint c = decode(rest);
    if (c.value >= 0x7F && is_unseen(c.value))
      out += escape(c.value);
    else
      out += rest.substr(0, c.length);
    rest.remove_prefix(c.length);
  }
  return out;
}

}  // namespace gpusel
