#include "physics/kinds/counted.hpp"

#include "physics/kinds/classes.hpp"

namespace gpusel::physics {

using job::Precision;

CountedFigures counted_figures(const job::Job& work, const Machine& machine, const CountedPlan& plan,
                               const Coefficients& coefficients, Trace* trace) {
  const job::Counted& counted = *work.counted;
  const CountedAsk ask{work, counted, machine, plan, coefficients, *coefficients.counted, trace};
  return std::visit([&](const auto& job) { return figures_of(job, ask); }, counted.job);
}

bool has_batches(const job::Counted& counted) {
  return std::visit([](const auto& job) { return job.kInBatches; }, counted.job);
}

Precision usual_precision(const job::Job& work, const Machine& machine) {
  if (work.counted->precision) return *work.counted->precision;
  if (!job::runs_model(work.task)) return Precision::fp32;
  if (machine.on_cpu()) return usual_on_cpu(machine.host);
  const bool made_for_bf16 =
      job::is_training(work.task) || (work.model != nullptr && work.model->native_dtype == "bf16");
  if (machine.device.gpu->has_bf16 && made_for_bf16) return Precision::bf16;
  for (const Precision sixteen : {Precision::fp16, Precision::bf16})
    if (machine.device.native(sixteen)) return sixteen;
  return Precision::fp32;
}

}  // namespace gpusel::physics
