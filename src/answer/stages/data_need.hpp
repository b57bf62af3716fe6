// What a job reads and writes. Private to this room.
#pragma once

#include "answer/stages/data_path.hpp"

namespace gpusel::answer {

/// Of one plan on its machine.
DataNeed data_need(const job::Job& work, const job::Request& request, const physics::Plan& plan,
                   const job::Assumptions& assumed, const DataWishes& wishes, const physics::Coefficients& coefficients,
                   physics::Trace* trace);

}  // namespace gpusel::answer
