#include "report/markdown_page.hpp"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "gpusel/base/text.hpp"
#include "report/html.hpp"

namespace gpusel::report {

namespace {

struct Free {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
  void operator()(cmark_node* node) const { cmark_node_free(node); }
  void operator()(char* text) const { std::free(text); }
};

/// Tables in boxes of their own, which scroll where the page is narrower.
std::string boxed(std::string_view html) {
  constexpr std::pair<std::string_view, std::string_view> kBoxes[] = {{"<table>", "<div class=\"wide\"><table>"},
                                                                      {"</table>", "</table></div>"}};
  std::string out(html);
  for (const auto& [tag, box] : kBoxes)
    for (auto at = out.find(tag); at != std::string::npos; at = out.find(tag, at + box.size()))
      out.replace(at, tag.size(), box);
  return out;
}

/// CommonMark with tables. By default the library leaves out HTML and links that a browser would run.
std::string html_of(std::string_view markdown) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, Free> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  const std::unique_ptr<cmark_node, Free> document(cmark_parser_finish(parser.get()));
  const std::unique_ptr<char, Free> html(
      cmark_render_html(document.get(), CMARK_OPT_DEFAULT, cmark_parser_get_syntax_extensions(parser.get())));
  return boxed(html.get());
}

}  // namespace

std::string markdown_page(std::string_view markdown) {
  std::string_view title = trim(markdown.substr(0, markdown.find('\n')));
  while (title.starts_with('#')) title.remove_prefix(1);
  const bool heading = markdown.starts_with('#');
  const std::string_view body = heading ? markdown.substr(std::min(markdown.find('\n'), markdown.size())) : markdown;
  return html_page(trim(title), html_of(body));
}

}  // namespace gpusel::report
