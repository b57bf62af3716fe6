// What the kinds of work share, and the physics of each. Private to this room.
#pragma once

#include "physics/kinds/coefficients.hpp"
#include "physics/kinds/counted.hpp"
#include "physics/kinds/physics.hpp"

namespace gpusel::physics {

/// One question to a kind of work that is counted in items of its own.
struct CountedAsk {
  const job::Job& work;
  const job::Counted& counted;
  const Machine& machine;
  const Layout& layout;
  const Coefficients& general;
  const CountedCoefficients& c;
  Trace* trace;  // may be null

  bool training() const { return job::is_training(work.task); }
  double batch() const { return static_cast<double>(layout.micro_batch); }
  /// Who waits for one item at a time keeps one GPU at work, however many there are.
  int working_gpus() const { return counted.mode == job::Mode::single_stream && !training() ? 1 : machine.gpus(); }
  template <class Kind>
  const Kind& job() const {
    return std::get<Kind>(counted.job);
  }
};

/// Work that is counted in items of its own: what is left to each kind are its figures.
class ItemPhysics : public WorkPhysics {
 public:
  virtual Figures figures(const CountedAsk& ask) const = 0;
  /// What its data take on their way to the GPUs; nothing where it has none.
  virtual Fed fed(const CountedAsk&) const { return {}; }
  /// Of one thing that it reads, as it is stored.
  double stored_bytes(const CountedAsk& ask) const {
    return stored_unit(ask.work, *ask.general.economy, nullptr).bytes;
  }
  /// Whether it is commonly trained with recomputing where it does not fit otherwise.
  virtual bool recomputes_to_fit() const { return false; }

  Result<Plan> plan(const job::Job& work, const Machine& machine, const Coefficients& c) const override;
  Plan refigure(Plan plan, const job::Job& work, const Machine& machine, const Coefficients& c) const override;
  std::string layout_text(const Layout& layout) const override;
  job::Assumptions chosen(const job::Job& work, const Plan& plan) const override;
  void add_departures(const job::Job& work, const Machine& machine, const Plan& plan,
                      std::vector<std::string>& notes) const override;
  void explain(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c,
               Trace& trace) const override;
  Ratios ratios(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c) const override;
  MemoryNeed need(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c) const override;
  std::string how(const job::Job& work, const Layout& layout) const override;
  std::vector<std::string> cases(const job::Job& work, const Layout& layout) const override;
  Loaded loaded(const job::Job& work, const Machine& machine, const Plan& plan) const override;
  std::optional<Stored> stored(const job::Job& work, const Plan& plan) const override;
};

const ItemPhysics& item_physics_of(const job::Job& work);

/// What a plan chose, key by key.
class Chosen {
 public:
  template <class Value>
  void add(bool open, std::string_view key, const Value& value) {
    if (!open) return;
    if (out_.empty()) out_.reserve(kMost);
    if constexpr (std::is_same_v<Value, bool>)
      out_.push_back({std::string(key), value});
    else if constexpr (std::is_arithmetic_v<Value>)
      out_.push_back({std::string(key), static_cast<double>(value)});
    else
      out_.push_back({std::string(key), std::string(value)});
  }
  job::Assumptions take() { return std::move(out_); }

 private:
  static constexpr std::size_t kMost = 13;
  job::Assumptions out_;
};

/// That the arithmetic is not in the machine's hardware.
std::string not_native(job::Precision precision, const Machine& machine);

// Sizes of things as they are stored.
inline constexpr Recorded kUnitBytes{"data.unit_bytes", "{:.4g}", "B", "data/calibration/economy.yaml"};
/// A size that is known, and what of.
double known_size(Trace* trace, std::string_view what, double bytes);
/// One image as it is stored: encoded at so many bytes for each pixel, or decoded.
StoredUnit stored_image(const job::Counted& counted, double pixels, double bytes_per_pixel, Trace* trace);
StoredUnit one_second_of_video(Trace* trace, double mbps);

/// The network that reads samples, of which others are made.
Figures sample_figures(const job::SampleJob& job, const CountedAsk& ask);

// One for each kind, in a file of its own.
const WorkPhysics& language_training();
const WorkPhysics& language_serving();
const WorkPhysics& samples();
const WorkPhysics& diffusion();
const WorkPhysics& speech();
const WorkPhysics& recommendation();
const WorkPhysics& rendering();
const WorkPhysics& sessions();
const WorkPhysics& simulation();
const WorkPhysics& transcoding();
const WorkPhysics& analytics();
const WorkPhysics& preprocessing();

}  // namespace gpusel::physics
