// The shipped catalogue and coefficients, read once, and short ways to a job and to a machine.
#pragma once

#include <string_view>

#include "gpusel/catalog/catalog.hpp"
#include "gpusel/estimate/coefficients.hpp"
#include "gpusel/estimate/machine.hpp"
#include "gpusel/plan/plan.hpp"
#include "gpusel/workload/workload.hpp"

namespace gpusel::test {

const catalog::Catalog& shipped();
const estimate::Coefficients& coefficients();
const catalog::Model& model(std::string_view name);
const catalog::Gpu& gpu(std::string_view name);

/// What was asked, from "key=value" words of the contract: "task=finetune model=llama-7b tp=2".
workload::Request request(std::string_view words);
/// The same with defaults filled in. The model is the catalogue's.
Result<workload::Workload> try_job(std::string_view words);
/// For jobs that must resolve: throws the error's message otherwise.
workload::Workload job(std::string_view words);

/// `gpus` equal cards in nodes of at most `per_node`, linked as usual, with 3200 Gbit/s of RDMA between nodes.
estimate::Machine machine(std::string_view gpu, int gpus = 1, int per_node = 8);

estimate::TrainingPlan data_parallel(int dp, workload::Sharding sharding = workload::Sharding::ddp);
/// The format by name, on one GPU, with a 16-bit cache.
estimate::InferencePlan serving(std::string_view format, int tp = 1);

plan::TrainingChoice plan_training(const workload::Workload& work, const estimate::Machine& machine);
plan::InferenceChoice plan_inference(const workload::Workload& work, const estimate::Machine& machine);

}  // namespace gpusel::test
