#include "rules/filter/filter_words.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::rules {

namespace {

/// As typed and as it is understood; longer signs first.
constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
    {"&&", "&&"}, {"||", "||"}, {"<=", "<="}, {">=", ">="}, {"==", "=="}, {"!=", "!="}, {"!~", "!~"}, {"=~", "~"},
    {"<", "<"},   {">", ">"},   {"=", "=="},  {"~", "~"},   {"!", "!"},   {"(", "("},   {")", ")"},   {",", ","}};

/// What a name, a number with its unit, or a bare text is written with.
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./+:*$@%^[]?{}\\").find(c) != std::string_view::npos ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<FilterWord>> read() {
    std::vector<FilterWord> words;
    while (true) {
      while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
      if (at_ == text_.size()) break;
      auto word = next();
      if (!word) return std::unexpected(word.error());
      words.push_back(std::move(*word));
    }
    words.push_back({FilterWord::Kind::end, say("the end"), at_ + 1});
    return words;
  }

 private:
  Result<FilterWord> next() {
    const char c = text_[at_];
    if (c == '\'' || c == '"') return quoted(c);
    FilterWord word{FilterWord::Kind::word, {}, at_ + 1};
    while (at_ < text_.size() && is_word(text_[at_])) word.text += text_[at_++];
    if (!word.text.empty()) return word;
    for (const auto& [typed, meant] : kSigns)
      if (text_.substr(at_).starts_with(typed)) {
        at_ += typed.size();
        return FilterWord{FilterWord::Kind::sign, std::string(meant), word.at};
      }
    return usage_error(say("character {}: unexpected '{}'", at_ + 1, printable(text_.substr(at_, 1))), {},
                       c == '&'   ? say("write && or and")
                       : c == '|' ? say("write || or or")
                                  : say("put texts with such characters in quotes"));
  }

  Result<FilterWord> quoted(char quote) {
    FilterWord word{FilterWord::Kind::quoted, {}, at_ + 1};
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == quote || text_[at_ + 1] == '\\')) ++at_;
      word.text += text_[at_];
    }
    if (at_ == text_.size()) return usage_error(say("character {}: this quote is never closed", word.at));
    ++at_;
    return word;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool FilterWord::says(std::string_view word) const { return kind == Kind::word && lower(text) == word; }

Result<std::vector<FilterWord>> filter_words(std::string_view text) { return Lexer(text).read(); }

}  // namespace gpusel::rules
