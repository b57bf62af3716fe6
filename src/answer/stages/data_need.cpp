#include "answer/stages/data_need.hpp"

#include <algorithm>

#include "base/words/message.hpp"
#include "job/kinds/video/bitrate.hpp"
#include "physics/checkpoint.hpp"
#include "physics/economy.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using physics::EconomyCoefficients;

using physics::record;
using physics::Trace;

/// Things read in a second, and in the whole job with all its passes.
double units_per_s(const Job& work, const physics::Plan& plan) {
  if (!work.counted) return plan.tokens_per_s();
  return (plan.unread_rate > 0 ? plan.unread_rate : plan.rate) * work.counted->unit.per_second;
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
  Need(const Job& work, const physics::Plan& plan, const EconomyCoefficients& c, Trace* trace)
      : work_(work), plan_(plan), c_(c), trace_(trace) {}

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
    const physics::StoredUnit stored =
        physics::physics_of(work_).stored_unit(work_, c_, wishes.sample_kb ? nullptr : trace_);
    const double rate = units_per_s(work_, plan_);
    if (stored.bytes > 0) {
      need_.unit = stored.unit;
      need_.unit_bytes = wishes.sample_kb ? own_sample(*wishes.sample_kb) : stored.bytes;
      if (rate > 0) need_.units_per_s = rate;
    }
    if (need_.units_per_s)
      need_.needed_gbs = explained("data.needed_gbs", "{:.3g}", "GB/s", kDataPage, [&](auto told) {
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
    need_.dataset_gb = explained("data.dataset_gb", "{:.4g}", "GB", kDataPage, [&](auto told) {
      return told([&] { return say("{} total", need_.unit); }, *all) / told("passes", epochs) *
             told("bytes of each", *need_.unit_bytes) / 1e9;
    });
  }

  void model() {
    const auto stored = physics::physics_of(work_).stored(work_, plan_);
    if (!stored) return;
    weights(stored->weights, stored->what);
    if (stored->checkpoint) checkpoint(*stored->checkpoint);
  }

  void weights(Bytes amount, std::string_view what) {
    need_.weights_gb = explained("data.weights_gb", "{:.4g}", "GB", kDataPage,
                                 [&](auto told) { return told(what, in_gb(amount), "GB"); });
  }
  void checkpoint(Bytes amount) {
    need_.checkpoint_gb = explained("data.checkpoint_gb", "{:.4g}", "GB", kDataPage, [&](auto told) {
      return told("trained weights and the optimizer's states", in_gb(amount), "GB");
    });
  }

  void output() {
    const double frame_gb = physics::physics_of(work_).written_gb(c_);
    if (frame_gb <= 0) return;
    if (work_.counted->things)
      need_.output_gb = explained("data.output_gb", "{:.4g}", "GB", kEconomyData, [&](auto told) {
        return told("frames", *work_.counted->things) * told("size of each", frame_gb, "GB");
      });
    if (work_.counted->unit.at_once()) return;  // points of a benchmark are no frames
    need_.output_gbs = explained("data.output_gbs", "{:.3g}", "GB/s", kEconomyData, [&](auto told) {
      return told("frames per second", units_per_s(work_, plan_)) * told("size of each", frame_gb, "GB");
    });
  }

  void egress() {
    const double capacity = plan_.rate;
    const double at_once = std::min(capacity, work_.counted->demand.value_or(capacity));
    need_.egress_gbit_s = explained("data.egress_gbit_s", "{:.3g}", "Gbit/s", kDataPage, [&](auto told) {
      return told([&] { return say_name(work_.counted->unit.things); }, at_once) *
             told("Mbit/s of each by codec", work_.counted->egress_mbps) / 1000;
    });
  }

  const Job& work_;
  const physics::Plan& plan_;
  const EconomyCoefficients& c_;
  Trace* trace_;
  DataNeed need_;
};

}  // namespace

DataNeed data_need(const Job& work, const job::Request& request, const physics::Plan& plan,
                   const job::Assumptions& assumed, const DataWishes& wishes, const physics::Coefficients& coefficients,
                   physics::Trace* trace) {
  return Need(work, plan, *coefficients.economy, trace).of(request, assumed, wishes);
}

}  // namespace gpusel::answer
