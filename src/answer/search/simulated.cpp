// A service with latency targets: closed forms say which machines come into question and in what order, the
// simulation how many it takes. What cannot come among the rows that are asked for keeps its closed form, on as
// many machines as are not known to be too few.
#include <algorithm>
#include <cmath>
#include <map>

#include "answer/search/known_machines.hpp"
#include "answer/search/search.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::Job;

constexpr double kMostMachines = 1e6;
/// Layouts that are simulated where no cost says which are of use.
constexpr std::size_t kMostTried = 24;

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

/// Machines are laid out in the order of what they cost at least, and their layouts tried in the order of what closed
/// forms have them cost.
class CandidateSearch::BySimulation {
 public:
  BySimulation(CandidateSearch& search, const Depth& depth)
      : search_(search),
        depth_(depth),
        quiet_(search.context_, search.work_, Rejected::left_out),
        traffic_(physics::without_targets(search.work_)),
        open_(search.context_, traffic_, Rejected::left_out),
        seen_(depth.rows),
        sold_(search.shapes_.size()),
        choices_(search.shapes_.size()),
        tried_(search.shapes_.size()),
        simulated_(search.shapes_.size()),
        unsold_(search.shapes_.size()) {
    by_cost_ = is_by_cost(search.context_.question.objective);
    if (depth.rows > 1) named_ = named_clouds(search.context_.question.constraints, search.context_.catalog);
  }

  void run(std::vector<Recommendation>& out) {
    const auto order = shapes();
    auto next = order.begin();
    while (next != order.end() || !leads_.empty()) {
      const bool lays_out = next != order.end() && (leads_.empty() || next->first <= leads_.begin()->first.first);
      if (!lays_out)
        try_out(std::move(leads_.extract(leads_.begin()).mapped()));
      else if (next->first > useful())
        next = order.end();
      else
        lay_out((next++)->second);
    }
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      const Shape& shape = search_.shapes_[i];
      if (choices_[i].planned)
        search_.offer_shape(shape, promises().paced(search_.work_, std::move(*choices_[i].planned)), out);
      else if (tried_[i] && search_.keep_rejections_)
        search_.reject_shape(shape,
                             unsold_[i] > 0 ? too_many_by_formulas(unsold_[i]) : search_.not_kept(simulated_[i]));
    }
  }

 private:
  /// A layout on the machines of one shape, as closed forms have it.
  struct Lead {
    std::size_t shape = 0;
    PlannedMachine planned;
    int least = 1;       // machines that hold the traffic at all
    bool enough = true;  // by closed forms
    bool sold = true;    // as many as those want can be had
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
    /// The cheapest of a provider; infinite while there is none.
    double best_of(std::string_view provider) const {
      double least = std::numeric_limits<double>::infinity();
      for (const auto& [row, cost] : best_)
        if (row.first == provider) least = std::min(least, cost);
      return least;
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

  /// A simulation might need fewer, and is not run for what costs more than every row that is shown.
  static Reason too_many_by_formulas(int machines) {
    return {
        "too-slow", [machines] {
          return say(
              "formulas say that the latency targets take {} machines, more than can be rented; a simulation may find "
              "fewer: ask about it alone with --instance",
              machines);
        }};
  }

  Promises& promises() const { return *search_.context_.promises; }
  bool best_only() const { return search_.context_.question.best_only != nullptr; }
  double useful() const { return best_only() ? std::min(depth_.ceiling, seen_.last()) : depth_.ceiling; }

  /// All of them in their own order where each is to be judged.
  std::vector<std::pair<double, std::size_t>> shapes() const {
    if ((best_only() || std::isfinite(depth_.ceiling)) && search_.cost_decides()) {
      KnownMachines unknown;
      KnownMachines* known = search_.context_.question.best_only.get();
      return search_.by_least_cost(known != nullptr ? *known : unknown);
    }
    std::vector<std::pair<double, std::size_t>> all;
    for (std::size_t i = 0; i < search_.shapes_.size(); ++i) all.emplace_back(0, i);
    return all;
  }

  void lay_out(std::size_t index) {
    const Shape& shape = search_.shapes_[index];
    Reason reason;
    auto held = search_.hold_rate(shape, open_, reason);
    if (held.empty() && search_.keep_rejections_) search_.reject_shape(shape, reason);
    for (Held& one : held) {
      int groups = one.planned.groups;  // that are paid for
      auto offers = quiet_.offers(shape, one.planned);
      // Closed forms may ask for more machines than a limit on money allows, and simulation for fewer.
      // Where a limit on money excludes them, that is the reason given.
      const bool sold = !offers.empty() || search_.context_.question.constraints.max_price;
      if (offers.empty() && one.least < one.planned.working) {
        groups = one.least + search_.spare();
        if (auto fewer = search_.on_groups(one.planned, one.least)) offers = quiet_.offers(shape, std::move(*fewer));
      }
      if (offers.empty()) {
        choices_[index].take(std::move(one.planned), std::numeric_limits<double>::max(), false);  // offers say why
        continue;
      }
      Lead lead{index, std::move(one.planned), one.least, one.enough, sold, cheapest(offers) / groups};
      // At the same cost, layouts that answer sooner come first.
      const double time = lead.planned.plan.usual_time().raw();
      const std::pair place = by_cost_ ? std::pair(lead.cost(), time) : std::pair(time, 0.0);
      leads_.emplace(place, std::move(lead));
      if (sold_[index].empty()) sold_[index] = std::move(offers);
    }
  }

  void try_out(Lead lead) {
    Choice& choice = choices_[lead.shape];
    tried_[lead.shape] = true;
    const int spare = search_.spare();
    // A further layout of a shape has to cost less, not as much.
    const double known = choice.simulated ? choice.cost * (1 - 1e-6) : depth_.ceiling;
    const double last = std::min({depth_.ceiling, last_of_interest(lead.shape), known});
    if (by_cost_ ? (lead.least + spare) * lead.each > last : ++tries_ > kMostTried) {
      if (lead.enough && lead.sold) choice.take(std::move(lead.planned), lead.cost(), false);
      if (!lead.sold) unsold_[lead.shape] = lead.planned.working;
      return;
    }
    simulated_[lead.shape] = true;
    // What closed forms have take more machines than are allowed does it in simulation, or not at all.
    const bool is_open = by_cost_ && lead.enough;
    const double useful = is_open ? std::floor(last / lead.each + 1e-9) - spare : kMostMachines;
    auto planned = search_.keeps_targets(lead.planned, lead.least, static_cast<int>(std::min(useful, kMostMachines)));
    if (!planned) return;
    const double cost = lead.each * planned->groups;
    const bool kept = planned->plan.serving->speed.simulated.has_value();
    if (!kept && !lead.sold) return void(unsold_[lead.shape] = planned->working);
    choice.take(std::move(*planned), cost, kept);
    if (!kept) return;
    const auto& sold = sold_[lead.shape];
    for (const Recommendation& r : sold) seen_.add(r, cost * order_cost(r, search_.work_) / cheapest(sold));
  }

  /// The best of the clouds that every answer names is of interest, wherever it ranks.
  double last_of_interest(std::size_t shape) const {
    double last = seen_.last();
    for (const Recommendation& r : sold_[shape])
      if (std::ranges::find(named_, r.instance->provider) != named_.end())
        last = std::max(last, seen_.best_of(r.instance->provider));
    return last;
  }

  double cheapest(const std::vector<Recommendation>& offers) const {
    double cost = std::numeric_limits<double>::infinity();
    for (const Recommendation& r : offers) cost = std::min(cost, order_cost(r, search_.work_));
    return cost;
  }

  CandidateSearch& search_;
  const Depth& depth_;
  CandidateSearch quiet_;
  const Job traffic_;  // which with targets never takes less
  const CandidateSearch open_;
  bool by_cost_ = false;
  std::vector<std::string> named_;
  Rows seen_;
  std::multimap<std::pair<double, double>, Lead> leads_;
  std::vector<std::vector<Recommendation>> sold_;  // by shape, at closed forms' own count
  std::vector<Choice> choices_;                    // by shape, as the next two
  std::vector<bool> tried_, simulated_;
  std::vector<int> unsold_;  // machines that closed forms want, and nobody rents out
  std::size_t tries_ = 0;
};

void CandidateSearch::plan_simulated(const Depth& depth, std::vector<Recommendation>& out) {
  alone_.resize(shapes_.size());
  BySimulation(*this, depth).run(out);
}

Reason CandidateSearch::not_kept(bool in_simulation) const {
  return {"too-slow", [in_simulation, confidence = work_.confidence] {
            return in_simulation ? say("in simulation, the chance of meeting the latency targets is below {:.0f} %",
                                       100 * confidence)
                                 : say("chance of meeting the latency targets is below {:.0f} %", 100 * confidence);
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
