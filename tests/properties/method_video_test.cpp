// Video and preprocessing, as docs/method.md writes them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "properties/page_machine.hpp"

namespace method_video_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
using workload::Codec;
namespace any = test::any;

namespace {

/// In GHz of a Skylake core.
double speed(const Host& host) {
  const double cores = host.vcpus / host.threads_per_core;
  return cores * (host.threads_per_core > 1 ? c().cpu.smt_gain.value : 1) * host.ghz *
         c().cpu.work_per_cycle.of(host.cpu->architecture);
}
bool knows_host(const Machine& machine) { return machine.host.cpu != nullptr; }

struct Blocks {
  double encoded = 0, decoded = 0;  // frames of full HD per second
};
/// Where both are published.
Blocks blocks_of(const Device& device, Codec out, bool live, Codec in) {
  const auto& media = c().media;
  const catalog::Gpu& gpu = *device.gpu;
  const auto rate = [&](const Coefficient& fps, const std::string& name, double count, double clock) {
    return fps.of(name) * count * device.share * boost_ghz(gpu) * 1000 * media.clock_share.of(gpu.architecture) / clock;
  };
  const std::string_view readers = gpu.compute_capability == "8.0" ? "Turing" : gpu.architecture;
  return {rate(media.encode_fps, format("{} {} {}", to_text(out), live ? "live" : "file", gpu.architecture),
               gpu.nvenc_count.value_or(0), media.encode_clock_mhz.of(gpu.architecture)),
          rate(media.decode_fps, format("{} {}", to_text(in), readers), gpu.nvdec_count.value_or(0),
               media.decode_clock_mhz.of(readers))};
}
double full_hd(const workload::Resolution& size) { return size.pixels() / (1920 * 1080); }
double surfaces(const workload::Resolution& size) { return size.pixels() * 1.5 * c().media.surfaces.value; }

}  // namespace

TEST_CASE("transcoding takes what docs/method.md says", "[property]") {
  agrees("transcoding", [] {
    test::Asked asked{{"task", "transcode"}, {"codec", any_codec("codec")}, {"input_codec", any_codec("input codec")}};
    asked["resolution"] = any_size("resolution");
    asked["fps"] = std::to_string(any::whole("fps", 5, 120));
    asked["live"] = any::coin("live") ? "true" : "false";
    if (any::coin("ladder")) asked["ladder"] = any::one_of("sizes", {"1080p,720p,480p", "720p", "480p,640x360"});
    const MachineCase of{test::job_of(asked), any_machine(), {}};
    const auto& job = std::get<workload::TranscodeJob>(of.work.counted->job);
    const CountedFigures is = figures(of);
    const auto& media = c().media;
    double encoded = 0, memory = media.session_gib.value * kGiB + surfaces(job.resolution);
    for (const auto& size : job.outputs) {
      encoded += full_hd(size) * job.fps;
      memory += surfaces(size);
    }
    const double decoded = full_hd(job.resolution) * job.fps;
    const double use = job.live ? media.live_use.value : 1;
    double streams = 0;
    if (of.machine.on_cpu()) {
      const double writes =
          speed(of.machine.host) * media.software_encode.of(to_text(job.codec), job.live ? "live" : "file");
      const double reads = speed(of.machine.host) * media.software_decode.of(to_text(job.input));
      const double busy = encoded / writes + decoded / reads;
      const double has = of.machine.host.memory.raw();
      streams = has > 0 ? std::min(use / busy, has / memory) : use / busy;
      must(is.bound_by == (use / busy <= streams ? "compute" : "memory"), "bound by another");
      if (job.live) streams = std::floor(streams);
      must_be_near(is.memory.workspace.raw(), memory * std::max(1.0, streams), "memory");
    } else {
      if (!is.unknown.empty() || (!is.lacks.empty() && !is.lacks.starts_with("speed")))
        return must(is.rate == 0, "streams");
      const Blocks blocks = blocks_of(of.machine.device, job.codec, job.live, job.input);
      const double room = of.machine.device.usable.raw() / memory;
      must_be_near(figure(is, "encoder_streams_per_gpu"), blocks.encoded * use / encoded, "by encoders");
      must_be_near(figure(is, "decoder_streams_per_gpu"), blocks.decoded * use / decoded, "by decoders");
      must_be_near(figure(is, "memory_streams_per_gpu"), room, "by memory");
      const double written = blocks.encoded * use / encoded, read = blocks.decoded * use / decoded;
      double each = std::min({written, read, room});
      must(is.bound_by == "sessions" || is.bound_by == (written <= each ? "encoder"
                                                        : read <= each  ? "decoder"
                                                                        : "memory"),
           "bound by another");
      if (job.live) each = std::floor(each);
      streams = each * of.machine.gpus_per_node;
      if (const auto sessions = of.machine.device.gpu->nvenc_sessions)
        streams = std::min(streams, std::floor(*sessions / static_cast<double>(job.outputs.size())));
      const double here = std::max(1.0, std::ceil(streams / of.machine.gpus_per_node));
      must_be_near(is.memory.workspace.raw(), std::min(here * memory, of.machine.device.usable.raw()), "memory");
    }
    must_be_near(is.rate, streams * of.machine.nodes, "streams");
    must((is.lacks == "speed for one such stream") == (job.live && streams < 1), "less than one");
  });
}

TEST_CASE("detectors on cameras take what docs/method.md says", "[property]") {
  agrees("cameras", [] {
    test::Asked asked{{"task", "inference"}, {"model", any::one_of("model", {"yolov8n", "yolov8x", "yolo11m"})}};
    asked["stream_fps"] = std::to_string(any::whole("looked at", 1, 25));
    asked["codec"] = any_codec("codec");
    asked["resolution"] = any_size("resolution");
    MachineCase of{test::job_of(asked), any_machine(), {}};
    of.plan.batch = any::size("batch", 1, 16384);
    const auto& job = std::get<workload::AnalyticsJob>(of.work.counted->job);
    workload::Workload detector = of.work;
    detector.counted->job = job.detector;
    const CountedFigures sees = counted_figures(detector, of.machine, of.plan, test::coefficients());
    const CountedFigures is = figures(of);
    const auto& media = c().media;
    test::given(sees.lacks.empty() && sees.unknown.empty());
    if (!is.unknown.empty() || (!is.lacks.empty() && !is.lacks.starts_with("speed")))
      return must(is.rate == 0, "streams");
    const double seen = sees.rate * media.live_use.value / job.stream_fps;
    const double frames = full_hd(job.camera) * job.camera_fps;
    must_be_near(figure(is, "detector_images_per_s"), sees.rate, "images");
    must_be_near(figure(is, "detector_streams"), seen, "by detector");
    const double each = surfaces(job.camera);
    double streams = 0, here = 0;
    if (of.machine.on_cpu()) {
      const double decoded = speed(of.machine.host) * media.software_decode.of(to_text(job.codec)) * of.machine.nodes *
                             media.live_use.value / frames;
      must_be_near(figure(is, "decoder_streams"), decoded, "by decoders");
      streams = 1 / (1 / seen + 1 / decoded);
      here = std::max(1.0, std::floor(streams));
    } else {
      const double n = of.machine.gpus();
      const double decoded =
          blocks_of(of.machine.device, job.codec, true, job.codec).decoded * media.live_use.value / frames * n;
      must_be_near(figure(is, "decoder_streams"), decoded, "by decoders");
      const double room = (of.machine.device.usable - sees.memory.total()).raw() / each * n;
      streams = std::min({seen, decoded, std::max(0.0, room)});
      here = std::max(1.0, std::floor(streams / n));
    }
    const double decoded = figure(is, "decoder_streams");
    const auto sets_it = [&](double one) { return one <= streams * (1 + 1e-9); };
    const bool slower = of.machine.on_cpu() ? decoded < seen : sets_it(decoded);
    const bool looking = of.machine.on_cpu() || sets_it(seen);
    must(is.bound_by == (slower ? "decoder" : looking ? sees.bound_by : "memory"), "bound by another");
    must_be_near(is.rate, std::floor(streams), "streams");
    must(is.lacks.empty() == (streams >= 1), "less than one");
    must_be_near(is.memory.workspace.raw(), sees.memory.workspace.raw() + here * each, "memory");
  });
}

TEST_CASE("preprocessing takes what docs/method.md says", "[property]") {
  agrees("preprocessing", [] {
    using workload::Preprocessing;
    test::Asked asked{{"task", "preprocess"}};
    asked["preprocess"] = any::one_of("preprocess", {"etl", "tokenize", "images", "video", "features", "trees"});
    if (any::coin("says how much")) asked["data_gb"] = format("{}", any::number("data_gb", 0.01, 10000));
    if (asked["preprocess"] == "video") asked["codec"] = any_codec("codec");
    if (asked["preprocess"] == "video" || asked["preprocess"] == "images") asked["resolution"] = any_size("resolution");
    const MachineCase of{test::job_of(asked), any_machine(), {}};
    const auto& job = std::get<workload::PreprocessJob>(of.work.counted->job);
    const CountedFigures is = figures(of);
    const auto& p = c().preprocess;
    const bool cpu = of.machine.on_cpu();
    const std::string_view kind = to_text(job.kind);
    const double data = job.data_gb.value_or(0);
    const double pace = knows_host(of.machine) ? speed(of.machine.host) : 0;
    double rate = pace * p.rate.of(kind), on_gpu = 0;
    if (job.kind == Preprocessing::images) rate *= 1e6 / job.resolution.pixels();
    if (job.kind == Preprocessing::trees) {
      rate *= std::pow(std::max(1.0, of.machine.host.vcpus), -p.tree_loss.value) / p.trees.value;
      const double table = data * 1e9 * p.gpu_tree_memory.value;
      if (!cpu && of.machine.device.gpu->vendor == "nvidia" && table <= of.machine.device.usable.raw()) {
        const double tree =
            data * 1e9 / (p.gpu_tree_gbs.value * of.machine.device.bandwidth.raw()) + p.gpu_tree_ms.value / 1000;
        on_gpu = data / tree / p.trees.value;
      }
    }
    if (job.kind == Preprocessing::video) {
      const double frames = full_hd(job.resolution) * job.fps;
      rate = pace * c().media.software_decode.of(to_text(job.codec)) / frames / (1 + p.scale_share.value);
      const bool reads_av1 = job.codec != Codec::av1 || (!cpu && of.machine.device.gpu->av1_decode != false);
      if (!cpu && reads_av1)
        on_gpu = blocks_of(of.machine.device, job.codec, true, job.codec).decoded * of.machine.gpus_per_node / frames;
    }
    const bool by_gpu = on_gpu > rate;
    rate = std::max(rate, on_gpu);
    if (rate <= 0) return must(is.rate == 0 && is.unknown == "processor", "of nothing");
    const double need = data * 1e9 * p.working_set.of(kind) / of.machine.nodes;
    const double has = of.machine.host.memory.raw();
    const bool spills = has > 0 && need > has;
    must_be_near(is.rate, rate * of.machine.nodes / (spills ? p.spill.value : 1), "rate");
    if (spills) must_be_near(figure(is, "slowdown"), p.spill.value, "slowdown");
    if (!cpu) must(figure(is, "gpu_used") == (by_gpu ? 1 : 0), "by which");
    const bool launches = p.gpu_tree_ms.value / 1000 > data / on_gpu / p.trees.value / 2;
    must(is.bound_by == (!by_gpu                            ? "compute"
                         : job.kind == Preprocessing::video ? "decoder"
                         : launches                         ? "launch"
                                                            : "memory-bandwidth"),
         "bound by another");
    if (cpu)
      must_be_near(is.memory.workspace.raw(), spills ? std::min(need, has * (1 - p.kept_free.value)) : need, "memory");
    else if (by_gpu && job.kind == Preprocessing::trees)
      must_be_near(is.memory.workspace.raw(), data * 1e9 * p.gpu_tree_memory.value, "table");
  });
}

}  // namespace method_video_test
