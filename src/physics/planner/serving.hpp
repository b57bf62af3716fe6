// How a machine can serve a model at a rate: each legal layout is planned once, whatever rates are asked of it later.
#pragma once

#include <vector>

#include "physics/kinds/physics.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::physics {

/// A layout and what it can serve at most, whatever the latency.
struct ServingOption {
  Layout layout;
  bool fits = false;
  double most_per_s = 0;  // requests; 0: not known
};

/// Every legal layout of the machine in every allowed format. Error: there is none.
Result<std::vector<ServingOption>> serving_options(const job::Job& work, const Machine& machine, const Coefficients& c);

/// Where reality lies so many standard deviations on the slow side.
Slowness slowness(const Ratios& ratios, double deviations);

/// Whether a layout holds the job's rate of requests and its latency targets if everything is that much slower. All
/// times that much longer at a rate are the same times at a rate that much higher.
bool holds_rate(const job::Job& work, const Machine& machine, const Layout& layout, const Slowness& slow,
                const Coefficients& c);

/// The targets that are missed, for the share of requests that was asked for.
Problem too_slow(const job::Inference& job, const InferenceSpeed& speed, std::string_view gpu);

/// Whether one plan is to be preferred to another on as many machines: it answers sooner; of fewer bits by enough.
bool answers_sooner(const Plan& plan, const Plan& than);

/// The chance that a layout holds the job's rate, where there is one, and all its latency targets: 0 to 1.
double chance_to_hold(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c);

}  // namespace gpusel::physics
