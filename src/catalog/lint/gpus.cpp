// GPUs: what ratios, cores and clocks, memory chips and the generation of the part allow.
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "catalog/lint/gpus.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

struct Rate {
  std::string_view path;
  Number Gpu::* figure;
  double over_fp16;  // dense tensor rate, relative to FP16 of the same part
};

constexpr Rate kTensorRates[] = {
    {"dense.tf32_tflops", &Gpu::tf32_dense_tflops, 0.5}, {"dense.fp16_tflops", &Gpu::fp16_dense_tflops, 1},
    {"dense.bf16_tflops", &Gpu::bf16_dense_tflops, 1},   {"dense.fp8_tflops", &Gpu::fp8_dense_tflops, 2},
    {"dense.int8_tops", &Gpu::int8_dense_tops, 2},       {"dense.fp4_tflops", &Gpu::fp4_dense_tflops, 4},
};

/// What a generation of NVIDIA's cores can do, by compute capability.
struct Generation {
  double capability;
  double tensor_flop;      // FP16 per tensor core and clock, dense
  double cuda_per_tensor;  // cores
  double int8_over_fp16;   // 0: not on the tensor cores, or cut down
  double fp4_over_fp16;
  bool mig;  // some part of it has it
};
constexpr Generation kGenerations[] = {
    {7.0, 128, 8, 0, 0, false},   {7.5, 128, 8, 2, 0, false},   {8.0, 512, 16, 2, 0, true},
    {8.6, 256, 32, 2, 0, false},  {8.9, 256, 32, 2, 0, false},  {9.0, 1024, 32, 2, 0, true},
    {10.0, 2048, 32, 2, 4, true}, {10.3, 2048, 32, 0, 6, true}, {12.0, 256, 32, 2, 4, true},
};

/// What the chips that are made for computing alone do not have.
struct Unit {
  std::string_view path;
  std::string_view name;
  Number Gpu::* figure;
};
constexpr Unit kGraphicsUnits[] = {{"cores.rt", "RT cores", &Gpu::rt_cores},
                                   {"media.nvenc", "NVENC", &Gpu::nvenc_count}};
constexpr double kWithoutGraphics[] = {8.0, 9.0, 10.0, 10.3};

/// The first compute capability with a feature.
struct Feature {
  std::string_view path;
  std::string_view name;
  double from;
  bool (*has)(const Gpu& gpu);
};
constexpr Feature kFeatures[] = {
    {"dense.bf16_tflops", "BF16", 8.0, [](const Gpu& g) { return g.bf16_dense_tflops.value_or(0) > 0 || g.has_bf16; }},
    {"dense.tf32_tflops", "TF32", 8.0, [](const Gpu& g) { return g.tf32_dense_tflops.value_or(0) > 0; }},
    {"dense.fp8_tflops", "FP8", 8.9, [](const Gpu& g) { return g.fp8_dense_tflops.value_or(0) > 0 || g.has_fp8; }},
    {"dense.fp4_tflops", "FP4", 10.0, [](const Gpu& g) { return g.fp4_dense_tflops.value_or(0) > 0; }},
    {"cores.rt", "RT cores", 7.5, [](const Gpu& g) { return g.rt_cores.value_or(0) > 0; }},
    {"media.av1_decode", "AV1 decoding", 8.6, [](const Gpu& g) { return g.av1_decode.value_or(false); }},
    {"media.av1_encode", "AV1 encoding", 8.9, [](const Gpu& g) { return g.av1_encode.value_or(false); }},
};

const Generation* generation_of(const Gpu& gpu) {
  if (gpu.vendor != "nvidia" || !gpu.capability) return nullptr;
  for (const Generation& one : kGenerations)
    if (*gpu.capability == one.capability) return &one;
  return nullptr;
}

/// GHz: as published, else what the FP32 rate of the ordinary cores implies.
Number clock_ghz(const Gpu& gpu) {
  if (gpu.clock_mhz) return *gpu.clock_mhz / 1000;
  if (!gpu.fp32_tflops || gpu.cuda_cores.value_or(0) <= 0) return std::nullopt;
  return *gpu.fp32_tflops * 1000 / 2 / *gpu.cuda_cores;
}

/// GeForce cards accumulate in FP32 at half speed, and compute INT8 and FP4 at full speed.
bool is_geforce(const Gpu& gpu) { return gpu.name.find("GeForce") != std::string_view::npos; }

/// A rate of one part, and what it would be in FP16 by the ratios of its generation.
struct Stated {
  const Rate* rate;
  double figure;
  double times;  // what FP16 is to be multiplied with
  double as_fp16() const { return figure / times; }
};

std::vector<Stated> tensor_rates(const Gpu& gpu) {
  std::vector<Stated> all;
  const Generation* generation = generation_of(gpu);
  if (generation == nullptr || gpu.tensor_cores.value_or(1) <= 0) return all;
  for (const Rate& rate : kTensorRates) {
    const double full = is_geforce(gpu) ? 2 : 1;
    const double times = rate.figure == &Gpu::int8_dense_tops    ? generation->int8_over_fp16 * full
                         : rate.figure == &Gpu::fp4_dense_tflops ? generation->fp4_over_fp16 * full
                                                                 : rate.over_fp16;
    if (const double figure = (gpu.*rate.figure).value_or(0); figure > 0 && times > 0)
      all.push_back({&rate, figure, times});
  }
  return all;
}

/// More than rounding, and more than the boost clock that FP32 is stated at.
bool above_peak(const Gpu& gpu, const Stated& one) {
  const Number peak = tensor_peak(gpu);
  return peak && one.as_fp16() > *peak * 1.25;
}

/// The FP16 rate that most of them agree on: the middle one; of two, the lower one.
Number believed_fp16(const std::vector<Stated>& rates) {
  std::vector<double> all;
  for (const Stated& one : rates) all.push_back(one.as_fp16());
  std::sort(all.begin(), all.end());
  return all.empty() ? Number() : Number(all[(all.size() - 1) / 2]);
}

void ratio(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus()) {
    const std::vector<Stated> rates = tensor_rates(gpu);
    const double fp16 = believed_fp16(rates).value_or(0);
    for (const Stated& one : rates) {
      if (!apart(one.as_fp16(), fp16, 0.03) || above_peak(gpu, one)) continue;
      lint.found(about(gpu, one.rate->path),
                 say("{} of {} is {} times what its other tensor rates give", one.rate->path, shown(one.figure),
                     shown(one.as_fp16() / fp16)),
                 say("dense rates are TF32:FP16:FP8 and INT8:FP4 as 1:2:4:8{}; {} would be consistent",
                     is_geforce(gpu) ? say(" (GeForce: INT8 and FP4 twice that)") : "", shown(fp16 * one.times)));
    }
  }
}

void sparse(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus())
    for (const Stated& one : tensor_rates(gpu)) {
      if (!above_peak(gpu, one)) continue;
      const double possible = *tensor_peak(gpu) * one.times;
      lint.found(about(gpu, one.rate->path),
                 say("{} of {} is {} times what {} tensor cores do in dense matrices at {} GHz ({})", one.rate->path,
                     shown(one.figure), shown(one.figure / possible), shown(*gpu.tensor_cores), shown(*clock_ghz(gpu)),
                     shown(possible)),
                 say("is it the rate with 2:4 sparsity? {} would be half", shown(one.figure / 2)));
    }
}

/// How far each rate lies above FP32 in the other parts of one architecture.
void siblings(Lint& lint) {
  const auto gpus = lint.catalog().gpus();
  for (const Gpu& gpu : gpus) {
    if (tensor_peak(gpu) || gpu.architecture.empty() || gpu.fp32_tflops.value_or(0) <= 0) continue;
    for (const Rate& rate : kTensorRates) {
      const double figure = (gpu.*rate.figure).value_or(0) / *gpu.fp32_tflops;
      double highest = 0;
      for (const Gpu& other : gpus)
        if (&other != &gpu && other.vendor == gpu.vendor && other.architecture == gpu.architecture &&
            other.fp32_tflops.value_or(0) > 0)
          highest = std::max(highest, (other.*rate.figure).value_or(0) / *other.fp32_tflops);
      if (highest <= 0 || figure <= highest * 1.7) continue;
      lint.found(about(gpu, rate.path),
                 say("{} is {}× FP32; no other {} GPU has more than {}×", rate.path, shown(figure),
                     printable(gpu.architecture), shown(highest)),
                 say("is it the rate with 2:4 sparsity? write half of it"));
    }
  }
}

/// Whether the clock that FP32 implies is one at which the tensor cores reach their rate: in full (they
/// boost a little lower), at half rate, or cut down by far.
bool tensor_clock_agrees(const Gpu& gpu) {
  const Number peak = tensor_peak(gpu);
  const Number fp16 = believed_fp16(tensor_rates(gpu));
  if (!peak || !fp16) return true;
  const double share = *fp16 / *peak;
  return (share > 0.84 && share < 1.06) || (share > 0.47 && share < 0.53) || share < 0.3 || share > 1.25;
}

/// What is wrong with FP32; empty when nothing is.
std::string fp32_fault(const Gpu& gpu) {
  const double implied = *gpu.fp32_tflops * 1e6 / 2 / *gpu.cuda_cores;
  if (gpu.clock_mhz && apart(implied, *gpu.clock_mhz, 0.05))
    return say("{} cores at {} MHz are {} TFLOPS in FP32, not {}", shown(*gpu.cuda_cores), shown(*gpu.clock_mhz),
               shown(*gpu.cuda_cores * 2 * *gpu.clock_mhz / 1e6), shown(*gpu.fp32_tflops));
  if (implied < 500 || implied > 3000 || !tensor_clock_agrees(gpu))
    return say("{} TFLOPS in FP32 of {} cores imply a clock of {} MHz, which contradicts the other figures",
               shown(*gpu.fp32_tflops), shown(*gpu.cuda_cores), shown(implied));
  return {};
}

void fp32(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus()) {
    if (gpu.vendor != "nvidia" || gpu.cuda_cores.value_or(0) <= 0 || gpu.fp32_tflops.value_or(0) <= 0) continue;
    if (std::string fault = fp32_fault(gpu); !fault.empty())
      lint.found(about(gpu, "dense.fp32_tflops"), std::move(fault), say("FP32 is 2 x cores x clock"));
  }
}

void fp64(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus())
    if (gpu.fp64_tflops && gpu.fp32_tflops && *gpu.fp64_tflops > *gpu.fp32_tflops * 1.01)
      lint.found(about(gpu, "dense.fp64_tflops"),
                 say("FP64 of {} TFLOPS is above FP32 of {}", shown(*gpu.fp64_tflops), shown(*gpu.fp32_tflops)),
                 say("matrix-unit rates do not belong there"));
}

void cores(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus()) {
    const Generation* generation = generation_of(gpu);
    if (generation == nullptr || gpu.cuda_cores.value_or(0) <= 0 || gpu.tensor_cores.value_or(0) <= 0) continue;
    const double expected = *gpu.cuda_cores / generation->cuda_per_tensor;
    if (expected != *gpu.tensor_cores)
      lint.found(
          about(gpu, "cores.tensor"),
          say("{} tensor cores for {} CUDA cores; compute capability {} has one per {}", shown(*gpu.tensor_cores),
              shown(*gpu.cuda_cores), printable(gpu.compute_capability), shown(generation->cuda_per_tensor)),
          say("{} would be consistent", shown(expected)));
  }
}

void features(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus()) {
    if (gpu.vendor != "nvidia" || !gpu.capability) continue;
    for (const Feature& feature : kFeatures)
      if (feature.has(gpu) && *gpu.capability < feature.from)
        lint.found(
            about(gpu, feature.path),
            say("{} needs compute capability {:.1f}; this GPU has {:.1f}", feature.name, feature.from, *gpu.capability),
            say("write 0, false or leave it out"));
    const bool for_data_centres = std::find(std::begin(kWithoutGraphics), std::end(kWithoutGraphics),
                                            *gpu.capability) != std::end(kWithoutGraphics);
    for (const Unit& unit : kGraphicsUnits)
      if (const double count = (gpu.*unit.figure).value_or(0); for_data_centres && count > 0)
        lint.found(about(gpu, unit.path),
                   say("{} {} in a GPU of compute capability {:.1f}, which has none", shown(count), unit.name,
                       *gpu.capability),
                   say("write 0"));
    const Generation* generation = generation_of(gpu);
    if (gpu.mig_max_instances.value_or(0) > 0 && (generation == nullptr ? *gpu.capability < 8 : !generation->mig))
      lint.found(about(gpu, "mig_max_instances"), say("no part of compute capability {:.1f} has MIG", *gpu.capability),
                 say("write 0"));
  }
}

void formats(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus()) {
    const std::pair<const Number&, bool> both[] = {{gpu.bf16_dense_tflops, gpu.has_bf16},
                                                   {gpu.fp8_dense_tflops, gpu.has_fp8}};
    for (std::size_t i = 0; i < 2; ++i)
      if (const auto& [figure, native] = both[i]; figure && (*figure > 0) != native)
        lint.found(
            about(gpu, "native"),
            native ? say("'native' names {}, yet its dense rate is {}", i == 0 ? "bf16" : "fp8", shown(*figure))
                   : say("'native' leaves out {}, yet its dense rate is {}", i == 0 ? "bf16" : "fp8", shown(*figure)));
  }
}

void memory(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus()) {
    if (!gpu.memory_gb || !gpu.memory_gib_usable) continue;
    // Vendors say GB and mean GiB of chips, so that number is the ceiling; ECC and reserves take up to a sixth.
    if (*gpu.memory_gib_usable > *gpu.memory_gb)
      lint.found(about(gpu, "memory.usable_gib"),
                 say("usable {} GiB on a GPU sold with {} GB", shown(*gpu.memory_gib_usable), shown(*gpu.memory_gb)),
                 say("the driver never reports more than is soldered on"));
    else if (*gpu.memory_gib_usable < *gpu.memory_gb * 0.84)
      lint.found(about(gpu, "memory.usable_gib"),
                 say("only {} GiB of {} GB are usable", shown(*gpu.memory_gib_usable), shown(*gpu.memory_gb)));
  }
}

/// 80 of "h100-sxm-80gb"; nothing where the name does not say.
Number memory_in(std::string_view name) {
  const std::string folded = fold_name(name);
  for (const std::string_view word : split(folded, '-'))
    if (word.size() > 2 && word.ends_with("gb"))
      if (const auto said = plain_number(word.substr(0, word.size() - 2))) return *said;
  return std::nullopt;
}

void name_memory(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus())
    for (const std::string_view name : {gpu.id, gpu.name})
      if (const Number said = memory_in(name); said && gpu.memory_gb && *said != *gpu.memory_gb) {
        lint.found(about(gpu, "memory.marketed_gb"), say("{} GB in the name '{}', and {} GB of memory", shown(*said),
                                                         printable(name), shown(*gpu.memory_gb)));
        break;
      }
}

void bandwidth(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus()) {
    if (!gpu.memory_bandwidth_gbs || !gpu.memory_bus_bits || !gpu.memory_gbps_per_pin) continue;
    const double expected = *gpu.memory_bus_bits * *gpu.memory_gbps_per_pin / 8;
    if (apart(*gpu.memory_bandwidth_gbs, expected, 0.03))
      lint.found(about(gpu, "memory.bandwidth_gbs"),
                 say("{} bit at {} Gbit/s per pin are {} GB/s, not {}", shown(*gpu.memory_bus_bits),
                     shown(*gpu.memory_gbps_per_pin), shown(expected), shown(*gpu.memory_bandwidth_gbs)));
  }
}

/// Parts cut from one chip alike, with the same kind of memory: what makes them of one bandwidth or nearly so.
void bandwidth_siblings(Lint& lint) {
  constexpr double kApart = 1.35;
  const auto gpus = lint.catalog().gpus();
  const auto alike = [](const Gpu& a, const Gpu& b) {
    return a.architecture == b.architecture && a.memory_type == b.memory_type && a.cuda_cores && b.cuda_cores &&
           *a.cuda_cores == *b.cuda_cores && a.memory_bandwidth_gbs && b.memory_bandwidth_gbs;
  };
  for (const Gpu& gpu : gpus) {
    if (gpu.memory_bus_bits && gpu.memory_gbps_per_pin) continue;  // which say it exactly
    std::vector<double> others;
    for (const Gpu& other : gpus)
      if (&other != &gpu && alike(gpu, other)) others.push_back(*other.memory_bandwidth_gbs);
    if (others.empty()) continue;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::nth_element(others.begin(), middle, others.end());
    const double times = *gpu.memory_bandwidth_gbs / *middle;
    if (times > kApart || times < 1 / kApart)
      lint.found(about(gpu, "memory.bandwidth_gbs"),
                 say("{} GB/s, and {} of parts with as many cores of {} and {}", shown(*gpu.memory_bandwidth_gbs),
                     shown(*middle), gpu.architecture, gpu.memory_type),
                 say("is it the rate of another part?"));
  }
}

void link(Lint& lint) {
  for (const Gpu& gpu : lint.catalog().gpus()) {
    if (!gpu.interconnect) continue;
    const bool linked = *gpu.interconnect != GpuLink::none;
    if (gpu.interconnect_gbs_bidir && (*gpu.interconnect_gbs_bidir > 0) != linked)
      lint.found(about(gpu, "interconnect.bidir_gbs"),
                 say("a link '{}' of {} GB/s", to_text(*gpu.interconnect), shown(*gpu.interconnect_gbs_bidir)));
    if (*gpu.interconnect == GpuLink::nvswitch_capable && lower(gpu.form_factor).starts_with("pcie"))
      lint.found(about(gpu, "interconnect.kind"), say("a PCIe card cannot be joined by NVSwitch"),
                 say("cards have 'nvlink-bridge' or 'none'"));
  }
}

void gpu_names(Lint& lint) {
  const Tables& tables = lint.catalog().tables();
  const auto& all = tables.gpu_names;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].folded == all[i - 1].folded)
      lint.found({.kind = "gpu",
                  .id = std::string(tables.gpus[all[i].index].id),
                  .path = "aliases",
                  .others = {"gpu " + std::string(tables.gpus[all[i - 1].index].id)}},
                 say("'{}' also means '{}': neither is found by it", all[i].folded, tables.gpus[all[i - 1].index].id));
}

constexpr Check kGpuChecks[] = {
    {"gpu.ratio", Severity::error,
     to_say("tensor rates of an NVIDIA part that are not 1:2:4:8 (TF32:FP16:FP8 and INT8:FP4)"), ratio},
    {"gpu.sparse", Severity::error, to_say("a rate that the tensor cores reach with sparsity only"), sparse},
    {"gpu.siblings", Severity::error,
     to_say("a rate far above that of other GPUs of the architecture relative to FP32"), siblings},
    {"gpu.fp32", Severity::error,
     to_say("FP32 that is not 2 x cores x clock, or of a clock that the tensor rates contradict"), fp32},
    {"gpu.fp64", Severity::error, to_say("FP64 above FP32"), fp64},
    {"gpu.cores", Severity::error, to_say("tensor cores that do not match the CUDA cores"), cores},
    {"gpu.features", Severity::error, to_say("a format or unit that the compute capability does not have"), features},
    {"gpu.formats", Severity::error, to_say("native formats that the dense rates contradict"), formats},
    {"gpu.memory", Severity::error, to_say("usable memory above the marketed figure, or far below it"), memory},
    {"gpu.name-memory", Severity::error, to_say("a name that says another memory size"), name_memory},
    {"gpu.bandwidth", Severity::error, to_say("bandwidth that is not bus width x rate per pin"), bandwidth},
    {"gpu.bandwidth-siblings", Severity::warning,
     to_say("bandwidth far from that of parts with the same cores and kind of memory"), bandwidth_siblings},
    {"gpu.link", Severity::error, to_say("a link without a rate, a rate without a link, NVSwitch on a PCIe card"),
     link},
    {"gpu.names", Severity::warning, to_say("a name that two GPUs have"), gpu_names},
};

}  // namespace

bool apart(double a, double b, double tolerance) {
  return std::abs(a - b) > tolerance * std::max(std::abs(a), std::abs(b));
}

Subject about(const Gpu& gpu, std::string_view path) {
  return {.kind = "gpu", .id = std::string(gpu.id), .path = path};
}

Number tensor_peak(const Gpu& gpu) {
  const Generation* generation = generation_of(gpu);
  const Number clock = clock_ghz(gpu);
  if (generation == nullptr || !clock || gpu.tensor_cores.value_or(0) <= 0) return std::nullopt;
  return *gpu.tensor_cores * generation->tensor_flop * *clock / 1000 / (is_geforce(gpu) ? 2 : 1);
}

std::span<const Check> gpu_checks() { return kGpuChecks; }

}  // namespace gpusel::catalog
