// Which class of counted work a request is about, and what all of them share.
#include <algorithm>

#include "base/text/text.hpp"
#include "job/kinds/filling.hpp"
#include "job/request/request_option.hpp"

namespace gpusel::job {

namespace {

using catalog::ModelKind;

/// Keys that every class of counted work takes.
constexpr std::string_view kCommon[] = {
    "id",      "task",       "model",         "params_b",   "active_params_b", "profile",
    "gpu",     "gpus",       "gpus_per_node", "nodes",      "interconnect",    "internode_gbps",
    "min_fit", "confidence", "vcpus_per_gpu", "storage_gbs"};
/// Those of networks.
constexpr std::string_view kOfNetworks[] = {"engine", "engine_version", "precision",  "weights_precision",
                                            "batch",  "concurrency",    "micro_batch"};
/// Those of running one.
constexpr std::string_view kOfServing[] = {"mode", "latency_ms", "request_rate", "max_load", "redundancy"};
/// Those of training one.
constexpr std::string_view kOfTraining[] = {
    "method",  "optimizer",       "dataset_size", "epochs",      "activation_checkpointing",
    "offload", "flash_attention", "lora_rank",    "lora_targets"};

template <std::size_t n>
bool in(const std::string_view (&list)[n], std::string_view key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

/// The job of a model's kind, or of a task that needs no model.
Result<AnyJob> job_for(const Request& request, const catalog::Model* model) {
  switch (*request.task) {
    case Task::render:
      if (request.render.value_or(Render::offline) == Render::offline) return OfflineRender{};
      return SessionJob{};
    case Task::simulate: return SimulationJob{};
    case Task::transcode: return TranscodeJob{};
    case Task::preprocess: return PreprocessJob{};
    default: break;
  }
  if (model == nullptr)
    return missing_error(say("the model is missing"), "model", say("--model resnet-50, for example"));
  switch (model->kind.value_or(ModelKind::cnn)) {
    case ModelKind::diffusion: return DiffusionJob{};
    case ModelKind::speech: return SpeechJob{};
    case ModelKind::recommender: return RecommenderJob{};
    default: break;
  }
  if (request.task == Task::inference && (request.streams || request.stream_fps)) return AnalyticsJob{};
  return SampleJob{};
}

class CountedResolver {
 public:
  CountedResolver(const Request& request, const catalog::Model* model, const catalog::Catalog& catalog)
      : request_(request), model_(model), catalog_(catalog), defaults_(work_.assumed) {}

  Result<Job> run() {
    auto job = job_for(request_, model_);
    if (!job) return std::unexpected(job.error());
    work_.task = *request_.task;
    say_task(request_, work_);
    work_.profile = request_.profile.value_or(Profile::standard);
    work_.min_fit = request_.min_fit;
    work_.confidence = request_.confidence.value_or(work_.confidence);
    work_.model = runs_model(work_.task) ? model_ : nullptr;
    work_.counted.emplace();
    Counted& counted = *work_.counted;
    counted.job = std::move(*job);
    counted.catalog = &catalog_;
    if (runs_model(work_.task))
      if (Status shared = of_networks(counted); !shared) return std::unexpected(shared.error());
    Filling filling{request_, work_.model, catalog_, work_, counted, defaults_};
    Status filled = std::visit([&](auto& one) { return fill(one, filling); }, counted.job);
    if (!filled) return std::unexpected(filled.error());
    if (counted.requests_per_s && !request_.streams) counted.demand = *counted.requests_per_s * counted.per_request;
    if (Status own = refuse_foreign(counted); !own) return std::unexpected(own.error());
    for (const auto& [given, key, flag] : {std::tuple(request_.redundancy.value_or(0) > 0, "redundancy", "redundancy"),
                                           std::tuple(request_.max_load.has_value(), "max_load", "max-load")})
      if (given && work_.ends() && !counted.demand)
        return usage_error(say("it is for a load that arrives, and this job ends"), key, say("leave out --{}", flag));
    return std::move(work_);
  }

 private:
  Status of_networks(Counted& counted) {
    if (request_.engine && serves_text(*request_.engine) && *request_.engine != Engine::hf)
      return usage_error(
          say("engine '{}' serves language models, and '{}' is not one", to_text(*request_.engine), model_->id),
          "engine", say("pytorch, torch-compile, tensorrt or onnxruntime"));
    const bool plain = !request_.engine || request_.engine == Engine::hf;
    counted.engine = plain ? Engine::pytorch : *request_.engine;
    if (!request_.engine) defaults_.assume("engine", counted.engine);
    if (Status arithmetic = arithmetic_of(counted); !arithmetic) return arithmetic;
    counted.batch = request_.batch         ? request_.batch
                    : request_.micro_batch ? request_.micro_batch
                                           : request_.concurrency;
    if (is_training(work_.task)) return of_training();
    counted.requests_per_s = counted.demand = request_.request_rate;
    counted.max_load = request_.max_load.value_or(counted.max_load);
    counted.redundancy = request_.redundancy.value_or(0);
    counted.latency_ms = request_.latency_ms;
    const bool waits = request_.latency_ms || request_.request_rate;
    counted.mode = defaults_.or_assume(request_.mode, "mode",
                                       work_.profile == Profile::dev ? Mode::single_stream
                                       : waits                       ? Mode::online
                                                                     : Mode::throughput);
    if (counted.mode == Mode::single_stream) counted.batch = counted.batch.value_or(1);
    work_.inference.offload = request_.offload.value_or(Offload::none);
    if (work_.inference.offload == Offload::sequential && !std::holds_alternative<DiffusionJob>(counted.job))
      return usage_error(say("only pipelines of images and videos are moved layer by layer"), "offload",
                         say("none or weights"));
    return {};
  }

  /// weights_precision is the same word for models whose weights are not kept in another format than they compute in.
  Status arithmetic_of(Counted& counted) const {
    counted.precision = request_.precision;
    if (counted.precision || request_.weights_precision.empty()) return {};
    counted.precision = spelled<Precision>(request_.weights_precision);
    if (!counted.precision && !std::holds_alternative<DiffusionJob>(counted.job))
      return usage_error(say("'{}' is not a format of such models", shorten(request_.weights_precision, 40)),
                         "weights_precision", say("fp32, tf32, fp16, bf16, fp8 or int8"));
    return {};
  }

  Status of_training() {
    Training& t = work_.training;
    if (request_.precision == Precision::int8 || request_.precision == Precision::fp64)
      return usage_error(say("networks are not trained in {}", to_text(*request_.precision)), "precision",
                         say("fp32, tf32, fp16, bf16 or fp8"));
    if (work_.task == Task::pretrain && request_.method.value_or(Method::full) != Method::full)
      return usage_error(say("pretraining updates all weights"), "method", say("remove --method"));
    t.method = request_.method.value_or(Method::full);
    t.optimizer = request_.optimizer.value_or(Optimizer::adamw);
    t.checkpointing = request_.activation_checkpointing;
    t.precision = request_.precision;
    t.flash_attention = request_.flash_attention;
    t.offload = request_.offload.value_or(Offload::none);
    if (t.offload == Offload::sequential)
      return usage_error(say("'{}' is offloaded in inference", to_text(t.offload)), "offload",
                         say("training allows optimizer and params"));
    t.lora_rank = request_.lora_rank.value_or(16);
    return {};
  }

  /// What has no effect on this class of work was meant for another question.
  Status refuse_foreign(const Counted& counted) {
    const auto own = std::visit([](const auto& job) { return keys_of(job); }, counted.job);
    for (const std::string_view key : request_.given) {
      const bool of_task = is_training(work_.task) ? in(kOfTraining, key) : in(kOfServing, key);
      const bool of_network = runs_model(work_.task) && (in(kOfNetworks, key) || of_task);
      const bool known = in(kCommon, key) || of_network || std::find(own.begin(), own.end(), key) != own.end();
      if (known && (key != "model" || runs_model(work_.task))) continue;
      if (request_.of_data) {
        work_.notes.push_back(say("{} has no effect on this work", key));
        continue;
      }
      const auto& option = *request_option(key);
      const std::string_view own_group = is_training(work_.task) ? kTrainingGroup : kInferenceGroup;
      // Of the same task, but of language models.
      if (runs_model(work_.task) && option.group == own_group)
        return usage_error(say("does not apply to {} of {}", to_text(work_.task), work_.model->id), std::string(key),
                           say("it is for language models"));
      return has_no_meaning(option, work_.task);
    }
    return {};
  }

  const Request& request_;
  const catalog::Model* model_;
  const catalog::Catalog& catalog_;
  Job work_;
  Defaults defaults_;
};

}  // namespace

void Filling::training_amount(double samples, double epochs) {
  // Image models count their training set in images.
  const auto& given = request.dataset_size ? request.dataset_size : request.images;
  const double size = or_assume(given, "dataset_size", samples);
  counted.epochs = or_assume(request.epochs, "epochs", epochs);
  counted.things = size * counted.epochs;
}

void Filling::decodes() {
  if (training() || counted.mode == Mode::throughput || request.loader)
    counted.loader = or_assume(request.loader, "loader", Loader::cpu);
}

bool is_counted(const Request& request, const catalog::Model* model) {
  if (request.task && !runs_model(*request.task)) return true;
  if (model == nullptr) return false;
  // Encoders of text are served by engines that generate text only where one is named.
  const bool by_engine = request.task == Task::inference && (!request.engine || !serves_text(*request.engine));
  return !model->is_language_model() || (model->kind == ModelKind::encoder && by_engine);
}

Result<Job> resolve_counted(const Request& request, const catalog::Model* model, const catalog::Catalog& catalog) {
  if (!request.task)
    return missing_error(say("the task is missing"), "task",
                         say("--task pretrain, finetune, inference, render, simulate, transcode or preprocess"));
  return CountedResolver(request, model, catalog).run();
}

}  // namespace gpusel::job
