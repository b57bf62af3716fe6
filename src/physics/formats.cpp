#include "physics/formats.hpp"

#include <vector>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "physics/serving/abilities.hpp"
#include "physics/worthwhile.hpp"

namespace gpusel::physics {

namespace {

// Bits with scales. GPTQ and AWQ: 4 + 16/128 for scales and about 0.02 for zero points. NF4: Dettmers
// et al. 2023, arXiv 2305.14314. MXFP4: OCP MX specification, 8-bit scale per 32. NVFP4: 8-bit scale
// per 16. GGUF: bits per weight over all tensors, as llama.cpp's quantize tool lists them.
constexpr WeightFormat kFormats[] = {
    {"fp32", 32, false, false, Arithmetic::fp32},
    {"fp16", 16, false, false, Arithmetic::half},
    {"bf16", 16, false, false, Arithmetic::half},
    {"fp8", 8.03, true, false, Arithmetic::fp8},
    {"int8", 8.06, true, false, Arithmetic::int8},
    {"w8a16", 8.15, true, false, Arithmetic::weight_only},
    {"w4a16", 4.15, true, false, Arithmetic::weight_only},
    {"nf4", 4.127, true, false, Arithmetic::weight_only},
    {"nvfp4", 4.5, true, false, Arithmetic::fp4},
    {"mxfp4", 4.25, true, true, Arithmetic::fp4},
    {"q2_k", 3.0, false, false, Arithmetic::weight_only},
    {"q3_k_s", 3.5, false, false, Arithmetic::weight_only},
    {"q3_k_m", 3.91, false, false, Arithmetic::weight_only},
    {"q3_k_l", 4.27, false, false, Arithmetic::weight_only},
    {"iq4_xs", 4.3, false, false, Arithmetic::weight_only},
    {"q4_0", 4.55, false, false, Arithmetic::weight_only},
    {"q4_1", 5.0, false, false, Arithmetic::weight_only},
    {"q4_k_s", 4.58, false, false, Arithmetic::weight_only},
    {"q4_k_m", 4.85, false, false, Arithmetic::weight_only},
    {"q5_0", 5.54, false, false, Arithmetic::weight_only},
    {"q5_k_s", 5.54, false, false, Arithmetic::weight_only},
    {"q5_k_m", 5.69, false, false, Arithmetic::weight_only},
    {"q6_k", 6.56, false, false, Arithmetic::weight_only},
    {"q8_0", 8.5, false, false, Arithmetic::weight_only},
    {"f16", 16, false, false, Arithmetic::half},
    {"iq1_s", 1.56, false, false, Arithmetic::weight_only},
    {"iq1_m", 1.75, false, false, Arithmetic::weight_only},
    {"iq2_xxs", 2.06, false, false, Arithmetic::weight_only},
    {"iq2_xs", 2.31, false, false, Arithmetic::weight_only},
    {"iq2_s", 2.5, false, false, Arithmetic::weight_only},
    {"iq2_m", 2.7, false, false, Arithmetic::weight_only},
    {"iq3_xxs", 3.06, false, false, Arithmetic::weight_only},
    {"iq3_xs", 3.3, false, false, Arithmetic::weight_only},
    {"iq3_s", 3.44, false, false, Arithmetic::weight_only},
    {"iq3_m", 3.66, false, false, Arithmetic::weight_only},
    {"iq4_nl", 4.5, false, false, Arithmetic::weight_only},
    {"q5_1", 6.0, false, false, Arithmetic::weight_only},
    {"tq1_0", 1.69, false, false, Arithmetic::weight_only},
    {"tq2_0", 2.06, false, false, Arithmetic::weight_only},
};

/// Spellings people use for the same thing.
struct FormatAlias {
  std::string_view alias;
  std::string_view name;
};
constexpr FormatAlias kAliases[] = {
    {"awq", "w4a16"},       {"gptq", "w4a16"},       {"int4", "w4a16"},       {"4bit", "w4a16"},
    {"fp4", "nvfp4"},       {"w8a8", "int8"},        {"8bit", "int8"},        {"float16", "fp16"},
    {"half", "fp16"},       {"bfloat16", "bf16"},    {"float32", "fp32"},     {"bnb-nf4", "nf4"},
    {"fp8_e4m3", "fp8"},    {"awq-int4", "w4a16"},   {"gptq-int4", "w4a16"},  {"gptq-int8", "w8a16"},
    {"w8a8-int8", "int8"},  {"w8a16-int8", "w8a16"}, {"bitsandbytes", "nf4"}, {"eetq", "w8a16"},
    {"eetq-int8", "w8a16"}, {"bnb-int8", "int8"},    {"int4-awq", "w4a16"},   {"f32", "fp32"},
    {"4", "w4a16"},         {"8", "int8"},           {"gguf", "q4_k_m"},      {"q4", "q4_k_m"}};

}  // namespace

std::span<const WeightFormat> weight_formats() { return kFormats; }

Result<const WeightFormat*> weight_format(std::string_view given) {
  for (const WeightFormat& format : kFormats)
    if (format.name == given) return &format;
  std::string name = lower(given);
  for (const FormatAlias& alias : kAliases)
    if (alias.alias == name) name = alias.name;
  for (const WeightFormat& format : kFormats)
    if (format.name == name) return &format;
  std::vector<std::string_view> names;
  for (const WeightFormat& format : kFormats) names.push_back(format.name);
  const Hint near = did_you_mean(name, names);
  return usage_error(say("unknown weight format '{}'", shorten(given, 40)), "weights_precision",
                     near.or_else(say("known: bf16, fp16, fp8, int8, w4a16, nvfp4, mxfp4 and GGUF names")));
}

std::string_view native_weight_format(const catalog::Model& model, const Device& device) {
  const std::string_view dtype = model.native_dtype;
  if (dtype.starts_with("mxfp4")) return "mxfp4";
  if (dtype.starts_with("fp8")) return "fp8";
  if (dtype.starts_with("fp4")) return "nvfp4";
  if (dtype.starts_with("int4") || dtype == "w4a16") return "w4a16";
  const bool wide = dtype == "bf16" || dtype == "fp16" || dtype == "fp32";  // as most are
  for (const WeightFormat& format : kFormats)
    if (!wide && format.name == dtype) return format.name;
  return device.gpu->has_bf16 && dtype != "fp16" ? "bf16" : "fp16";
}

bool has_kernels(const WeightFormat& format, const Device& device, job::Engine engine) {
  const auto rate = compute_rate(format, device);
  if (!rate) return false;
  if (format.arithmetic == Arithmetic::fp32 || format.arithmetic == Arithmetic::half) return true;
  if (format.arithmetic == Arithmetic::fp4 && !rate->native) return false;
  const EngineAbility* const able = device.engines == nullptr ? nullptr : device.engines->find(engine);
  bool told = false;
  if (able != nullptr)
    for (const Ability& ability : able->formats) {
      if (!is_about(ability, format)) continue;
      const Runs runs = ability.on(*device.gpu);
      if (runs == Runs::natively || runs == Runs::widened) return true;
      told = told || runs == Runs::not_at_all;
    }
  if (told || (able != nullptr && device.gpu->capability)) return false;
  return format.arithmetic == Arithmetic::weight_only || rate->native;
}

std::optional<ComputeRate> compute_rate(const WeightFormat& format, const Device& device) {
  using job::Precision;
  // Some parts have bf16 alone, or faster than fp16; what has neither in hardware computes in fp32.
  const auto fp16 = device.peak(Precision::fp16);
  const auto bf16 = device.gpu->bf16_dense_tflops ? device.peak(Precision::bf16) : std::nullopt;
  auto half = std::max(fp16, bf16);                               // nothing is less than any rate
  if (half) half = std::max(half, device.peak(Precision::fp32));  // what is slower in 16 bit is widened further
  if (!half && device.assumed_half) half = tflops(device.assumed_half->tflops) * device.share;
  const auto at = [&](Precision precision, bool low) -> std::optional<ComputeRate> {
    const auto peak = device.native(precision) ? device.peak(precision) : std::nullopt;
    if (peak) return ComputeRate{*peak, true, low};
    if (!half) return std::nullopt;
    // In hardware, at a rate that is not published either.
    if (precision == Precision::fp8 && device.assumed_half && device.gpu->has_fp8)
      return ComputeRate{*half * 2.0, true, low};
    return ComputeRate{*half, false, false};
  };
  switch (format.arithmetic) {
    case Arithmetic::fp32: return at(Precision::fp32, false);
    case Arithmetic::half:
      if (!half) return std::nullopt;
      return ComputeRate{
          *half, is_worth_choosing(device, Precision::fp16) || is_worth_choosing(device, Precision::bf16), false};
    case Arithmetic::fp8: return at(Precision::fp8, true);
    case Arithmetic::fp4: return at(Precision::nvfp4, true);
    case Arithmetic::int8: return at(Precision::int8, true);
    case Arithmetic::weight_only: break;
  }
  if (!half) return std::nullopt;
  return ComputeRate{*half, false, false};
}

}  // namespace gpusel::physics
