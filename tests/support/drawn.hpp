// Jobs, plans and machines as they can be drawn for properties: of shipped models and GPUs, every option anywhere in
// its range.
#pragma once

#include <map>
#include <string>

#include "support/job.hpp"
#include "support/property.hpp"

namespace gpusel::test {

/// What is asked, by the keys of the contract, so that a property can ask again with one of them changed.
using Asked = std::map<std::string, std::string>;

std::string words_of(const Asked& asked);
std::string json_of(const Asked& asked);
/// Cases that are refused are left out.
job::Job job_of(const Asked& asked);

namespace any {

Asked training();
Asked serving();
/// A language model's training or service as JSON, one that models of any size can meet somewhere.
std::string job();
/// Work that is counted in items of its own, and a GPU that has what it takes.
Asked counted();

/// Degrees that divide the model's heads, layers and experts; everything else as it comes.
physics::Layout plan_for(const job::Job& work);
physics::Layout serving_plan(const job::Job& work);

/// GPUs whose figures for language models are published.
std::string gpu();
/// So many of any GPU, in equal nodes of at most eight.
physics::Machine machine(int gpus);
/// A processor whose figures are published, of any number of vCPUs.
physics::Host host();
/// So many of any GPU beside a processor that may not be known, or a processor alone.
physics::Machine counting_machine();

// Without figures that the catalogue may not know either. What the copy is of stays until the next case.
void leave_gaps(job::Job& work);
void leave_gaps(physics::Machine& machine);

}  // namespace any

/// The same machine of a part all of whose rates are higher by that factor, with its own links.
struct Faster {
  catalog::Gpu gpu;
  physics::Machine machine;

  Faster(const physics::Machine& slower, double factor);
  Faster(const Faster&) = delete;
  Faster& operator=(const Faster&) = delete;
};

}  // namespace gpusel::test
