// gpusel recommend --stages FILE.
#pragma once

#include <string>

#include "answer/search/recommend.hpp"
#include "cli/context.hpp"

namespace gpusel::cli {

/// `base`: what the command line says for every stage; `rules` and what is loaded belong to the command.
struct StagesRun {
  const std::string& file;
  const answer::Question& base;
  std::span<const rules::Rule> rules;
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  const std::string& format;
  bool explain = false;
};
int run_stages(const StagesRun& run, Context& context);

}  // namespace gpusel::cli
