#include "physics/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/intervals.hpp"
#include "physics/kinds/physics.hpp"

namespace gpusel::physics {

double MemoryNeed::room() const {
  const double distance = is_known() ? std::log(available.raw() / needed.raw()) : 0;
  if (is_known() && deviation > 0) return distance / deviation;
  return distance < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

double MemoryNeed::chance() const {
  return is_known() ? normal_below(room()) : std::numeric_limits<double>::quiet_NaN();
}

bool MemoryNeed::likely(double least_chance) const { return !is_known() || chance() >= least_chance; }

bool MemoryNeed::surer_than(const MemoryNeed& other) const {
  constexpr double kSame = 1e-9;  // rounding
  if (fits() != other.fits()) return fits();
  return fits() ? room() > other.room() + kSame : needed * (1 + kSame) < other.needed;
}

Interval MemoryNeed::interval_gib() const {
  const Interval ratio = ratio_of(deviation);
  return {in_gib(needed) * ratio.low, in_gib(needed) * ratio.high};
}

MemoryNeed memory_need(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c) {
  MemoryNeed need = physics_of(work).need(work, machine, plan, c);
  need.deviation *= own_exponent(work, machine, plan.layout, Range80::memory, c);
  return need;
}

void explain_need(const Plan& plan, Trace& trace) {
  const MemoryNeed& need = plan.need;
  if (!need.is_known()) return;
  if (!plan.serving)
    record(&trace, {"memory.needed", "{:.2f}", "GiB"}, [&](auto told) {
      return told("total", plan.memory.total()) - told.some("memory that the allocator can release", plan.memory.spare);
    });
  if (need.deviation <= 0 || need.available <= Bytes{}) return;
  record(&trace, {"probability.fits", "{:.3f}", {}}, [&](auto told) {
    return normal_below(logarithm(told("usable", in_gib(need.available)) / told("needed", in_gib(need.needed))) /
                        told("deviation of the logarithm", need.deviation));
  });
}

double chance_to_fit(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c) {
  return memory_need(work, machine, plan, c).chance();
}

double least_chance(const job::Job& work, const Coefficients& c) {
  constexpr double kFits = 0.5;  // what MemoryNeed::fits() says
  return std::max(kFits, work.min_fit.value_or(c.min_fit.value));
}

}  // namespace gpusel::physics
