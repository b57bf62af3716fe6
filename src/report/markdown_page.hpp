// An answer in Markdown as a page: every answer has the one, and so has the other.
#pragma once

#include <string>
#include <string_view>

namespace gpusel::report {

/// A whole page; its title is the first heading, or else the name of the program. HTML inside the text is shown, never
/// obeyed.
std::string markdown_page(std::string_view markdown);

}  // namespace gpusel::report
