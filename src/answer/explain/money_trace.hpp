// What a job costs once the price of an hour is known, line by line. Private to this room.
#pragma once

#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// Hours, total, and price per million tokens or unit. `currency`: of the answer.
void explain_money(const money::Quote& cost, const job::Job& work, double rate, std::string_view currency,
                   physics::Trace& trace);

}  // namespace gpusel::answer
