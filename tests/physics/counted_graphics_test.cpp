// Rendering and interactive graphics: the order that ray tracing puts GPUs into, and what a job cannot do without.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "base/words/message.hpp"
#include "physics/kinds/coefficients.hpp"
#include "physics/kinds/networks/power.hpp"
#include "physics/kinds/physics.hpp"
#include "physics/planner/plan.hpp"
#include "support/job.hpp"

namespace counted_graphics_test {

using namespace gpusel;
using gpusel::test::job;
using physics::Plan;

namespace {

Plan planned(const std::string& words, std::string_view gpu, int gpus = 1, double share = 1) {
  const job::Job work = job(words);
  physics::Machine machine = test::machine(gpu, gpus);
  if (share < 1)
    machine.device = physics::make_device(test::gpu(gpu), share, std::nullopt, test::coefficients()).value();
  return physics::plan_counted(work, machine, test::coefficients());
}
double rate(const std::string& words, std::string_view gpu, int gpus = 1) {
  const Plan choice = planned(words, gpu, gpus);
  CAPTURE(words, gpu, choice.problem.text());
  REQUIRE(choice.fits);
  return choice.rate;
}
double figure(const Plan& choice, std::string_view key) {
  for (const physics::NamedFigure& one : choice.more)
    if (one.key == key) return one.value;
  return 0;
}

}  // namespace

TEST_CASE("a renderer's rate is as uncertain upward as downward") {
  const auto [low, high] = planned("task=render", "l40s").rate_ratio;
  CHECK(high > 1);
  CHECK(low * high == Approx(1));
}

TEST_CASE("path tracing puts cards with RT cores before those with fast memory and matrix units") {
  const auto score = [](std::string_view gpu) { return rate("task=render", gpu); };
  CHECK(score("l40s") > 1.2 * score("h100-sxm-80gb"));
  CHECK(score("l40s") > 2 * score("a100-sxm-80gb"));
  CHECK(score("l40s") > score("b200-180gb"));
  CHECK(score("l4") == Approx(score("a100-sxm-80gb")).epsilon(0.15));
  CHECK(score("a10") == Approx(2 * score("t4")).epsilon(0.15));
  CHECK(score("t4") < 0.45 * score("a100-sxm-80gb"));
  CHECK(score("rtx-4090") > score("rtx-3090"));
}

TEST_CASE("points without published runs go with multiprocessors, their clock and the memory") {
  const auto& c = test::coefficients().counted->render;
  catalog::Gpu gpu;
  gpu.vendor = "nvidia";
  gpu.compute_capability = "8.0";
  gpu.clock_mhz = 1000;
  gpu.memory_bandwidth_gbs = 500;
  const double scale = c.score_scale.of("8.0");
  REQUIRE(scale > 0);
  CHECK(physics::derived_points(gpu, c) == 0);
  gpu.cuda_cores = 1280;
  CHECK(physics::derived_points(gpu, c) == 0);  // of how many multiprocessors
  const auto of = [&](double capability) {
    gpu.capability = capability;
    return physics::derived_points(gpu, c);
  };
  // 64 lanes in 6.0 and from 7.0 on, 128 before and between: half the multiprocessors.
  const double narrow = of(7);
  CHECK(narrow == Approx(scale * std::pow(20, c.score_clocks.value) * std::pow(500, c.score_bandwidth.value)));
  CHECK(of(6) == Approx(narrow));
  CHECK(of(7.5) == Approx(narrow));
  const double wide = narrow * std::pow(0.5, c.score_clocks.value);
  CHECK(of(5.2) == Approx(wide));
  CHECK(of(6.1) == Approx(wide));
  CHECK(of(6.2) == Approx(wide));
  // Matrix units count themselves: one multiprocessor of four.
  gpu.tensor_cores = 4;
  gpu.capability = 8;
  CHECK(physics::derived_points(gpu, c) == Approx(scale * std::pow(500, c.score_bandwidth.value)));
  gpu.memory_bandwidth_gbs = {};
  CHECK(physics::derived_points(gpu, c) == 0);
  gpu.memory_bandwidth_gbs = 500;
  gpu.vendor = "amd";
  CHECK(physics::derived_points(gpu, c) == 0);
}

TEST_CASE("a part has its generation's points only with cores that trace rays") {
  const auto& c = test::coefficients().counted->render;
  catalog::Gpu gpu = test::gpu("l40s");
  const double with = physics::derived_points(gpu, c);
  gpu.rt_cores = 1;
  CHECK(physics::derived_points(gpu, c) == Approx(with));
  const double without =
      with / c.score_scale.of(format("RT {:g}", *gpu.rt_generation)) * c.score_scale.of(gpu.compute_capability);
  gpu.rt_cores = 0;
  CHECK(physics::derived_points(gpu, c) == Approx(without));
  gpu.rt_cores = {};
  CHECK(physics::derived_points(gpu, c) == Approx(without));
}

TEST_CASE("a processor has its share of the points of its sockets, thread by thread") {
  catalog::Cpu cpu;
  cpu.blender_score = 600;
  cpu.cores_per_socket = 60;
  const auto points = [&](double threads) {
    return physics::drawing_power(physics::Host{.cpu = &cpu, .vcpus = 12, .threads_per_core = threads, .memory = {}})
        .points;
  };
  CHECK(points(1) == Approx(120));  // 600 × 12 ÷ 60
  CHECK(points(2) == Approx(60));
  CHECK(points(0) == Approx(120));  // not told: a thread is a core
  cpu.threads_per_core = 2;
  CHECK(points(0) == Approx(60));
}

TEST_CASE("a scene that spills by half of what may spill is drawn at the mean of both ends, and told so") {
  const auto& c = test::coefficients().counted->render;
  const double room = in_gib(test::machine("t4").device.usable) - c.process_gib.value;
  struct Drawn {
    physics::Figures figures;
    std::string told;
    double points = 0;
  };
  const auto at = [&](double over) {
    job::Job work = job("task=render renderer=cycles");
    std::get<job::OfflineRender>(work.counted->job).scene_gib = room * (1 + over * (c.spill_limit.value - 1));
    physics::Trace trace;
    const auto figures = physics::counted_figures(work, test::machine("t4", 2), {}, test::coefficients(), &trace);
    for (const auto& line : trace)
      if (line.quantity == "render.score") return Drawn{figures, line.formula, *line.value.number};
    return Drawn{figures, {}, 0};
  };
  const double start = c.spill_factor.of("start"), limit = c.spill_factor.of("limit");
  const Drawn whole = at(-0.1), spilled = at(0.5);
  CHECK(spilled.figures.rate == Approx(whole.figures.rate * (start + limit) / 2));
  CHECK(spilled.figures.bound_by == "host-memory");
  // A scene as large as the room does not spill; one as large as may spill is drawn at that end.
  CHECK(at(0).figures.rate == Approx(whole.figures.rate));
  CHECK(at(1).figures.rate == Approx(whole.figures.rate * limit));
  CHECK(std::abs(spilled.points - spilled.figures.rate) <= 0.5);  // told without decimals
  CHECK(std::abs(whole.points - whole.figures.rate) <= 0.5);
  CHECK(spilled.told.find("spilling") != std::string::npos);
  CHECK(whole.told.find("spilling") == std::string::npos);
  // Half of what spilling costs may be wrong, independently of the rest.
  const double before = std::log(whole.figures.rate_ratio.high), after = std::log(spilled.figures.rate_ratio.high);
  CHECK(after == Approx(std::hypot(before, std::log(2 / (start + limit)) / 2)));
}

TEST_CASE("what cannot be drawn or compared has no rate") {
  catalog::Gpu bare;
  bare.id = "bare";
  bare.vendor = "nvidia";
  bare.graphics = catalog::Graphics::workstation;
  bare.nvenc_count = 1;
  physics::Machine machine = test::machine("l4");
  machine.device.gpu = &bare;
  const auto figures = [&](const job::Job& work) {
    return physics::counted_figures(work, machine, {}, test::coefficients());
  };
  CHECK(figures(job("task=render render=cad")).unknown == "render score");
  CHECK(figures(job("task=render")).unknown == "render score");
  job::Job measured = job("task=render seconds_per_frame=10 on=l4");
  std::get<job::OfflineRender>(measured.counted->job).measured_on = &bare;
  machine.device.gpu = &test::gpu("l4");
  const auto compared = figures(measured);
  CHECK(compared.unknown == "render score of the GPU of the measurement");
  CHECK(compared.rate == 0);
  // A renderer that needs ray-tracing cores is not promised where they are not known.
  catalog::Gpu silent = test::gpu("l4");
  silent.rt_cores = {};
  machine.device.gpu = &silent;
  CHECK(figures(job("task=render renderer=omniverse")).lacks == "ray-tracing cores");
  CHECK(figures(job("task=render renderer=cycles")).bound_by == "compute");
  machine.device.gpu = &test::gpu("l4");
  CHECK(figures(job("task=render renderer=cycles")).bound_by == "ray-tracing");
}

TEST_CASE("a renderer that leans on RT cores leaves more behind on cards without them") {
  const auto against_a10 = [](const std::string& renderer) {
    return rate("task=render renderer=" + renderer, "a100-pcie-80gb") / rate("task=render renderer=" + renderer, "a10");
  };
  CHECK(against_a10("keyshot") < 0.85 * against_a10("cycles"));
  CHECK(planned("task=render renderer=octane", "l4").rate_ratio.high >
        planned("task=render renderer=cycles", "l4").rate_ratio.high);
}

TEST_CASE("a card without published runs has an estimate with a wider interval, or none") {
  const Plan derived = planned("task=render", "h20-96gb");
  const Plan published = planned("task=render", "h100-sxm-80gb");
  CHECK(derived.rate == Approx(5200).epsilon(0.15));
  CHECK(derived.rate_ratio.high > published.rate_ratio.high * 1.1);
  CHECK(planned("task=render", "k80-12gb").problem.any());
  CHECK(planned("task=render", "mi300x-192gb").problem.any());
}

TEST_CASE("scores derived from cores, clock and bandwidth come close to the published ones") {
  struct Pair {
    double derived, published;
  };
  std::vector<Pair> pairs;
  for (const catalog::Gpu& gpu : test::shipped().gpus()) {
    const auto* score = test::shipped().render_score(gpu, catalog::RenderBenchmark::blender);
    const double derived = physics::derived_points(gpu, test::coefficients().counted->render);
    if (score != nullptr && derived > 0) pairs.push_back({derived, *score->score});
  }
  REQUIRE(pairs.size() > 60);
  std::vector<double> errors;
  double agreeing = 0, comparable = 0;
  for (const Pair& a : pairs) {
    errors.push_back(std::abs(std::log(a.derived / a.published)));
    for (const Pair& b : pairs) {
      if (a.published < 1.25 * b.published) continue;
      ++comparable;
      agreeing += a.derived > b.derived;
    }
  }
  std::ranges::sort(errors);
  CHECK(errors[errors.size() / 2] < 0.08);
  CHECK(errors[errors.size() * 9 / 10] < 0.3);
  CHECK(agreeing / comparable > 0.97);  // of pairs that are 25 % apart or more
}

TEST_CASE("frames on several GPUs add up, and a single frame shared by them does a little less") {
  const std::string frames = "task=render seconds_per_frame=120 on=t4 frames=";
  CHECK(rate("task=render", "t4", 4) == Approx(4 * rate("task=render", "t4")));
  CHECK(rate(frames + "240", "t4", 4) == Approx(4 * rate(frames + "240", "t4")));
  CHECK(rate(frames + "10", "t4", 8) == Approx(5 * rate(frames + "10", "t4")));  // two rounds
  CHECK(rate(frames + "1", "t4", 4) < 3.8 * rate(frames + "1", "t4"));
}

TEST_CASE("a user's own time of a frame is scaled by scores, with a share for starting up") {
  const std::string frames = "task=render frames=240 seconds_per_frame=120 on=t4";
  CHECK(rate(frames, "t4") == Approx(3600 / (120 * 1.05)));
  CHECK(rate(frames, "l40s") / rate(frames, "t4") == Approx(rate("task=render", "l40s") / rate("task=render", "t4")));
  CHECK(planned(frames, "t4").latency.raw() == Approx(126));
}

TEST_CASE("a scene beyond memory slows down by degrees, then falls") {
  const auto with = [](double gib) { return planned("task=render scene_vram_gib=" + std::to_string(gib), "l4"); };
  const double whole = with(10).rate;
  CHECK(figure(with(10), "slowdown") == 0);
  CHECK(with(23).rate == Approx(whole / 2).epsilon(0.1));
  CHECK(with(32).rate < with(26).rate);
  CHECK(with(32).fits);
  CHECK_FALSE(with(40).fits);
  CHECK_FALSE(planned("task=render renderer=arnold scene_vram_gib=23", "l4").fits);  // it has nowhere to spill
}

TEST_CASE("a slice of a GPU renders a little less than its share") {
  const double whole = planned("task=render", "a10").rate;
  CHECK(planned("task=render", "a10", 1, 1.0 / 3).rate / whole == Approx(0.29).margin(0.04));
  CHECK(planned("task=render", "a10", 1, 0.5).rate / whole == Approx(0.465).margin(0.03));
  CHECK_FALSE(planned("task=render", "a10", 1, 1.0 / 6).fits);  // 4 GB
}

TEST_CASE("a renderer is refused what it does not run on") {
  CHECK(planned("task=render renderer=omniverse", "a100-sxm-80gb").lacks == "ray-tracing cores");
  CHECK(planned("task=render renderer=octane", "radeon-pro-w7900-48gb").problem.kind ==
        physics::Problem::Kind::lacking);
  CHECK(planned("task=render renderer=vray", "k80-12gb").problem.kind == physics::Problem::Kind::lacking);
  CHECK(planned("task=render renderer=vray", "m60-8gb").lacks.empty());  // has 5.2, the least that it takes
}

TEST_CASE("interactive graphics need a graphics driver, an encoder, and for AV1 one of Ada or later") {
  const std::string streaming = "task=render render=realtime";
  for (const std::string_view gpu : {"a100-sxm-80gb", "a30", "h100-sxm-80gb", "h200-sxm-141gb", "b200-180gb"}) {
    CAPTURE(gpu);
    CHECK(planned(streaming, gpu).problem.kind == physics::Problem::Kind::lacking);
    CHECK(planned("task=render render=cad", gpu).problem.kind == physics::Problem::Kind::lacking);
  }
  for (const std::string_view gpu : {"t4", "a10", "a10g", "rtx-3090"}) {
    CAPTURE(gpu);
    CHECK(planned(streaming + " codec=h264", gpu).fits);
    CHECK(planned(streaming + " codec=av1", gpu).lacks == "AV1 encoder");
  }
  for (const std::string_view gpu : {"l4", "l40s", "rtx-4090", "rtx-pro-6000-server-96gb"}) {
    CAPTURE(gpu);
    CHECK(planned(streaming + " codec=av1", gpu).fits);
  }
  CHECK(planned("task=render render=cad", "rtx-4090").lacks == "certified workstation driver");
  CHECK(planned(streaming + " scene=omniverse", "v100-sxm2-16gb").lacks == "ray-tracing cores");
}

TEST_CASE("less than a frame an hour is a rate, too, and told against what is asked") {
  const Plan slow = planned("task=render seconds_per_frame=9000 on=l4", "l4");
  CHECK(slow.rate < 1);
  CHECK(slow.rate > 0.3);
  CHECK_FALSE(slow.problem.any());
  job::Job asked = job("task=render seconds_per_frame=9000 on=l4");
  asked.counted->demand = 1;
  std::vector<std::string> notes;
  physics::physics_of(asked).add_departures(asked, test::machine("l4"), slow, notes);
  CHECK(std::ranges::any_of(notes, [](const auto& note) { return note.find("3 such machines") != std::string::npos; }));
}

TEST_CASE("a user has a GPU alone, light scenes share one by 3D speed, and no session spans two") {
  const std::string game = "task=render render=realtime";
  CHECK(rate(game, "t4") == 1);
  CHECK(rate(game + " scene=light", "t4") == 2);
  CHECK(rate(game, "l40s") == 1);
  CHECK(rate(game + " scene=light", "l40s") == 4);
  CHECK(rate("task=render render=cad", "l40s") == 1);
  CHECK(rate(game, "rtx-4090", 16) == 16);  // two nodes of eight, eight sessions of the driver each
  CHECK(rate(game, "t4", 4) == 4);
  CHECK(rate(game + " scene_vram_gib=40", "l40s") == 1);
  CHECK(planned(game + " scene_vram_gib=40", "l40s").bound_by == "memory");
  CHECK_FALSE(planned(game + " scene_vram_gib=20", "t4", 4).fits);
  CHECK(rate(game + " scene=light resolution=4k fps=30", "l4") > rate(game + " scene=light resolution=4k", "l4"));
  CHECK(rate(game + " scene=light resolution=4k", "l4") < rate(game + " scene=light", "l4"));
  CHECK(planned(game + " resolution=4k fps=120", "t4").lacks == "3D speed for even one such session");
}

TEST_CASE("a processor renders its share of the points of its socket") {
  catalog::Cpu genoa;
  genoa.id = "genoa";
  genoa.cores_per_socket = 48;
  genoa.blender_score = 1440;
  physics::Machine machine;
  machine.gpus_per_node = 0;
  machine.host = {&genoa, 48, 2, 3.1, 3.7, gib(192)};
  const auto on = [&](const std::string& words) {
    return physics::plan_counted(job(words), machine, test::coefficients());
  };
  CHECK(on("task=render").rate == Approx(720));
  CHECK(on("task=render renderer=octane").lacks == "GPU");
  CHECK(on("task=render render=cad").lacks == "GPU");
}

TEST_CASE("a stream in AV1 sends half of what one in H.264 does") {
  const auto mbps = [](const std::string& codec) {
    return job("task=render render=realtime codec=" + codec).counted->egress_mbps;
  };
  CHECK(mbps("h264") == Approx(14.9).epsilon(0.01));
  CHECK(mbps("av1") == Approx(mbps("h264") / 2));
}

TEST_CASE("a scene is a known word, and a measurement names its GPU") {
  CHECK(test::try_job("task=render scene=product").value().counted.has_value());
  CHECK(test::try_job("task=render scene=products").error().where == "scene");
  CHECK(test::try_job("task=render seconds_per_frame=90").error().where == "on");
  CHECK(test::try_job("task=render on=t4").error().where == "on");
  CHECK(test::try_job("task=render seconds_per_frame=90 on=t44").error().where == "on");
}

}  // namespace counted_graphics_test
