#include "report/json.hpp"

#include <cmath>
#include <stdexcept>

#include "gpusel/base/joined.hpp"

namespace gpusel::report {

Json number(double value) {
  if (!std::isfinite(value)) throw std::logic_error("a figure of the answer is not finite");
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) < kExactIntegers) return static_cast<std::int64_t>(value);
  return value;
}

Json number(const catalog::Number& value) { return value ? number(*value) : Json(nullptr); }

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

namespace {

/// More members of an object. Batches write thousands of them: built in place, without a list of lists between.
void add_members(Json& out, std::initializer_list<std::pair<std::string_view, Json>> members) {
  auto& object = out.get_ref<Json::object_t&>();
  object.reserve(object.size() + members.size());
  for (const auto& [key, value] : members) object.emplace_back(std::string(key), value);
}

/// An object of figures.
Json figures(std::initializer_list<std::pair<std::string_view, double>> members) {
  Json out = Json::object();
  auto& object = out.get_ref<Json::object_t&>();
  object.reserve(members.size());
  for (const auto& [key, value] : members) object.emplace_back(std::string(key), number(value));
  return out;
}

}  // namespace

Json assumptions(const workload::Assumptions& assumed) {
  Json out = Json::object();
  out.get_ref<Json::object_t&>().reserve(assumed.size());
  for (const auto& [key, value] : assumed) {
    Json& slot = out[key];
    std::visit(
        [&slot](const auto& v) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, double>)
            slot = number(v);
          else
            slot = v;
        },
        value);
  }
  return out;
}

namespace {

void put(Json& out, const workload::Resolution& size) {
  out["resolution"] = size.width > 0 ? Json(text_of(size)) : Json(nullptr);
}
void one_job(Json& out, const workload::SampleJob& job) {
  put(out, job.resolution);
  if (job.seq_len > 0) out["seq_len"] = job.seq_len;
}
void one_job(Json& out, const workload::DiffusionJob& job) {
  put(out, job.resolution);
  if (job.steps > 0) out["steps"] = job.steps;
  out["frames"] = job.frames;
}
void one_job(Json& out, const workload::SpeechJob& job) { out["window_s"] = number(job.window_s); }
void one_job(Json& out, const workload::RecommenderJob& job) {
  out["table_gib"] = job.table_gib ? number(*job.table_gib) : Json(nullptr);
}
void one_job(Json& out, const workload::OfflineRender& job) {
  out["render"] = to_text(workload::Render::offline);
  out["renderer"] = to_text(job.renderer);
  out["scene_vram_gib"] = number(job.scene_gib);
}
void one_job(Json& out, const workload::SessionJob& job) {
  out["render"] = to_text(job.kind);
  out["scene_vram_gib"] = number(job.session_gib);
  out["fps"] = number(job.fps);
  put(out, job.resolution);
  if (job.kind == workload::Render::realtime) out["codec"] = to_text(job.codec);
}
void one_job(Json& out, const workload::SimulationJob& job) {
  out["solver"] = to_text(job.solver);
  out["cells"] = number(job.cells);
}
void one_job(Json& out, const workload::TranscodeJob& job) {
  out["codec"] = to_text(job.codec);
  out["input_codec"] = to_text(job.input);
  put(out, job.resolution);
  out["ladder"] = Json::array();
  for (const workload::Resolution& size : job.outputs) out["ladder"].push_back(text_of(size));
  out["fps"] = number(job.fps);
  out["live"] = job.live;
}
void one_job(Json& out, const workload::AnalyticsJob& job) {
  put(out, job.camera);
  out["fps"] = number(job.camera_fps);
  out["stream_fps"] = number(job.stream_fps);
  out["codec"] = to_text(job.codec);
}
void one_job(Json& out, const workload::PreprocessJob& job) {
  out["preprocess"] = to_text(job.kind);
  if (job.resolution.width > 0) put(out, job.resolution);
}

void counted_workload(Json& out, const workload::Workload& work) {
  const workload::Counted& counted = *work.counted;
  out["unit"] = counted.unit.rate;
  if (workload::runs_model(work.task)) {
    out["engine"] = to_text(counted.engine);
    out["mode"] = to_text(counted.mode);
    if (workload::is_training(work.task)) out["method"] = to_text(work.training.method);
  }
  out["amount"] = counted.things ? number(*counted.things) : Json(nullptr);
  out["demand"] = counted.demand ? number(*counted.demand) : Json(nullptr);
  std::visit([&](const auto& job) { one_job(out, job); }, counted.job);
}

}  // namespace

Json workload_json(const workload::Workload& work) {
  Json out{{"task", to_text(work.task)},
           {"model", work.model != nullptr ? Json(work.model->id) : Json(nullptr)},
           {"profile", to_text(work.profile)}};
  if (work.counted) {
    counted_workload(out, work);
    return out;
  }
  if (workload::is_training(work.task)) {
    const auto& job = work.training;
    out["method"] = to_text(job.method);
    out["optimizer"] = to_text(job.optimizer);
    out["recipe"] = to_text(job.recipe);
    out["seq_len"] = job.seq_len;
    out["global_batch"] = job.global_batch ? Json(*job.global_batch) : Json(nullptr);
    out["tokens"] = number(job.tokens);
  } else {
    const auto& job = work.inference;
    out["engine"] = to_text(job.engine);
    out["mode"] = to_text(job.mode);
    out["input_tokens"] = job.input_tokens;
    out["output_tokens"] = job.output_tokens;
    out["concurrency"] = job.concurrency ? Json(*job.concurrency) : Json(nullptr);
    out["request_rate"] = job.request_rate ? number(*job.request_rate) : Json(nullptr);
    out["weights_precision"] = text_or_null(job.weights_precision);
  }
  return out;
}

namespace {

Json one_plan(const plan::TrainingChoice& choice) {
  const auto& plan = choice.plan;
  Json out{{"sharding", to_text(plan.sharding)},
           {"tp", plan.tp},
           {"pp", plan.pp},
           {"cp", plan.cp},
           {"ep", plan.ep},
           {"dp", plan.dp},
           {"micro_batch", plan.micro_batch},
           {"grad_accum", plan.grad_accum},
           {"global_batch", plan.global_batch()},
           {"precision", to_text(plan.precision)},
           {"activation_checkpointing", to_text(plan.checkpointing)},
           {"flash_attention", plan.flash_attention}};
  if (estimate::is_partial(plan)) out["recomputed_share"] = number(plan.recomputed);
  return out;
}

Json one_plan(const plan::CountedChoice& choice) {
  return {{"precision", to_text(choice.plan.precision)},
          {"batch", choice.plan.batch},
          {"activation_checkpointing", to_text(choice.plan.checkpointing)},
          {"offload", to_text(choice.plan.offload)}};
}

Json one_plan(const plan::InferenceChoice& choice) {
  return {{"weights_precision", choice.plan.weights->name},
          {"kv_precision", to_text(choice.plan.kv)},
          {"tp", choice.plan.tp},
          {"pp", choice.plan.pp},
          {"ep", choice.plan.ep},
          {"dp", choice.plan.dp},
          {"concurrency", number(choice.memory.concurrency)}};
}

}  // namespace

Json plan_json(const plan::Choice& choice) {
  return std::visit([](const auto& one) { return one_plan(one); }, choice);
}

Json memory_json(const estimate::MemoryBreakdown& memory, Bytes usable) {
  Json out = Json::object();
  out.get_ref<Json::object_t&>().reserve(5);
  out["unit"] = "GiB";
  out["per_gpu"] = figures({{"weights", in_gib(memory.weights)},
                            {"gradients", in_gib(memory.gradients)},
                            {"optimizer", in_gib(memory.optimizer)},
                            {"activations", in_gib(memory.activations)},
                            {"kv_cache", in_gib(memory.kv_cache)},
                            {"workspace", in_gib(memory.workspace)},
                            {"framework", in_gib(memory.framework)},
                            {"total", in_gib(memory.total())}});
  out["usable"] = number(in_gib(usable));
  out["margin"] = number(in_gib(usable - memory.total()));
  if (estimate::is_known(memory)) return out;
  for (auto& [part, amount] : out["per_gpu"].items()) amount = nullptr;
  out["margin"] = nullptr;
  return out;
}

Json training_json(const std::optional<estimate::TrainingSpeed>& speed) {
  if (!speed) return nullptr;
  return figures({{"tokens_per_s", speed->tokens_per_s},
                  {"tokens_per_s_per_gpu", speed->tokens_per_s_per_gpu},
                  {"samples_per_s", speed->samples_per_s},
                  {"step_time_s", speed->step.raw()},
                  {"model_tflops_per_gpu", speed->model_tflops_per_gpu},
                  {"mfu", speed->mfu}});
}

Json inference_json(const estimate::InferenceMemory& memory, const std::optional<estimate::InferenceSpeed>& speed) {
  if (!speed) return nullptr;
  const bool generates = speed->output_tokens_per_s > 0;
  const bool continues = speed->itl.raw() > 0;  // a single token is followed by none
  Json out = Json::object();
  add_members(out, {{"output_tokens_per_s", generates ? number(speed->output_tokens_per_s) : Json(nullptr)},
                    {"total_tokens_per_s", number(speed->total_tokens_per_s)},
                    {"requests_per_s", number(speed->requests_per_s)},
                    {"ttft_ms", number(in_ms(speed->ttft))},
                    {"itl_ms", continues ? number(in_ms(speed->itl)) : Json(nullptr)},
                    {"e2e_latency_ms", number(in_ms(speed->e2e))},
                    {"max_concurrency", number(memory.max_concurrency)},
                    {"kv_tokens", number(std::floor(memory.kv_tokens))},
                    {"longest_context", number(memory.longest_context)},
                    {"weights_native", speed->weights_native}});
  if (const auto& p = speed->percentiles)
    add_members(out, {{"ttft_ms_p95", number(in_ms(p->ttft_p95))},
                      {"ttft_ms_p99", number(in_ms(p->ttft_p99))},
                      {"itl_ms_p95", continues ? number(in_ms(p->itl_p95)) : Json(nullptr)},
                      {"itl_ms_p99", continues ? number(in_ms(p->itl_p99)) : Json(nullptr)},
                      {"e2e_latency_ms_p95", number(in_ms(p->e2e_p95))},
                      {"e2e_latency_ms_p99", number(in_ms(p->e2e_p99))}});
  return out;
}

Json explain_json(const estimate::Trace& trace) {
  Json lines = Json::array();
  for (const estimate::TraceLine& line : trace)
    lines.push_back({{"quantity", line.quantity},
                     {"formula", line.formula},
                     {"substituted", text_or_null(line.substituted)},
                     {"value", line.value.text},
                     {"number", number(line.value.number)},
                     {"unit", text_or_null(line.value.unit)},
                     {"source", line.source}});
  return lines;
}

Json interval_json(const estimate::Interval& range) {
  Json out = Json::array();
  out.get_ref<Json::array_t&>().reserve(2);
  out.push_back(number(range.low));
  out.push_back(number(range.high));
  return out;
}

Json throughput_json(const plan::CountedChoice& choice, const workload::Counted& counted) {
  const double rate = choice.figures.rate;
  return {{"value", rate > 0 ? number(rate) : Json(nullptr)}, {"unit", counted.unit.rate}};
}

/// Encoders of text answer in the words of inference as well.
Json encoder_json(const plan::CountedChoice& choice, const workload::SampleJob& job) {
  const double rate = choice.figures.rate;
  return {{"output_tokens_per_s", nullptr},
          {"total_tokens_per_s", number(rate * static_cast<double>(job.seq_len))},
          {"requests_per_s", number(rate)},
          {"ttft_ms", nullptr},
          {"itl_ms", nullptr},
          {"e2e_latency_ms", number(in_ms(choice.figures.latency))},
          {"max_concurrency", choice.plan.batch}};
}

Json more_json(const plan::CountedChoice& choice) {
  Json out = Json::object();
  for (const estimate::NamedFigure& figure : choice.figures.more) out[std::string(figure.key)] = number(figure.value);
  return out;
}

namespace {

/// Encoders answer in sequences per second as well.
Json throughput(double sequences_per_s) { return {{"value", number(sequences_per_s)}, {"unit", "sequences/s"}}; }

/// Tokens per second where there are any; sequences per second of encoders.
Json intervals_json(const advise::EstimateAnswer& answer) {
  if (answer.work.counted) {
    Json out{
        {"level", 0.8}, {"memory_total", interval_json(answer.intervals.memory_total_gib)}, {"tokens_per_s", nullptr}};
    if (plan::rate_of(answer.choice) > 0) out["throughput"] = interval_json(answer.intervals.throughput);
    return out;
  }
  const bool encoder = !answer.work.model->is_generator();
  const bool has_speed = plan::tokens_per_s(answer.choice) > 0;
  const bool counts_tokens = has_speed && (!encoder || workload::is_training(answer.work.task));
  Json out = Json::object();
  out.get_ref<Json::object_t&>().reserve(6);
  out["level"] = 0.8;
  out["memory_total"] = interval_json(answer.intervals.memory_total_gib);
  out["tokens_per_s"] = counts_tokens ? interval_json(answer.intervals.tokens_per_s) : Json(nullptr);
  if (encoder && has_speed) out["throughput"] = interval_json(answer.intervals.sequences_per_s);
  if (!encoder && has_speed && !workload::is_training(answer.work.task)) {
    if (answer.intervals.itl_ms.high > 0) out["itl_ms"] = interval_json(answer.intervals.itl_ms);
    out["ttft_ms"] = interval_json(answer.intervals.ttft_ms);
  }
  return out;
}

}  // namespace

Json estimate_json(const advise::EstimateAnswer& answer) {
  Json out = Json::object();
  out.get_ref<Json::object_t&>().reserve(12);
  out["schema"] = "gpusel.estimate/1";
  if (!answer.id.empty()) out["id"] = answer.id;
  out["fits"] = plan::fits(answer.choice);
  out["assumed"] = assumptions(answer.assumed);
  out["memory"] = memory_json(plan::memory_of(answer.choice), answer.machine.memory());
  if (const auto* counted = std::get_if<plan::CountedChoice>(&answer.choice)) {
    out["throughput"] = throughput_json(*counted, *answer.work.counted);
    if (counted->figures.latency.raw() > 0) out["latency_ms"] = number(in_ms(counted->figures.latency));
    if (!counted->figures.more.empty()) out["figures"] = more_json(*counted);
    const auto* samples = std::get_if<workload::SampleJob>(&answer.work.counted->job);
    const bool reads_text = samples != nullptr && answer.work.model->kind == catalog::ModelKind::encoder;
    if (reads_text && counted->figures.rate > 0) out["inference"] = encoder_json(*counted, *samples);
  } else if (const auto* training = std::get_if<plan::TrainingChoice>(&answer.choice)) {
    out["training"] = training_json(training->speed);
  } else {
    const auto& inference = std::get<plan::InferenceChoice>(answer.choice);
    out["inference"] = inference_json(inference.memory, inference.speed);
    out["memory"]["engine_pool_gib"] = number(in_gib(inference.memory.pool));
  }
  if (!answer.work.counted && !answer.work.model->is_generator() && plan::sequences_per_s(answer.choice) > 0)
    out["throughput"] = throughput(plan::sequences_per_s(answer.choice));
  out["interval"] = intervals_json(answer);
  out["bound_by"] = text_or_null(plan::bound_by(answer.choice));
  if (!answer.notes.empty()) out["notes"] = answer.notes;
  if (!answer.advice.empty()) out["advice"] = answer.advice;
  if (!answer.trace.empty()) out["explain"] = explain_json(answer.trace);
  return out;
}

Json error_json(const std::string& id, const Error& error) {
  static constexpr std::string_view kCodes[] = {"bad_request", "unsatisfied", "bad_catalogue", "io"};
  Json out{{"schema", "gpusel.estimate/1"}};
  out["id"] = text_or_null(id);
  out["error"] = {{"code", kCodes[static_cast<std::size_t>(error.kind)]},
                  {"message", with_hint(error)},
                  {"field", text_or_null(error.where)}};
  return out;
}

}  // namespace gpusel::report
