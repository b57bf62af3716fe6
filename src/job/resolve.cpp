#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/repository.hpp"
#include "job/job.hpp"
#include "job/processor.hpp"
#include "job/request/defaults.hpp"
#include "job/request/frameworks.hpp"
#include "job/request/generation.hpp"
#include "job/request/request_option.hpp"

namespace gpusel::job {

namespace {

// Defaults that say what a typical job looks like; each is printed as assumed.
constexpr std::int64_t kDecoderSequence = 2048;
constexpr std::int64_t kPretrainSequence = 4096;
constexpr std::int64_t kEncoderSequence = 384;  // reading-comprehension fine-tuning
constexpr double kFinetuneSamples = 50'000;
constexpr double kFinetuneEpochs = 3;
constexpr double kTokensPerParameter = 20;  // compute-optimal: Hoffmann et al. 2022, arXiv 2203.15556
constexpr std::int64_t kFinetuneBatch = 64;
constexpr std::int64_t kEncoderBatch = 32;
constexpr std::int64_t kLoraRank = 16;
constexpr std::int64_t kVirtualTokens = 20;
constexpr std::int64_t kTargetShare = 4;  // source over target: 512 and 114 tokens in pretraining, arXiv 1910.10683

/// Pretraining batches grow with the model: 0.5M tokens at 1B parameters, 16M at 400B (GPT-3 to Llama 3).
double pretraining_batch_tokens(double params_b) { return std::clamp(0.5e6 * std::pow(params_b, 0.58), 0.25e6, 16e6); }

class Resolver {
 public:
  Resolver(const Request& request, const catalog::Model& model, const catalog::Catalog& catalog,
           const catalog::Model* draft)
      : request_(request), model_(model), catalog_(catalog), draft_(draft), defaults_(work_.assumed) {
    constexpr std::size_t kUsual = 16;  // of what nobody says
    work_.assumed.reserve(kUsual);
  }

  Result<Job> run() {
    if (!request_.task)
      return missing_error(say("the task is missing"), "task", say("--task pretrain, finetune or inference"));
    work_.task = *request_.task;
    say_task(request_, work_);
    if (Status own = refuse_foreign_options(); !own) return std::unexpected(own.error());
    work_.profile = request_.profile.value_or(Profile::standard);
    work_.min_fit = request_.min_fit;
    work_.confidence = request_.confidence.value_or(work_.confidence);
    work_.model = &model_;
    auto parameters = catalog::parameters_of(model_);
    if (!parameters) return std::unexpected(parameters.error());
    work_.parameters = *parameters;
    work_.pins = {request_.tp, request_.pp, request_.cp, request_.ep, request_.dp};
    if (Status done = is_training(work_.task) ? training() : inference(); !done) return std::unexpected(done.error());
    return std::move(work_);
  }

 private:
  template <class T, class Default>
  T or_assume(const std::optional<T>& given, std::string_view key, Default standard) {
    return defaults_.or_assume(given, key, standard);
  }
  template <class T>
  void assume(std::string_view key, T value) {
    defaults_.assume(key, value);
  }

  std::int64_t longest() const {
    return model_.max_context && *model_.max_context > 0 ? static_cast<std::int64_t>(*model_.max_context) : 1 << 30;
  }

  void warn_if_beyond_context(std::int64_t tokens) {
    if (tokens > longest()) work_.notes.push_back(say("{} tokens exceed the model's context of {}", tokens, longest()));
  }

  /// What is asked of another kind of job was meant for another question.
  Status refuse_foreign_options() {
    static constexpr std::string_view kEither[] = {"tokens", "context", "batch", "offload"};
    const std::string_view own = is_training(work_.task) ? kTrainingGroup : kInferenceGroup;
    static constexpr std::string_view kOfJobs[] = {kTrainingGroup, kInferenceGroup, kMediaGroup, kGraphicsGroup};
    for (const std::string_view key : request_.given) {
      const auto* option = request_option(key);
      const bool either = std::find(std::begin(kEither), std::end(kEither), key) != std::end(kEither);
      const bool of_job =
          option != nullptr && std::find(std::begin(kOfJobs), std::end(kOfJobs), option->group) != std::end(kOfJobs);
      if (!of_job || option->group == own || either) continue;
      if (!request_.of_data) return has_no_meaning(*option, work_.task);
      work_.notes.push_back(say("{} has no effect on {}", key, to_text(work_.task)));
    }
    return {};
  }

  Status training() {
    Training& t = work_.training;
    if (request_.precision == Precision::int8 || request_.precision == Precision::fp64)
      return usage_error(say("language models are not trained in {}", to_text(*request_.precision)), "precision",
                         say("fp32, tf32, fp16, bf16, fp8 or nvfp4"));
    if (request_.method == Method::dreambooth)
      return usage_error(say("dreambooth is for image models"), "method", say("full, lora or qlora"));
    const bool encoder = !model_.is_generator();
    if (work_.task == Task::pretrain) {
      if (request_.method && *request_.method != Method::full)
        return usage_error(say("pretraining updates all weights"), "method", say("remove --method"));
    } else {
      t.method = or_assume(request_.method, "method", Method::full);
    }
    t.precision = request_.precision;
    if (t.method == Method::qlora && is_low(t.precision))
      return usage_error(say("QLoRA computes in 16 bit, and {} has fewer bits", to_text(*t.precision)), "precision",
                         say("bf16, or add --method lora"));
    if (Status able = take_framework(); !able) return able;
    if (request_.framework.empty() && t.framework == "megatron" && trains_adapter(t.method))
      work_.notes.push_back(say("adapters trained in fewer bits or split over GPUs are assumed to be megatron's"));
    t.optimizer = or_assume(request_.optimizer, "optimizer", Optimizer::adamw);
    t.sharding = request_.sharding;
    t.recipe = or_assume(request_.recipe, "recipe", usual_recipe());
    t.recipe_open = !request_.recipe;
    const std::int64_t usual = encoder                        ? kEncoderSequence
                               : work_.task == Task::pretrain ? kPretrainSequence
                                                              : kDecoderSequence;
    const Count sequence = request_.seq_len ? request_.seq_len : request_.context;
    t.seq_len = or_assume(sequence, "seq_len", std::min(usual, longest()));
    warn_if_beyond_context(t.seq_len);
    t.micro_batch = request_.micro_batch ? request_.micro_batch : request_.batch;
    t.grad_accum = request_.grad_accum;
    t.global_batch = request_.global_batch;
    // A pretraining run accumulates up to its usual batch; a fine-tuning pass is a step unless told otherwise.
    const bool accumulates = !t.grad_accum && (!t.micro_batch || work_.task == Task::pretrain);
    if (!t.global_batch && accumulates) {
      t.global_batch = usual_batch(encoder);
      assume("global_batch", *t.global_batch);
    }
    t.checkpointing = request_.activation_checkpointing;
    if (!t.checkpointing)
      if (const auto usual_kind = usual_checkpointing())
        assume("activation_checkpointing", *(t.checkpointing = usual_kind));
    t.flash_attention = request_.flash_attention;
    t.optimizer_in_backward = request_.optimizer_in_backward.value_or(usually_steps_in_backward());
    if (t.optimizer_in_backward && !request_.optimizer_in_backward) assume("optimizer_in_backward", true);
    t.variable_lengths = request_.variable_lengths;
    t.fused_loss = request_.fused_loss.value_or(habits().fuses_loss.value_or(false));
    if (t.fused_loss && !request_.fused_loss) assume("fused_loss", true);
    t.offload = request_.offload.value_or(Offload::none);
    if (t.offload == Offload::weights || t.offload == Offload::sequential)
      return usage_error(say("'{}' is offloaded in inference", to_text(t.offload)), "offload",
                         say("training allows optimizer and params"));
    if (Status done = adapters(); !done) return done;
    if (Status done = special_shapes(); !done) return done;
    return amount();
  }

  Status adapters() {
    Training& t = work_.training;
    for (const auto& [given, key] : {std::pair(request_.lora_rank.has_value(), "lora_rank"),
                                     std::pair(request_.lora_targets.has_value(), "lora_targets")})
      if (given && !is_lora(t.method))
        return usage_error(say("{} is for adapters, but the method is {}", key, to_text(t.method)), key,
                           say("add --method lora or qlora"));
    if (request_.virtual_tokens && !adds_tokens(t.method))
      return usage_error(say("virtual tokens are for prompt tuning, but the method is {}", to_text(t.method)),
                         "virtual_tokens", say("add --method ptuning or prefix"));
    if (is_lora(t.method)) {
      t.lora_rank = or_assume(request_.lora_rank, "lora_rank", kLoraRank);
      t.lora_targets = request_.lora_targets.value_or(model_.is_moe() ? kAttentionTargets : kLinearTargets);
      if (!request_.lora_targets) assume("lora_targets", text_of(t.lora_targets));
      if (t.lora_targets.experts && !model_.is_moe())
        return usage_error(say("'{}' has no experts", model_.id), "lora_targets", say("all is every linear layer"));
    }
    if (adds_tokens(t.method)) t.virtual_tokens = or_assume(request_.virtual_tokens, "virtual_tokens", kVirtualTokens);
    return {};
  }

  /// What only some models or layouts have.
  Status special_shapes() {
    Training& t = work_.training;
    if (model_.is_encoder_decoder())
      t.target_len = or_assume(request_.target_len, "target_len", std::max<std::int64_t>(1, t.seq_len / kTargetShare));
    else if (request_.target_len)
      return usage_error(say("'{}' has an encoder and no decoder", model_.id), "target_len",
                         say("seq_len is the whole sequence"));
    if (request_.capacity_factor && !model_.is_moe())
      return usage_error(say("a capacity is that of experts, and '{}' has none", model_.id), "capacity_factor");
    t.capacity_factor = request_.capacity_factor.value_or(1);
    t.sequence_parallel = request_.sequence_parallel.value_or(usually_shares_sequence());
    t.virtual_pipeline = request_.virtual_pipeline;
    if (t.virtual_pipeline.value_or(1) > 1 && request_.pp.value_or(2) == 1)
      return usage_error(say("{} chunks interleave in a pipeline, but pp is 1", *t.virtual_pipeline),
                         "virtual_pipeline", say("give --pp"));
    return {};
  }

  const catalog::Framework& habits() const { return *work_.training.framework_record; }

  Recipe usual_recipe() const {
    // bitsandbytes' optimisers keep no master copies.
    const bool frugal = work_.task == Task::finetune && keeps_states_in_8_bit(work_.training.optimizer);
    const bool pure =
        habits().trains_pure.value_or(false) && (!habits().masters_if_sharded.value_or(false) || keeps_states_whole());
    return pure || frugal ? Recipe::pure : Recipe::mixed;
  }

  /// As far as the question tells.
  bool keeps_states_whole() const {
    const auto& sharding = request_.sharding;
    return sharding ? *sharding == Sharding::none || *sharding == Sharding::ddp : request_.gpus.value_or(0) == 1;
  }

  /// What the framework does unasked; nothing where its users choose.
  std::optional<Checkpointing> usual_checkpointing() const {
    if (habits().recomputes_all.value_or(false)) return Checkpointing::full;
    if (!habits().recomputes_if_sharded.value_or(false)) return std::nullopt;
    if (keeps_states_whole()) return Checkpointing::none;
    return work_.task == Task::finetune && request_.sharding ? std::optional(Checkpointing::full) : std::nullopt;
  }

  /// Megatron's tensor ranks did so from mid-2022 on, when its attention was fused and selective checkpointing came.
  bool usually_shares_sequence() const {
    const Training& t = work_.training;
    const bool early = habits().megatron_core() && t.flash_attention == false &&
                       t.checkpointing.value_or(Checkpointing::none) != Checkpointing::selective;
    return !habits().keeps_sequence.value_or(false) && !early;
  }

  /// While every micro-batch is a step.
  bool usually_steps_in_backward() const {
    const Training& t = work_.training;
    return habits().steps_in_backward.value_or(false) && t.method == Method::full &&
           keeps_states_in_8_bit(t.optimizer) && t.grad_accum.value_or(1) == 1;
  }

  static bool is_low(const std::optional<Precision>& precision) {
    return precision == Precision::fp8 || precision == Precision::nvfp4;
  }

  /// Who would run such a job, as far as the question tells. Who divides layers or trains in 8 bit is Megatron's user;
  /// NF4 is neither divided nor multiplied in 8 bit.
  std::string usual_framework() const {
    const auto splits = [](const Count& degree) { return degree.value_or(1) > 1; };
    const bool divided = splits(request_.tp) || splits(request_.pp) || splits(request_.cp) || splits(request_.ep);
    if (work_.training.method != Method::qlora && (is_low(request_.precision) || divided)) return "megatron";
    if (const auto& sharding = request_.sharding) {
      if (*sharding == Sharding::fsdp || *sharding == Sharding::hsdp) return "fsdp";
      const bool of_states_alone = work_.task == Task::pretrain && *sharding == Sharding::zero1;
      if (*sharding != Sharding::none && *sharding != Sharding::ddp && !of_states_alone) return "deepspeed";
    }
    return work_.task == Task::pretrain && model_.is_generator() ? "megatron" : "hf-trainer";
  }

  /// The usual one where none is named, or none that is known.
  Status take_framework() {
    Training& t = work_.training;
    const catalog::Framework* known = find_framework(catalog_, fold_name(request_.framework));
    const bool named = known != nullptr;
    if (!named) known = find_framework(catalog_, usual_framework());
    t.framework_record = known != nullptr ? known : &any_framework();
    t.framework = t.framework_record->id;
    if (named) return check_framework(request_, t, catalog_);
    assume("framework", t.framework);
    if (!request_.framework.empty())
      work_.notes.push_back(
          say("framework '{}' is not known; the estimate is for {}", shorten(request_.framework, 40), t.framework));
    return {};
  }

  std::int64_t usual_batch(bool encoder) const {
    if (work_.task == Task::finetune) return encoder ? kEncoderBatch : kFinetuneBatch;
    // Batches are powers of two, so that any usual number of GPUs divides them.
    const double sequences =
        pretraining_batch_tokens(work_.parameters.total() / 1e9) / static_cast<double>(work_.training.seq_len);
    return std::int64_t{1} << std::lround(std::log2(std::max(1.0, sequences)));
  }

  Status amount() {
    Training& t = work_.training;
    if (request_.tokens && request_.dataset_size)
      return usage_error(say("the amount of training is given twice"), "tokens",
                         say("give --tokens, or --dataset-size with --epochs"));
    if (request_.tokens) {
      t.tokens = *request_.tokens * request_.epochs.value_or(1);
    } else if (work_.task == Task::pretrain && !request_.dataset_size) {
      t.tokens = kTokensPerParameter * work_.parameters.total();
      assume("tokens", t.tokens);
    } else {
      const double samples = or_assume(request_.dataset_size, "dataset_size", kFinetuneSamples);
      const double epochs = or_assume(request_.epochs, "epochs", kFinetuneEpochs);
      t.tokens = samples * epochs * static_cast<double>(t.seq_len + t.target_len);
    }
    return {};
  }

  Status inference() {
    Inference& i = work_.inference;
    // GGUF files are llama.cpp's own.
    i.engine = or_assume(request_.engine, "engine", model_.file_layout == "gguf" ? Engine::llama_cpp : Engine::vllm);
    if (!serves_text(i.engine))
      return usage_error(say("engine '{}' does not serve '{}'", to_text(i.engine), model_.id), "engine",
                         say("vllm, trt-llm, sglang, tgi, lmdeploy, llama.cpp, ollama or hf"));
    i.weights_precision = request_.weights_precision;
    // What Ollama pulls where no tag says otherwise.
    if (i.engine == Engine::ollama && leaves_format_open(request_, model_)) {
      i.weights_precision = kUsualGguf;
      assume("weights_precision", i.weights_precision);
    }
    i.kv_precision = request_.kv_precision;
    if (Status allowed = allowed_precisions(); !allowed) return allowed;
    const bool dev = work_.profile == Profile::dev;
    const Mode usual = dev                                                               ? Mode::single_stream
                       : request_.concurrency || request_.batch || request_.request_rate ? Mode::online
                                                                                         : Mode::throughput;
    i.mode = or_assume(request_.mode, "mode", usual);
    if (Status lengths = request_lengths(); !lengths) return lengths;
    i.concurrency = request_.concurrency ? request_.concurrency : request_.batch;
    i.request_rate = request_.request_rate;
    if (i.request_rate && i.mode == Mode::single_stream)
      return usage_error(say("single-stream serves one request at a time"), "request_rate", say("remove --mode"));
    if (i.request_rate && i.concurrency) {
      work_.notes.push_back(say("{} requests at once have no effect: the rate determines it", *i.concurrency));
      i.concurrency.reset();
    }
    if (i.mode == Mode::single_stream) {
      if (i.concurrency && *i.concurrency != 1)
        return usage_error(say("single-stream serves one request at a time"), "concurrency", say("remove --mode"));
      i.concurrency = 1;
    }
    if (i.mode == Mode::online && !i.concurrency && !i.request_rate && !request_.ttft_ms && !request_.tpot_ms &&
        !request_.itl_ms && !request_.e2e_ms)
      work_.notes.push_back(say("no concurrency given: as many requests in flight as fit"));
    if (request_.cp.value_or(1) > 1)
      return usage_error(say("context parallelism is for training"), "cp", say("use --tp or --pp"));
    i.mem_utilization = request_.mem_utilization;
    i.prefix_cache_hit = request_.prefix_cache_hit.value_or(0);
    i.offload = request_.offload.value_or(Offload::none);
    if (i.offload != Offload::none && i.offload != Offload::weights)
      return usage_error(say("'{}' does not apply to serving a language model", to_text(i.offload)), "offload",
                         say("none or weights"));
    i.left_to_host = request_.left_to_host;
    i.adapters = request_.adapters;
    i.drafts_itself = request_.drafts_itself;
    if (Status targets = service_targets(); !targets) return targets;
    i.tokens = request_.tokens;
    if (Status drafted = speculation(); !drafted) return drafted;
    i.disaggregated_prefill = request_.disaggregated_prefill.value_or(false);
    i.stream_interval = request_.stream_interval.value_or(1);
    if (i.disaggregated_prefill && i.mode == Mode::single_stream)
      return usage_error(say("one request at a time cannot be split"), "disaggregated_prefill", say("remove --mode"));
    i.engine_version = request_.engine_version;
    i.generation = engine_generation(i.engine, request_.engine_version);
    if (const std::string newest = newest_generation(i.engine); request_.engine_version.empty() && !newest.empty())
      assume("engine_version", newest);
    if (!request_.engine_version.empty())
      work_.notes.push_back(i.generation.empty() ? say("engine version '{}' is estimated as a current release",
                                                       shorten(request_.engine_version, 40))
                                                 : say("engine version '{}' is estimated as of the generation '{}'",
                                                       shorten(request_.engine_version, 40), i.generation));
    return {};
  }

  Status speculation() {
    Inference& i = work_.inference;
    if (request_.speculative.empty() || request_.speculative == "none") {
      for (const auto& [given, key] : {std::pair(request_.speculative_tokens.has_value(), "speculative_tokens"),
                                       std::pair(request_.acceptance_rate.has_value(), "acceptance_rate")})
        if (given)
          return usage_error(say("it needs a draft model, but none is named"), key, say("add --speculative MODEL"));
      return {};
    }
    if (draft_ == nullptr) return usage_error(say("the draft model is not known here"), "speculative");
    if (!model_.is_generator() || !draft_->is_generator())
      return usage_error(say("only generators of text draft for each other"), "speculative");
    const auto parameters = catalog::parameters_of(*draft_);
    if (!parameters) return std::unexpected(parameters.error());
    const Draft usual;
    i.draft = Draft{draft_, request_.speculative, *parameters,
                    or_assume(request_.speculative_tokens, "speculative_tokens", usual.tokens),
                    or_assume(request_.acceptance_rate, "acceptance_rate", usual.acceptance_rate)};
    if (i.draft->parameters.total() >= work_.parameters.total())
      return usage_error(say("the draft model, {}, is not smaller than {}", draft_->id, model_.id), "speculative");
    if (draft_->vocab_size && model_.vocab_size && *draft_->vocab_size != *model_.vocab_size)
      work_.notes.push_back(say("{} has {:g} tokens in its vocabulary, {} {:g}: check that their tokens match",
                                draft_->id, *draft_->vocab_size, model_.id, *model_.vocab_size));
    return {};
  }

  Status allowed_precisions() {
    Inference& i = work_.inference;
    if (request_.allow_precisions.empty()) return {};
    if (!request_.weights_precision.empty())
      return usage_error(say("the format of the weights is given, so there is nothing to choose"), "allow_precisions",
                         say("give weights_precision or allow_precisions"));
    for (const std::string_view name : split(request_.allow_precisions, ','))
      if (!trim(name).empty()) i.allow_precisions.emplace_back(trim(name));
    return {};
  }

  Status service_targets() {
    Inference& i = work_.inference;
    i.ttft_ms = request_.ttft_ms;
    i.tpot_ms = request_.tpot_ms;
    i.itl_ms = request_.itl_ms;
    i.e2e_ms = request_.e2e_ms;
    const bool targets = i.ttft_ms || i.tpot_ms || i.itl_ms || i.e2e_ms;
    if (request_.slo_percentile && request_.strict_slo)
      return usage_error(say("the share of requests is given twice"), "slo_percentile", say("remove --strict-slo"));
    i.slo_percentile = slo_percentile(request_);
    if (targets && !request_.slo_percentile && !request_.strict_slo && i.request_rate)
      assume("slo_percentile", i.slo_percentile);
    i.redundancy = request_.redundancy.value_or(0);
    const bool arrivals = i.request_rate.has_value();
    i.max_load = request_.max_load.value_or(i.max_load);
    for (const auto& [given, key] :
         {std::pair(request_.max_load.has_value(), "max_load"), std::pair(i.redundancy > 0, "redundancy"),
          std::pair(request_.strict_slo.value_or(false), "strict_slo"),
          std::pair(request_.slo_percentile.has_value(), "slo_percentile")})
      if (given && !arrivals)
        return usage_error(say("it needs arriving requests, but no rate is set"), key, say("add --request-rate"));
    if ((request_.strict_slo.value_or(false) || request_.slo_percentile) && !targets)
      return usage_error(say("no latency target is given"), request_.slo_percentile ? "slo_percentile" : "strict_slo",
                         say("add --ttft, --tpot, --itl or --e2e"));
    return {};
  }

  Status request_lengths() {
    Inference& i = work_.inference;
    if (!model_.is_generator()) {
      i.input_tokens = or_assume(request_.input_tokens ? request_.input_tokens : request_.context, "input_tokens",
                                 std::min(kEncoderSequence, longest()));
      i.output_tokens = 0;
      return {};
    }
    if (request_.input_tokens == 0 && request_.output_tokens == 0)
      return usage_error(say("neither prompt nor generated tokens: nothing to do"), "output_tokens");
    if (request_.context && request_.input_tokens && request_.output_tokens &&
        *request_.input_tokens + *request_.output_tokens > *request_.context)
      return usage_error(say("{} prompt and {} generated tokens exceed the context of {}", *request_.input_tokens,
                             *request_.output_tokens, *request_.context),
                         "context");
    const std::int64_t room = request_.context.value_or(longest());
    if (room < 2) return usage_error(say("a context of {} tokens leaves no room for an answer", room), "context");
    i.output_tokens =
        or_assume(request_.output_tokens, "output_tokens", std::min(kUsualOutput, std::max<std::int64_t>(1, room / 4)));
    const std::int64_t rest = std::max<std::int64_t>(1, room - i.output_tokens);
    i.input_tokens =
        or_assume(request_.input_tokens, "input_tokens", request_.context ? rest : std::min(kUsualInput, rest));
    if (request_.context && !request_.input_tokens && rest > kUsualInput)
      work_.notes.push_back(
          say("--context {}: assuming {} prompt tokens per request; set --isl for less", *request_.context, rest));
    warn_if_beyond_context(i.input_tokens + i.output_tokens);
    return {};
  }

  const Request& request_;
  const catalog::Model& model_;
  const catalog::Catalog& catalog_;
  const catalog::Model* draft_;
  Job work_;
  Defaults defaults_;
};

}  // namespace

Result<Job> resolve(const Request& request, const catalog::Model& model, const catalog::Catalog& catalog,
                    const catalog::Model* draft) {
  return Resolver(request, model, catalog, draft).run();
}

void say_task(const Request& request, Job& work) {
  if (request.task_assumed) work.assumed.push_back({"task", std::string(to_text(work.task))});
  if (!request.task_remark.empty()) work.notes.push_back(say_text(request.task_remark));
}

double slo_percentile(const Request& request) {
  if (request.slo_percentile) return *request.slo_percentile;
  return request.strict_slo == false ? 50 : 95;
}

namespace {

bool says_load(const Request& r) {
  return r.request_rate || r.concurrency || r.batch || r.mode || r.tokens || r.images || r.audio_hours ||
         r.latency_ms || r.streams || r.stream_fps || r.video_hours || r.profile == Profile::dev;
}

}  // namespace

void assume_load(Request& request, const catalog::Model* model, Assumptions& assumed) {
  if (request.task != Task::inference || model == nullptr || says_load(request)) return;
  const auto kind = model->kind;
  if (!is_counted(request, model)) {
    request.request_rate = kAssumedRate;
    assumed.push_back({"request_rate", kAssumedRate});
  } else if (kind == catalog::ModelKind::diffusion || kind == catalog::ModelKind::speech) {
    request.mode = Mode::single_stream;
    assumed.push_back({"mode", std::string(to_text(Mode::single_stream))});
  }
}

void assume_precision(Request& request, const catalog::Model* model, Assumptions& assumed) {
  if (request.task != Task::inference || model == nullptr || is_counted(request, model)) return;
  if (model->official_formats.empty() || !request.weights_precision.empty() || !request.allow_precisions.empty())
    return;
  // A repository that is named is served as it is.
  if (catalog::repository_of(*model, request.model, false).choice == catalog::RepositoryChoice::asked) return;
  request.allow_precisions = to_name("official");
  assumed.push_back({"allow_precisions", request.allow_precisions});
}

}  // namespace gpusel::job
