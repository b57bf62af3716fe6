#include "answer/search/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "physics/chance.hpp"

namespace gpusel::answer {

namespace {

constexpr std::size_t kDraws = 4000;
constexpr std::size_t kBins = 20;  // of what a test may find
constexpr double kTestHours = 0.5;
/// What a test is expected to save has to be more than nothing by this share of what is at stake.
constexpr double kLeastWorth = 1e-4;

/// Reproducible: SplitMix64 (Steele, Lea and Flood 2014) and the Box-Muller transform.
class Normals {
 public:
  double next() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  std::uint64_t state_ = 0;
};

/// What one candidate may come to cost.
struct Stake {
  double money = 0;        // of the job or of a month, at the price expected today
  double by_speed = 0;     // deviations of the logarithm
  double price_up = 0;     // above the price expected
  double price_down = 0;   // below it
  std::size_t gpu = 0;     // whose speed it shares
  std::size_t seller = 0;  // of that GPU, whose price it shares

  double drawn(double slow, double price) const {
    return money * std::exp(by_speed * slow + (price > 0 ? price_up : price_down) * price);
  }
};

double log_ratio(double high, double low) { return high > low && low > 0 ? std::log(high / low) / kNinetyPercent : 0; }

/// What the work of rank 1 costs there: its job, or what it does in a month.
double money_of(const Recommendation& r, const Recommendation& first, const job::Job& work) {
  const auto paid = work.ends() ? catalog::Number(first.cost.total) : first.cost.sums().month;
  return paid.value_or(0) * first.cost.order_factor() * order_cost(r, work) / order_cost(first, work);
}

Stake stake_of(const Recommendation& r, const Recommendation& first, const job::Job& work) {
  const money::PriceToday& today = r.cost.today;
  Stake stake;
  stake.money = money_of(r, first, work);
  stake.price_up = log_ratio(today.high, today.mid);
  stake.price_down = log_ratio(today.mid, today.low);
  if (work.ends() && r.cost_range != nullptr && !r.cost_range->slow.outlasts)
    stake.by_speed = log_ratio(r.cost_range->slow.total, r.cost_range->fast.total) / 2;
  else if (!work.ends() && !work.by_the_hour())
    stake.by_speed = log_ratio(r.intervals.rate.high, r.intervals.rate.low) / 2;
  return stake;
}

struct Draws {
  std::vector<std::vector<double>> cost;  // of each candidate, draw by draw
  std::vector<std::vector<double>> slow;  // of each GPU
};

Draws draw(std::span<const Stake> stakes, std::size_t gpus, std::size_t sellers) {
  Normals normals;
  Draws draws{std::vector(stakes.size(), std::vector<double>(kDraws)), std::vector(gpus, std::vector<double>(kDraws))};
  std::vector<double> prices(sellers);
  for (std::size_t i = 0; i < kDraws; ++i) {
    for (auto& gpu : draws.slow) gpu[i] = normals.next();
    for (double& price : prices) price = normals.next();
    for (std::size_t c = 0; c < stakes.size(); ++c)
      draws.cost[c][i] = stakes[c].drawn(draws.slow[stakes[c].gpu][i], prices[stakes[c].seller]);
  }
  return draws;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// By how much the choice gets cheaper, expected, where the speed of one GPU is known before.
double worth_of_knowing(const Draws& draws, std::size_t gpu) {
  std::vector<std::size_t> order(kDraws);
  for (std::size_t i = 0; i < kDraws; ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return draws.slow[gpu][i]; });
  double knowing = 0;
  constexpr std::size_t kEach = kDraws / kBins;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& cost : draws.cost) {
      double sum = 0;
      for (std::size_t i = bin * kEach; i < (bin + 1) * kEach; ++i) sum += cost[order[i]];
      least = std::min(least, sum / kEach);
    }
    knowing += least / kBins;
  }
  double choosing = std::numeric_limits<double>::infinity();
  for (const auto& cost : draws.cost) choosing = std::min(choosing, mean(cost));
  return choosing - knowing;
}

/// What renting one instance for a test costs.
double trial_cost(const Recommendation& r, double hours, const SearchContext& context) {
  money::Work trial;
  trial.hours = hours;
  return context.quoter.quote(trial_offer(*r.offer, context.quoter, context.catalog), {1, &trial})->total;
}

}  // namespace

std::optional<Evidence> evidence_of(const Advice& advice, const SearchContext& context) {
  const auto all = std::span(advice.recommendations);
  const auto candidates = all.first(std::min(all.size(), std::size_t{kRanksOfEvidence}));
  if (candidates.size() < 2) return std::nullopt;
  std::map<const catalog::Gpu*, std::size_t> gpus;
  std::map<std::tuple<std::string_view, const catalog::Gpu*, catalog::Term>, std::size_t> sellers;
  std::vector<Stake> stakes;
  for (const Recommendation& r : candidates) {
    stakes.push_back(stake_of(r, candidates.front(), advice.work));
    stakes.back().gpu = gpus.try_emplace(r.gpu, gpus.size()).first->second;
    stakes.back().seller =
        sellers.try_emplace({r.instance->provider, r.gpu, r.offer->term}, sellers.size()).first->second;
    if (!(stakes.back().money > 0)) return std::nullopt;
  }
  const Draws draws = draw(stakes, gpus.size(), sellers.size());
  Evidence out;
  for (std::size_t i = 0; i < kDraws; ++i) {
    double least = draws.cost[0][i];
    for (const auto& cost : draws.cost) least = std::min(least, cost[i]);
    out.best_probability += (draws.cost[0][i] <= least ? 1.0 : 0.0) / kDraws;
    out.regret += (draws.cost[0][i] - least) / kDraws;
  }
  std::vector<bool> tested(gpus.size());
  for (std::size_t i = 0; i < std::min(candidates.size(), kRowsWithSwitch); ++i) {
    if (tested[stakes[i].gpu] || stakes[i].by_speed <= 0) continue;
    tested[stakes[i].gpu] = true;
    const Recommendation& r = candidates[i];
    const double hours = context.coefficients.own_setup_hours.value + kTestHours;
    const Evidence::Test test{r.rank, r.instance, hours, trial_cost(r, hours, context),
                              worth_of_knowing(draws, stakes[i].gpu)};
    if (test.worth > kLeastWorth * stakes[0].money) out.tests.push_back(test);
  }
  std::ranges::stable_sort(out.tests, std::greater{}, [](const Evidence::Test& t) { return t.worth - t.cost; });
  return out;
}

void add_switch_points(Advice& advice) {
  auto& all = advice.recommendations;
  if (all.size() < 2) return;
  const bool by_speed = !advice.work.by_the_hour();
  const double first = order_cost(all[0], advice.work);
  for (std::size_t i = 0; i < std::min(all.size(), kRowsWithSwitch); ++i) {
    // The best stays so up to the second; the others become so at the first.
    const double other = i == 0 ? order_cost(all[1], advice.work) : first;
    const double own = order_cost(all[i], advice.work);
    if (!(own > 0) || !(other > 0)) continue;
    all[i].switch_hourly = all[i].cost.hourly * other / own;
    if (by_speed) all[i].switch_speed = own / other;
  }
}

}  // namespace gpusel::answer
