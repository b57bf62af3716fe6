// Formats that weights are stored in, and what a GPU does with them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/values/error.hpp"
#include "catalog/records/model.hpp"
#include "physics/machine.hpp"

namespace gpusel::physics {

/// How products with such weights are computed.
enum class Arithmetic : std::uint8_t {
  fp32,
  half,         // fp16 or bf16 tensor rate
  fp8,          // fp8 rate where the GPU has it, else weights are widened to 16 bit
  int8,         // int8 rate, activations quantised too
  fp4,          // fp4 rate where the GPU has it, else widened
  weight_only,  // always widened to 16 bit
};

struct WeightFormat {
  std::string_view name;
  double bits;        // per quantised weight, scales included
  bool keeps_ends;    // embedding, output head and norms stay at 16 bit
  bool experts_only;  // only routed experts are quantised, where there are any
  Arithmetic arithmetic;
};

/// Bytes of a value that is computed with: 4 where the arithmetic stores fp32, else 2; results of 8-bit products, too.
inline double storage_bytes(job::Precision precision) {
  return precision == job::Precision::fp32 || precision == job::Precision::tf32 ? 4 : 2;
}

/// By the contract's names; unknown ones are an error naming the nearest.
Result<const WeightFormat*> weight_format(std::string_view given);
std::span<const WeightFormat> weight_formats();

/// What the released weights are, as far as the device can hold that format at all: bf16 becomes
/// fp16 on GPUs without it, fp32 is served at 16 bit.
std::string_view native_weight_format(const catalog::Model& model, const Device& device);

/// Whether some release of the engine has kernels for the format on this GPU that are worth choosing: its table in
/// data/engines says where they are; fp4 only where it is in hardware, as widened weights of 4 bit there are better
/// ones. Of an engine or a GPU that no table speaks of, the GPU's own arithmetic decides.
bool has_kernels(const WeightFormat& format, const Device& device, job::Engine engine);

/// What the products run at: the device's rate for the format, and whether that is in hardware.
struct ComputeRate {
  FlopPerSecond peak;
  bool native = true;  // false: the format is widened first
  bool low_precision = false;
};
std::optional<ComputeRate> compute_rate(const WeightFormat& format, const Device& device);

}  // namespace gpusel::physics
