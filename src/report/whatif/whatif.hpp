// A what-if answer as a document, and as JSON or CSV for programs.
#pragma once

#include <string>

#include "gpusel/advise/whatif.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

Document whatif_page(const advise::WhatIf& answer, const catalog::Catalog& catalog);
Json whatif_json(const advise::WhatIf& answer, const catalog::Catalog& catalog);
/// One row per point, per input of the tornado and per candidate; `section` tells them apart.
Table whatif_table(const advise::WhatIf& answer, const catalog::Catalog& catalog);

}  // namespace gpusel::report
