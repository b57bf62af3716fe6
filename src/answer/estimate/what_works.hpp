// What to type instead, where a job does not fit or may not: every line is answered as it would be if it were typed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "answer/estimate/estimate.hpp"

namespace gpusel::answer {

/// One change of the question, with its answer.
struct Way {
  std::string flags;         // to be added to the line: "--method qlora --seq-len 1024"
  physics::MemoryNeed need;  // per device
  double rate = 0;           // in `unit`
  std::string unit;          // "tokens/s"
};

/// One flag of the question with its value, as it is typed.
struct Typed {
  std::string_view flag;  // without "--"
  std::string value;
};
/// Whether a change does, for whoever knows more of it than whether it fits; it may say the way in its own words.
using WayJudge = std::function<bool(std::span<const Typed> change, Way& way)>;

/// Changes after which the job fits, those to the job on the same GPUs first, then more of them, then the smallest
/// other GPU that several providers sell. Empty where it fits with the chance asked for, or where nothing helps.
std::vector<Way> what_would_work(const job::Request& request, const EstimateAnswer& answer,
                                 const catalog::Catalog& catalog, const physics::Coefficients& c,
                                 std::span<const rules::Rule> rules, const WayJudge& judge = nullptr);

}  // namespace gpusel::answer
