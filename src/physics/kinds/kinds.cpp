// Which physics is that of which kind of work.
#include "physics/kinds/kinds.hpp"

#include <algorithm>

#include "base/words/message.hpp"

namespace gpusel::physics {

namespace {

struct KindRow {
  std::string_view kind;  // job::WorkKind::name()
  const WorkPhysics& (*physics)();
};

constexpr KindRow kKinds[] = {
    {"training", language_training},
    {"serving", language_serving},
    {"samples", samples},
    {"diffusion", diffusion},
    {"speech", speech},
    {"recommender", recommendation},
    {"render", rendering},
    {"session", sessions},
    {"simulation", simulation},
    {"transcode", transcoding},
    {"analytics", analytics},
    {"preprocess", preprocessing},
};

std::string_view kind_of(const job::Job& work) {
  if (work.counted) return std::visit([](const auto& job) { return job.kClass; }, work.counted->job);
  return job::is_training(work.task) ? "training" : "serving";
}

}  // namespace

const WorkPhysics& physics_of(const job::Job& work) {
  return std::ranges::find(kKinds, kind_of(work), &KindRow::kind)->physics();
}

Bytes WorkPhysics::least_memory(const job::Job&, const Device&) const { return {}; }
Seconds WorkPhysics::least_time(const job::Job&, const Machine&) const { return {}; }
MemoryNeed WorkPhysics::need(const job::Job& work, const Machine& machine, const Plan& plan,
                             const Coefficients& c) const {
  return {plan.memory.needed(), deviation_of(ratios(work, machine, plan, c).memory), machine.memory()};
}
StoredUnit WorkPhysics::stored_unit(const job::Job&, const EconomyCoefficients&, Trace*) const { return {}; }

Result<Plan> plan_for(const job::Job& work, const Machine& machine, const Coefficients& c) {
  return physics_of(work).plan(work, machine, c);
}
Plan refigure(const Plan& plan, const job::Job& work, const Machine& machine, const Coefficients& c) {
  return physics_of(work).refigure(plan, work, machine, c);
}
std::string layout_text(const job::Job& work, const Layout& layout) { return physics_of(work).layout_text(layout); }
std::string plan_text(const job::Job& work, const Layout& layout) { return physics_of(work).plan_text(layout); }
Bytes least_total_memory(const job::Job& work, const Device& device) {
  return physics_of(work).least_memory(work, device);
}
Seconds least_time(const job::Job& work, const Machine& machine) { return physics_of(work).least_time(work, machine); }

std::string not_native(job::Precision precision, const Machine& machine) {
  return say("{} is not in the hardware of {}; the next larger format is used", to_text(precision),
             machine.device.gpu->id);
}

double known_size(Trace* trace, std::string_view what, double bytes) {
  return record(trace, kUnitBytes, [&](auto told) { return told(what, bytes, "B"); });
}

StoredUnit stored_image(const job::Counted& counted, double pixels, double bytes_per_pixel, Trace* trace) {
  if (counted.loader == job::Loader::preprocessed)
    return {"images", known_size(trace, to_say("bytes of a decoded image"), raw_image_bytes(pixels))};
  return {"images", record(trace, kUnitBytes, [&](auto told) {
            return told("pixels", pixels) * told("bytes stored for each", bytes_per_pixel, "B");
          })};
}

StoredUnit one_second_of_video(Trace* trace, double mbps) {
  return {"seconds of video",
          record(trace, kUnitBytes, [&](auto told) { return told("bit/s of the video", mbps * 1e6) / 8.0; })};
}

}  // namespace gpusel::physics
