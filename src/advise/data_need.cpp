#include "advise/data_need.hpp"

#include <algorithm>
#include <functional>

#include "gpusel/base/message.hpp"
#include "gpusel/base/name.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/estimate/checkpoint.hpp"
#include "gpusel/estimate/economy.hpp"
#include "gpusel/workload/bitrate.hpp"

namespace gpusel::advise {

namespace {

using estimate::EconomyCoefficients;
using workload::Workload;

constexpr double kSmallVocabulary = 65536;
constexpr std::string_view kEconomy = "data/calibration/economy.yaml";

/// How a figure comes about; written only where it is asked for.
struct Derivation {
  std::string formula;
  std::string substituted = {};
  std::string value = {};
};

/// One thing of a data set as it is stored, and where that figure comes from.
struct StoredUnit {
  std::string_view unit;
  double bytes = 0;  // 0: the job reads no data set of such things
  std::function<Derivation()> derivation = nullptr;
};

StoredUnit one_token(const Workload& work, const EconomyCoefficients& c) {
  const double vocabulary = work.model->vocab_size.value_or(kSmallVocabulary + 1);
  const bool small = vocabulary <= kSmallVocabulary;
  return {"tokens", small ? c.data_token_bytes.of("small") : c.data_token_bytes.value,
          [=] { return Derivation{say("bytes of a token's number"), say("vocabulary of {:g}", vocabulary)}; }};
}

StoredUnit one_image(double pixels, double bytes_per_pixel) {
  return {"images", pixels * bytes_per_pixel, [=] {
            return Derivation{say("pixels × bytes stored for each"), format("{:g} × {:g}", pixels, bytes_per_pixel)};
          }};
}

StoredUnit one_of(const workload::SampleJob& job, const Workload&, const EconomyCoefficients& c) {
  if (job.seq_len > 0)
    return {"sequences", static_cast<double>(job.seq_len) * c.data_token_bytes.value,
            [tokens = job.seq_len, each = c.data_token_bytes.value] {
              return Derivation{say("tokens × bytes of each"), format("{} × {:g}", tokens, each)};
            }};
  return one_image(job.resolution.pixels(), c.data_input_pixel_bytes.value);
}
StoredUnit one_of(const workload::DiffusionJob& job, const Workload& work, const EconomyCoefficients& c) {
  if (!workload::is_training(work.task)) return {};
  return one_image(job.resolution.pixels(), c.data_input_pixel_bytes.of("diffusion"));
}
StoredUnit one_of(const workload::SpeechJob&, const Workload&, const EconomyCoefficients& c) {
  return {"seconds of audio", c.data_audio_s_bytes.value,
          [] { return Derivation{say("bytes of a second of speech")}; }};
}
StoredUnit one_of(const workload::RecommenderJob&, const Workload&, const EconomyCoefficients& c) {
  return {"samples", c.data_row_bytes.value, [] { return Derivation{say("bytes of a sample")}; }};
}
StoredUnit one_of(const workload::TranscodeJob& job, const Workload&, const EconomyCoefficients&) {
  if (job.live) return {};
  const double mbps = workload::usual_mbps(job.input, job.resolution, job.fps);
  return {"seconds of video", mbps * 1e6 / 8,
          [=] { return Derivation{say("Mbit/s of the video that comes in ÷ 8"), format("{:g} Mbit/s", mbps)}; }};
}
StoredUnit one_of(const workload::PreprocessJob& job, const Workload& work, const EconomyCoefficients&) {
  if (work.counted->unit.rate == workload::kGigabytes.rate)
    return {"GB", 1e9, [] { return Derivation{say("as they are")}; }};
  if (job.kind == workload::Preprocessing::images)
    return {"images", workload::jpeg_bytes(job.resolution), [pixels = job.resolution.pixels()] {
              return Derivation{say("pixels × bytes of a JPEG for each"), format("{:g} pixels", pixels)};
            }};
  const double mbps = workload::usual_mbps(job.codec, job.resolution, job.fps);
  return {"seconds of video", mbps * 1e6 / 8,
          [=] { return Derivation{say("Mbit/s of the video ÷ 8"), format("{:g} Mbit/s", mbps)}; }};
}
/// Scenes are loaded once, cameras and users send over the network, simulations compute what they store.
template <class AnyOther>
StoredUnit one_of(const AnyOther&, const Workload&, const EconomyCoefficients&) {
  return {};
}

StoredUnit stored_unit(const Workload& work, const EconomyCoefficients& c) {
  if (work.counted) return std::visit([&](const auto& job) { return one_of(job, work, c); }, work.counted->job);
  return workload::is_training(work.task) ? one_token(work, c) : StoredUnit{};
}

/// Things read in a second, and in the whole job with all its passes.
double units_per_s(const Workload& work, const plan::Choice& choice) {
  return work.counted ? plan::rate_of(choice) * work.counted->unit.per_second : plan::tokens_per_s(choice);
}
std::optional<double> units_in_all(const Workload& work) {
  if (work.counted) return work.counted->things;
  return workload::is_training(work.task) ? std::optional(work.training.tokens) : std::nullopt;
}

double epochs_of(const workload::Request& request, const workload::Assumptions& assumed) {
  if (request.epochs) return *request.epochs;
  for (const auto& [key, value] : assumed)
    if (key == "epochs")
      if (const auto* number = std::get_if<double>(&value)) return *number;
  return 1;
}

class Need {
 public:
  Need(const Workload& work, const plan::Choice& choice, const EconomyCoefficients& c, estimate::Trace* trace)
      : work_(work), choice_(choice), c_(c), trace_(trace) {}

  DataNeed of(const workload::Request& request, const workload::Assumptions& assumed, const DataWishes& wishes) {
    data_set(request, assumed, wishes);
    model();
    output();
    if (work_.counted && work_.counted->sends_traffic()) egress();
    return need_;
  }

 private:
  template <class Derive>
  void explain(std::string_view quantity, std::string_view source, Derive derive) {
    if (trace_ == nullptr) return;
    Derivation made = derive();
    trace_->push_back({std::string(quantity), std::move(made.formula), std::move(made.substituted),
                       std::move(made.value), std::string(source)});
  }

  void data_set(const workload::Request& request, const workload::Assumptions& assumed, const DataWishes& wishes) {
    const StoredUnit stored = stored_unit(work_, c_);
    const double rate = units_per_s(work_, choice_);
    if (stored.bytes > 0) {
      need_.unit = stored.unit;
      need_.unit_bytes = stored.bytes;
      explain("data.unit_bytes", kEconomy, [&] {
        Derivation made = stored.derivation();
        made.value = format("{:.4g} B", stored.bytes);
        return made;
      });
      if (wishes.sample_kb) own_sample(*wishes.sample_kb);
      if (rate > 0) need_.units_per_s = rate;
    }
    if (need_.units_per_s) {
      need_.needed_gbs = *need_.units_per_s * *need_.unit_bytes / 1e9;
      explain("data.needed_gbs", kDocument, [&] {
        return Derivation{say("{} per second × bytes of each", need_.unit),
                          format("{:.5g} × {:.4g} B", *need_.units_per_s, *need_.unit_bytes),
                          format("{:.3g} GB/s", *need_.needed_gbs)};
      });
    }
    size_of_pass(epochs_of(request, assumed), wishes);
  }

  /// A sample that was weighed: of language models, a whole sequence.
  void own_sample(double kilobytes) {
    const double units = work_.counted ? 1 : static_cast<double>(work_.training.seq_len);
    need_.unit_bytes = kilobytes * 1e3 / units;
    explain("data.unit_bytes", "--sample-kb", [&] {
      return Derivation{say("size of a sample as given ÷ {} in it", need_.unit),
                        format("{:g} kB ÷ {:g}", kilobytes, units), format("{:.4g} B", *need_.unit_bytes)};
    });
  }

  void size_of_pass(double epochs, const DataWishes& wishes) {
    if (wishes.dataset_gb) {
      need_.dataset_gb = wishes.dataset_gb;
      explain("data.dataset_gb", "--dataset-gb",
              [&] { return Derivation{say("as given"), {}, format("{:.4g} GB", *need_.dataset_gb)}; });
      return;
    }
    const auto all = units_in_all(work_);
    if (!all || !need_.unit_bytes) return;
    need_.dataset_gb = *all / epochs * *need_.unit_bytes / 1e9;
    explain("data.dataset_gb", kDocument, [&] {
      return Derivation{say("{} in all ÷ passes × bytes of each", need_.unit),
                        format("{:.4g} ÷ {:g} × {:.4g} B", *all, epochs, *need_.unit_bytes),
                        format("{:.4g} GB", *need_.dataset_gb)};
    });
  }

  void model() {
    if (const auto* serving = std::get_if<plan::InferenceChoice>(&choice_)) {
      weights(estimate::stored_weights(work_, *serving->plan.weights), to_say("parameters × bytes as stored"));
    } else if (const auto* training = std::get_if<plan::TrainingChoice>(&choice_)) {
      weights(bytes(2 * work_.parameters.total()), to_say("parameters × 2 bytes, as models are published"));
      if (const auto size = estimate::checkpoint_size(work_, training->plan.precision)) checkpoint(*size);
    } else if (work_.model != nullptr) {
      const auto& memory = plan::memory_of(choice_);
      weights(memory.weights, to_say("weights as one GPU holds them"));
      if (workload::is_training(work_.task)) checkpoint(memory.weights + memory.optimizer);
    }
  }

  void weights(Bytes amount, std::string_view formula) {
    need_.weights_gb = in_gb(amount);
    explain("data.weights_gb", kDocument,
            [&] { return Derivation{say_text(formula), {}, format("{:.4g} GB", *need_.weights_gb)}; });
  }
  void checkpoint(Bytes amount) {
    need_.checkpoint_gb = in_gb(amount);
    explain("data.checkpoint_gb", kDocument, [&] {
      return Derivation{
          say("trained weights and the optimiser's states"), {}, format("{:.4g} GB", *need_.checkpoint_gb)};
    });
  }

  void output() {
    if (!work_.counted || !std::holds_alternative<workload::OfflineRender>(work_.counted->job)) return;
    const double frame_gb = c_.data_frame_mb.value / 1000;
    if (work_.counted->things) {
      need_.output_gb = *work_.counted->things * frame_gb;
      explain("data.output_gb", kEconomy, [&] {
        return Derivation{say("frames × MB of each"),
                          format("{:g} × {:g} MB", *work_.counted->things, c_.data_frame_mb.value),
                          format("{:.4g} GB", *need_.output_gb)};
      });
    }
    if (work_.counted->unit.at_once()) return;  // points of a benchmark are no frames
    need_.output_gbs = units_per_s(work_, choice_) * frame_gb;
    explain("data.output_gbs", kEconomy, [&] {
      return Derivation{say("frames per second × MB of each"),
                        format("{:.3g} × {:g} MB", units_per_s(work_, choice_), c_.data_frame_mb.value),
                        format("{:.3g} GB/s", *need_.output_gbs)};
    });
  }

  void egress() {
    const double capacity = plan::rate_of(choice_);
    const double at_once = std::min(capacity, work_.counted->demand.value_or(capacity));
    need_.egress_gbit_s = at_once * work_.counted->egress_mbps / 1000;
    explain("data.egress_gbit_s", kDocument, [&] {
      return Derivation{say("{} × Mbit/s of each by codec", say_name(work_.counted->unit.things)),
                        format("{:.4g} × {:.4g} Mbit/s", at_once, work_.counted->egress_mbps),
                        format("{:.3g} Gbit/s", *need_.egress_gbit_s)};
    });
  }

  static constexpr std::string_view kDocument = "docs/data-path.md";
  const Workload& work_;
  const plan::Choice& choice_;
  const EconomyCoefficients& c_;
  estimate::Trace* trace_;
  DataNeed need_;
};

}  // namespace

DataNeed data_need(const Workload& work, const workload::Request& request, const plan::Choice& choice,
                   const workload::Assumptions& assumed, const DataWishes& wishes,
                   const estimate::Coefficients& coefficients, estimate::Trace* trace) {
  return Need(work, choice, *coefficients.economy, trace).of(request, assumed, wishes);
}

}  // namespace gpusel::advise
