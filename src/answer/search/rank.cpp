#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "answer/search/known_machines.hpp"
#include "answer/search/search.hpp"
#include "base/values/number.hpp"

namespace gpusel::answer {

namespace {

using job::ObjectiveKind;

/// Free memory from which more brings no further safety, as a share of what is usable.
constexpr double kAmpleHeadroom = 0.15;

struct Weights {
  double cost = 0;
  double speed = 0;
  double headroom = 0;
};

Weights weights_of(const job::Objective& objective) {
  Weights w;
  if (objective.weights.empty()) {
    switch (objective.kind) {
      case ObjectiveKind::cost: return {1, 0, 0};
      case ObjectiveKind::speed: return {0, 1, 0};
      case ObjectiveKind::balanced: return {0.5, 0.35, 0.15};
    }
  }
  const auto given = [&](const char* name) {
    const auto found = objective.weights.find(name);
    return found == objective.weights.end() ? 0.0 : found->second;
  };
  w = {given("cost"), given("speed"), given("headroom")};
  const double sum = w.cost + w.speed + w.headroom;
  return {w.cost / sum, w.speed / sum, w.headroom / sum};
}

/// Of the best there is, 0 to 1.
struct Shares {
  double cost = 0;
  double speed = 0;
  double headroom = 0;
};
/// What takes part in a product is never nothing.
constexpr double kLeastValue = 1e-6;
/// The most that a rule takes away of a score.
constexpr double kLeastFactor = 0.01;

double headroom(const Recommendation& candidate) {
  const double free = 1 - candidate.memory().total() / candidate.machine().memory();
  return std::clamp(free / kAmpleHeadroom, 0.0, 1.0);
}

/// Sizes of a family often cost the same per unit: what differs in the last bits only is equal.
double nine_digits(double value) { return to_digits(value, 9); }

/// Marks what nothing beats in both money and time: total × hours of a job, price × speed of a service.
void mark_pareto(std::vector<Recommendation>& candidates, const job::Job& work) {
  const bool is_job = work.ends();
  const auto place = [&](const Recommendation& c) {
    return is_job ? std::pair(c.cost.total, c.cost.hours) : std::pair(c.cost.hourly, -speed_measure(c, work));
  };
  // Places are sorted, not the candidates, which are large.
  std::vector<std::tuple<double, double, std::size_t>> order;
  order.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto [money, time] = place(candidates[i]);
    order.emplace_back(money, time, i);
  }
  std::ranges::sort(order);
  auto last = std::pair(0.0, std::numeric_limits<double>::infinity());
  for (const auto& [money, time, candidate] : order) {
    const auto here = std::pair(money, time);
    candidates[candidate].pareto = here.second < last.second || here == last;
    if (candidates[candidate].pareto) last = here;
  }
}

void number_rows(std::vector<Recommendation>& candidates) {
  std::set<std::tuple<std::string_view, const catalog::Gpu*, double>> seen;
  for (Recommendation& one : candidates) {
    const double share = one.gpu != nullptr ? one.machine().device.share : 1;
    one.row = seen.emplace(one.instance->provider, one.gpu, share).second ? static_cast<int>(seen.size()) : 0;
  }
}

/// What a rule adds to a score, as a share of it.
double adjustment(const ScorePart& rule) { return std::max(rule.points / 100, kLeastFactor - 1); }

/// The product of what is compared, each to the power of its weight, so that the order of two candidates hangs on no
/// third; what rules adjust is a factor, too, and `most` what it makes of anything at most. Parts add up to the score.
void score(Recommendation& candidate, const Weights& weights, const Shares& values, double most) {
  const std::array parts{std::tuple("cost", weights.cost, values.cost),
                         std::tuple("speed", weights.speed, values.speed),
                         std::tuple("headroom", weights.headroom, values.headroom)};
  double product = 1 / most;
  double sum = 0;
  for (const auto& [name, weight, value] : parts) {
    product *= std::pow(std::max(value, kLeastValue), weight);
    sum += weight * std::max(value, kLeastValue);
  }
  std::vector<ScorePart> all;
  for (const auto& [name, weight, value] : parts) {
    if (weight <= 0) continue;
    const double part = product * std::max(value, kLeastValue) / sum;
    all.push_back({name, weight, part, 100 * weight * part});
  }
  candidate.score = 100 * product;
  for (ScorePart& rule : candidate.parts) {
    const double points = candidate.score * adjustment(rule);
    candidate.score += points;
    all.push_back({std::move(rule.name), points / 100, 1, points});
  }
  candidate.parts = std::move(all);
}

/// A score that is no more than `most`, and parts that still add up to it.
void lower_to(Recommendation& candidate, double most) {
  const double share = std::min(1.0, most / candidate.score);
  candidate.score = std::min(candidate.score, most);
  for (ScorePart& part : candidate.parts) {
    const bool compared = part.name == "cost" || part.name == "speed" || part.name == "headroom";
    (compared ? part.value : part.weight) *= share;
    part.points *= share;
  }
}

/// Puts each where `from` says it comes from, one by one: two lists of many candidates are a lot of memory.
void arrange(std::vector<Recommendation>& candidates, std::vector<std::size_t> from) {
  for (std::size_t first = 0; first < from.size(); ++first) {
    if (from[first] == first) continue;
    Recommendation moved = std::move(candidates[first]);
    std::size_t to = first;
    while (from[to] != first) {
      candidates[to] = std::move(candidates[from[to]]);
      to = std::exchange(from[to], to);
    }
    candidates[to] = std::move(moved);
    from[to] = to;
  }
}

}  // namespace

double rules_factor(const Recommendation& unranked) {
  double factor = 1;
  for (const ScorePart& rule : unranked.parts) factor *= 1 + adjustment(rule);
  return factor;
}

double cost_measure(const money::Quote& cost, const job::Job& work) {
  // Prototyping and a given traffic are paid for by the hours of a month; a job or a stream of tokens by the unit.
  if (work.by_the_hour()) return *cost.sums().month / kHoursPerMonth;
  if (work.counted) return cost.per_unit.value_or(cost.total);
  return cost.per_million_tokens.value_or(cost.total);
}

double speed_measure(const Recommendation& candidate, const job::Job& work) {
  const physics::Plan& plan = candidate.plan();
  if (!work.inference.request_rate || !plan.serving || plan.rate <= 0) return plan.rate;
  return 1 / std::max(plan.usual_time().raw(), 1e-9);
}

bool is_simulated(const Recommendation& candidate) {
  const auto& serving = candidate.plan().serving;
  return serving && serving->speed.simulated;
}

double printed_cost(const Recommendation& candidate, const job::Job& work) {
  return cost_measure(candidate.cost, work);
}

double order_cost(const Recommendation& candidate, const job::Job& work) {
  return printed_cost(candidate, work) * candidate.cost.order_factor();
}

void rank(std::vector<Recommendation>& candidates, const job::Job& work, const job::Objective& objective) {
  double best_cost = std::numeric_limits<double>::infinity();
  double best_speed = 0;
  double most = 1;  // that rules make of a score
  for (const Recommendation& candidate : candidates) {
    most = std::max(most, rules_factor(candidate));
    best_cost = std::min(best_cost, order_cost(candidate, work));
    best_speed = std::max(best_speed, speed_measure(candidate, work));
  }
  const Weights weights = weights_of(objective);
  for (Recommendation& candidate : candidates) {
    const double cost = order_cost(candidate, work);
    score(candidate, weights,
          {cost > 0 ? best_cost / cost : 1, best_speed > 0 ? speed_measure(candidate, work) / best_speed : 0,
           headroom(candidate)},
          most);
  }
  // Keys are sorted, not the candidates, which are large; names, which lie far apart, are for what is equal otherwise.
  // A total that lacks what was asked for comes behind those that have it.
  using Key = std::pair<std::array<double, 5>, std::size_t>;
  std::vector<Key> keys;
  keys.reserve(candidates.size());
  for (const Recommendation& candidate : candidates) {
    const bool lacks = candidate.cost.place_order().first;
    const bool unsimulated = !is_simulated(candidate);
    keys.push_back({{static_cast<double>(lacks), static_cast<double>(unsimulated), -nine_digits(candidate.score),
                     nine_digits(order_cost(candidate, work)), nine_digits(candidate.cost.hourly)},
                    keys.size()});
  }
  const auto name = [&](const Key& key) {
    const catalog::Instance& instance = *candidates[key.second].instance;
    return std::tuple(instance.provider, instance.sku, key.second);
  };
  std::ranges::sort(
      keys, [&](const Key& a, const Key& b) { return a.first != b.first ? a.first < b.first : name(a) < name(b); });
  std::vector<std::size_t> order(keys.size());
  std::ranges::transform(keys, order.begin(), &Key::second);
  arrange(candidates, std::move(order));
  // What was not simulated, or lacks a part of its cost, stands behind what was, however good it looks.
  for (std::size_t i = 1; i < candidates.size(); ++i) lower_to(candidates[i], candidates[i - 1].score);
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].rank = static_cast<int>(i) + 1;
  number_rows(candidates);
  mark_pareto(candidates, work);
}

}  // namespace gpusel::answer
