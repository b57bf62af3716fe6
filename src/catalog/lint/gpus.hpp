// What the checks of GPUs have in common.
#pragma once

#include "catalog/lint/checks.hpp"

namespace gpusel::catalog {

bool apart(double a, double b, double tolerance);
Subject about(const Gpu& gpu, std::string_view path);
/// TFLOPS that the tensor cores of an NVIDIA part reach in FP16.
Number tensor_peak(const Gpu& gpu);

}  // namespace gpusel::catalog
