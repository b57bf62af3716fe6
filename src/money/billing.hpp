// How a provider counts time, what an hour of it costs as a month goes on and what is charged on top: rules of the
// catalogue, per family, SKU, region and term.
#pragma once

#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::money {

/// Up to that share of a month's hours, an hour costs so much of its price.
struct Increment {
  double up_to = 1;
  double price = 1;
};

/// How the time of one start is counted, and what a whole month of it is charged.
struct Billing {
  catalog::Number granularity_s = {};  // unknown: counted to the moment here, and said so
  catalog::Number minimum_s = {};
  catalog::Number longest_h = {};          // without a break; unknown: no end is known
  catalog::Number most_nodes = {};         // at once; unknown: no limit is known
  std::vector<Increment> increments = {};  // by rising share; none: every hour costs its price
  std::string_view source = {};            // of the step and the least time
  std::string_view increments_source = {};
  const catalog::BillingRule* setup = nullptr;  // that states a charge for each instance; null: none
  const catalog::BillingRule* host = nullptr;   // that charges vCPU and memory apart; null: they are in the price

  /// Hours billed for a start that ran so long.
  double hours(double run_hours) const;
  /// Hours at the full price that so many of one month cost.
  double charged(double month_hours) const;
  /// Hours of one month that cost so many at the full price; more than a month where no month does.
  double used(double charged_hours) const;
  /// Hours at the full price of so many that are billed over so long, counted from the start of a month.
  double charged_over(double billed_hours, double elapsed_hours) const;
};

/// By the narrowest rules that state each figure.
Billing billing_of(const catalog::Instance& instance, std::string_view region, catalog::Term term,
                   const catalog::Provider* provider, const catalog::Catalog& catalog);

}  // namespace gpusel::money
