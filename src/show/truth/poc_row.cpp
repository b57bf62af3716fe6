#include <algorithm>
#include <cmath>

#include "answer/estimate/estimate.hpp"
#include "base/words/message.hpp"
#include "show/truth/poc.hpp"

namespace gpusel::show {

namespace {

using answer::Poc;
using answer::PocFigure;

/// So far the same request estimated again may lie from what is told to be expected.
constexpr double kSame = 0.01;

/// What of an answer's words for a job are keys of a request with one value.
void take_keys(Json& row, const Json& from) {
  for (const auto& [key, value] : from.items())
    if (value.is_primitive() && !value.is_null() && job::find_option(job::request_options(), key) != nullptr)
      row[key] = value;
}

void add_machine(Json& row, const physics::Machine& machine) {
  row["gpu"] = machine.device.gpu->id;
  row["gpus"] = machine.gpus();
  row["gpus_per_node"] = machine.gpus_per_node;
  if (machine.gpus_per_node > 1) row["interconnect"] = to_text(machine.link);
  const double network = machine.network.raw() * 8 / 1e9;
  if (machine.nodes > 1 && network > 0) row["internode_gbps"] = number(network);
}

/// As the question names the model: a file or a count of parameters is part of it.
void add_model(Json& row, const job::Request& request) {
  if (!request.model.empty()) row["model"] = request.model;
  if (request.params_b) row["params_b"] = number(*request.params_b);
  if (request.active_params_b) row["active_params_b"] = number(*request.active_params_b);
}

void add_training(Json& row, const job::Job& work) {
  const auto& job = work.training;
  row.erase("tokens");  // what is trained on in all has no effect on its speed
  if (!job.framework.empty()) row["framework"] = job.framework;
  if (job::is_lora(job.method)) {
    row["lora_rank"] = job.lora_rank;
    row["lora_targets"] = job::text_of(job.lora_targets);
  }
  if (job.virtual_tokens > 0) row["virtual_tokens"] = job.virtual_tokens;
  if (job.offload != job::Offload::none) row["offload"] = to_text(job.offload);
  if (job.optimizer_in_backward) row["optimizer_in_backward"] = true;
  if (job.fused_loss) row["fused_loss"] = true;
  if (job.variable_lengths) row["variable_lengths"] = *job.variable_lengths;
  if (job.target_len > 0) row["target_len"] = job.target_len;
  if (job.virtual_pipeline) row["virtual_pipeline"] = *job.virtual_pipeline;
  if (!job.sequence_parallel) row["sequence_parallel"] = false;
  if (job.capacity_factor != 1) row["capacity_factor"] = number(job.capacity_factor);
}

void add_serving(Json& row, const job::Job& work, const job::Request& request) {
  const auto& job = work.inference;
  if (!request.engine_version.empty()) row["engine_version"] = request.engine_version;
  if (job.mem_utilization) row["mem_utilization"] = number(*job.mem_utilization);
  if (job.prefix_cache_hit > 0) row["prefix_cache_hit"] = number(job.prefix_cache_hit);
  if (job.draft) {
    row["speculative"] = job.draft->model->id;
    row["speculative_tokens"] = job.draft->tokens;
    row["acceptance_rate"] = number(job.draft->acceptance_rate);
  }
  if (job.disaggregated_prefill) row["disaggregated_prefill"] = true;
  if (job.offload != job::Offload::none) row["offload"] = to_text(job.offload);
  if (row.contains("request_rate")) row.erase("concurrency");  // it follows
}

Json row_of(const Poc& poc, const job::Request& request) {
  Json row = Json::object();
  take_keys(row, workload_json(poc.work));
  if (poc.work.model != nullptr) add_model(row, request);
  add_machine(row, poc.machine);
  if (!poc.work.counted || job::runs_model(poc.work.task)) take_keys(row, plan_json(poc.plan));
  if (!poc.work.counted) {
    if (job::is_training(poc.work.task))
      add_training(row, poc.work);
    else
      add_serving(row, poc.work, request);
  }
  if (poc.plan.training && physics::is_partial(poc.plan.layout)) row.erase("activation_checkpointing");  // chosen again
  if (poc.work.counted && !job::is_training(poc.work.task))
    for (const char* of_training : {"activation_checkpointing", "offload"}) row.erase(of_training);
  if (row.value("profile", "") == "standard") row.erase("profile");
  if (row.value("frames", 0) == 1) row.erase("frames");
  return row;
}

/// A figure of a plan by the name it has in a row; unknown if the plan has none.
catalog::Number figure_by_key(std::string_view key, const physics::Plan& plan) {
  if (key == "memory_gib" && !plan.serving) return in_gib(plan.memory.total());
  if (key == "weights_gib" && plan.serving) return in_gib(plan.memory.weights);
  if (plan.rate <= 0 && (plan.training || plan.serving)) return {};
  if (plan.training) return key == "step_time_s" ? plan.training->step.raw() : plan.training->tokens_per_s_per_gpu;
  if (!plan.serving) return key == "latency_ms" ? in_ms(plan.latency) : plan.rate;
  const physics::InferenceSpeed& speed = plan.serving->speed;
  return key == "ttft_ms" ? in_ms(speed.ttft()) : key == "itl_ms" ? in_ms(speed.itl()) : speed.output_tokens_per_s;
}

/// Whether the row, estimated again, gives every figure that is told to be expected.
bool says_the_plan(const Json& row, const Poc& poc, const catalog::Catalog& catalog,
                   const physics::Coefficients& coefficients) {
  const auto document = parse_json(row.dump(), "row");
  if (!document) return false;
  const auto request = job::read_request(document->root);
  if (!request) return false;
  const auto answer = answer::answer_estimate(*request, catalog, coefficients, false);
  if (!answer) return false;
  for (const PocFigure& figure : poc.figures) {
    if (figure.key.empty() || !figure.expected) continue;
    const catalog::Number again = figure_by_key(figure.key, answer->plan);
    if (!again || std::abs(*again - *figure.expected) > kSame * std::abs(*figure.expected)) return false;
  }
  return true;
}

}  // namespace

Json poc_row(const PocView& view) {
  const Poc& poc = view.poc;
  if (poc.machine.on_cpu() || poc.machine.device.share < 1) return nullptr;
  Json measured = Json::object();
  for (const PocFigure& figure : poc.figures)
    if (!figure.key.empty()) measured[figure.key] = nullptr;
  if (measured.empty()) return nullptr;
  Json row = row_of(poc, view.request);
  if (!says_the_plan(row, poc, view.catalog, view.coefficients)) return nullptr;
  if (measured.contains("memory_gib")) measured["memory_kind"] = poc.memory_kind;
  row["measured"] = std::move(measured);
  return row;
}

std::string no_row_reason(const PocView& view) {
  const Poc& poc = view.poc;
  if (poc.machine.on_cpu() || poc.machine.device.share < 1)
    return say("gpusel calibrate does not take shared GPUs or processors");
  if (std::ranges::all_of(poc.figures, [](const PocFigure& figure) { return figure.key.empty(); }))
    return say("gpusel calibrate takes none of these figures");
  return say("the request of an estimate cannot express this plan, so there is no line for gpusel calibrate");
}

}  // namespace gpusel::show
