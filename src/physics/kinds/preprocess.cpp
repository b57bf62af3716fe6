// Work on data that mostly processors do: so much per core and clock. Of a machine with GPUs only its processor counts,
// but for video, which decoders read, and trees, which GPUs grow.
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "job/kinds/video/bitrate.hpp"
#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

namespace {

using job::Preprocessing;
using job::PreprocessJob;

struct Found {
  double rate = 0;  // of a node, in the job's unit
  std::string_view bound_by = "compute";
  std::string_view unknown;
  bool on_gpu = false;
};

/// XGBoost and its like need CUDA, and the table on one GPU.
bool grows_trees(const Machine& machine, Bytes table) {
  return !machine.on_cpu() && machine.device.gpu->vendor == "nvidia" && table <= machine.device.usable;
}

/// Trees grow one after another, so that threads wait for each other; on GPUs every tree costs launches.
Found trees(const PreprocessJob& job, const CountedAsk& ask, double speed) {
  const PreprocessCoefficients& c = ask.c.preprocess;
  const double data = *job.data_gb;
  const double threads = std::max(1.0, ask.machine.host.vcpus);
  const double one_tree = speed * c.rate.of("trees") * std::pow(threads, -c.tree_loss.value);
  Found found{one_tree / c.trees.value, "compute", {}, false};
  if (!grows_trees(ask.machine, gb(data) * c.gpu_tree_memory.value)) return found;
  const double bandwidth = ask.machine.device.bandwidth.raw() / kGB;
  const double launch = c.gpu_tree_ms.value * 1e-3;
  const double seconds_each = data / (c.gpu_tree_gbs.value * bandwidth) + launch;
  const double on_gpu = data / (seconds_each * c.trees.value);
  const bool launching = launch > seconds_each / 2;
  if (on_gpu > found.rate) found = {on_gpu, launching ? "launch" : "memory-bandwidth", {}, true};
  return found;
}

/// Decoders of a GPU where it has them for the codec, else software.
Found video(const PreprocessJob& job, const CountedAsk& ask, double speed) {
  const double frames = full_hd_frames(job.resolution) * job.fps;
  const double software = speed * ask.c.media.software_decode.of(to_text(job.codec));
  Found found{software / (frames * (1 + ask.c.preprocess.scale_share.value)), "compute", {}, false};
  if (ask.machine.on_cpu()) return found;
  const MediaRate decoders = decoder_rate(ask.machine.device, job.codec, ask.c.media);
  const double on_gpu = decoders.fps * ask.machine.gpus_per_node / frames;
  if (on_gpu > found.rate) found = {on_gpu, "decoder", {}, true};
  return found;
}

Found found_for(const PreprocessJob& job, const CountedAsk& ask) {
  const auto speed = work_speed(ask.machine.host, ask.c.cpu);
  Found found;
  if (job.kind == Preprocessing::trees) found = trees(job, ask, speed.value_or(0));
  if (job.kind == Preprocessing::video) found = video(job, ask, speed.value_or(0));
  if (found.rate != 0) return found;
  if (!speed) return {.unknown = "processor"};
  const double rate = *speed * ask.c.preprocess.rate.of(to_text(job.kind));
  if (job.kind == Preprocessing::images) return {rate * 1e6 / job.resolution.pixels(), "compute", {}, false};
  return {rate, "compute", {}, false};
}

Figures preprocess_figures(const PreprocessJob& job, const CountedAsk& ask) {
  const PreprocessCoefficients& c = ask.c.preprocess;
  const std::string_view kind = to_text(job.kind);
  Figures out;
  const Found found = found_for(job, ask);
  if (!found.unknown.empty()) {
    out.unknown = found.unknown;
    return out;
  }
  out.bound_by = found.bound_by;
  out.rate_ratio = {c.interval_low.of(kind), c.interval_high.of(kind)};
  // Data are spread over the nodes; what does not fit into memory goes through a disk.
  const Bytes need = gb(job.data_gb.value_or(0)) * c.working_set.of(kind) / ask.machine.nodes;
  const bool spills = need > ask.machine.host.memory && ask.machine.host.memory > Bytes{};
  if (spills) out.more.push_back({"slowdown", c.spill.value});
  const Recorded entry{"throughput", "{:.3g}", ask.counted.unit.rate,
                       to_say("calibration: cpu.work_per_cycle, preprocess.rate")};
  out.rate = record(ask.trace, entry, [&](auto told) {
    const auto what = [&] {
      return found.on_gpu ? say("work of one node on its GPUs")
                          : say("cores × threads' gain × clock × work per clock × rate per unit of it");
    };
    const auto all = told(what, found.rate) * told("nodes", ask.machine.nodes);
    return spills ? all / told("slowdown if it spills", c.spill.value) : all;
  });
  const Bytes most = spills ? ask.machine.host.memory * (1 - c.kept_free.value) : need;
  if (ask.machine.on_cpu()) out.memory.workspace = std::min(need, most);
  if (found.on_gpu && job.kind == Preprocessing::trees)
    out.memory.workspace = gb(*job.data_gb) * c.gpu_tree_memory.value;
  if (!ask.machine.on_cpu()) out.more.push_back({"gpu_used", found.on_gpu ? 1.0 : 0.0});
  return out;
}

class PreprocessPhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override { return preprocess_figures(ask.job<PreprocessJob>(), ask); }

  Fed fed(const CountedAsk& ask) const override { return fed_bytes(ask, stored_bytes(ask)); }

  StoredUnit stored_unit(const job::Job& work, const EconomyCoefficients&, Trace* trace) const override {
    const auto& job = std::get<PreprocessJob>(work.counted->job);
    if (work.counted->unit.rate == job::kGigabytes.rate) return {"GB", known_size(trace, to_say("as they are"), 1e9)};
    if (job.kind == Preprocessing::images)
      return {"images",
              known_size(trace, to_say("pixels × bytes of a JPEG for each"), job::jpeg_bytes(job.resolution))};
    return one_second_of_video(trace, job::usual_mbps(job.codec, job.resolution, job.fps));
  }
};

}  // namespace

const WorkPhysics& preprocessing() {
  static const PreprocessPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
