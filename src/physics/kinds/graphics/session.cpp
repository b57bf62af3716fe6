// Interactive graphics: how many users one GPU or slice serves. A session never spans GPUs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/words/message.hpp"
#include "physics/kinds/networks/power.hpp"

namespace gpusel::physics {

namespace {

using job::SessionJob;

constexpr double kFullHdPixels = 1920.0 * 1080;
constexpr double kUsualFps = 60;
constexpr std::string_view kAlone = to_name("exclusive-use");
constexpr std::string_view kPerGpu = to_name("per GPU");

class Sessions {
 public:
  Sessions(const SessionJob& job, const CountedAsk& ask)
      : job_(job), ask_(ask), c_(ask.c.session), device_(ask.machine.device) {}

  Figures run() {
    out_.memory.activations = gib(job_.session_gib);
    if (!hardware_suits()) return out_;
    power_ = drawing_power(device_, *ask_.counted.catalog, ask_.c.render);
    if (power_.points == 0) out_.unknown = "render score";
    if (!out_.unknown.empty()) return out_;
    count();
    return out_;
  }

 private:
  bool streams() const { return job_.kind == job::Render::realtime; }

  /// What must be there; what is not known to be there cannot be promised either.
  bool hardware_suits() {
    if (ask_.machine.on_cpu()) {
      out_.lacks = "GPU";
      return false;
    }
    const catalog::Gpu& gpu = *device_.gpu;
    const bool certified = !streams();
    if (gpu.graphics == catalog::Graphics::none)
      out_.lacks = "graphics driver";
    else if (certified && gpu.graphics == catalog::Graphics::display)
      out_.lacks = "certified workstation driver";
    else if (streams() && gpu.nvenc_count == 0.0)
      out_.lacks = "video encoder";
    else if (streams() && job_.codec == job::Codec::av1 && gpu.av1_encode == false)
      out_.lacks = "AV1 encoder";
    else if (job_.needs_rt && gpu.rt_cores == 0.0)
      out_.lacks = "ray-tracing cores";
    if (!out_.lacks.empty()) return false;
    if (!gpu.graphics)
      out_.unknown = "graphics driver";
    else if (streams() && !gpu.nvenc_count)
      out_.unknown = "number of video encoders";
    else if (streams() && job_.codec == job::Codec::av1 && !gpu.av1_encode)
      out_.unknown = "AV1 encoder";
    else if (job_.needs_rt && !gpu.rt_cores)
      out_.unknown = "ray-tracing cores";
    return true;
  }

  template <class Made>
  double users(const Recorded& entry, const Made& made) const {
    return record(ask_.trace, {entry.quantity, "{:g}", kPerGpu, entry.source}, made);
  }
  /// Points that one user takes.
  double load() const {
    const double pixels = std::pow(job_.resolution.pixels() / kFullHdPixels, c_.pixels_exponent.value);
    return c_.load_points.of(job_.scene) * pixels * job_.fps / kUsualFps;
  }
  /// Users that so many points allow: one may have all of the GPU, several leave some of it free.
  template <class Points, class ToldAs>
  auto by_points(const Points& points, ToldAs told) const {
    const auto several =
        rounded_down(points * told("usable share", c_.usable_share.value) / told("points of one user", load()));
    return greatest(several, told("one alone", bare(points) >= load() * c_.least_pace.value ? 1.0 : 0.0));
  }
  double by_load() const {
    return users({"sessions.3d", "{:g}"}, [&](auto told) { return by_points(told("points", power_.points), told); });
  }
  /// A rented GPU or slice is one user's; several light scenes may run beside each other.
  double by_custom() const {
    const double users = job_.scene == "light" ? c_.light_users.value : 1;
    if (ask_.trace != nullptr)
      note(*ask_.trace, {"sessions.users", "{:g}", kPerGpu, "calibration"}, users,
           say("one user per GPU or slice, several of light scenes"));
    return users;
  }
  double by_memory() const {
    return users({"sessions.memory", "{:g}"}, [&](auto told) {
      return rounded_down(told("usable memory", device_.usable) / told("memory of a session", gib(job_.session_gib)));
    });
  }
  double encoder_pixels() const {
    const catalog::Number generation = device_.gpu->nvenc_generation;
    return c_.encode_mpixels.of(generation ? format("{:g}", *generation) : std::string(), to_text(job_.codec)) * 1e6;
  }
  double by_encoder() const {
    const Recorded entry{"sessions.encoder", "{:g}", {}, "NVIDIA Video Codec SDK, NVENC application note"};
    return users(entry, [&](auto told) {
      return rounded_down(told("encoders", *device_.gpu->nvenc_count) * told("share of the GPU", device_.share) *
                          told("pixels per second", encoder_pixels()) /
                          told("pixels per second of a session", job_.resolution.pixels() * job_.fps));
    });
  }

  /// As the scene turns out heavier or lighter, whole users more or less; `limit`: what memory, encoders, drivers and
  /// custom allow of any scene.
  Interval ratio_of(double each, double limit) const {
    const double factor = std::exp(std::hypot(std::log(c_.spread.value), std::log(spread_of(power_, ask_.c.render))));
    const auto users = [&](double points) { return std::min(limit, by_points(points, Untold{})); };
    const double few = users(power_.points / factor);
    return {few > 0 ? few / each : 1 / factor, users(power_.points * factor) / each};
  }

  void count() {
    double limit = std::numeric_limits<double>::infinity();
    double each = by_load();
    out_.bound_by = to_name("3d");
    const auto at_most = [&](double users, std::string_view what) {
      limit = std::min(limit, users);
      if (users >= each) return;
      each = users;
      out_.bound_by = what;
    };
    at_most(by_memory(), "memory");
    if (streams()) at_most(by_encoder(), "encoder");
    // Drivers of GeForce cards open so many encoders in a system.
    if (streams() && device_.gpu->nvenc_sessions)
      at_most(std::floor(*device_.gpu->nvenc_sessions / ask_.machine.gpus_per_node), to_name("driver"));
    at_most(by_custom(), kAlone);
    if (each < 1) {
      if (out_.bound_by == "memory") return;  // the planner says so
      out_.lacks = out_.bound_by == "encoder" ? "video encoding for even one such session"
                                              : "3D speed for even one such session";
      return;
    }
    out_.memory.activations = gib(job_.session_gib * each);
    out_.rate = each * ask_.machine.gpus();
    out_.more.push_back({"sessions_per_gpu", each});
    out_.more.push_back({"reachable_fps", std::floor(job_.fps * std::min(1.0, power_.points / load()))});
    out_.rate_ratio = ratio_of(each, limit);
    out_.memory_ratio = {ask_.c.render.memory_low.of("session"), ask_.c.render.memory_high.of("session")};
  }

  const SessionJob& job_;
  const CountedAsk& ask_;
  const SessionCoefficients& c_;
  const Device& device_;
  DrawingPower power_;
  Figures out_;
};

class SessionPhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override { return Sessions(ask.job<SessionJob>(), ask).run(); }
};

}  // namespace

const WorkPhysics& sessions() {
  static const SessionPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
