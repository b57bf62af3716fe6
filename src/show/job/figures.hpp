// Figures of a plan that only its kind of work has, in words.
#pragma once

#include <string>

#include "physics/figures.hpp"

namespace gpusel::show {

/// "step time 0.571 s, decode time 0.9236 s"; empty where the plan has none.
std::string more_figures(const physics::Plan& plan);

}  // namespace gpusel::show
