// How many nodes of a shape the job takes: one if one will do, else what memory and deadline ask for.
#include <algorithm>
#include <array>
#include <cmath>

#include "answer/search/search.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::Job;

constexpr std::array kNodeCounts{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
/// Unasked, no shape needs more than so many times the nodes of the smallest plan.
constexpr int kSpread = 8;
/// Training is tried on up to so many times the nodes that it needs: room for activations saves recomputation.
constexpr int kMoreNodes = 4;
/// More nodes are taken only for less node time than this: they are harder to get, and wait for each other more.
constexpr double kWorthMore = 1.02;
/// Steps of more or fewer sequences than those asked for, by this share, are another training.
constexpr double kSameBatch = 0.1;
/// Equal instances beyond which traffic is not served by counting them.
constexpr double kMostReplicas = 1024;

/// The next count worth trying from `nodes` on.
int count_from(double nodes) {
  const auto found = std::find_if(kNodeCounts.begin(), kNodeCounts.end(), [&](int count) { return count >= nodes; });
  return found == kNodeCounts.end() ? kNodeCounts.back() + 1 : *found;
}

}  // namespace

void CandidateSearch::plan_shapes(std::vector<Recommendation>& out) {
  const auto& limits = context_.question.constraints;
  alone_.resize(shapes_.size());
  const bool traffic = work_.inference.request_rate && !job::is_training(work_.task);
  const bool demanded = work_.counted && work_.counted->demand;
  const int most = static_cast<int>(limits.nodes.value_or(limits.max_nodes.value_or(kNodeCounts.back())));
  if (demanded) {
    for (const Shape& shape : shapes_) hold_demand(shape, most, out);
    return;
  }
  if (limits.nodes || limits.max_nodes || traffic) {
    for (const Shape& shape : shapes_) traffic ? serve_shape(shape, most, out) : plan_shape(shape, most, out);
    return;
  }
  // "What the job needs" is one node wherever one will do.
  const Rejections::Mark before = rejections_.mark();
  for (const Shape& shape : shapes_) plan_shape(shape, 1, out);
  if (!out.empty()) return;
  rejections_.go_back(before);
  plan_many_nodes(out);
}

/// Fastest nodes first, so that what they need bounds how many of the slower ones are tried.
void CandidateSearch::plan_many_nodes(std::vector<Recommendation>& out) {
  std::vector<std::pair<Seconds, const Shape*>> order;
  order.reserve(shapes_.size());
  for (const Shape& shape : shapes_) order.emplace_back(physics::least_time(work_, shape.machine), &shape);
  std::ranges::stable_sort(order, {}, &std::pair<Seconds, const Shape*>::first);
  int most = kNodeCounts.back();
  for (const auto& [time, shape] : order) {
    const std::size_t had = out.size();
    plan_shape(*shape, most, out);
    for (std::size_t i = had; i < out.size(); ++i) most = std::min(most, kSpread * out[i].planned->fewest_nodes());
  }
  std::erase_if(out, [&](const Recommendation& candidate) {
    const int nodes = candidate.planned->fewest_nodes();
    if (nodes <= most) return false;
    reject(*candidate.instance, {"too-many-nodes", [nodes, most] {
                                   return say("takes {} nodes where others take {} or fewer", nodes, most);
                                 }});
    return true;
  });
}

/// It hangs on the GPU alone, however much of it and however many a shape has.
Bytes CandidateSearch::least_memory(const physics::Device& device) const {
  if (device.gpu == nullptr) return physics::least_total_memory(work_, device);
  least_memory_.resize(context_.catalog.gpus().size());
  auto& known = least_memory_[static_cast<std::size_t>(device.gpu - context_.catalog.gpus().data())];
  if (!known) known = physics::least_total_memory(work_, device);
  return *known;
}

/// The rule by which what needs more than it may take falls, whatever else is true of it; null: there is none.
const rules::Rule* CandidateSearch::misfits_fall() const {
  rules::Facts facts = job_;
  facts.set(rules::Fact::memory_needed_gib, 2.0);
  facts.set(rules::Fact::memory_allowed_gib, 1.0);
  facts.set(rules::Fact::fit, to_text(judge_fit(fitting_, facts).verdict));
  return by_plan_.first_to_fire(facts);
}

/// Hours from start to end, under the duty cycle.
double CandidateSearch::elapsed(Seconds work) const {
  return money::elapsed_hours(in_hours(work), context_.question.duty);
}

/// Nodes below which neither the memory nor the deadline can be met, whatever the plan.
double CandidateSearch::least_nodes(const Shape& shape) const {
  const Bytes node = physics::most_memory(shape.machine, context_.coefficients) * shape.machine.gpus_per_node;
  const double memory = misfits_fall() ? least_memory(shape.machine.device) / node : 0;
  const auto& deadline = context_.question.constraints.deadline_hours;
  const double time = deadline ? elapsed(physics::least_time(work_, shape.machine)) / *deadline : 0;
  return std::max({1.0, memory, time});
}

double CandidateSearch::late_by(const Planned& planned) const {
  const auto& deadline = context_.question.constraints.deadline_hours;
  const auto duration = duration_of(work_, planned.plan.rate);
  return deadline && duration ? elapsed(*duration) / *deadline : 1;
}

void CandidateSearch::plan_shape(const Shape& shape, int most_nodes, std::vector<Recommendation>& out) {
  const bool exact = context_.question.constraints.nodes.has_value();
  const double least = least_nodes(shape);
  Reason reason;
  std::optional<Planned> best;
  int nodes = exact ? most_nodes : count_from(least);
  while (nodes <= most_nodes) {
    const bool joined = !work_.counted || job::is_training(work_.task);
    if (nodes > 1 && joined && shape.machine.network.raw() <= 0) {
      reason = {"network-unknown", [] { return say("its network is not documented, so nodes cannot be joined"); }};
      break;
    }
    if (auto planned = plan_on(shape, nodes, reason)) best = std::move(planned);
    const double late = best ? late_by(*best) : 0;
    if (exact || (best && late <= 1)) break;
    nodes = count_from(std::max(nodes + 1.0, nodes * late));
  }
  if (best) {
    offer_shape(shape, exact ? std::move(*best) : spread(shape, most_nodes, std::move(*best)), out);
  } else if (keep_rejections_) {
    reject_shape(shape, reason.message ? reason : too_few_nodes(shape, most_nodes));
  }
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
  std::vector<Planned> tried;
  for (const int nodes : kNodeCounts) {
    if (nodes <= fewest || nodes > std::min(most_nodes, kMoreNodes * fewest)) continue;
    Reason unasked;
    auto more = plan_on(shape, nodes, unasked);
    if (!more || is_another(*more) || late_by(*more) > 1) continue;
    least = std::min(least, node_time(*more));
    tried.push_back(std::move(*more));
  }
  if (longest <= kWorthMore * least) return needed;
  const auto best = std::ranges::find_if(tried, [&](const Planned& p) { return node_time(p) <= kWorthMore * least; });
  best->fewest = {fewest, longest / node_time(*best)};
  return std::move(*best);
}

/// Why not even the smallest number of nodes worth planning is allowed.
Reason CandidateSearch::too_few_nodes(const Shape& shape, int most_nodes) const {
  const Bytes needed = least_memory(shape.machine.device);
  const Bytes there =
      physics::most_memory(shape.machine, context_.coefficients) * (shape.machine.gpus_per_node * most_nodes);
  if (const rules::Rule* rule = misfits_fall(); rule != nullptr && needed > there)
    return {rule->id, [needed, there] {
              return say("needs at least {:.0f} GiB in all, has {:.0f} GiB", in_gib(needed), in_gib(there));
            }};
  return {"deadline", [least = least_nodes(shape), most_nodes] {
            return say("needs at least {:.0f} nodes to be in time, {} allowed", std::ceil(least), most_nodes);
          }};
}

void CandidateSearch::reject_shape(const Shape& shape, const Reason& reason) {
  std::optional<std::string> message;  // the same for all
  const Reason once{reason.rule, [&] {
                      if (!message) message = reason.message();
                      return *message;
                    }};
  for (const std::uint32_t index : shape.instances) reject(context_.catalog.instances()[index], once);
}

const rules::Rule* CandidateSearch::against(const physics::Machine& machine, const physics::Plan& plan) const {
  rules::Facts facts = job_;
  plan_facts(facts, work_, machine, plan, context_.question.duty, context_.coefficients);
  facts.set(rules::Fact::fit, to_text(judge_fit(fitting_, facts).verdict));
  return by_plan_.first_to_fire(facts);
}

bool CandidateSearch::will_do(const physics::Machine& machine, const physics::Plan& plan) const {
  if (plan.is_usable()) return true;
  // Whether too much memory is too much is for the rules to say.
  return plan.problem.kind == physics::Problem::Kind::memory && plan.rate > 0 && against(machine, plan) == nullptr;
}

Reason CandidateSearch::reason_of(const physics::Machine& machine, const physics::Plan& plan) const {
  using Kind = physics::Problem::Kind;
  const physics::Problem& problem = plan.problem;
  const auto because = [&](std::string_view rule) { return Reason{rule, [problem] { return problem.text(); }}; };
  switch (problem.kind) {
    case Kind::latency:
    case Kind::too_much_traffic:
    case Kind::too_late: return because("too-slow");
    case Kind::no_rate:
    case Kind::unpublished: return because("figures-not-published");
    case Kind::lacking: return because("lacks-hardware");
    default: break;
  }
  const rules::Rule* rule = against(machine, plan);
  if (rule == nullptr) return because("no-room-for-cache");
  rules::Facts facts = job_;
  plan_facts(facts, work_, machine, plan, context_.question.duty, context_.coefficients);
  return {rule->id, [text = rules::verdict(*rule, facts).message] { return text; }};
}

CandidateSearch::Attempt CandidateSearch::attempt(const physics::Machine& machine) const {
  auto plan = physics::plan_for(work_, machine, context_.coefficients);
  Attempt made;
  if (!plan && keep_rejections_) made.reason = {"no-legal-plan", [message = plan.error().message] { return message; }};
  if (!plan) return made;
  const bool will = will_do(machine, *plan);
  if (keep_rejections_ && !will && plan->problem.any()) made.reason = reason_of(machine, *plan);
  if (will) made.plan = std::move(*plan);
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

void CandidateSearch::serve_shape(const Shape& shape, int most_nodes, std::vector<Recommendation>& out) {
  Reason reason;
  auto planned = serve_rate(shape, reason);
  const bool limited = context_.question.constraints.nodes || context_.question.constraints.max_nodes;
  if (planned && limited && planned->machine.nodes > most_nodes) {
    reason = {"too-slow",
              [needed = planned->machine.nodes] { return say("needs {} instances for the traffic", needed); }};
    planned.reset();
  }
  planned ? offer_shape(shape, std::move(*planned), out) : reject_shape(shape, reason);
}

/// Enough equal instances side by side for what has to be held at once or per second.
void CandidateSearch::hold_demand(const Shape& shape, int most_nodes, std::vector<Recommendation>& out) {
  const job::Counted& job = *work_.counted;
  Reason reason;
  auto planned = plan_on(shape, 1, reason);
  if (!planned) return reject_shape(shape, reason);
  // Sessions and streams have their headroom already; what comes at random needs some.
  const double load = !job.unit.at_once() ? job.max_load : 1;
  const double enough = std::ceil(*job.demand / (load * planned->plan.rate) - 1e-9);
  const double nodes = std::max(enough + static_cast<double>(job.redundancy),
                                static_cast<double>(context_.question.constraints.nodes.value_or(1)));
  if (nodes > most_nodes)
    return reject_shape(shape, {"too-slow", [nodes] { return say("needs {} instances", human_number(nodes)); }});
  const int working = static_cast<int>(nodes) - static_cast<int>(job.redundancy);
  planned->machine.nodes = static_cast<int>(nodes);
  planned->plan.rate *= working;
  offer_shape(shape, std::move(*planned), out);
}

/// Enough equal instances side by side for the traffic, each with its share of it.
std::optional<CandidateSearch::Planned> CandidateSearch::serve_rate(const Shape& shape, Reason& reason) const {
  Job full = work_;
  full.inference.request_rate.reset();
  full.inference.mode = job::Mode::throughput;
  const auto capacity = physics::plan_inference(full, shape.machine, context_.coefficients);
  if (!capacity || !will_do(shape.machine, *capacity)) {
    reason = capacity ? reason_of(shape.machine, *capacity)
                      : Reason{"no-legal-plan", [text = capacity.error().message] { return text; }};
    return std::nullopt;
  }
  const auto& job = work_.inference;
  const double enough = std::ceil(*job.request_rate / (job.max_load * capacity->sequences_per_s));
  if (enough > kMostReplicas) {
    reason = {"too-slow", [enough] { return say("needs {} instances for the traffic", human_number(enough)); }};
    return std::nullopt;
  }
  const auto pinned = static_cast<int>(context_.question.constraints.nodes.value_or(1) - job.redundancy);
  // Where queues would break the targets, more instances each have less of the traffic.
  for (const double more : {1.0, 1.25, 1.6, 2.0, 3.0}) {
    const int working = std::max({pinned, 1, static_cast<int>(std::ceil(enough * more))});
    if (auto planned = serve_share(shape, working, reason)) return planned;
    if (reason.rule != "too-slow") break;
  }
  return std::nullopt;
}

/// `working` instances with an equal share of the traffic each, and the spare ones beside them. The figures are those
/// of the working ones: they hold while the spare ones are out.
std::optional<CandidateSearch::Planned> CandidateSearch::serve_share(const Shape& shape, int working,
                                                                     Reason& reason) const {
  Job share = work_;
  share.inference.request_rate = *work_.inference.request_rate / working;
  auto plan = physics::plan_inference(share, shape.machine, context_.coefficients);
  if (!plan || !will_do(shape.machine, *plan)) {
    reason = plan ? reason_of(shape.machine, *plan)
                  : Reason{"no-legal-plan", [text = plan.error().message] { return text; }};
    return std::nullopt;
  }
  const int nodes = working + static_cast<int>(work_.inference.redundancy);
  plan->layout.dp *= nodes;
  physics::Serving& serving = *plan->serving;
  serving.room.concurrency *= working;
  serving.room.max_concurrency *= nodes;
  serving.speed.in_flight *= working;
  serving.speed.requests_per_s *= working;
  serving.speed.output_tokens_per_s *= working;
  serving.speed.total_tokens_per_s *= working;
  plan->rate *= working;
  plan->sequences_per_s *= working;
  Planned planned{shape.machine, std::move(*plan)};
  planned.machine.nodes = nodes;
  return planned;
}

}  // namespace gpusel::answer
