#include "answer/search/market.hpp"

namespace gpusel::answer {

Market::Market(const catalog::Catalog& catalog, const money::Quoter& quoter, std::span<const rules::Rule> rules,
               const rules::Facts& job, Date today)
    : catalog_(catalog), quoter_(quoter), today_(today) {
  for (const rules::Rule& rule : rules) {
    const bool on_offers = rule.effect == rules::Effect::reject && rule.stage == rules::Stage::offer;
    if (on_offers && rules::may_fire(rule, job, rules::Stage::job)) judges_.add(rule, job);
  }
}

const rules::Rule* Market::against(const catalog::Offer& offer, const money::Quote& quote, rules::Facts& facts) const {
  offer_facts(facts, {offer, quote, catalog_, today_}, judges_.facts());
  return judges_.first_to_fire(facts);
}

std::vector<Priced> Market::allowed(const catalog::Instance& instance, const money::Use& use, rules::Facts facts,
                                    const Refused& refused) const {
  std::vector<Priced> allowed;
  for (const catalog::Offer& offer : catalog_.offers_of(instance)) {
    auto quote = quoter_.quote(offer, use);
    if (!quote) continue;
    const rules::Rule* rule = against(offer, *quote, facts);
    if (rule == nullptr)
      allowed.push_back({&offer, std::move(*quote)});
    else if (refused)
      refused(offer, *rule);
  }
  return allowed;
}

bool is_sold(const catalog::Instance& instance, const catalog::Offer& offer, const catalog::Catalog& catalog) {
  const catalog::OfferState* state = catalog.state_of(instance, offer);
  return for_sale(instance.status) && (state == nullptr || for_sale(state->state));
}

}  // namespace gpusel::answer
