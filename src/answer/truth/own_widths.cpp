#include "answer/truth/own_widths.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace gpusel::answer {

namespace {

using physics::OwnClass;
using physics::OwnWidth;
using physics::Range80;

/// Sums over the figures of a class, or over the means of its models.
struct Seen {
  double count = 0;
  double squares = 0;
  double freedom = 0;  // figures less what the fit followed
  double floor = 0;
  int gpus = 1;
  double share = 1;  // of the shipped spread, that the squares are in

  void add(double square, double free, double least, int machine, double of_shipped) {
    ++count;
    squares += square;
    freedom += free;
    floor = std::max(floor, least);
    gpus = std::max(gpus, machine);
    share = of_shipped;
  }

  /// (prior rows + Σ off²) ÷ (prior rows + Σ (1 − leverage)), and never below the scatter that was seen.
  double exponent(double prior_rows) const {
    const double joined = (prior_rows + squares) / (prior_rows + freedom);
    const double scatter = count > 1 && freedom > 0 ? squares / freedom : 0;
    return share * std::max(std::sqrt(std::max(joined, scatter)), floor);
  }
};

using Key = std::tuple<std::string, std::string, std::string, std::string, Range80>;

OwnWidth width_of(const Key& key, const Seen& seen, double prior_rows) {
  const auto& [task, gpu, how, model, range] = key;
  const double exponent = std::round(seen.exponent(prior_rows) * 1e4) / 1e4;
  return {{task, gpu, how, model}, range, seen.gpus, static_cast<int>(seen.count), exponent};
}

}  // namespace

std::vector<OwnWidth> own_widths(std::span<const Residual> residuals, double prior_rows) {
  std::map<Key, Seen> exact;
  for (const Residual& r : residuals)
    exact[{r.of.task, r.of.gpu, r.of.how, r.of.model, r.range}].add(r.off * r.off, 1 - r.leverage, r.floor, r.gpus,
                                                                    r.share);
  std::map<Key, Seen> of_any;
  for (const auto& [key, seen] : exact) {
    const auto& [task, gpu, how, model, range] = key;
    if (!model.empty())
      of_any[{task, gpu, how, {}, range}].add(seen.squares / seen.count, seen.freedom / seen.count, seen.floor,
                                              seen.gpus, seen.share);
  }
  std::erase_if(of_any, [](const auto& entry) { return entry.second.count < 2; });
  exact.merge(of_any);
  std::vector<OwnWidth> out;
  for (const auto& [key, seen] : exact) out.push_back(width_of(key, seen, prior_rows));
  return out;
}

}  // namespace gpusel::answer
