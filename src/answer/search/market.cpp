#include "answer/search/market.hpp"

namespace gpusel::answer {

std::optional<ColdStart> unsaid_start(const Question& question, const job::Job& work, const PlannedMachine& planned,
                                      const Place& place, const catalog::Catalog& catalog,
                                      const physics::Coefficients& coefficients, physics::Trace* trace) {
  if (!question.duty.scale_to_zero || question.duty.cold_start_s) return std::nullopt;
  return cold_start(work, planned.machine, planned.plan, place, catalog, coefficients, trace,
                    question.extras.storage_kind);
}

PlanUse::PlanUse(const Question& question, const job::Job& work, const PlannedMachine& planned,
                 const catalog::Catalog& catalog, const physics::Coefficients& coefficients)
    : question_(question),
      work_(work),
      planned_(planned),
      catalog_(catalog),
      coefficients_(coefficients),
      job_(job_of(work, planned.plan)),
      duty_(question.duty) {}

money::Use PlanUse::operator()(const catalog::Offer& offer) {
  const bool same_place = timed_ != nullptr && timed_->instance == offer.instance && timed_->region == offer.region;
  if (duty_.scale_to_zero && !same_place) {
    const catalog::Instance& instance = catalog_.instances()[offer.instance];
    const auto start =
        unsaid_start(question_, work_, planned_, {instance, catalog_.region_of(offer).id}, catalog_, coefficients_);
    duty_.cold_start_s = start ? start->total().raw() : question_.duty.cold_start_s;
    timed_ = &offer;
  }
  stretch_on(offer);
  return {static_cast<double>(planned_.machine.nodes), &job_, &duty_, &question_.extras};
}

void PlanUse::stretch_on(const catalog::Offer& offer) {
  if (!job_.hours) return;
  const catalog::Instance& instance = catalog_.instances()[offer.instance];
  const bool spot = offer.term == catalog::Term::spot;
  const catalog::SpotMarket* market = spot ? spot_market_of(instance, catalog_) : nullptr;
  Stretched& known = spot ? on_spot_ : as_sold_;
  const double gpus = instance.gpu_count.value_or(0);
  if (known.gpus != gpus || known.market != market) {
    const StopModel model =
        stop_model(stopped_job(work_, gpus, planned_.machine, planned_.plan), stops_, coefficients_);
    const double taken =
        spot ? money::hourly_rate(taken_share(stops_, market, coefficients_).mid) * planned_.machine.nodes : 0;
    const money::Run run = run_of(model, model.failures + taken, stops_, *job_.hours);
    const double all = model.failures.per_hour + taken;
    const double regain = regain_hours(stops_, catalog_.gpu_of(instance), planned_.machine.nodes, coefficients_).mid;
    known = {gpus, market, run.factor(), all > 0 ? run.interruptions * taken / all * regain : 0};
  }
  job_.stretch = known.factor;
  job_.waiting_hours = known.waiting_hours;
}

void PlanUse::set_speed(double rate) {
  const double planned = planned_.plan.rate;
  job_ = job_of(work_, planned_.plan);
  as_sold_ = on_spot_ = {};
  if (job_.hours) job_.hours = *job_.hours * planned / rate;
  if (job_.tokens_per_s) job_.tokens_per_s = *job_.tokens_per_s * rate / planned;
  if (job_.units_per_hour) job_.units_per_hour = *job_.units_per_hour * rate / planned;
}

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

std::vector<Priced> Market::allowed(const catalog::Instance& instance, const UseOf& use_of, rules::Facts facts,
                                    const Refused& refused) const {
  std::vector<Priced> allowed;
  each(instance, use_of, [&](Priced priced) {
    const rules::Rule* rule = against(*priced.offer, priced.quote, facts);
    if (rule == nullptr)
      allowed.push_back(std::move(priced));
    else if (refused)
      refused(*priced.offer, *rule);
  });
  return allowed;
}

std::vector<const catalog::Offer*> sold_offers(const catalog::Instance& instance, const catalog::Catalog& catalog) {
  std::vector<const catalog::Offer*> sold;
  if (!for_sale(instance.status)) return sold;
  for (const catalog::Offer& offer : catalog.offers_of(instance)) {
    const catalog::OfferState* state = catalog.state_of(instance, offer);
    if (state == nullptr || for_sale(state->state)) sold.push_back(&offer);
  }
  return sold;
}

const catalog::Offer& trial_offer(const catalog::Offer& chosen, const money::Quoter& quoter,
                                  const catalog::Catalog& catalog) {
  const catalog::Offer* best = nullptr;
  for (const catalog::Offer* offer : sold_offers(catalog.instances()[chosen.instance], catalog)) {
    if (offer->term != catalog::Term::on_demand || offer->region != chosen.region || !quoter.hourly(*offer)) continue;
    if (best == nullptr || *quoter.hourly(*offer) < *quoter.hourly(*best)) best = offer;
  }
  return best != nullptr ? *best : chosen;
}

}  // namespace gpusel::answer
