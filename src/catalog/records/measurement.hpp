// What somebody measured and published: a job on a machine, and how fast it ran or how much memory
// it took. Kept as CSV (data/measurements), and read only when it is asked for.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/io/csv.hpp"
#include "base/values/enum.hpp"
#include "catalog/catalog.hpp"
#include "catalog/records/field.hpp"
#include "catalog/runs/runs.hpp"

namespace gpusel {

namespace catalog {

/// Which counter a peak of memory was read from. allocated and reserved: the framework's own, which do
/// not see the context; process: the driver's, of the whole process.
enum class MemoryKind : std::uint8_t { allocated, reserved, process };

/// Columns with the name of a key of the estimate request are that key; the others are here to say
/// where the figure is from, the shape of a model the catalogue lacks, and what was measured.
struct Measurement {
  std::string_view source;  // key; in a file of the user's, any name
  std::string_view place;   // where in the source, if it is not one document
  std::string_view task;
  std::string_view model;
  std::string_view model_type;  // of config.json, where the shape alone does not tell the kind
  Number layers, hidden, heads, kv_heads, head_dim, ffn, vocab, experts;
  Number params_b;
  Number active_params_b;

  std::string_view gpu;
  Number gpus, gpus_per_node;
  std::string_view interconnect;
  Number internode_gbps;

  std::string_view method, precision, recipe, framework, optimizer, sharding;
  Number tp, pp, cp, ep, dp;
  Number seq_len, micro_batch, global_batch, grad_accum;
  std::string_view activation_checkpointing;
  std::optional<bool> flash_attention;
  Number lora_rank;
  std::string_view lora_targets;

  std::string_view engine, engine_version, weights_precision, kv_precision, mode;
  Number input_tokens, output_tokens, concurrency, request_rate, mem_utilization;

  std::string_view resolution;
  Number batch;  // items per GPU and pass
  Number steps, frames;
  std::string_view offload;
  std::optional<bool> vae_slicing, vae_tiling;

  std::optional<bool> fits;     // whether it ran at all; unsaid where a figure says it
  Number tokens_per_s_per_gpu;  // of training
  Number model_tflops_per_gpu;
  Number step_time_s;  // of one optimiser step
  Number memory_gib;   // peak of one GPU
  std::optional<MemoryKind> memory_kind;
  Number output_tokens_per_s;  // of the whole deployment
  Number prompt_tokens_per_s;  // while the prompt is read
  Number ttft_ms;
  Number itl_ms;
  Number tpot_ms;
  Number weights_gib;  // on one GPU
  Number throughput;   // of all GPUs, in the unit that the estimate has for such work
  Number latency_ms;   // of one batch
  std::string_view note;
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Measurement>
void visit_fields(Record& m, Visitor&& v) {
  constexpr Range kPositive{1e-9, 1e12};
  constexpr Range kWhole{1, 1e9};
  const auto text = [&](std::string_view name, auto& member, bool required = false) {
    v(Field{.path = name, .json = name, .required = required}, member);
  };
  const auto count = [&](std::string_view name, auto& member) {
    v(Field{.path = name, .json = name, .range = kWhole}, member);
  };
  const auto figure = [&](std::string_view name, std::string_view unit, auto& member) {
    v(Field{.path = name, .json = name, .unit = unit, .range = kPositive}, member);
  };
  text("source", m.source);
  text("place", m.place);
  text("task", m.task, true);
  text("model", m.model);
  text("model_type", m.model_type);
  count("layers", m.layers);
  count("hidden", m.hidden);
  count("heads", m.heads);
  count("kv_heads", m.kv_heads);
  count("head_dim", m.head_dim);
  count("ffn", m.ffn);
  count("vocab", m.vocab);
  count("experts", m.experts);
  figure("params_b", "", m.params_b);
  figure("active_params_b", "", m.active_params_b);
  text("gpu", m.gpu, true);
  count("gpus", m.gpus);
  count("gpus_per_node", m.gpus_per_node);
  text("interconnect", m.interconnect);
  figure("internode_gbps", "Gbit/s", m.internode_gbps);
  text("method", m.method);
  text("precision", m.precision);
  text("recipe", m.recipe);
  text("framework", m.framework);
  text("optimizer", m.optimizer);
  text("sharding", m.sharding);
  count("tp", m.tp);
  count("pp", m.pp);
  count("cp", m.cp);
  count("ep", m.ep);
  count("dp", m.dp);
  count("seq_len", m.seq_len);
  count("micro_batch", m.micro_batch);
  count("global_batch", m.global_batch);
  count("grad_accum", m.grad_accum);
  text("activation_checkpointing", m.activation_checkpointing);
  text("flash_attention", m.flash_attention);
  count("lora_rank", m.lora_rank);
  text("lora_targets", m.lora_targets);
  text("engine", m.engine);
  text("engine_version", m.engine_version);
  text("weights_precision", m.weights_precision);
  text("kv_precision", m.kv_precision);
  text("mode", m.mode);
  count("input_tokens", m.input_tokens);
  count("output_tokens", m.output_tokens);
  count("concurrency", m.concurrency);
  figure("request_rate", "/s", m.request_rate);
  v(Field{.path = "mem_utilization", .json = "mem_utilization", .range = {0.05, 1}}, m.mem_utilization);
  text("resolution", m.resolution);
  count("batch", m.batch);
  count("steps", m.steps);
  count("frames", m.frames);
  text("offload", m.offload);
  text("vae_slicing", m.vae_slicing);
  text("vae_tiling", m.vae_tiling);
  text("fits", m.fits);
  figure("tokens_per_s_per_gpu", "tokens/s", m.tokens_per_s_per_gpu);
  figure("model_tflops_per_gpu", "TFLOPS", m.model_tflops_per_gpu);
  figure("step_time_s", "s", m.step_time_s);
  figure("memory_gib", "GiB", m.memory_gib);
  text("memory_kind", m.memory_kind);
  figure("output_tokens_per_s", "tokens/s", m.output_tokens_per_s);
  figure("prompt_tokens_per_s", "tokens/s", m.prompt_tokens_per_s);
  figure("ttft_ms", "ms", m.ttft_ms);
  figure("itl_ms", "ms", m.itl_ms);
  figure("tpot_ms", "ms", m.tpot_ms);
  figure("weights_gib", "GiB", m.weights_gib);
  figure("throughput", "", m.throughput);
  figure("latency_ms", "ms", m.latency_ms);
  text("note", m.note);
}

/// One row that can be used: its names are known and its figures are within reason.
struct MeasurementRow {
  MeasurementRow() = default;
  MeasurementRow(const MeasurementRow&) = delete;  // facts point into cells
  MeasurementRow& operator=(const MeasurementRow&) = delete;
  MeasurementRow(MeasurementRow&&) = default;
  MeasurementRow& operator=(MeasurementRow&&) = default;

  Node cells;
  Measurement facts;
  const Gpu* gpu = nullptr;
  const Model* model = nullptr;  // null: the row tells the model's shape or file, or there is none
};

struct MeasurementSheet {
  std::string name;  // of the file
  std::vector<MeasurementRow> rows;
  std::vector<std::string> unread;   // columns that are no fact of a measurement
  std::vector<std::string> remarks;  // what of a run was taken
  Errors unusable;                   // rows that were left out, and why
};

/// Rows of a table. `shipped`: every source must be one of the catalogue's.
/// Errors: what makes the whole table unusable, such as no column 'gpu'.
Result<MeasurementSheet> read_measurements(Csv csv, const Catalog& catalog, bool shipped);

/// Records in place of a table: each a request of an estimate with what was `measured`, nested or beside it.
MeasurementSheet read_measurement_records(std::vector<Node> records, std::string name, const Catalog& catalog);

/// A figure that a record may measure, by the name it has in a table; nothing for any other.
std::optional<std::string_view> measured_column(std::string_view key);

/// Those of `file`, a table, JSON Lines or what a run wrote, or those that the catalogue came with. `said`: what a run
/// leaves open, or says otherwise; `beside`: logs of its GPUs. Errors: also `said` of a file whose rows say it
/// themselves.
Result<MeasurementSheet> read_measurement_file(const std::string& file, const Catalog& catalog);
Result<MeasurementSheet> read_measurement_text(std::string_view text, const std::string& file, const Catalog& catalog,
                                               const std::vector<Node>& said = {}, std::span<const GpuLog> beside = {});
std::expected<std::vector<MeasurementSheet>, Errors> shipped_measurements(const Catalog& catalog);

}  // namespace catalog

template <>
inline constexpr auto enum_names<catalog::MemoryKind> =
    std::to_array<std::string_view>({"allocated", "reserved", "process"});

}  // namespace gpusel
