// What the checks of a catalogue found, as lines under each check, and for other programs.
#pragma once

#include <string>

#include "catalog/lint/lint.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// Accepted findings are shown where `all` says so; they are counted in any case.
Document lint_page(const catalog::LintReport& report, bool all, bool counted);
/// "2 errors, 1 warning, 3 infos; 12 accepted".
std::string lint_counts(const catalog::LintReport& report);
Table lint_table(const catalog::LintReport& report, bool all);
Json lint_json(const catalog::LintReport& report, bool all);

/// Every check, as `--list` prints it.
Table check_table();
Json check_json();

}  // namespace gpusel::show
