// A what-if answer as a document, and as JSON or CSV for programs.
#pragma once

#include <string>

#include "answer/whatif/whatif.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What wins where first; `all`: with pictures, every row, what was assumed and where prices come from. `rows` of each
/// table; 0: what a screen has room for.
Document whatif_page(const answer::WhatIf& answer, const catalog::Catalog& catalog, bool all, std::size_t rows = 0);
Json whatif_json(const answer::WhatIf& answer, const catalog::Catalog& catalog);
/// One row per point, per input of the tornado and per candidate; `section` tells them apart.
Table whatif_table(const answer::WhatIf& answer, const catalog::Catalog& catalog);

}  // namespace gpusel::show
