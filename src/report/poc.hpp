// What to run before money is spent, for a person and for a program.
#pragma once

#include <string>

#include "gpusel/advise/poc.hpp"
#include "report/json.hpp"
#include "report/table.hpp"

namespace gpusel::report {

std::string poc_text(const advise::Poc& poc, const advise::Advice& advice, const catalog::Catalog& catalog,
                     bool explain, const Terminal& terminal);
Json poc_json(const advise::Poc& poc, const advise::Advice& advice, const catalog::Catalog& catalog);

/// A request of an estimate for what is tested, with every measured figure open: a row for gpusel calibrate. Null where
/// a request cannot say it.
Json poc_row(const advise::Poc& poc);

}  // namespace gpusel::report
