// The shipped catalogue and coefficients, read once, and short ways to a job and to a machine.
#pragma once

#include <string_view>

#include "catalog/catalog.hpp"
#include "job/job.hpp"
#include "physics/coefficients.hpp"
#include "physics/machine.hpp"
#include "physics/planner/plan.hpp"

namespace gpusel::test {

const catalog::Catalog& shipped();
const physics::Coefficients& coefficients();
const catalog::Model& model(std::string_view name);
const catalog::Gpu& gpu(std::string_view name);

/// What was asked, from "key=value" words of the contract: "task=finetune model=llama-7b tp=2".
job::Request request(std::string_view words);
/// The same with defaults filled in. The model is the catalogue's.
Result<job::Job> try_job(std::string_view words);
/// For jobs that must resolve: throws the error's message otherwise.
job::Job job(std::string_view words);

/// `gpus` equal cards in nodes of at most `per_node`, linked as usual, with 3200 Gbit/s of RDMA between nodes.
physics::Machine machine(std::string_view gpu, int gpus = 1, int per_node = 8);

physics::Layout data_parallel(int dp, job::Sharding sharding = job::Sharding::ddp);
/// The format by name, on one GPU, with a 16-bit cache.
physics::Layout serving(std::string_view format, int tp = 1);

/// Time of one decode step of `batch` sequences at `context` tokens each, on one replica.
Seconds decode_step(const job::Job& work, const physics::Machine& machine, const physics::Layout& layout, double batch,
                    double context, const physics::Coefficients& coefficients);

physics::Plan plan_training(const job::Job& work, const physics::Machine& machine);
physics::Plan plan_inference(const job::Job& work, const physics::Machine& machine);

}  // namespace gpusel::test
