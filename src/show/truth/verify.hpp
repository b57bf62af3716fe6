// Estimates beside measurements, for a person and for a program.
#pragma once

#include <span>
#include <string>

#include "answer/truth/refit/leave_out.hpp"
#include "answer/truth/refit/refit.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What was asked to be shown besides the figures over all rows.
struct VerifyView {
  std::vector<answer::GroupBy> by;
  std::size_t worst = 0;
  bool explain = false;
  bool all = true;  // the tables of fit, order and choice too, which a terminal shows on request
  const answer::LeaveOut* left_out = nullptr;  // null: not asked for
  const answer::Refit* refit = nullptr;        // likewise
};

Document verify_page(const answer::Verification& verification, const VerifyView& view);
/// One table: the figures over all rows, then those of each part.
Table verify_table(const answer::Verification& verification, const VerifyView& view);
Json verify_json(const answer::Verification& verification, const VerifyView& view);

}  // namespace gpusel::show
