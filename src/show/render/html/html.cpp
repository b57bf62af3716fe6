#include "show/render/html/html.hpp"

#include <algorithm>
#include <set>

#include "base/text/text.hpp"
#include "base/text/unicode.hpp"
#include "base/words/message.hpp"
#include "show/render/html/svg.hpp"
#include "show/render/markdown.hpp"

extern "C" {
extern const char gpusel_page_style[], gpusel_page_style_end[];
extern const char gpusel_page_script[], gpusel_page_script_end[];
extern const char gpusel_page_style_hash[], gpusel_page_style_hash_end[];
extern const char gpusel_page_script_hash[], gpusel_page_script_hash_end[];
}

namespace gpusel::show {

namespace {

/// With its signs encoded.
std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

std::string html_text(std::string_view text) { return encoded(printable(text)); }

PageParts page_parts() {
  const auto between = [](const char* begin, const char* end) { return std::string_view(begin, end); };
  return {between(gpusel_page_style, gpusel_page_style_end), between(gpusel_page_script, gpusel_page_script_end),
          between(gpusel_page_style_hash, gpusel_page_style_hash_end),
          between(gpusel_page_script_hash, gpusel_page_script_hash_end)};
}

namespace {

/// What a page without a heading is called.
constexpr std::string_view kUntitled = "gpusel";

std::string framed(std::string_view title, std::string_view body, bool scripted) {
  const PageParts parts = page_parts();
  const std::string head = html_text(title);
  const std::string may_run = scripted ? format("'sha256-{}'", parts.script_hash) : "'none'";
  const std::string script = scripted ? format("<script>{}</script>\n", parts.script) : "";
  return format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}'; "
      "script-src {}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<main>\n<h1>{}</h1>\n{}</main>\n{}</body>\n</html>\n",
      spoken(), parts.style_hash, may_run, head, parts.style, head, body, script);
}

/// `always`: of an empty value, too.
std::string attribute(std::string_view name, std::string_view value, bool always = false) {
  return value.empty() && !always ? std::string() : format(" {}=\"{}\"", name, html_text(value));
}

/// Addresses become links.
std::string with_links(std::string_view words) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = words.find("http"); at != std::string_view::npos; at = words.find("http", at + 1)) {
    const std::size_t length = address_length(words.substr(at));
    if (length == 0) continue;
    const std::string address = html_text(words.substr(at, length));
    out += html_text(words.substr(from, at - from)) + format("<a href=\"{0}\">{0}</a>", address);
    from = at + length;
    at = from - 1;
  }
  return out + html_text(words.substr(from));
}

/// Words that are kept together: a line breaks between them only.
std::string whole_words(std::string_view command) {
  std::string out;
  for (const std::string_view word : split(command, ' '))
    out += format("{}<span>{}</span>", out.empty() ? "" : " ", html_text(word));
  return out;
}

/// Where there is no room, columns are left out: first on phones, and those needed least on paper.
std::string_view rarity(const Column& column) { return column.keep == 0 ? "" : column.keep == 1 ? " spare" : " extra"; }

std::string classes(const Table& table, const Column& column, bool head) {
  std::string out;
  if (column.align == Align::right) out += " num";
  if (column.least > 0 && !head) out += " text";
  if (table.sorting) out += rarity(column);
  return out.empty() ? out : format(" class=\"{}\"", out.substr(1));
}

class PageWriter {
 public:
  explicit PageWriter(const Document& document) : document_(document) {
    for (const Block& block : document.blocks()) {
      const auto* table = std::get_if<Table>(&block.content);
      scripted_ = scripted_ || (table != nullptr && table->sorting);
    }
  }

  std::string page() {
    std::string title(kUntitled);
    bool first = true, titled = false;
    for (const Block& block : document_.blocks()) {
      if (block.where == Where::terminal) continue;
      const auto* heading = std::get_if<Heading>(&block.content);
      if (heading != nullptr && !titled) title = heading->text.words();
      // It stands above the page already; one further down keeps its place.
      if (heading == nullptr || titled || !first) write(block);
      titled = titled || heading != nullptr;
      first = false;
    }
    to_depth(0);
    if (in_section_) out_ += "</section>\n";
    return framed(title, out_, scripted_);
  }

  void operator()(const Heading& heading) {
    to_depth(0);
    if (heading.level <= 2) {
      out_ += format("{}<section{}>\n", in_section_ ? "</section>\n" : "", attribute("id", heading.id));
      in_section_ = true;
    }
    const int level = std::max(heading.level, 2);
    out_ += format("<h{0}>{1}</h{0}>\n", level, marked(heading.text));
  }
  void operator()(const Paragraph& one) {
    constexpr std::size_t kDeep = 4;
    const std::string words = one.text.words();
    const std::size_t margin = std::min(words.find_first_not_of(' '), words.size());
    if (margin > 0) {
      to_depth(margin < kDeep ? 1 : std::min<std::size_t>(depth_ + 1, 2), true);
      const std::string point = marked(one.text);
      out_ += point.substr(std::min(point.find_first_not_of(' '), point.size()));
      return;
    }
    to_depth(0);
    const Meaning meaning = one.text.meaning();
    const std::string_view kind = meaning == Meaning::lead ? "lead" : meaning == Meaning::secondary ? "soft small" : "";
    out_ +=
        format("<p{}>{}</p>\n", attribute("class", kind), kind.empty() ? marked(one.text) : words_of(one.text.words()));
  }
  void operator()(const Gap&) {}
  void operator()(const Code& code) {
    to_depth(0);
    const std::string_view end = code.lines.ends_with('\n') ? "" : "\n";
    out_ += code.label.empty() ? format("<pre><code>{}{}</code></pre>\n", encoded(visible(code.lines, false)), end)
                               : format("<pre class=\"command\" aria-label=\"{}\">{}</pre>\n", html_text(code.label),
                                        whole_words(code.lines));
  }
  void operator()(const List& list) {
    to_depth(0);
    const std::string_view tag = list.kind == List::Kind::steps ? "ol" : "ul";
    const std::string_view kind = list.kind == List::Kind::steps   ? "steps"
                                  : list.kind == List::Kind::chips ? "chips"
                                                                   : "";
    out_ += format("<{}{}>\n", tag, attribute("class", kind));
    for (const Text& item : list.items) out_ += format("<li>{}</li>\n", marked(item));
    out_ += format("</{}>\n", tag);
  }
  void operator()(const Facts& facts) { (*this)(facts.table()); }
  void operator()(const Table& table);
  void operator()(const SideBySide& table) { (*this)(table.table()); }
  void operator()(const Derivation& derivation) { (*this)(derivation.table()); }
  void operator()(const Picture& picture) {
    to_depth(0);
    if (const auto* chart = std::get_if<Chart>(&picture.of)) out_ += svg_chart(*chart, picture.label);
    if (const auto* bars = std::get_if<Bars>(&picture.of)) out_ += svg_bars(*bars, picture.label);
    if (const auto* stacks = std::get_if<Stacks>(&picture.of)) out_ += svg_stacks(*stacks, picture.label);
  }
  void operator()(const Card& card);
  void operator()(const Fold& fold) {
    to_depth(0);
    out_ += format("<details class=\"{}\"{} data-count=\"{}\"><summary><span class=\"count\">{}</span>{}</summary>\n",
                   fold.kind, attribute("data-rule", fold.key), fold.count, fold.count, marked(fold.title));
    for (const Block& block : fold.blocks) write(block);
    out_ += "</details>\n";
  }
  void operator()(const Footer& footer) {
    to_depth(0);
    if (in_section_) out_ += "</section>\n";
    in_section_ = false;
    out_ += format("<footer>\n<p>{}</p>\n</footer>\n", html_text(footer.words));
  }

 private:
  void write(const Block& block) {
    if (block.where != Where::terminal) std::visit(*this, block.content);
  }

  /// A page with a script keeps to itself.
  std::string words_of(std::string_view words) const { return scripted_ ? html_text(words) : with_links(words); }

  std::string marked(const Text& text) const {
    std::string out;
    for (const Span& span : text.spans()) {
      const std::string words = words_of(span.words);
      switch (span.meaning) {
        case Meaning::strong:
        case Meaning::best: out += "<strong>" + words + "</strong>"; break;
        case Meaning::code: out += "<code>" + words + "</code>"; break;
        case Meaning::secondary: out += "<span class=\"soft small\">" + words + "</span>"; break;
        case Meaning::warn: out += "<span class=\"level warn\">" + words + "</span>"; break;
        case Meaning::note: out += "<span class=\"level\">" + words + "</span>"; break;
        case Meaning::plain:
        case Meaning::lead: out += words; break;
      }
    }
    return out;
  }

  /// Opens and closes points of a list; `item`: the next one begins.
  void to_depth(std::size_t depth, bool item = false) {
    for (; depth_ > depth; --depth_) out_ += "</li>\n</ul>\n";
    if (item && depth_ == depth) out_ += "</li>\n<li>";
    for (; depth_ < depth; ++depth_) out_ += "<ul>\n<li>";
  }

  std::string controls(const Table& table) const;
  std::string cell_html(const Table& table, const Row& row, std::size_t column) const;

  const Document& document_;
  std::string out_;
  std::size_t depth_ = 0;
  bool in_section_ = false;
  bool scripted_ = false;
};

/// Hidden until a script is there to obey it.
std::string PageWriter::controls(const Table& table) const {
  std::string out = format("<form class=\"controls\" hidden>\n<label>{}<input type=\"search\" name=\"text\"></label>\n",
                           html_text(say("Filter, as in {}", "h100 us-east")));
  for (const auto& [name, label] : table.sorting->filters) {
    std::set<std::string> values;
    for (const Row& row : table.rows)
      for (const auto& [fact, value] : row.facts)
        if (fact == name) values.insert(value);
    out += format("<label>{}<select name=\"{}\"><option value=\"\">{}</option>", html_text(label), name,
                  html_text(say("all")));
    for (const std::string& value : values) out += format("<option value=\"{0}\">{0}</option>", html_text(value));
    out += "</select></label>\n";
  }
  return out + format("<output aria-live=\"polite\" data-text=\"{}\"></output>\n</form>\n",
                      html_text(say_text("{} of {} shown")));
}

std::string PageWriter::cell_html(const Table& table, const Row& row, std::size_t column) const {
  const Cell& cell = row.cells[column];
  const Column& of = table.columns[column];
  std::string out = "<td" + classes(table, of, false);
  if (table.sorting && cell.raw) out += attribute("data-value", *cell.raw, true);
  if (of.link.empty() || cell.text.empty())
    out += ">" + words_of(cell.text);
  else
    out += format("><a href=\"#{}\"{}>{}</a>", of.link, attribute("title", cell.tip), html_text(cell.text));
  std::string below;
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    if (table.columns[i].below == column && !row.cells[i].text.empty())
      below += (below.empty() ? "" : " · ") + row.cells[i].text;
  if (!below.empty()) out += format("<span class=\"where\">{}</span>", html_text(below));
  if (table.folded && table.folded->second == column)
    out += format("<span class=\"where narrow\">{}</span>", html_text(row.cells[table.folded->first].text));
  return out + "</td>";
}

void PageWriter::operator()(const Table& table) {
  to_depth(0);
  if (table.empty()) return;
  if (table.bars) out_ += svg_bars(*table.bars, table.bars->title);
  std::vector<std::size_t> order = page_order(table);
  std::erase_if(
      order, [&](std::size_t i) { return table.columns[i].below || (table.bars && table.columns[i].title.empty()); });
  const bool wraps = std::ranges::any_of(table.columns, [](const Column& column) { return column.least > 0; });
  const std::string kind = format("{}{}", table.sorting ? "sortable " : "", table.sorting || wraps ? "full" : "");
  if (table.sorting) out_ += controls(table);
  out_ += "<div class=\"wide\" tabindex=\"0\"";  // what scrolls is reached by keys
  if (table.sorting) out_ += format(" role=\"region\" aria-label=\"{}\"", html_text(table.sorting->label));
  out_ += format(">\n<table{}>\n<thead><tr>", attribute("class", kind));
  for (const std::size_t i : order)
    out_ += format("<th scope=\"col\"{}>{}</th>", classes(table, table.columns[i], true),
                   html_text(table.columns[i].title));
  out_ += "</tr></thead>\n<tbody>\n";
  for (const Row& row : table.rows) {
    out_ += "<tr" + attribute("class", row.meaning == Meaning::best   ? "best"
                                       : row.meaning == Meaning::warn ? "warn"
                                                                      : "");
    for (const auto& [name, value] : row.facts) out_ += attribute("data-" + name, value, true);
    out_ += ">";
    for (const std::size_t i : order) out_ += cell_html(table, row, i);
    out_ += "</tr>\n";
  }
  out_ += "</tbody>\n</table>\n</div>\n";
  if (table.sorting)
    out_ += format("<button type=\"button\" class=\"more\" hidden data-all=\"{}\" data-fewer=\"{}\"></button>\n",
                   html_text(say_text("all {}")), html_text(say("the first ten")));
}

void PageWriter::operator()(const Card& card) {
  to_depth(0);
  out_ += format("<div class=\"answer{}\"{}>\n<p><span class=\"name\">{}</span> {}</p>\n",
                 card.facts.facts.empty() ? " nothing" : "", attribute("id", card.id), html_text(card.name),
                 html_text(card.sentence));
  if (!card.cautions.empty()) {
    out_ += "<ul class=\"cautions\">\n";
    for (const Text& caution : card.cautions) out_ += format("<li>{}</li>\n", marked(caution));
    out_ += "</ul>\n";
  }
  if (!card.facts.facts.empty()) {
    out_ += "<dl class=\"facts\">\n";
    for (const Fact& fact : card.facts.facts)
      out_ += format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", html_text(fact.label), html_text(fact.value),
                     fact.aside.empty() ? "" : format("<span>{}</span>", html_text(fact.aside)));
    out_ += "</dl>\n";
  }
  if (!card.reasons.empty()) out_ += format("<p class=\"soft small\">{}</p>\n", html_text(card.reasons));
  out_ += "</div>\n";
}

}  // namespace

std::string html_page(const Document& document) { return PageWriter(document).page(); }

}  // namespace gpusel::show
