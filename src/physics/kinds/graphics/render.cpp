// Offline rendering: points of a public benchmark, or frames by the user's own measurement scaled with them.
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "catalog/catalog.hpp"
#include "physics/kinds/networks/power.hpp"

namespace gpusel::physics {

namespace {

using job::OfflineRender;

const catalog::RendererInfo* info_of(const OfflineRender& job, const catalog::Catalog& catalog) {
  const auto& all = catalog.renderers();
  const auto found = std::ranges::find(all, to_text(job.renderer), &catalog::RendererInfo::id);
  return found == all.end() ? nullptr : &*found;
}

bool lists(const catalog::TextList& list, std::string_view word) {
  for (const std::string_view one : list)
    if (one == word) return true;
  return false;
}

/// What the renderer cannot do without and the GPU has not; empty where it has all.
std::string_view lacking(const catalog::RendererInfo& info, const catalog::Gpu& gpu) {
  if (!info.gpu_vendors.empty() && !lists(info.gpu_vendors, gpu.vendor)) return "driver that the renderer runs on";
  if (info.needs_rt.value_or(false) && gpu.rt_cores.value_or(0) == 0) return "ray-tracing cores";
  if (gpu.vendor == "nvidia" && info.min_compute_capability && gpu.capability &&
      *gpu.capability < *info.min_compute_capability)
    return "support in this renderer, which needs a newer compute capability";
  return {};
}

class Rendering {
 public:
  Rendering(const OfflineRender& job, const CountedAsk& ask)
      : job_(job), ask_(ask), c_(ask.c.render), catalog_(*ask.counted.catalog), info_(info_of(job, catalog_)) {}

  Figures run() {
    if (!machine_suits()) return out_;
    power_ = ask_.machine.on_cpu() ? drawing_power(ask_.machine.host) : power_of(ask_.machine.device);
    memory();
    if (power_.points == 0) {
      out_.unknown = ask_.machine.on_cpu() ? "render score of the processor" : "render score";
      return out_;
    }
    rate();
    interval();
    return out_;
  }

 private:
  bool machine_suits() {
    if (ask_.machine.on_cpu()) {
      if (info_ != nullptr && !info_->on_cpu.value_or(true)) out_.lacks = "GPU";
      return out_.lacks.empty();
    }
    const catalog::Gpu& gpu = *ask_.machine.device.gpu;
    if (info_ != nullptr) out_.lacks = lacking(*info_, gpu);
    if (rasterises() && gpu.graphics.value_or(catalog::Graphics::none) == catalog::Graphics::none)
      out_.lacks = "graphics driver";
    return out_.lacks.empty();
  }

  /// Draws as games do, which takes a graphics driver.
  bool rasterises() const { return job_.renderer == job::Renderer::eevee; }

  /// Points in this renderer: those of Blender, less where rays are traced in software.
  DrawingPower power_of(const Device& device) const {
    DrawingPower power = drawing_power(device, catalog_, c_);
    if (device.gpu->rt_cores == 0.0) power.points *= c_.without_rt.of(to_text(job_.renderer));
    return power;
  }

  /// Each GPU holds the whole scene. What is over goes to host memory where the renderer can, up to a limit.
  void memory() {
    const double usable = in_gib(ask_.machine.memory());
    const double process = c_.process_gib.value;
    const double room = usable - process;
    out_.memory.framework = gib(process);
    const bool spills = !ask_.machine.on_cpu() && info_ != nullptr && info_->out_of_core.value_or(false) &&
                        job_.scene_gib > room && job_.scene_gib <= c_.spill_limit.value * room;
    out_.memory.activations = record(ask_.trace, {"memory.activations", "{:.2f}", "GiB"}, [&](auto told) {
      return spills ? told("free memory after spilling", gib(room))
                    : told("the whole scene on every GPU", gib(job_.scene_gib));
    });
    if (!spills) return;
    const double over = (job_.scene_gib / room - 1) / (c_.spill_limit.value - 1);
    spill_ = std::lerp(c_.spill_factor.of("start"), c_.spill_factor.of("limit"), over);
    out_.more.push_back({"slowdown", 1 / spill_});
  }

  /// GPUs render frames of their own, the last of them perhaps not on all; those that share a single frame lose a
  /// little with each doubling.
  double gpus_worth() const {
    const double gpus = ask_.machine.on_cpu() ? ask_.machine.nodes : ask_.machine.gpus();
    if (!ask_.counted.things) return gpus;
    if (const double frames = *ask_.counted.things; frames > 1) return frames / std::ceil(frames / gpus);
    if (info_ != nullptr && info_->single_gpu.value_or(false)) return 1;
    return gpus * std::pow(c_.shared_frame_gain.value, std::log2(gpus));
  }

  void rate() {
    const double points = power_.points * spill_;
    const Recorded score{"render.score", "{:.0f}", to_name("points"),
                         power_.published ? "Blender Open Data" : "calibration"};
    out_.rate = record(ask_.trace, score, [&](auto told) {
      const auto who = [&] {
        return power_.published ? say("median of Blender Open Data 4.5")
                                : say("generation × (multiprocessors × GHz)^a × bandwidth^b");
      };
      const auto all = told(who, power_.points);
      return (spill_ < 1 ? all * told("share of the rate left after spilling", spill_) : all) *
             told("combined effect of its GPUs", gpus_worth());
    });
    if (!job_.per_frame) {
      bound();
      return;
    }
    const DrawingPower there = reference();
    if (there.points == 0) {
      out_.rate = 0;
      out_.unknown = "render score of the GPU of the measurement";
      return;
    }
    out_.more.push_back({"score", out_.rate});
    out_.rate = record(ask_.trace, {"throughput", "{:.3g}", "frames/h"}, [&](auto told) {
      const auto measured = [&] { return say("measured on {}", job_.measured_on->id); };
      const auto frame = told(measured, job_.per_frame->raw(), "s") * told("score there", there.points) /
                         told("score here", points) * (1 + told("start-up", c_.startup_share.value));
      out_.latency = seconds(bare(frame));
      return 3600 / frame * told("combined effect of its GPUs", gpus_worth());
    });
    bound();
  }

  DrawingPower reference() const {
    Device whole;
    whole.gpu = job_.measured_on;
    return power_of(whole);
  }

  void bound() {
    if (spill_ < 1) {
      out_.bound_by = "host-memory";
    } else if (ask_.machine.on_cpu()) {
      out_.bound_by = to_name("cpu");
    } else {
      const bool traces = ask_.machine.device.gpu->rt_cores.value_or(0) != 0;
      out_.bound_by = rasterises() ? "3d" : traces ? to_name("ray-tracing") : "compute";
    }
  }

  void interval() {
    const double score = std::log(spread_of(power_, c_));
    const double renderer = std::log(c_.renderer_spread.of(to_text(job_.renderer)));
    const double spill = std::log(spill_) / 2;
    const double factor = std::exp(std::hypot(score, renderer, spill));
    out_.rate_ratio = {1 / factor, factor};
    out_.memory_ratio = {c_.memory_low.value, c_.memory_high.value};
  }

  const OfflineRender& job_;
  const CountedAsk& ask_;
  const RenderCoefficients& c_;
  const catalog::Catalog& catalog_;
  const catalog::RendererInfo* info_;
  DrawingPower power_;
  double spill_ = 1;
  Figures out_;
};

class RenderPhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override { return Rendering(ask.job<OfflineRender>(), ask).run(); }

  std::string how(const job::Job& work, const Layout& layout) const override {
    return format("{} {}", ItemPhysics::how(work, layout),
                  to_text(std::get<OfflineRender>(work.counted->job).renderer));
  }
  double written_gb(const EconomyCoefficients& c) const override { return c.data_frame_mb.value / 1000; }
};

}  // namespace

const WorkPhysics& rendering() {
  static const RenderPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
