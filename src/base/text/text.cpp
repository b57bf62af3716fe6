#include "base/text/text.hpp"

#include <algorithm>

#include "base/text/unicode.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lowered(c);
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string shorten(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return printable(text);
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80) --limit;
  return printable(text.substr(0, limit)) + "…";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' '))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string fold_name(std::string_view name) {
  std::string folded(trim(name));
  for (char& c : folded) c = c == '_' || c == ' ' || c == '/' || c == ':' ? '-' : lowered(c);
  return folded;
}

Hint did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  return one_of_these(nearest_names(word, known));
}

Hint one_of_these(std::vector<std::string> names) {
  std::string question;
  switch (names.size()) {
    case 0: break;
    case 1: question = say("did you mean '{}'?", names[0]); break;
    case 2: question = say("did you mean '{}' or '{}'?", names[0], names[1]); break;
    default: question = say("did you mean '{}', '{}' or '{}'?", names[0], names[1], names[2]); break;
  }
  return {std::move(question), std::move(names)};
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const CodePoint c = decode(rest);
    if (!c.valid) break;
    rest.remove_prefix(c.length);
  }
  return text.size() - rest.size();
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    const auto value = static_cast<unsigned>(c.value);
    if (c.valid && !is_unseen(c.value))
      out += text.substr(0, c.length);
    else if (value < 0x100)
      out += format("\\x{:02x}", value);
    else
      out += value < 0x10000 ? format("\\u{:04x}", value) : format("\\U{:08x}", value);
    text.remove_prefix(c.length);
  }
  return out;
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  while (!utf8.empty()) {
    const CodePoint c = decode(utf8);
    width += columns_of(c.value);
    utf8.remove_prefix(c.length);
  }
  return width;
}

std::string fit_width(std::string_view utf8, std::size_t width) {
  if (display_width(utf8) <= width) return std::string(utf8);
  std::string out;
  std::size_t used = 0;
  while (!utf8.empty()) {
    const CodePoint c = decode(utf8);
    if (used + columns_of(c.value) + 1 > width) break;
    used += columns_of(c.value);
    out += utf8.substr(0, c.length);
    utf8.remove_prefix(c.length);
  }
  return width == 0 ? out : out + "…";
}

}  // namespace gpusel
