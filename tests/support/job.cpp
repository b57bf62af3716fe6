#include "support/job.hpp"

#include <algorithm>
#include <stdexcept>

#include "gpusel/base/text.hpp"
#include "gpusel/catalog/load.hpp"

namespace gpusel::test {

namespace {

[[noreturn]] void give_up(const Error& error) { throw std::runtime_error(error.where + ": " + error.message); }

template <class T>
T value_of(Result<T> result) {
  if (!result) give_up(result.error());
  return std::move(*result);
}

template <class T>
T value_of(std::expected<T, Errors> result) {
  if (!result) give_up(result.error().front());
  return std::move(*result);
}

}  // namespace

const catalog::Catalog& shipped() {
  static const catalog::Catalog catalog = value_of(catalog::load({}));
  return catalog;
}

const estimate::Coefficients& coefficients() {
  static const estimate::Coefficients read = value_of(estimate::read_coefficients(shipped().documents("calibration")));
  return read;
}

const catalog::Model& model(std::string_view name) { return *value_of(shipped().model(name)); }

const catalog::Gpu& gpu(std::string_view name) { return *value_of(shipped().gpu(name)); }

workload::Request request(std::string_view words) {
  workload::Request made;
  for (const std::string_view word : split(words, ' ')) {
    const auto equals = word.find('=');
    const auto* option = workload::find_option(workload::request_options(), word.substr(0, equals));
    if (option == nullptr || equals == std::string_view::npos) throw std::runtime_error("no key: " + std::string(word));
    if (const Status set = option->set(made, word.substr(equals + 1)); !set) give_up(set.error());
  }
  return made;
}

Result<workload::Workload> try_job(std::string_view words) {
  const workload::Request asked = request(words);
  const catalog::Model* known = asked.model.empty() ? nullptr : &model(asked.model);
  if (workload::is_counted(asked, known)) return workload::resolve_counted(asked, known, shipped());
  return workload::resolve(asked, model(asked.model));
}

workload::Workload job(std::string_view words) { return value_of(try_job(words)); }

estimate::Machine machine(std::string_view name, int gpus, int per_node) {
  const catalog::Gpu& part = gpu(name);
  estimate::Machine made;
  made.device = value_of(estimate::make_device(part, 1, std::nullopt, coefficients()));
  made.gpus_per_node = std::min(gpus, per_node);
  made.nodes = gpus / made.gpus_per_node;
  const estimate::LinkChoice link = estimate::usual_link(part, made.gpus_per_node);
  made.link = link.link;
  made.link_bandwidth = link.bandwidth;
  if (made.nodes > 1) {
    made.network = gbit_per_s(3200);
    made.rdma = true;
  }
  return made;
}

estimate::TrainingPlan data_parallel(int dp, workload::Sharding sharding) {
  estimate::TrainingPlan plan;
  plan.dp = dp;
  plan.sharding = sharding;
  return plan;
}

estimate::InferencePlan serving(std::string_view format, int tp) {
  estimate::InferencePlan plan;
  plan.weights = value_of(estimate::weight_format(format));
  plan.tp = tp;
  return plan;
}

plan::TrainingChoice plan_training(const workload::Workload& work, const estimate::Machine& machine) {
  return value_of(plan::plan_training(work, machine, coefficients()));
}

plan::InferenceChoice plan_inference(const workload::Workload& work, const estimate::Machine& machine) {
  return value_of(plan::plan_inference(work, machine, coefficients()));
}

}  // namespace gpusel::test
