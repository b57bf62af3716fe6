// A what-if answer as text or Markdown for people, as a page with charts, and as JSON or CSV for programs.
#pragma once

#include <string>

#include "gpusel/advise/whatif.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"

namespace gpusel::report {

std::string whatif_text(const advise::WhatIf& answer, const catalog::Catalog& catalog, const Terminal& terminal);
std::string whatif_html(const advise::WhatIf& answer, const catalog::Catalog& catalog);
Json whatif_json(const advise::WhatIf& answer, const catalog::Catalog& catalog);
/// One row per point, per input of the tornado and per candidate; `section` tells them apart.
std::string whatif_csv(const advise::WhatIf& answer, const catalog::Catalog& catalog);

}  // namespace gpusel::report
