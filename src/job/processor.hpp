// What is meant of a question about machines without a GPU.
#pragma once

#include "job/job.hpp"
#include "job/limits/constraints.hpp"

namespace gpusel::job {

/// The format of a language model's weights under llama.cpp where nobody says another.
inline constexpr std::string_view kUsualGguf = "q4_k_m";

/// Whether neither the request nor the model's file says in which format the weights are.
bool leaves_format_open(const Request& request, const catalog::Model& model);

/// Whether a GPU is ruled out.
bool wants_no_gpu(const Constraints& limits);

/// What serves a language model there where nothing in the request says so: llama.cpp, with weights in 4 bit.
void assume_processor(Request& request, const catalog::Model* model, Assumptions& assumed);

}  // namespace gpusel::job
