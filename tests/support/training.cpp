#include "support/training.hpp"

#include <stdexcept>

namespace gpusel::test {

physics::Machine enough(const physics::Layout& plan) {
  physics::Machine found = machine("h100-sxm-80gb", plan.tp * plan.pp * plan.cp * plan.dp);
  found.device.usable = gib(1e6);
  return found;
}

physics::MemoryBreakdown memory(const job::Job& work, const physics::Layout& plan, const physics::Machine& machine) {
  return training_memory(work, machine, plan, coefficients());
}

physics::MemoryBreakdown memory(const job::Job& work, const physics::Layout& plan) {
  return memory(work, plan, enough(plan));
}

physics::TrainingSpeed speed(const job::Job& work, const physics::Layout& plan, const physics::Machine& machine) {
  const auto found = training_speed(work, machine, plan, coefficients());
  if (!found) throw std::runtime_error("the plan has no speed");
  return *found;
}

physics::TrainingSpeed speed(const job::Job& work, const physics::Layout& plan) {
  return speed(work, plan, enough(plan));
}

}  // namespace gpusel::test
