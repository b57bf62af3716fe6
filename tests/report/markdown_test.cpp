#include "report/render/markdown.hpp"

#include <catch2/catch.hpp>

#include "report/markdown_page.hpp"
#include "report/table.hpp"

namespace markdown_test {

using namespace gpusel::report;

namespace {

const Terminal kDocument{Width::markdown()};

std::string body(const std::string& page) {
  const auto from = page.find("</h1>");
  return from == std::string::npos ? page : page.substr(from);
}

}  // namespace

TEST_CASE("what a text holds is shown by Markdown, not obeyed") {
  const std::string page = markdown_page(
      "# title\n\n" + markdown_text("<b>x</b> **y** `z` [a](http://b.c) ![i](j) | ~~k~~ &lt; \\* a_b _c_ <!-- d -->"));
  CHECK(body(page).find("<b>") == std::string::npos);
  CHECK(body(page).find("<strong>") == std::string::npos);
  CHECK(body(page).find("<code>") == std::string::npos);
  CHECK(body(page).find("<img") == std::string::npos);
  CHECK(body(page).find("<em>") == std::string::npos);
  CHECK(body(page).find("&lt;b&gt;x&lt;/b&gt; **y** `z` [a](") != std::string::npos);
  CHECK(body(page).find("&amp;lt;") != std::string::npos);
  CHECK(body(page).find("a_b _c_ &lt;!-- d --&gt;") != std::string::npos);
}

TEST_CASE("a line that looks like a heading, a list or a quotation is a paragraph") {
  for (const char* text : {"# a", "+ a", "- a", "> a", "1. a", "12) a", "=== a", "-"}) {
    const std::string page = markdown_page("# title\n\n" + wrap(text, Width::markdown(), 2));
    CAPTURE(text, page);
    CHECK(body(page).find("<p>") != std::string::npos);
    for (const char* tag : {"<li>", "<blockquote>", "<h1>", "<h2>", "<hr"})
      CHECK(body(page).find(tag) == std::string::npos);
  }
}

TEST_CASE("addresses become links, the punctuation behind them does not") {
  CHECK(markdown_text("see https://a.b/c_d_e, (https://f.g).") == "see <https://a.b/c_d_e>, (<https://f.g>).");
  CHECK(markdown_text("javascript:alert(1)") == "javascript:alert(1)");
}

TEST_CASE("a page is called by its first heading, and has its table where there is none") {
  const auto is_called = [](const std::string& page, const std::string& name) {
    return page.find("<title>" + name + "</title>") != std::string::npos &&
           page.find("<h1>" + name + "</h1>") != std::string::npos;
  };
  CHECK(is_called(markdown_page("# a \\`b\\` & c\n\ntext\n"), "a `b` &amp; c"));
  CHECK(body(markdown_page("# a\n\ntext\n")).find("<h1>a") == std::string::npos);
  const std::string later = markdown_page("text\n\n## a\n");
  CHECK(is_called(later, "a"));
  CHECK(body(later).find("<h2>a</h2>") != std::string::npos);
  const std::string none = markdown_page("| x | y |\n|---|---|\n| 1 | 2 |\n");
  CHECK(is_called(none, "gpusel"));
  CHECK(body(none).find("<th>x</th>") != std::string::npos);
}

TEST_CASE("control characters are visible") { CHECK(markdown_text("a\x1b[1m\n# b") == "a\\\\x1b\\[1m\\\\x0a# b"); }

TEST_CASE("a fence cannot be closed by what stands in it") {
  const std::string page = markdown_page("# title\n\n" + markdown_code("```\n<b>\n", {}));
  CHECK(body(page).find("<pre><code>```\n&lt;b&gt;\n</code></pre>") != std::string::npos);
}

TEST_CASE("places of a terminal are marks of a document") {
  CHECK(tidy_markdown(title("a", kDocument) + wrap("b", kDocument.width, 2) + wrap("  c", kDocument.width, 4) +
                      wrap("     d", kDocument.width, 4) + heading("e", kDocument) + wrap("f", kDocument.width, 2)) ==
        "# a\n\nb\n\n- c\n  - d\n\n## e\n\nf\n");
  CHECK(title("a", {}) + document_heading("b", {}) + heading("c", {}) == "a\n\nc\n");
  CHECK(verbatim("x <y>\n  z", 2, {}) == "  x <y>\n    z\n");
  CHECK(tidy_markdown(verbatim("x <y>\n  z", 2, kDocument)) == "```\nx <y>\n  z\n```\n");
}

}  // namespace markdown_test
