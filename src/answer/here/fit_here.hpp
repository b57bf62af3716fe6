// Which models run on the GPUs one has: in which format, how surely, how fast for one user, with how much context.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answer/estimate/what_works.hpp"
#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// Room in four words.
enum class Room : std::uint8_t {
  comfortable,  ///< fits, with room for several users or a long context
  fits,
  tight,  ///< may run out of memory
  no
};

/// One model in one format.
struct FitHere {
  const catalog::Model* model = nullptr;
  std::string format;  // of the weights
  Room room = Room::no;
  physics::MemoryNeed need;
  double tokens_per_s = 0;  // of one user
  physics::Interval tokens_interval;
  double context = 0;  // tokens that one request has room for
};

struct FitList {
  physics::Machine machine;
  std::vector<FitHere> models;  // newest and best known first, each in the best format that fits
  std::size_t too_large = 0;    // models that are not among them, as they fit in no format
};

/// Language models of the catalogue on the GPUs of `request`, which names no model. `all`: also those that do not fit.
/// Errors: an unknown GPU, what contradicts itself.
Result<FitList> models_that_fit(const job::Request& request, bool all, const catalog::Catalog& catalog,
                                const physics::Coefficients& c, std::span<const rules::Rule> rules);

/// One model on these GPUs.
struct FitAnswer {
  EstimateAnswer best;           // in the widest format that fits, else as it is asked
  std::vector<FitHere> formats;  // each that the GPU has kernels for, widest first
  std::vector<Way> ways;         // to make it fit
  std::optional<Advice> cloud;   // what to rent where it does not
  struct Narrower {
    std::string format;  // of the weights
    Advice advice;
  };
  std::optional<Narrower> narrower;  // what is cheaper to rent, in fewer bits than those of `cloud`
};
Result<FitAnswer> model_that_fits(const job::Request& request, const catalog::Catalog& catalog,
                                  const physics::Coefficients& c, std::span<const rules::Rule> rules, Date today,
                                  Currency currency);

}  // namespace gpusel::answer

template <>
inline constexpr auto gpusel::enum_names<gpusel::answer::Room> =
    std::to_array<std::string_view>({"comfortable", "fits", "tight", "no"});
