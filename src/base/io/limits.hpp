// How much is read of what comes from outside, beside the bytes and the nesting that document.hpp limits: megabytes of
// text must not become gigabytes of values, nor hours of work. docs/cli.md tells all of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/values/error.hpp"

namespace gpusel {

/// Values of one YAML, JSON or CSV file: members, items and cells.
inline constexpr std::size_t kMaxValues = 2'000'000;
/// Columns of a table.
inline constexpr std::size_t kMaxColumns = 1'000;

/// Problems that are told of one file; what follows is not looked at.
inline constexpr std::size_t kMaxProblems = 1'000;
inline bool is_enough(const Errors& problems) { return problems.size() >= kMaxProblems; }

/// "more than 2,000,000 values".
std::string too_many_values();
std::string too_many_columns();

/// Why a file that begins so is no text: UTF-16, or packed; empty where nothing speaks against it.
std::string_view not_text(std::string_view begin);

}  // namespace gpusel
