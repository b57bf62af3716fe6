// The training plan by the names that command lines have for it, for libraries that read it from a file. Private to
// this folder.
#pragma once

#include "show/export/common.hpp"

namespace gpusel::show {

class PlanValues {
 public:
  explicit PlanValues(const ExportView& view)
      : values_(answer::plan_values(view.advice, view.chosen, view.coefficients)) {}

  bool has(std::string_view name) const { return values_.contains(name); }
  std::string of(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::string() : found->second;
  }
  std::int64_t count(std::string_view name) const { return static_cast<std::int64_t>(figure(name)); }
  double figure(std::string_view name) const { return has(name) ? std::stod(of(name)) : 0; }

 private:
  answer::ProofValues values_;
};

/// Error: `tool` cannot say the plan. `framework`: what the tool itself is called among them; empty: it is none.
Status check_training(const ExportView& view, std::string_view tool, const PlanValues& values,
                      std::string_view framework = {});

/// What DeepSpeed's configuration of the plan is called.
inline constexpr std::string_view kDeepspeedFile = "ds_config.json";
/// DeepSpeed's configuration of the plan.
Json deepspeed_config(const PlanValues& values);

}  // namespace gpusel::show
