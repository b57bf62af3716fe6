#include "show/render/markdown.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::show {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) > 127;
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

std::size_t address_length(std::string_view text) {
  if (!text.starts_with("https://") && !text.starts_with("http://")) return 0;
  std::size_t end = 0;
  while (end < text.size() && text[end] > ' ' && std::string_view("<>\"`|\\").find(text[end]) == std::string_view::npos)
    ++end;
  while (end > 0 && std::string_view(".,;:)").find(text[end - 1]) != std::string_view::npos) --end;
  return end;
}

std::string markdown_text(std::string_view text) {
  const std::string shown = printable(text);
  const std::string_view all = shown;
  std::string out;
  for (std::size_t at = 0; at < all.size();) {
    if (const std::size_t length = address_length(all.substr(at)); length > 0) {
      out += "<" + std::string(all.substr(at, length)) + ">";
      at += length;
      continue;
    }
    if (is_markup(all, at)) out += '\\';
    out += all[at++];
  }
  return out;
}

namespace {

/// Markdown that begins a line, as which it could be taken for a heading, a list or a quotation.
std::string guarded(std::string out) {
  if (out.empty()) return out;
  if (std::string_view("#+->=").find(out.front()) != std::string_view::npos) return "\\" + out;
  const std::size_t digits = std::min(out.find_first_not_of("0123456789"), out.size());
  const bool numbered = digits > 0 && digits < out.size() && (out[digits] == '.' || out[digits] == ')');
  if (numbered && (digits + 1 == out.size() || out[digits + 1] == ' ')) out.insert(digits, "\\");
  return out;
}

}  // namespace

std::string markdown_code(std::string_view lines) {
  std::string fence = "```";
  while (lines.find(fence) != std::string_view::npos) fence += '`';
  std::string out = "\n" + fence + "\n" + std::string(lines);
  if (!lines.ends_with('\n')) out += "\n";
  return out + fence + "\n\n";
}

namespace {

std::string marked(const Text& text) {
  std::string out;
  for (const Span& span : text.spans()) {
    const bool bold = span.meaning == Meaning::strong || span.meaning == Meaning::best;
    const std::string_view mark = bold ? "**" : span.meaning == Meaning::code ? "`" : "";
    out += std::string(mark) + (mark == "`" ? printable(span.words) : markdown_text(span.words)) + std::string(mark);
  }
  return out;
}

std::string at_start(const Text& text) { return guarded(std::string(trim(marked(text)))); }

struct MarkdownRenderer {
  std::string operator()(const Heading& heading) const {
    return (heading.level == 1 ? "" : "\n") + std::string(static_cast<std::size_t>(heading.level), '#') + " " +
           marked(heading.text) + "\n\n";
  }
  /// Deeper points stand below the one before them.
  std::string operator()(const Paragraph& one) const {
    constexpr std::size_t kDeep = 4;
    const std::string words = one.text.words();
    const std::size_t margin = std::min(words.find_first_not_of(' '), words.size());
    if (margin == 0) return "\n" + at_start(one.text) + "\n\n";
    return (margin < kDeep ? "- " : "  - ") + at_start(one.text) + "\n";
  }
  std::string operator()(const Gap&) const { return "\n"; }
  std::string operator()(const Code& code) const { return markdown_code(code.lines); }
  std::string operator()(const List& list) const {
    std::string out;
    for (const Text& item : list.items) out += (list.kind == List::Kind::steps ? "1. " : "- ") + at_start(item) + "\n";
    return "\n" + out + "\n";
  }
  std::string operator()(const Facts& facts) const { return (*this)(facts.table()); }
  std::string operator()(const Table& table) const { return "\n" + markdown_text(table) + "\n"; }
  std::string operator()(const SideBySide& table) const { return (*this)(table.table()); }
  std::string operator()(const Derivation& derivation) const { return (*this)(derivation.table()); }
  std::string operator()(const Picture&) const { return {}; }
  std::string operator()(const Card& card) const {
    return (*this)(Paragraph{strong(card.name)}) + (*this)(Paragraph{card.sentence}) + (*this)(List{card.cautions}) +
           (*this)(card.facts) + (*this)(Paragraph{card.reasons});
  }
  std::string operator()(const Fold& fold) const {
    std::string out = (*this)(Heading{fold.title, 3});
    for (const Block& block : fold.blocks) out += std::visit(*this, block.content);
    return out;
  }
  std::string operator()(const Footer& footer) const { return (*this)(Paragraph{footer.words}); }
};

/// At most one empty line in a row, none at either end.
std::string tidy(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != '\n' || (!out.empty() && !out.ends_with("\n\n"))) out += c;
  while (out.ends_with('\n')) out.pop_back();
  return out + "\n";
}

}  // namespace

std::string markdown_text(const Table& given) {
  const Table table = given.bars ? with_bars(given, 0) : given;
  const std::vector<std::size_t> order = page_order(table);
  std::string out = "|";
  for (const std::size_t i : order) out += " " + markdown_text(table.columns[i].title) + " |";
  out += "\n|";
  for (const std::size_t i : order) out += table.columns[i].align == Align::right ? "---:|" : "---|";
  for (const Row& row : table.rows) {
    out += "\n|";
    for (const std::size_t i : order) out += " " + markdown_text(row.cells[i].text) + " |";
  }
  return out + "\n";
}

std::string markdown_text(const Document& document) {
  std::string out;
  for (const Block& block : document.blocks())
    if (block.where != Where::terminal) out += std::visit(MarkdownRenderer{}, block.content);
  return tidy(out);
}

}  // namespace gpusel::show
