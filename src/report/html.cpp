#include "report/html.hpp"

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

extern "C" {
extern const char gpusel_page_style[], gpusel_page_style_end[];
extern const char gpusel_page_script[], gpusel_page_script_end[];
extern const char gpusel_page_style_hash[], gpusel_page_style_hash_end[];
extern const char gpusel_page_script_hash[], gpusel_page_script_hash_end[];
}

namespace gpusel::report {

std::string html_text(std::string_view given) {
  std::string out;
  for (const char c : printable(given)) {
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

std::string html_section(std::string_view heading, std::string_view html, std::string_view id) {
  const std::string name = id.empty() ? std::string() : format(" id=\"{}\"", html_text(id));
  return format("<section{}>\n<h2>{}</h2>\n{}</section>\n", name, html_text(heading), html);
}

std::string html_paragraph(std::string_view words) { return format("<p>{}</p>\n", html_text(words)); }

PageParts page_parts() {
  const auto between = [](const char* begin, const char* end) { return std::string_view(begin, end); };
  return {between(gpusel_page_style, gpusel_page_style_end), between(gpusel_page_script, gpusel_page_script_end),
          between(gpusel_page_style_hash, gpusel_page_style_hash_end),
          between(gpusel_page_script_hash, gpusel_page_script_hash_end)};
}

std::string html_page(std::string_view title, std::string_view body, bool scripted) {
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

}  // namespace gpusel::report
