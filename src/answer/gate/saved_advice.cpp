#include <algorithm>

#include "answer/cost/cost_parts.hpp"
#include "answer/gate/saved.hpp"
#include "answer/search/search.hpp"
#include "base/words/message.hpp"
#include "physics/planner/serving.hpp"

namespace gpusel::answer {

namespace {

/// The offer that the answer was made with, at the price that it had there.
std::shared_ptr<const catalog::Offer> offer_of(const CostSubject& subject, const catalog::Catalog& catalog) {
  if (!subject.saved_price) return nullptr;
  for (const catalog::Offer& offer : catalog.offers_of(*subject.instance))
    if (catalog.region_of(offer).id == subject.saved_price->region &&
        to_text(offer.term) == subject.saved_price->term) {
      catalog::Offer saved = offer;
      const SavedPrice& price = *subject.saved_price;
      if (price.per_hour.currency == catalog.currency_of(offer) && offer.per_hour() != price.per_hour.amount) {
        saved.amount = price.per_hour.amount;
        saved.period = catalog::Period::hour;
        saved.as_of = price.as_of.packed();
        if (price.is_own) saved.kind = catalog::PriceKind::own;
      }
      return std::make_shared<const catalog::Offer>(saved);
    }
  return nullptr;
}

job::Assumptions assumed_in(const Node& root) {
  job::Assumptions out;
  const Node* assumed = root.find("assumed");
  if (assumed == nullptr || !assumed->is_map()) return out;
  for (const Node& member : assumed->children) {
    if (!member.is_scalar() || member.key == "today") continue;
    const auto number = member.quoted ? std::nullopt : plain_number(member.text);
    out.push_back({member.key, number ? job::Value(*number) : job::Value(member.text)});
  }
  return out;
}

/// The options of the job, as they were written.
std::map<std::string, std::string, std::less<>> given_in(const Node& root) {
  std::map<std::string, std::string, std::less<>> out;
  const Node* workload = root.find("workload");
  const Node* given = workload != nullptr && workload->is_map() ? workload->find("given") : nullptr;
  if (given == nullptr || !given->is_map()) return out;
  for (const Node& member : given->children)
    if (member.is_scalar()) out.emplace(member.key, member.text);
  return out;
}

/// Whether a figure of the saved plan is still that figure.
bool holds(const Node* plan, std::string_view key, double value) {
  const Node* node = plan != nullptr ? plan->find(key) : nullptr;
  const auto number = node != nullptr && node->is_scalar() ? plain_number(node->text) : std::nullopt;
  return number && *number == value;
}
bool holds(const Node* plan, std::string_view key, std::string_view value) {
  const Node* node = plan != nullptr ? plan->find(key) : nullptr;
  return node != nullptr && node->is_scalar() && node->text == value;
}

bool same(const Node* saved, const physics::Plan& plan) {
  const physics::Layout& layout = plan.layout;
  const bool precision = holds(saved, "precision", to_text(layout.precision));
  if (!plan.training && !plan.serving)
    return holds(saved, "batch", static_cast<double>(layout.micro_batch)) && precision;
  if (!holds(saved, "tp", layout.tp) || !holds(saved, "pp", layout.pp) || !holds(saved, "dp", layout.dp)) return false;
  if (plan.serving)
    return holds(saved, "weights_precision", layout.weights->name) && holds(saved, "kv_precision", to_text(layout.kv));
  return holds(saved, "sharding", to_text(layout.sharding)) && precision &&
         holds(saved, "micro_batch", static_cast<double>(layout.micro_batch)) &&
         holds(saved, "grad_accum", static_cast<double>(layout.grad_accum)) &&
         holds(saved, "activation_checkpointing", to_text(layout.checkpointing));
}

/// A service at a rate is sized by its targets, which says how many replicas but not how each is laid out: of the
/// layouts that are legal today, the saved one. Other work has one best plan.
Result<physics::Plan> plan_as_saved(const job::Job& work, const Node* saved, const physics::Machine& machine,
                                    const catalog::Catalog& catalog, const physics::Coefficients& c) {
  const auto best = [&]() -> Result<physics::Plan> {
    auto planned = plan_on_all(work, machine, catalog, c);
    if (!planned) return std::unexpected(planned.error());
    return std::move(planned->plan);
  };
  if (job::is_training(work.task) || work.counted || !work.inference.request_rate) return best();
  const auto options = physics::serving_options(work, machine, c);
  if (!options) return std::unexpected(options.error());
  for (const physics::ServingOption& option : *options) {
    if (!option.fits) continue;
    physics::Plan plan = physics::inference_figures(work, machine, option.layout, c);
    if (plan.serving && plan.rate > 0 && same(saved, plan)) return plan;
  }
  return best();
}

/// What the answer warned of.
std::vector<Remark> remarks_in(const Node& saved) {
  std::vector<Remark> out;
  const Node* warnings = saved.find("warnings");
  if (warnings == nullptr || !warnings->is_list()) return out;
  for (const Node& one : warnings->children)
    if (const auto severity = one.is_map() ? from_text<rules::Effect>(one.text_at("severity")) : std::nullopt)
      out.push_back({one.text_at("rule"), *severity, one.text_at("message"), one.text_at("source")});
  return out;
}

catalog::Number chance_in(const Node& saved, std::string_view of) {
  const Node* probability = saved.find("probability");
  const Node* node = probability != nullptr && probability->is_map() ? probability->find(of) : nullptr;
  return node != nullptr && node->is_scalar() ? plain_number(node->text) : std::nullopt;
}

Result<Recommendation> recommendation_of(const CostSubject& subject, const Node& saved, const std::string& name,
                                         std::vector<std::shared_ptr<const catalog::Offer>>& offers,
                                         const catalog::Catalog& catalog, const physics::Coefficients& c) {
  const auto wrong = [&](std::string message) {
    return usage_error(std::move(message), name, say("ask again with the job's own flags"));
  };
  if (!subject.saved) return wrong(say("the job of this answer was not saved in full"));
  Recommendation out;
  out.rank = subject.rank;
  out.instance = subject.instance;
  out.gpu = catalog.gpu_of(*subject.instance);
  auto offer = offer_of(subject, catalog);
  if (offer == nullptr) return wrong(say("no offer of {} is known as the answer has it", subject.name));
  out.offer = offers.emplace_back(std::move(offer)).get();
  out.remarks = remarks_in(saved);
  out.in_time = chance_in(saved, "targets");
  out.in_budget = chance_in(saved, "budget");
  out.region = &catalog.region_of(*out.offer);
  auto machine = machine_for(subject.saved->work, *subject.instance, subject.nodes, catalog, c);
  if (!machine) return std::unexpected(machine.error());
  auto plan = plan_as_saved(subject.saved->work, saved.find("plan"), *machine, catalog, c);
  if (!plan) return std::unexpected(plan.error());
  if (!plan->fits || !same(saved.find("plan"), *plan))
    return wrong(say("the plan for {} is different today", subject.name));
  out.planned = std::make_shared<const PlannedMachine>(PlannedMachine{std::move(*machine), std::move(*plan)});
  return out;
}

}  // namespace

Result<Advice> saved_advice(const std::string& text, const std::string& name, const catalog::Catalog& catalog,
                            const physics::Coefficients& coefficients) {
  const auto answer = saved_answer(text, name);
  if (!answer) return std::unexpected(answer.error());
  const auto& list = answer->root.find("recommendations")->children;
  Advice advice;
  advice.assumed = assumed_in(answer->root);
  advice.given = given_in(answer->root);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto subject = saved_subject(*answer, static_cast<int>(i) + 1, catalog);
    if (!subject) return std::unexpected(subject.error());
    auto one = recommendation_of(*subject, list[i], name, advice.saved_offers, catalog, coefficients);
    if (!one) return std::unexpected(one.error());
    if (i == 0) advice.currency = subject->currency.value_or(Currency::usd());
    if (i == 0) advice.work = subject->saved->work;
    advice.recommendations.push_back(std::move(*one));
  }
  return advice;
}

}  // namespace gpusel::answer
