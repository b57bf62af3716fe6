#include "answer/stages/data_need.hpp"

#include <algorithm>

#include "base/words/message.hpp"
#include "base/words/name.hpp"
#include "job/kinds/video/bitrate.hpp"
#include "physics/checkpoint.hpp"
#include "physics/economy.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using physics::EconomyCoefficients;

constexpr double kSmallVocabulary = 65536;
constexpr std::string_view kEconomy = "data/calibration/economy.yaml";

using physics::record;
using physics::Trace;

constexpr physics::Recorded kUnitBytes{"data.unit_bytes", "{:.4g}", "B", kEconomy};

/// One thing of a data set as it is stored.
struct StoredUnit {
  std::string_view unit;
  double bytes = 0;  // 0: the job reads no data set of such things
};

/// A size that is known, and what of.
double known_size(Trace* trace, std::string_view what, double bytes) {
  return record(trace, kUnitBytes, [&](auto told) { return told(what, bytes, "B"); });
}

double of_video(Trace* trace, double mbps) {
  return record(trace, kUnitBytes, [&](auto told) { return told("bit/s of the video", mbps * 1e6) / 8.0; });
}

StoredUnit one_token(const Job& work, const EconomyCoefficients& c, Trace* trace) {
  const bool small = work.model->vocab_size.value_or(kSmallVocabulary + 1) <= kSmallVocabulary;
  return {"tokens", known_size(trace, to_say("bytes of a token's number"),
                               small ? c.data_token_bytes.of("small") : c.data_token_bytes.value)};
}

StoredUnit one_image(double pixels, double bytes_per_pixel, Trace* trace) {
  return {"images", record(trace, kUnitBytes, [&](auto told) {
            return told("pixels", pixels) * told("bytes stored for each", bytes_per_pixel, "B");
          })};
}

StoredUnit one_of(const job::SampleJob& job, const Job&, const EconomyCoefficients& c, Trace* trace) {
  if (job.seq_len <= 0) return one_image(job.resolution.pixels(), c.data_input_pixel_bytes.value, trace);
  return {"sequences", record(trace, kUnitBytes, [&](auto told) {
            return told("tokens", job.seq_len) * told("bytes of each", c.data_token_bytes.value, "B");
          })};
}
StoredUnit one_of(const job::DiffusionJob& job, const Job& work, const EconomyCoefficients& c, Trace* trace) {
  if (!job::is_training(work.task)) return {};
  return one_image(job.resolution.pixels(), c.data_input_pixel_bytes.of("diffusion"), trace);
}
StoredUnit one_of(const job::SpeechJob&, const Job&, const EconomyCoefficients& c, Trace* trace) {
  return {"seconds of audio", known_size(trace, to_say("bytes of a second of speech"), c.data_audio_s_bytes.value)};
}
StoredUnit one_of(const job::RecommenderJob&, const Job&, const EconomyCoefficients& c, Trace* trace) {
  return {"samples", known_size(trace, to_say("bytes of a sample"), c.data_row_bytes.value)};
}
StoredUnit one_of(const job::TranscodeJob& job, const Job&, const EconomyCoefficients&, Trace* trace) {
  if (job.live) return {};
  return {"seconds of video", of_video(trace, job::usual_mbps(job.input, job.resolution, job.fps))};
}
StoredUnit one_of(const job::PreprocessJob& job, const Job& work, const EconomyCoefficients&, Trace* trace) {
  if (work.counted->unit.rate == job::kGigabytes.rate) return {"GB", known_size(trace, to_say("as they are"), 1e9)};
  if (job.kind == job::Preprocessing::images)
    return {"images", known_size(trace, to_say("pixels × bytes of a JPEG for each"), job::jpeg_bytes(job.resolution))};
  return {"seconds of video", of_video(trace, job::usual_mbps(job.codec, job.resolution, job.fps))};
}
/// Scenes are loaded once, cameras and users send over the network, simulations compute what they store.
template <class AnyOther>
StoredUnit one_of(const AnyOther&, const Job&, const EconomyCoefficients&, Trace*) {
  return {};
}

StoredUnit stored_unit(const Job& work, const EconomyCoefficients& c, Trace* trace) {
  if (work.counted) return std::visit([&](const auto& job) { return one_of(job, work, c, trace); }, work.counted->job);
  return job::is_training(work.task) ? one_token(work, c, trace) : StoredUnit{};
}

/// Things read in a second, and in the whole job with all its passes.
double units_per_s(const Job& work, const physics::Choice& choice) {
  return work.counted ? physics::rate_of(choice) * work.counted->unit.per_second : physics::tokens_per_s(choice);
}
std::optional<double> units_in_all(const Job& work) {
  if (work.counted) return work.counted->things;
  return job::is_training(work.task) ? std::optional(work.training.tokens) : std::nullopt;
}

double epochs_of(const job::Request& request, const job::Assumptions& assumed) {
  if (request.epochs) return *request.epochs;
  for (const auto& [key, value] : assumed)
    if (key == "epochs")
      if (const auto* number = std::get_if<double>(&value)) return *number;
  return 1;
}

class Need {
 public:
  Need(const Job& work, const physics::Choice& choice, const EconomyCoefficients& c, Trace* trace)
      : work_(work), choice_(choice), c_(c), trace_(trace) {}

  DataNeed of(const job::Request& request, const job::Assumptions& assumed, const DataWishes& wishes) {
    data_set(request, assumed, wishes);
    model();
    output();
    if (work_.counted && work_.counted->sends_traffic()) egress();
    return need_;
  }

 private:
  template <class Made>
  double explained(std::string_view quantity, physics::Digits digits, std::string_view unit, std::string_view source,
                   const Made& made) {
    return record(trace_, {quantity, digits, unit, source}, made);
  }

  void data_set(const job::Request& request, const job::Assumptions& assumed, const DataWishes& wishes) {
    const StoredUnit stored = stored_unit(work_, c_, wishes.sample_kb ? nullptr : trace_);
    const double rate = units_per_s(work_, choice_);
    if (stored.bytes > 0) {
      need_.unit = stored.unit;
      need_.unit_bytes = wishes.sample_kb ? own_sample(*wishes.sample_kb) : stored.bytes;
      if (rate > 0) need_.units_per_s = rate;
    }
    if (need_.units_per_s)
      need_.needed_gbs = explained("data.needed_gbs", "{:.3g}", "GB/s", kDocument, [&](auto told) {
        return told([&] { return say("{} per second", need_.unit); }, *need_.units_per_s) *
               told("bytes of each", *need_.unit_bytes) / 1e9;
      });
    size_of_pass(epochs_of(request, assumed), wishes);
  }

  /// A sample that was weighed: of language models, a whole sequence.
  double own_sample(double kilobytes) {
    return explained("data.unit_bytes", "{:.4g}", "B", "--sample-kb", [&](auto told) {
      return told("size of a sample as given", kilobytes * 1e3, "B") /
             told([&] { return say("{} in it", need_.unit); },
                  work_.counted ? 1 : static_cast<double>(work_.training.seq_len));
    });
  }

  void size_of_pass(double epochs, const DataWishes& wishes) {
    if (wishes.dataset_gb) {
      need_.dataset_gb = explained("data.dataset_gb", "{:.4g}", "GB", "--dataset-gb",
                                   [&](auto told) { return told("as given", *wishes.dataset_gb, "GB"); });
      return;
    }
    const auto all = units_in_all(work_);
    if (!all || !need_.unit_bytes) return;
    need_.dataset_gb = explained("data.dataset_gb", "{:.4g}", "GB", kDocument, [&](auto told) {
      return told([&] { return say("{} in all", need_.unit); }, *all) / told("passes", epochs) *
             told("bytes of each", *need_.unit_bytes) / 1e9;
    });
  }

  void model() {
    if (const auto* serving = std::get_if<physics::InferenceChoice>(&choice_)) {
      weights(physics::stored_weights(work_, *serving->plan.weights), to_say("parameters × bytes as stored"));
    } else if (const auto* training = std::get_if<physics::TrainingChoice>(&choice_)) {
      weights(bytes(2 * work_.parameters.total()), to_say("parameters × 2 bytes, as models are published"));
      if (const auto size = physics::checkpoint_size(work_, training->plan.precision)) checkpoint(*size);
    } else if (work_.model != nullptr) {
      const auto& memory = physics::memory_of(choice_);
      weights(memory.weights, to_say("weights as one GPU holds them"));
      if (job::is_training(work_.task)) checkpoint(memory.weights + memory.optimizer);
    }
  }

  void weights(Bytes amount, std::string_view what) {
    need_.weights_gb = explained("data.weights_gb", "{:.4g}", "GB", kDocument,
                                 [&](auto told) { return told(what, in_gb(amount), "GB"); });
  }
  void checkpoint(Bytes amount) {
    need_.checkpoint_gb = explained("data.checkpoint_gb", "{:.4g}", "GB", kDocument, [&](auto told) {
      return told("trained weights and the optimiser's states", in_gb(amount), "GB");
    });
  }

  void output() {
    if (!work_.counted || !std::holds_alternative<job::OfflineRender>(work_.counted->job)) return;
    const double frame_gb = c_.data_frame_mb.value / 1000;
    if (work_.counted->things)
      need_.output_gb = explained("data.output_gb", "{:.4g}", "GB", kEconomy, [&](auto told) {
        return told("frames", *work_.counted->things) * told("size of each", frame_gb, "GB");
      });
    if (work_.counted->unit.at_once()) return;  // points of a benchmark are no frames
    need_.output_gbs = explained("data.output_gbs", "{:.3g}", "GB/s", kEconomy, [&](auto told) {
      return told("frames per second", units_per_s(work_, choice_)) * told("size of each", frame_gb, "GB");
    });
  }

  void egress() {
    const double capacity = physics::rate_of(choice_);
    const double at_once = std::min(capacity, work_.counted->demand.value_or(capacity));
    need_.egress_gbit_s = explained("data.egress_gbit_s", "{:.3g}", "Gbit/s", kDocument, [&](auto told) {
      return told([&] { return say_name(work_.counted->unit.things); }, at_once) *
             told("Mbit/s of each by codec", work_.counted->egress_mbps) / 1000;
    });
  }

  static constexpr std::string_view kDocument = "docs/data-path.md";
  const Job& work_;
  const physics::Choice& choice_;
  const EconomyCoefficients& c_;
  Trace* trace_;
  DataNeed need_;
};

}  // namespace

DataNeed data_need(const Job& work, const job::Request& request, const physics::Choice& choice,
                   const job::Assumptions& assumed, const DataWishes& wishes, const physics::Coefficients& coefficients,
                   physics::Trace* trace) {
  return Need(work, choice, *coefficients.economy, trace).of(request, assumed, wishes);
}

}  // namespace gpusel::answer
