#include "report/markdown_page.hpp"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "report/render/html.hpp"

namespace gpusel::report {

namespace {

/// What a page without a heading is called.
constexpr const char* kUntitled = "gpusel";

struct Free {
  void operator()(cmark_iter* walk) const { cmark_iter_free(walk); }
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

/// The words of a heading, without its marks.
std::string words_of(cmark_node* heading) {
  std::string words;
  const std::unique_ptr<cmark_iter, Free> walk(cmark_iter_new(heading));
  for (auto event = cmark_iter_next(walk.get()); event != CMARK_EVENT_DONE; event = cmark_iter_next(walk.get()))
    if (event == CMARK_EVENT_ENTER)
      if (const char* literal = cmark_node_get_literal(cmark_iter_get_node(walk.get()))) words += literal;
  return words;
}

/// The first heading of all; null where there is none.
cmark_node* first_heading(cmark_node* document) {
  cmark_node* at = cmark_node_first_child(document);
  while (at != nullptr && cmark_node_get_type(at) != CMARK_NODE_HEADING) at = cmark_node_next(at);
  return at;
}

}  // namespace

std::string markdown_page(std::string_view markdown) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, Free> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  const std::unique_ptr<cmark_node, Free> document(cmark_parser_finish(parser.get()));
  std::string title = kUntitled;
  if (cmark_node* heading = first_heading(document.get()); heading != nullptr) {
    title = words_of(heading);
    // It stands above the page already; one further down keeps its place.
    if (cmark_node_previous(heading) == nullptr) {
      cmark_node_unlink(heading);
      cmark_node_free(heading);
    }
  }
  // By default the library leaves out HTML and links that a browser would run.
  const std::unique_ptr<char, Free> html(
      cmark_render_html(document.get(), CMARK_OPT_DEFAULT, cmark_parser_get_syntax_extensions(parser.get())));
  return html_page(title, boxed(html.get()));
}

}  // namespace gpusel::report
