#include "job/request/request.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/io/file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "job/kinds/video/ladder.hpp"
#include "job/limits/constraints.hpp"
#include "job/request/request_option.hpp"
#include "job/request/task_words.hpp"

namespace gpusel::job {

namespace {

constexpr Limits kRate{{.low = 1e-6, .high = 1e7}, 1000, "/s"};
constexpr Limits kPositive{{.low = 1e-9, .high = 1e15}, 1000};
constexpr Limits kMilliseconds{{.low = 0.001, .high = 1e9}, 1000, "ms"};
constexpr Limits kHours{{.low = 1e-9, .high = 1e15}, 1000, "h"};
constexpr Limits kRequestNodes{{.low = 1, .high = 1e5}, 1000};
constexpr Limits kPart{{.low = 0, .high = 1e8}, 1024};  // of a request: nothing to read, or nothing to generate

constexpr std::string_view kWork = to_say("Workload");
constexpr std::string_view kTrain = kTrainingGroup;
constexpr std::string_view kServe = kInferenceGroup;
constexpr std::string_view kSplit = to_say("Parallelism (default: planned)");
constexpr std::string_view kMachine = to_say("Machine");
constexpr std::string_view kVision = kMediaGroup;
constexpr std::string_view kGraphics = kGraphicsGroup;

Status keep_ladder(std::string_view text, std::string& place) {
  const auto sizes = read_ladder(text);
  if (!sizes) return std::unexpected(sizes.error());
  place = text;
  return {};
}

/// A name, a path, or an object of config.json keys.
Status set_model(std::string_view text, Request& request) {
  if (!trim(text).starts_with('{')) return assign(text, request.model);
  auto document = parse_json(text, "model");
  if (!document) return std::unexpected(document.error());
  request.inline_model = std::move(document->root);
  return {};
}

/// Words that people write for a value and that are none, and what to write instead.
struct Instead {
  std::string_view text, advice;
};
constexpr Instead kInstead[] = {
    {"triton", to_say("Triton is a server around an engine: write tensorrt, onnxruntime or trt-llm")},
    {"ps", to_say("parameter servers are out of use: write ddp, or fsdp where a GPU is too small")},
    {"parameter-server", to_say("parameter servers are out of use: write ddp, or fsdp where a GPU is too small")},
};

template <NamedEnum E>
Assigned<std::optional<E>> assign_or_advise(std::string_view text, std::optional<E>& place) {
  Assigned<std::optional<E>> set = assign(text, place);
  if (set) return set;
  const auto* one = std::ranges::find(kInstead, fold_name(text), &Instead::text);
  if (one == std::end(kInstead)) return set;
  return Status(usage_error(say("'{}' is not modeled", shorten(text, 32)), {}, say_text(one->advice)));
}

/// With a count the count too: "h100:8", "2x8xH100", "a100:1/7".
Assigned<std::string> set_gpu(std::string_view text, Request& request) {
  const CountedGpu counted = counted_gpu(text);
  if (counted.count) request.gpus = request.gpus_per_node = counted.count;
  if (counted.nodes) request.nodes = counted.nodes;
  request.gpu_parts = counted.parts;
  request.used_gib = 0;  // that was of another
  return assign(counted.name, request.gpu);
}

#define GPUSEL_SET(...) [](Request& r, std::string_view t) { return assign(t, __VA_ARGS__); }

constexpr Option<Request> kOptions[] = {
    {"id", "", "TEXT", to_say("echoed in the answer"), kMachine, GPUSEL_SET(r.id)},
    {"task", "t", "TASK", to_say("pretrain, finetune, inference, render, simulate, transcode or preprocess"), kWork,
     [](Request& r, std::string_view t) { return set_task(t, r); }},
    {"model", "m", "MODEL", to_say("catalog name, Hugging Face id, or a config.json, safetensors or GGUF file"), kWork,
     [](Request& r, std::string_view t) { return set_model(t, r); }},
    {"params_b", "", "N", to_say("billions of parameters, if not the model's own count"), kWork,
     GPUSEL_SET(r.params_b, Limits{{1e-6, 1e6}, 1000})},
    {"active_params_b", "", "N", to_say("billions of parameters active per token"), kWork,
     GPUSEL_SET(r.active_params_b, Limits{{1e-6, 1e6}, 1000})},
    {"profile", "", "PROFILE", to_say("standard, or dev: prototyping, the smallest thing that runs it"), kWork,
     GPUSEL_SET(r.profile)},
    {"min_fit", "", "CHANCE", to_say("minimum chance that a plan fits in memory, 0 to 1 (default: 0.9)"), kWork,
     GPUSEL_SET(r.min_fit, kShare)},

    {"confidence", "", "SHARE",
     to_say("required chance of meeting deadlines, rates, latencies and budgets (default: 0.8)"), kWork,
     GPUSEL_SET(r.confidence, Limits{{0.5, 0.99}, 1, "share"})},

    {"gpu", "", "GPU", to_say("GPU, slice or instance: h100, h100:8, 2x8xH100, a100:1/7, g6e.xlarge"), kMachine,
     [](Request& r, std::string_view t) { return set_gpu(t, r); }},
    {"gpus", "num-gpus", "N", to_say("total GPUs"), kMachine, GPUSEL_SET(r.gpus, kCount)},
    {"gpus_per_node", "", "N", to_say("GPUs per node (default: up to 8)"), kMachine,
     GPUSEL_SET(r.gpus_per_node, kCount)},
    {"nodes", "num-nodes", "N", to_say("nodes, in place of --gpus or of GPUs per node"), kMachine,
     GPUSEL_SET(r.nodes, kRequestNodes)},
    {"interconnect", "", "KIND", to_say("pcie, nvlink, nvswitch or nvl72, inside a node"), kMachine,
     GPUSEL_SET(r.interconnect)},
    {"internode_gbps", "", "GBIT", to_say("network per node, Gbit/s"), kMachine,
     GPUSEL_SET(r.internode_gbps, Limits{{0.01, 1e6}, 1000, "gbit/s"})},
    {"vcpus_per_gpu", "", "N", to_say("vCPUs of the host for each GPU, which decode what it reads"), kMachine,
     GPUSEL_SET(r.vcpus_per_gpu, Limits{{0.1, 1e4}, 1000})},
    {"storage_gbs", "", "GB/s", to_say("GB/s that one node reads of its data set"), kMachine,
     GPUSEL_SET(r.storage_gbs, Limits{{1e-4, 1e5}, 1000, "gb/s"})},

    {"method", "", "METHOD", to_say("full, lora, qlora, ptuning, prefix or dreambooth"), kTrain, GPUSEL_SET(r.method)},
    {"precision", "dtype", "FORMAT", to_say("arithmetic: fp32, tf32, fp16, bf16, fp8 … (default: best the GPU has)"),
     kTrain, GPUSEL_SET(r.precision)},
    {"recipe", "", "RECIPE", to_say("mixed (fp32 master weights) or pure"), kTrain, GPUSEL_SET(r.recipe)},
    {"framework", "", "FRAMEWORK", to_say("megatron, deepspeed, fsdp, hf-trainer, torchtune, unsloth …"), kTrain,
     GPUSEL_SET(r.framework)},
    {"optimizer", "", "NAME",
     to_say("adamw, adamw8bit, paged-adamw, paged-adamw8bit, adafactor, sgd, lamb, lion or muon"), kTrain,
     GPUSEL_SET(r.optimizer)},
    {"seq_len", "seq-length sequence-length", "N", to_say("tokens per training sequence"), kTrain,
     GPUSEL_SET(r.seq_len, kLength)},
    {"target_len", "decoder-seq-length", "N", to_say("tokens of an encoder-decoder's target; seq_len is the source"),
     kTrain, GPUSEL_SET(r.target_len, kLength)},
    {"micro_batch", "per-device-batch-size", "N", to_say("sequences per GPU and pass"), kTrain,
     GPUSEL_SET(r.micro_batch, kCount)},
    {"global_batch", "", "N", to_say("sequences per optimizer step"), kTrain, GPUSEL_SET(r.global_batch, kCount)},
    {"grad_accum", "gradient-accumulation-steps", "N", to_say("passes per optimizer step"), kTrain,
     GPUSEL_SET(r.grad_accum, kCount)},
    {"activation_checkpointing", "gradient-checkpointing", "KIND", to_say("none, selective or full"), kTrain,
     GPUSEL_SET(r.activation_checkpointing)},
    {"flash_attention", "", "BOOL", to_say("true or false (default: where the GPU has it)"), kTrain,
     GPUSEL_SET(r.flash_attention), true},
    {"optimizer_in_backward", "", "BOOL", to_say("true: step on each gradient as it arrives, keep none"), kTrain,
     GPUSEL_SET(r.optimizer_in_backward), true},
    {"variable_lengths", "", "BOOL", to_say("true: batches padded to their own longest; false: packed or padded alike"),
     kTrain, GPUSEL_SET(r.variable_lengths), true},
    {"fused_loss", "", "BOOL", to_say("true: a loss that never keeps all logits (Liger, cut cross-entropy, chunks)"),
     kTrain, GPUSEL_SET(r.fused_loss), true},
    {"lora_rank", "", "N", to_say("rank of LoRA adapters"), kTrain, GPUSEL_SET(r.lora_rank, Limits{{1, 65536}, 1000})},
    {"lora_targets", "target-modules", "LIST",
     to_say("all, attention, ffn, experts, or matrices such as q_proj,v_proj"), kTrain, GPUSEL_SET(r.lora_targets)},
    {"capacity_factor", "", "N", to_say("rows that experts are padded to, relative to those routed (default: 1)"),
     kTrain, GPUSEL_SET(r.capacity_factor, Limits{{0.1, 16}, 1000})},
    {"virtual_tokens", "", "N", to_say("virtual tokens of prompt or prefix tuning"), kTrain,
     GPUSEL_SET(r.virtual_tokens, Limits{{1, 1e6}, 1000})},
    {"tokens", "", "N", to_say("tokens to train on, or to generate"), kTrain, GPUSEL_SET(r.tokens, kAmount)},
    {"dataset_size", "", "N", to_say("samples in the data set"), kTrain, GPUSEL_SET(r.dataset_size, kAmount)},
    {"epochs", "", "N", to_say("passes over the data set"), kTrain, GPUSEL_SET(r.epochs, Limits{{0.001, 1e6}, 1000})},
    {"offload", "", "WHAT", to_say("none, optimizer, params, weights or sequential: kept in host memory"), kTrain,
     GPUSEL_SET(r.offload)},

    {"sharding", "", "KIND", to_say("none, ddp, zero1, zero2, zero3, fsdp or hsdp"), kSplit,
     [](Request& r, std::string_view t) { return assign_or_advise(t, r.sharding); }},
    {"tp", "tensor-parallel", "N", to_say("tensor parallel degree"), kSplit, GPUSEL_SET(r.tp, kCount)},
    {"pp", "pipeline-parallel", "N", to_say("pipeline stages"), kSplit, GPUSEL_SET(r.pp, kCount)},
    {"virtual_pipeline", "vpp", "N", to_say("chunks of a pipeline stage that interleave (default: by framework)"),
     kSplit, GPUSEL_SET(r.virtual_pipeline, kCount)},
    {"sequence_parallel", "", "BOOL", to_say("tensor ranks also share norms and residuals (default: true)"), kSplit,
     GPUSEL_SET(r.sequence_parallel), true},
    {"cp", "", "N", to_say("context parallel degree"), kSplit, GPUSEL_SET(r.cp, kCount)},
    {"ep", "", "N", to_say("expert parallel degree"), kSplit, GPUSEL_SET(r.ep, kCount)},
    {"dp", "", "N", to_say("data parallel degree, or replicas"), kSplit, GPUSEL_SET(r.dp, kCount)},

    {"engine", "", "ENGINE",
     to_say("vllm, trt-llm, sglang, tgi, lmdeploy, llama.cpp, ollama, hf; pytorch, tensorrt, onnxruntime …"), kServe,
     [](Request& r, std::string_view t) { return assign_or_advise(t, r.engine); }},
    {"engine_version", "", "TEXT", to_say("version or date; separates an old generation from a current one"), kServe,
     GPUSEL_SET(r.engine_version)},
    {"weights_precision", "quant quantization", "PRECISION",
     to_say("bf16, fp16, fp8, int8, w4a16, nvfp4, mxfp4 or a GGUF name such as q4_k_m"), kServe,
     GPUSEL_SET(r.weights_precision)},
    {"allow_precisions", "", "PRECISIONS",
     to_say("formats the planner may choose among; native, official or any (default: recommend official, but native "
            "for a named repository; estimate native)"),
     kServe, GPUSEL_SET(r.allow_precisions)},
    {"kv_precision", "kv-cache-dtype", "FORMAT", to_say("fp16, bf16, fp8 or int8"), kServe, GPUSEL_SET(r.kv_precision)},
    {"mode", "", "MODE", to_say("throughput, online (a given concurrency) or single-stream"), kServe,
     GPUSEL_SET(r.mode)},
    {"input_tokens", "isl input-len", "N", to_say("prompt tokens per request"), kServe,
     GPUSEL_SET(r.input_tokens, kPart)},
    {"output_tokens", "osl output-len", "N", to_say("generated tokens per request"), kServe,
     GPUSEL_SET(r.output_tokens, kPart)},
    {"context", "max-model-len ctx-size context-length", "N", to_say("longest sequence, prompt and answer together"),
     kServe, GPUSEL_SET(r.context, kLength)},
    {"concurrency", "target-concurrency", "N", to_say("requests in flight"), kServe, GPUSEL_SET(r.concurrency, kCount)},
    {"batch", "batch-size", "N", to_say("sequences per pass: micro batch in training, concurrency in inference"),
     kServe, GPUSEL_SET(r.batch, Limits{{1, 1e8}, 1000}), false, false, false},
    {"request_rate", "rps qps target-request-rate", "N", to_say("requests arriving per second"), kServe,
     GPUSEL_SET(r.request_rate, kRate)},
    {"ttft", "max-ttft", "MS", to_say("maximum time to first token, ms"), kServe, GPUSEL_SET(r.ttft_ms, kMilliseconds)},
    {"tpot", "max-tpot", "MS", to_say("maximum mean time per output token of a request, ms"), kServe,
     GPUSEL_SET(r.tpot_ms, kMilliseconds)},
    {"itl", "max-itl", "MS", to_say("maximum time between two tokens, ms"), kServe,
     GPUSEL_SET(r.itl_ms, kMilliseconds)},
    {"e2e", "request-latency max-e2e", "MS", to_say("maximum time for a whole request, ms"), kServe,
     GPUSEL_SET(r.e2e_ms, kMilliseconds)},
    {"slo_percentile", "", "PERCENT",
     to_say("percent of requests that must meet all latency targets, 50 to 99.9 (default: 95)"), kServe,
     GPUSEL_SET(r.slo_percentile, Limits{{50, 99.9}, 1, "%"})},
    {"strict_slo", "strict-sla", "BOOL",
     to_say("false: the median request meets the latency targets, short for --slo-percentile 50"), kServe,
     GPUSEL_SET(r.strict_slo), true},
    {"max_load", "", "SHARE", to_say("share of what instances could serve that is planned for (default: 0.8)"), kServe,
     GPUSEL_SET(r.max_load, Limits{{0.05, 1}, 1000, "share"})},
    {"redundancy", "", "N", to_say("instances that may fail while targets are still met: 1 for N+1"), kServe,
     GPUSEL_SET(r.redundancy, Limits{{0, 1024}, 1000})},
    {"mem_utilization", "gpu-memory-utilization", "SHARE", to_say("share of the card the engine may take"), kServe,
     GPUSEL_SET(r.mem_utilization, Limits{{0.05, 1}, 1000, "share"})},
    {"prefix_cache_hit", "", "SHARE", to_say("share of the prompt found in the prefix cache"), kServe,
     GPUSEL_SET(r.prefix_cache_hit, kShare)},
    {"speculative", "", "MODEL", to_say("draft model of speculative decoding, or none"), kServe,
     GPUSEL_SET(r.speculative)},
    {"speculative_tokens", "num-speculative-tokens", "N", to_say("tokens drafted per step (default: 4)"), kServe,
     GPUSEL_SET(r.speculative_tokens, Limits{{1, 64}, 1000})},
    {"acceptance_rate", "", "SHARE", to_say("share of drafted tokens that are accepted (default: 0.7)"), kServe,
     GPUSEL_SET(r.acceptance_rate, kShare)},
    {"disaggregated_prefill", "", "BOOL", to_say("true: some replicas read prompts and the others generate"), kServe,
     GPUSEL_SET(r.disaggregated_prefill), true},
    {"stream_interval", "", "N", to_say("tokens that the server sends at once, or polls for (default: 1)"), kServe,
     GPUSEL_SET(r.stream_interval, Limits{{1, 1000}, 1000})},

    {"resolution", "", "PIXELS", to_say("224, 1024x1024, 1080p or 4k (default: the model's own)"), kVision,
     GPUSEL_SET(r.resolution)},
    {"steps", "num-inference-steps", "N", to_say("denoising steps (default: the model's usual number)"), kVision,
     GPUSEL_SET(r.steps, Limits{{1, 10000}, 1000})},
    {"vae_slicing", "", "BOOL", to_say("true: images of a batch are decoded one at a time"), kVision,
     GPUSEL_SET(r.vae_slicing), true},
    {"vae_tiling", "", "BOOL", to_say("true: an image is decoded tile by tile"), kVision, GPUSEL_SET(r.vae_tiling),
     true},
    {"images", "", "N", to_say("total images to make or to read"), kVision, GPUSEL_SET(r.images, kAmount)},
    {"audio_hours", "", "N", to_say("total hours of audio to transcribe or to speak"), kVision,
     GPUSEL_SET(r.audio_hours, kHours)},
    {"latency_ms", "max-latency-ms", "MS", to_say("maximum time for one batch, ms"), kVision,
     GPUSEL_SET(r.latency_ms, kMilliseconds)},
    {"loader", "data-loader", "WHO",
     to_say("decoder of images and audio: cpu, dali (on the GPU), or preprocessed (stored decoded; default: cpu)"),
     kVision, GPUSEL_SET(r.loader)},
    {"table_gib", "embedding-gib", "GIB", to_say("embedding tables, GiB, if not the model's own"), kVision,
     GPUSEL_SET(r.table_gib, Limits{{0.001, 1e6}, 1000, "gib"})},

    {"render", "", "KIND", to_say("offline, realtime or cad"), kGraphics, GPUSEL_SET(r.render)},
    {"renderer", "", "NAME", to_say("cycles, vray, octane, redshift, arnold, keyshot, vred …"), kGraphics,
     GPUSEL_SET(r.renderer)},
    {"scene", "", "CLASS", to_say("size of the scene in words, instead of scene_vram_gib"), kGraphics,
     GPUSEL_SET(r.scene)},
    {"scene_vram_gib", "scene-vram", "GIB", to_say("memory of the scene or of a session, GiB or with a unit"),
     kGraphics, GPUSEL_SET(r.scene_vram_gib, Limits{{0.01, 1e5}, 1000, "gib"})},
    {"frames", "num-frames", "N", to_say("total frames to render; of a generated video, its length"), kGraphics,
     GPUSEL_SET(r.frames, kAmount)},
    {"seconds_per_frame", "", "S", to_say("measured time of one frame; with --on"), kGraphics,
     GPUSEL_SET(r.seconds_per_frame, Limits{{1e-9, 1e15}, 1000, "s"})},
    {"on", "", "GPU", to_say("GPU that seconds_per_frame was measured on"), kGraphics, GPUSEL_SET(r.measured_on)},
    {"sessions", "users", "N", to_say("users at once"), kGraphics, GPUSEL_SET(r.sessions, Limits{{1, 1e7}, 1000})},
    {"guest", "", "KIND", to_say("what a session runs: desktop or android"), kGraphics, GPUSEL_SET(r.guest)},
    {"streams", "", "N", to_say("video streams at once"), kGraphics, GPUSEL_SET(r.streams, Limits{{1, 1e7}, 1000})},
    {"fps", "", "N", to_say("frames per second of a session or stream"), kGraphics,
     GPUSEL_SET(r.fps, Limits{{0.1, 1000}, 1000, "/s"})},
    {"stream_fps", "", "N", to_say("frames per second that a detector sees of each stream"), kGraphics,
     GPUSEL_SET(r.stream_fps, Limits{{0.01, 1000}, 1000, "/s"})},
    {"codec", "", "CODEC", to_say("h264, hevc or av1"), kGraphics, GPUSEL_SET(r.codec)},
    {"input_codec", "", "CODEC", to_say("codec of the video that comes in: h264, hevc or av1"), kGraphics,
     GPUSEL_SET(r.input_codec)},
    {"ladder", "", "LIST", to_say("sizes to encode each video in: 1080p,720p,480p; default: its own only"), kGraphics,
     [](Request& r, std::string_view t) { return keep_ladder(t, r.ladder); }},
    {"bitrate_mbps", "", "MBPS", to_say("of the encoded video in its own size, Mbit/s"), kGraphics,
     GPUSEL_SET(r.bitrate_mbps, Limits{{0.001, 10000}, 1000, "mbit/s"})},
    {"video_hours", "", "N", to_say("total hours of stored video"), kGraphics, GPUSEL_SET(r.video_hours, kHours)},
    {"live", "", "BOOL", to_say("true: live; false: files, as fast as possible"), kGraphics, GPUSEL_SET(r.live), true},
    {"solver", "", "KIND", to_say("lbm, fdtd, fvm, sph, dem, md or fea"), kGraphics, GPUSEL_SET(r.solver)},
    {"cells", "particles", "N", to_say("cells, particles or atoms of a simulation"), kGraphics,
     GPUSEL_SET(r.cells, kAmount)},
    {"time_steps", "iterations", "N", to_say("total time steps or iterations"), kGraphics,
     GPUSEL_SET(r.time_steps, kAmount)},
    {"preprocess", "", "KIND", to_say("etl, tokenize, images, video, features or trees"), kGraphics,
     GPUSEL_SET(r.preprocess)},
    {"data_gb", "", "GB", to_say("total data to process, GB"), kGraphics,
     GPUSEL_SET(r.data_gb, Limits{{1e-9, 1e15}, 1000, "gb"})},
};

#undef GPUSEL_SET

}  // namespace

std::span<const Option<Request>> request_options() { return kOptions; }

namespace {

constexpr std::size_t kSlots = 512;  // a power of two, well above the number of names

/// Where a name is looked for first; '-' and '_' are alike.
constexpr std::size_t slot_of(std::string_view name) {
  std::uint64_t hash = 0;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c == '-' ? '_' : c)) * 0x9E3779B97F4A7C15U;
  return hash >> 55U;
}
static_assert(std::size_t{1} << (64U - 55U) == kSlots);

struct OptionName {
  std::string_view name;
  const Option<Request>* option = nullptr;
};

/// Keys and aliases, each in its slot or in the next that was free.
constexpr auto kNames = [] {
  std::array<OptionName, kSlots> names{};
  const auto add = [&](std::string_view name, const Option<Request>& option) {
    std::size_t slot = slot_of(name);
    while (names[slot].option != nullptr) slot = (slot + 1) % kSlots;
    names[slot] = {name, &option};
  };
  for (const auto& option : kOptions) add(option.key, option);
  for (const auto& option : kOptions)
    for (std::string_view rest = option.aliases; !rest.empty();) {
      const std::string_view alias = rest.substr(0, rest.find(' '));
      if (alias.size() > 1) add(alias, option);
      rest.remove_prefix(std::min(rest.size(), alias.size() + 1));
    }
  return names;
}();

}  // namespace

const Option<Request>* request_option(std::string_view name) {
  for (std::size_t slot = slot_of(name); kNames[slot].option != nullptr; slot = (slot + 1) % kSlots)
    if (kNames[slot].name == name || same_spelling(kNames[slot].name, name)) return kNames[slot].option;
  return nullptr;
}

Status refuse_device(const Request& request) {
  if (!is_device_name(request.model)) return {};
  return usage_error(
      say("'{}' is a device; what is written in a file names files", shorten(printable(request.model), 60)), "model");
}

Result<Request> read_request(const Node& object) {
  if (!object.is_map()) return usage_error(say("a request must be a JSON object, found {}", object.describe()));
  Request request;
  request.of_data = true;
  for (const Node& member : object.children) {
    if (member.kind == Node::Kind::null) continue;  // null says: not given
    const auto* option = request_option(member.key);
    if (option == nullptr) {
      std::vector<std::string_view> keys;
      for (const auto& known : kOptions) keys.push_back(known.key);
      return usage_error(say("unknown key '{}'", shorten(member.key, 60)), member.key, did_you_mean(member.key, keys));
    }
    note_given(request, option->key, member.text);
    if (option->key == "model" && member.is_map()) {
      request.inline_model = member;
      continue;
    }
    if (!member.is_scalar())
      return usage_error(say("'{}' must be a single value, found {}", option->key, member.describe()),
                         std::string(option->key));
    if (Status set = option->set(request, member.text); !set) {
      set.error().where = option->key;
      return std::unexpected(set.error());
    }
  }
  if (Status file = refuse_device(request); !file) return std::unexpected(file.error());
  return request;
}

Status has_no_meaning(const Option<Request>& option, Task task) {
  std::string flag(option.key);
  std::ranges::replace(flag, '_', '-');
  const std::string_view what = option.group == kTrainingGroup    ? to_say("training")
                                : option.group == kInferenceGroup ? to_say("language models that answer")
                                : option.group == kMediaGroup ? to_say("image, video, audio and recommendation models")
                                                              : to_say("rendering, simulation and preprocessing");
  return usage_error(say("does not apply to {}", to_text(task)), std::string(option.key),
                     say("remove --{}: it is for {}", flag, say_text(what)));
}

}  // namespace gpusel::job
