#include "show/json/json.hpp"

#include "answer/stages/launch.hpp"
#include "base/text/joined.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

Json number(const catalog::Number& value) { return value ? number(*value) : Json(nullptr); }

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

namespace {

void put(Json& out, const job::Resolution& size) {
  out["resolution"] = size.width > 0 ? Json(text_of(size)) : Json(nullptr);
}
void one_job(Json& out, const job::SampleJob& job) {
  put(out, job.resolution);
  if (job.seq_len > 0) out["seq_len"] = job.seq_len;
}
void one_job(Json& out, const job::DiffusionJob& job) {
  put(out, job.resolution);
  if (job.steps > 0) out["steps"] = job.steps;
  out["frames"] = job.frames;
}
void one_job(Json& out, const job::SpeechJob& job) { out["window_s"] = number(job.window_s); }
void one_job(Json& out, const job::RecommenderJob& job) {
  out["table_gib"] = job.table_gib ? number(*job.table_gib) : Json(nullptr);
}
void one_job(Json& out, const job::OfflineRender& job) {
  out["render"] = to_text(job::Render::offline);
  out["renderer"] = to_text(job.renderer);
  out["scene_vram_gib"] = number(job.scene_gib);
}
void one_job(Json& out, const job::SessionJob& job) {
  out["render"] = to_text(job.kind);
  out["scene_vram_gib"] = number(job.session_gib);
  out["fps"] = number(job.fps);
  put(out, job.resolution);
  if (job.kind == job::Render::realtime) out["codec"] = to_text(job.codec);
}
void one_job(Json& out, const job::SimulationJob& job) {
  out["solver"] = to_text(job.solver);
  out["cells"] = number(job.cells);
}
void one_job(Json& out, const job::TranscodeJob& job) {
  out["codec"] = to_text(job.codec);
  out["input_codec"] = to_text(job.input);
  put(out, job.resolution);
  out["ladder"] = list_json(job.outputs, [](const job::Resolution& size) { return text_of(size); });
  out["fps"] = number(job.fps);
  out["live"] = job.live;
}
void one_job(Json& out, const job::AnalyticsJob& job) {
  put(out, job.camera);
  out["fps"] = number(job.camera_fps);
  out["stream_fps"] = number(job.stream_fps);
  out["codec"] = to_text(job.codec);
}
void one_job(Json& out, const job::PreprocessJob& job) {
  out["preprocess"] = to_text(job.kind);
  if (job.resolution.width > 0) put(out, job.resolution);
}

void counted_workload(Json& out, const job::Job& work) {
  const job::Counted& counted = *work.counted;
  out["unit"] = counted.unit.rate;
  if (job::runs_model(work.task)) {
    out["engine"] = to_text(counted.engine);
    out["mode"] = to_text(counted.mode);
    if (job::is_training(work.task)) out["method"] = to_text(work.training.method);
  }
  out["amount"] = counted.things ? number(*counted.things) : Json(nullptr);
  out["demand"] = counted.demand ? number(*counted.demand) : Json(nullptr);
  std::visit([&](const auto& job) { one_job(out, job); }, counted.job);
}

}  // namespace

Json workload_json(const job::Job& work) {
  Json out{{"task", to_text(work.task)},
           {"model", work.model != nullptr ? Json(work.model->id) : Json(nullptr)},
           {"profile", to_text(work.profile)}};
  if (const catalog::Repository weights = answer::weights_of(work); !weights.name.empty())
    out["repository"] = weights.name;
  if (work.counted) {
    counted_workload(out, work);
    return out;
  }
  if (job::is_training(work.task)) {
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
    const bool users = job.askers && job.askers->users;  // who ask as often as they are answered
    out["request_rate"] = job.request_rate && !users ? number(*job.request_rate) : Json(nullptr);
    out["weights_precision"] = text_or_null(job.weights_precision);
  }
  return out;
}

Json workload_json(const answer::Advice& advice) {
  Json workload = workload_json(advice.work);
  if (!advice.given.empty()) workload["given"] = advice.given;
  const money::Duty& duty = advice.duty;
  const money::Extras& extras = advice.extras;
  for (const std::string_view key : duty.given) {
    Json& value = workload[std::string(key)];
    if (key == "hours_per_day") value = number(duty.hours_per_day);
    if (key == "days_per_month") value = number(duty.days_asked.value_or(duty.days_per_month));
    if (key == "months") value = number(*duty.months);
    if (key == "utilization") value = number(duty.utilization);
    if (key == "scale_to_zero") value = duty.scale_to_zero;
    if (key == "starts_per_day") value = number(duty.starts());
    if (key == "cold_start") value = format("{:.17g}s", *duty.cold_start_s);
  }
  if (extras.storage_gb) workload["storage_gb"] = number(*extras.storage_gb);
  if (extras.storage_kind) workload["storage"] = to_text(*extras.storage_kind);
  if (extras.egress_gb) workload["egress_gb"] = number(*extras.egress_gb);
  if (extras.workstation) workload["workstation"] = true;
  return workload;
}

namespace {

constexpr std::string_view kCodes[] = {"bad_request", "unsatisfied", "bad_catalogue", "io"};

bool is_flag(std::string_view where) { return where.starts_with("-"); }

Json one_error_json(const Error& error) {
  Json missing = Json::array();
  if (error.missing && !error.where.empty()) missing.push_back(error.where);
  return {{"code", kCodes[static_cast<std::size_t>(error.kind)]},
          {"message", error.message},
          {"hint", text_or_null(error.hint)},
          {"flag", text_or_null(is_flag(error.where) ? error.where : error.flag)},
          {"where", text_or_null(is_flag(error.where) ? std::string() : error.where)},
          {"did_you_mean", error.hint.names},
          {"missing", std::move(missing)}};
}

}  // namespace

Json errors_json(std::span<const Error> errors, int status) {
  Json out{{"schema", "gpusel.error/1"}, {"status", status}};
  out.update(one_error_json(errors.front()));
  out["others"] = list_json(errors.subspan(1), one_error_json);
  return out;
}

Json error_json(const std::string& id, const Error& error) {
  Json out{{"schema", "gpusel.estimate/1"}};
  out["id"] = text_or_null(id);
  out["error"] = {{"code", kCodes[static_cast<std::size_t>(error.kind)]},
                  {"message", with_hint(error)},
                  {"field", text_or_null(error.where)}};
  return out;
}

}  // namespace gpusel::show
