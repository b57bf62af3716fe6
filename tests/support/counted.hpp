// Jobs that are counted in items of their own, and their figures on a machine.
#pragma once

#include "gpusel/estimate/counted.hpp"
#include "support/job.hpp"

namespace gpusel::test {

/// From "key=value" words, as for other jobs.
Result<workload::Workload> try_counted(std::string_view words);
/// For jobs that must resolve: throws the error's message otherwise.
workload::Workload counted_job(std::string_view words);

/// So many items per GPU and pass, in the arithmetic of the job or fp16.
estimate::CountedPlan with_batch(std::int64_t batch);

estimate::CountedFigures counted_figures_of(const workload::Workload& work, const estimate::Machine& machine,
                                            estimate::CountedPlan plan);

}  // namespace gpusel::test
