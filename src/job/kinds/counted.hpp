// Work that is counted in items of its own rather than in tokens: images, hours of audio, frames, sessions, streams,
// cells. One struct per class of work holds what only that class knows; a variant joins them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/values/error.hpp"
#include "base/values/units.hpp"
#include "job/request/option.hpp"
#include "job/request/terms.hpp"

namespace gpusel {

namespace catalog {
class Catalog;
struct Gpu;
}  // namespace catalog

namespace job {

using Count = std::optional<std::int64_t>;

/// Width and height in pixels.
struct Resolution {
  std::int64_t width = 0;
  std::int64_t height = 0;

  double pixels() const { return static_cast<double>(width) * static_cast<double>(height); }
  friend bool operator==(const Resolution&, const Resolution&) = default;
};
/// "224", "1024x1024", "1080p", "4k".
Status assign(std::string_view text, std::optional<Resolution>& place);
std::string text_of(const Resolution& resolution);

/// What work is counted in.
struct Unit {
  std::string_view rate;     // of the throughput, as the estimate contract spells it: "images/s"
  std::string_view things;   // "images"
  double per_second = 1;     // things in a second at a throughput of 1; 0: so many at once, for as long as it lasts
  std::string_view column;   // what a price is for, in the head of a column: "M images"
  std::string_view priced;   // the same in words: "million images"
  double priced_things = 1;  // things, or with so many at once thing-hours, in that

  bool at_once() const { return per_second <= 0; }
  /// How many of what is priced come in an hour at that throughput.
  double priced_per_hour(double throughput) const {
    return throughput * (at_once() ? 1 : per_second * 3600) / priced_things;
  }
};

inline constexpr Unit kImages{"images/s", "images", 1, "M images", "million images", 1e6};
inline constexpr Unit kPictures{"images/s",  "images",          1,
                                "1k images", "thousand images", 1e3};  // that take seconds each
inline constexpr Unit kVideoFrames{"frames/s", "frames", 1, "1k frames", "thousand frames", 1e3};
inline constexpr Unit kSequences{"sequences/s", "sequences", 1, "M sequences", "million sequences", 1e6};
inline constexpr Unit kSamples{"samples/s", "samples", 1, "M samples", "million samples", 1e6};
inline constexpr Unit kTokens{"tokens/s", "tokens", 1, "M tok", "million tokens", 1e6};
inline constexpr Unit kAudioSamples{"audio-samples/s", "audio samples", 1, "G samples", "billion audio samples", 1e9};
inline constexpr Unit kRealTime{"x real time", "seconds of audio", 1, "h of audio", "hour of audio", 3600};
inline constexpr Unit kFramesPerHour{"frames/h", "frames", 1.0 / 3600, "frame", "frame", 1};
inline constexpr Unit kScore{"score", "points", 0, "1k points·h", "thousand point-hours", 1e3};
inline constexpr Unit kSessions{"sessions", "sessions", 0, "session·h", "session-hour", 1};
inline constexpr Unit kStreams{"streams", "streams", 0, "stream·h", "stream-hour", 1};
inline constexpr Unit kCellUpdates{"million updates/s", "million updates", 1, "G updates", "billion updates", 1e3};
inline constexpr Unit kVideoTime{"x real time", "seconds of video", 1, "h of video", "hour of video", 3600};
inline constexpr Unit kGigabytes{"GB/s", "GB", 1, "TB", "TB", 1e3};

// Each says by which name rules know its class, and whether it is done in batches whose size is the planner's to
// choose.

/// A network that reads samples: CNNs, vision transformers, detectors, encoders of text, small sequence models.
struct SampleJob {
  static constexpr std::string_view kClass = "samples";
  static constexpr bool kInBatches = true;

  Resolution resolution;     // none: not of pixels
  std::int64_t seq_len = 0;  // tokens of a sample; 0: not of text
};

struct DiffusionJob {
  static constexpr std::string_view kClass = "diffusion";
  static constexpr bool kInBatches = true;

  Resolution resolution;
  std::int64_t steps = 0;
  std::int64_t frames = 1;      // of a video
  bool fused_attention = true;  // false: attention scores are kept in memory
  bool slices = false;          // the decoder takes the images of a batch one at a time
  bool tiles = false;           // and each tile by tile
};

struct SpeechJob {
  static constexpr std::string_view kClass = "speech";
  static constexpr bool kInBatches = true;

  double window_s = 30;  // that one pass of the encoder reads
  std::int64_t output_tokens = 0;
};

struct RecommenderJob {
  static constexpr std::string_view kClass = "recommender";
  static constexpr bool kInBatches = true;

  std::optional<double> table_gib;  // of embeddings, where it is not the model's own figure
  double state_values = 0;          // of the optimizer, for each value of a table
};

struct OfflineRender {
  static constexpr std::string_view kClass = "render";
  static constexpr bool kInBatches = false;

  Renderer renderer = Renderer::cycles;
  double scene_gib = 0;
  std::optional<Seconds> per_frame;  // measured by the user
  const catalog::Gpu* measured_on = nullptr;
};

/// Interactive graphics: each session has a GPU or a share of one for itself.
struct SessionJob {
  static constexpr std::string_view kClass = "session";
  static constexpr bool kInBatches = false;

  Render kind = Render::realtime;
  std::string_view scene;  // kind of what is drawn
  bool needs_rt = false;
  double session_gib = 0;
  double fps = 60;
  Resolution resolution;
  Codec codec = Codec::h264;
  Guest guest = Guest::desktop;
};

struct SimulationJob {
  static constexpr std::string_view kClass = "simulation";
  static constexpr bool kInBatches = false;

  Solver solver = Solver::lbm;
  double cells = 0;
  std::string_view cell = "cells";  // what the solver calls them: particles, atoms, elements
  std::string_view name = {};       // of the solver: "molecular dynamics"
};

struct TranscodeJob {
  static constexpr std::string_view kClass = "transcode";
  static constexpr bool kInBatches = false;

  Codec codec = Codec::h264;
  Codec input = Codec::h264;
  Resolution resolution;            // of what comes in
  std::vector<Resolution> outputs;  // each is encoded on its own
  double fps = 30;
  bool live = true;
};

/// A detector on camera streams.
struct AnalyticsJob {
  static constexpr std::string_view kClass = "analytics";
  static constexpr bool kInBatches = true;

  SampleJob detector;
  Resolution camera;
  double camera_fps = 25;
  double stream_fps = 5;  // of each stream, what the detector sees
  Codec codec = Codec::h264;
};

struct PreprocessJob {
  static constexpr std::string_view kClass = "preprocess";
  static constexpr bool kInBatches = false;

  Preprocessing kind = Preprocessing::etl;
  Resolution resolution;          // of images and video
  double fps = 30;                // of video
  Codec codec = Codec::h264;      // of video
  std::optional<double> data_gb;  // in all
};

using AnyJob = std::variant<SampleJob, DiffusionJob, SpeechJob, RecommenderJob, OfflineRender, SessionJob,
                            SimulationJob, TranscodeJob, AnalyticsJob, PreprocessJob>;

struct Counted {
  AnyJob job;
  Unit unit;
  const catalog::Catalog* catalog = nullptr;  // for facts that belong to the machine: scores, media blocks
  Engine engine = Engine::pytorch;
  Mode mode = Mode::throughput;
  std::optional<Loader> loader;        // absent: nothing is decoded, or others do it before
  double epochs = 1;                   // passes over what is stored
  std::optional<double> latency_ms;    // of one batch, at most
  Count batch;                         // items per GPU and pass; absent: the planner's
  std::optional<Precision> precision;  // absent: the best the GPU has for it
  std::optional<double> things;        // in all; absent: a service that runs on
  std::optional<double> requests_per_s;
  double per_request = 1;          // things that one request asks for: frames of a video, seconds of sound
  std::optional<double> demand;    // throughput to be held, in the unit's own terms
  double max_load = 0.8;           // share of their throughput that machines are planned to be used
  std::int64_t redundancy = 0;     // instances that may fail
  bool on_cpu = false;             // machines without a GPU can do it
  bool needs_workstation = false;  // a graphics driver with a workstation licence
  double egress_mbps = 0;          // sent to the internet for each thing at once
  bool sends_traffic() const { return egress_mbps > 0; }
};

}  // namespace job
}  // namespace gpusel
