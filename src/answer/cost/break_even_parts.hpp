// The parts that break_evens() puts together. Private to this room.
#pragma once

#include "answer/cost/break_even.hpp"
#include "physics/economy.hpp"

namespace gpusel::answer {

/// What every part needs; all referenced things outlive it.
struct BreakEvenContext {
  const CostAnswer& answer;
  const CostItem& item;
  const BreakEvenWishes& wishes;
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  BreakEvens& out;
  bool explained;

  const physics::EconomyCoefficients& economy() const { return *coefficients.economy; }
  std::string currency() const { return std::string(answer.converter.currency().code()); }
  const CostSubject& subject() const { return item.subject; }
  const physics::Plan* plan() const;
  /// What is planned or was saved; null where neither tells.
  const job::Job* work() const {
    if (subject().saved != nullptr) return &subject().saved->work;
    return answer.work ? &*answer.work : nullptr;
  }
  /// The job that is planned or saved; null where there is none.
  const CostJob* job() const { return subject().job ? &*subject().job : nullptr; }
  /// Hours of work of a job that ends.
  catalog::Number job_hours() const { return job() != nullptr ? job()->hours : catalog::Number{}; }
  double hours_per_month() const { return answer.duty.run_per_month(); }
  /// Hours paid, as used, for each hour of a job of so many: those without work, starts and rounding with them.
  double paid_ratio(double job_hours, catalog::Term kind = catalog::Term::on_demand) const {
    return *money::paid_hours({}, item.duty, billing(kind), job_hours).job / job_hours;
  }
  /// Of the term as it is compared, else as its provider bills it anywhere.
  money::Billing billing(catalog::Term kind) const {
    const TermCost* priced = term(kind);
    return priced != nullptr ? priced->billing
                             : money::billing_of(*subject().instance, {}, kind, subject().provider, catalog);
  }

  const TermCost* term(catalog::Term kind) const;
  /// What spot is compared with, whether it is asked for or not.
  const TermCost* on_demand() const;
  /// In `place`'s region where it is sold there, else where it is cheapest.
  ComparedTerm compared(const TermCost& term, const catalog::Region* place) const;
  /// Both in `first`'s place where `second` is sold there, else in the other's, else each in its own.
  std::pair<ComparedTerm, ComparedTerm> in_one_place(const TermCost& first, const TermCost& second) const;
  /// The amount that was said, or what is assumed, which then stands under `assumed`.
  double said_or(const std::optional<double>& said, double assumed, std::string_view key) const;
  /// Dollars in the answer's currency; nothing where there is no rate.
  catalog::Number from_usd(double amount) const;

  void explain(std::string quantity, std::string formula, std::string substituted, physics::Figure value,
               std::string source) const;
  void note(std::string text) const;
};

inline constexpr std::string_view kDefinition = "definition";
inline constexpr std::string_view kDaly =
    "Daly, A higher order estimate of the optimum checkpoint interval for restart dumps (2006)";

/// On-demand, and the cheapest other term for the month at the duty cycle, where it is cheaper; never spot.
std::vector<const TermCost*> lasting_terms(const BreakEvenContext& c);

void add_commitments(const BreakEvenContext& c);
void add_stops(const BreakEvenContext& c);  // first of the following four
void add_job_run(const BreakEvenContext& c);
void add_spot(const BreakEvenContext& c);
void add_node_counts(const BreakEvenContext& c);
void add_tokens(const BreakEvenContext& c);
void add_ownership(const BreakEvenContext& c);

/// How nodes of these GPUs fail, and what a stop costs a job on `nodes` of them.
StopModel stop_model(const BreakEvenContext& c, int nodes);
/// As asked for, or the best there is.
money::Run run_of(const StopModel& stops, const BreakEvenWishes& wishes, double hours);

/// How fast it is, and what 80 of 100 measurements lie between.
struct Speed {
  double rate = 0;
  physics::Interval interval;

  bool is_known() const { return rate > 0 && interval.low > 0 && interval.high > interval.low; }
};
Speed speed_of(const BreakEvenContext& c, const physics::Machine& machine, const physics::Plan& plan);
/// The run at equally likely speeds; where its speed's interval is not known, the run alone.
std::vector<money::Run> likely_runs(const BreakEvenContext& c, const StopModel& stops, const money::Run& run,
                                    const Speed& speed);

/// "12.3 h" with the digits that a check by hand needs.
physics::Figure hours_figure(double hours);
/// Words where there is no number.
physics::Figure figure_or(const std::optional<double>& number, physics::Digits digits, std::string_view unit,
                          std::string otherwise);

}  // namespace gpusel::answer
