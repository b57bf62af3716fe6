// What was asked, before defaults: every key of the estimate contract that a person or a program
// gave, and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "base/words/message.hpp"
#include "job/kinds/counted.hpp"
#include "job/request/lora.hpp"
#include "job/request/option.hpp"
#include "job/request/terms.hpp"

namespace gpusel::job {

/// What a served model leaves in the memory of the host, as engines' own arguments say it: no key of the contract.
struct LeftToHost {
  double weights_gib = 0;  // of each GPU's part, which reads them from there
  Count gpu_layers;        // that GPUs hold, with their caches; the output is one more; absent: all
  Count expert_layers;     // whose experts the processor computes, from the first layer on; absent: none

  bool any() const { return weights_gib > 0 || on_cpu(); }
  /// Whether the processor computes a part.
  bool on_cpu() const { return gpu_layers.has_value() || expert_layers.value_or(0) > 0; }
};

/// Adapters that a server keeps room for beside the model.
struct ServedAdapters {
  std::int64_t slots = 0;
  std::int64_t rank = 16;
};

struct Request {
  std::vector<std::string_view> given;                    // keys that were set, as they stand in request_options()
  std::map<std::string, std::string, std::less<>> typed;  // of those, how they were written
  bool of_data = false;  // out of a file, whose rows may all have the same keys: those of other tasks are remarked on

  std::string id;
  std::optional<Task> task;
  bool task_assumed = false;           // nobody said it: the model and the other options tell
  std::string_view task_remark = {};   // how the word for it was understood
  bool task_without_model = false;     // the word for it says nothing of a model's task: "video"
  std::string_view told_by_task = {};  // key of an option that the word for it said: another word may say it anew
  std::string_view usual_model = {};   // of work that the word for the task names, where no model is named
  std::string model;                   // catalogue name or path
  std::optional<Node> inline_model;    // an object of config.json keys
  bool names_model() const { return inline_model || !model.empty(); }
  std::optional<double> params_b;
  std::optional<double> active_params_b;
  std::optional<Profile> profile;
  std::optional<double> min_fit;  // chance that a plan fits into memory

  // The machine (estimate only; recommend finds it).
  std::string gpu;
  Count gpu_parts;      // that it is cut into, of which the job has one
  double used_gib = 0;  // of each GPU, by other processes
  Count gpus;
  Count gpus_per_node;
  Count nodes;
  std::optional<Interconnect> interconnect;
  std::optional<double> internode_gbps;
  std::optional<double> vcpus_per_gpu;
  std::optional<double> storage_gbs;

  // Training.
  std::optional<Method> method;
  std::optional<Precision> precision;
  std::optional<Recipe> recipe;
  std::string framework;
  std::optional<Optimizer> optimizer;
  std::optional<Sharding> sharding;
  Count tp, pp, cp, ep, dp;
  Count seq_len, micro_batch, global_batch, grad_accum;
  std::optional<Checkpointing> activation_checkpointing;
  std::optional<bool> flash_attention;
  std::optional<bool> optimizer_in_backward;
  std::optional<bool> variable_lengths;
  std::optional<bool> fused_loss;
  Count target_len;  // of an encoder-decoder: seq_len is the source's
  Count virtual_pipeline;
  std::optional<bool> sequence_parallel;
  std::optional<double> capacity_factor;
  Count lora_rank;
  std::optional<LoraTargets> lora_targets;
  Count virtual_tokens;
  std::optional<double> tokens;
  std::optional<double> dataset_size;
  std::optional<double> epochs;

  // Inference.
  std::optional<Engine> engine;
  std::string engine_version;
  std::string weights_precision;
  std::string allow_precisions;
  std::optional<KvPrecision> kv_precision;
  std::optional<Mode> mode;
  Count input_tokens, output_tokens, context;
  Count concurrency;
  std::optional<double> mem_utilization;
  std::optional<double> request_rate;
  std::optional<double> prefix_cache_hit;
  std::string speculative;
  Count speculative_tokens;
  std::optional<double> acceptance_rate;
  std::optional<bool> disaggregated_prefill;
  Count stream_interval;
  std::optional<double> ttft_ms;
  std::optional<double> tpot_ms;
  std::optional<double> itl_ms;
  std::optional<double> e2e_ms;
  std::optional<bool> strict_slo;
  std::optional<double> slo_percentile;
  std::optional<double> confidence;
  std::optional<double> max_load;
  Count redundancy;

  std::optional<Offload> offload;
  LeftToHost left_to_host;
  ServedAdapters adapters;
  bool drafts_itself = false;  // its layers for multi-token prediction are loaded too
  Count batch;

  // Work that is counted in items of its own.
  std::optional<Resolution> resolution;
  Count steps;
  std::optional<bool> vae_slicing;
  std::optional<bool> vae_tiling;
  std::optional<double> images;
  std::optional<double> audio_hours;
  std::optional<double> latency_ms;
  std::optional<Loader> loader;
  std::optional<double> table_gib;
  std::optional<Render> render;
  std::optional<Renderer> renderer;
  std::string scene;
  std::optional<double> scene_vram_gib;
  std::optional<double> frames;
  std::optional<double> seconds_per_frame;
  std::string measured_on;  // GPU of seconds_per_frame
  std::optional<double> sessions;
  std::optional<Guest> guest;
  std::optional<double> streams;
  std::optional<double> fps;
  std::optional<double> stream_fps;
  std::optional<Codec> codec;
  std::optional<Codec> input_codec;
  std::string ladder;
  std::optional<double> bitrate_mbps;
  std::optional<double> video_hours;
  std::optional<bool> live;
  std::optional<Solver> solver;
  std::optional<double> cells;
  std::optional<double> time_steps;
  std::optional<Preprocessing> preprocess;
  std::optional<double> data_gb;
};

// Groups of options that are about one kind of work; help shows them under these names.
inline constexpr std::string_view kTrainingGroup = to_say("Training");
inline constexpr std::string_view kInferenceGroup = to_say("Inference");
inline constexpr std::string_view kMediaGroup = to_say("Images, video, speech, recommendation");
inline constexpr std::string_view kGraphicsGroup = to_say("Rendering, simulation, streaming, preprocessing");

std::span<const Option<Request>> request_options();

/// Error: an option that belongs to another task.
Status has_no_meaning(const Option<Request>& option, Task task);

/// Error: the model is to be read from a device. Only a command line says so; out of a file it would wait for nobody,
/// or for what was meant for others.
Status refuse_device(const Request& request);

/// That an option is given, and how.
inline void note_given(Request& request, std::string_view key, std::string_view text) {
  request.given.push_back(key);
  request.typed[std::string(key)] = text;
}

/// A request out of one JSON object; unknown keys are errors naming the nearest.
/// Errors carry the key they are about in `where`.
Result<Request> read_request(const Node& object);

}  // namespace gpusel::job
