// Of pages that still are strings.
#pragma once

#include "report/render/terminal.hpp"

namespace gpusel::report {

std::string wrap(std::string_view text, Width width, std::size_t indent);
std::string title(std::string_view text, const Terminal& terminal);
std::string document_title(std::string_view text, const Terminal& terminal);
std::string heading(std::string_view text, const Terminal& terminal, std::size_t level = 2);
std::string document_heading(std::string_view text, const Terminal& terminal);
std::string verbatim(std::string_view lines, std::size_t indent, const Terminal& terminal);
std::string bold(std::string_view text, const Terminal& terminal);
std::string dim(std::string_view text, const Terminal& terminal);
}  // namespace gpusel::report
