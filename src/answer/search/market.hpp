// Which offers may be taken: limits and rules decide, here and nowhere else. Private to this room.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "answer/facts/candidates.hpp"
#include "money/quote.hpp"
#include "rules/rule_set.hpp"

namespace gpusel::answer {

/// An offer with what the use that was asked for is paid under it.
struct Priced {
  const catalog::Offer* offer = nullptr;
  money::Quote quote;
};

class Market {
 public:
  /// Of `rules` those that reject on offers are asked, as far as they speak of this job. All of it outlives the market.
  Market(const catalog::Catalog& catalog, const money::Quoter& quoter, std::span<const rules::Rule> rules,
         const rules::Facts& job, Date today);

  /// The first rule against an offer; null: it may be taken. `facts` is what is known besides, and holds the offer's
  /// facts from then on.
  const rules::Rule* against(const catalog::Offer& offer, const money::Quote& quote, rules::Facts& facts) const;
  /// Told of every offer that a rule is against.
  using Refused = std::function<void(const catalog::Offer& offer, const rules::Rule& rule)>;
  /// In the order of the catalogue; offers whose currency has no rate are none.
  std::vector<Priced> allowed(const catalog::Instance& instance, const money::Use& use, rules::Facts facts = {},
                              const Refused& refused = {}) const;

  const money::Quoter& quoter() const { return quoter_; }
  const rules::RuleSet& judges() const { return judges_; }

 private:
  const catalog::Catalog& catalog_;
  const money::Quoter& quoter_;
  rules::RuleSet judges_;
  Date today_;
};

/// Whether it can be rented by whoever wants it: neither the instance nor this offer is withdrawn.
bool is_sold(const catalog::Instance& instance, const catalog::Offer& offer, const catalog::Catalog& catalog);

}  // namespace gpusel::answer
