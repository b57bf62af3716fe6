// What is paid beside the instances: a licence for graphics, storage, traffic. Private to this room.
#pragma once

#include "gpusel/cost/quote.hpp"

namespace gpusel::cost {

struct LineView {
  const catalog::Catalog& catalog;
  const estimate::Coefficients& coefficients;
  const Converter& converter;
  const Use& use;  // with a duty and extras
  const catalog::Instance& instance;
  const catalog::Region& region;
  const Billing& billing;
};

/// Of those that were asked for or that the job needs.
void add_lines(Quote& quote, const LineView& view);

}  // namespace gpusel::cost
