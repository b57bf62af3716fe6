#include "show/job/estimate.hpp"
#include "show/job/candidate.hpp"
#include "show/job/figures.hpp"
#include "show/job/question.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "physics/kinds/counted.hpp"
#include "show/json/records.hpp"

namespace gpusel::show {

namespace {

using job::Job;

std::string assumed_text(const job::Value& value) {
  if (const auto* number = std::get_if<double>(&value))
    return *number >= 1e6 ? human_count(*number) : format("{:g}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text);
  return std::get<bool>(value) ? "true" : "false";
}

std::string gibibytes(Bytes amount) { return format("{:.1f}", in_gib(amount)); }

std::string machine_line(const physics::Machine& machine) {
  if (machine.on_cpu())
    return say("{:g} vCPU of {}", machine.host.vcpus * machine.nodes,
               machine.host.cpu != nullptr ? printable(machine.host.cpu->name) : say("an unknown processor"));
  std::string line = say("{} × {}", machine.gpus(), printable(machine.device.gpu->name));
  if (machine.gpus_per_node > 1) line += say(", {} in a node", to_text(machine.link));
  if (machine.nodes > 1) line += say(", {} nodes at {:g} Gbit/s", machine.nodes, machine.network.raw() * 8 / 1e9);
  return line;
}

std::string speed_line(const physics::TrainingSpeed& speed) {
  // Seconds with three digits, so that the rate can be checked.
  const std::string step = speed.step.raw() < 60 ? say("{:.3g} s", speed.step.raw()) : human_duration(speed.step);
  return say("{} tokens/s ({} per GPU), {} per step, {:.0f} TFLOPS per GPU, {:.0f} % of peak; {} bound",
             human_number(speed.tokens_per_s), human_number(speed.tokens_per_s_per_gpu), step,
             speed.model_tflops_per_gpu, speed.mfu * 100, say_name(speed.bound_by));
}

}  // namespace

std::string requests_in_flight(double requests) {
  const double whole = std::round(requests);
  return whole == 1 ? say("1 request in flight") : say("{:g} requests in flight", whole);
}

namespace {

std::string speed_line(const physics::Serving& serving, bool generates) {
  const physics::InferenceSpeed& speed = serving.speed;
  if (!generates) return say("{} sequences/s; {} bound", human_number(speed.requests_per_s), say_name(speed.bound_by));
  std::string line = say("{} output tokens/s with {} (room for {:g} at full length), {:.0f} ms to the first token",
                         human_number(speed.output_tokens_per_s), requests_in_flight(speed.in_flight),
                         serving.room.max_concurrency, in_ms(speed.ttft()));
  if (speed.itl().raw() > 0) line += say(", {:.1f} ms between tokens", in_ms(speed.itl()));
  return line + say("; {} bound", say_name(speed.bound_by));
}

/// What stands in the working memory of counted work, by the class of its job.
struct WorkingMemory {
  std::string_view of, name;
};
constexpr WorkingMemory kWorkingMemory[] = {
    {job::OfflineRender::kClass, to_say("scene")},
    {job::SessionJob::kClass, to_say("session")},
    {job::SimulationJob::kClass, to_say("simulated state")},
};

}  // namespace

std::string working_memory_name(const Job& work) {
  if (work.counted)
    for (const WorkingMemory& known : kWorkingMemory)
      if (std::visit([&](const auto& job) { return job.kClass == known.of; }, work.counted->job))
        return say_text(known.name);
  return say("activations");
}

std::string needed_parts(const Job& work, const physics::Plan& plan, bool in_full) {
  physics::MemoryBreakdown memory = plan.memory;
  memory.workspace = memory.workspace - memory.spare;  // given back before it fails
  Bytes kept_free;
  if (plan.serving) {
    // Of a load that need not find room all at once the engine needs what lets it start.
    const physics::CacheRoom& room = plan.serving->room;
    const Bytes held = room.needed * room.share;
    memory.kv_cache = std::max(room.counted - memory.weights, Bytes{});
    memory.activations = std::max(held - room.counted - memory.workspace - memory.framework, Bytes{});
    kept_free = plan.need.needed - memory.total();
  }
  struct Part {
    std::string name;
    Bytes amount;
  };
  std::vector<Part> parts = {{say("weights"), memory.weights},
                             {say("gradients"), memory.gradients},
                             {say("optimizer"), memory.optimizer},
                             {working_memory_name(work), memory.activations},
                             {say("KV cache"), memory.kv_cache}};
  if (in_full) {
    parts.push_back({say("workspace"), memory.workspace});
    parts.push_back({say("framework"), memory.framework});
  } else {
    parts.push_back({say("other"), memory.workspace + memory.framework});
  }
  if (plan.serving) parts.push_back({say("kept free ({:.0f} %)", 100 * (1 - plan.serving->room.share)), kept_free});
  std::string line;
  for (const Part& part : parts)
    if (part.amount.raw() > 0) line += (line.empty() ? "" : " · ") + part.name + " " + gibibytes(part.amount);
  return line;
}

Derivation derivation_of(const physics::Trace& trace) {
  Derivation out;
  for (const auto& line : trace)
    out.steps.push_back({0,
                         printable(line.quantity),
                         printable(line.value.text),
                         {},
                         {},
                         printable(line.formula),
                         printable(line.substituted),
                         printable(line.source)});
  return out;
}

bool has_plan(const Job& work) {
  return !work.counted || physics::has_batches(*work.counted) || work.task == job::Task::simulate;
}

namespace {

std::string one_job(const job::SampleJob& job, const job::Unit& unit) {
  if (job.resolution.width > 0) return say(" · {}", text_of(job.resolution));
  if (job.seq_len == 0) return {};
  const bool of_sound = unit.rate == job::kAudioSamples.rate;
  return of_sound ? say(" · {} audio samples", job.seq_len) : say(" · {} tokens", job.seq_len);
}
std::string one_job(const job::DiffusionJob& job) {
  std::string line = say(" · {}", text_of(job.resolution));
  if (job.steps > 0) line += say(", {} steps", job.steps);  // none in training
  return job.frames > 1 ? line + say(", {} frames", job.frames) : line;
}
std::string one_job(const job::SpeechJob&) { return {}; }
std::string one_job(const job::RecommenderJob&) { return {}; }
std::string one_job(const job::OfflineRender& job) {
  return say(" · offline · {} · scene of {:.1f} GiB", to_text(job.renderer), job.scene_gib);
}
std::string one_job(const job::SessionJob& job) {
  return say(" · {} · {} at {:g} fps · {:g} GiB each", said(job.kind), text_of(job.resolution), job.fps,
             job.session_gib);
}
std::string one_job(const job::SimulationJob& job) {
  return say(" · {} · {} {}", to_text(job.solver), human_count(job.cells), printable(job.cell));
}
std::string one_job(const job::TranscodeJob& job) {
  return say(" · {} {} at {:g} fps · {}", to_text(job.codec), text_of(job.resolution), job.fps,
             job.live ? say("live") : say("files"));
}
std::string one_job(const job::AnalyticsJob& job) {
  return say(" · streams of {} at {:g} fps, {:g} fps seen", text_of(job.camera), job.camera_fps, job.stream_fps);
}
std::string one_job(const job::PreprocessJob& job) { return say(" · {}", said(job.kind)); }

}  // namespace

std::string counted_details(const Job& work) {
  std::string line = std::visit(
      [&](const auto& job) {
        if constexpr (std::is_same_v<std::decay_t<decltype(job)>, job::SampleJob>)
          return one_job(job, work.counted->unit);
        else
          return one_job(job);
      },
      work.counted->job);
  if (job::runs_model(work.task)) line += say(" · {}", to_text(work.counted->engine));
  return line;
}

std::string job_line(const Job& work) {
  if (work.counted)
    return (work.model != nullptr ? say("{} · {}", work.model->id, said(work.task)) : said(work.task)) +
           counted_details(work);
  std::string line(work.model->id);
  if (!job::is_training(work.task)) {
    line += work.model->is_generator()
                ? say(" · inference · {} + {} tokens", work.inference.input_tokens, work.inference.output_tokens)
                : say(" · inference · {} tokens", work.inference.input_tokens);
    if (work.inference.request_rate) line += say(" · {:g} req/s", *work.inference.request_rate);
    return line + say(" · {}", to_text(work.inference.engine));
  }
  const auto& job = work.training;
  if (work.task == job::Task::pretrain)
    line += say(" · pretraining");
  else
    line +=
        job.method == job::Method::full ? say(" · full fine-tuning") : say(" · {} fine-tuning", to_text(job.method));
  return line +
         say(" · {} · {} tokens, {} per sequence", to_text(job.optimizer), spoken_count(job.tokens), job.seq_len);
}

namespace {

// Keys of assumptions that are no option of a question, in words; the others are theirs with spaces.
struct AssumedName {
  std::string_view key;
  std::string_view words;
};
constexpr AssumedName kAssumedNames[] = {
    {"itl_ms", to_name("ITL ms")},
    {"tpot_ms", to_name("TPOT ms")},
    {"ttft_ms", to_name("TTFT ms")},
    {"e2e_ms", to_name("E2E ms")},
    {"request_rate", to_name("requests/s")},
    {"seq_len", to_name("sequence length")},
    {"speed", to_name("speed")},
    {"fps", to_name("frames/s")},
    {"market", to_name("marketplaces")},
    {"max_load", to_name("load at most")},
    {"min_fit", to_name("chance to fit at least")},
    {"confidence", to_name("confidence")},
    {"engine_version", to_name("engine version")},
    {"output_tokens", to_name("output tokens")},
    {"input_tokens", to_name("input tokens")},
    {"term", to_name("billing term")},
    {"vendor", to_name("GPU vendor")},
    {"mode", to_name("mode")},
    {"engine", to_name("engine")},
    {"task", to_name("task")},
    {"framework", to_name("framework")},
    {"optimizer", to_name("optimizer")},
    {"recipe", to_name("recipe")},
    {"global_batch", to_name("global batch")},
    {"lora_rank", to_name("LoRA rank")},
    {"lora_targets", to_name("LoRA targets")},
    {"dataset_size", to_name("dataset size")},
    {"epochs", to_name("epochs")},
    {"resolution", to_name("resolution")},
    {"steps", to_name("steps")},
    {"loader", to_name("data loader")},
    {"method", to_name("method")},
    {"precision", to_name("precision")},
    {"renderer", to_name("renderer")},
    {"codec", to_name("codec")},
    {"concurrency", to_name("concurrent requests")},
    {"deadline_days", to_name("deadline in days")},
    {"max_price_age", to_name("price age at most")},
    {"max_nodes", to_name("nodes at most")},
    {"gpus", to_name("GPU count")},
    {"allow_precisions", to_name("weight formats allowed")},
    {"weights_precision", to_name("weight format")},
    {"kv_precision", to_name("KV cache format")},
    {"tp", to_name("TP")},
    {"pp", to_name("PP")},
    {"dp", to_name("DP")},
    {"micro_batch", to_name("micro batch")},
    {"grad_accum", to_name("gradient accumulation")},
    {"activation_checkpointing", to_name("activation checkpointing")},
    {"flash_attention", to_name("flash attention")},
    {"interconnect", to_name("interconnect")},
    {"sharding", to_name("sharding")},
    {"mtbf_hours", to_name("hours between failures")},
    {"restart_minutes", to_name("restart minutes")},
    {"checkpoint_gb", to_name("checkpoint GB")},
    {"checkpoint_write_gbs", to_name("checkpoint write GB/s")},
    {"power_price", to_name("price per kWh")},
    {"pue", to_name("PUE")},
    {"hosting_per_kw_month", to_name("hosting per kW and month")},
    {"years", to_name("years")},
};

}  // namespace

std::string input_name(std::string_view key) {
  const auto* known = std::ranges::find(kAssumedNames, key, &AssumedName::key);
  if (known != std::end(kAssumedNames)) return say_name(known->words);
  if (constexpr std::string_view kPrice = "price:"; key.starts_with(kPrice))
    return say("price:{}", key.substr(kPrice.size()));
  std::string words(key);
  if (!key.contains(':')) std::ranges::replace(words, '_', ' ');
  return words;
}

namespace {

/// ">=0.17" as a reader says it.
std::string assumed_value(const job::Value& value) {
  const std::string text = assumed_text(value);
  if (text.starts_with(">=")) return say("{} or newer", text.substr(2));
  return text == "true" ? say("yes") : text == "false" ? say("no") : say_name(text);
}

}  // namespace

std::string assumed_line(const job::Assumptions& assumed) {
  std::string line;
  for (const auto& [key, value] : assumed) add_item(line, input_name(key) + " " + assumed_value(value));
  return line;
}

Facts assumed_facts(const job::Assumptions& assumed) {
  Facts facts;
  for (const auto& [key, value] : assumed) facts.facts.push_back({"  " + input_name(key), assumed_value(value)});
  return facts;
}

namespace {

/// With a request rate: what most requests meet.
void add_percentiles(Document& page, const physics::Plan& plan) {
  if (!plan.serving || !plan.serving->speed.load) return;
  const physics::InferenceSpeed& speed = plan.serving->speed;
  page.line(say("  ms at P50, P95 and P99: {:.0f}, {:.0f}, {:.0f} to the first token; {:.1f}, {:.1f}, {:.1f} between "
                "tokens; {:.0f}, {:.0f}, {:.0f} for the whole answer",
                in_ms(speed.ttft()), in_ms(speed.ttft_within(95)), in_ms(speed.ttft_within(99)), in_ms(speed.itl()),
                in_ms(speed.itl_within(95)), in_ms(speed.itl_within(99)), in_ms(speed.e2e()),
                in_ms(speed.e2e_within(95)), in_ms(speed.e2e_within(99))),
            4);
}

std::string items_line(const physics::Plan& plan, const std::string& unit) {
  std::string line = format("{} {}", human_number(plan.rate), unit);
  if (plan.usual_time().raw() > 0) add_item(line, latency_text(plan));
  return plan.bound_by.empty() ? line : line + say("; {} bound", say_name(plan.bound_by));
}

void add_speed(Document& page, const answer::EstimateAnswer& answer) {
  const physics::Plan& plan = answer.plan;
  if (plan.rate <= 0) return;
  const physics::SpokenRate rate = physics::spoken_rate(answer.work, plan, answer.intervals);
  const std::string unit = say_name(rate.unit);
  const std::string line = plan.training  ? speed_line(*plan.training)
                           : plan.serving ? speed_line(*plan.serving, answer.work.model->is_generator())
                                          : items_line(plan, unit);
  page.line(plan.fits ? say("speed: {}", line) : say("speed if it did fit: {}", line));
  add_percentiles(page, plan);
  if (const std::string more = more_figures(plan); !more.empty()) page.line("  " + more);
  page.line(say("  80 % interval {} to {} {}", human_number(rate.interval.low), human_number(rate.interval.high), unit),
            4);
}

}  // namespace

namespace {

/// "RISKY 62 %: 39.0 of 44.5 GiB per GPU are needed, 5.5 free (80 % interval 31.2 to 48.8)"
std::string verdict_line(const answer::EstimateAnswer& answer) {
  const physics::MemoryNeed& need = answer.plan.need;
  std::string verdict = !answer.plan.fits                                      ? say("NO")
                        : answer.fit.short_verdict() == answer::Verdict::risky ? say("RISKY")
                                                                               : say("YES");
  const auto problem = answer.plan.problem.kind;
  const bool lacks =
      problem == physics::Problem::Kind::lacking || problem == physics::Problem::Kind::refused;  // no memory would help
  if (need.is_known() && !lacks) verdict += " " + answer::chance_words(need.chance());
  if (!answer.plan.fits) return say("{}: {}", verdict, answer.plan.problem.text());
  const physics::Interval range = need.interval_gib();
  const std::string needed = gibibytes(need.needed);
  const std::string free = gibibytes(need.available - need.needed);
  return answer.machine.on_cpu() ? say("{}: {} of {} GiB are needed, {} free (80 % interval {:.1f} to {:.1f})", verdict,
                                       needed, gibibytes(need.available), free, range.low, range.high)
                                 : say("{}: {} of {} GiB per GPU are needed, {} free (80 % interval {:.1f} to {:.1f})",
                                       verdict, needed, gibibytes(need.available), free, range.low, range.high);
}

}  // namespace

Table estimate_table(const answer::EstimateAnswer& answer) {
  static constexpr RecordColumn kColumns[] = {
      {"id", "/id"},
      {"fits", "/fits"},
      {"verdict", "/verdict"},
      {"fit_probability", "/probability/fits"},
      {"gpu", "/gpu"},
      {"gpus", "/gpus"},
      {"plan", "/plan"},
      {"weights_gib", "/memory/per_gpu/weights"},
      {"gradients_gib", "/memory/per_gpu/gradients"},
      {"optimizer_gib", "/memory/per_gpu/optimizer"},
      {"activations_gib", "/memory/per_gpu/activations"},
      {"kv_cache_gib", "/memory/per_gpu/kv_cache"},
      {"workspace_gib", "/memory/per_gpu/workspace"},
      {"framework_gib", "/memory/per_gpu/framework"},
      {"total_gib", "/memory/per_gpu/total"},
      {"total_gib_low", "/interval/memory_total/0"},
      {"total_gib_high", "/interval/memory_total/1"},
      {"needed_gib", "/memory/needed"},
      {"usable_gib", "/memory/usable"},
      {"tokens_per_s", "/training/tokens_per_s"},
      {"step_time_s", "/training/step_time_s"},
      {"mfu", "/training/mfu"},
      {"output_tokens_per_s", "/inference/output_tokens_per_s"},
      {"requests_per_s", "/inference/requests_per_s"},
      {"ttft_ms", "/inference/ttft_ms"},
      {"itl_ms", "/inference/itl_ms"},
      {"e2e_latency_ms", "/inference/e2e_latency_ms"},
      {"tokens_per_s_low", "/interval/tokens_per_s/0"},
      {"tokens_per_s_high", "/interval/tokens_per_s/1"},
      {"throughput", "/throughput/value"},
      {"throughput_unit", "/throughput/unit"},
      {"throughput_low", "/interval/throughput/0"},
      {"throughput_high", "/interval/throughput/1"},
      {"latency_ms", "/latency_ms"},
      {"bound_by", "/bound_by"},
      {"notes", "/notes"},
      {"ttft_ms_p95", "/inference/ttft_ms_p95"},
      {"tpot_ms_p95", "/inference/tpot_ms_p95"},
      {"itl_ms_p95", "/inference/itl_ms_p95"},
      {"e2e_latency_ms_p95", "/inference/e2e_latency_ms_p95"},
  };
  Json record = estimate_json(answer);
  const bool on_cpu = answer.machine.on_cpu();
  record["gpu"] = on_cpu ? Json(nullptr) : Json(answer.machine.device.gpu->id);
  record["gpus"] = on_cpu ? 0 : answer.machine.gpus();
  if (has_plan(answer.work) && answer.plan.problem.kind != physics::Problem::Kind::unpublished)
    record["plan"] = physics::plan_text(answer.work, answer.plan.layout);
  return records_table(Json::array({std::move(record)}), kColumns);
}

Document estimate_details(const answer::EstimateAnswer& answer) {
  const auto problem = answer.plan.problem;
  Document page;
  page.heading(job_line(answer.work)).line(machine_line(answer.machine));
  if (problem.kind != physics::Problem::Kind::unpublished) {
    page.line(verdict_line(answer));
    if (const std::string parts = needed_parts(answer.work, answer.plan, true); !parts.empty()) page.line("  " + parts);
    add_speed(page, answer);
    if (has_plan(answer.work)) page.line(say("plan: {}", physics::plan_text(answer.work, answer.plan.layout)));
  }
  page.line(say("assumed: {}", assumed_line(answer.assumed)));
  for (const std::string& note : answer.notes)
    if (answer.plan.fits || note != problem.text()) page.line(say("Note: {}", printable(note)));
  for (const std::string& line : answer.advice) page.line(say("advice: {}", printable(line)));
  return page.derivation(derivation_of(answer.trace));
}

}  // namespace gpusel::show
