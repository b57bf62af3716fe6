// The integer programme against answers found by trying every fleet, and against ones worked by hand.
#include "answer/fleet/fleet_solver.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

namespace fleet_solver_test {

using namespace gpusel::answer;

namespace {

/// Whether so many instances of each kind serve all, by duality: they do unless some weights of kinds w ≥ 0 give
/// Σ_b rate_b min_g (w_g ÷ capacity_bg) > Σ_g w_g instances_g. At a corner of that problem the weights are nought or
/// hang together by equal w ÷ capacity, so that the products of ratios of capacities are all that need be tried.
class Fleet {
 public:
  Fleet(const FleetProblem& problem, const std::vector<int>& counts) : p_(problem) {
    for (std::size_t g = 0; g < counts.size(); ++g)
      if (counts[g] > 0) {
        kinds_.push_back(&problem.kinds[g]);
        counts_.push_back(counts[g]);
      }
    weights_.assign(kinds_.size(), 0.0);
  }

  bool serves_all() {
    for (std::size_t b = 0; b < p_.rate.size(); ++b)
      if (std::none_of(kinds_.begin(), kinds_.end(), [&](const auto* kind) { return kind->capacity[b] > 0; }))
        return false;
    for (std::size_t first = 0; first < kinds_.size(); ++first) {
      std::vector<bool> done(kinds_.size(), false);
      done[first] = true;
      weights_[first] = 1;
      if (overloaded(done)) return false;
    }
    return true;
  }

 private:
  bool overloaded(std::vector<bool> done) {
    const auto next = static_cast<std::size_t>(std::find(done.begin(), done.end(), false) - done.begin());
    if (next == done.size()) return demand() > room() * (1 + 1e-9) + 1e-12;
    std::vector<double> tried{0.0};
    for (std::size_t g = 0; g < kinds_.size(); ++g)
      for (std::size_t b = 0; done[g] && b < p_.rate.size(); ++b)
        if (kinds_[g]->capacity[b] > 0 && kinds_[next]->capacity[b] > 0)
          tried.push_back(weights_[g] * kinds_[next]->capacity[b] / kinds_[g]->capacity[b]);
    tried.push_back(1e9);  // out of reach
    done[next] = true;
    return std::any_of(tried.begin(), tried.end(), [&](double weight) {
      weights_[next] = weight;
      return overloaded(done);
    });
  }
  double room() const {
    double sum = 0;
    for (std::size_t g = 0; g < kinds_.size(); ++g) sum += weights_[g] * counts_[g];
    return sum;
  }
  double demand() const {
    double sum = 0;
    for (std::size_t b = 0; b < p_.rate.size(); ++b) {
      double least = 1e300;
      for (std::size_t g = 0; g < kinds_.size(); ++g)
        if (kinds_[g]->capacity[b] > 0) least = std::min(least, weights_[g] / kinds_[g]->capacity[b]);
      sum += p_.rate[b] * least;
    }
    return sum;
  }

  const FleetProblem& p_;
  std::vector<const FleetKind*> kinds_;
  std::vector<int> counts_;
  std::vector<double> weights_;
};

/// The least cost of all fleets of at most `most` of each kind that serve all.
double brute_force(const FleetProblem& problem, int most) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<int> counts(problem.kinds.size(), 0);
  const std::function<void(std::size_t, double)> extend = [&](std::size_t kind, double cost) {
    if (cost >= best) return;
    if (kind == counts.size()) {
      if (Fleet(problem, counts).serves_all()) best = cost;
      return;
    }
    for (int n = 0; n <= most; ++n) {
      counts[kind] = n;
      extend(kind + 1, cost + n * problem.kinds[kind].price);
    }
  };
  extend(0, 0);
  return best;
}

FleetProblem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1U)); };
  FleetProblem problem;
  const int kinds = number(2, 4);
  const int buckets = number(2, 4);
  for (int b = 0; b < buckets; ++b) problem.rate.push_back(number(1, 40) / 4.0);
  for (int g = 0; g < kinds; ++g) {
    FleetKind kind;
    kind.price = number(10, 90) / 10.0;
    kind.pool = g;
    for (int b = 0; b < buckets; ++b) kind.capacity.push_back(number(0, 4) == 0 ? 0 : number(8, 60) / 4.0);
    problem.kinds.push_back(kind);
  }
  problem.pool_limit.resize(problem.kinds.size());
  return problem;
}

FleetSolution solved(const FleetProblem& problem) {
  auto solution = solve_fleet(problem);
  REQUIRE(solution);
  return *solution;
}

std::vector<double> counts_of(const FleetSolution& solution) {
  std::vector<double> out;
  if (solution.feasible)
    for (const FleetUse& use : solution.by_period.at(0)) out.push_back(use.instances);
  return out;
}

/// Short requests are cheap on the small kind, long ones do not fit in it.
FleetProblem short_and_long() {
  FleetProblem problem;
  problem.kinds = {{.price = 1, .committed = {}, .capacity = {10, 0}, .pool = 0},
                   {.price = 5, .committed = {}, .capacity = {20, 4}, .pool = 1}};
  problem.rate = {40, 4};
  problem.pool_limit.resize(2);
  return problem;
}

}  // namespace

TEST_CASE("the cheapest fleet is the one that trying all finds") {
  constexpr int kMost = 6;
  int compared = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const FleetProblem problem = random_problem(seed);
    const double best = brute_force(problem, kMost);
    const FleetSolution solution = solved(problem);
    CAPTURE(seed, best, solution.cost);
    if (!std::isfinite(best)) {
      // None is that small: the solver may have found a larger one, or none because some bucket has no kind.
      CHECK((!solution.feasible || std::ranges::max(counts_of(solution)) > kMost));
      continue;
    }
    REQUIRE(solution.feasible);
    CHECK(solution.optimal);
    CHECK((solution.cost == Approx(best) || std::ranges::max(counts_of(solution)) > kMost));
    CHECK(solution.cost <= best * (1 + 1e-9));
    CHECK(solution.relaxed <= solution.cost * (1 + 1e-9));
    CHECK(solution.bound == Approx(solution.cost));
    ++compared;
  }
  CHECK(compared > 20);
}

TEST_CASE("little load, rare lengths and huge requests are served by whole instances") {
  constexpr double kScales[] = {1e-9, 1e-5, 1e-3, 1};
  constexpr double kSlow[] = {1e-4, 1, 1e4};
  for (unsigned seed = 1; seed <= 60; ++seed) {
    FleetProblem problem = random_problem(seed);
    // One length is rare, one is served slowly or quickly, and the whole is little.
    problem.rate[seed % problem.rate.size()] *= 1e-6;
    const double slow = kSlow[seed % 3];
    for (double& rate : problem.rate) rate *= kScales[seed % 4] * slow;
    for (FleetKind& kind : problem.kinds)
      for (double& capacity : kind.capacity) capacity *= slow;
    const double best = brute_force(problem, 6);
    const FleetSolution solution = solved(problem);
    CAPTURE(seed, best, solution.cost);
    if (!solution.feasible) {
      CHECK_FALSE(std::isfinite(best));
      continue;
    }
    CHECK(solution.cost > 0);
    CHECK(solution.cost <= best * (1 + 1e-9));
    if (std::ranges::max(counts_of(solution)) <= 6) CHECK(solution.cost == Approx(best));
    for (const FleetUse& use : solution.by_period.at(0))
      if (std::ranges::max(use.share) > 0) CHECK(use.instances >= 1);
    problem.spare = 1;
    const FleetSolution spared = solved(problem);
    for (const FleetUse& use : spared.by_period.at(0))
      if (std::ranges::max(use.share) > 0) CHECK(use.instances >= 2);
  }
}

TEST_CASE("a request that takes a fleet of its own has one") {
  FleetProblem problem = short_and_long();
  problem.rate = {3, 2};
  problem.kinds[1].capacity[1] = 4e-7;  // 5,000,000 of them
  const FleetSolution solution = solved(problem);
  REQUIRE(solution.feasible);
  CHECK(counts_of(solution).at(1) == Approx(5e6));
  CHECK(solution.cost <= 25e6 + 1);
}

TEST_CASE("of fleets of one cost the one of fewest instances is taken") {
  FleetProblem problem;
  problem.kinds = {{.price = 1, .committed = {}, .capacity = {10}, .pool = 0},
                   {.price = 4, .committed = {}, .capacity = {40}, .pool = 1},
                   {.price = 2, .committed = {}, .capacity = {20}, .pool = 2}};
  problem.pool_limit.resize(3);
  problem.rate = {80};
  CHECK(counts_of(solved(problem)) == std::vector<double>{0, 2, 0});
  problem.rate = {75};
  CHECK(counts_of(solved(problem)) == std::vector<double>{0, 2, 0});
}

TEST_CASE("what is dominated is never missed") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    FleetProblem problem = random_problem(seed);
    problem.spare = seed % 3;
    const FleetSolution all = solved(problem);
    const std::vector<bool> keep = worth_solving(problem);
    FleetProblem fewer = problem;
    fewer.kinds.clear();
    for (std::size_t g = 0; g < problem.kinds.size(); ++g)
      if (keep[g]) fewer.kinds.push_back(problem.kinds[g]);
    const FleetSolution rest = solved(fewer);
    CAPTURE(seed);
    REQUIRE(rest.feasible == all.feasible);
    CHECK(rest.cost == Approx(all.cost));
  }
}

TEST_CASE("mixed traffic is cheaper on two kinds than on either") {
  // By hand: 40/s short need 4 small at 1 each; 4/s long need 1 large at 5. Large alone: 40/20 + 4/4 = 3 at 5 = 15.
  const FleetSolution solution = solved(short_and_long());
  CHECK(solution.cost == Approx(9));
  CHECK(counts_of(solution) == std::vector<double>{4, 1});
  FleetProblem large = short_and_long();
  large.kinds.erase(large.kinds.begin());
  CHECK(solved(large).cost == Approx(15));
}

TEST_CASE("spares are paid for every kind in use, and may turn the answer") {
  FleetProblem problem = short_and_long();
  problem.spare = 1;
  // (4 + 1) × 1 + (1 + 1) × 5 = 15, beside 4 × 5 = 20 for large alone.
  CHECK(solved(problem).cost == Approx(15));
  problem.spare = 5;
  // 9 × 1 + 6 × 5 = 39, beside 8 × 5 = 40.
  CHECK(solved(problem).cost == Approx(39));
  problem.most_kinds = 1;
  CHECK(solved(problem).cost == Approx(40));
}

TEST_CASE("limits are kept") {
  FleetProblem problem = short_and_long();
  problem.most_kinds = 1;
  CHECK(counts_of(solved(problem)) == std::vector<double>{0, 3});
  problem = short_and_long();
  problem.most_instances = 4;  // 2 large carry 4 long and 20 short, 2 small the rest
  CHECK(solved(problem).cost == Approx(12));
  problem.most_instances = 2;
  CHECK_FALSE(solved(problem).feasible);
  CHECK(solved(problem).optimal);
  problem = short_and_long();
  problem.pool_limit[0] = 1;
  // 1 small: 10/s; large: 30/20 + 4/4 = 2.5, so 3.
  CHECK(solved(problem).cost == Approx(15));
  problem.pool_limit[1] = 0;
  CHECK_FALSE(solved(problem).feasible);
}

TEST_CASE("a day commits to what runs long enough and adds the rest by the hour") {
  // One kind: 2 instances needed for 12 hours, 6 for the others; 1 an hour, 0.6 committed.
  // Committed 2: 2 × 0.6 × 24 + 4 × 12 = 76.8. Committed 6: 86.4. The break-even is 14.4 hours.
  FleetProblem problem;
  problem.kinds = {{.price = 1, .committed = 0.6, .capacity = {1}, .pool = 0}};
  problem.rate = {6};
  problem.pool_limit.resize(1);
  problem.periods = {{12, 2.0 / 6}, {12, 1}};
  const FleetSolution solution = solved(problem);
  CHECK(solution.cost == Approx(76.8));
  CHECK(solution.committed.at(0) == 2);
  problem.kinds[0].committed = 0.4;  // 9.6 hours: all of it
  CHECK(solved(problem).cost == Approx(57.6));
  problem.kinds[0].price = std::numeric_limits<double>::infinity();  // nothing by the hour
  CHECK(solved(problem).cost == Approx(57.6));
}

TEST_CASE("a bucket that no kind serves has no fleet") {
  FleetProblem problem = short_and_long();
  problem.kinds[1].capacity[1] = 0;
  CHECK_FALSE(solved(problem).feasible);
  CHECK_FALSE(solved(FleetProblem{}).feasible);
}

TEST_CASE("a solver without time says how far its answer may be off") {
  FleetProblem problem;
  std::mt19937 random(7);
  for (int b = 0; b < 12; ++b) problem.rate.push_back(1.0 + static_cast<double>(random() % 97));
  for (int g = 0; g < 30; ++g) {
    FleetKind kind;
    kind.price = 1.0 + static_cast<double>(random() % 997) / 100;
    kind.pool = g;
    for (std::size_t b = 0; b < problem.rate.size(); ++b)
      kind.capacity.push_back(kind.price * (0.8 + static_cast<double>(random() % 400) / 1000));
    problem.kinds.push_back(kind);
  }
  problem.pool_limit.resize(problem.kinds.size());
  problem.time_limit_s = 0.1;
  const FleetSolution solution = solved(problem);
  CHECK((!solution.feasible || solution.optimal || solution.bound < solution.cost));
  CHECK(solution.bound <= solution.cost + 1e-9);
  CHECK(solution.seconds < 5);
  problem.gap = 0.05;
  problem.time_limit_s = 10;
  const FleetSolution near = solved(problem);
  REQUIRE(near.feasible);
  CHECK(near.bound >= near.cost * 0.94);
}

TEST_CASE("the same programme has the same answer") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const FleetProblem problem = random_problem(seed);
    CHECK(counts_of(solved(problem)) == counts_of(solved(problem)));
  }
}

}  // namespace fleet_solver_test
