#include "support/training.hpp"

#include <stdexcept>

namespace gpusel::test {

estimate::Machine enough(const estimate::TrainingPlan& plan) {
  return machine("h100-sxm-80gb", plan.tp * plan.pp * plan.cp * plan.dp);
}

estimate::MemoryBreakdown memory(const workload::Workload& work, const estimate::TrainingPlan& plan,
                                 const estimate::Machine& machine) {
  return training_memory(work, machine, plan, coefficients());
}

estimate::MemoryBreakdown memory(const workload::Workload& work, const estimate::TrainingPlan& plan) {
  return memory(work, plan, enough(plan));
}

estimate::TrainingSpeed speed(const workload::Workload& work, const estimate::TrainingPlan& plan,
                              const estimate::Machine& machine) {
  const auto found = training_speed(work, machine, plan, coefficients());
  if (!found) throw std::runtime_error("the plan has no speed");
  return *found;
}

estimate::TrainingSpeed speed(const workload::Workload& work, const estimate::TrainingPlan& plan) {
  return speed(work, plan, enough(plan));
}

}  // namespace gpusel::test
