// More nodes for less time, or fewer for longer: the job on 1, 2, 4 … nodes.
#include <algorithm>

#include "answer/cost/break_even_parts.hpp"
#include "answer/estimate/estimate.hpp"
#include "answer/facts/candidates.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

constexpr int kMostNodes = 1024;
constexpr std::size_t kMostRows = 7;
/// Below this share of what the fewest nodes do per node, more are of no interest.
constexpr double kLeastEfficiency = 0.4;
/// The fastest count is looked for up to so much over the cheapest one's cost.
constexpr double kWorthIt = 1.1;

class NodeSearch {
 public:
  NodeSearch(const BreakEvenContext& c, double per_node_hour) : c_(c), work_(held(c)), per_node_hour_(per_node_hour) {}

  NodeCounts run() {
    const int asked = c_.subject().nodes;
    for (int nodes = 1; nodes <= kMostNodes && counts_.rows.size() < kMostRows && !too_many_; nodes *= 2) {
      add(nodes);
      // What was asked about stands among them, whatever its number.
      if (nodes < asked && asked < 2 * nodes) add(asked);
      if (!counts_.rows.empty() && counts_.rows.back().nodes >= asked &&
          counts_.rows.back().efficiency < kLeastEfficiency)
        break;
    }
    choose();
    say_left_out();
    return std::move(counts_);
  }

 private:
  /// The item's own framework for every row: another is another program.
  static job::Job held(const BreakEvenContext& c) {
    job::Job work = *c.answer.work;
    std::erase_if(work.assumed, [](const job::Assumed& one) { return one.key == "framework"; });
    return work;
  }

  /// The item's own plan where the nodes are its own; nothing where the job does not fit so many.
  std::optional<physics::Plan> plan_of(int nodes, const physics::Machine& machine) const {
    if (nodes == c_.subject().nodes) return *c_.plan();
    auto plan = physics::plan_for(work_, machine, c_.coefficients);
    if (!plan || !plan->is_usable()) return std::nullopt;
    return std::move(*plan);
  }

  /// Sequences of a step, where another number of them would be another training.
  bool same_batch(const physics::Plan& plan) {
    if (!plan.training || !work_.training.global_batch) return true;
    const auto own = c_.plan()->layout.global_batch();
    const std::int64_t step = plan.layout.global_batch();
    if (step == own || step == *work_.training.global_batch) return true;
    too_many_ = step > std::max(own, *work_.training.global_batch);
    return false;
  }

  struct Found {
    physics::Machine machine;
    physics::Plan plan;
    double rate = 0;  // of all nodes
  };

  /// What the nodes do together; nothing where the job does not fit them.
  std::optional<Found> find(int nodes) {
    const bool joined = !work_.counted || job::is_training(work_.task);
    const bool in_copies = !job::is_training(work_.task);
    const auto machine = machine_for(work_, *c_.subject().instance, in_copies ? 1 : nodes, c_.catalog, c_.coefficients);
    if (!machine || (nodes > 1 && joined && !in_copies && machine->network.raw() <= 0)) return std::nullopt;
    const auto plan = plan_of(in_copies ? 1 : nodes, *machine);
    if (!plan) without_plan_.push_back(nodes);
    if (!plan || !same_batch(*plan)) return std::nullopt;
    return Found{*machine, *plan, plan->rate * (in_copies ? nodes : 1)};
  }

  void add(int nodes) {
    const auto found = find(nodes);
    const auto duration = found ? duration_of(work_, found->rate) : std::nullopt;
    if (!duration) return;
    NodeCount row;
    row.nodes = nodes;
    row.hours = in_hours(*duration);
    const StopModel stops = stop_model(c_, nodes);
    row.run = run_of(stops, c_.wishes, row.hours);
    if (!row.run.ends()) return;
    row.cost = in_hours(row.run.wall) * c_.paid_ratio(row.hours) * nodes * per_node_hour_;
    const auto runs = likely_runs(c_, stops, row.run, speed_of(c_, found->machine, found->plan));
    row.hours_95 = in_hours(money::time_for_share(runs, 0.95));
    if (!counts_.rows.empty()) {
      const NodeCount& fewest = counts_.rows.front();
      row.efficiency = fewest.hours * fewest.nodes / (row.hours * nodes);
    }
    row.in_time = !c_.wishes.deadline_hours ||
                  money::elapsed_hours(in_hours(money::time_for_share(runs, work_.confidence)), c_.answer.duty) <=
                      *c_.wishes.deadline_hours;
    explain(row);
    counts_.rows.push_back(row);
  }

  void explain(const NodeCount& row) const {
    c_.explain(format("nodes.{}.hours", row.nodes), say("amount of work ÷ rate of the plan"), {},
               physics::shown("{:.3f}", row.hours, "h"), say("the plan for that number of nodes; docs/method.md"));
    c_.explain(format("nodes.{}.expected_hours", row.nodes), say("as job.hours, with failures of that number of nodes"),
               format("one in {:.1f} h", 1 / stop_model(c_, row.nodes).failures.per_hour),
               physics::shown("{:.3f}", in_hours(row.run.wall), "h"), std::string(kDaly));
    c_.explain(format("nodes.{}.hours_95", row.nodes), say("as deadline.hours_95"), {},
               physics::shown("{:.3f}", row.hours_95, "h"), say("as deadline.hours_95"));
    c_.explain(format("nodes.{}.cost", row.nodes),
               say("expected hours × hours paid for each of work × nodes × price of one per hour"),
               format("{:.3f} × {:.4g} × {} × {:.4f}", in_hours(row.run.wall), c_.paid_ratio(row.hours), row.nodes,
                      per_node_hour_),
               physics::shown("{:.2f}", row.cost, c_.currency()), std::string(kDefinition));
    if (!counts_.rows.empty()) {
      const NodeCount& fewest = counts_.rows.front();
      c_.explain(format("nodes.{}.efficiency", row.nodes), say("node hours of the fewest nodes ÷ node hours"),
                 format("{:.3f} × {} / ({:.3f} × {})", fewest.hours, fewest.nodes, row.hours, row.nodes),
                 physics::shown("{:.1f}", row.efficiency * 100, "%"), std::string(kDefinition));
    }
  }

  void choose() {
    const auto& rows = counts_.rows;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].in_time && (!counts_.cheapest || rows[i].cost < rows[*counts_.cheapest].cost)) counts_.cheapest = i;
    if (!counts_.cheapest) return;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].in_time && rows[i].cost <= kWorthIt * rows[*counts_.cheapest].cost &&
          (!counts_.fastest || rows[i].run.wall < rows[*counts_.fastest].run.wall))
        counts_.fastest = i;
  }

  void say_left_out() {
    if (counts_.rows.empty()) return;
    if (!without_plan_.empty()) {
      const std::string list = join_texts(without_plan_, ", ", [](int nodes) { return format("{}", nodes); });
      counts_.left_out.push_back(job::is_training(work_.task) && !work_.training.framework.empty()
                                     ? say("nodes without a plan for {}: {}", work_.training.framework, list)
                                     : say("nodes without a plan: {}", list));
    }
    if (c_.plan()->training)
      if (const std::string other = physics::batch_note(work_, c_.plan()->layout); !other.empty())
        counts_.left_out.push_back(say("on {}: {}", c_.subject().nodes, other));
    if (too_many_ && work_.training.global_batch)
      counts_.left_out.push_back(say("beyond {} nodes a step would exceed {} sequences, which changes the training",
                                     counts_.rows.back().nodes, *work_.training.global_batch));
  }

  const BreakEvenContext& c_;
  job::Job work_;
  double per_node_hour_;
  NodeCounts counts_;
  std::vector<int> without_plan_;
  bool too_many_ = false;
};

}  // namespace

void add_node_counts(const BreakEvenContext& c) {
  const TermCost* on_demand = c.term(catalog::Term::on_demand);
  if (!c.job_hours() || !c.answer.work || c.subject().planned == nullptr || on_demand == nullptr) return;
  const bool pinned = c.answer.work->pins.dp || c.answer.work->inference.request_rate;
  if (pinned) return;
  NodeCounts counts = NodeSearch(c, on_demand->rate / c.subject().nodes).run();
  if (counts.rows.size() > 1) c.out.nodes = std::move(counts);
}

}  // namespace gpusel::answer
