// GPUs and instances side by side, for a job if one is given.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpusel/advise/recommend.hpp"

namespace gpusel::advise {

struct Compared {
  std::string name;  // as it was typed
  const catalog::Gpu* gpu = nullptr;
  const catalog::Instance* instance = nullptr;  // null when a GPU was named
  // The cheapest price: of the instance, or of one GPU of any instance that has it whole.
  const catalog::Offer* offer = nullptr;
  const catalog::Instance* offered_by = nullptr;
  double hourly = 0;  // of the instance, or of one GPU
  // With a job.
  std::shared_ptr<const PlannedMachine> planned;  // null when there is no legal plan
  std::string problem;                            // why it will not do; empty when it will
  std::optional<cost::JobCost> cost;
};

struct Comparison {
  std::shared_ptr<const catalog::ConfigModel> own_model;
  std::optional<workload::Workload> work;
  Currency currency;
  std::vector<Compared> items;
};

/// `names`: GPUs or SKUs, two to eight. `question.request` with a task and model adds the job's
/// figures; its terms say which prices count (on-demand unless asked otherwise).
/// Errors: a name that is neither, naming the nearest of both.
Result<Comparison> compare(std::span<const std::string> names, const Question& question,
                           const catalog::Catalog& catalog, const estimate::Coefficients& coefficients);

}  // namespace gpusel::advise
