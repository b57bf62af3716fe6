// Where another way to pay, to run or to own becomes the cheaper one for what `costs` was asked about, and how sure a
// long job is to be done in time. Formulas and sources: docs/break-even.md.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answer/cost/cost.hpp"
#include "answer/facts/stops.hpp"
#include "money/over_time/break_even.hpp"

namespace gpusel::answer {

/// What is said of interruptions, deadlines and alternatives; the rest comes from the catalogue or is assumed. Money is
/// in the answer's currency.
struct BreakEvenWishes : StopWishes {
  std::optional<bool> unpaid_restarts;                           // on spot
  std::optional<double> deadline_hours;                          // of the limits of the question, no option of its own
  std::optional<double> api_price, api_price_in, api_price_out;  // per million tokens
  std::string api_seller;                                        // whose token prices are taken, or "cheapest"
  std::optional<double> buy_price;                               // of all nodes
  std::optional<double> watts;                                   // of all nodes, at the wall
  std::optional<double> power_price;                             // per kWh
  std::optional<double> years;                                   // that a purchase is used
};
std::span<const job::Option<BreakEvenWishes>> break_even_options();

/// A term as it is compared: in the same place as the other where both are sold in one.
struct ComparedTerm {
  const TermCost* term = nullptr;
  const catalog::Offer* offer = nullptr;
  double per_hour = 0;        // all nodes, in the answer's currency
  bool other_region = false;  // than the other's
};

/// A commitment against on-demand.
struct CommitmentBreakEven {
  ComparedTerm committed, on_demand;
  double per_month = 0;             // of the commitment, used or not
  double months = 0;                // that are committed to
  catalog::Number hours_per_month;  // of use from which it is cheaper; nothing: never
  catalog::Number after_months;     // at the duty cycle, until its whole sum is less; nothing: not within it
};

/// A job that ends, on-demand, with the failures of its hardware.
struct JobRun {
  money::Run run;                              // as asked, or with the best interval
  std::optional<money::Run> best;              // where an interval was asked for
  std::optional<money::Run> without;           // checkpoints, where that is another run
  double failures_low = 0, failures_high = 0;  // expected where nodes fail least and most
  double per_hour = 0;  // of work, all nodes, on-demand, with hours paid without; 0: not published
};

struct DeadlineAnswer {
  double deadline_hours = 0;
  double running_hours = 0;  // of the duty cycle, until then
  // From start to end, under the duty cycle.
  double expected_hours = 0;
  // With the failures, and with the speed's own interval where it is known.
  double hours_95 = 0;         // within which 95 of 100 runs end
  double chance = 0;           // to be in time
  double confidence = 0;       // that is asked for
  catalog::Number slow_hours;  // expected at the low end of the speed's interval

  bool is_safe() const { return hours_95 <= deadline_hours; }
  bool is_met() const { return chance >= confidence; }
};

struct SpotBreakEven {
  ComparedTerm spot, on_demand;
  const catalog::SpotMarket* market = nullptr;   // what is published of it
  std::optional<ThreePoints> share;              // of instances taken away within a month
  ThreePoints regain_hours;                      // until capacity is back
  bool price_is_guess = false;                   // without a day, or too old for what moves so fast
  double time_ratio = 0;                         // times as long as on-demand that it may take
  std::optional<money::SpotAnswer> answer;       // for a job, where the share is known, in the middle of all
  std::optional<money::SpotAnswer> best, worst;  // at the low ends, and at the high ends
  catalog::Number break_even_hours;              // between interruptions of the job; nothing: never cheaper
  catalog::Number break_even_share;              // of instances within a month, the same
  catalog::Number break_even_price;              // of one instance and hour
  std::optional<bool> notice_suffices;           // for a checkpoint
};

/// Serving against a token price, at one term.
struct TokenBreakEven {
  const TermCost* term = nullptr;
  double price_per_million = 0;
  double tokens_per_s = 0;
  double use = 1;  // of the hours in which there may be work
  money::TokenAnswer answer;
};

/// The job on so many nodes.
struct NodeCount {
  int nodes = 0;
  double hours = 0;  // without failures
  money::Run run;
  double hours_95 = 0;    // within which 95 of 100 runs end
  double cost = 0;        // expected
  double efficiency = 1;  // against the fewest nodes
  bool in_time = true;    // 95 of 100 runs
};
struct NodeCounts {
  std::vector<NodeCount> rows;
  std::optional<std::size_t> cheapest;  // that is in time
  std::optional<std::size_t> fastest;   // in time, within a tenth of its cost
  std::vector<std::string> left_out;    // which counts, and why
};

/// Buying against renting at one term.
struct Ownership {
  const TermCost* term = nullptr;
  const catalog::Purchase* record = nullptr;  // null where the price was given
  double units = 1;                           // of the record; below 1 the share of a larger server
  money::OwnCase asked;
  money::OwnAnswer answer;
};

struct BreakEvens {
  std::vector<CommitmentBreakEven> commitments;
  std::optional<StopModel> stops;
  std::optional<JobRun> job;
  std::optional<DeadlineAnswer> deadline;
  std::optional<SpotBreakEven> spot;
  std::vector<TokenBreakEven> tokens;
  std::optional<NodeCounts> nodes;
  std::vector<Ownership> ownership;
  job::Assumptions assumed;
  std::vector<std::string> notes;  // what could not be said, and why
  physics::Trace trace;            // where it was asked for

  bool empty() const;
};

/// For one item of an answer, which must outlive what is returned.
BreakEvens break_evens(const CostAnswer& answer, const CostItem& item, const BreakEvenWishes& wishes,
                       const catalog::Catalog& catalog, const physics::Coefficients& coefficients, bool explained);

}  // namespace gpusel::answer
