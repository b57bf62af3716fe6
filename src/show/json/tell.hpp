// What several answers say as JSON, told as the members of the object that was begun last.
#pragma once

#include "show/json/json_out.hpp"

namespace gpusel::show {

void tell_estimate(JsonOut& out, const answer::EstimateAnswer& answer);

void tell_assumptions(JsonOut& out, const job::Assumptions& assumed);
void tell_plan(JsonOut& out, const physics::Plan& plan);
void tell_memory(JsonOut& out, const physics::Plan& plan, Bytes usable);
void tell_training(JsonOut& out, const physics::TrainingSpeed& speed);
void tell_inference(JsonOut& out, const physics::Serving& serving);
/// Unknown where it is 0.
void tell_throughput(JsonOut& out, double rate, std::string_view unit);
/// The figures that only a class of counted work has.
void tell_more(JsonOut& out, const physics::Plan& plan);
/// [low, high].
void tell_interval(JsonOut& out, std::string_view key, const physics::Interval& range);
void tell_probability(JsonOut& out, const physics::Plan& plan, catalog::Number targets = {},
                      catalog::Number budget = {});
/// As "price_today": what is expected today of a price per hour.
void tell_price_today(JsonOut& out, const money::PriceToday& price);
void tell_remarks(JsonOut& out, std::span<const answer::Remark> remarks);
/// The verdict, of what must fit into `usable_gib` per device.
void tell_fit(JsonOut& out, const answer::Fit& fit, double usable_gib);
/// As "explain".
void tell_trace(JsonOut& out, const physics::Trace& trace);

}  // namespace gpusel::show
