// How many nodes of a shape the job takes: one if one will do, else what memory and deadline ask for. What a service at
// a rate takes is in traffic_nodes.cpp.
#include <algorithm>
#include <array>
#include <cmath>

#include "answer/search/known_machines.hpp"
#include "answer/search/search.hpp"
#include "base/values/normal.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "physics/planner/serving.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

namespace {

using job::Job;

constexpr std::array kNodeCounts{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
/// Training is tried on up to so many times the best number of nodes yet: room for activations saves recomputation.
constexpr int kMoreNodes = 8;
/// More nodes are taken for any less node time, as a looser deadline may not make it dearer; what differs by less is
/// equal.
constexpr double kWorthMore = 1.001;
/// Larger groups have to save so much: they start, fail and are billed together, and rules take a fifth off a copy of a
/// model that spans machines.
constexpr double kClearlyMore = 1.25;
/// Steps of more or fewer sequences than those asked for, by this share, are another training.
constexpr double kSameBatch = 0.1;
/// Nodes of eight GPUs with 80 GB: how many of them hold a job's states says on how many nodes of any kind it is tried.
constexpr double kUsualNodeGb = 8 * 80;
constexpr int kUsualNodes = 8;

/// The next count worth trying from `nodes` on.
int count_from(double nodes) {
  const auto found = std::find_if(kNodeCounts.begin(), kNodeCounts.end(), [&](int count) { return count >= nodes; });
  return found == kNodeCounts.end() ? kNodeCounts.back() + 1 : *found;
}

/// Whether the work divides into parts that need not know of each other.
bool is_in_parts(const Job& work) {
  return !job::is_training(work.task) && work.task != job::Task::simulate && work.ends();
}

/// Whether so many replicas train that each step has more sequences than it should.
bool crowds_batch(const Job& work, const physics::Plan& plan) {
  const auto& asked = work.training.global_batch;
  if (!job::is_training(work.task) || work.counted || !asked) return false;
  return static_cast<double>(plan.layout.global_batch()) > (1 + kSameBatch) * static_cast<double>(*asked) &&
         plan.layout.dp > *asked;
}

/// How near a plan that won't do comes: what there is to what is needed.
double nearness(const Job& work, const physics::Plan& plan) {
  using Kind = physics::Problem::Kind;
  const physics::Problem& problem = plan.problem;
  switch (problem.kind) {
    case Kind::memory:
    case Kind::cache: return problem.available_gib / problem.needed_gib;
    case Kind::too_much_traffic: return problem.most_per_s / problem.asked_per_s;
    case Kind::too_late: return problem.allowed_ms / problem.batch_ms;
    case Kind::latency: return 1 / physics::missed_by(work.inference, plan.serving->speed);
    default: return 0;
  }
}

}  // namespace

bool is_traffic(const Job& work) { return work.inference.request_rate && !job::is_training(work.task); }

void multiply(PlannedMachine& planned, int groups, int working) {
  planned.machine.nodes *= groups;
  planned.groups = groups;
  planned.working = working;
  physics::Plan& plan = planned.plan;
  plan.rate *= working;
  plan.sequences_per_s *= working;
  if (!plan.serving) return;
  plan.layout.dp *= groups;
  physics::Serving& serving = *plan.serving;
  serving.room.concurrency *= working;
  serving.room.max_concurrency *= groups;
  serving.speed.in_flight *= working;
  serving.speed.requests_per_s *= working;
  serving.speed.output_tokens_per_s *= working;
  serving.speed.total_tokens_per_s *= working;
}

std::optional<PlannedMachine> CandidateSearch::plan_pinned(const physics::Machine& node) {
  alone_.resize(1);
  Shape shape{.machine = node, .twin = 0, .instances = {0}};
  Reason unasked;
  if (!physics::has_targets(work_.inference) || !is_traffic(work_)) return plan_shape(shape, unasked);
  // Of the layouts that closed forms have keep the targets the one that answers soonest, else any that hold the
  // traffic.
  const Job traffic = physics::without_targets(work_);
  const CandidateSearch open(context_, traffic, Rejected::left_out);
  auto held = hold_rate(shape, open, unasked);
  auto best = held.begin();
  for (auto one = held.begin(); one != held.end(); ++one)
    if (one->enough > best->enough ||
        (one->enough == best->enough && physics::answers_sooner(one->planned.plan, best->planned.plan)))
      best = one;
  return best == held.end() ? std::nullopt : std::optional(std::move(best->planned));
}

Result<PlannedMachine> plan_on_all(const Job& work, const physics::Machine& machine, const catalog::Catalog& catalog,
                                   const physics::Coefficients& c) {
  const bool in_groups = is_traffic(work) || (work.counted && work.counted->demand) ||
                         (is_in_parts(work) && !work.inference.concurrency);  // which is in flight on all of them
  if (const auto converter = money::Converter::into(Currency::usd(), catalog);
      in_groups && machine.nodes > 1 && converter) {
    Question pinned;
    pinned.constraints.nodes = machine.nodes;
    const money::Quoter quoter(catalog, c, *converter, {});
    const SearchContext context{pinned, catalog, c, quoter, {}};
    physics::Machine node = machine;
    node.nodes = 1;
    if (auto planned = CandidateSearch(context, work, CandidateSearch::Rejected::left_out).plan_pinned(node))
      return std::move(*planned);
  }
  auto plan = physics::plan_for(work, machine, c);
  if (!plan) return std::unexpected(plan.error());
  return planned_on(machine, std::move(*plan));
}

int usual_most_nodes(const Job& work) {
  if (work.task != job::Task::finetune || work.counted) return kNodeCounts.back();
  const double gb = in_gb(physics::training_states(work, work.training.precision.value_or(job::Precision::bf16)));
  return std::min(kNodeCounts.back(), kUsualNodes * static_cast<int>(std::max(1.0, std::ceil(gb / kUsualNodeGb))));
}

/// As the limits have it, else as the job alone has it: what is found of one machine hangs on no other.
int CandidateSearch::most_nodes() const {
  const auto& limits = context_.question.constraints;
  if (limits.nodes) return static_cast<int>(*limits.nodes);
  return limits.max_nodes ? static_cast<int>(*limits.max_nodes) : usual_most_nodes(work_);
}

void CandidateSearch::plan_shapes(double ceiling, std::vector<Recommendation>& out) {
  alone_.resize(shapes_.size());
  if (KnownMachines* known = context_.question.best_only.get()) return plan_cheapest(*known, ceiling, out);
  if (std::isfinite(ceiling) && cost_decides()) {
    KnownMachines unknown;
    return plan_cheapest(unknown, ceiling, out);
  }
  for (const Shape& shape : shapes_) {
    Reason reason;
    if (auto planned = plan_shape(shape, reason))
      offer_shape(shape, std::move(*planned), out);
    else if (keep_rejections_)
      reject_shape(shape, reason);
  }
}

std::optional<CandidateSearch::Planned> CandidateSearch::plan_shape(const Shape& shape, Reason& reason) {
  if (work_.counted && work_.counted->demand) return hold_demand(shape, reason);
  if (is_traffic(work_)) return serve_rate(shape, reason);
  return is_in_parts(work_) ? divide(shape, reason) : join(shape, reason);
}

/// In the order of what they cost at least: what costs more than the ceiling is of no use, and where only the best is
/// wanted what costs more than a known one comes behind it.
void CandidateSearch::plan_cheapest(KnownMachines& known, double ceiling, std::vector<Recommendation>& out) {
  constexpr double kAlike = 1 + 1e-6;  // what ranks as the same cost
  const bool best_only = context_.question.best_only != nullptr;
  double last = ceiling;
  for (const auto& [cost, i] : by_least_cost(known)) {
    if (cost > last * kAlike) break;
    Reason unasked;
    auto& plan = known.plans[i];
    if (!plan) plan = plan_shape(shapes_[i], unasked);
    const std::size_t before = out.size();
    if (*plan) offer_shape(shapes_[i], **plan, out);
    if (!best_only) continue;
    for (const Recommendation& one : std::span(out).subspan(before))
      last = std::min(last, order_cost(one, work_) / rules_factor(one));
  }
}

/// The shapes that may do, with what they cost at least; 0 where cost doesn't put them in order.
std::vector<std::pair<double, std::size_t>> CandidateSearch::by_least_cost(KnownMachines& known) const {
  known.plans.resize(shapes_.size());
  const bool by_cost = cost_decides();
  if (by_cost) learn_node_costs(known);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const auto& plan = known.plans[i];
    if (plan && !*plan) continue;
    const double nodes = plan ? (*plan)->machine.nodes : is_traffic(work_) ? least_nodes_at_rate(shapes_[i]) : 1;
    const double cost = by_cost ? known.node_costs[i] * known.least_now / known.most_then : 0;
    if (std::isfinite(nodes)) order.emplace_back(nodes * cost, i);
  }
  std::ranges::sort(order);
  return order;
}

void CandidateSearch::learn_node_costs(KnownMachines& known) const {
  std::vector<std::vector<std::uint32_t>> instances;
  for (const Shape& shape : shapes_) instances.push_back(shape.instances);
  if (!known.node_costs.empty() && known.instances == instances) return;
  known.instances = std::move(instances);
  known.node_costs.clear();
  for (const Shape& shape : shapes_) known.node_costs.push_back(least_node_cost(shape));
  known.most_then = known.most_now;
}

/// Whether what nodes cost by the hour puts candidates in order, and rules at most put some behind others.
bool CandidateSearch::cost_decides() const {
  const job::Objective& objective = context_.question.objective;
  return work_.by_the_hour() && !work_.counted && is_by_cost(objective) &&
         std::ranges::all_of(adjusting_.rules(), [](const rules::Rule* rule) { return rule->points <= 0; });
}

/// It hangs on the GPU alone, however much of it and however many a shape has.
Bytes CandidateSearch::least_memory(const physics::Device& device) const {
  if (device.gpu == nullptr || device.processor != nullptr) return physics::least_total_memory(work_, device);
  const auto [known, fresh] = least_memory_.try_emplace(device.gpu);
  if (fresh) known->second = physics::least_total_memory(work_, device);
  return known->second;
}

/// The rule by which what needs more than it may take falls, whatever else is true of it; null: there is none.
const rules::Rule* CandidateSearch::misfits_fall() const {
  rules::Facts facts = job_;
  facts.set(rules::Fact::fit_probability, 0.0);
  facts.set(rules::Fact::fit, to_text(judge_fit(fitting_, facts).verdict));
  return by_plan_.first_to_fire(facts);
}

/// Hours from start to end, under the duty cycle.
double CandidateSearch::elapsed(Seconds work) const {
  return money::elapsed_hours(in_hours(work), context_.question.duty);
}

/// Nodes below which neither the memory nor the deadline can be met, whatever the plan.
double CandidateSearch::least_nodes(const Shape& shape, bool in_time) const {
  const Bytes node = shape.machine.memory() * shape.machine.gpus_per_node;
  const double memory = misfits_fall() ? least_memory(shape.machine.device) / node : 0;
  const auto& deadline = context_.question.constraints.deadline_hours;
  const double time = deadline && in_time ? elapsed(physics::least_time(work_, shape.machine)) / *deadline : 0;
  return std::max({1.0, memory, time});
}

double CandidateSearch::late_by(const Planned& planned) const {
  const auto& deadline = context_.question.constraints.deadline_hours;
  if (!deadline) return 1;
  const double rate = sure_rate(work_, planned.machine, planned.plan, context_.coefficients);
  const auto hours = expected_hours(work_, planned.machine, planned.plan, rate, context_.coefficients);
  return hours ? elapsed(seconds(*hours * 3600)) / *deadline : 1;
}

/// On the fewest nodes of which one plan holds the job, and meets its deadline where `in_time`.
std::optional<CandidateSearch::Planned> CandidateSearch::on_fewest(const Shape& shape, bool in_time, Reason& reason) {
  const bool exact = context_.question.constraints.nodes.has_value() && !is_in_parts(work_);
  const int most = most_nodes();
  std::optional<Planned> best;
  int nodes = exact ? most : count_from(least_nodes(shape, in_time));
  while (nodes <= most) {
    const bool joined = !work_.counted || !is_in_parts(work_);
    if (nodes > 1 && joined && shape.machine.network.raw() <= 0) {
      reason = {"network-unknown", [alone = reason.message] {
                  std::string why = say("several nodes are needed, and the network between them is not documented");
                  return alone ? format("{}; {}", alone(), why) : why;
                }};
      break;
    }
    if (auto planned = plan_on(shape, nodes, reason)) {
      // Where fewer nodes do with the batch that is asked for, more of them for a deadline's sake are another training.
      if (!exact && crowds_batch(work_, planned->plan) && (best || (in_time && keeps_batch(shape)))) {
        reason = {"deadline", [nodes, asked = *work_.training.global_batch] {
                    return say("{} nodes would need a global batch above {}, which changes the training", nodes, asked);
                  }};
        break;
      }
      best = std::move(planned);
    }
    if (exact || (best && (!in_time || late_by(*best) <= 1))) break;
    nodes = count_from(nodes + 1.0);  // no further: twice the memory may be more than twice as fast
  }
  if (!best && !reason.message) reason = too_few_nodes(shape, most, in_time);
  return best;
}

/// Whether some number of nodes holds the job with its batch, however late.
bool CandidateSearch::keeps_batch(const Shape& shape) {
  Reason unasked;
  const auto planned = on_fewest(shape, false, unasked);
  return planned && !crowds_batch(work_, planned->plan);
}

/// Nodes that work on the same thing.
std::optional<CandidateSearch::Planned> CandidateSearch::join(const Shape& shape, Reason& reason) {
  auto planned = on_fewest(shape, true, reason);
  if (!planned || context_.question.constraints.nodes) return planned;
  return spread(shape, most_nodes(), std::move(*planned));
}

/// Fewest groups that are in time together, or one too many: the more nodes, the more of them fail.
double CandidateSearch::groups_in_time(const Planned& group) const {
  const double most = std::floor(static_cast<double>(most_nodes()) / group.machine.nodes);
  double groups = std::max(1.0, std::ceil(late_by(group) - 1e-9));
  while (groups <= most) {
    Planned together = group;
    multiply(together, static_cast<int>(groups), static_cast<int>(groups));
    const double late = late_by(together);
    if (late <= 1) break;
    groups = std::max(groups + 1, std::floor(groups * late));
  }
  return groups;
}

/// The same work by larger groups, where these do more than in proportion: weights that crowd out caches have more
/// room, and data no longer spill.
CandidateSearch::Planned CandidateSearch::enlarged(const Shape& shape, Planned planned) {
  const auto node_time = [](const Planned& p) { return p.machine.nodes / p.plan.rate; };
  if (!work_.counted && shape.machine.network.raw() <= 0) return planned;
  const int fewest = planned.machine.nodes;
  const int most = std::min(most_nodes(), std::max(kMostJoined, 4 * fewest));
  const auto& pinned = context_.question.constraints.nodes;
  for (int nodes = count_from(fewest + 1.0); nodes <= most; nodes = count_from(nodes + 1.0)) {
    if (pinned && *pinned % nodes != 0) continue;
    Reason unasked;
    auto larger = plan_on(shape, nodes, unasked);
    if (!larger) continue;
    if (node_time(*larger) * kClearlyMore < node_time(planned))
      planned = std::move(*larger);
    else if (nodes >= 2 * planned.machine.nodes)
      break;
  }
  return planned;
}

/// Groups of nodes that each do a part of the work: as many as are in time.
std::optional<CandidateSearch::Planned> CandidateSearch::divide(const Shape& shape, Reason& reason) {
  auto planned = on_fewest(shape, false, reason);
  if (!planned) return std::nullopt;
  const auto& pinned = context_.question.constraints.nodes;
  const int fewest = planned->machine.nodes;
  planned = enlarged(shape, std::move(*planned));
  const int group = planned->machine.nodes;
  const double groups =
      pinned ? std::max(1.0, std::floor(static_cast<double>(*pinned) / group)) : groups_in_time(*planned);
  if (groups * group > most_nodes()) {
    reason = {"deadline", [needed = groups * group, most = most_nodes()] {
                return say("needs at least {:.0f} nodes to finish in time, {} allowed", needed, most);
              }};
    return std::nullopt;
  }
  if (work_.counted && fewest == 1) return whole_things(shape, static_cast<int>(group * groups), reason);
  multiply(*planned, static_cast<int>(groups), static_cast<int>(groups));
  return planned;
}

/// Side by side each does whole things, so that some do one more than others: on the fewest that are in time then.
std::optional<CandidateSearch::Planned> CandidateSearch::whole_things(const Shape& shape, int nodes, Reason& reason) {
  const bool pinned = context_.question.constraints.nodes.has_value();
  for (; nodes <= most_nodes(); ++nodes) {
    auto planned = plan_on(shape, nodes, reason);
    if (!planned) return std::nullopt;
    planned->groups = planned->working = nodes;
    const double late = late_by(*planned);
    if (pinned || late <= 1) return planned;
    nodes = std::max(nodes, static_cast<int>(std::floor(nodes * late)) - 1);
  }
  reason = {"deadline", [nodes, most = most_nodes()] {
              return say("needs at least {} nodes to finish in time, {} allowed", nodes, most);
            }};
  return std::nullopt;
}

/// The plan on the fewest nodes whose time in all is next to the least. Prices do not matter: the nodes are all alike.
CandidateSearch::Planned CandidateSearch::spread(const Shape& shape, int most_nodes, Planned needed) {
  if (!job::is_training(work_.task) || shape.machine.network.raw() <= 0) return needed;
  const auto node_time = [](const Planned& p) { return p.machine.nodes / p.plan.rate; };
  const auto batch = [](const Planned& p) { return p.plan.layout.global_batch(); };
  const auto is_another = [&](const Planned& p) {
    const auto& asked = work_.training.global_batch;
    return asked && batch(p) != batch(needed) &&
           std::abs(static_cast<double>(batch(p) - *asked)) > kSameBatch * static_cast<double>(*asked);
  };
  const int fewest = needed.machine.nodes;
  const double longest = node_time(needed);
  double least = longest;
  int best_nodes = fewest;
  std::vector<Planned> tried;
  for (const int nodes : kNodeCounts) {
    if (nodes <= fewest || nodes > std::min(most_nodes, kMoreNodes * best_nodes)) continue;
    Reason unasked;
    auto more = plan_on(shape, nodes, unasked);
    if (!more || is_another(*more) || late_by(*more) > 1) continue;
    if (node_time(*more) < least) best_nodes = nodes;
    least = std::min(least, node_time(*more));
    tried.push_back(std::move(*more));
  }
  if (longest <= kWorthMore * least) return needed;
  const auto best = std::ranges::find_if(tried, [&](const Planned& p) { return node_time(p) <= kWorthMore * least; });
  best->fewest = {fewest, longest / node_time(*best)};
  best->on_fewest = std::make_shared<const Planned>(std::move(needed));
  return std::move(*best);
}

/// Why not even the smallest number of nodes worth planning is allowed.
Reason CandidateSearch::too_few_nodes(const Shape& shape, int most_nodes, bool in_time) const {
  const Bytes needed = least_memory(shape.machine.device);
  const Bytes there = shape.machine.memory() * (shape.machine.gpus_per_node * most_nodes);
  if (const rules::Rule* rule = misfits_fall(); rule != nullptr && needed > there)
    return {rule->id,
            [needed, there] {
              return say("needs at least {:.0f} GiB in total, has {:.0f} GiB", in_gib(needed), in_gib(there));
            },
            there / needed};
  return {"deadline", [least = least_nodes(shape, in_time), most_nodes] {
            return say("needs at least {:.0f} nodes to finish in time, {} allowed", std::ceil(least), most_nodes);
          }};
}

void CandidateSearch::reject_shape(const Shape& shape, const Reason& reason) {
  std::optional<std::string> message;  // the same for all
  const Reason once{reason.rule,
                    [&] {
                      if (!message) message = reason.message();
                      return *message;
                    },
                    reason.nearness};
  for (const std::uint32_t index : shape.instances) reject(context_.catalog.instances()[index], once);
}

const rules::Rule* CandidateSearch::against(const physics::Machine& machine, const physics::Plan& plan) const {
  rules::Facts facts = job_;
  plan_facts(facts, work_, machine, plan, context_.question.duty, context_.coefficients);
  facts.set(rules::Fact::fit, to_text(judge_fit(fitting_, facts).verdict));
  return by_plan_.first_to_fire(facts);
}

bool CandidateSearch::will_do(const physics::Machine& machine, const physics::Plan& plan) const {
  if (plan.is_usable() && plan.need.likely(physics::least_chance(work_, context_.coefficients))) return true;
  // Whether too much memory, or too little of a chance, is too much is for the rules to say, where there are any.
  if (context_.rules.empty()) return false;
  const bool over = plan.problem.kind == physics::Problem::Kind::memory && plan.rate > 0;
  return (over || plan.is_usable()) && against(machine, plan) == nullptr;
}

Reason CandidateSearch::reason_of(const physics::Machine& machine, const physics::Plan& plan) const {
  const physics::Problem& problem = plan.problem;
  const double near = nearness(work_, plan);
  const auto because = [&](std::string_view rule) { return Reason{rule, [problem] { return problem.text(); }, near}; };
  if (const std::string_view reason = planner_reason(problem.kind); !reason.empty()) return because(reason);
  const rules::Rule* rule = against(machine, plan);
  if (rule == nullptr) return because("no-room-for-cache");
  rules::Facts facts = job_;
  plan_facts(facts, work_, machine, plan, context_.question.duty, context_.coefficients);
  return {rule->id,
          [text = rules::verdict(*rule, facts).message, plan = physics::plan_text(work_, plan.layout)] {
            return say("{}; plan: {}", text, plan);
          },
          near};
}

/// At a rate it is the number of groups that keeps them.
bool CandidateSearch::keeps_targets_surely(const physics::Machine& machine, const physics::Plan& plan) const {
  constexpr double kRounding = 1e-3;
  if (!plan.serving || is_traffic(work_) || !physics::has_targets(work_.inference)) return true;
  return physics::chance_to_hold(work_, machine, plan, context_.coefficients) >= work_.confidence - kRounding;
}

CandidateSearch::Attempt CandidateSearch::attempt(const physics::Machine& machine) const {
  auto plan = physics::plan_for(work_, machine, context_.coefficients);
  Attempt made;
  if (!plan && keep_rejections_) made.reason = {"no-legal-plan", [message = plan.error().message] { return message; }};
  if (!plan) return made;
  const bool will = will_do(machine, *plan);
  const bool sure = will && keeps_targets_surely(machine, *plan);
  if (keep_rejections_ && !sure) made.reason = will ? not_kept(false) : reason_of(machine, *plan);
  if (sure) made.plan = std::move(*plan);
  return made;
}

std::optional<CandidateSearch::Planned> CandidateSearch::plan_on(const Shape& shape, int nodes, Reason& reason) {
  physics::Machine machine = shape.machine;
  machine.nodes = nodes;
  std::unique_ptr<Attempt> several;
  std::unique_ptr<Attempt>& made = nodes == 1 ? alone_[shape.twin] : several;
  if (!made) made = std::make_unique<Attempt>(attempt(machine));
  if (made->reason.message) reason = made->reason;
  if (!made->plan) return std::nullopt;
  return Planned{machine, *made->plan};
}

/// Enough equal instances side by side for what has to be held at once or per second.
std::optional<CandidateSearch::Planned> CandidateSearch::hold_demand(const Shape& shape, Reason& reason) {
  const job::Counted& job = *work_.counted;
  auto planned = plan_on(shape, 1, reason);
  if (!planned) return std::nullopt;
  // Sessions and streams have their headroom already; what comes at random needs some.
  const double load = !job.unit.at_once() ? job.max_load : 1;
  const double sure = sure_rate(work_, planned->machine, planned->plan, context_.coefficients);
  const double enough = std::ceil(*job.demand / std::min(load * planned->plan.rate, sure) - 1e-9);
  const double nodes = std::max(enough + static_cast<double>(job.redundancy),
                                static_cast<double>(context_.question.constraints.nodes.value_or(1)));
  if (nodes > most_nodes()) {
    reason = {"too-slow",
              [nodes, most = most_nodes()] {
                return say("needs {} instances, more than --max-nodes {}", human_number(nodes), most);
              },
              most_nodes() / nodes};
    return std::nullopt;
  }
  multiply(*planned, static_cast<int>(nodes), static_cast<int>(nodes - static_cast<double>(job.redundancy)));
  return planned;
}

}  // namespace gpusel::answer
