// What becomes of a command line, as a page and as JSON.
#pragma once

#include "answer/preflight/preflight.hpp"
#include "show/document/document.hpp"
#include "show/json/json_out.hpp"

namespace gpusel::show {

/// `all`: every argument, part, assumption and note.
Document preflight_page(const answer::Preflight& answer, const catalog::Catalog& catalog, bool all);
Table preflight_table(const answer::Preflight& answer);
/// schema gpusel.preflight/1.
void tell_preflight(JsonOut& out, const answer::Preflight& answer, const catalog::Catalog& catalog);

}  // namespace gpusel::show
