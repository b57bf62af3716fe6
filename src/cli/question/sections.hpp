// What `recommend` shows beside its ranking when it is asked: the way of data, managed services, service levels.
#pragma once

#include <functional>
#include <vector>

#include "answer/stages/data_path.hpp"
#include "cli/command.hpp"
#include "show/json/json_out.hpp"

namespace gpusel::cli {

struct Sections {
  answer::DataWishes wishes;
  bool data_path = false;
  bool services = false;

  /// Whoever says something of the data wants to see what follows from it.
  bool shows_data() const {
    return data_path || wishes.dataset_gb || wishes.sample_kb || wishes.checkpoint_minutes || wishes.storage;
  }
};

/// `beside` must outlive the flags.
void add_beside_flags(std::vector<Flag>& flags, Sections& beside);

/// What both forms of an answer need.
struct SectionContext {
  const Sections& beside;
  const answer::Question& question;
  const answer::Advice& advice;
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  bool explain = false;
};

/// Of the best recommendation.
show::Document beside_page(const SectionContext& context);
/// Of each of the recommendations, as members of its own; `context` must outlive it.
std::function<void(show::JsonOut&, std::size_t index)> beside_told(const SectionContext& context);

}  // namespace gpusel::cli
