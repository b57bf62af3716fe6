// GPUs beside their neighbours: what other parts of the architecture have, and since when there are such parts.
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/lint/gpus.hpp"

namespace gpusel::catalog {

namespace {

/// 8-bit rates against 16-bit ones, of parts whose generation is not known in detail.
void eight_bit(Lint& lint) {
  constexpr double kLeast = 1.5, kMost = 2.5;
  for (const Gpu& gpu : lint.catalog().gpus()) {
    if (gpu.vendor == "nvidia") continue;
    const bool has_bf16 = gpu.bf16_dense_tflops.value_or(0) >= gpu.fp16_dense_tflops.value_or(0);
    const double wide = (has_bf16 ? gpu.bf16_dense_tflops : gpu.fp16_dense_tflops).value_or(0);
    const double narrow = std::max(gpu.fp8_dense_tflops.value_or(0), gpu.int8_dense_tops.value_or(0));
    if (wide <= 0 || narrow <= 0 || (narrow >= wide * kLeast && narrow <= wide * kMost)) continue;
    lint.found(about(gpu, has_bf16 ? "dense.bf16_tflops" : "dense.fp16_tflops"),
               say("{} TFLOPS in 16 bit, and {} in 8 bit: {} times", shown(wide), shown(narrow), shown(narrow / wide)),
               narrow < wide * kLeast ? say("is it the rate of 8 bit? 16 bit is usually half of it")
                                      : say("is the rate of 8 bit one with sparsity?"));
  }
}

bool is_wired(const Gpu& gpu) {
  return gpu.interconnect_gbs_bidir.value_or(0) > 0 && gpu.interconnect &&
         (*gpu.interconnect == GpuLink::nvlink || *gpu.interconnect == GpuLink::nvlink_bridge ||
          *gpu.interconnect == GpuLink::nvswitch_capable || *gpu.interconnect == GpuLink::infinity_fabric);
}

/// NVLink and Infinity Fabric come in a few rates per generation.
void link_rate(Lint& lint) {
  const auto gpus = lint.catalog().gpus();
  for (const Gpu& gpu : gpus) {
    if (!is_wired(gpu) || gpu.architecture.empty()) continue;
    std::vector<double> rates;
    for (const Gpu& other : gpus)
      if (&other != &gpu && is_wired(other) && other.vendor == gpu.vendor && other.architecture == gpu.architecture)
        rates.push_back(*other.interconnect_gbs_bidir);
    const double rate = *gpu.interconnect_gbs_bidir;
    const auto is_one = [&](double other) { return !apart(rate, other, 0.02); };
    if (rates.empty() || std::any_of(rates.begin(), rates.end(), is_one)) continue;
    std::sort(rates.begin(), rates.end());
    rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
    std::string known = join_texts(rates, ", ", shown);
    const bool halved =
        std::any_of(rates.begin(), rates.end(), [&](double other) { return !apart(rate * 2, other, 0.02); });
    lint.found(about(gpu, "interconnect.bidir_gbs"),
               say("{} GB/s; other {} parts have {}", shown(rate), printable(gpu.architecture), known),
               halved ? say("is it one direction? the figure sums both") : std::string());
  }
}

/// Parts of one generation, so that figures per TFLOPS compare.
bool of_one_generation(const Gpu& a, const Gpu& b) {
  return &a != &b && a.vendor == b.vendor && !a.compute_capability.empty() && a.architecture == b.architecture &&
         a.compute_capability == b.compute_capability;
}

Number watts_per_tflops(const Gpu& gpu) {
  if (gpu.tdp_w.value_or(0) <= 0 || gpu.fp32_tflops.value_or(0) <= 0) return std::nullopt;
  return *gpu.tdp_w / *gpu.fp32_tflops;
}

void power(Lint& lint) {
  constexpr double kMost = 1500, kTimes = 2.2, kShare = 0.4;
  const auto gpus = lint.catalog().gpus();
  for (const Gpu& gpu : gpus) {
    if (gpu.tdp_w.value_or(0) > kMost * gpu.devices()) {
      lint.found(about(gpu, "tdp_w"), say("{} W; no part draws more than {}", shown(*gpu.tdp_w), shown(kMost)),
                 say("is it the power of a board or a machine?"));
      continue;
    }
    const Number own = watts_per_tflops(gpu);
    std::vector<double> others;
    for (const Gpu& other : gpus)
      if (const Number one = watts_per_tflops(other); one && of_one_generation(gpu, other)) others.push_back(*one);
    if (!own || others.size() < 2) continue;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::nth_element(others.begin(), middle, others.end());
    if (*own <= *middle * kTimes && *own >= *middle * kShare) continue;
    lint.found(about(gpu, "tdp_w"),
               say("{} W are {} per TFLOPS of FP32; other parts of {} {} take about {}", shown(*gpu.tdp_w), shown(*own),
                   printable(gpu.architecture), printable(gpu.compute_capability), shown(*middle)));
  }
}

/// The year of the first part that has it.
struct First {
  std::string_view of;
  double year;
};
constexpr First kCapabilities[] = {{"3.5", 2013}, {"3.7", 2014},  {"5.2", 2014},  {"6.0", 2016}, {"6.1", 2016},
                                   {"7.0", 2017}, {"7.5", 2018},  {"8.0", 2020},  {"8.6", 2020}, {"8.9", 2022},
                                   {"9.0", 2022}, {"10.0", 2024}, {"10.3", 2025}, {"12.0", 2025}};
constexpr First kMemories[] = {{"HBM2", 2016},  {"HBM2e", 2020},  {"HBM3", 2022}, {"HBM3e", 2023},
                               {"GDDR6", 2018}, {"GDDR6X", 2020}, {"GDDR7", 2025}};

const First* first_of(std::span<const First> table, std::string_view word) {
  for (const First& one : table)
    if (lower(one.of) == lower(word)) return &one;
  return nullptr;
}

void year(Lint& lint) {
  const auto gpus = lint.catalog().gpus();
  for (const Gpu& gpu : gpus) {
    if (!gpu.release_year) continue;
    const double own = *gpu.release_year;
    const auto tell = [&](std::string_view what, std::string_view which, double from) {
      lint.found(about(gpu, "release_year"),
                 say("of {:.0f}; {} {} started with {:.0f}", own, what, printable(which), from));
    };
    const First* capability = gpu.vendor == "nvidia" ? first_of(kCapabilities, gpu.compute_capability) : nullptr;
    const First* memory = first_of(kMemories, gpu.memory_type);
    Number earliest;
    for (const Gpu& other : gpus)
      if (other.release_year && of_one_generation(gpu, other))
        earliest = std::min(earliest.value_or(*other.release_year), *other.release_year);
    if (capability != nullptr && own < capability->year)
      tell(say("compute capability"), capability->of, capability->year);
    else if (memory != nullptr && own < memory->year)
      tell(say("memory of the kind"), memory->of, memory->year);
    else if (earliest && own < *earliest - 1)
      tell(say("in this catalog the generation"), gpu.compute_capability, *earliest);
  }
}

/// FP16 far below what the tensor cores do, or what others of the generation do relative to FP32.
void slow(Lint& lint) {
  constexpr double kShare = 0.45, kTimes = 1.7;
  const auto gpus = lint.catalog().gpus();
  const auto over_fp32 = [](const Gpu& gpu) -> double {
    const double rate = gpu.fp16_dense_tflops ? *gpu.fp16_dense_tflops : gpu.bf16_dense_tflops.value_or(0);
    return gpu.fp32_tflops.value_or(0) > 0 ? rate / *gpu.fp32_tflops : 0;
  };
  for (const Gpu& gpu : gpus) {
    const double rate = gpu.fp16_dense_tflops.value_or(0);
    if (rate <= 0) continue;
    if (const Number peak = tensor_peak(gpu)) {
      if (rate < *peak * kShare)
        lint.found(about(gpu, "dense.fp16_tflops"),
                   say("{} TFLOPS are {} of the {} that {} tensor cores do", shown(rate), shown(rate / *peak),
                       shown(*peak), shown(*gpu.tensor_cores)),
                   say("is it the rate of the ordinary cores?"));
      continue;
    }
    double least = 0;
    for (const Gpu& other : gpus)
      if (of_one_generation(gpu, other) && over_fp32(other) > 0)
        least = least > 0 ? std::min(least, over_fp32(other)) : over_fp32(other);
    const double own = over_fp32(gpu);
    if (own > 0 && own < least / kTimes)
      lint.found(about(gpu, "dense.fp16_tflops"),
                 say("{}× FP32; no other {} {} GPU has less than {}×", shown(own), printable(gpu.architecture),
                     printable(gpu.compute_capability), shown(least)),
                 say("is it the rate of the ordinary cores?"));
  }
}

constexpr Check kPartChecks[] = {
    {"gpu.eight-bit", Severity::error, to_say("8-bit rates that are not 1.5 to 2.5 times the 16-bit ones (not NVIDIA)"),
     eight_bit},
    {"gpu.slow", Severity::warning, to_say("FP16 far below what the tensor cores or other GPUs of the generation do"),
     slow},
    {"gpu.link-rate", Severity::warning,
     to_say("an NVLink or Infinity Fabric rate that no other part of the architecture has"), link_rate},
    {"gpu.power", Severity::warning,
     to_say("more than 1500 W, or far more or less per TFLOPS than parts of the generation"), power},
    {"gpu.year", Severity::warning, to_say("a GPU older than its compute capability, memory type or generation"), year},
};

}  // namespace

std::span<const Check> part_checks() { return kPartChecks; }

}  // namespace gpusel::catalog
