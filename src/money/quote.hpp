// The one money function: an offer and the use that is made of it, to everything that is paid. Whatever names a price
// asks it, so that no two answers of the program differ.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/values/number.hpp"
#include "money/exchange.hpp"
#include "money/expected.hpp"
#include "money/terms.hpp"
#include "physics/coefficients.hpp"

namespace gpusel::money {

/// What instances do while they are rented; rates are those of all nodes at full speed.
struct Work {
  catalog::Number hours;            // of work; nothing for a service that runs on
  double stretch = 1;               // times as long that it is expected to take, with failures and restarts
  double waiting_hours = 0;         // besides, until what was taken away is there again: not paid for
  catalog::Number tokens_per_s;     // nothing where it has no meaning
  std::string_view tokens = "all";  // that this counts: all, written, read
  catalog::Number units_per_hour;   // of what a price of counted work is for
  std::string unit;                 // "million images"; empty: the work is counted in tokens
  bool needs_workstation = false;
  double egress_mbps = 0;  // to the internet
};

/// What is paid beside the instances, as it was asked for.
struct Extras {
  bool workstation = false;  // a graphics driver with a workstation licence
  std::optional<double> storage_gb;
  std::optional<catalog::StorageKind> storage_kind;  // where data and weights are kept; nothing: volumes, if any
  std::optional<double> egress_gb;                   // to the internet, a month

  bool is_given() const { return *this != Extras{}; }
  bool operator==(const Extras&) const = default;
};
std::span<const job::Option<Extras>> extra_options();

/// What is rented, for what, and how much of the time; all of it outlives a quote.
struct Use {
  double nodes = 1;                // instances; a fraction where a part of one stands for its GPUs
  const Work* job = nullptr;       // null: rented for nothing in particular, month after month
  const Duty* duty = nullptr;      // null: round the clock
  const Extras* extras = nullptr;  // null: none

  /// As expected; nothing for what does not end.
  catalog::Number job_hours() const {
    return job != nullptr && job->hours ? catalog::Number(*job->hours * job->stretch) : catalog::Number();
  }
};

/// Paid beside the instances. Its amounts are unknown where its price is.
struct Line {
  std::string_view key;  // host, setup, licence, storage, egress
  Amounts amounts;       // in the answer's currency
  bool known = false;
  std::string figures;  // of a month, as they are multiplied and added
  std::string words;    // how much at which price, or why nothing is known
  std::string_view source;
  Date as_of;
};

/// What a use is paid under one offer. Amounts are in the answer's currency, of all nodes, unless they say otherwise.
struct Quote {
  Money published;                   // of one instance and hour
  std::optional<Exchange> exchange;  // where it was converted
  double nodes = 1;
  double rate = 0;            // of the instances and one hour
  double licence_hourly = 0;  // known licences of that hour
  double host_hourly = 0;     // vCPU and memory, where they are charged apart and that is known
  double hourly = 0;          // all three
  PriceToday today;           // of the instances and one hour: what `rate` is expected to be by now
  double hours = 0;           // that the job is expected to run, or of a month
  double worked = 0;          // hours of work in what is paid for
  double elapsed = 0;         // hours from the start to the end of it
  double cold_start_s = 0;    // of each start, in the hours that are paid
  Billing billing;
  Commitment commitment;
  Paid paid;              // hours
  double on_demand = 0;   // the rate there, where it bounds what a whole month's discount costs
  bool outlasts = false;  // the job takes longer than the term lasts: it has no total
  std::vector<Line> lines;
  /// Of the whole job, or of a month of a service: what is paid for, commitments and billing steps included, with every
  /// line that is known. NaN where the job outlasts the term.
  double total = std::numeric_limits<double>::quiet_NaN();
  // The total ÷ the work in it.
  catalog::Number per_used_hour;
  catalog::Number per_million_tokens;
  catalog::Number per_unit;

  /// What offers are ordered by, as a multiple of what they are billed at.
  double order_factor() const { return rate > 0 ? today.order() / rate : 1; }
  /// Lists of one price differ in how they round it.
  static constexpr int kDigitsOfPrices = 5;
  /// By what places that sell the same are compared: a charge that nobody knows is no saving.
  std::pair<bool, double> place_order() const {
    const double paid_in_all = total * order_factor();
    return {
        lacks("egress") || lacks("storage") || lacks("host") || lacks("setup"),
        std::isnan(paid_in_all) ? std::numeric_limits<double>::infinity() : to_digits(paid_in_all, kDigitsOfPrices)};
  }
  /// The instances alone, in the currency of the offer.
  Amounts own() const { return amounts_of(published.amount * nodes, paid); }
  Amounts instances() const { return amounts_of(rate, paid); }
  /// Instances and every line that is known.
  Amounts sums() const;
  /// Keys of lines whose price is not known: not in the total.
  std::vector<std::string_view> lacking() const;
  bool lacks(std::string_view key) const;
  /// Whether less use may cost less than the total.
  bool is_at_most() const { return paid.job ? paid.job_at_most : paid.at_most; }
  /// Traffic to the internet, of a mean hour; nothing where there is none or no price is known.
  catalog::Number egress_hourly() const;
  /// What is paid for an hour on top of the instances.
  double beside_hourly() const { return licence_hourly + host_hourly; }
  const Line* line(std::string_view key) const;
};

class Quoter {
 public:
  /// All of them outlive it. `today`: the day that prices are expected for; unknown: they are taken as published.
  Quoter(const catalog::Catalog& catalog, const physics::Coefficients& coefficients, const Converter& converter,
         Date today)
      : catalog_(catalog), coefficients_(coefficients), converter_(converter), outlook_(catalog, today) {}

  /// Nothing where the offer's currency has no rate.
  std::optional<Quote> quote(const catalog::Offer& offer, const Use& use = {}) const;
  /// Of one instance and hour, in the answer's currency: what whatever is paid grows with.
  catalog::Number hourly(const catalog::Offer& offer) const;
  /// The same of the same machine in the same place on demand; nothing where it is not sold so.
  catalog::Number on_demand_hourly(const catalog::Offer& offer) const;
  const Converter& converter() const { return converter_; }

 private:
  const catalog::Provider* provider_of(const catalog::Instance& instance) const;
  const catalog::Offer* on_demand_beside(const catalog::Offer& offer) const;
  Billing billing_at(const catalog::Offer& offer) const;
  void bound(Quote& quote, const catalog::Offer& offer, const Use& use) const;

  const catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
  const Converter& converter_;
  PriceOutlook outlook_;
  mutable const catalog::Provider* last_provider_ = nullptr;  // instances of one stand together
};

}  // namespace gpusel::money
