#include "catalog/diff.hpp"

#include <algorithm>
#include <tuple>

#include "base/words/message.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

Value value_of(const Number& member) { return member ? Value(*member) : Value(); }
Value value_of(std::string_view member) { return member.empty() ? Value() : Value(std::string(member)); }
Value value_of(const Currency& member) { return Value(std::string(member.code())); }
Value value_of(Date member) { return value_of(std::string_view(member.text())); }
Value value_of(const std::optional<bool>& member) {
  return member ? Value(std::string(*member ? "true" : "false")) : Value();
}
Value value_of(const TextList& member) {
  std::string joined(member.joined());
  std::replace(joined.begin(), joined.end(), '\n', ' ');
  return value_of(std::string_view(joined));
}
template <NamedEnum E>
Value value_of(E member) {
  return std::string(to_text(member));
}
template <NamedEnum E>
Value value_of(const std::optional<E>& member) {
  return member ? value_of(*member) : Value();
}

std::string name_of(const Region& r) { return format("{}/{}", r.provider, r.id); }
std::string name_of(const Instance& r) { return format("{}/{}", r.provider, r.sku); }
template <class Part>
  requires requires(const Part& part) { part.id; }
std::string name_of(const Part& part) {
  return std::string(part.id);
}
std::string name_of(const Source& r) { return std::string(r.key); }
std::string name_of(const ExchangeRate& r) { return std::string(r.currency.code()); }
std::string name_of(const RenderScore& r) {
  return format("{} {} {} {}", r.gpu, to_text(r.benchmark), r.version, r.backend);
}
std::string name_of(const OfferState& r) {
  return format("{}/{} {} {}", r.provider, r.sku, r.region.empty() ? "*" : r.region,
                r.term ? to_text(*r.term) : std::string_view("*"));
}

/// Records of both sides in the order of their keys, met pairwise; null where one side has none.
template <class Record, class Key, class Meet>
void merge(std::span<const Record> before, std::span<const Record> after, Key key, Meet meet) {
  const auto sorted = [&](std::span<const Record> records) {
    std::vector<std::pair<decltype(key(records[0])), const Record*>> list;
    list.reserve(records.size());
    for (const Record& record : records) list.emplace_back(key(record), &record);
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return list;
  };
  const auto left = sorted(before);
  const auto right = sorted(after);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() || j < right.size()) {
    const bool takes_left = j == right.size() || (i < left.size() && !(right[j].first < left[i].first));
    const bool takes_right = i == left.size() || (j < right.size() && !(left[i].first < right[j].first));
    meet(takes_left ? left[i].second : nullptr, takes_right ? right[j].second : nullptr);
    i += takes_left ? 1 : 0;
    j += takes_right ? 1 : 0;
  }
}

class Differ {
 public:
  Differ(const Catalog& before, const Catalog& after) : before_(before), after_(after) {}

  std::vector<Change> run() {
    records("gpus", before_.gpus(), after_.gpus());
    records("models", before_.models(), after_.models());
    records("providers", before_.providers(), after_.providers());
    records("regions", before_.regions(), after_.regions());
    records("instances", before_.instances(), after_.instances());
    merge(
        before_.instances(), after_.instances(), [](const Instance& i) { return std::pair(i.provider, i.sku); },
        [&](const Instance* old_one, const Instance* new_one) { prices(old_one, new_one); });
    records("availability", before_.offer_states(), after_.offer_states());
    records("render_scores", before_.render_scores(), after_.render_scores());
    visit_parts(before_.tables(), [&]<class Part>(std::string_view section, const std::vector<Part>& old, auto) {
      visit_parts(after_.tables(), [&]<class Other>(std::string_view, const std::vector<Other>& now, auto) {
        // How prices move follows from the prices.
        if constexpr (std::same_as<Part, Other> && !std::same_as<Part, Drift>) records<Part>(section, old, now);
      });
    });
    records("exchange_rates", before_.exchange_rates(), after_.exchange_rates());
    records("places", before_.places(), after_.places());
    records("sources", before_.sources(), after_.sources());
    return std::move(changes_);
  }

 private:
  template <class Record>
  void records(std::string_view section, std::span<const Record> before, std::span<const Record> after) {
    merge(
        before, after, [](const Record& r) { return name_of(r); },
        [&](const Record* old_one, const Record* new_one) {
          if (old_one != nullptr && new_one != nullptr)
            fields(section, *old_one, *new_one);
          else if (new_one != nullptr)
            changes_.push_back({section, name_of(*new_one), ChangeKind::added, {}, {}, {}});
          else
            changes_.push_back({section, name_of(*old_one), ChangeKind::removed, {}, {}, {}});
        });
  }

  template <class Record>
  void fields(std::string_view section, const Record& old_one, const Record& new_one) {
    std::vector<Value> old_values;
    visit_fields(old_one, [&](const Field&, const auto& member) { old_values.push_back(value_of(member)); });
    std::size_t i = 0;
    visit_fields(new_one, [&](const Field& field, const auto& member) {
      Value now = value_of(member);
      Value& then = old_values[i++];
      if (then != now)
        changes_.push_back(
            {section, name_of(new_one), ChangeKind::changed, field.json, std::move(then), std::move(now)});
    });
  }

  /// Offers of one instance, known on one side or both.
  void prices(const Instance* old_one, const Instance* new_one) {
    struct Priced {
      const Catalog* catalog;
      const Offer* offer;
      auto key() const {
        return std::tuple(catalog->region_of(*offer).id, offer->term, catalog->currency_of(*offer).code());
      }
    };
    const auto list = [](const Catalog& catalog, const Instance* instance) {
      std::vector<Priced> out;
      if (instance != nullptr)
        for (const Offer& offer : catalog.offers_of(*instance)) out.push_back({&catalog, &offer});
      return out;
    };
    const std::vector<Priced> left = list(before_, old_one);
    const std::vector<Priced> right = list(after_, new_one);
    merge<Priced>(
        left, right, [](const Priced& p) { return p.key(); },
        [&](const Priced* then, const Priced* now) {
          const Priced& any = now != nullptr ? *now : *then;
          std::string subject = format("{} {} {} {}", name_of(*(now != nullptr ? new_one : old_one)),
                                       any.catalog->region_of(*any.offer).id, to_text(any.offer->term),
                                       any.catalog->currency_of(*any.offer).code());
          price(std::move(subject), then == nullptr ? nullptr : then->offer, now == nullptr ? nullptr : now->offer);
        });
  }

  void price(std::string subject, const Offer* then, const Offer* now) {
    const auto amount = [](const Offer* offer) { return offer == nullptr ? Value() : Value(offer->per_hour()); };
    if (then == nullptr || now == nullptr) {
      const ChangeKind kind = then == nullptr ? ChangeKind::added : ChangeKind::removed;
      changes_.push_back({"prices", std::move(subject), kind, "price_per_hour", amount(then), amount(now)});
    } else if (then->per_hour() != now->per_hour()) {
      changes_.push_back(
          {"prices", std::move(subject), ChangeKind::changed, "price_per_hour", amount(then), amount(now)});
    } else if (then->as_of != now->as_of) {
      changes_.push_back({"prices", std::move(subject), ChangeKind::changed, "as_of",
                          value_of(Date::from_packed(then->as_of)), value_of(Date::from_packed(now->as_of))});
    }
  }

  const Catalog& before_;
  const Catalog& after_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> diff(const Catalog& before, const Catalog& after) { return Differ(before, after).run(); }

}  // namespace gpusel::catalog
