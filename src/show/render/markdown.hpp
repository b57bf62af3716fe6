// A document as Markdown (GitHub's), in which what comes out of files stays text.
#pragma once

#include <string>
#include <string_view>

#include "show/document/document.hpp"

namespace gpusel::show {

std::string markdown_text(const Document& document);
std::string markdown_text(const Table& table);

/// One line whose characters mean themselves; addresses become links. Control characters are made visible.
std::string markdown_text(std::string_view text);
/// Lines as they are, in a fence that they cannot close.
std::string markdown_code(std::string_view lines);
/// Where an address that `text` begins with ends; 0: none does.
std::size_t address_length(std::string_view text);

}  // namespace gpusel::show
