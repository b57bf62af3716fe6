// The whole question: which instances for this job, ranked, priced, and why. Instances are grouped
// into shapes, and only shapes are estimated: this is why an answer takes milliseconds.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "answer/estimate/estimate.hpp"
#include "answer/facts/fit.hpp"
#include "answer/load/load.hpp"
#include "job/limits/constraints.hpp"
#include "money/quote.hpp"
#include "rules/rule.hpp"

namespace gpusel::answer {

class OfferFilter;
struct KnownMachines;
struct Recommendation;

struct Question {
  job::Request request;
  LoadQuestion load;
  job::Constraints constraints;
  job::Objective objective;
  Currency currency = Currency::usd();
  Date today;                    // for the age of prices
  money::Duty duty;              // how much of the time it is used
  money::Extras extras;          // paid beside the instances
  bool every_rejection = false;  // one entry per SKU instead of one per family and reason
  bool every_reason = true;      // in words; otherwise of the first that falls to each rule: for who only counts
  bool alternatives = true;
  std::string filter;                         // over columns of instances and offers; empty: everything
  std::shared_ptr<const OfferFilter> passes;  // that filter, once read: recommend() does so
  std::size_t detailed = 0;                   // ranks that need reasons and remarks; 0: all
  const catalog::Instance* only = nullptr;    // judge this one of the catalogue alone
  /// Set: the first rank is all that is wanted, and what is found of machines stays there for the next such question.
  std::shared_ptr<KnownMachines> best_only;
  std::string target;  // what the answer is for; empty: nothing in particular
  /// What that cannot order or say of a candidate; null: it takes everything.
  std::function<Status(const job::Job& work, const Recommendation& candidate)> orders;
};

/// The first ranks, which say from where on they would be rank 1.
inline constexpr std::size_t kRowsWithSwitch = 5;
/// Whose best machine every answer names, wherever it ranks, beside that of the reader's own clouds.
inline constexpr std::string_view kLargeClouds[] = {"aws", "azure", "gcp"};

/// One part of a score: points = 100 × weight × value. A rule's own points have value 1 and its
/// share of the scale as weight, which may be negative.
struct ScorePart {
  std::string name;
  double weight = 0;
  double value = 0;  // 0…1
  double points = 0;
};

/// A verdict other than a rejection.
struct Remark {
  std::string rule;
  rules::Effect severity = rules::Effect::note;
  std::string message;
  std::string source;
};

/// A machine with the plan for it: shared by every instance that is this machine.
struct PlannedMachine {
  physics::Machine machine;
  physics::Plan plan;
  /// Where more nodes are taken than the job needs: what it needs, and how much longer all of those together work.
  struct Fewest {
    int nodes = 1;
    double node_time = 1;  // node hours there ÷ node hours here
  };
  std::optional<Fewest> fewest = std::nullopt;
  /// The plan on those: more nodes use fewer node hours, but may be billed for more of them, or lack host memory.
  std::shared_ptr<const PlannedMachine> on_fewest = nullptr;
  int groups = 1;   // equal, side by side
  int working = 1;  // of them; the others stand by
};

/// What is paid at both ends of the speed's interval.
struct CostRange {
  money::Quote fast, slow;
};

struct Recommendation {
  int rank = 0;
  int row = 0;  // among the best of each provider and GPU; 0: another size of one that ranks higher
  double score = 0;
  std::vector<ScorePart> parts;
  const catalog::Instance* instance = nullptr;
  const catalog::Gpu* gpu = nullptr;
  const catalog::Offer* offer = nullptr;
  const catalog::Region* region = nullptr;
  std::shared_ptr<const PlannedMachine> planned;
  money::Quote cost;
  bool pareto = false;
  catalog::Number switch_hourly;  // of the first ranks: price per hour at which it becomes, or stays, the best
  catalog::Number switch_speed;   // times its own speed, at which it does
  catalog::Number switch_load;    // of a service: nearest requests/s tried at which it does; of rank 1, no longer does
  physics::Intervals intervals;   // of detailed ranks
  Fit fit;                        // of detailed ranks
  std::shared_ptr<const CostRange> cost_range;  // of those, where the speed's interval is known
  physics::Interval cost_interval;              // of detailed ranks: in which 80 of 100 bills lie; 0 where not known
  catalog::Number in_time, in_budget;  // of those: chance of all targets, and of the budget, where any is stated
  std::vector<std::string> reasons;
  std::vector<Remark> remarks;  // warnings first

  const physics::Machine& machine() const { return planned->machine; }
  const physics::Plan& plan() const { return planned->plan; }
  const physics::MemoryBreakdown& memory() const { return planned->plan.memory; }
  double tokens_per_s() const { return planned->plan.tokens_per_s(); }
};

/// Whether its waiting times were simulated; those of others are of closed forms.
bool is_simulated(const Recommendation& candidate);

struct Rejection {
  const catalog::Instance* instance = nullptr;  // the first of its family, unless every one was asked for
  std::string rule;
  std::string message;  // empty where Question::every_reason is not asked for
  int count = 1;        // SKUs of the family that fell for the same reason
};

/// Another way to ask that has a better answer.
struct Alternative {
  std::string key;  // of the request
  std::string value;
  Recommendation best;
  std::string message;
  std::string flag;       // as it is typed
  catalog::Number ratio;  // of what it costs to what rank 1 does, as printed; nothing where nothing is ranked
  std::string risk;       // what it costs beside money
};

/// How sure it is that rank 1 is the cheapest. Money is of the whole job, or of a month of a service.
struct Evidence {
  double best_probability = 0;
  double regret = 0;  // expected, against the cheapest, which nobody knows
  /// Of one GPU's speed, on one instance.
  struct Test {
    int rank = 0;
    const catalog::Instance* instance = nullptr;
    double hours = 0;
    double cost = 0;
    double worth = 0;  // by how much the choice gets cheaper, expected
  };
  std::vector<Test> tests;  // the most worth first

  /// So likely that it needs no word.
  bool settled() const { return best_probability >= 0.9; }
};

/// What a load takes.
struct Step {
  std::string load;
  double requests_per_s = 0;
  Recommendation best;
  std::string passed_over;  // why the machine of the load before is not among its candidates
};

struct Advice {
  std::string target;                     // as of the question
  std::vector<std::string> named_clouds;  // ids of providers whose best machine is named wherever it ranks
  std::shared_ptr<const catalog::ConfigModel> own_model;
  job::Job work;
  std::optional<AskedLoad> load;  // where more is said than requests per second of one length
  job::Assumptions assumed;
  std::map<std::string, std::string, std::less<>> given;  // options of the job as they were written, by their keys
  money::Duty duty;
  money::Extras extras;
  Currency currency;
  Date today;
  Date newest_price;       // of the catalogue
  Date newest_price_used;  // of the recommendations
  Date oldest_price_used;
  std::vector<Recommendation> recommendations;                      // best first, ranks dense
  std::vector<std::shared_ptr<const catalog::Offer>> saved_offers;  // of a saved answer, at its prices
  std::vector<Rejection> rejected;
  std::vector<Alternative> alternatives;
  std::optional<Evidence> evidence;
  std::vector<Step> staircase;  // where the load was assumed
  std::vector<std::string> notes;
  std::vector<std::string> decision;  // the steps to the best answer, in words, or to none
  std::size_t shapes = 0;
};

/// The answer points into `catalog`, which must outlive it.
/// Errors: what was asked cannot be understood, or its constraints contradict each other (which ones).
/// Nothing that meets the constraints is an answer: empty recommendations, and why each family fell.
Result<Advice> recommend(const Question& question, const catalog::Catalog& catalog, std::span<const rules::Rule> rules,
                         const physics::Coefficients& coefficients);

/// What "cost" compares of a candidate: money per unit of work, or per hour where only availability counts, at the
/// price that is expected today.
double order_cost(const Recommendation& candidate, const job::Job& work);
/// The same at the published price, which is the one that is printed.
double printed_cost(const Recommendation& candidate, const job::Job& work);

/// A machine of `nodes` of these instances, whose data are on that kind of storage or the fastest there is. Errors: GPU
/// hidden or its figures not published.
Result<physics::Machine> machine_of(const catalog::Instance& instance, int nodes, const catalog::Catalog& catalog,
                                    const physics::Coefficients& coefficients,
                                    std::optional<catalog::StorageKind> storage = std::nullopt);
/// The same as the work sees it: language models find a device in the cores of a machine without a GPU.
Result<physics::Machine> machine_for(const job::Job& work, const catalog::Instance& instance, int nodes,
                                     const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                     std::optional<catalog::StorageKind> storage = std::nullopt);

/// A plan on a named number of nodes; of a service that has whole replicas on each, equal groups side by side.
PlannedMachine planned_on(physics::Machine machine, physics::Plan plan);

/// Why no machine without a GPU does this work.
std::string without_gpu(const job::Job& work);

}  // namespace gpusel::answer
