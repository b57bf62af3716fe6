#include "show/render/terminal/terminal.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/text/unicode.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kChartRows = 16;

/// As wrap(), with the signs of each span; they take no room.
std::string wrapped(const Text& text, std::size_t hang, const Terminal& terminal) {
  const std::string lines = wrap(text.words(), terminal.width, hang);
  if (!terminal.color) return lines;
  // Lines differ from the words in blanks alone.
  std::string out;
  std::size_t at = 0;
  const auto to_word = [&](std::string& into) {
    while (at < lines.size() && (lines[at] == ' ' || lines[at] == '\n')) into += lines[at++];
  };
  for (const Span& span : text.spans()) {
    std::string inside;
    for (const char c : span.words) {
      if (c == ' ') continue;
      to_word(inside.empty() ? out : inside);
      if (at < lines.size()) inside += lines[at++];
    }
    out += styled(inside, span.meaning, terminal);
  }
  return out + lines.substr(std::min(at, lines.size()));
}

/// One under the other, values in a column where their sources stand behind them.
std::string facts_text(const Facts& facts, const Terminal& terminal) {
  std::size_t widest = 0, value = 0;
  for (const Fact& fact : facts.facts) {
    widest = std::max(widest, display_width(fact.label));
    if (!fact.aside.empty()) value = std::max(value, display_width(fact.value));
  }
  std::string out;
  for (const Fact& fact : facts.facts) {
    const std::string head = fact.label + std::string(widest - display_width(fact.label) + 2, ' ');
    if (fact.aside.empty())
      out += wrap(head + fact.value, terminal.width, widest + 2);
    else
      out += head + fact.value + std::string(value - display_width(fact.value) + 2, ' ') +
             styled(fact.aside, Meaning::secondary, terminal) + "\n";
  }
  return out;
}

std::string derivation_text(const Derivation& derivation, const Terminal& terminal) {
  std::string out;
  std::vector<std::string_view> above;  // sources of the branches that a step hangs on, which need not be said again
  for (const Step& step : derivation.steps) {
    const std::string margin(2 * step.depth, ' ');
    const std::string value = step.value.empty() ? std::string() : " = " + step.value;
    const std::size_t hang = derivation.tree ? margin.size() + 6 : 4;
    if (!derivation.tree)
      out += "\n" + styled(step.quantity, Meaning::strong, terminal) + value + "\n";
    else
      out += wrapped(Text(margin).add(step.quantity, Meaning::strong).add(value), margin.size() + 4, terminal);
    const auto below = [&](const std::string& words, std::size_t more) {
      if (!words.empty()) out += wrap(margin + "  " + words, terminal.width, more);
    };
    below(step.formula, hang);
    below(step.substituted.empty() ? "" : "= " + step.substituted, hang);
    above.resize(step.depth);
    const bool said = derivation.tree && (step.source.empty() || (!above.empty() && above.back() == step.source));
    if (!said) below("[" + step.source + "]", derivation.tree ? hang : 3);
    above.push_back(step.source);
  }
  return derivation.tree ? "\n" + out : out;
}

struct TerminalRenderer {
  const Terminal& terminal;

  std::string operator()(const Heading& heading) const {
    return (heading.level == 1 ? "" : "\n") + wrapped(strong(heading.text.words()), 2, terminal);
  }
  std::string operator()(const Paragraph& one) const { return wrapped(one.text, one.hang, terminal); }
  std::string operator()(const Gap&) const { return "\n"; }
  std::string operator()(const Code& code) const {
    std::string out;
    for (std::string_view rest = code.lines; !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      out += std::string(code.margin, ' ') + std::string(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
  }
  std::string operator()(const List& list) const {
    std::string out;
    for (const Text& item : list.items) {
      Text point("  ");
      for (const Span& span : item.spans()) point.add(span.words, span.meaning);
      out += wrapped(point, 4, terminal);
    }
    return out;
  }
  std::string operator()(const Facts& facts) const { return facts_text(facts, terminal); }
  std::string operator()(const Table& table) const { return table_text(table, terminal); }
  std::string operator()(const SideBySide& table) const { return side_by_side_text(table, terminal); }
  std::string operator()(const Derivation& derivation) const { return derivation_text(derivation, terminal); }
  std::string operator()(const Picture& picture) const {
    const auto* chart = std::get_if<Chart>(&picture.of);
    return chart != nullptr ? chart_text(*chart, kChartRows, terminal) : std::string();
  }
  std::string operator()(const Card& card) const {
    std::string out = (*this)(Heading{card.name, 1}) + wrap(card.sentence, terminal.width, 2);
    return out + (*this)(List{card.cautions}) + facts_text(card.facts, terminal) +
           (card.reasons.empty() ? "" : wrap(card.reasons, terminal.width, 2));
  }
  std::string operator()(const Fold& fold) const {
    std::string out = (*this)(Heading{fold.title});
    for (const Block& block : fold.blocks) out += std::visit(*this, block.content);
    return out;
  }
  std::string operator()(const Footer& footer) const { return "\n" + wrapped(secondary(footer.words), 2, terminal); }
};

}  // namespace

std::string terminal_text(const Document& document, const Terminal& terminal) {
  std::string out;
  for (const Block& block : document.blocks())
    if (block.where != Where::page) out += std::visit(TerminalRenderer{terminal}, block.content);
  // Blanks at which no line breaks have done their work: what reads the lines looks for plain ones.
  constexpr std::string_view kUnbroken = "\u00a0";
  for (std::size_t at = 0; (at = out.find(kUnbroken, at)) != std::string::npos; ++at)
    out.replace(at, kUnbroken.size(), " ");
  return out;
}

namespace {

constexpr std::string_view kBetweenItems = " · ";
/// Items of a line up to so many columns, and to a third of it, stay whole: "fits >99 %".
constexpr std::size_t kShortItem = 24;

void add_words(std::string_view item, std::vector<std::string>& words) {
  const std::size_t before = words.size();
  for (const std::string_view word : split(item, ' '))
    if (words.size() > before && (word.starts_with('%') || word == "N" || word.starts_with("N)")))
      words.back() += format(" {}", word);
    else
      words.emplace_back(word);
}

/// Words with what no line may begin with: a percent sign, the N of "--rps N", the dot between items.
std::vector<std::string> words_of(std::string_view text, std::size_t width) {
  std::vector<std::string> words;
  for (bool more = true; more;) {
    const auto end = text.find(kBetweenItems);
    const std::string_view item = text.substr(0, end);
    more = end != std::string_view::npos;
    if (display_width(item) <= std::min(kShortItem, width / 3) && (more || !words.empty()))
      words.emplace_back(item);
    else
      add_words(item, words);
    if (!more) break;
    words.back() += kBetweenItems.substr(0, kBetweenItems.size() - 1);
    text.remove_prefix(end + kBetweenItems.size());
  }
  return words;
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  if (width == 0 || display_width(text) <= width) return std::string(text) + "\n";
  std::string out;
  const std::size_t lead = std::min(text.find_first_not_of(' '), text.size());
  const std::string margin(std::min<std::size_t>(indent, width / 2), ' ');
  std::string line(std::min<std::size_t>(lead, width / 2), ' ');
  std::size_t used = line.size();
  bool starts = true;
  for (const std::string& word : words_of(text.substr(lead), width)) {
    bool first = true;
    for (const std::string_view piece : line_pieces(word)) {
      const std::size_t space = first && !starts ? 1 : 0;
      const std::size_t wide = display_width(piece);
      if (!starts && used + space + wide > width) {
        out += without_trailing_blanks(std::move(line)) + "\n";
        line = margin;
        used = margin.size();
      } else {
        line.append(space, ' ');
        used += space;
      }
      line += piece;
      used += wide;
      starts = first = false;
    }
  }
  return out + without_trailing_blanks(std::move(line)) + "\n";
}

std::vector<std::string> name_pieces(std::string_view name, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(name) > width) {
    // With the sign of what was cut, for which there is room where more than that is left.
    const std::string head = fit_width(name, display_width(name) > width + 1 ? width + 1 : width);
    std::size_t whole = 0;
    while (whole < head.size() && whole < name.size() && head[whole] == name[whole]) ++whole;
    std::size_t end = name.find_last_of(" -_./", whole == 0 ? 0 : whole - 1);
    end = end == std::string_view::npos || end < whole / 3 ? std::max<std::size_t>(whole, 1) : end + 1;
    while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) ++end;
    lines.emplace_back(trim(name.substr(0, end)));
    name.remove_prefix(end);
  }
  lines.emplace_back(name);
  return lines;
}

std::string styled(std::string_view words, Meaning meaning, const Terminal& terminal) {
  const auto sign = [&]() -> std::string_view {
    switch (meaning) {
      case Meaning::strong: return "\x1b[1m";
      case Meaning::secondary: return "\x1b[2m";
      case Meaning::best: return "\x1b[1;32m";
      case Meaning::warn: return "\x1b[33m";
      default: return {};
    }
  }();
  if (!terminal.color || sign.empty() || words.empty()) return std::string(words);
  return std::string(sign) + std::string(words) + "\x1b[0m";
}

}  // namespace gpusel::show
