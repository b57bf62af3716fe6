#include "base/text/unseen.hpp"

#include <algorithm>
#include <iterator>

#include "base/text/text.hpp"
#include "base/text/utf8.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

struct CodePoints {
  char32_t first = 0;
  char32_t last = 0;
};

// Unicode 14: Cc, Zl, Zp, and what is Default_Ignorable_Code_Point, but the selectors that only choose a glyph.
constexpr CodePoints kUnseen[] = {
    {0, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},     {0x34F, 0x34F},     {0x61C, 0x61C},     {0x115F, 0x1160},
    {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
    {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

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

bool is_unseen(char32_t c) {
  if (c < 0x7F) return c < 0x20;
  const auto* const range = std::ranges::lower_bound(kUnseen, c, {}, &CodePoints::last);
  return range != std::end(kUnseen) && c >= range->first;
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
