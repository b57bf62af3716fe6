// What machines besides GPUs are made of and what is run on them: processors, renderers, solvers, and what traffic
// out of a cloud costs.
#pragma once

#include <array>

#include "base/values/date.hpp"
#include "base/values/enum.hpp"
#include "catalog/records/field.hpp"
#include "catalog/records/market.hpp"
#include "catalog/records/render_score.hpp"

namespace gpusel::catalog {

/// One generation of processors as clouds sell it.
struct Cpu {
  std::string_view id;
  std::string_view vendor;
  std::string_view name;
  TextList names;                 // words of an instance's `cpu` that mean this processor
  std::string_view architecture;  // of its cores
  CpuArch arch = CpuArch::x86_64;
  Number release_year;
  TextList isa;
  Number threads_per_core;
  Number base_ghz;
  Number all_core_ghz;
  Number turbo_ghz;

  // Of one core and cycle, a multiply-add being two; 0: no such path in hardware.
  Number fp32_flops_per_cycle;
  Number bf16_flops_per_cycle;
  Number fp16_flops_per_cycle;
  Number int8_ops_per_cycle;
  Number cores_per_socket;
  Number memory_channels;  // of a socket
  Number memory_mts;
  Number coremark_per_vcpu;
  Number blender_score;  // of a socket

  TextList sources;
  TextList figure_sources;
  std::string_view notes;
};

/// What a renderer needs, and the public benchmark that stands for it.
struct RendererInfo {
  std::string_view id;
  std::string_view name;
  TextList aliases;
  std::optional<RenderBenchmark> benchmark;
  TextList gpu_vendors;
  Number min_compute_capability;
  Number min_driver;
  std::optional<bool> needs_rt;
  std::optional<bool> uses_rt;
  std::optional<bool> on_gpu;
  std::optional<bool> on_cpu;
  std::optional<bool> out_of_core;
  std::optional<bool> single_gpu;
  TextList sources;
  std::string_view notes;
};

/// What a kind of simulation keeps and moves per cell, particle or atom.
struct SolverInfo {
  std::string_view id;
  std::string_view name;
  TextList aliases;
  std::string_view unit;       // cells, particles, atoms, elements
  std::string_view precision;  // usual arithmetic: fp32 or fp64
  Number bytes_per_cell;
  Number bytes_per_update;
  Number flops_per_update;
  std::optional<bool> on_gpu;
  std::optional<bool> spills;
  Number half_cells;  // per GPU, at which a second GPU brings half of its own
  TextList sources;
  std::string_view notes;
};

/// What a provider asks for traffic to the internet.
struct Egress {
  std::string_view id;  // provider, or provider and a word for its regions
  std::string_view provider;
  TextList regions;  // ids; with `places`, where it holds
  TextList places;   // ids of countries, continents, groups; neither: every region that no other record names
  std::string_view currency;
  Date as_of;
  std::string_view source;
  Number free_gb_per_month;
  TextList tiers;  // "UP_TO_GB=PRICE_PER_GB" of a month, the last without a limit as "=PRICE"
  std::string_view note;
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Cpu>
void visit_fields(Record& c, Visitor&& v) {
  constexpr Range kGhz{0.5, 10};
  constexpr Range kPerCycle{0, 65536};
  v(Field{.path = "id", .json = "id", .required = true}, c.id);
  v(Field{.path = "vendor", .json = "vendor", .required = true}, c.vendor);
  v(Field{.path = "name", .json = "name", .required = true}, c.name);
  v(Field{.path = "names", .json = "names", .required = true}, c.names);
  v(Field{.path = "architecture", .json = "architecture"}, c.architecture);
  v(Field{.path = "arch", .json = "arch"}, c.arch);
  v(Field{.path = "release_year", .json = "release_year", .range = {2005, 2100}}, c.release_year);
  v(Field{.path = "isa", .json = "isa"}, c.isa);
  v(Field{.path = "threads_per_core", .json = "threads_per_core", .range = {1, 8}}, c.threads_per_core);
  v(Field{.path = "base_ghz", .json = "base_ghz", .unit = "GHz", .range = kGhz}, c.base_ghz);
  v(Field{.path = "all_core_ghz", .json = "all_core_ghz", .unit = "GHz", .range = kGhz}, c.all_core_ghz);
  v(Field{.path = "turbo_ghz", .json = "turbo_ghz", .unit = "GHz", .range = kGhz}, c.turbo_ghz);
  v(Field{.path = "flops_per_cycle.fp32", .json = "fp32_flops_per_cycle", .range = kPerCycle}, c.fp32_flops_per_cycle);
  v(Field{.path = "flops_per_cycle.bf16", .json = "bf16_flops_per_cycle", .range = kPerCycle}, c.bf16_flops_per_cycle);
  v(Field{.path = "flops_per_cycle.fp16", .json = "fp16_flops_per_cycle", .range = kPerCycle}, c.fp16_flops_per_cycle);
  v(Field{.path = "flops_per_cycle.int8", .json = "int8_ops_per_cycle", .range = kPerCycle}, c.int8_ops_per_cycle);
  v(Field{.path = "cores_per_socket", .json = "cores_per_socket", .range = {1, 1024}}, c.cores_per_socket);
  v(Field{.path = "memory.channels", .json = "memory_channels", .range = {1, 64}}, c.memory_channels);
  v(Field{.path = "memory.mts", .json = "memory_mts", .unit = "MT/s", .range = {100, 5e4}}, c.memory_mts);
  v(Field{.path = "coremark_per_vcpu", .json = "coremark_per_vcpu", .range = {100, 1e6}}, c.coremark_per_vcpu);
  v(Field{.path = "blender_score", .json = "blender_score", .range = {0, 1e6}}, c.blender_score);
  v(Field{.path = "sources", .json = "sources", .required = true}, c.sources);
  v(Field{.path = "figure_sources", .json = "figure_sources"}, c.figure_sources);
  v(Field{.path = "notes", .json = "notes"}, c.notes);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, RendererInfo>
void visit_fields(Record& r, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, r.id);
  v(Field{.path = "name", .json = "name", .required = true}, r.name);
  v(Field{.path = "aliases", .json = "aliases"}, r.aliases);
  v(Field{.path = "benchmark", .json = "benchmark"}, r.benchmark);
  v(Field{.path = "gpu_vendors", .json = "gpu_vendors"}, r.gpu_vendors);
  v(Field{.path = "min_compute_capability", .json = "min_compute_capability", .range = {1, 50}},
    r.min_compute_capability);
  v(Field{.path = "min_driver", .json = "min_driver", .range = {100, 5000}}, r.min_driver);
  v(Field{.path = "needs_rt", .json = "needs_rt"}, r.needs_rt);
  v(Field{.path = "uses_rt", .json = "uses_rt"}, r.uses_rt);
  v(Field{.path = "on_gpu", .json = "on_gpu"}, r.on_gpu);
  v(Field{.path = "on_cpu", .json = "on_cpu"}, r.on_cpu);
  v(Field{.path = "out_of_core", .json = "out_of_core"}, r.out_of_core);
  v(Field{.path = "single_gpu", .json = "single_gpu"}, r.single_gpu);
  v(Field{.path = "sources", .json = "sources", .required = true}, r.sources);
  v(Field{.path = "notes", .json = "notes"}, r.notes);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, SolverInfo>
void visit_fields(Record& s, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, s.id);
  v(Field{.path = "name", .json = "name", .required = true}, s.name);
  v(Field{.path = "aliases", .json = "aliases"}, s.aliases);
  v(Field{.path = "unit", .json = "unit", .required = true}, s.unit);
  v(Field{.path = "precision", .json = "precision"}, s.precision);
  v(Field{.path = "bytes_per_cell", .json = "bytes_per_cell", .unit = "B", .range = {0.1, 1e7}}, s.bytes_per_cell);
  v(Field{.path = "bytes_per_update", .json = "bytes_per_update", .unit = "B", .range = {0.1, 1e9}},
    s.bytes_per_update);
  v(Field{.path = "flops_per_update", .json = "flops_per_update", .unit = "FLOP", .range = {0, 1e12}},
    s.flops_per_update);
  v(Field{.path = "on_gpu", .json = "on_gpu"}, s.on_gpu);
  v(Field{.path = "spills", .json = "spills"}, s.spills);
  v(Field{.path = "half_cells", .json = "half_cells", .range = {0, 1e12}}, s.half_cells);
  v(Field{.path = "sources", .json = "sources", .required = true}, s.sources);
  v(Field{.path = "notes", .json = "notes"}, s.notes);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Egress>
void visit_fields(Record& e, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, e.id);
  v(Field{.path = "provider", .json = "provider", .required = true}, e.provider);
  v(Field{.path = "regions", .json = "regions"}, e.regions);
  v(Field{.path = "places", .json = "places"}, e.places);
  v(Field{.path = "currency", .json = "currency", .required = true}, e.currency);
  v(Field{.path = "as_of", .json = "as_of"}, e.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, e.source);
  v(Field{.path = "free_gb_per_month", .json = "free_gb_per_month", .unit = "GB", .range = {0, 1e9}},
    e.free_gb_per_month);
  v(Field{.path = "tiers", .json = "tiers", .required = true}, e.tiers);
  v(Field{.path = "note", .json = "note"}, e.note);
}

}  // namespace gpusel::catalog
