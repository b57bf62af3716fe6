#include "support/counted.hpp"

#include <stdexcept>

namespace gpusel::test {

Result<job::Job> try_counted(std::string_view words) {
  const job::Request asked = request(words);
  return job::resolve_counted(asked, asked.model.empty() ? nullptr : &model(asked.model), shipped());
}

job::Job counted_job(std::string_view words) {
  auto work = try_counted(words);
  if (!work) throw std::runtime_error(work.error().where + ": " + work.error().message);
  return *std::move(work);
}

physics::Layout with_batch(std::int64_t batch) {
  physics::Layout plan;
  plan.micro_batch = batch;
  return plan;
}

physics::Figures counted_figures_of(const job::Job& work, const physics::Machine& machine, physics::Layout plan) {
  plan.precision = physics::usual_precision(work, machine);
  return physics::counted_figures(work, machine, plan, coefficients());
}

}  // namespace gpusel::test
