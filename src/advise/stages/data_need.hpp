// What a job reads and writes. Private to this room.
#pragma once

#include "gpusel/advise/data_path.hpp"

namespace gpusel::advise {

/// Of one plan on its machine.
DataNeed data_need(const workload::Workload& work, const workload::Request& request, const plan::Choice& choice,
                   const workload::Assumptions& assumed, const DataWishes& wishes,
                   const estimate::Coefficients& coefficients, estimate::Trace* trace);

}  // namespace gpusel::advise
