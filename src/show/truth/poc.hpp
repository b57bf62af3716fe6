// What to run before money is spent, for a person and for a program.
#pragma once

#include <string>

#include "answer/poc/poc.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

struct PocView {
  const answer::Poc& poc;
  const answer::Advice& advice;
  const job::Request& request;
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
};

Document poc_page(const PocView& view, bool explain);
Json poc_json(const PocView& view);

/// A request of an estimate for what is tested, with every measured figure open: a row for gpusel calibrate. Null where
/// a request cannot say it: estimated again, it must give the figures that are told to be expected.
Json poc_row(const PocView& view);
/// Why there is none.
std::string no_row_reason(const PocView& view);

}  // namespace gpusel::show
