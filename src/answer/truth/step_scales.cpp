#include "answer/truth/step_scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace gpusel::answer {

namespace {

using physics::Coefficients;
using physics::CoefficientValue;

constexpr double kScalePrior = 0.7;  // of the logarithm: half as long to twice as long; a measurement outweighs it
constexpr double kScaleStep = 0.02;  // of the logarithm, for a difference quotient
constexpr double kScaleSettled = 1e-5;
constexpr int kScaleRounds = 30;

/// One machine with one model.
class MachineSteps {
 public:
  MachineSteps(std::string id, std::string name, const Coefficients& c)
      : id_(std::move(id)), name_(std::move(name)), c_(c) {}

  void add(const StepFigure& figure, std::size_t index) {
    figures_.push_back(&figure);
    indices_.push_back(index);
  }

  /// Gauss and Newton, no step that makes it worse: a load that slow steps would not keep up with is as bad as can be.
  StepScale find(std::vector<double>& leverage) {
    double at = 0;
    double before = misfit(at);
    for (int round = 0; round < kScaleRounds; ++round) {
      const double step = towards(at);
      double part = 1;
      while (part > 1e-3 && !(misfit(at + part * step) <= before)) part /= 2;
      if (part <= 1e-3) break;
      at += part * step;
      before = misfit(at);
      if (std::abs(part * step) < kScaleSettled) break;
    }
    StepScale out{{id_, name_, std::exp(at)}, kScalePrior, 0, 0, indices_};
    const std::vector<double> sensitivities = responses(at);
    double precision = 1 / (kScalePrior * kScalePrior);
    for (std::size_t i = 0; i < figures_.size(); ++i) precision += weight(i) * std::pow(sensitivities[i], 2);
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      leverage[indices_[i]] = weight(i) * std::pow(sensitivities[i], 2) / precision;
      out.sensitivity += std::pow(sensitivities[i], 2) / static_cast<double>(figures_.size());
    }
    out.sensitivity = std::sqrt(out.sensitivity);
    out.deviation = 1 / std::sqrt(precision);
    return out;
  }

 private:
  double weight(std::size_t i) const { return 1 / (figures_[i]->deviation * figures_[i]->deviation); }

  double predicted(std::size_t i, double at) const {
    const CoefficientValue value{id_, name_, std::exp(at)};
    return figures_[i]->predicted(physics::with_values(c_, {&value, 1}));
  }

  double misfit(double at) const {
    double sum = at * at / (kScalePrior * kScalePrior);
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      const double now = predicted(i, at);
      if (now <= 0) return std::numeric_limits<double>::infinity();
      sum += weight(i) * std::pow(std::log(figures_[i]->measured / now), 2);
    }
    return sum;
  }

  /// How each figure follows the scale; where slower steps would not keep up, as faster ones tell.
  std::vector<double> responses(double at) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      const double above = predicted(i, at + kScaleStep);
      const double below = predicted(i, at - kScaleStep);
      const double here = above > 0 ? above : predicted(i, at);
      const double apart = above > 0 ? 2 * kScaleStep : kScaleStep;
      out.push_back(here > 0 && below > 0 ? std::log(here / below) / apart : 0);
    }
    return out;
  }

  double towards(double at) const {
    const std::vector<double> sensitivities = responses(at);
    double precision = 1 / (kScalePrior * kScalePrior);
    double pull = -at * precision;
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      const double now = predicted(i, at);
      if (now <= 0) continue;
      pull += weight(i) * sensitivities[i] * std::log(figures_[i]->measured / now);
      precision += weight(i) * sensitivities[i] * sensitivities[i];
    }
    return pull / precision;
  }

  std::string id_;
  std::string name_;
  const Coefficients& c_;
  std::vector<const StepFigure*> figures_;
  std::vector<std::size_t> indices_;
};

/// What other models on the machine may expect: n ÷ (n + 1) of the mean logarithm of n that were measured, as models of
/// one machine differ as much as machines do.
StepScale of_other_models(const std::string& machine, std::span<const StepScale* const> models) {
  StepScale out{{models.front()->value.id, machine, 1}, kScalePrior, kScalePrior, 0, {}};
  double sum = 0;
  for (const StepScale* one : models) {
    sum += std::log(one->value.value);
    out.figures.insert(out.figures.end(), one->figures.begin(), one->figures.end());
    out.sensitivity = std::max(out.sensitivity, one->sensitivity);
  }
  const double count = static_cast<double>(models.size()) + 1;
  out.value.value = std::exp(sum / count);
  out.deviation = kScalePrior / std::sqrt(count);
  return out;
}

}  // namespace

bool follows_steps(Figure figure) {
  switch (figure) {
    case Figure::itl:
    case Figure::tpot:
    case Figure::throughput_speed:
    case Figure::online_speed:
    case Figure::single_stream_speed:
    case Figure::training_speed:
    case Figure::training_tflops:
    case Figure::step_time: return true;
    default: return false;
  }
}

std::vector<StepScale> find_step_scales(std::span<const StepFigure> figures, const Coefficients& c,
                                        std::vector<double>& leverage) {
  leverage.assign(figures.size(), 0);
  std::map<std::pair<std::string, std::string>, MachineSteps> of_models;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto& [id, machine, model] = std::tie(figures[i].id, figures[i].machine, figures[i].model);
    of_models.try_emplace({machine, model}, id, machine + " " + model, c).first->second.add(figures[i], i);
  }
  std::vector<StepScale> out;
  out.reserve(2 * of_models.size());
  std::map<std::string, std::vector<const StepScale*>> of_machines;
  for (auto& [key, steps] : of_models) {
    out.push_back(steps.find(leverage));
    of_machines[key.first].push_back(&out.back());
  }
  for (const auto& [machine, models] : of_machines) out.push_back(of_other_models(machine, models));
  return out;
}

}  // namespace gpusel::answer
