// A service with latency targets: closed forms say which machines come into question and in what order, the
// simulation how many it takes. What cannot come among the rows that are asked for keeps its closed form, on as
// many machines as are not known to be too few.
#include <algorithm>
#include <cmath>
#include <map>

#include "answer/search/search.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::Job;

constexpr double kMostMachines = 1e6;
/// Layouts that are simulated where no cost says which are of use.
constexpr std::size_t kMostTried = 24;

/// The same traffic, that with targets never takes less than without.
Job without_targets(const Job& work) {
  Job open = work;
  open.inference.ttft_ms = open.inference.tpot_ms = open.inference.itl_ms = open.inference.e2e_ms = std::nullopt;
  return open;
}

/// A layout on the machines of one shape, as closed forms have it.
struct Lead {
  std::size_t shape = 0;
  PlannedMachine planned;
  int least = 1;       // machines that hold the traffic at all
  bool enough = true;  // by closed forms
  double each = 0;     // cost of one machine, in what candidates are ordered by
  double cost() const { return each * planned.groups; }
};

/// The best that is known of a shape.
struct Choice {
  std::optional<PlannedMachine> planned;
  double cost = std::numeric_limits<double>::infinity();
  bool simulated = false;

  void take(PlannedMachine other, double at, bool is_simulated) {
    // What was simulated is known, the other is not.
    if (planned && (simulated != is_simulated ? simulated : cost <= at)) return;
    planned = std::move(other);
    cost = at;
    simulated = is_simulated;
  }
};

/// Costs of the rows that people see: the best of each provider and GPU.
class Rows {
 public:
  explicit Rows(std::size_t asked) : asked_(asked) {}

  void add(const Recommendation& r, double cost) {
    const auto [entry, fresh] = best_.try_emplace(std::pair(r.instance->provider, r.gpu), cost);
    if (!fresh) entry->second = std::min(entry->second, cost);
  }
  /// What costs more comes behind all of them; infinite while there are fewer.
  double last() const {
    if (best_.size() < asked_) return std::numeric_limits<double>::infinity();
    std::vector<double> costs;
    for (const auto& [row, cost] : best_) costs.push_back(cost);
    std::ranges::nth_element(costs, costs.begin() + static_cast<std::ptrdiff_t>(asked_ - 1));
    return costs[asked_ - 1];
  }

 private:
  std::size_t asked_;
  std::map<std::pair<std::string_view, const catalog::Gpu*>, double> best_;
};

}  // namespace

void serve_rate(physics::Plan& plan, double requests_per_s) {
  physics::InferenceSpeed& speed = plan.serving->speed;
  if (speed.requests_per_s <= 0) return;
  const double more = requests_per_s / speed.requests_per_s;
  for (double* const rate : {&plan.rate, &plan.sequences_per_s, &speed.requests_per_s, &speed.output_tokens_per_s,
                             &speed.total_tokens_per_s})
    *rate *= more;
}

PlannedMachine simulated_plan(PlannedMachine planned, const physics::InferenceSpeed::Simulated& figures) {
  physics::Plan& plan = planned.plan;
  plan.serving->speed.simulated = figures;
  plan.serving->speed.in_flight = figures.in_flight;
  if (figures.requests_per_s) serve_rate(plan, *figures.requests_per_s);
  plan.meets_targets = true;
  if (plan.problem.kind == physics::Problem::Kind::latency) plan.problem = {};
  return planned;
}

void CandidateSearch::plan_simulated(const Depth& depth, std::vector<Recommendation>& out) {
  alone_.resize(shapes_.size());
  CandidateSearch quiet(context_, work_, Rejected::left_out);
  const Job traffic = without_targets(work_);
  const CandidateSearch open(context_, traffic, Rejected::left_out);
  std::vector<Lead> leads;
  std::vector<std::vector<Recommendation>> sold(shapes_.size());  // at closed forms' own count
  std::vector<Choice> choices(shapes_.size());
  const bool dearer_is_useless = std::isfinite(depth.ceiling) && cost_decides();
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    if (dearer_is_useless && least_nodes_at_rate(shapes_[i]) * least_node_cost(shapes_[i]) > depth.ceiling) continue;
    Reason reason;
    auto held = hold_rate(shapes_[i], open, reason);
    if (held.empty() && keep_rejections_) reject_shape(shapes_[i], reason);
    for (Held& one : held) {
      int groups = one.planned.groups;  // that are paid for
      auto offers = quiet.offers(shapes_[i], one.planned);
      // Closed forms may ask for more machines than a limit on money allows, and simulation for fewer.
      if (offers.empty() && one.least < one.planned.working) {
        groups = one.least + spare();
        if (auto fewer = on_groups(one.planned, one.least)) offers = quiet.offers(shapes_[i], std::move(*fewer));
      }
      if (offers.empty()) {
        choices[i].take(std::move(one.planned), std::numeric_limits<double>::max(), false);  // offers say why
        continue;
      }
      double cost = std::numeric_limits<double>::infinity();
      for (const Recommendation& r : offers) cost = std::min(cost, order_cost(r, work_));
      const double each = cost / groups;
      leads.push_back({i, std::move(one.planned), one.least, one.enough, each});
      if (sold[i].empty()) sold[i] = std::move(offers);
    }
  }
  std::ranges::stable_sort(leads, {}, &Lead::cost);
  const bool by_cost =
      context_.question.objective.kind == job::ObjectiveKind::cost && context_.question.objective.weights.empty();
  Rows seen(depth.rows);
  std::vector<bool> tried(shapes_.size()), simulated(shapes_.size());
  if (!by_cost)
    std::ranges::stable_sort(leads, {}, [](const Lead& lead) { return lead.planned.plan.usual_time().raw(); });
  std::size_t tries = 0;
  for (Lead& lead : leads) {
    Choice& choice = choices[lead.shape];
    tried[lead.shape] = true;
    const double last = std::min({depth.ceiling, seen.last(), choice.simulated ? choice.cost : depth.ceiling});
    if (by_cost ? (lead.least + spare()) * lead.each > last : ++tries > kMostTried) {
      if (lead.enough) choice.take(std::move(lead.planned), lead.cost(), false);
      continue;
    }
    simulated[lead.shape] = true;
    const double useful = by_cost ? std::floor(last / lead.each + 1e-9) - spare() : kMostMachines;
    auto planned = keeps_targets(lead.planned, lead.least, static_cast<int>(std::min(useful, kMostMachines)));
    if (!planned) continue;
    const double cost = lead.each * planned->groups;
    const bool kept = planned->plan.serving->speed.simulated.has_value();
    choice.take(std::move(*planned), cost, kept);
    if (!kept || sold[lead.shape].empty()) continue;
    double cheapest = std::numeric_limits<double>::infinity();
    for (const Recommendation& r : sold[lead.shape]) cheapest = std::min(cheapest, order_cost(r, work_));
    for (const Recommendation& r : sold[lead.shape]) seen.add(r, cost * order_cost(r, work_) / cheapest);
  }
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    if (choices[i].planned)
      offer_shape(shapes_[i], context_.promises->paced(work_, std::move(*choices[i].planned)), out);
    else if (tried[i] && keep_rejections_)
      reject_shape(shapes_[i], not_kept(simulated[i]));
  }
}

Reason CandidateSearch::not_kept(bool in_simulation) const {
  return {"too-slow", [in_simulation, confidence = work_.confidence] {
            return in_simulation ? say("in simulation, the chance of meeting the latency targets is below {:.0f} %",
                                       100 * confidence)
                                 : say("meets the latency targets with a chance below {:.0f} %", 100 * confidence);
          }};
}

std::optional<CandidateSearch::Planned> CandidateSearch::on_groups(const Planned& planned, int working) const {
  const auto [group, layout] = one_group(planned);
  Planned out{group, share_of(group, layout, working)};
  if (!out.plan.serving || out.plan.rate <= 0) return std::nullopt;
  multiply(out, working + spare(), working);
  return out;
}

std::optional<CandidateSearch::Planned> CandidateSearch::keeps_targets(const Planned& planned, int least,
                                                                       int useful) const {
  const auto [group, layout] = one_group(planned);
  const physics::Plan one = share_of(group, layout, planned.working);
  const int pinned = static_cast<int>(context_.question.constraints.nodes.value_or(1)) / group.nodes - spare();
  const int most = most_nodes() / group.nodes - spare();
  const auto found = context_.promises->fewest(
      work_, group, one,
      {.least = std::max({1, least, pinned}), .most = most, .useful = useful, .guess = planned.working});
  if (!found.kept && !found.beyond) return std::nullopt;
  // As many as are not known to be too few, where it comes behind whatever is asked for.
  auto out = on_groups(planned, found.kept ? found.kept->machines : std::max(planned.working, useful + 1));
  return out && found.kept ? simulated_plan(std::move(*out), found.kept->figures) : std::move(out);
}

}  // namespace gpusel::answer
