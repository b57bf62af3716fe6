#include "money/expected_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "money/expected.hpp"

namespace gpusel::money {

namespace {

using catalog::Drift;
using catalog::Offer;
using catalog::PricePair;

constexpr double kLeastMonths = 1;  // less apart, hardly any price has had time to move
constexpr std::size_t kParts = 5;   // of the catalogue; each is foretold by the others

/// An offer from its first to its last price.
struct Journey {
  const Offer* first = nullptr;
  const Offer* last = nullptr;
  double months = 0;
};

struct Errors {
  std::vector<double> months, old, expected;
  std::size_t covered = 0;
};

double median(std::vector<double> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, half);
  return *half;
}
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

class Check {
 public:
  explicit Check(const catalog::Catalog& catalog) : catalog_(catalog), pairs_(price_pairs(catalog)) {
    // Prices of one GPU at one provider move together, in all sizes and regions: they are left out together.
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> cells;
    for (const PricePair& pair : pairs_) {
      const catalog::Instance& instance = instance_of(pair);
      parts_.push_back(cells.try_emplace({instance.provider, instance.gpu}, cells.size()).first->second % kParts);
    }
  }

  std::vector<OutlookCheck> run() {
    for (std::size_t part = 0; part < kParts; ++part) foretell(part);
    std::vector<OutlookCheck> out;
    for (const auto& [kind, errors] : errors_) {
      OutlookCheck check;
      std::tie(check.seller, check.term) = kind;
      check.offers = errors.old.size();
      check.months = median(errors.months);
      check.old_error = median(errors.old);
      check.expected_error = median(errors.expected);
      check.old_mean = mean(errors.old);
      check.expected_mean = mean(errors.expected);
      check.covered = static_cast<double>(errors.covered) / static_cast<double>(errors.old.size());
      out.push_back(check);
    }
    return out;
  }

 private:
  const catalog::Instance& instance_of(const PricePair& pair) const {
    return catalog_.instances()[pair.after->instance];
  }

  void foretell(std::size_t part) {
    std::vector<PricePair> others;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      if (parts_[i] != part) others.push_back(pairs_[i]);
    const std::vector<Drift> drift = measure_drift(others, catalog_.instances(), catalog_.providers());
    const PriceOutlook outlook(catalog_, {}, drift);
    Journey journey;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (parts_[i] != part) continue;
      const PricePair& pair = pairs_[i];
      if (journey.last == pair.before) {
        journey.last = pair.after;
        journey.months += pair.months;
        continue;
      }
      arrive(journey, outlook);
      journey = {pair.before, pair.after, pair.months};
    }
    arrive(journey, outlook);
  }

  void arrive(const Journey& journey, const PriceOutlook& outlook) {
    if (journey.last == nullptr || journey.months < kLeastMonths) return;
    const auto provider = catalog_.provider(catalog_.instances()[journey.last->instance].provider);
    if (!provider) return;
    const catalog::Instance& instance = catalog_.instances()[journey.last->instance];
    Errors& errors = errors_[{seller_kind(instance, **provider), journey.last->term}];
    const double came = journey.last->per_hour();
    const double old = journey.first->per_hour();
    const PriceToday expected = price_today(old, journey.months, outlook.drift_of(*journey.last));
    errors.months.push_back(journey.months);
    errors.old.push_back(std::abs(old / came - 1));
    errors.expected.push_back(std::abs(expected.mid / came - 1));
    constexpr double kRounding = 1e-3;
    if (came >= expected.low * (1 - kRounding) && came <= expected.high * (1 + kRounding)) ++errors.covered;
  }

  const catalog::Catalog& catalog_;
  std::vector<PricePair> pairs_;
  std::vector<std::size_t> parts_;  // of each pair
  std::map<std::pair<catalog::ProviderKind, catalog::Term>, Errors> errors_;
};

}  // namespace

std::vector<OutlookCheck> check_outlook(const catalog::Catalog& catalog) { return Check(catalog).run(); }

}  // namespace gpusel::money
