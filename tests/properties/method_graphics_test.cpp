// Rendering, sessions and simulation, as docs/method.md writes them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "properties/page_machine.hpp"

namespace method_graphics_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
using workload::Precision;
namespace any = test::any;

namespace {

struct Points {
  double points = 0;
  double spread = 1;
};
Points points_of(const catalog::Gpu& gpu, double share) {
  const auto& r = c().render;
  Points out;
  if (const auto* score = test::shipped().render_score(gpu, catalog::RenderBenchmark::blender)) {
    out = {*score->score, r.score_spread.of(score->samples.value_or(0) >= 5 ? "published" : "few")};
  } else if (gpu.vendor == "nvidia") {
    const double cc = gpu.capability.value_or(0);
    double units = gpu.tensor_cores.value_or(0) / (cc < 8 ? 8 : 4);
    const bool of_128 = cc < 6 || (cc > 6 && cc < 7);
    if (units == 0 && gpu.capability) units = gpu.cuda_cores.value_or(0) / (of_128 ? 128 : 64);
    const bool traces = gpu.rt_cores.value_or(0) > 0 && gpu.rt_generation;
    const std::string generation = traces ? format("RT {:g}", *gpu.rt_generation) : std::string(gpu.compute_capability);
    out = {r.score_scale.of(generation) * std::pow(units * boost_ghz(gpu), r.score_clocks.value) *
               std::pow(*gpu.memory_bandwidth_gbs, r.score_bandwidth.value),
           r.score_spread.of("derived")};
  } else {
    out.spread = r.score_spread.of("derived");
  }
  if (share < 1) out.points *= std::pow(share, r.slice_exponent.value);
  return out;
}
Points points_of(const Host& host) {
  if (!host.cpu->blender_score) return {0, c().render.score_spread.of("derived")};
  return {*host.cpu->blender_score * host.vcpus / (*host.cpu->cores_per_socket * host.threads_per_core),
          c().render.score_spread.of("few")};
}

/// Straight from what is left at the start of spilling to what is left at its limit.
double spilled(double over, double start, double limit) { return start + (limit - start) * over; }

}  // namespace

TEST_CASE("rendering takes what docs/method.md says", "[property]") {
  agrees("rendering", [] {
    const std::vector<std::string> renderers{"cycles", "vray",    "octane", "redshift",
                                             "arnold", "keyshot", "eevee",  "karma"};
    test::Asked asked{{"task", "render"}, {"renderer", any::one_of("renderer", renderers)}};
    asked["scene_vram_gib"] = format("{}", any::number("scene", 0.5, 200));
    const bool measured = any::coin("measured");
    if (measured) {
      asked["seconds_per_frame"] = format("{}", any::number("seconds", 0.1, 1000));
      asked["on"] = any::one_of("on", {"t4", "rtx-4090", "a100-sxm-80gb"});
      asked["frames"] = std::to_string(any::size("frames", 1, 1000));
    }
    const MachineCase of{test::job_of(asked), any_machine(), {}};
    const auto& job = std::get<workload::OfflineRender>(of.work.counted->job);
    const CountedFigures is = figures(of);
    test::given(is.lacks.empty());
    const auto& r = c().render;
    const auto info = std::ranges::find(test::shipped().renderers(), to_text(job.renderer), &catalog::RendererInfo::id);
    must(info != test::shipped().renderers().end(), "no such renderer");
    const auto in_renderer = [&](const catalog::Gpu& gpu, double share) {
      Points out = points_of(gpu, share);
      if (gpu.rt_cores == 0.0) out.points *= r.without_rt.of(to_text(job.renderer));
      return out;
    };
    const bool cpu = of.machine.on_cpu();
    const Points here = cpu ? points_of(of.machine.host) : in_renderer(*of.machine.device.gpu, of.machine.device.share);
    const double room = of.machine.memory().raw() / kGiB - r.process_gib.value;
    const double fill = job.scene_gib / room;
    double left = 1;
    if (!cpu && room > 0 && fill > 1 && fill <= r.spill_limit.value && info->out_of_core.value_or(false))
      left = spilled((fill - 1) / (r.spill_limit.value - 1), r.spill_factor.of("start"), r.spill_factor.of("limit"));
    must_be_near(is.memory.framework.raw(), r.process_gib.value * kGiB, "process");
    must_be_near(is.memory.activations.raw(), (left < 1 ? room : job.scene_gib) * kGiB, "scene");
    if (here.points <= 0) return must(is.rate == 0 && !is.unknown.empty(), "points of nothing");
    double worth = gpus_of(of.machine);
    if (measured && worth > 1) {
      const double frames = *of.work.counted->things;
      if (frames > 1)
        worth = frames / std::ceil(frames / worth);
      else
        worth = info->single_gpu.value_or(false) ? 1 : worth * std::pow(r.shared_frame_gain.value, std::log2(worth));
    }
    const double points = here.points * left * worth;
    if (measured) {
      const double there = in_renderer(*job.measured_on, 1).points;
      const double frame = job.per_frame->raw() * there / (here.points * left) * (1 + r.startup_share.value);
      must_be_near(is.latency.raw(), frame, "a frame");
      must_be_near(is.rate, 3600 / frame * worth, "frames per hour");
      must_be_near(figure(is, "score"), points, "score");
    } else {
      must_be_near(is.rate, points, "points");
    }
    if (left < 1) must_be_near(figure(is, "slowdown"), 1 / left, "slowdown");
    const bool traces = !cpu && of.machine.device.gpu->rt_cores.value_or(0) > 0;
    must(is.bound_by == (left < 1                                    ? "host-memory"
                         : cpu                                       ? "cpu"
                         : job.renderer == workload::Renderer::eevee ? "3d"
                         : traces                                    ? "ray-tracing"
                                                                     : "compute"),
         "bound by another");
    const double factor = std::exp(std::sqrt(std::pow(std::log(here.spread), 2) +
                                             std::pow(std::log(r.renderer_spread.of(to_text(job.renderer))), 2) +
                                             std::pow(std::log(left) / 2, 2)));
    must_be_near(is.rate_ratio.high, factor, "interval");
    must_be_near(is.rate_ratio.low, 1 / factor, "interval");
  });
}

TEST_CASE("sessions take what docs/method.md says", "[property]") {
  agrees("sessions", [] {
    const bool streams = any::coin("streams");
    test::Asked asked{{"task", "render"}, {"render", streams ? "realtime" : "cad"}};
    asked["scene"] = streams ? any::one_of("scene", {"game", "light", "stage", "omniverse"})
                             : any::one_of("scene", {"view", "part", "assembly", "large-assembly"});
    asked["resolution"] = any_size("resolution");
    asked["fps"] = std::to_string(any::whole("fps", 10, 144));
    if (streams) asked["codec"] = any_codec("codec");
    const MachineCase of{test::job_of(asked), any_machine(), {}};
    test::given(!of.machine.on_cpu());
    const auto& job = std::get<workload::SessionJob>(of.work.counted->job);
    estimate::Trace trace;
    const CountedFigures is = figures(of, &trace);
    const auto& s = c().session;
    const catalog::Gpu& gpu = *of.machine.device.gpu;
    const Points drawing = points_of(gpu, of.machine.device.share);
    const double pixels = job.resolution.pixels();
    const double load =
        s.load_points.of(job.scene) * std::pow(pixels / (1920 * 1080), s.pixels_exponent.value) * job.fps / 60;
    double users = std::floor(drawing.points * s.usable_share.value / load);
    if (drawing.points >= load * s.least_pace.value) users = std::max(users, 1.0);
    std::string_view by = "3d";
    const auto at_most = [&](double other, std::string_view what) {
      if (other < users) by = what;
      users = std::min(users, other);
    };
    at_most(std::floor(of.machine.device.usable.raw() / (job.session_gib * kGiB)), "memory");
    const double alone = job.scene == "light" ? s.light_users.value : 1;
    if (streams) {
      const double each =
          s.encode_mpixels.of(format("{:g}", gpu.nvenc_generation.value_or(0)), to_text(job.codec)) * 1e6;
      at_most(std::floor(gpu.nvenc_count.value_or(0) * of.machine.device.share * each / (pixels * job.fps)), "encoder");
      if (gpu.nvenc_sessions) at_most(std::floor(*gpu.nvenc_sessions / of.machine.gpus_per_node), "driver");
    }
    at_most(alone, "exclusive-use");
    const bool suits = is.unknown.empty() && (is.lacks.empty() || is.lacks.ends_with("even one such session"));
    if (!suits) return must(is.rate == 0, "users of nothing");
    if (users < 1) return must(is.rate == 0, format("{} users of none", is.rate));
    must(is.bound_by == by, format("bound by {}, not by {}", is.bound_by, by));
    must_be_near(is.rate, users * of.machine.gpus(), "users");
    must_say(trace, "sessions.3d", format("{:.0f} × {:g} ÷ {:.0f}", drawing.points, s.usable_share.value, load));
    if (streams)
      must_say(trace, "sessions.encoder",
               format("× {:.0f} million ÷ {:.0f} million",
                      s.encode_mpixels.of(format("{:g}", gpu.nvenc_generation.value_or(0)), to_text(job.codec)),
                      pixels * job.fps / 1e6));
    must_be_near(figure(is, "sessions_per_gpu"), users, "users of a GPU");
    must_be_near(is.memory.activations.raw(), users * job.session_gib * kGiB, "memory");
    must_be_near(figure(is, "reachable_fps"), std::floor(job.fps * std::min(1.0, drawing.points / (load * users))),
                 "fps");
    const double factor = std::exp(std::hypot(std::log(s.spread.value), std::log(drawing.spread)));
    must_be_near(is.rate_ratio.low, 1 / factor, "interval");
    must(is.rate_ratio.high == 1 || std::abs(is.rate_ratio.high / factor - 1) < 1e-9, "interval");
    must(is.rate_ratio.high != 1 || users == alone, "alone");
  });
}

TEST_CASE("simulation takes what docs/method.md says", "[property]") {
  agrees("simulation", [] {
    test::Asked asked{{"task", "simulate"}};
    asked["solver"] = any::one_of("solver", {"lbm", "fdtd", "fvm", "sph", "dem", "md", "fea"});
    asked["cells"] = std::to_string(any::size("cells", 1000, 100'000'000'000));
    MachineCase of{test::job_of(asked), any_machine(), {}};
    of.plan.precision = any::coin("doubles") ? Precision::fp64 : Precision::fp32;
    const auto& job = std::get<workload::SimulationJob>(of.work.counted->job);
    Trace trace;
    const CountedFigures is = figures(of, &trace);
    test::given(is.lacks.empty());
    const auto& s = c().simulation;
    const auto& solver = *std::ranges::find(test::shipped().solvers(), to_text(job.solver), &catalog::SolverInfo::id);
    const bool cpu = of.machine.on_cpu();
    const double n = gpus_of(of.machine);
    const bool doubles = of.plan.precision == Precision::fp64;
    const double width = doubles == (solver.precision == "fp64") ? 1 : doubles ? 2 : 0.5;
    const double needed = *solver.bytes_per_cell * width * job.cells / n / kGiB;
    const double room = of.machine.memory().raw() / kGiB - s.process_gib.value;
    double left = 1;
    if (!cpu && solver.spills.value_or(false) && room > 0 && needed > room && needed <= s.spill_limit.value * room)
      left = spilled((needed / room - 1) / (s.spill_limit.value - 1), s.spill_factor.of("start"),
                     s.spill_factor.of("limit"));
    must_be_near(is.memory.framework.raw(), s.process_gib.value * kGiB, "process");
    must_be_near(is.memory.activations.raw(), (left < 1 ? room : needed) * kGiB, "cells");
    double rate = 0, bandwidth = 0;
    if (cpu) {
      const Host& host = of.machine.host;
      const double cores = host.vcpus / host.threads_per_core;
      rate = cores * host.ghz * 1e9 * *host.cpu->fp32_flops_per_cycle * (doubles ? 0.5 : 1);
      bandwidth = *host.cpu->memory_channels * *host.cpu->memory_mts * 8e6 * cores / *host.cpu->cores_per_socket *
                  s.cpu_bandwidth_efficiency.value;
    } else {
      const auto peak = of.machine.device.peak(of.plan.precision);
      rate = peak ? peak->raw() : 0;
      bandwidth = of.machine.device.bandwidth.raw() * s.bandwidth_efficiency.of(of.machine.device.gpu->architecture);
    }
    if (rate <= 0) return must(is.rate == 0, "updates of nothing");
    const double moving = *solver.bytes_per_update * width / bandwidth, computing = *solver.flops_per_update / rate;
    const double update = (moving + computing) / left;
    double exchange = 0;
    if (n > 1) {
      const std::string_view kind = cpu || of.machine.nodes > 1 ? "network" : link_case(of.machine.link);
      exchange =
          std::log2(n) * (s.exchange_share.of(kind) + solver.half_cells.value_or(0) / 3 / std::max(1.0, job.cells / n));
    }
    must_be_near(is.rate, n / update / (1 + exchange) / 1e6, "updates");
    must_say(trace, "update",
             format("{:g} B in {:.3g} ns, {:g} operations in {:.3g} ns", *solver.bytes_per_update * width, moving * 1e9,
                    *solver.flops_per_update, computing * 1e9));
    const bool told = test::page::said(trace, "update").find("times as long") != std::string::npos;
    must(told == (left < 1), "spilling");
    if (left < 1) must_say(trace, "update", format("{:.2g} times as long", 1 / left));
    must_say(trace, "memory.activations", format("× {:g} B ÷ {:g}", *solver.bytes_per_cell * width, n));
    must_be_near(figure(is, "step_ms"), job.cells / is.rate / 1000, "a step");
    must(is.bound_by == (left < 1             ? "host-memory"
                         : exchange > 1       ? "link"
                         : computing > moving ? "compute"
                                              : "memory-bandwidth"),
         "bound by another");
    if (n > 1) must_be_near(figure(is, "scaling"), 1 / (1 + exchange), "scaling");
    if (left < 1) must_be_near(figure(is, "slowdown"), 1 / left, "slowdown");
    const double factor = s.spread.of(to_text(job.solver)) / std::sqrt(left);
    must_be_near(is.rate_ratio.high, factor, "interval");
    must_be_near(is.rate_ratio.low, 1 / factor, "interval");
  });
}

}  // namespace method_graphics_test
