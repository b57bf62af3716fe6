#include "support/counted.hpp"

#include <stdexcept>

namespace gpusel::test {

Result<workload::Workload> try_counted(std::string_view words) {
  const workload::Request asked = request(words);
  return workload::resolve_counted(asked, asked.model.empty() ? nullptr : &model(asked.model), shipped());
}

workload::Workload counted_job(std::string_view words) {
  auto work = try_counted(words);
  if (!work) throw std::runtime_error(work.error().where + ": " + work.error().message);
  return *std::move(work);
}

estimate::CountedPlan with_batch(std::int64_t batch) {
  estimate::CountedPlan plan;
  plan.batch = batch;
  return plan;
}

estimate::CountedFigures counted_figures_of(const workload::Workload& work, const estimate::Machine& machine,
                                            estimate::CountedPlan plan) {
  plan.precision = estimate::usual_precision(work, machine);
  return estimate::counted_figures(work, machine, plan, coefficients());
}

}  // namespace gpusel::test
