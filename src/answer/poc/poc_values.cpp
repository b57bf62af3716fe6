#include "answer/poc/poc_values.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/repository.hpp"
#include "physics/formats.hpp"

namespace gpusel::answer {

namespace {

/// https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/: earlier cards are left out from CUDA 13 on.
constexpr double kOfCuda13 = 7.5;
/// What ROCm's containers are made for, by how the architecture's name begins:
/// https://rocm.docs.amd.com/en/docs-7.14.0/ai-ecosystem/inference/vllm.html
constexpr std::pair<std::string_view, std::string_view> kRocmFamilies[] = {
    {"CDNA", "cdna"}, {"RDNA3", "rdna"}, {"RDNA4", "rdna"}};

class Values {
 public:
  explicit Values(const ProofUnit& unit, double prompts) : unit_(unit), prompts_(prompts) {}

  ProofValues all() {
    machine();
    model();
    unit_.plan.training ? add_training() : unit_.plan.serving ? add_serving() : add_items();
    return std::move(out_);
  }

 private:
  void set(std::string_view name, std::string_view text) {
    if (!text.empty()) out_[std::string(name)] = text;
  }
  void set(std::string_view name, double value) { out_[std::string(name)] = format("{:.10g}", value); }
  /// Degrees of one are what tools take without being told.
  void degree(std::string_view name, int value) {
    if (value > 1) set(name, value);
  }

  void machine() {
    const auto& machine = unit_.machine;
    set("gpus", machine.gpus());
    set("per_node", machine.gpus_per_node);
    set("last_card", machine.gpus_per_node - 1);
    if (machine.gpus() > 1) set("several", machine.gpus());
    set("kind", machine.gpus() > 1 ? "distributed" : "single_device");
    degree("nodes", machine.nodes);
    if (!machine.on_cpu()) set("vendor", lower(machine.device.gpu->vendor));
    if (!machine.on_cpu() && machine.device.gpu->capability.value_or(kOfCuda13) < kOfCuda13) {
      set("toolkit", "cuda12");
      // Wheels of its own PyTorch are for CUDA 12.6: https://github.com/pytorch/pytorch/releases/tag/v2.8.0
      set("older_torch", "'torch<2.8' 'torchvision<0.23' 'torchaudio<2.8'");
    }
    if (!machine.on_cpu())
      for (const auto& [architecture, family] : kRocmFamilies)
        if (machine.device.gpu->architecture.starts_with(architecture)) set("family", family);
    set("gpu", machine.on_cpu() ? std::string_view("cpu") : machine.device.gpu->id);
    if (!machine.on_cpu() && machine.device.gpu->capability)
      set("capability", format("{:.1f}", *machine.device.gpu->capability));
  }

  /// Where it is published, as far as that is known.
  static std::string published_name(const catalog::Model& model, std::string_view asked, bool trains) {
    std::string name = catalog::repository_of(model, asked, trains).name;
    return name.empty() ? std::string(model.id) : name;
  }

  void model() {
    const catalog::Model* model = unit_.work.model;
    if (model == nullptr) return;
    const std::string name = published_name(*model, unit_.work.asked_as, job::is_training(unit_.work.task));
    set("model", name);
    set("served", name);
    if (model->kind) set("architecture", to_text(*model->kind));
    set("name", std::string_view(name).substr(name.rfind('/') + 1));
  }

  void add_training() {
    const auto& job = unit_.work.training;
    const physics::Layout& layout = unit_.plan.layout;
    set("class", "training");
    set("with", job.framework.empty() ? std::string_view("any") : std::string_view(job.framework));
    for (const std::string_view name : {"stage", "verb", "bench"}) set(name, to_text(unit_.work.task));
    for (const std::string_view name : {"method", "tuning", "adapter", "recipe_name", "quantize"})
      set(name, to_text(job.method));
    set("steps", kProofSteps);
    set("half", kProofSteps / 2);
    set("length", static_cast<double>(job.seq_len));
    set("micro_batch", static_cast<double>(layout.micro_batch));
    set("accumulation", static_cast<double>(layout.grad_accum));
    set("global_batch", static_cast<double>(layout.global_batch()));
    set("tokens_per_step", static_cast<double>(layout.global_batch() * job.seq_len));
    set("precision", to_text(layout.precision));
    if (layout.tp * layout.pp * layout.cp * layout.ep > 1) set("split", physics::layout_text(unit_.work, layout));
    set("layout", physics::layout_text(unit_.work, layout));
    flash_attention(layout);
    if (job.fused_loss) set("fused_loss", "yes");
    published();
    set("checkpointing", physics::is_partial(layout) ? "partial" : to_text(layout.checkpointing));
    if (physics::is_partial(layout))  // of one stage
      set("recomputed_layers", std::max(1.0, std::round(layout.recomputed * unit_.work.parameters.layers / layout.pp)));
    set("optimizer", to_text(job.optimizer));
    if (job.offload != job::Offload::none) set("offload", to_text(job.offload));
    if (job::is_lora(job.method)) adapters(job);
    lengths(job);
    if (job.recipe == job::Recipe::pure)
      set("pure", layout.dp > 1 && layout.sharding == job::Sharding::zero3 ? "sharded" : "yes");
    const bool masters = job.recipe == job::Recipe::mixed && job.method == job::Method::full;
    set("loaded", masters ? "fp32" : to_text(layout.precision));
    if (job.optimizer_in_backward) set("in_backward", "yes");
    if (job.capacity_factor != 1) set("capacity", job.capacity_factor);
    virtual_stages(layout, unit_.chunks);
    set("tp", layout.tp);
    degree("pp", layout.pp);
    degree("cp", layout.cp);
    degree("ep", layout.ep);
    megatron_degrees(layout);
    if (job.sequence_parallel) degree("several_tp", layout.tp);
    sharding(layout);
    // FSDP wraps what it shards with the recomputation; the trainer's own would gather the weights once more.
    const bool full = layout.checkpointing == job::Checkpointing::full && !physics::is_partial(layout);
    if (full && out_.contains("fsdp")) set("wrapped", "true");
    set("recomputes", full && !out_.contains("fsdp") ? "true" : "false");
    shape();
  }

  /// What Megatron asks for beside the degrees themselves.
  void megatron_degrees(const physics::Layout& layout) {
    // Kernels of several streams overlap in the order that one connection keeps.
    if (layout.tp * layout.cp > 1 &&
        unit_.machine.device.gpu->capability.value_or(catalog::kBlackwell) < catalog::kBlackwell)
      set("connections", 1);
    // Experts take the tensor-parallel degree of the rest only where the GPUs of a stage divide by both.
    if (layout.ep > 1 && layout.tp > 1) set("expert_tp", layout.cp * layout.dp % layout.ep == 0 ? layout.tp : 1);
  }

  /// FlashAttention 2 has no kernels before Ampere, and none with attention sinks, for which Hopper has its own:
  /// https://github.com/huggingface/transformers/blob/main/src/transformers/models/gpt_oss/modeling_gpt_oss.py
  void flash_attention(const physics::Layout& layout) {
    const double capability = unit_.machine.device.gpu->capability.value_or(8);
    const bool sinks = unit_.work.model->model_type == "gpt_oss";
    const auto plain = [&] { set("unpacked", to_text(unit_.work.model->kind.value_or(catalog::ModelKind{}))); };
    if (!layout.flash_attention || capability < 8) return plain();
    if (!sinks) {
      set("flash", "yes");
      set("flash_attn", "yes");  // the package
    } else if (capability >= 9 && capability < catalog::kBlackwell) {
      set("flash", "sinks");
      set("kernels", "yes");  // https://github.com/huggingface/kernels
    } else {
      set("eager", "yes");
      plain();
    }
  }

  /// Weights that are published in a narrow format must be widened before anything trains them.
  void published() {
    const catalog::Repository from = catalog::repository_of(*unit_.work.model, unit_.work.asked_as, true);
    const std::string_view native = unit_.work.model->native_dtype;
    const bool narrow = native.starts_with("fp8") || native.starts_with("mxfp4");
    if (narrow && !lower(from.name).ends_with("bf16")) set("published", native.starts_with("fp8") ? "fp8" : "mxfp4");
  }

  /// Queries, keys and values of attention over a latent are made in two steps:
  /// https://github.com/huggingface/transformers/blob/main/src/transformers/models/deepseek_v3/modeling_deepseek_v3.py
  std::string adapted_modules(const job::LoraTargets& t) const {
    const catalog::Model& model = *unit_.work.model;
    const bool latent = model.is_mla();
    const bool two_steps = latent && model.mla_q_lora_rank.value_or(0) > 0;
    const std::pair<bool, std::string_view> modules[] = {{t.q, two_steps ? "q_a_proj q_b_proj" : "q_proj"},
                                                         {t.k && !latent, "k_proj"},
                                                         {t.v && !latent, "v_proj"},
                                                         {(t.k || t.v) && latent, "kv_a_proj_with_mqa kv_b_proj"},
                                                         {t.o, "o_proj"},
                                                         {t.gate, "gate_proj"},
                                                         {t.up, "up_proj"},
                                                         {t.down, "down_proj"}};
    std::string names;
    for (const auto& [there, name] : modules)
      if (there) names += (names.empty() ? "" : " ") + std::string(name);
    return names;
  }

  void adapters(const job::Training& job) {
    set("rank", static_cast<double>(job.lora_rank));
    const auto& t = job.lora_targets;
    std::string names = adapted_modules(t);
    const bool all = t == job::kLinearTargets && !unit_.work.model->is_moe();
    set("targets", all ? "all" : t == job::kAttentionTargets ? "attention" : "some");
    set("modules", all ? std::string("all-linear") : names);
    std::ranges::replace(names, ' ', ',');
    set("modules_list", all ? std::string("all") : names);
    if (t.experts) set("expert_adapters", "yes");
  }

  /// Commands pack sequences of one length each.
  void lengths(const job::Training& job) {
    if (job.variable_lengths.value_or(false)) set("lengths", "own");
    if (job.target_len <= 0) return;
    set("lengths", "two");
    set("target", static_cast<double>(job.target_len));
  }

  void virtual_stages(const physics::Layout& layout, double chunks) {
    if (chunks <= 1) return;
    const double layers = unit_.work.parameters.layers / layout.pp / chunks;
    set("chunk_layers", layers);
    if (layers != std::floor(layers)) set("special", "yes");
    if (physics::is_partial(layout)) set("recomputed_layers", std::max(1.0, std::round(layout.recomputed * layers)));
  }

  void sharding(const physics::Layout& layout) {
    using job::Sharding;
    const bool offloads = unit_.work.training.offload != job::Offload::none;
    const std::string_view with = unit_.work.training.framework;
    const bool fsdp = with == "fsdp" || with == "torchtune";
    const std::string_view deepspeed = unit_.work.training.offload == job::Offload::params ? "3" : "2";
    if (layout.dp < 2 && !offloads) return;
    if (offloads && (fsdp || layout.sharding == Sharding::fsdp)) set("other_sharding", "offloaded");
    switch (layout.sharding) {
      case Sharding::none:
      case Sharding::ddp:
        if (offloads)
          set("zero", deepspeed);
        else
          set("ddp", "yes");
        break;
      case Sharding::zero1: set(fsdp ? "other_sharding" : "zero", "1"); break;
      case Sharding::zero2: fsdp ? set("fsdp", "false") : set("zero", "2"); break;
      case Sharding::zero3: fsdp ? set("fsdp", "true") : set("zero", "3"); break;
      case Sharding::fsdp: set("fsdp", "true"); break;
      case Sharding::hsdp: set("other_sharding", "hsdp"); break;
    }
  }

  void shape() {
    const catalog::Model& model = *unit_.work.model;
    const auto known = [&](std::string_view name, const catalog::Number& value) {
      if (value) set(name, *value);
    };
    known("vocab", model.vocab_size);
    known("layers", model.layers);
    known("hidden", model.hidden_size);
    known("heads", model.heads);
    if (model.kv_heads && model.kv_heads != model.heads) set("kv_heads", *model.kv_heads);
    known("ffn", model.is_moe() && model.moe_ffn_size ? model.moe_ffn_size : model.ffn_size);
    if (model.is_moe()) known("experts", model.experts);
    if (model.is_moe()) known("experts_used", model.experts_per_token);
    if (model.gated_ffn.value_or(true)) set("swiglu", "yes");
    if (model.head_dim && model.heads && model.hidden_size && *model.head_dim * *model.heads != *model.hidden_size)
      set("head_dim", *model.head_dim);
    if (model.mla_kv_lora_rank || model.shared_experts.value_or(0) > 0 || model.linear_state_bytes)
      set("special", "yes");
    if (!model.tied_embeddings.value_or(false)) set("untied", "yes");
  }

  void add_serving() {
    const auto& job = unit_.work.inference;
    const physics::Layout& layout = unit_.plan.layout;
    set("class", unit_.work.model->is_generator() ? "serving" : "encoding");
    set("with", to_text(job.engine));
    set("tp", layout.tp);
    degree("pp", layout.pp);
    degree("ep", layout.ep);
    set("input", static_cast<double>(job.input_tokens));
    set("output", static_cast<double>(job.output_tokens));
    set("length", context_of(unit_, unit_.plan.serving->room));
    if (job.mem_utilization) set("share", *job.mem_utilization);
    set("prompts", prompts_);
    const double together = std::max(1.0, std::round(unit_.plan.serving->room.concurrency));
    if (job.request_rate)
      set("rate", *job.request_rate);
    else
      set("concurrency", together);
    set("together", together);
    set("cache", together * static_cast<double>(job.input_tokens + job.output_tokens));
    set("format", layout.weights->name);
    if (unit_.work.model->is_moe()) set("experts", unit_.work.model->experts.value_or(0));
    weights(layout.weights->name);
    requests(job, together);
    if (layout.kv == job::KvPrecision::fp8 || layout.kv == job::KvPrecision::int8) set("kv", to_text(layout.kv));
  }

  static bool is_plain(std::string_view format) { return format == "fp16" || format == "bf16" || format == "fp32"; }

  /// What the checkpoint is in need not be said.
  void weights(std::string_view name) {
    const std::string_view native = unit_.work.model->native_dtype;
    if (name == native || native.starts_with(name)) return;
    if (!is_plain(name) && !unit_.machine.on_cpu() &&
        physics::native_weight_format(*unit_.work.model, unit_.machine.device) == name)
      return;
    if (!is_plain(name) || !(native.empty() || is_plain(native)))
      set("weights", name);
    else
      set("dtype", name == "fp16" ? "half" : name == "bf16" ? "bfloat16" : "float");
  }

  void requests(const job::Inference& job, double together) {
    if (together > 1) set("batched", together);
    set("generation", job.generation);
    if (job.disaggregated_prefill) set("disaggregated", "yes");
    if (job.offload != job::Offload::none) set("offload", to_text(job.offload));
    const double shared = std::round(job.prefix_cache_hit * static_cast<double>(job.input_tokens));
    set("fresh", static_cast<double>(job.input_tokens) - shared);
    set(shared > 0 ? "shared" : "cold", shared > 0 ? format("{:.0f}", shared) : std::string("yes"));
    if (!job.draft) return;
    set("draft_kind", "model");
    const std::string draft = published_name(*job.draft->model, job.draft->asked_as, false);
    set("draft", draft);
    set("draft_tokens", static_cast<double>(job.draft->tokens));
    set("acceptance", job.draft->acceptance_rate);
    set("speculative", format(R"('{{"method": "draft_model", "model": "{}", "num_speculative_tokens": {}}}')", draft,
                              job.draft->tokens));
  }

  void add_items() {
    const job::Counted& counted = *unit_.work.counted;
    const bool training = job::is_training(unit_.work.task);
    set("class", std::visit([](const auto& job) { return job.kClass; }, counted.job));
    if (job::runs_model(unit_.work.task)) set("with", training ? "training" : to_text(counted.engine));
    if (unit_.work.model != nullptr && unit_.work.model->kind) set("kind", to_text(*unit_.work.model->kind));
    set("bench", to_text(unit_.work.task));
    set("phase", training ? "training" : "inference");
    set("compiled", to_text(counted.engine));
    set("batch", static_cast<double>(unit_.plan.layout.micro_batch));
    set("precision", to_text(unit_.plan.layout.precision));
    set("torch_precision", unit_.plan.layout.precision == job::Precision::bf16 ? "bfloat16" : "float16");
    set("unit", counted.unit.rate);
    set("placed", to_text(unit_.plan.layout.offload));
    if (training) add_passes(counted);
    std::visit([&](const auto& job) { one(job, unit_.plan.layout.micro_batch); }, counted.job);
  }

  void add_passes(const job::Counted& counted) {
    const job::Training& job = unit_.work.training;
    const physics::Layout& layout = unit_.plan.layout;
    set("method", to_text(job.method));
    if (job::is_lora(job.method)) set("rank", static_cast<double>(job.lora_rank));
    set("checkpointing", to_text(layout.checkpointing));
    set("optimizer", to_text(job.optimizer));
    if (layout.offload != job::Offload::none) set("offload", "yes");
    const double step = static_cast<double>(layout.micro_batch) * unit_.machine.gpus();
    set("step_batch", step);
    set("epochs", std::ceil(counted.epochs));
    if (counted.things && step > 0) set("all_steps", std::ceil(*counted.things / step));
  }

  void size(const job::Resolution& size) {
    if (size.width <= 0) return;
    set("width", static_cast<double>(size.width));
    set("height", static_cast<double>(size.height));
    set("side", static_cast<double>(std::max(size.width, size.height)));
  }
  void one(const job::SampleJob& job, std::int64_t batch) {
    size(job.resolution);
    if (job.seq_len > 0) set("tokens", static_cast<double>(job.seq_len));
    set("shape", job.resolution.width > 0 ? format("{}x3x{}x{}", batch, job.resolution.height, job.resolution.width)
                                          : format("{}x{}", batch, job.seq_len));
  }
  void one(const job::DiffusionJob& job, std::int64_t) {
    size(job.resolution);
    set("denoising", static_cast<double>(std::max<std::int64_t>(1, job.steps)));
    if (job.frames > 1) set("frames", static_cast<double>(job.frames));
    if (job.slices) set("slices", "yes");
    if (job.tiles) set("tiles", "yes");
  }
  void one(const job::OfflineRender& job, std::int64_t) {
    set("with", to_text(job.renderer));
    set("renderer", to_text(job.renderer));
    if (job.per_frame) set("own_frame", "yes");
  }
  void one(const job::PreprocessJob& job, std::int64_t) { set("kind", to_text(job.kind)); }
  void one(const job::TranscodeJob& job, std::int64_t) {
    size(job.resolution);
    set("codec", to_text(job.codec));
  }
  template <class Job>
  void one(const Job&, std::int64_t) {}

  const ProofUnit& unit_;
  double prompts_;
  ProofValues out_;
};

}  // namespace

physics::Machine with_gpus(physics::Machine machine, int gpus) {
  if (machine.on_cpu()) return machine;
  machine.gpus_per_node = std::min(gpus, machine.gpus_per_node);
  machine.nodes = gpus / machine.gpus_per_node;
  return machine;
}

double context_of(const ProofUnit& unit, const physics::CacheRoom& room) {
  constexpr double kTokensStep = 1024;
  const auto& job = unit.work.inference;
  const auto asked = static_cast<double>(job.input_tokens + job.output_tokens);
  double most = std::ceil(asked * 1.125 / kTokensStep) * kTokensStep;
  if (unit.work.model->max_context) most = std::min(most, *unit.work.model->max_context);
  if (room.longest_context > 0) most = std::min(most, std::floor(room.longest_context));
  return std::max(asked, most);
}

ProofValues values_of(const ProofUnit& unit, double prompts) { return Values(unit, prompts).all(); }

}  // namespace gpusel::answer
