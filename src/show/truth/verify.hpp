// Estimates beside measurements, for a person and for a program.
#pragma once

#include <span>
#include <string>

#include "answer/truth/accuracy.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What was asked to be shown besides the figures over all rows.
struct VerifyView {
  std::vector<answer::GroupBy> by;
  std::size_t worst = 0;
  bool explain = false;
  bool all = true;  // the tables of fit, order and choice too, which a terminal shows on request
};

Document verify_page(const answer::Verification& verification, const VerifyView& view);
/// One table: the figures over all rows, then those of each part.
Table verify_table(const answer::Verification& verification, const VerifyView& view);
Json verify_json(const answer::Verification& verification, const VerifyView& view);

}  // namespace gpusel::show
