#include "physics/kinds/feed.hpp"

#include <algorithm>

#include "base/words/message.hpp"
#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

namespace {

using job::Loader;

constexpr double kSeenPixels = 224.0 * 224;    // of an ImageNet image, as samples.loader_rate knows it
constexpr double kStoredPixels = 500.0 * 375;  // the same, as it is stored
constexpr double kChannels = 3;
constexpr std::string_view kFeedSource = "data/calibration/feed.yaml";
constexpr std::string_view kLoaderSource = "data/calibration/samples.yaml";
/// Differences below this are of rounding.
constexpr double kSame = 1 - 1e-9;

/// Vision data are kept larger than they are seen as far as that is useful, and never smaller.
double stored_pixels(double seen) {
  return std::max(seen, std::min(seen * kStoredPixels / kSeenPixels, kStoredPixels));
}

/// Times the work of an image of ImageNet size.
double work_of_image(double seen, double decoding_share) {
  return decoding_share * stored_pixels(seen) / kStoredPixels + (1 - decoding_share) * seen / kSeenPixels;
}

/// What holds the GPUs up: things in a second of the whole machine, and in which 80 of 100 lie over it.
struct Limit {
  std::string_view name;
  double per_s = 0;  // 0: none is known
  Interval ratio{1, 1};
};

/// Of work that reads so much.
struct Pace {
  double per_s = 0;
  bool waits = false;  // for storage, most of the time
};

class Feed {
 public:
  Feed(Figures& out, const Fed& fed, const CountedAsk& ask)
      : out_(out), fed_(fed), ask_(ask), c_(ask.c.feed), gpus_(out.rate * ask.counted.unit.per_second) {}

  void run() {
    const Limit limits[] = {{{}, gpus_, out_.rate_ratio},
                            {to_name("loader"), decoded(), {c_.interval_low.value, c_.interval_high.value}},
                            {to_name("host-link"), carried(), {1, 1}}};
    storage_ = read();
    tell_vcpus(limits[1].per_s);
    const Limit* least = &limits[0];
    Interval ends{gpus_ * out_.rate_ratio.low, gpus_ * out_.rate_ratio.high};
    for (const Limit& each : limits) {
      if (each.per_s <= 0) continue;
      if (each.per_s < least->per_s) least = &each;
      ends.low = std::min(ends.low, each.per_s * each.ratio.low);
      ends.high = std::min(ends.high, each.per_s * each.ratio.high);
    }
    const Pace pace = with_storage(least->per_s);
    const Interval held{with_storage(ends.low).per_s, with_storage(ends.high).per_s};
    // Even where the GPUs are the slowest in the middle, they are not at the high end of their range.
    if (held.low < gpus_ * out_.rate_ratio.low * kSame || held.high < gpus_ * out_.rate_ratio.high * kSame)
      out_.rate_ratio = {held.low / pace.per_s, held.high / pace.per_s};
    if (pace.per_s >= gpus_ * kSame) return;
    if (pace.per_s < least->per_s * kSame) out_.unread_rate = least->per_s / ask_.counted.unit.per_second;
    if (pace.waits)
      out_.bound_by = to_name("storage");
    else if (least != &limits[0])
      out_.bound_by = least->name;
    hold(pace.per_s);
  }

 private:
  template <class Made>
  double limit(std::string_view quantity, std::string_view source, const Made& made) const {
    return record(ask_.trace, {quantity, "{:.4g}", ask_.counted.unit.rate, source}, made);
  }

  double decoded() const {
    const double vcpus = ask_.machine.host.vcpus * ask_.machine.nodes;
    if (fed_.per_vcpu <= 0 || vcpus <= 0) return 0;
    return limit("feed.loader", kLoaderSource, [&](auto told) {
      return told("vCPUs", vcpus) * told("decoded by one per second", fed_.per_vcpu) +
             told.some("decoded by units of the GPUs", fed_.by_gpu * ask_.machine.gpus());
    });
  }

  double carried() const {
    if (fed_.device_bytes <= 0 || ask_.machine.on_cpu()) return 0;
    return limit("feed.host_link", "calibration: communication.link_efficiency", [&](auto told) {
      const double one = pcie_bandwidth(*ask_.machine.device.gpu).raw() / 1e9 * ask_.machine.device.share;
      return told("GPUs", ask_.machine.gpus()) * told("GB/s of one to its host", one) *
             told("share reached", ask_.general.link_efficiency.of("pcie")) * 1e9 /
             told("bytes carried for each", fed_.device_bytes);
    });
  }

  double read() const {
    const double node = ask_.machine.host.storage.raw() / 1e9;
    if (fed_.stored_bytes <= 0 || node <= 0) return 0;
    return limit("feed.storage", "data/storage.yaml", [&](auto told) {
      return told("nodes", ask_.machine.nodes) * told("GB/s that one reads from storage", node) * 1e9 /
             told("bytes of each", fed_.stored_bytes);
    });
  }

  /// What fits into the hosts' memory comes from storage on the first of the passes only.
  Pace with_storage(double rate) const {
    if (storage_ <= 0 || storage_ >= rate) return {rate, false};
    const double passes = ask_.counted.epochs;
    const Bytes memory = ask_.machine.host.memory * (c_.cached_share.value * ask_.machine.nodes);
    const Bytes all = bytes(ask_.counted.things.value_or(0) / std::max(1.0, passes) * fed_.stored_bytes);
    if (passes <= 1 || all <= Bytes{} || all > memory) return {storage_, true};
    const double first = 1 / storage_;
    const double others = (passes - 1) / rate;
    return {passes / (first + others), first > others};
  }

  void tell_vcpus(double decoded) {
    if (fed_.per_vcpu <= 0 || (!fed_.is_named && (decoded <= 0 || decoded >= gpus_))) return;
    const double wanted = std::max(0.0, gpus_ / std::max(1, ask_.machine.gpus()) - fed_.by_gpu) / fed_.per_vcpu;
    out_.more.push_back({"loader_vcpus_per_gpu", wanted});
    const int gpus = std::max(1, ask_.machine.gpus_per_node);
    if (ask_.machine.host.vcpus > 0 && wanted > 0)
      out_.more.push_back({"loader_share", ask_.machine.host.vcpus / (wanted * gpus)});
  }

  void hold(double rate) {
    if (ask_.trace != nullptr)
      for (TraceLine& line : *ask_.trace)
        if (line.quantity == "throughput") line.quantity = "gpu_throughput";
    out_.gpu_rate = out_.rate;
    out_.more.push_back({"gpu_throughput", out_.rate});
    const double held = rate / ask_.counted.unit.per_second;
    out_.rate = record(ask_.trace, {"throughput", "{:.4g}", ask_.counted.unit.rate, kFeedSource}, [&](auto told) {
      return least(told("of the GPUs alone", out_.rate), told([&] { return say_name(out_.bound_by); }, held));
    });
    // A step of training takes as long as its data.
    if (ask_.training()) out_.latency = out_.latency * (gpus_ / rate);
  }

  Figures& out_;
  const Fed& fed_;
  const CountedAsk& ask_;
  const FeedCoefficients& c_;
  double gpus_;         // things in a second that the GPUs do
  double storage_ = 0;  // that storage brings; 0: not known
};

}  // namespace

double raw_image_bytes(double pixels) { return pixels * kChannels; }

Fed fed_images(const CountedAsk& ask, double pixels, double stored_bytes) {
  if (!ask.counted.loader) return {};
  Fed fed{.stored_bytes = stored_bytes, .is_named = true};
  const Loader loader = *ask.counted.loader;
  const double work = work_of_image(pixels, ask.c.feed.decoding_share.value);
  // Of decoded pictures only the crop is work, and that goes by what is seen.
  fed.per_vcpu =
      ask.c.samples.loader_rate.of(to_text(loader)) / (loader == Loader::preprocessed ? pixels / kSeenPixels : work);
  fed.device_bytes = raw_image_bytes(pixels);  // values become floating-point numbers on the GPU
  if (loader != Loader::dali) return fed;
  fed.device_bytes = stored_bytes;
  if (!ask.machine.on_cpu())
    fed.by_gpu =
        ask.c.feed.decoder_rate.of(ask.machine.device.gpu->compute_capability) * ask.machine.device.share / work;
  return fed;
}

Fed fed_audio(const CountedAsk& ask, double stored_bytes) {
  if (!ask.counted.loader) return {};
  Fed fed{.stored_bytes = stored_bytes};
  if (*ask.counted.loader != Loader::preprocessed) fed.per_vcpu = ask.c.feed.audio_rate.value;
  return fed;
}

Fed fed_bytes(const CountedAsk& ask, double stored_bytes) {
  if (ask.counted.mode != job::Mode::throughput) return {};
  return {.stored_bytes = stored_bytes};
}

std::string_view loader_lacks(const CountedAsk& ask) {
  if (ask.counted.loader != Loader::dali) return {};
  const bool of_nvidia = !ask.machine.on_cpu() && ask.machine.device.gpu->vendor == "nvidia";
  return of_nvidia ? std::string_view() : std::string_view("DALI");
}

void note_feed(const Machine& machine, const Figures& figures, std::vector<std::string>& notes) {
  const auto figure = [&](std::string_view key) {
    const auto found = std::ranges::find(figures.more, key, &NamedFigure::key);
    return found == figures.more.end() ? 0 : found->value;
  };
  const double wanted = figure("loader_vcpus_per_gpu");
  if (figures.bound_by == "loader")
    notes.push_back(
        say("the host decodes {:.0f} % of what the GPUs could process; {:.3g} vCPUs per GPU would keep up, fewer with "
            "--loader dali or preprocessed",
            100 * figures.rate / figures.gpu_rate, wanted));
  else if (figures.bound_by == "storage")
    notes.push_back(
        say("storage delivers {:.0f} % of what the GPUs could process", 100 * figures.rate / figures.unread_rate));
  else if (wanted > 0 && machine.host.vcpus <= 0)
    notes.push_back(
        say("the speed is limited by the GPUs: {:.3g} vCPUs per GPU decode as fast; set --vcpus-per-gpu to your number",
            wanted));
}

void feed(Figures& figures, const Fed& fed, const CountedAsk& ask) {
  if (figures.rate <= 0 || ask.counted.unit.at_once()) return;
  Feed(figures, fed, ask).run();
}

}  // namespace gpusel::physics
