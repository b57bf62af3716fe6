// What `recommend` shows beside its ranking when it is asked: the way of data, managed services, service levels.
#pragma once

#include <functional>
#include <vector>

#include "cli/command.hpp"
#include "gpusel/advise/data_path.hpp"
#include "report/json/json_out.hpp"

namespace gpusel::cli {

struct Beside {
  advise::DataWishes wishes;
  bool data_path = false;
  bool services = false;

  /// Whoever says something of the data wants to see what follows from it.
  bool shows_data() const {
    return data_path || wishes.dataset_gb || wishes.sample_kb || wishes.checkpoint_minutes || wishes.storage;
  }
};

/// `beside` must outlive the flags.
void add_beside_flags(std::vector<Flag>& flags, Beside& beside);

/// What both forms of an answer need.
struct BesideContext {
  const Beside& beside;
  const advise::Question& question;
  const advise::Advice& advice;
  const catalog::Catalog& catalog;
  const estimate::Coefficients& coefficients;
  bool explain = false;
};

/// Of the best recommendation.
report::Document beside_page(const BesideContext& context);
/// Of each of the recommendations, as members of its own; `context` must outlive it.
std::function<void(report::JsonOut&, std::size_t index)> beside_told(const BesideContext& context);

}  // namespace gpusel::cli
