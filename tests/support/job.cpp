#include "support/job.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/text/text.hpp"
#include "catalog/snapshot/load.hpp"
#include "physics/serving/replica.hpp"

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

const physics::Coefficients& coefficients() {
  static const physics::Coefficients read = value_of(physics::read_coefficients(shipped()));
  return read;
}

const catalog::Model& model(std::string_view name) { return *value_of(shipped().model(name)); }

const catalog::Gpu& gpu(std::string_view name) { return *value_of(shipped().gpu(name)); }

job::Request request(std::string_view words) {
  job::Request made;
  for (const std::string_view word : split(words, ' ')) {
    const auto equals = word.find('=');
    const auto* option = job::find_option(job::request_options(), word.substr(0, equals));
    if (option == nullptr || equals == std::string_view::npos) throw std::runtime_error("no key: " + std::string(word));
    if (const Status set = option->set(made, word.substr(equals + 1)); !set) give_up(set.error());
  }
  return made;
}

Result<job::Job> try_job(std::string_view words) {
  const job::Request asked = request(words);
  const catalog::Model* known = asked.model.empty() ? nullptr : &model(asked.model);
  if (job::is_counted(asked, known)) return job::resolve_counted(asked, known, shipped());
  return job::resolve(asked, model(asked.model), shipped());
}

job::Job job(std::string_view words) { return value_of(try_job(words)); }

physics::Machine machine(std::string_view name, int gpus, int per_node) {
  const catalog::Gpu& part = gpu(name);
  physics::Machine made;
  made.device = value_of(physics::make_device(part, 1, std::nullopt, coefficients()));
  made.gpus_per_node = std::min(gpus, per_node);
  made.nodes = gpus / made.gpus_per_node;
  const physics::LinkChoice link = physics::usual_link(part, made.gpus_per_node);
  made.link = link.link;
  made.link_bandwidth = link.bandwidth;
  if (made.nodes > 1) {
    made.network = gbit_per_s(3200);
    made.rdma = true;
  }
  return made;
}

physics::Layout data_parallel(int dp, job::Sharding sharding) {
  physics::Layout plan;
  plan.dp = dp;
  plan.sharding = sharding;
  return plan;
}

physics::Layout serving(std::string_view format, int tp) {
  physics::Layout plan;
  plan.weights = value_of(physics::weight_format(format));
  plan.tp = tp;
  return plan;
}

Seconds decode_step(const job::Job& work, const physics::Machine& machine, const physics::Layout& layout, double batch,
                    double context, const physics::Coefficients& coefficients) {
  const auto rate = physics::compute_rate(*layout.weights, machine.device);
  if (!rate) return {};
  return physics::Replica(work, machine, layout, coefficients, *rate).decode(batch, {context, 0}).total;
}

physics::Plan plan_training(const job::Job& work, const physics::Machine& machine) {
  return value_of(physics::plan_training(work, machine, coefficients()));
}

physics::Plan plan_inference(const job::Job& work, const physics::Machine& machine) {
  return value_of(physics::plan_inference(work, machine, coefficients()));
}

}  // namespace gpusel::test
