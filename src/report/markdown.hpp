// Text as Markdown (GitHub's), so that what comes out of files stays text.
#pragma once

#include <string>
#include <string_view>

namespace gpusel::report {

/// One line whose characters mean themselves; addresses become links. Control characters are made visible.
std::string markdown_text(std::string_view text);
/// The same at the start of a paragraph, where a line could be taken for a heading, a list or a quotation.
std::string markdown_line(std::string_view text);
/// Lines as they are, in a fence that they cannot close.
std::string markdown_code(std::string_view lines, std::string_view language);
/// At most one empty line in a row, none at either end.
std::string tidy_markdown(std::string_view text);

}  // namespace gpusel::report
