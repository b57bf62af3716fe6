#include "report/markdown.hpp"

#include <algorithm>

#include "gpusel/base/text.hpp"

namespace gpusel::report {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) > 127;
}

/// Where an address that starts here ends; 0: none does.
std::size_t address(std::string_view text) {
  if (!text.starts_with("https://") && !text.starts_with("http://")) return 0;
  std::size_t end = 0;
  while (end < text.size() && text[end] > ' ' && std::string_view("<>\"`|\\").find(text[end]) == std::string_view::npos)
    ++end;
  while (end > 0 && std::string_view(".,;:)").find(text[end - 1]) != std::string_view::npos) --end;
  return end;
}

/// Whether this character would be taken for markup; one inside a word, or between blanks, is not.
bool is_markup(std::string_view text, std::size_t at) {
  const char c = text[at];
  const char before = at > 0 ? text[at - 1] : ' ';
  const char after = at + 1 < text.size() ? text[at + 1] : ' ';
  switch (c) {
    case '\\':
    case '`':
    case '[':
    case ']':
    case '<':
    case '|':
    case '~':
    case '$': return true;
    case '*': return before != ' ' || after != ' ';
    case '_': return !is_word(before) || !is_word(after);
    case '&': return is_word(after) || after == '#';
    default: return false;
  }
}

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string shown = printable(text);
  const std::string_view all = shown;
  std::string out;
  for (std::size_t at = 0; at < all.size();) {
    if (const std::size_t length = address(all.substr(at)); length > 0) {
      out += "<" + std::string(all.substr(at, length)) + ">";
      at += length;
      continue;
    }
    if (is_markup(all, at)) out += '\\';
    out += all[at++];
  }
  return out;
}

std::string markdown_line(std::string_view text) {
  std::string out = markdown_text(trim(text));
  if (out.empty()) return out;
  if (std::string_view("#+->=").find(out.front()) != std::string_view::npos) return "\\" + out;
  const std::size_t digits = std::min(out.find_first_not_of("0123456789"), out.size());
  const bool numbered = digits > 0 && digits < out.size() && (out[digits] == '.' || out[digits] == ')');
  if (numbered && (digits + 1 == out.size() || out[digits + 1] == ' ')) out.insert(digits, "\\");
  return out;
}

std::string markdown_code(std::string_view lines, std::string_view language) {
  std::string fence = "```";
  while (lines.find(fence) != std::string_view::npos) fence += '`';
  std::string out = "\n" + fence + std::string(language) + "\n" + std::string(lines);
  if (!lines.ends_with('\n')) out += "\n";
  return out + fence + "\n\n";
}

std::string tidy_markdown(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != '\n' || (!out.empty() && !out.ends_with("\n\n"))) out += c;
  while (out.ends_with('\n')) out.pop_back();
  return out + "\n";
}

}  // namespace gpusel::report
