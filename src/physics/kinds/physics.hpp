// What physics knows of a kind of work: one class for each kind, in a file of its own, behind one interface. The table
// is in kinds.cpp.
#pragma once

#include "physics/economy.hpp"
#include "physics/fit.hpp"
#include "physics/planner/plan.hpp"

namespace gpusel::physics {

/// Measurements behind the width of an interval.
struct Basis {
  double on_part = 0;    // of the engine on GPUs of that architecture
  double in_format = 0;  // of the engine with weights in that format, dense models and mixtures of experts apart
};

/// In which 80 of 100 measurements lie, measured over predicted.
struct Ratios {
  Interval memory{1, 1};
  Interval rate{1, 1};
  Interval itl{1, 1};
  Interval ttft{1, 1};
  std::optional<Basis> basis = std::nullopt;  // where it is known what the widths rest on
};

/// What one node reads before it works, and how many processes of it read.
struct Loaded {
  Bytes weights;
  double processes = 1;
};

/// A model as it is stored, and what is written to go on after a stop.
struct Stored {
  Bytes weights;
  std::string_view what;  // that amount is, translated
  std::optional<Bytes> checkpoint;
};

/// One thing of a data set as it is stored.
struct StoredUnit {
  std::string_view unit;
  double bytes = 0;  // 0: the job reads no data set of such things
};

class WorkPhysics {
 public:
  WorkPhysics() = default;
  WorkPhysics(const WorkPhysics&) = delete;
  WorkPhysics& operator=(const WorkPhysics&) = delete;
  virtual ~WorkPhysics() = default;

  virtual Result<Plan> plan(const job::Job& work, const Machine& machine, const Coefficients& c) const = 0;
  /// The same layout with its figures there.
  virtual Plan refigure(Plan plan, const job::Job& work, const Machine& machine, const Coefficients& c) const = 0;
  /// Below which no plan can fit, over all GPUs together; under which none can be done.
  virtual Bytes least_memory(const job::Job& work, const Device& device) const;
  virtual Seconds least_time(const job::Job& work, const Machine& machine) const;

  /// What tells one layout from another, and the same with the batch.
  virtual std::string layout_text(const Layout& layout) const = 0;
  virtual std::string plan_text(const Layout& layout) const { return layout_text(layout); }
  /// What the plan chose where the job left it open, in the contract's keys.
  virtual job::Assumptions chosen(const job::Job& work, const Plan& plan) const = 0;
  /// Where the plan is not quite what was asked for.
  virtual void add_departures(const job::Job& work, const Machine& machine, const Plan& plan,
                              std::vector<std::string>& notes) const = 0;
  /// The formulas behind the figures.
  virtual void explain(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c,
                       Trace& trace) const = 0;

  virtual Ratios ratios(const job::Job& work, const Machine& machine, const Plan& plan,
                        const Coefficients& c) const = 0;
  /// What must be there for a plan to run; of most work, all that it holds.
  virtual MemoryNeed need(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c) const;
  /// Engine or framework with mode, method and arithmetic: measurements of others say little of it.
  virtual std::string how(const job::Job& work, const Layout& layout) const = 0;
  /// Names of the coefficients' cases that bear on it, besides those of the machine.
  virtual std::vector<std::string> cases(const job::Job& work, const Layout& layout) const = 0;

  virtual Loaded loaded(const job::Job& work, const Machine& machine, const Plan& plan) const = 0;
  /// Nothing where no model is run.
  virtual std::optional<Stored> stored(const job::Job& work, const Plan& plan) const = 0;
  virtual StoredUnit stored_unit(const job::Job& work, const EconomyCoefficients& c, Trace* trace) const;
  /// Of each thing that it puts out, as it is stored; 0: next to nothing.
  virtual double written_gb(const EconomyCoefficients&) const { return 0; }
};

const WorkPhysics& physics_of(const job::Job& work);

}  // namespace gpusel::physics
