// Steps of a simulation that follow one another. Private to this room.
#pragma once

#include "answer/simulate/simulate.hpp"

namespace gpusel::answer {

/// The engine's habits and the fleet as the question has them. Errors: what contradicts itself.
Status apply_wishes(const SimulateQuestion& question, Simulated& answer);

/// The targets of a job, and how surely they are to be kept.
serve::Goal goal_of(const job::Job& work);
/// What is not known of step times there.
serve::Doubt doubt_of(const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                      const physics::Coefficients& c);

}  // namespace gpusel::answer
