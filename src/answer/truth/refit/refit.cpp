#include "answer/truth/refit/refit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "answer/truth/refit/robust_fit.hpp"

namespace gpusel::answer {

namespace {

using physics::Coefficients;
using physics::CoefficientValue;

constexpr double kSpread = 0.15;  // of a logarithm: what a source is usually off by
constexpr double kPrior = 0.5;    // of a logarithm: how far a value may lie from the shipped one
constexpr double kTried = 0.1;    // of a logarithm: a step of one value
constexpr int kHalvings = 4;

CoefficientValue moved(const FreeValue& value, double shift) {
  const Range allowed = physics::allowed_values(value.id);
  return {value.id, value.name, std::clamp(value.shipped * std::exp(shift), allowed.low, allowed.high)};
}

/// The figures that follow one of the values, as the solver sees them.
struct HeardFigures {
  std::vector<std::size_t> places;
  std::vector<RobustFigure> robust;
};

HeardFigures heard_by(const Followed& followed, std::span<const std::size_t> values,
                      std::optional<std::size_t> without) {
  std::vector<std::size_t> place(followed.values().size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) place[values[i]] = i;
  HeardFigures out;
  for (std::size_t k = 0; k < followed.figures().size(); ++k) {
    const FollowedFigure& figure = followed.figures()[k];
    if (without && followed.jobs()[figure.job].source == *without) continue;
    RobustFigure robust{figure.residual(), figure.weight, {}};
    for (const Slope& slope : figure.slopes)
      if (place[slope.value] < values.size()) robust.slopes.emplace_back(place[slope.value], slope.slope);
    if (robust.slopes.empty()) continue;
    out.places.push_back(k);
    out.robust.push_back(std::move(robust));
  }
  return out;
}

/// Σ weight · distance, with the estimates as they are and not as they were straightened.
double total_distance(Followed& followed, const HeardFigures& heard, const Coefficients& c) {
  const auto residuals = followed.residuals(heard.places, c);
  double sum = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) sum += heard.robust[i].weight * distance(residuals[i]);
  return sum;
}

/// What a step of one value alone would bring.
void try_steps(Followed& followed, std::size_t place, const Coefficients& shipped, RefitValue& out) {
  const HeardFigures heard = heard_by(followed, {&place, 1}, std::nullopt);
  double weight = 0;
  for (const RobustFigure& figure : heard.robust) weight += figure.weight;
  const double before = total_distance(followed, heard, shipped);
  double least = before;
  for (const double step : {kTried, -kTried}) {
    const CoefficientValue changed = moved(followed.values()[place], step);
    const double after = total_distance(followed, heard, physics::with_values(shipped, {&changed, 1}));
    if (after >= least) continue;
    least = after;
    out.better = changed.value;
  }
  out.gain = (before - least) / weight;
}

}  // namespace

std::vector<CoefficientValue> fitted(Followed& followed, std::span<const std::size_t> values,
                                     std::optional<std::size_t> without, const Coefficients& shipped) {
  const HeardFigures heard = heard_by(followed, values, without);
  std::vector<double> shift = least_distance(heard.robust, values.size(), kSpread, kPrior);
  const double before = total_distance(followed, heard, shipped);
  std::vector<CoefficientValue> out;
  for (int half = 0; half <= kHalvings; ++half) {
    out.clear();
    for (std::size_t i = 0; i < values.size(); ++i) out.push_back(moved(followed.values()[values[i]], shift[i]));
    if (total_distance(followed, heard, physics::with_values(shipped, out)) <= before) return out;
    for (double& each : shift) each /= 2;
  }
  for (std::size_t i = 0; i < values.size(); ++i) out[i].value = followed.values()[values[i]].shipped;
  return out;
}

std::vector<std::string> fitted_ids(std::span<const RestsOn> all) {
  std::vector<std::string> out;
  for (const RestsOn& each : all)
    if (each.rows) out.push_back(each.id);
  return out;
}

Refit refit(const Verification& verification, std::span<const Document> texts, const catalog::Catalog& catalog,
            const Coefficients& shipped) {
  Refit out;
  const std::vector<RestsOn> all = rests_on(texts);
  std::ranges::copy_if(all, std::back_inserter(out.elsewhere), [](const RestsOn& each) { return !each.rows; });
  Followed followed(verification, fitted_ids(all), catalog, shipped);
  out.unheard = followed.unheard();
  std::vector<std::size_t> places(followed.values().size());
  std::iota(places.begin(), places.end(), 0);
  const auto found = fitted(followed, places, std::nullopt, shipped);
  const auto speakers = followed.speakers();
  for (const std::size_t v : places) {
    const FreeValue& value = followed.values()[v];
    const auto follows = [v](const FollowedFigure& each) {
      return std::ranges::find(each.slopes, v, &Slope::value) != each.slopes.end();
    };
    RefitValue is{value.id, value.name, value.shipped, found[v].value, speakers[v].size(), 0, value.shipped, 0};
    is.figures = static_cast<std::size_t>(std::ranges::count_if(followed.figures(), follows));
    try_steps(followed, v, shipped, is);
    out.values.push_back(std::move(is));
  }
  return out;
}

}  // namespace gpusel::answer
