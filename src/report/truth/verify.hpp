// Estimates beside measurements, for a person and for a program.
#pragma once

#include <span>
#include <string>

#include "gpusel/advise/accuracy.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

/// What was asked to be shown besides the figures over all rows.
struct VerifyView {
  std::vector<advise::GroupBy> by;
  std::size_t worst = 0;
  bool explain = false;
};

Document verify_page(const advise::Verification& verification, const VerifyView& view);
/// One table: the figures over all rows, then those of each part.
Table verify_table(const advise::Verification& verification, const VerifyView& view);
Json verify_json(const advise::Verification& verification, const VerifyView& view);

}  // namespace gpusel::report
