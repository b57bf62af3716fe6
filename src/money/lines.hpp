// What is paid beside the instances: a host charged apart, setup, a licence for graphics, storage, traffic. Private to
// this room.
#pragma once

#include "money/quote.hpp"

namespace gpusel::money {

struct LineView {
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  const Converter& converter;
  const Use& use;  // with a duty and extras
  const catalog::Instance& instance;
  const catalog::Region& region;
  const Billing& billing;
  const Paid& paid;
};

/// Of what the seller charges on top, what was asked for and what the job needs.
void add_lines(Quote& quote, const LineView& view);

}  // namespace gpusel::money
