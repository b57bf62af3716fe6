#include "catalog/records/drift.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/words/message.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

// What a group's own months are weighed against: the months of pairs that its class counts for.
constexpr double kPriorMonths = 3;
constexpr double kRounding = 1e-3;   // a price differs by more, or it is the same one
constexpr double kLargest = 0.6931;  // ln 2: what is more is cut, since a price that is another product's does the same
constexpr double kLeastRate = 1e-4;  // changes a month
constexpr double kMostRate = 10;
constexpr double kLeastSpread = 0.01;

Date day_of(const Offer& offer) { return Date::from_packed(offer.as_of); }
bool has_month(const Offer& offer) { return day_of(offer).month() != 0; }

double cut(double change) { return std::clamp(change, -kLargest, kLargest); }

void pair_up(std::span<const Offer> older, const Offer& newest, std::vector<PricePair>& pairs) {
  const Offer* before = nullptr;
  const auto next = [&](const Offer& after) {
    if (after.kind == PriceKind::own || !has_month(after)) return;
    if (before != nullptr && before->as_of < after.as_of) {
      const double months = *days_between(day_of(*before), day_of(after)) / kDaysPerMonth;
      if (months > 0) pairs.push_back({before, &after, months, std::log(after.per_hour() / before->per_hour())});
    }
    before = &after;
  };
  for (const Offer& offer : older) next(offer);
  next(newest);
}

/// Changes at a constant rate: the most likely one, of pairs of which it is known only whether the price changed.
double most_likely_rate(std::span<const PricePair> pairs, std::span<const double> weights, const Drift* towards) {
  const auto slope = [&](double rate) {
    double sum = towards != nullptr ? kPriorMonths * (*towards->changes_per_month / rate - 1) : 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const double t = pairs[i].months;
      const double same = std::exp(-rate * t);
      sum += weights[i] * (pairs[i].is_change() ? t * same / (1 - same) : -t);
    }
    return sum;
  };
  double low = kLeastRate;
  double high = kMostRate;
  for (int i = 0; i < 40; ++i) {
    const double middle = std::sqrt(low * high);
    (slope(middle) > 0 ? low : high) = middle;
  }
  return low;
}

/// Pairs of one group, with the provider and GPU they are of.
struct Group {
  std::vector<PricePair> pairs;
  std::vector<const Instance*> instances;

  void add(const PricePair& pair, const Instance& instance) {
    pairs.push_back(pair);
    instances.push_back(&instance);
  }
};

std::size_t offers_in(std::span<const PricePair> pairs) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (i == 0 || PriceOrder::offer(*pairs[i].after) != PriceOrder::offer(*pairs[i - 1].after)) ++count;
  return count;
}

class Measuring {
 public:
  Measuring(std::span<const PricePair> pairs, std::span<const Instance> instances,
            std::span<const Provider> providers) {
    for (const PricePair& pair : pairs) {
      const Instance& instance = instances[pair.after->instance];
      const auto provider = std::ranges::find(providers, instance.provider, &Provider::id);
      if (provider != providers.end()) kinds_[{seller_kind(instance, *provider), pair.after->term}].add(pair, instance);
    }
  }

  std::vector<Drift> run() {
    for (const auto& [kind, group] : kinds_) {
      kind_ = kind;
      const Drift whole = add({}, {}, fit_drift(group.pairs, one_voice_each(group), nullptr));
      for (const auto& [provider, part] : split(group, &Instance::provider)) {
        const Drift of_provider =
            add(provider, {}, fit_drift(part.pairs, std::vector<double>(part.pairs.size(), 1.0), &whole));
        for (const auto& [gpu, cell] : split(part, &Instance::gpu))
          if (!gpu.empty()) add(provider, gpu, fit_drift(cell.pairs, one_voice_a_day(cell), &of_provider));
      }
    }
    return std::move(rows_);
  }

 private:
  /// Weights with which all providers count for as many months.
  static std::vector<double> one_voice_each(const Group& group) {
    std::map<std::string_view, double> months;
    double all = 0;
    for (std::size_t i = 0; i < group.pairs.size(); ++i) {
      months[group.instances[i]->provider] += group.pairs[i].months;
      all += group.pairs[i].months;
    }
    std::vector<double> weights;
    for (const Instance* instance : group.instances)
      weights.push_back(all / static_cast<double>(months.size()) / months[instance->provider]);
    return weights;
  }

  /// Prices of one GPU at one provider move together, in all sizes and regions: between two days they are one witness.
  static std::vector<double> one_voice_a_day(const Group& group) {
    const auto days = [](const PricePair& pair) { return std::pair(pair.before->as_of, pair.after->as_of); };
    std::map<decltype(days(group.pairs.front())), double> together;
    for (const PricePair& pair : group.pairs) ++together[days(pair)];
    std::vector<double> weights;
    for (const PricePair& pair : group.pairs) weights.push_back(1 / together[days(pair)]);
    return weights;
  }

  static std::map<std::string_view, Group> split(const Group& group, std::string_view Instance::* name) {
    std::map<std::string_view, Group> parts;
    for (std::size_t i = 0; i < group.pairs.size(); ++i)
      parts[group.instances[i]->*name].add(group.pairs[i], *group.instances[i]);
    return parts;
  }

  Drift add(std::string_view provider, std::string_view gpu, Drift drift) {
    std::tie(drift.seller, drift.term) = kind_;
    drift.provider = provider;
    drift.gpu = gpu;
    return rows_.emplace_back(drift);
  }

  std::map<std::pair<ProviderKind, Term>, Group> kinds_;
  std::pair<ProviderKind, Term> kind_;
  std::vector<Drift> rows_;
};

std::string id_of(const Drift& drift) {
  std::string id = format("{}.{}", to_text(*drift.seller), to_text(*drift.term));
  for (const std::string_view part : {drift.provider, drift.gpu})
    if (!part.empty()) id += format(".{}", part);
  return id;
}

template <class Value>
Value middle(std::vector<Value> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, half);
  return *half;
}

/// Pairs of one kind, and what became of each offer from its first to its last price.
struct Course {
  std::vector<PricePair> pairs;
  std::vector<double> months;
  std::vector<double> changes;
};

PriceMoves moves_of(const Course& course) {
  PriceMoves out;
  double grown = 0;
  double months = 0;
  for (const PricePair& pair : course.pairs) {
    grown += cut(pair.change);
    months += pair.months;
    if (!out.first.known() || day_of(*pair.before) < out.first) out.first = day_of(*pair.before);
    out.last = std::max(out.last, day_of(*pair.after));
  }
  for (const double change : course.changes) {
    out.rose += change > kRounding ? 1 : 0;
    out.fell += change < -kRounding ? 1 : 0;
  }
  out.pairs = course.pairs.size();
  out.offers = course.changes.size();
  out.months = middle(course.months);
  out.change = std::expm1(middle(course.changes));
  out.per_month = std::expm1(grown / months);
  return out;
}

}  // namespace

bool PricePair::is_change() const { return std::abs(change) > kRounding; }

std::vector<PricePair> price_pairs(const Tables& tables) {
  std::vector<PricePair> pairs;
  auto old = tables.history.begin();
  for (const Offer& offer : tables.offers) {
    const auto key = PriceOrder::offer(offer);
    while (old != tables.history.end() && PriceOrder::offer(*old) < key) ++old;
    const auto first = old;
    while (old != tables.history.end() && PriceOrder::offer(*old) == key) ++old;
    if (first != old) pair_up({first, old}, offer, pairs);
  }
  return pairs;
}

std::vector<PricePair> price_pairs(const Catalog& catalog) { return price_pairs(catalog.tables()); }

ProviderKind seller_kind(const Instance& instance, const Provider& provider) {
  if (instance.third_party_hosts.value_or(false)) return ProviderKind::marketplace;
  return provider.kind.value_or(ProviderKind::cloud);
}

Drift fit_drift(std::span<const PricePair> pairs, std::span<const double> weights, const Drift* towards) {
  Drift out;
  double months = towards != nullptr ? kPriorMonths : 0;
  double grown = towards != nullptr ? kPriorMonths * towards->per_month() : 0;
  double longest = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    months += weights[i] * pairs[i].months;
    grown += weights[i] * cut(pairs[i].change);
    longest = std::max(longest, pairs[i].months);
  }
  const double rate = most_likely_rate(pairs, weights, towards);
  const double per_month = months > 0 ? grown / months : 0;
  const double change = per_month / rate;
  // The square of a sum of independent changes at random times, taken apart. The months of the class have its changes.
  const double of_class = towards != nullptr ? kPriorMonths * *towards->changes_per_month : 0;
  double squares = towards != nullptr ? of_class * *towards->spread * *towards->spread : 0;
  double changes = towards != nullptr ? kPriorMonths * rate : 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double moved = cut(pairs[i].change);
    const double expected = per_month * pairs[i].months;
    const double count = rate * pairs[i].months;
    squares += weights[i] * (moved * moved - expected * expected - count * change * change);
    changes += weights[i] * count;
  }
  out.changes_per_month = rate;
  out.change = std::clamp(change, -kLargest, kLargest);
  out.spread = std::max(kLeastSpread, changes > 0 ? std::sqrt(std::max(squares / changes, 0.0)) : 0);
  out.longest_months = towards != nullptr ? std::max(longest, towards->longest_months.value_or(0)) : longest;
  out.pairs = static_cast<double>(pairs.size());
  out.offers = static_cast<double>(offers_in(pairs));
  return out;
}

std::vector<Drift> measure_drift(std::span<const PricePair> pairs, std::span<const Instance> instances,
                                 std::span<const Provider> providers) {
  return Measuring(pairs, instances, providers).run();
}

void add_measured_drift(Tables& tables) {
  const std::size_t stated = tables.drift.size();
  for (Drift& drift : measure_drift(price_pairs(tables), tables.instances, tables.providers)) {
    std::string id = id_of(drift);
    const auto end = tables.drift.begin() + static_cast<std::ptrdiff_t>(stated);
    if (std::find_if(tables.drift.begin(), end, [&](const Drift& d) { return d.id == id; }) != end) continue;
    drift.id = tables.keep(std::move(id));
    tables.drift.push_back(drift);
  }
  std::ranges::sort(tables.drift, {}, &Drift::id);
}

std::vector<PriceMoves> price_moves(const Catalog& catalog) {
  std::map<std::tuple<std::string_view, ProviderKind, Term>, Course> courses;
  const std::vector<PricePair> pairs = price_pairs(catalog);
  for (std::size_t i = 0; i < pairs.size();) {
    const Instance& instance = catalog.instances()[pairs[i].after->instance];
    const auto provider = catalog.provider(instance.provider);
    Course ignored;
    Course& course =
        provider ? courses[{instance.gpu, seller_kind(instance, **provider), pairs[i].after->term}] : ignored;
    double months = 0;
    double change = 0;
    const auto offer = PriceOrder::offer(*pairs[i].after);
    for (; i < pairs.size() && PriceOrder::offer(*pairs[i].after) == offer; ++i) {
      course.pairs.push_back(pairs[i]);
      months += pairs[i].months;
      change += pairs[i].change;
    }
    course.months.push_back(months);
    course.changes.push_back(change);
  }
  std::vector<PriceMoves> out;
  for (const auto& [key, course] : courses) {
    PriceMoves moves = moves_of(course);
    std::tie(moves.gpu, moves.seller, moves.term) = key;
    out.push_back(moves);
  }
  return out;
}

}  // namespace gpusel::catalog
