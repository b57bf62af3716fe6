// Prices of several machines: the sizes of a family, and one GPU at all providers.
#include <algorithm>
#include <ranges>
#include <tuple>

#include "catalog/lint/prices.hpp"

namespace gpusel::catalog {

namespace {

constexpr double kSizesApart = 1.3;
constexpr double kFarFromFamily = 10;
constexpr std::size_t kEnoughToCompare = 5;
constexpr std::size_t kCompared = 100;  // sizes of a family, from either end

/// The price of one size, with what tells whose sisters it has.
struct Row {
  std::uint32_t family = 0;
  std::int32_t gpu = kNoGpu;
  std::uint16_t region = 0;
  Term term = Term::on_demand;
  std::uint8_t currency = 0;
  const Instance* instance = nullptr;
  const Offer* offer = nullptr;

  auto group() const { return std::tuple(family, gpu, region, term, currency); }
  double per_gpu() const { return offer->per_hour() / *instance->gpu_count; }
};
using Rows = std::span<const Row>;

std::vector<Row> rows_of(const Catalog& catalog) {
  std::vector<Row> rows;
  std::unordered_map<std::string, std::uint32_t> families;
  for (const Instance& instance : catalog.instances()) {
    if (instance.family.empty() || instance.gpu_count.value_or(0) <= 0 || instance.gpu.empty()) continue;
    const auto family =
        families.try_emplace(family_name(instance), static_cast<std::uint32_t>(families.size())).first->second;
    for (const Offer& offer : catalog.offers_of(instance))
      if (offer.term != Term::spot && offer.amount > 0)
        rows.push_back({family, instance.gpu_index, offer.region, offer.term, offer.currency, &instance, &offer});
  }
  return rows;
}

/// Calls `action` with the prices of one family, GPU, region, term and currency, cheapest GPU first.
template <class Action>
void each_family(Lint& lint, Action action) {
  std::vector<Row> rows = rows_of(lint.catalog());
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.group(), a.per_gpu(), a.instance->sku) < std::tuple(b.group(), b.per_gpu(), b.instance->sku);
  });
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(first, rows.end(), [&](const Row& row) { return row.group() != first->group(); });
    if (last - first > 1) action(Rows(first, last));
    first = last;
  }
}

/// Two sizes with one price and different numbers of GPUs.
std::pair<const Row*, const Row*> same_price(Rows rows) {
  std::vector<const Row*> by_amount;
  for (const Row& row : rows) by_amount.push_back(&row);
  const auto amount = [](const Row* row) { return row->offer->per_hour(); };
  std::sort(by_amount.begin(), by_amount.end(), [&](const Row* a, const Row* b) {
    return std::tuple(amount(a), *a->instance->gpu_count) < std::tuple(amount(b), *b->instance->gpu_count);
  });
  for (std::size_t i = 1; i < by_amount.size(); ++i)
    if (amount(by_amount[i]) == amount(by_amount[i - 1]) &&
        *by_amount[i]->instance->gpu_count > *by_amount[i - 1]->instance->gpu_count)
      return {by_amount[i - 1], by_amount[i]};
  return {nullptr, nullptr};
}

/// How many times more of the host one GPU of `a` has than one of `b`; at least 1.
double more_host(const Row& a, const Row& b) {
  const auto times = [&](Number Instance::* figure) {
    const double x = (a.instance->*figure).value_or(0) / *a.instance->gpu_count;
    const double y = (b.instance->*figure).value_or(0) / *b.instance->gpu_count;
    return x > 0 && y > 0 ? x / y : 1.0;
  };
  return std::max({1.0, times(&Instance::vcpu), times(&Instance::memory_gib)});
}

/// Whether `dear` may cost so much more than `cheap` for the host it comes with.
bool host_explains(const Row& dear, const Row& cheap) {
  return dear.per_gpu() <= cheap.per_gpu() * kSizesApart * more_host(dear, cheap);
}

/// The two farthest apart that the hosts do not explain: what costs more has too little more to show for it.
std::pair<const Row*, const Row*> unexplained(Rows rows) {
  const std::size_t compared = std::min(rows.size(), kCompared);
  for (const Row& dear : std::views::reverse(rows.last(compared)))
    for (const Row& cheap : rows.first(compared))
      if (!host_explains(dear, cheap)) return {&dear, &cheap};
  return {nullptr, nullptr};
}

std::string text_of(const Lint& lint, const Row& row) {
  return format("{} {} ({})", human_price(row.per_gpu()), lint.catalog().currency_of(*row.offer).code(),
                row.instance->sku);
}

std::string apart_text(const Lint& lint, const Row& dear, const Row& cheap) {
  return say("a GPU-hour is {} and {}: {} times", text_of(lint, dear), text_of(lint, cheap),
             shown(dear.per_gpu() / cheap.per_gpu()));
}

std::string price_record(const Lint& lint, const Row& row) {
  return about_price(lint, *row.instance, *row.offer).record();
}

/// A finding about the family: an acceptance of it covers what the hosts can explain, and no more.
void report_family(Lint& lint, const Row& dear, const Row& cheap) {
  Subject subject = about_price(lint, *dear.instance, *dear.offer);
  subject.others = {price_record(lint, dear), price_record(lint, cheap)};
  subject.kind = "family";
  subject.id = family_name(*dear.instance);
  lint.found(std::move(subject), apart_text(lint, dear, cheap),
             say("the host is up to {}× larger per GPU, which may be why", shown(more_host(dear, cheap))));
}

/// About one size: the one farther from the middle of the family.
void report_size(Lint& lint, const Row& dear, const Row& cheap, double middle) {
  const bool dear_is_odd = dear.per_gpu() / middle >= middle / cheap.per_gpu();
  const Row& odd = dear_is_odd ? dear : cheap;
  Subject subject = about_price(lint, *odd.instance, *odd.offer);
  subject.others = {price_record(lint, dear_is_odd ? cheap : dear)};
  lint.found(std::move(subject), apart_text(lint, dear, cheap),
             say("more than their hosts explain; is one the price of another size?"));
}

}  // namespace

void sizes_apart(Lint& lint) {
  each_family(lint, [&](Rows all) {
    std::vector<Row> rest;  // a flat price is a finding of its own
    const Row* flat = same_price(all).second;
    for (const Row& row : all)
      if (&row != flat) rest.push_back(row);
    const Rows rows(rest);
    const Row& cheapest = rows.front();
    const Row& dearest = rows.back();
    if (dearest.per_gpu() <= cheapest.per_gpu() * kSizesApart) return;
    const auto [dear, cheap] = unexplained(rows);
    if (dear != nullptr) return report_size(lint, *dear, *cheap, rows[rows.size() / 2].per_gpu());
    report_family(lint, dearest, cheapest);
  });
}

constexpr double kCheaper = 0.95;
constexpr int kYoungerDays = 1;

/// Whether the price was the same already on that day, or before.
bool has_stood_since(const Catalog& catalog, const Row& row, std::int32_t day) {
  return std::ranges::any_of(catalog.history_of(*row.offer), [&](const Offer& old) {
    return old.as_of <= day && old.per_hour() == row.offer->per_hour();
  });
}

void larger_cheaper(Lint& lint) {
  const auto is_stale = [&](const Row& large, const Row& small) {
    if (*large.instance->gpu_count <= *small.instance->gpu_count) return false;
    if (large.per_gpu() * more_host(small, large) >= small.per_gpu() * kCheaper) return false;
    const auto days = days_between(Date::from_packed(large.offer->as_of), Date::from_packed(small.offer->as_of));
    return days && *days >= kYoungerDays && !has_stood_since(lint.catalog(), small, large.offer->as_of);
  };
  each_family(lint, [&](Rows rows) {
    for (const Row& large : rows.first(std::min(rows.size(), kCompared))) {
      const auto small =
          std::ranges::find_if(rows.rbegin(), rows.rend(), [&](const Row& row) { return is_stale(large, row); });
      if (small == rows.rend()) continue;
      Subject subject = about_price(lint, *large.instance, *large.offer);
      subject.others = {price_record(lint, *small)};
      lint.found(std::move(subject),
                 say("a GPU-hour is {} on {}, and {} on {}", text_of(lint, large),
                     Date::from_packed(large.offer->as_of).text(), text_of(lint, *small),
                     Date::from_packed(small->offer->as_of).text()),
                 say("has the price of the larger size risen since, too?"));
    }
  });
}

void flat(Lint& lint) {
  each_family(lint, [&](Rows rows) {
    const auto [few, many] = same_price(rows);
    if (few == nullptr) return;
    Subject subject = about_price(lint, *many->instance, *many->offer);
    subject.others = {price_record(lint, *few)};
    lint.found(std::move(subject),
               say("{} {} per hour for {} GPUs, as much as {} with {}", human_price(many->offer->per_hour()),
                   lint.catalog().currency_of(*many->offer).code(), shown(*many->instance->gpu_count),
                   few->instance->sku, shown(*few->instance->gpu_count)),
               say("is it the price of one GPU?"));
  });
}

void far_off(Lint& lint) {
  const Catalog& catalog = lint.catalog();
  std::vector<std::vector<double>> by_gpu(catalog.gpus().size());
  const auto each = [&](auto action) {
    for (const Instance& instance : catalog.instances()) {
      if (instance.gpu_index == kNoGpu || instance.gpu_count.value_or(0) <= 0) continue;
      for (const Offer& offer : catalog.offers_of(instance))
        if (const Number usd = usd_per_hour(catalog, offer); usd && *usd > 0 && offer.term == Term::on_demand)
          action(instance, offer, *usd / *instance.gpu_count);
    }
  };
  each([&](const Instance& instance, const Offer&, double per_gpu) {
    by_gpu[static_cast<std::size_t>(instance.gpu_index)].push_back(per_gpu);
  });
  for (auto& prices : by_gpu)
    std::nth_element(prices.begin(), prices.begin() + static_cast<std::ptrdiff_t>(prices.size() / 2), prices.end());
  each([&](const Instance& instance, const Offer& offer, double per_gpu) {
    const auto& prices = by_gpu[static_cast<std::size_t>(instance.gpu_index)];
    if (prices.size() < kEnoughToCompare) return;
    const double middle = prices[prices.size() / 2];
    if (per_gpu <= middle * kFarFromFamily && per_gpu >= middle / kFarFromFamily) return;
    lint.found(about_price(lint, instance, offer),
               say("{} USD per GPU and hour; the median price of {} is {} USD", human_price(per_gpu),
                   catalog.gpu_of(instance)->id, human_price(middle)),
               say("is it of another currency, period or GPU?"));
  });
}

}  // namespace gpusel::catalog
