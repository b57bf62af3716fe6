#include "answer/search/promises.hpp"

#include <algorithm>
#include <cmath>

#include "answer/search/search.hpp"
#include "answer/simulate/parts.hpp"
#include "base/text/text.hpp"
#include "base/values/normal.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

namespace {

constexpr double kByFar = 0.06;     // of the share in time, that a short run leaves no doubt of
constexpr double kHardlyAny = 0.1;  // of the requests that may be late, likewise
constexpr double kToJudgeBy = 20;   // requests that may be late, so that a short run says something

std::string scene_key(const job::Job& work, const physics::Machine& m, const physics::Layout& l) {
  const auto& job = work.inference;
  const bool joined = m.nodes > 1;  // a replica may lie over several
  const auto ms = [](const std::optional<double>& value) { return value.value_or(-1); };
  return format(
      "{} {} {} {} {} {} {} {} {} {} {} {} | {} {} {} {} {} {} {} {} {} {} | {} {} {} {} {} {}", work.model->id,
      job.input_tokens, job.output_tokens, job.prefix_cache_hit, *job.request_rate, ms(job.ttft_ms), ms(job.tpot_ms),
      ms(job.itl_ms), ms(job.e2e_ms), job.slo_percentile, work.confidence, to_text(job.engine), m.device.gpu->id,
      m.device.share, m.device.usable.raw(), m.device.bandwidth.raw(), m.gpus_per_node, m.nodes,
      static_cast<int>(m.link), m.link_bandwidth.raw(), joined ? m.network.raw() : 0, joined && m.rdma,
      l.weights != nullptr ? l.weights->name : std::string_view(), static_cast<int>(l.kv), l.tp, l.pp, l.ep, l.dp);
}

physics::Percentiles percentiles_of(const serve::Figures& f) {
  return {seconds(f.mean), seconds(f.p50), seconds(f.p90), seconds(f.p95), seconds(f.p99), seconds(f.p999)};
}

}  // namespace

physics::InferenceSpeed::Simulated Promises::figures_of(const Scene& scene, int machines,
                                                        const serve::Outcome& outcome) {
  const serve::Measures& m = outcome.measures;
  const double replicas = static_cast<double>(scene.replicas_each) * machines;  // of which a part was simulated
  const bool users = scene.demand.users.count > 0;
  return {percentiles_of(m.ttft),
          percentiles_of(m.tpot),
          percentiles_of(m.itl),
          percentiles_of(m.e2e),
          outcome.in_time.all,
          outcome.utilization,
          outcome.batch.mean * replicas,
          users ? std::optional(outcome.requests_per_s / outcome.replicas * replicas) : std::nullopt};
}

bool Promises::speak_of(const job::Job& work) {
  return work.task == job::Task::inference && !work.counted && work.inference.request_rate &&
         physics::has_targets(work.inference) && work.model->is_generator() && !work.model->is_encoder_decoder() &&
         !work.inference.disaggregated_prefill;
}

Promises::Scene* Promises::scene(const job::Job& work, const physics::Machine& group, const physics::Plan& plan) {
  if (group.device.gpu == nullptr || !plan.serving) return nullptr;
  std::unique_ptr<Scene>& known = scenes_[scene_key(work, group, plan.layout)];
  if (known) return known.get();
  auto setup = serve::setup_of(work, group, plan.layout, plan.serving->room, c_);
  if (!setup) return nullptr;
  known = std::make_unique<Scene>(
      Scene{.setup = std::move(*setup), .demand = {}, .goal = {}, .doubt = {}, .replicas_each = plan.layout.dp});
  known->setup.scheduling.longest = static_cast<std::uint32_t>(work.model->max_context.value_or(0));
  known->demand = demand_of(work);
  known->demand.longest = known->setup.scheduling.longest;
  known->in_flight = *work.inference.request_rate * plan.serving->speed.e2e().raw();
  known->goal = goal_of(work);
  known->doubt = doubt_of(work, group, plan, c_);
  return known.get();
}

Promises::Scene* Promises::scene(const job::Job& work, const PlannedMachine& planned) {
  const auto [group, layout] = one_group(planned);
  physics::Plan one = planned.plan;
  one.layout = layout;
  return scene(work, group, one);
}

serve::Demand Promises::demand_of(const job::Job& work) const {
  const auto& job = work.inference;
  serve::Demand demand;
  if (asked_ == nullptr) {
    demand.input = serve::Length::fixed(static_cast<double>(job.input_tokens));
    demand.output = serve::Length::fixed(static_cast<double>(job.output_tokens));
    demand.rate = *job.request_rate;
    return demand;
  }
  demand = asked_->demand;
  const double more = *job.request_rate / asked_rate_;
  demand.rate *= more;
  if (auto& users = demand.users.count; users > 0)
    users = static_cast<std::uint32_t>(std::max(1.0, std::round(more * users)));
  return demand;
}

void Promises::set_machines(Scene& scene, int machines) {
  scene.setup.fleet.replicas = static_cast<std::uint32_t>(scene.replicas_each * machines);
}

std::size_t Promises::requests(const Scene& scene, Length length) {
  if (scene.demand.replays()) return scene.demand.log->all.size();
  return std::max({length.all, length.each * scene.setup.fleet.replicas, length.turns * scene.demand.users.count,
                   static_cast<std::size_t>(length.in_flight * scene.in_flight)});
}

Promises::Part Promises::part(const Scene& scene, Length length) {
  // Many replicas behind one router are each as busy as some of them with their share of the requests.
  const double enough = scene.demand.enough_replicas();
  const double share = scene.demand.divides() ? std::min(1.0, enough / scene.setup.fleet.replicas) : 1;
  Part out{scene.setup, share < 1 ? scene.demand.part(share) : scene.demand, 0};
  if (share < 1) out.setup.fleet.replicas = static_cast<std::uint32_t>(enough);
  const auto count =
      std::max(length.all, static_cast<std::size_t>(share * static_cast<double>(requests(scene, length))));
  constexpr double kMost = 12000;
  constexpr double kMostOfMinutes = 40000;
  const double minutes = length.all > kShort.all ? 60 * out.demand.enough_minutes() * out.demand.rate : 0;
  const double most = std::max(std::min<double>(static_cast<double>(count), kMost), std::min(minutes, kMostOfMinutes));
  out.requests = static_cast<std::size_t>(most);
  return out;
}

serve::Outcome Promises::run(Scene& scene, double slow, Length length, std::uint64_t seed) {
  ++runs_;
  const Part some = part(scene, length);
  return serve::trial(some.setup, some.demand, scene.goal, scene.doubt, {slow, some.requests, seed, &drawn_});
}

serve::Reached Promises::reached(Scene& scene, double least, Length length, std::uint64_t seed) {
  ++runs_;
  const Part some = part(scene, length);
  const double slow = normal_quantile(scene.goal.confidence);
  return serve::reached(least, some.setup, some.demand, scene.goal, scene.doubt, {slow, some.requests, seed, &drawn_});
}

/// With the confidence that is asked for. A run that fails by far may be short, and one that does as well as it can.
bool Promises::keeps(Scene& scene, int machines) {
  const auto [entry, fresh] = scene.kept.try_emplace(machines);
  if (!fresh) return entry->second;
  set_machines(scene, machines);
  const double goal = scene.goal.share;
  const auto kept = [&](std::uint64_t seed) { return reached(scene, goal, kLong, seed).share >= goal; };
  if (scene.demand.replays()) return entry->second = kept(1);
  const serve::Reached first = reached(scene, goal - kByFar, kShort);
  if (first.share < goal - kByFar) return entry->second = false;
  const bool differ = scene.demand.enough_minutes() > 0;
  const double late = (1 - goal) * static_cast<double>(kShort.all);  // that there may be
  if (!differ && late >= kToJudgeBy && first.steady && 1 - first.share <= kHardlyAny * (1 - goal) + 1e-9)
    return entry->second = true;
  // Twice: of many counts that are tried, one is kept by luck. Runs over many minutes are long.
  return entry->second = kept(1) && (differ || kept(2));
}

/// Whether requests that hardly ever meet another one are in time: if not, no number of machines helps.
bool Promises::keeps_when_idle(Scene& scene, int machines) {
  constexpr double kIdle = 0.05;
  constexpr std::size_t kAlike = 100;  // say as much as more of one length do
  const auto [entry, fresh] = scene.kept_when_idle.try_emplace(machines);
  if (!fresh) return entry->second;
  set_machines(scene, 1);
  serve::Demand idle = scene.demand;
  idle.process = {};
  idle.users.count = std::min(1U, idle.users.count);
  if (idle.replays()) {
    auto apart = std::make_shared<job::Requests>(*scene.demand.log);
    apart->all.resize(std::min(apart->all.size(), kShort.all));
    for (std::size_t i = 0; i < apart->all.size(); ++i) apart->all[i].arrival = static_cast<double>(i);
    idle.log = std::move(apart);
    idle.log_rate = 1;
  }
  idle.rate *= kIdle / machines;
  ++runs_;
  const double slow = normal_quantile(scene.goal.confidence);
  const bool alike = !idle.replays() && idle.input.one_length() && idle.output.one_length();
  const std::size_t count = alike ? kAlike : kShort.all;
  return entry->second =
             serve::reaches(scene.goal.share, scene.setup, idle, scene.goal, scene.doubt, {slow, count, 1, &drawn_});
}

Promises::Found Promises::fewest(const job::Job& work, const physics::Machine& group, const physics::Plan& plan,
                                 Machines asked) {
  Scene* const here = scene(work, group, plan);
  if (here == nullptr || asked.least > asked.most) return {};
  const int useful = std::min(asked.most, asked.useful);
  const Found beyond{.beyond = useful < asked.most};
  if (asked.least > useful) return beyond;
  int low = asked.least - 1;  // does not do
  int high = std::clamp(asked.guess, asked.least, useful);
  // What does not do on as many as are of use does not do on fewer: most candidates end here.
  if (high < useful && useful < asked.most && !keeps(*here, useful))
    return keeps_when_idle(*here, high) ? beyond : Found{};
  while (!keeps(*here, high)) {
    if (low < asked.least && !keeps_when_idle(*here, high)) return {};
    if (high >= useful) return beyond;
    low = high;
    high = std::min(useful, high + std::max(1, high / 2));
  }
  // The guess is mostly right or one too many.
  for (int next = high - 1; next > low; next = low + (high - low) / 2) (keeps(*here, next) ? high : low) = next;
  return {.kept = Kept{high, figures_of(*here, high, expected(*here, high))}};
}

const serve::Outcome& Promises::expected(Scene& scene, int machines) {
  const auto [entry, fresh] = scene.expected.try_emplace(machines);
  if (!fresh) return entry->second;
  set_machines(scene, machines);
  return entry->second = run(scene, 0, kLong);
}

PlannedMachine Promises::expected(const job::Job& work, PlannedMachine planned) {
  if (!speak_of(work) || !planned.plan.fits || planned.plan.rate <= 0) return planned;
  Scene* const here = scene(work, planned);
  if (here == nullptr) return planned;
  const serve::Outcome& outcome = expected(*here, planned.working);
  const auto figures = figures_of(*here, planned.working, outcome);
  planned = simulated_plan(std::move(planned), figures);
  if (outcome.in_time.all >= here->goal.share) return planned;
  planned.plan.meets_targets = false;
  planned.plan.problem = physics::too_slow(work.inference, planned.plan.serving->speed, planned.machine.device.gpu->id);
  return planned;
}

PlannedMachine Promises::paced(const job::Job& work, PlannedMachine planned) const {
  const auto& serving = planned.plan.serving;
  if (asked_ == nullptr || !serving || serving->speed.simulated || serving->speed.requests_per_s <= 0) return planned;
  if (const serve::Users users = demand_of(work).users; users.count > 0)
    serve_rate(planned.plan, users.count / (users.think + serving->speed.e2e().raw()));
  return planned;
}

catalog::Number Promises::chance(const job::Job& work, const PlannedMachine& planned) {
  Scene* const here = scene(work, planned);
  if (here == nullptr) return std::nullopt;
  const int machines = planned.working;
  const auto [entry, fresh] = here->chances.try_emplace(machines);
  if (!fresh) return entry->second;
  const bool sure = keeps(*here, machines);
  set_machines(*here, machines);
  const Part some = part(*here, kChance);
  return entry->second = serve::chance_of_goal(some.setup, some.demand, here->goal, here->doubt, sure,
                                               {.requests = some.requests, .drawn = &drawn_});
}

}  // namespace gpusel::answer
