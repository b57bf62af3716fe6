// How many nodes of a shape a service takes for requests that come at a rate: equal groups side by side.
#include <algorithm>
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

/// Weights that fill more of a replica's memory than this leave so little for caches that twice the nodes may hold more
/// than twice the requests.
constexpr double kCrowded = 0.25;
/// So many groups side by side that hardly any request meets another one.
constexpr int kMostGroups = 1'000'000;

/// The fewest from `least` to `most` for which something is true that stays true for more; none: not even for `most`.
template <class Holds>
std::optional<int> fewest_that(Holds holds, int least, int most) {
  if (least > most) return std::nullopt;
  if (holds(least)) return least;
  if (least == most || !holds(most)) return std::nullopt;
  // What is looked for lies near `least` far more often than near a million.
  int fails = least;
  for (int step = 1; most - fails > step; step *= 2) {
    if (holds(fails + step)) {
      most = fails + step;
      break;
    }
    fails += step;
  }
  while (most - fails > 1) {
    const int middle = fails + (most - fails) / 2;
    (holds(middle) ? most : fails) = middle;
  }
  return most;
}

}  // namespace

double longest_wait(const job::Inference& job) { return 60 + 0.001 * static_cast<double>(job.input_tokens); }

std::optional<Reason> too_slow_to_serve(const Job& work, const physics::Plan& plan) {
  const job::Inference& job = work.inference;
  if (!plan.serving || job.mode == job::Mode::throughput || !work.model->is_generator()) return std::nullopt;
  const physics::InferenceSpeed& speed = plan.serving->speed;
  const double first = speed.ttft_within(job.slo_percentile).raw(), gap = speed.itl_within(job.slo_percentile).raw();
  const double longest = longest_wait(job);
  if (first <= longest && gap <= 1) return std::nullopt;
  return Reason{"too-slow",
                [first, gap] {
                  return say(
                      "{:.0f} s to the first token and {:.1f} s between tokens: too slow to serve; "
                      "--mode throughput ranks it as a batch",
                      first, gap);
                },
                std::min(longest / first, 1 / gap)};
}

/// Nodes of a replica that are worth trying: few with room for the model, and more while weights crowd out its caches.
template <class Try>
void CandidateSearch::each_group(const Shape& shape, Try serve) const {
  const auto& pinned = context_.question.constraints.nodes;
  for (int nodes = 1; nodes <= std::min(most_nodes(), kMostJoined); nodes *= 2) {
    if (nodes > 1 && (shape.machine.network.raw() <= 0 || (pinned && *pinned % nodes != 0))) break;
    physics::Machine group = shape.machine;
    group.nodes = nodes;
    const double filled = least_memory(group.device) / (group.memory() * group.gpus());
    if (serve(group) && filled <= kCrowded) break;
  }
}

/// The fewest nodes that hold the traffic, in equal groups side by side that each have their share of it.
std::optional<CandidateSearch::Planned> CandidateSearch::serve_rate(const Shape& shape, Reason& reason) {
  std::optional<Planned> best;
  bool room = false;
  each_group(shape, [&](const physics::Machine& group) {
    if (best && best->machine.nodes <= group.nodes) return true;
    bool fits = false;
    Reason why;
    auto served = serve_by(shape, group, fits, why);
    if (!served && !room) reason = std::move(why);
    if (served && (!best || served->machine.nodes < best->machine.nodes)) best = std::move(served);
    room = room || fits;
    return room;
  });
  return best;
}

/// Layouts of these nodes that have room; none: `reason` says why.
std::vector<physics::ServingOption> CandidateSearch::layouts_with_room(const Shape& shape,
                                                                       const physics::Machine& group,
                                                                       Reason& reason) const {
  KnownMachines* known = context_.question.best_only.get();
  const std::pair key(shape.instances.front(), group.nodes);
  if (known != nullptr)
    if (const auto found = known->layouts.find(key); found != known->layouts.end()) return found->second;
  auto options = physics::serving_options(work_, group, context_.coefficients);
  if (!options) {
    reason = {"no-legal-plan", [text = options.error().message] { return text; }};
    options.emplace();
  }
  // Replicas that lie within a node are those of fewer nodes side by side.
  std::erase_if(*options, [&](const physics::ServingOption& option) {
    const bool within = option.layout.tp * option.layout.pp <= group.gpus_per_node;
    return !option.fits || option.most_per_s <= 0 || (group.nodes > 1 && within);
  });
  if (known != nullptr) known->layouts.emplace(key, *options);
  if (options->empty() && !reason.message && keep_rejections_) reason = why_unserved(group);
  return std::move(*options);
}

/// Groups that hold the traffic at `load` of what could be served, and that were asked for.
double CandidateSearch::fewest_groups(const physics::Machine& group, const physics::ServingOption& option,
                                      double load) const {
  const double pinned = static_cast<double>(context_.question.constraints.nodes.value_or(1)) / group.nodes;
  const double working = std::floor(pinned) - static_cast<double>(work_.inference.redundancy);
  return std::max({1.0, working, std::ceil(*work_.inference.request_rate / (load * option.most_per_s) - 1e-9)});
}

std::optional<CandidateSearch::Planned> CandidateSearch::serve_by(const Shape& shape, const physics::Machine& group,
                                                                  bool& fits, Reason& reason) const {
  const auto& job = work_.inference;
  auto options = layouts_with_room(shape, group, reason);
  fits = !options.empty();
  if (!fits) return std::nullopt;
  const int most = most_nodes() / group.nodes - spare();
  const auto fewest = [&](const physics::ServingOption& option) { return fewest_groups(group, option, job.max_load); };
  std::ranges::stable_sort(options, {}, fewest);
  struct Found {
    int groups;
    physics::Plan plan;
  };
  std::optional<Found> best;
  std::optional<Reason> too_slow;
  for (const physics::ServingOption& option : options) {
    const double least = fewest(option);
    if (least > (best ? best->groups : most)) break;
    const int useful = best ? best->groups : most;
    const auto groups = groups_for(group, option.layout, static_cast<int>(least), useful);
    if (!groups) {
      auto why = too_slow_to_serve(work_, share_of(group, option.layout, useful));
      if (why && (!too_slow || why->nearness > too_slow->nearness)) too_slow = std::move(why);
      continue;
    }
    physics::Plan plan = share_of(group, option.layout, *groups);
    if (!best || *groups < best->groups || physics::answers_sooner(plan, best->plan)) best = {*groups, std::move(plan)};
  }
  if (!best) {
    if (keep_rejections_)
      reason = too_slow ? *too_slow : why_late(group, options.front(), fewest(options.front()), most);
    return std::nullopt;
  }
  Planned planned{group, std::move(best->plan)};
  multiply(planned, best->groups + spare(), best->groups);
  return planned;
}

std::vector<CandidateSearch::Held> CandidateSearch::hold_rate(const Shape& shape, const CandidateSearch& open,
                                                              Reason& reason) {
  std::vector<Held> held;
  bool room = false;
  each_group(shape, [&](const physics::Machine& group) {
    Reason why;
    const auto options = layouts_with_room(shape, group, why);
    const int most = most_nodes() / group.nodes - spare();
    const std::size_t before = held.size();
    for (const physics::ServingOption& option : options)
      if (auto one = held_by(group, option, most, open)) held.push_back(std::move(*one));
    if (!options.empty() && held.size() == before && keep_rejections_)
      why = why_late(group, options.front(), fewest_groups(group, options.front(), work_.inference.max_load), most);
    if (held.empty() && !room) reason = std::move(why);
    room = room || !options.empty();
    return room;
  });
  return held;
}

/// Closed forms say what never answers in time, and guess how many do; whether so many are enough they don't know.
std::optional<CandidateSearch::Held> CandidateSearch::held_by(const physics::Machine& group,
                                                              const physics::ServingOption& option, int most,
                                                              const CandidateSearch& open) const {
  const double first = fewest_groups(group, option, work_.inference.max_load);
  if (first > most) return std::nullopt;
  const auto enough = groups_for(group, option.layout, static_cast<int>(first), kMostGroups);
  if (!enough) return std::nullopt;
  std::optional<int> least = *enough;
  if (*enough > first) least = open.groups_for(group, option.layout, static_cast<int>(first), std::min(most, *enough));
  if (!least) return std::nullopt;
  const int groups = std::min(most, *enough);
  Held one{{group, share_of(group, option.layout, groups)}, *least, *enough <= most};
  if (!one.enough && too_slow_to_serve(work_, one.planned.plan)) return std::nullopt;
  multiply(one.planned, groups + spare(), groups);
  return one;
}

/// One of so many groups, with its share of the traffic.
Job CandidateSearch::share_of_traffic(double groups) const {
  Job share = work_;
  *share.inference.request_rate /= groups;
  return share;
}

physics::Plan CandidateSearch::share_of(const physics::Machine& group, const physics::Layout& layout,
                                        double groups) const {
  return physics::inference_figures(share_of_traffic(groups), group, layout, context_.coefficients);
}

/// Fewest groups from `least` to `most` with which rate and targets hold with the confidence asked for.
std::optional<int> CandidateSearch::groups_for(const physics::Machine& group, const physics::Layout& layout, int least,
                                               int most) const {
  physics::Plan planned;
  planned.layout = layout;
  const auto ratios = physics::physics_of(work_).ratios(work_, group, planned, context_.coefficients);
  const auto slow = physics::slowness(ratios, normal_quantile(work_.confidence));
  const auto holds = [&](int groups) {
    return physics::holds_rate(share_of_traffic(groups), group, layout, slow, context_.coefficients);
  };
  const auto serves = [&](int groups) { return !too_slow_to_serve(work_, share_of(group, layout, groups)); };
  const auto found = fewest_that(holds, least, most);
  return !found || serves(*found) ? found : fewest_that(serves, *found + 1, most);
}

/// Why no layout of these nodes serves the model at all.
Reason CandidateSearch::why_unserved(const physics::Machine& group) const {
  Job full = work_;
  full.inference.request_rate.reset();
  full.inference.mode = job::Mode::throughput;
  const auto plan = physics::plan_inference(full, group, context_.coefficients);
  if (!plan) return {"no-legal-plan", [text = plan.error().message] { return text; }};
  return reason_of(group, *plan);
}

/// Why a layout that has room does not hold the traffic, however many groups share it.
Reason CandidateSearch::why_late(const physics::Machine& group, const physics::ServingOption& option, double least,
                                 int most) const {
  if (least > most)
    return {"too-slow",
            [all = (least + spare()) * group.nodes, spare = spare()] {
              return spare > 0
                         ? say("needs {} instances for the traffic, with --redundancy {}", human_number(all), spare)
                         : say("needs {} instances for the traffic", human_number(all));
            },
            most / least};
  const physics::Plan plan = share_of(group, option.layout, most);
  if (plan.fits && plan.rate > 0 && plan.meets_targets)
    return {"too-slow", [confidence = work_.confidence, targets = physics::has_targets(work_.inference)] {
              return targets ? say("chance of meeting the latency targets is below {:.0f} %", 100 * confidence)
                             : say("chance of keeping up with the load is below {:.0f} %", 100 * confidence);
            }};
  if (plan.fits && plan.rate <= 0) {
    const physics::Problem much{.kind = physics::Problem::Kind::too_much_traffic,
                                .subject = group.device.gpu->id,
                                .asked_per_s = *work_.inference.request_rate / most,
                                .most_per_s = option.most_per_s};
    return {"too-slow", [much] { return much.text(); }, much.most_per_s / much.asked_per_s};
  }
  return reason_of(group, plan);
}

/// Below which no layout serves the traffic, whatever the latency; infinite where none has room.
double CandidateSearch::least_nodes_at_rate(const Shape& shape) const {
  double least = std::numeric_limits<double>::infinity();
  each_group(shape, [&](const physics::Machine& group) {
    Reason unasked;
    for (const physics::ServingOption& option : layouts_with_room(shape, group, unasked))
      least = std::min(least, group.nodes * (fewest_groups(group, option, work_.inference.max_load) +
                                             static_cast<double>(work_.inference.redundancy)));
    return std::isfinite(least);
  });
  return least;
}

}  // namespace gpusel::answer
