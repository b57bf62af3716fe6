// What several answers say as JSON, told as the members of the object that was begun last.
#pragma once

#include "report/json/json_out.hpp"

namespace gpusel::report {

void tell_estimate(JsonOut& out, const advise::EstimateAnswer& answer);

void tell_assumptions(JsonOut& out, const workload::Assumptions& assumed);
void tell_plan(JsonOut& out, const plan::Choice& choice);
void tell_memory(JsonOut& out, const estimate::MemoryBreakdown& memory, Bytes usable);
void tell_training(JsonOut& out, const estimate::TrainingSpeed& speed);
void tell_inference(JsonOut& out, const estimate::InferenceMemory& memory, const estimate::InferenceSpeed& speed);
/// Unknown where it is 0.
void tell_throughput(JsonOut& out, double rate, std::string_view unit);
/// The figures that only a class of counted work has.
void tell_more(JsonOut& out, const plan::CountedChoice& choice);
/// [low, high].
void tell_interval(JsonOut& out, std::string_view key, const estimate::Interval& range);
/// The verdict, of what must fit into `usable_gib` per device.
void tell_fit(JsonOut& out, const advise::Fit& fit, double usable_gib);
/// As "explain".
void tell_trace(JsonOut& out, const estimate::Trace& trace);

}  // namespace gpusel::report
