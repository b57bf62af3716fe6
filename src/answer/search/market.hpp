// Which offers may be taken: limits and rules decide, here and nowhere else; and what use a plan makes of one. Private
// to this room.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "answer/facts/candidates.hpp"
#include "answer/facts/stops.hpp"
#include "answer/stages/data_path.hpp"
#include "money/quote.hpp"
#include "rules/rule_set.hpp"

namespace gpusel::answer {

/// An offer with what the use that was asked for is paid under it.
struct Priced {
  const catalog::Offer* offer = nullptr;
  money::Quote quote;
};

/// How long a start takes of what is switched off between and nobody said how long its starts take: the model is loaded
/// again, in each place from the storage there.
std::optional<ColdStart> unsaid_start(const Question& question, const job::Job& work, const PlannedMachine& planned,
                                      const Place& place, const catalog::Catalog& catalog,
                                      const physics::Coefficients& coefficients, physics::Trace* trace = nullptr);

/// What use a plan makes of an offer. All of it outlives this.
class PlanUse {
 public:
  PlanUse(const Question& question, const job::Job& work, const PlannedMachine& planned,
          const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

  /// Until the next one is asked for. A job is taken to last as long as it is expected to, with the failures of the
  /// hardware and on spot with what is taken away.
  money::Use operator()(const catalog::Offer& offer);
  /// What was said of interruptions and checkpoints.
  void set_stops(const StopWishes& stops) { stops_ = stops; }
  /// At a speed other than the planned.
  void set_speed(double rate);

 private:
  const Question& question_;
  const job::Job& work_;
  const PlannedMachine& planned_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
  void stretch_on(const catalog::Offer& offer);

  StopWishes stops_;
  money::Work job_;
  money::Duty duty_;
  const catalog::Offer* timed_ = nullptr;  // the offer whose starts the duty has
  /// How long the job takes, for the last node and spot market that were asked about.
  struct Stretched {
    double gpus = -1;
    const catalog::SpotMarket* market = nullptr;
    double factor = 1;
    double waiting_hours = 0;
  };
  Stretched as_sold_, on_spot_;
};

class Market {
 public:
  /// Of `rules` those that reject on offers are asked, as far as they speak of this job. All of it outlives the market.
  Market(const catalog::Catalog& catalog, const money::Quoter& quoter, std::span<const rules::Rule> rules,
         const rules::Facts& job, Date today);

  /// The first rule against an offer; null: it may be taken. `facts` is what is known besides, and holds the offer's
  /// facts from then on.
  const rules::Rule* against(const catalog::Offer& offer, const money::Quote& quote, rules::Facts& facts) const;
  /// `see` is told of each offer of an instance with what is paid under it, in the order of the catalogue; offers whose
  /// currency has no rate are none. `use_of` says what use is made of one.
  template <class UseOf, class See>
  void each(const catalog::Instance& instance, UseOf use_of, See see) const {
    for (const catalog::Offer& offer : catalog_.offers_of(instance))
      if (auto quote = quoter_.quote(offer, use_of(offer))) see(Priced{&offer, std::move(*quote)});
  }
  /// Told of every offer that a rule is against.
  using Refused = std::function<void(const catalog::Offer& offer, const rules::Rule& rule)>;
  using UseOf = std::function<money::Use(const catalog::Offer&)>;
  std::vector<Priced> allowed(const catalog::Instance& instance, const UseOf& use_of, rules::Facts facts = {},
                              const Refused& refused = {}) const;

  const rules::RuleSet& judges() const { return judges_; }

 private:
  const catalog::Catalog& catalog_;
  const money::Quoter& quoter_;
  rules::RuleSet judges_;
  Date today_;
};

/// Those that whoever wants can rent: neither the instance nor the offer is withdrawn.
std::vector<const catalog::Offer*> sold_offers(const catalog::Instance& instance, const catalog::Catalog& catalog);

/// What to rent for a test of the machine that `chosen` is for: on demand in the same region where it is sold so, since
/// nobody should commit to what is yet to be tested.
const catalog::Offer& trial_offer(const catalog::Offer& chosen, const money::Quoter& quoter,
                                  const catalog::Catalog& catalog);

}  // namespace gpusel::answer
