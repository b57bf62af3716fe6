// An accelerator as its vendor documents it. Peaks are dense. Texts point into the catalogue.
#pragma once

#include <array>

#include "base/values/enum.hpp"
#include "catalog/records/field.hpp"

namespace gpusel {

namespace catalog {

/// How the part itself can be linked to others; what an instance really wires is NodeLink.
enum class GpuLink : std::uint8_t {
  none,
  nvlink_bridge,
  nvlink,
  nvswitch_capable,
  infinity_fabric,
  ici,
  neuronlink,
  hccs,
  roce
};

enum class VgpuSupport : std::uint8_t { supported, unsupported, passthrough, sr_iov };
/// What programs that draw can have of a part. none: compute only; display: a graphics driver without certification;
/// workstation: a board that comes with a professional driver; vws: a data-centre board whose professional driver needs
/// a virtual workstation licence.
enum class Graphics : std::uint8_t { none, display, workstation, vws };

/// The compute capability from which GPUs are of Blackwell.
inline constexpr double kBlackwell = 10;

struct Gpu {
  std::string_view id;
  std::string_view vendor;
  std::string_view name;
  TextList aliases;
  std::string_view architecture;
  Number process_nm;
  Number release_year;
  std::string_view form_factor;
  std::string_view compute_capability;  // "8.9"; "gfx942" for AMD

  std::string_view memory_type;
  Number memory_gb;             // as marketed
  Number memory_gib_usable;     // total the driver reports, ECC as the clouds run it
  Number memory_bandwidth_gbs;  // peak
  Number memory_bus_bits;
  Number memory_gbps_per_pin;
  std::optional<bool> ecc;

  // Dense peaks, tensor rates with FP32 accumulation; 0 = no such hardware path.
  Number fp64_tflops;
  Number fp32_tflops;
  Number tf32_dense_tflops;
  Number fp16_dense_tflops;
  Number bf16_dense_tflops;
  Number fp8_dense_tflops;
  Number fp4_dense_tflops;
  Number int8_dense_tops;
  Number int4_dense_tops;
  TextList native_formats;  // of fp16, bf16, fp8
  std::string_view sparsity;

  std::optional<GpuLink> interconnect;
  Number interconnect_gbs_bidir;  // both directions summed, per device
  Number pcie_gen;
  Number pcie_lanes;
  Number tdp_w;
  Number clock_mhz;  // boost

  Number cuda_cores;
  Number tensor_cores;
  Number tensor_generation;
  Number rt_cores;
  Number rt_generation;
  Number nvenc_count;
  Number nvdec_count;
  std::optional<bool> av1_encode;
  std::optional<bool> av1_decode;
  Number nvenc_generation;
  Number nvdec_generation;
  Number nvenc_sessions;  // the driver allows at once in a system; absent: any number
  std::optional<Graphics> graphics;
  std::string_view display_outputs;

  Number mig_max_instances;
  std::optional<VgpuSupport> vgpu_supported;
  Number last_cuda_major;
  Number l2_cache_mb;
  Number devices_per_board;  // software devices in one listed part; absent = 1

  TextList sources;          // for every figure that figure_sources does not name
  TextList figure_sources;   // "path=key"
  std::string_view caution;  // what this part is often mistaken for
  std::string_view notes;

  // Filled in when a catalogue is put together: what is asked of a GPU again and again.
  Number capability;  // 8.9 for "8.9"; nothing for parts that have no CUDA capability
  bool has_fp16 = false;
  bool has_bf16 = false;
  bool has_fp8 = false;

  double devices() const { return devices_per_board.value_or(1); }
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Gpu>
void visit_fields(Record& g, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, g.id);
  v(Field{.path = "vendor", .json = "vendor", .required = true}, g.vendor);
  v(Field{.path = "name", .json = "name", .required = true}, g.name);
  v(Field{.path = "aliases", .json = "aliases"}, g.aliases);
  v(Field{.path = "architecture", .json = "architecture"}, g.architecture);
  v(Field{.path = "form_factor", .json = "form_factor"}, g.form_factor);
  v(Field{.path = "compute_capability", .json = "compute_capability"}, g.compute_capability);
  v(Field{.path = "release_year", .json = "release_year", .range = {2005, 2100}}, g.release_year);
  v(Field{.path = "process_nm", .json = "process_nm", .unit = "nm", .range = {1, 200}}, g.process_nm);
  v(Field{.path = "cores.cuda", .json = "cuda_cores", .range = {0, 1e6}}, g.cuda_cores);
  v(Field{.path = "clock_mhz", .json = "clock_mhz", .unit = "MHz", .range = {1, 1e5}}, g.clock_mhz);
  v(Field{.path = "cores.tensor", .json = "tensor_cores", .range = {0, 1e5}}, g.tensor_cores);
  v(Field{.path = "cores.tensor_generation", .json = "tensor_generation", .range = {1, 20}}, g.tensor_generation);
  v(Field{.path = "memory.marketed_gb", .json = "memory_gb", .unit = "GB", .range = {0.5, 4096}}, g.memory_gb);
  v(Field{.path = "memory.usable_gib", .json = "memory_gib_usable", .unit = "GiB", .range = {0.5, 4096}},
    g.memory_gib_usable);
  v(Field{.path = "memory.type", .json = "memory_type"}, g.memory_type);
  v(Field{.path = "memory.bandwidth_gbs", .json = "memory_bandwidth_gbs", .unit = "GB/s", .range = {1, 1e6}},
    g.memory_bandwidth_gbs);
  v(Field{.path = "memory.bus_bits", .json = "memory_bus_bits", .unit = "bit", .range = {1, 1e5}}, g.memory_bus_bits);
  v(Field{.path = "memory.gbps_per_pin", .json = "memory_gbps_per_pin", .unit = "Gbit/s", .range = {0.01, 1000}},
    g.memory_gbps_per_pin);
  v(Field{.path = "memory.ecc", .json = "ecc"}, g.ecc);
  v(Field{.path = "dense.fp64_tflops", .json = "fp64_tflops", .unit = "TFLOPS", .range = {0, 1e6}}, g.fp64_tflops);
  v(Field{.path = "dense.fp32_tflops", .json = "fp32_tflops", .unit = "TFLOPS", .range = {0, 1e6}}, g.fp32_tflops);
  v(Field{.path = "dense.tf32_tflops", .json = "tf32_dense_tflops", .unit = "TFLOPS", .range = {0, 1e6}},
    g.tf32_dense_tflops);
  v(Field{.path = "dense.fp16_tflops", .json = "fp16_dense_tflops", .unit = "TFLOPS", .range = {0, 1e6}},
    g.fp16_dense_tflops);
  v(Field{.path = "dense.bf16_tflops", .json = "bf16_dense_tflops", .unit = "TFLOPS", .range = {0, 1e6}},
    g.bf16_dense_tflops);
  v(Field{.path = "dense.fp8_tflops", .json = "fp8_dense_tflops", .unit = "TFLOPS", .range = {0, 1e6}},
    g.fp8_dense_tflops);
  v(Field{.path = "dense.int8_tops", .json = "int8_dense_tops", .unit = "TOPS", .range = {0, 1e6}}, g.int8_dense_tops);
  v(Field{.path = "dense.fp4_tflops", .json = "fp4_dense_tflops", .unit = "TFLOPS", .range = {0, 1e6}},
    g.fp4_dense_tflops);
  v(Field{.path = "dense.int4_tops", .json = "int4_dense_tops", .unit = "TOPS", .range = {0, 1e6}}, g.int4_dense_tops);
  v(Field{.path = "native", .json = "native_formats"}, g.native_formats);
  v(Field{.path = "sparsity", .json = "sparsity"}, g.sparsity);
  v(Field{.path = "tdp_w", .json = "tdp_w", .unit = "W", .range = {1, 1e5}}, g.tdp_w);
  v(Field{.path = "interconnect.kind", .json = "interconnect"}, g.interconnect);
  v(Field{.path = "interconnect.bidir_gbs", .json = "interconnect_gbs_bidir", .unit = "GB/s", .range = {0, 1e5}},
    g.interconnect_gbs_bidir);
  v(Field{.path = "pcie.gen", .json = "pcie_gen", .range = {1, 10}}, g.pcie_gen);
  v(Field{.path = "pcie.lanes", .json = "pcie_lanes", .range = {1, 32}}, g.pcie_lanes);
  v(Field{.path = "mig_max_instances", .json = "mig_max_instances", .range = {0, 64}}, g.mig_max_instances);
  v(Field{.path = "cores.rt", .json = "rt_cores", .range = {0, 1e5}}, g.rt_cores);
  v(Field{.path = "cores.rt_generation", .json = "rt_generation", .range = {1, 20}}, g.rt_generation);
  v(Field{.path = "media.nvenc", .json = "nvenc_count", .range = {0, 64}}, g.nvenc_count);
  v(Field{.path = "media.nvdec", .json = "nvdec_count", .range = {0, 64}}, g.nvdec_count);
  v(Field{.path = "media.av1_encode", .json = "av1_encode"}, g.av1_encode);
  v(Field{.path = "media.av1_decode", .json = "av1_decode"}, g.av1_decode);
  v(Field{.path = "media.nvenc_generation", .json = "nvenc_generation", .range = {1, 20}}, g.nvenc_generation);
  v(Field{.path = "media.nvdec_generation", .json = "nvdec_generation", .range = {1, 20}}, g.nvdec_generation);
  v(Field{.path = "media.nvenc_sessions", .json = "nvenc_sessions", .range = {1, 1000}}, g.nvenc_sessions);
  v(Field{.path = "graphics", .json = "graphics"}, g.graphics);
  v(Field{.path = "media.display_outputs", .json = "display_outputs"}, g.display_outputs);
  v(Field{.path = "vgpu", .json = "vgpu_supported"}, g.vgpu_supported);
  v(Field{.path = "last_cuda_major", .json = "last_cuda_major", .range = {5, 50}}, g.last_cuda_major);
  v(Field{.path = "l2_cache_mb", .json = "l2_cache_mb", .unit = "MB", .range = {0, 1e4}}, g.l2_cache_mb);
  v(Field{.path = "devices_per_board", .json = "devices_per_board", .range = {1, 16}}, g.devices_per_board);
  v(Field{.path = "sources", .json = "sources", .required = true}, g.sources);
  v(Field{.path = "figure_sources", .json = "figure_sources"}, g.figure_sources);
  v(Field{.path = "caution", .json = "caution"}, g.caution);
  v(Field{.path = "notes", .json = "notes"}, g.notes);
}

}  // namespace catalog

template <>
inline constexpr auto enum_names<catalog::GpuLink> = std::to_array<std::string_view>(
    {"none", "nvlink-bridge", "nvlink", "nvswitch-capable", "infinity-fabric", "ici", "neuronlink", "hccs", "roce"});
template <>
inline constexpr auto enum_names<catalog::VgpuSupport> =
    std::to_array<std::string_view>({"supported", "unsupported", "passthrough", "sr-iov"});
template <>
inline constexpr auto enum_names<catalog::Graphics> =
    std::to_array<std::string_view>({"none", "display", "workstation", "vws"});

}  // namespace gpusel
