// Language models on processors: the cores of one socket stand in for a GPU, with the bandwidth and the rate that
// llama.cpp reaches on them.
#pragma once

#include "job/job.hpp"
#include "physics/machine.hpp"
#include "physics/trace.hpp"

namespace gpusel::physics {

/// Whether machines without a GPU do such work: language models under llama.cpp, and what is counted as its kind says.
bool runs_on_cpus(const job::Job& work);

/// The machine as the work sees it: language models get a device made of its cores. Errors: a figure of the processor
/// is not published.
Result<Machine> machine_for(const job::Job& work, Machine machine, const Coefficients& c);

/// Cores that one process of llama.cpp works with: more than one socket slows it down.
double working_cores(const Host& host);

/// How that device's bandwidth and rate come about.
void explain_processor(const Host& host, const Coefficients& c, Trace& trace);

}  // namespace gpusel::physics
