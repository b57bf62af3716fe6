// One document as Markdown, as a page and on a terminal; what stands in it is text in each.
#include "show/render/markdown.hpp"

#include <catch2/catch.hpp>

#include "show/render/html/html.hpp"
#include "show/render/terminal/terminal.hpp"

namespace markdown_test {

using namespace gpusel::show;

namespace {

std::string body(const std::string& page) {
  const auto from = page.find("</h1>");
  return from == std::string::npos ? page : page.substr(from);
}

/// A page with nothing but this paragraph.
std::string page_of(const std::string& text) { return body(html_page(Document().title("title").line(text))); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("what a text holds is shown by Markdown and by a page, not obeyed") {
  const std::string text = "<b>x</b> **y** `z` [a](http://b.c) ![i](j) | ~~k~~ &lt; \\* a_b _c_ <!-- d -->";
  CHECK(markdown_text(text) ==
        "\\<b>x\\</b> \\*\\*y\\*\\* \\`z\\` \\[a\\](<http://b.c>) !\\[i\\](j) \\| \\~\\~k\\~\\~ \\&lt; \\\\\\* a_b "
        "\\_c\\_ "
        "\\<!-- d -->");
  const std::string page = page_of(text);
  for (const char* tag : {"<b>", "<strong>", "<code>", "<img", "<em>"}) CHECK_FALSE(has(page, tag));
  CHECK(has(page, "&lt;b&gt;x&lt;/b&gt; **y** `z` [a]("));
  CHECK(has(page, "&amp;lt; \\* a_b _c_ &lt;!-- d --&gt;"));
}

TEST_CASE("a line that looks like a heading, a list or a quotation is a paragraph") {
  for (const char* text : {"# a", "+ a", "- a", "> a", "=== a", "-"}) {
    CAPTURE(text);
    CHECK(markdown_text(Document().line(text)) == "\\" + std::string(text) + "\n");
    CHECK(has(page_of(text), "<p>"));
    for (const char* tag : {"<li>", "<blockquote>", "<h1>", "<h2>", "<hr"}) CHECK_FALSE(has(page_of(text), tag));
  }
  CHECK(markdown_text(Document().line("1. a").line("12) a")) == "1\\. a\n\n12\\) a\n");
}

TEST_CASE("addresses become links, the punctuation behind them does not") {
  CHECK(markdown_text("see https://a.b/c_d_e, (https://f.g).") == "see <https://a.b/c_d_e>, (<https://f.g>).");
  CHECK(markdown_text("javascript:alert(1)") == "javascript:alert(1)");
  CHECK(has(page_of("see https://a.b/c?d=1&e=\"2\", https."),
            "<p>see <a href=\"https://a.b/c?d=1&amp;e=\">https://a.b/c?d=1&amp;e=</a>&quot;2&quot;, https.</p>"));
  CHECK_FALSE(has(page_of("javascript:alert(1)"), "<a"));
}

TEST_CASE("a page is called by its first heading, and has its table where there is none") {
  const auto is_called = [](const std::string& page, const std::string& name) {
    return has(page, "<title>" + name + "</title>") && has(page, "<h1>" + name + "</h1>");
  };
  CHECK(is_called(html_page(Document().title("a `b` & c").line("text")), "a `b` &amp; c"));
  CHECK_FALSE(has(body(html_page(Document().title("a").line("text"))), "<h1>a"));
  const std::string later = html_page(Document().line("text").heading("a"));
  CHECK(is_called(later, "a"));
  CHECK(has(body(later), "<h2>a</h2>"));
  Table table({{"x"}, {"y"}});
  table.add({"1", "2"});
  const std::string none = html_page(Document().add(table));
  CHECK(is_called(none, "gpusel"));
  CHECK(has(body(none), "<th scope=\"col\">x</th>"));
}

TEST_CASE("control characters are visible") { CHECK(markdown_text("a\x1b[1m\n# b") == "a\\\\x1b\\[1m\\\\x0a# b"); }

TEST_CASE("a fence cannot be closed by what stands in it") {
  const Document document = Document().title("title").add(Code{"```\n<b>\n"});
  CHECK(markdown_text(document) == "# title\n\n````\n```\n<b>\n````\n");
  CHECK(has(body(html_page(document)), "<pre><code>```\n&lt;b&gt;\n</code></pre>"));
}

TEST_CASE("margins of a terminal are points of a list on a page") {
  const Document document =
      Document().title("a").line("b").line("  c", 4).line("     d", 4).heading("e").line("f").page_heading("g");
  CHECK(terminal_text(document, {}) == "a\nb\n  c\n     d\n\ne\nf\n");
  CHECK(markdown_text(document) == "# a\n\nb\n\n- c\n  - d\n\n## e\n\nf\n\n## g\n");
  CHECK(has(html_page(document), "<p>b</p>\n<ul>\n<li>c<ul>\n<li>d</li>\n</ul>\n</li>\n</ul>\n<section>\n<h2>e</h2>"));
  CHECK(terminal_text(Document().add(Code{"x <y>\n  z", 2}), {}) == "  x <y>\n    z\n");
  CHECK(markdown_text(Document().add(Code{"x <y>\n  z", 2})) == "```\nx <y>\n  z\n```\n");
}

TEST_CASE("what words mean has a look in each") {
  const Document document =
      Document().line(Text("  plain ").add("strong part", Meaning::strong).add(" and ").add("code", Meaning::code), 4);
  CHECK(terminal_text(document, {.width = 16}) == "  plain strong\n    part and\n    code\n");
  CHECK(terminal_text(document, {.width = 16, .color = true}) ==
        "  plain \x1b[1mstrong\n    part\x1b[0m and\n    code\n");
  CHECK(markdown_text(document) == "- plain **strong part** and `code`\n");
  CHECK(has(html_page(document), "plain <strong>strong part</strong> and <code>code</code>"));
}

}  // namespace markdown_test
