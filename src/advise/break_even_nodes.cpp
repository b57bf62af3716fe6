// More nodes for less time, or fewer for longer: the job on 1, 2, 4 … nodes.
#include <algorithm>

#include "advise/break_even_parts.hpp"
#include "advise/candidates.hpp"
#include "gpusel/base/message.hpp"

namespace gpusel::advise {

namespace {

constexpr int kMostNodes = 1024;
constexpr std::size_t kMostRows = 7;
/// Below this share of what the fewest nodes do per node, more are of no interest.
constexpr double kLeastEfficiency = 0.4;
constexpr double kSure = 0.95;
/// The fastest count is looked for up to so much over the cheapest one's cost.
constexpr double kWorthIt = 1.1;

class NodeSearch {
 public:
  NodeSearch(const BreakEvenContext& c, const workload::Workload& work, double per_node_hour)
      : c_(c), work_(work), per_node_hour_(per_node_hour) {}

  NodeCounts run() {
    const int asked = c_.subject().nodes;
    for (int nodes = 1; nodes <= kMostNodes && counts_.rows.size() < kMostRows; nodes *= 2) {
      add(nodes);
      // What was asked about stands among them, whatever its number.
      if (nodes < asked && asked < 2 * nodes) add(asked);
      if (!counts_.rows.empty() && counts_.rows.back().nodes >= asked &&
          counts_.rows.back().efficiency < kLeastEfficiency)
        break;
    }
    choose();
    return std::move(counts_);
  }

 private:
  /// What the nodes do together; nothing where the job does not fit them.
  catalog::Number rate(int nodes) const {
    const bool joined = !work_.counted || workload::is_training(work_.task);
    const bool in_copies = !workload::is_training(work_.task);
    const auto machine = machine_of(*c_.subject().instance, in_copies ? 1 : nodes, c_.catalog, c_.coefficients);
    if (!machine || (nodes > 1 && joined && !in_copies && machine->network.raw() <= 0)) return std::nullopt;
    const auto choice = plan::plan_for(work_, *machine, c_.coefficients);
    if (!choice || !plan::usable(*choice)) return std::nullopt;
    return plan::rate_of(*choice) * (in_copies ? nodes : 1);
  }

  void add(int nodes) {
    const auto found = rate(nodes);
    const auto duration = found ? duration_of(work_, *found) : std::nullopt;
    if (!duration) return;
    NodeCount row;
    row.nodes = nodes;
    row.hours = in_hours(*duration);
    row.run = run_of(stop_model(c_, nodes), c_.wishes, row.hours);
    if (!row.run.ends()) return;
    row.cost = in_hours(row.run.wall) * nodes * per_node_hour_;
    if (!counts_.rows.empty()) {
      const NodeCount& fewest = counts_.rows.front();
      row.efficiency = fewest.hours * fewest.nodes / (row.hours * nodes);
    }
    row.in_time = !c_.wishes.deadline_hours || cost::elapsed_hours(in_hours(cost::time_for_share(row.run, kSure)),
                                                                   c_.answer.duty) <= *c_.wishes.deadline_hours;
    explain(row);
    counts_.rows.push_back(row);
  }

  void explain(const NodeCount& row) const {
    c_.explain(format("nodes.{}.hours", row.nodes), say("amount of work ÷ rate of the plan"), {},
               format("{:.3f} h", row.hours), say("the plan for so many nodes; docs/method.md"));
    c_.explain(format("nodes.{}.expected_hours", row.nodes), say("as job.hours, with failures of so many nodes"),
               format("one in {:.1f} h", 1 / stop_model(c_, row.nodes).failures.per_hour),
               format("{:.3f} h", in_hours(row.run.wall)), std::string(kDaly));
    c_.explain(format("nodes.{}.hours_95", row.nodes), say("as deadline.hours_95"), {},
               format("{:.3f} h", in_hours(cost::time_for_share(row.run, kSure))), say("as deadline.hours_95"));
    c_.explain(format("nodes.{}.cost", row.nodes), say("expected hours × nodes × price of one per hour"),
               format("{:.3f} × {} × {:.4f}", in_hours(row.run.wall), row.nodes, per_node_hour_),
               format("{:.2f} {}", row.cost, c_.currency()), std::string(kDefinition));
    if (!counts_.rows.empty()) {
      const NodeCount& fewest = counts_.rows.front();
      c_.explain(format("nodes.{}.efficiency", row.nodes), say("node hours of the fewest nodes ÷ node hours"),
                 format("{:.3f} × {} / ({:.3f} × {})", fewest.hours, fewest.nodes, row.hours, row.nodes),
                 format("{:.1f} %", row.efficiency * 100), std::string(kDefinition));
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

  const BreakEvenContext& c_;
  const workload::Workload& work_;
  double per_node_hour_;
  NodeCounts counts_;
};

}  // namespace

void add_node_counts(const BreakEvenContext& c) {
  const TermCost* on_demand = c.term(catalog::Term::on_demand);
  if (!c.job_hours() || !c.answer.work || c.subject().planned == nullptr || on_demand == nullptr) return;
  const bool pinned = c.answer.work->pins.dp || c.answer.work->inference.request_rate;
  if (pinned) return;
  NodeCounts counts = NodeSearch(c, *c.answer.work, on_demand->rate / c.subject().nodes).run();
  if (counts.rows.size() > 1) c.out.nodes = std::move(counts);
}

}  // namespace gpusel::advise
