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
/// Of what could be served, where nobody says how much of it may be used.
constexpr double kFullLoad = 0.98;

/// The same traffic without targets: what holds it at all.
Job without_targets(const Job& work, bool load_given) {
  Job open = work;
  open.inference.ttft_ms = open.inference.tpot_ms = open.inference.itl_ms = open.inference.e2e_ms = std::nullopt;
  if (!load_given) open.inference.max_load = kFullLoad;
  return open;
}

/// What closed forms say of the machines of one shape.
struct Lead {
  const Shape* shape = nullptr;
  PlannedMachine planned;
  int least = 1;    // machines that hold the traffic at all
  double each = 0;  // cost of one machine, in what candidates are ordered by
  double cost() const { return each * planned.groups; }
};

/// Costs of the rows that people see: the best of each provider and GPU.
class Rows {
 public:
  explicit Rows(std::size_t asked) : asked_(asked) {}

  void add(const Recommendation& r, double cost) {
    const auto [entry, fresh] = best_.try_emplace({r.instance->provider, r.gpu}, cost);
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

PlannedMachine simulated_plan(PlannedMachine planned, const physics::InferenceSpeed::Simulated& figures) {
  physics::Plan& plan = planned.plan;
  physics::InferenceSpeed& speed = plan.serving->speed;
  speed.simulated = figures;
  speed.ttft = figures.ttft.p50;
  speed.itl = figures.itl.p50;
  speed.e2e = figures.e2e.p50;
  speed.in_flight = figures.in_flight;
  plan.latency = speed.e2e;
  plan.meets_targets = true;
  if (plan.problem.kind == physics::Problem::Kind::latency) plan.problem = {};
  return planned;
}

void CandidateSearch::plan_simulated(const Depth& depth, std::vector<Recommendation>& out) {
  alone_.resize(shapes_.size());
  const Job open_work = without_targets(work_, context_.question.request.max_load.has_value());
  CandidateSearch open(context_, open_work, Rejected::left_out);
  std::vector<Lead> leads;
  for (const Shape& shape : shapes_) {
    Reason reason;
    auto planned = serve_rate(shape, reason);
    if (!planned) {
      if (keep_rejections_) reject_shape(shape, reason);
      continue;
    }
    const auto offers = open.offers(shape, *planned);
    if (offers.empty()) {
      offer_shape(shape, std::move(*planned), out);  // says why
      continue;
    }
    Lead lead{.shape = &shape, .planned = std::move(*planned)};
    double cost = std::numeric_limits<double>::infinity();
    for (const Recommendation& r : offers) cost = std::min(cost, order_cost(r, work_));
    lead.each = cost / lead.planned.groups;
    const auto nodes = [](const Planned& one) { return one.machine.nodes / one.groups; };
    if (const auto holds = open.serve_rate(shape, reason); holds && nodes(*holds) == nodes(lead.planned))
      lead.least = std::min(holds->groups, lead.planned.groups);
    leads.push_back(std::move(lead));
  }
  std::ranges::stable_sort(leads, {}, &Lead::cost);
  const bool by_cost =
      context_.question.objective.kind == job::ObjectiveKind::cost && context_.question.objective.weights.empty();
  Rows seen(depth.rows);
  for (Lead& lead : leads) {
    const double last = std::min(depth.ceiling, seen.last());
    if (by_cost && lead.cost() > last) {
      offer_shape(*lead.shape, std::move(lead.planned), out);
      continue;
    }
    const double useful = by_cost ? std::floor(last / lead.each + 1e-9) : kMostMachines;
    auto planned = keeps_targets(lead.planned, lead.least, static_cast<int>(std::min(useful, kMostMachines)));
    if (!planned) {
      if (keep_rejections_) reject_shape(*lead.shape, not_kept());
      continue;
    }
    const std::size_t before = out.size();
    offer_shape(*lead.shape, std::move(*planned), out);
    for (std::size_t i = before; i < out.size(); ++i) seen.add(out[i], order_cost(out[i], work_));
  }
}

Reason CandidateSearch::not_kept() const {
  return {"too-slow", [confidence = work_.confidence] {
            return say("simulated: keeps the latency targets with a chance of less than {:.0f} %", 100 * confidence);
          }};
}

std::optional<CandidateSearch::Planned> CandidateSearch::keeps_targets(const Planned& planned, int least,
                                                                       int useful) const {
  physics::Machine group = planned.machine;
  group.nodes /= planned.groups;
  physics::Layout layout = planned.plan.layout;
  layout.dp /= planned.groups;
  const physics::Plan one = share_of(group, layout, planned.groups);
  const int pinned = static_cast<int>(context_.question.constraints.nodes.value_or(1)) / group.nodes;
  const int most = most_nodes() / group.nodes;
  const auto found = context_.promises->fewest(
      work_, group, one,
      {.least = std::max({1, least, pinned}), .most = most, .useful = useful, .guess = planned.groups});
  if (!found.kept && !found.beyond) return std::nullopt;
  // As many as are not known to be too few, where it comes behind whatever is asked for.
  const int machines = found.kept ? found.kept->machines : std::max(planned.groups, useful + 1);
  Planned out{group, share_of(group, layout, machines)};
  if (!out.plan.serving || out.plan.rate <= 0) return std::nullopt;
  multiply(out, machines, machines);
  return found.kept ? simulated_plan(std::move(out), found.kept->figures) : std::move(out);
}

}  // namespace gpusel::answer
