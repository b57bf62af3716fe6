// HTML: text made safe for it, and the frame of every page: one file that fetches nothing.
#pragma once

#include <string>
#include <string_view>

namespace gpusel::report {

/// Text as it may stand in HTML and in attributes; control characters and broken UTF-8 are made visible.
std::string html_text(std::string_view text);

/// A heading, and what stands below it, which is HTML already. `id`: what links call it.
std::string html_section(std::string_view heading, std::string_view html, std::string_view id = {});
std::string html_paragraph(std::string_view text);

/// The style and the script that pages carry, as they are embedded.
struct PageParts {
  std::string_view style, script;
  std::string_view style_hash, script_hash;  // SHA-256 in base64
};
PageParts page_parts();

/// A whole page, light or dark as its reader's system is, for wide and narrow screens and paper. Its policy lets
/// nothing be fetched and nothing run or style it but what is embedded; without `scripted`, nothing runs at all.
std::string html_page(std::string_view title, std::string_view body, bool scripted = false);

}  // namespace gpusel::report
