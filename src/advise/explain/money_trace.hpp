// What a job costs once the price of an hour is known, line by line. Private to this room.
#pragma once

#include "gpusel/advise/recommend.hpp"

namespace gpusel::advise {

/// Hours, total, and price per million tokens or unit. `currency`: of the answer.
void explain_money(const cost::Quote& cost, const workload::Workload& work, double rate, std::string_view currency,
                   estimate::Trace& trace);

}  // namespace gpusel::advise
