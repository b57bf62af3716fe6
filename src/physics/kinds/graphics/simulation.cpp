// Simulation: updates per second from the bytes and operations of one update, divided over GPUs.
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "catalog/catalog.hpp"
#include "physics/kinds/kinds.hpp"
#include "physics/kinds/networks/cpu.hpp"

namespace gpusel::physics {

namespace {

using job::Precision;
using job::SimulationJob;

/// A second GPU brings half of its own where the exchange takes a third of a step.
constexpr double kThird = 1.0 / 3;
constexpr double kDoubleRate = 0.5;  // vector units of processors hold half as many doubles

const catalog::SolverInfo* info_of(const SimulationJob& job, const catalog::Catalog& catalog) {
  const auto& all = catalog.solvers();
  const auto found = std::ranges::find(all, to_text(job.solver), &catalog::SolverInfo::id);
  return found == all.end() ? nullptr : &*found;
}

class Simulating {
 public:
  Simulating(const SimulationJob& job, const CountedAsk& ask)
      : job_(job),
        ask_(ask),
        c_(ask.c.simulation),
        machine_(ask.machine),
        solver_(info_of(job, *ask.counted.catalog)) {}

  Figures run() {
    if (solver_ == nullptr || !solver_->bytes_per_cell || !solver_->bytes_per_update || !solver_->flops_per_update) {
      out_.unknown = "bytes and operations of the solver";
      return out_;
    }
    if (!machine_.on_cpu() && !solver_->on_gpu.value_or(true)) {
      out_.lacks = "version of this solver for GPUs";
      return out_;
    }
    memory();
    const auto update = update_s();
    if (!update) return out_;
    conclude(*update);
    return out_;
  }

 private:
  bool doubles() const { return ask_.layout.precision == Precision::fp64; }
  /// Bytes against those of the solver's usual arithmetic.
  double width() const {
    const bool usual = solver_->precision == "fp64";
    return doubles() == usual ? 1 : doubles() ? 2 : 0.5;
  }
  double gpus() const { return machine_.on_cpu() ? machine_.nodes : machine_.gpus(); }

  void memory() {
    const double usable = in_gib(machine_.memory());
    const double room = usable - c_.process_gib.value;
    const auto all = [&](auto told) {
      return quantity<Bytes>(told("bytes of a cell", *solver_->bytes_per_cell * width(), "B") *
                             told("cells", job_.cells) / told("GPUs", gpus()));
    };
    const double needed = in_gib(all(Untold{}));
    out_.memory.framework = gib(c_.process_gib.value);
    out_.memory_ratio = {ask_.c.render.memory_low.of("simulation"), ask_.c.render.memory_high.of("simulation")};
    const bool spills = solver_->spills.value_or(false) && !machine_.on_cpu();
    const bool spilled = spills && needed > room && needed <= c_.spill_limit.value * room;
    out_.memory.activations =
        record(ask_.trace, {"memory.activations", "{:.2f}", "GiB", "data/solvers"},
               [&](auto told) { return spilled ? told("free memory after spilling", gib(room)) : all(told); });
    if (!spilled) return;
    const double over = (needed / room - 1) / (c_.spill_limit.value - 1);
    spill_ = std::lerp(c_.spill_factor.of("start"), c_.spill_factor.of("limit"), over);
    out_.more.push_back({"slowdown", 1 / spill_});
  }

  std::optional<FlopPerSecond> peak() {
    if (!machine_.on_cpu()) return machine_.device.peak(doubles() ? Precision::fp64 : Precision::fp32);
    const auto single = cpu_peak(machine_.host, Precision::fp32);
    return single ? std::optional(*single * (doubles() ? kDoubleRate : 1)) : std::nullopt;
  }

  std::optional<BytesPerSecond> bandwidth() {
    if (!machine_.on_cpu())
      return machine_.device.bandwidth * c_.bandwidth_efficiency.of(machine_.device.gpu->architecture);
    const auto all = cpu_bandwidth(machine_.host);
    return all ? std::optional(*all * c_.cpu_bandwidth_efficiency.value) : std::nullopt;
  }

  /// Seconds of one update on one device: what it moves, then what it computes.
  std::optional<double> update_s() {
    const auto rate = peak();
    const auto memory = bandwidth();
    if (rate && *rate <= FlopPerSecond{}) {
      out_.lacks = doubles() ? "double precision" : "single precision";
      return std::nullopt;
    }
    if (!rate || !memory) {
      out_.unknown = machine_.on_cpu() ? "memory channels and clock of the processor"
                     : doubles()       ? "rate in double precision"
                                       : "rate in single precision";
      return std::nullopt;
    }
    moving_ = bytes(*solver_->bytes_per_update * width()) / *memory;
    computing_ = flop(*solver_->flops_per_update) / *rate;
    const Seconds one = record(ask_.trace, {"update", "{:.3g}", "ns", "data/solvers"}, [&](auto told) {
      const auto there = told("bytes", bytes(*solver_->bytes_per_update * width())) / told("bandwidth", *memory) +
                         told("operations", flop(*solver_->flops_per_update)) / told("peak", *rate);
      return spill_ < 1 ? there / told("share of the rate left after spilling", spill_) : there;
    });
    return one.raw();
  }

  /// Share of a step that exchanging the borders adds.
  double exchange() const {
    const std::string_view link = machine_.nodes > 1 || machine_.on_cpu() ? "network" : link_case(machine_.link);
    const double cells = job_.cells / gpus();
    const double small = kThird * solver_->half_cells.value_or(0) / std::max(1.0, cells);
    return std::log2(gpus()) * (c_.exchange_share.of(link) + small);
  }

  void conclude(double update) {
    out_.rate = record(ask_.trace, {"throughput", "{:.4g}", to_name("million updates/s")}, [&](auto told) {
      return told("GPUs", gpus()) / told("update", update, "s") /
             (1 + told.some("exchange as a share of a step", exchange())) / 1e6;
    });
    out_.more.push_back({"step_ms", job_.cells / out_.rate * 1e-3});
    if (spill_ < 1)
      out_.bound_by = to_name("host-memory");
    else if (exchange() > 1)
      out_.bound_by = to_name("link");
    else
      out_.bound_by = computing_ > moving_ ? "compute" : "memory-bandwidth";
    if (gpus() > 1) out_.more.push_back({"scaling", 1 / (1 + exchange())});
    const double factor = c_.spread.of(to_text(job_.solver)) / std::sqrt(spill_);
    out_.rate_ratio = {1 / factor, factor};
  }

  const SimulationJob& job_;
  const CountedAsk& ask_;
  const SimulationCoefficients& c_;
  const Machine& machine_;
  const catalog::SolverInfo* solver_;
  Seconds moving_, computing_;
  double spill_ = 1;
  Figures out_;
};

class SimulationPhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override { return Simulating(ask.job<SimulationJob>(), ask).run(); }
};

}  // namespace

const WorkPhysics& simulation() {
  static const SimulationPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
