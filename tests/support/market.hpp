// Whole questions asked of the library: the shipped catalogue, or a test's own few instances.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "answer/search/recommend.hpp"
#include "catalog/snapshot/load.hpp"

namespace gpusel::test {

/// A limit by its key in the catalogue of constraints, as on the command line: {"max_price", "3"}.
struct Limit {
  std::string key;
  std::string value;
};

class Market {
 public:
  /// What the program ships.
  static const Market& shipped();
  static Market own_shipped();
  /// The invented clouds of tests/data/market; a copy of one's own to change the rules of.
  static const Market& small();
  static Market own_small();
  /// What was shipped in November 2026, for tests that would notice a new price: tests/data/market-2026-11.
  static const Market& dated();
  /// The shipped GPUs and models with these instances and prices only.
  explicit Market(const std::string& yaml);

  const catalog::Catalog& catalog() const { return catalog_; }
  const physics::Coefficients& coefficients() const { return coefficients_; }
  /// Changes prices, each in its place.
  void reprice(const std::function<void(catalog::Offer&)>& change);
  std::vector<rules::Rule> rules;

  /// `job`: a request as JSON. Prices are judged on 2026-11-20. Throws what went wrong.
  answer::Advice recommend(const std::string& job, const std::vector<Limit>& limits = {},
                           job::Objective objective = {}) const;
  /// The same, with the error as a value.
  Result<answer::Advice> try_recommend(const std::string& job, const std::vector<Limit>& limits = {},
                                       job::Objective objective = {}) const;

 private:
  explicit Market(const catalog::LoadOptions& options);

  catalog::Catalog catalog_;
  physics::Coefficients coefficients_;
};

/// A machine with one GPU that the cloud `p` sells by itself, and its prices by term.
struct OnSale {
  std::string sku;
  std::string gpu;
  std::vector<std::pair<std::string, std::string>> usd_per_hour;
};
/// One cloud with these machines, with prices of 2026-11-20.
Market market_of(const std::vector<OnSale>& machines);

/// "provider/sku" of every recommendation, best first.
std::vector<std::string> ranking(const answer::Advice& advice);

}  // namespace gpusel::test
