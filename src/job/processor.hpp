// What is meant of a question about machines without a GPU.
#pragma once

#include "job/job.hpp"

namespace gpusel::job {

/// What serves a language model there where nothing in the request says so: llama.cpp, with weights in 4 bit.
void assume_processor(Request& request, const catalog::Model* model, Assumptions& assumed);

}  // namespace gpusel::job
