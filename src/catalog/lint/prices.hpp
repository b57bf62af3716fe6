// What the checks of prices share. Private to this room.
#pragma once

#include <array>
#include <utility>

#include "catalog/lint/checks.hpp"

namespace gpusel::catalog {

/// Terms of one kind, the shorter first: the longer should cost less.
inline constexpr std::pair<Term, Term> kLongerTerms[] = {{Term::reserved_3m, Term::reserved_6m},
                                                         {Term::reserved_6m, Term::reserved_1y},
                                                         {Term::reserved_1y, Term::reserved_2y},
                                                         {Term::reserved_1y, Term::reserved_3y},
                                                         {Term::reserved_2y, Term::reserved_3y},
                                                         {Term::savings_3m, Term::savings_6m},
                                                         {Term::savings_6m, Term::savings_1y},
                                                         {Term::savings_1y, Term::savings_3y},
                                                         {Term::month, Term::year}};

/// Whether the rate is a reward for something: time, volume or waiting. Capacity blocks are a market.
constexpr bool is_discount(Term term) {
  return term != Term::on_demand && term != Term::spot && term != Term::capacity_block;
}

Subject about_price(const Lint& lint, const Instance& instance, const Offer& offer);
/// Nothing without an exchange rate.
Number usd_per_hour(const Catalog& catalog, const Offer& offer);

// Prices of several machines (sizes.cpp).
void sizes_apart(Lint& lint);
void flat(Lint& lint);
void far_off(Lint& lint);
void larger_cheaper(Lint& lint);

}  // namespace gpusel::catalog
