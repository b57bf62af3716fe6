#include "base/words/spacing.hpp"

#include "base/words/message.hpp"

namespace gpusel {

namespace {

constexpr char kOpen = '\x1f';

/// The first byte of a character of Chinese or of its punctuation, in UTF-8.
bool starts_wide(char c) { return static_cast<unsigned char>(c) >= 0xE3 && static_cast<unsigned char>(c) <= 0xEF; }
bool ends_wide(std::string_view text) { return text.size() >= 3 && starts_wide(text[text.size() - 3]); }

}  // namespace

std::string open_spaces(std::string_view form) {
  std::string out(form);
  if (spoken() == languages().front()) return out;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i] == ' ' && ((i > 0 && out[i - 1] == '}') || (i + 1 < out.size() && out[i + 1] == '{'))) out[i] = kOpen;
  return out;
}

std::string settle_spaces(std::string text) {
  if (text.find(kOpen) == std::string::npos) return text;
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != kOpen)
      out += text[i];
    else if (!ends_wide(out) || i + 1 == text.size() || !starts_wide(text[i + 1]))
      out += ' ';
  return out;
}

}  // namespace gpusel
