#include "answer/truth/refit/refit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "answer/truth/accuracy.hpp"
#include "answer/truth/refit/robust_fit.hpp"

namespace gpusel::answer {

namespace {

using physics::Coefficients;
using physics::CoefficientValue;

constexpr double kSpread = 0.15;  // of a logarithm: what a source is usually off by
constexpr double kPrior = 0.5;    // of a logarithm: how far a value may lie from the shipped one
constexpr double kTried = 0.1;    // of a logarithm: a step of one value
constexpr int kStepHalvings = 4;

CoefficientValue moved(const FreeValue& value, double shift) {
  const Range allowed = physics::allowed_values(value.id);
  return {value.id, value.name, std::clamp(value.shipped * std::exp(shift), allowed.low, allowed.high)};
}

/// The figures that follow one of the values, as the solver sees them.
struct HeardFigures {
  std::vector<std::size_t> places;
  std::vector<RobustFigure> robust;
  std::vector<std::vector<std::size_t>> levels;  // figures that are compared with each other alone
};

/// Of figures that are compared by ratios, their sources' levels go.
void take_levels_out(std::span<const std::vector<std::size_t>> levels, std::vector<double>& residuals) {
  for (const std::vector<std::size_t>& level : levels) {
    std::vector<double> of_level;
    for (const std::size_t i : level) of_level.push_back(residuals[i]);
    const double middle = median(std::move(of_level));
    for (const std::size_t i : level) residuals[i] -= middle;
  }
}

void take_levels_out(HeardFigures& heard, std::size_t values) {
  std::vector<double> residuals;
  for (const RobustFigure& figure : heard.robust) residuals.push_back(figure.residual);
  take_levels_out(heard.levels, residuals);
  for (std::size_t i = 0; i < residuals.size(); ++i) heard.robust[i].residual = residuals[i];
  for (const std::vector<std::size_t>& level : heard.levels) {
    std::vector<double> mean(values);
    for (const std::size_t i : level)
      for (const auto& [value, slope] : heard.robust[i].slopes)
        mean[value] += slope / static_cast<double>(level.size());
    for (const std::size_t i : level) {
      std::vector<double> own(values);
      for (const auto& [value, slope] : heard.robust[i].slopes) own[value] = slope;
      heard.robust[i].slopes.clear();
      for (std::size_t value = 0; value < values; ++value)
        if (own[value] != mean[value]) heard.robust[i].slopes.emplace_back(value, own[value] - mean[value]);
    }
  }
}

HeardFigures heard_by(const Followed& followed, std::span<const std::size_t> values,
                      std::optional<std::size_t> without) {
  std::vector<std::size_t> place(followed.values().size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) place[values[i]] = i;
  HeardFigures out;
  std::map<std::pair<std::size_t, Figure>, std::vector<std::size_t>> levels;
  for (std::size_t k = 0; k < followed.figures().size(); ++k) {
    const FollowedFigure& figure = followed.figures()[k];
    if (without && followed.jobs()[figure.job].source == *without) continue;
    RobustFigure robust{figure.residual(), figure.weight, {}};
    for (const Slope& slope : figure.slopes)
      if (place[slope.value] < values.size()) robust.slopes.emplace_back(place[slope.value], slope.slope);
    if (robust.slopes.empty()) continue;
    if (figure.by_ratio)
      levels[{followed.jobs()[figure.job].source, figure.shipped.figure}].push_back(out.places.size());
    out.places.push_back(k);
    out.robust.push_back(std::move(robust));
  }
  for (auto& [key, level] : levels) out.levels.push_back(std::move(level));
  take_levels_out(out, values.size());
  return out;
}

/// Σ weight · distance, with the estimates as they are and not as they were straightened.
double total_distance(Followed& followed, const HeardFigures& heard, const Coefficients& c) {
  auto residuals = followed.residuals(heard.places, c);
  take_levels_out(heard.levels, residuals);
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

/// Where each value lies with one of its sources left out.
void find_without_each(Followed& followed, std::span<const std::set<std::size_t>> speakers, const Coefficients& shipped,
                       std::vector<RefitValue>& out) {
  for (std::size_t source = 0; source < followed.sources().size(); ++source) {
    const auto shared = shared_values(speakers, source);
    const auto again = fitted(followed, shared, source, shipped);
    for (std::size_t i = 0; i < shared.size(); ++i) {
      RefitValue& value = out[shared[i]];
      value.low = std::min(value.low, again[i].value);
      value.high = std::max(value.high, again[i].value);
    }
  }
  for (std::size_t v = 0; v < out.size(); ++v)
    if (speakers[v].size() < 2) out[v].low = out[v].high = out[v].shipped;
}

}  // namespace

std::vector<CoefficientValue> fitted(Followed& followed, std::span<const std::size_t> values,
                                     std::optional<std::size_t> without, const Coefficients& shipped) {
  const HeardFigures heard = heard_by(followed, values, without);
  std::vector<double> shift = least_distance(heard.robust, values.size(), kSpread, kPrior);
  const double before = total_distance(followed, heard, shipped);
  std::vector<CoefficientValue> out;
  for (int half = 0; half <= kStepHalvings; ++half) {
    out.clear();
    for (std::size_t i = 0; i < values.size(); ++i) out.push_back(moved(followed.values()[values[i]], shift[i]));
    if (total_distance(followed, heard, physics::with_values(shipped, out)) <= before) return out;
    for (double& each : shift) each /= 2;
  }
  for (std::size_t i = 0; i < values.size(); ++i) out[i].value = followed.values()[values[i]].shipped;
  return out;
}

std::vector<std::size_t> shared_values(std::span<const std::set<std::size_t>> speakers, std::size_t source) {
  std::vector<std::size_t> out;
  for (std::size_t v = 0; v < speakers.size(); ++v)
    if (speakers[v].size() > 1 && speakers[v].contains(source)) out.push_back(v);
  return out;
}

Refit refit(const Verification& verification, std::span<const Document> texts, const catalog::Catalog& catalog,
            const Coefficients& shipped) {
  Refit out;
  const std::vector<RestsOn> all = rests_on(texts);
  std::ranges::copy_if(all, std::back_inserter(out.elsewhere),
                       [](const RestsOn& each) { return each.basis == Basis::source; });
  Followed followed(verification, all, catalog, shipped);
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
    RefitValue is{value.id,
                  value.name,
                  value.shipped,
                  found[v].value,
                  speakers[v].size(),
                  0,
                  value.shipped,
                  0,
                  std::numeric_limits<double>::infinity(),
                  0};
    is.figures = static_cast<std::size_t>(std::ranges::count_if(followed.figures(), follows));
    try_steps(followed, v, shipped, is);
    out.values.push_back(std::move(is));
  }
  find_without_each(followed, speakers, shipped, out.values);
  return out;
}

}  // namespace gpusel::answer
