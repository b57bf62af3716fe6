// How much longer than the shipped coefficients say the steps of a machine take, out of what was measured on it: one
// measured time between tokens is enough. Private to this room.
#pragma once

#include <functional>
#include <span>

#include "answer/truth/verify.hpp"
#include "physics/own.hpp"

namespace gpusel::answer {

/// A measured figure that follows the steps of its machine.
struct StepFigure {
  std::string id;       // step_scale_id()
  std::string machine;  // machine_case()
  std::string model;
  double measured = 0;
  double deviation = 1;                                                // of its logarithm, between equal runs
  std::function<double(const physics::Coefficients&)> predicted = {};  // 0: such steps would not keep up with the load
};

/// A figure that follows the steps of its machine: times between tokens, or the speed where none was measured.
bool follows_steps(Figure figure);

struct StepScale {
  physics::CoefficientValue value;   // of a step_scale: of the machine with a model, or with any
  double prior = 0;                  // standard deviation of its logarithm, before
  double deviation = 0;              // and after
  double sensitivity = 0;            // root mean square over the figures
  std::vector<std::size_t> figures;  // of those given
};

/// One of each machine and model, then one of each machine for its other models. `leverage`: of each figure the share
/// that the scale follows. docs/calibrate.md has the formula.
std::vector<StepScale> find_step_scales(std::span<const StepFigure> figures, const physics::Coefficients& c,
                                        std::vector<double>& leverage);

}  // namespace gpusel::answer
