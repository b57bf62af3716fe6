// Jobs that are counted in items of their own, and their figures on a machine.
#pragma once

#include "physics/kinds/counted.hpp"
#include "support/job.hpp"

namespace gpusel::test {

/// From "key=value" words, as for other jobs.
Result<job::Job> try_counted(std::string_view words);
/// For jobs that must resolve: throws the error's message otherwise.
job::Job counted_job(std::string_view words);

/// So many items per GPU and pass, in the arithmetic of the job or fp16.
physics::Layout with_batch(std::int64_t batch);

physics::Figures counted_figures_of(const job::Job& work, const physics::Machine& machine, physics::Layout plan);

}  // namespace gpusel::test
