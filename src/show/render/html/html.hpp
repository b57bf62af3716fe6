// A document as a page: one file that fetches nothing, light or dark as its reader's system is, for wide and narrow
// screens and paper.
#pragma once

#include <string>
#include <string_view>

#include "show/document/document.hpp"

namespace gpusel::show {

/// Text as it may stand in HTML and in attributes; control characters and broken UTF-8 are made visible.
std::string html_text(std::string_view text);

/// The style and the script that pages carry, as they are embedded.
struct PageParts {
  std::string_view style, script;
  std::string_view style_hash, script_hash;  // SHA-256 in base64
};
PageParts page_parts();

/// Its policy lets nothing be fetched and nothing run or style it but what is embedded; where no table is sorted by its
/// reader, nothing runs at all.
std::string html_page(const Document& document);

}  // namespace gpusel::show
