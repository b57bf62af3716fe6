// A table as CSV (RFC 4180) for programs: values in full, and nothing that a spreadsheet would run.
#pragma once

#include <string>

#include "show/document/document.hpp"

namespace gpusel::show {

std::string csv_text(const Table& table);
/// Of a document, its first table.
std::string csv_text(const Document& document);

}  // namespace gpusel::show
