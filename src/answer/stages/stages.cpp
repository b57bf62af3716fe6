#include "answer/stages/stages.hpp"

#include <algorithm>

#include "answer/facts/candidates.hpp"
#include "answer/search/market.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

constexpr std::string_view kStagesDocument = "docs/data-path.md";

/// An error about a key, at the place where the file says it.
Error at_place(Error error, const Stage& stage) {
  std::string key = error.where;
  key.erase(0, key.find_first_not_of('-'));
  std::string where = stage.where;
  for (const auto& [name, place] : stage.places)
    if (job::same_spelling(name, key)) where = place;
  if (!key.empty() && where == stage.where) error.message = key + ": " + error.message;
  error.where = where;
  return error;
}

class Answer {
 public:
  Answer(const StagesPlan& plan, const catalog::Catalog& catalog, std::span<const rules::Rule> rules,
         const physics::Coefficients& coefficients, const money::Converter& converter, bool explained)
      : plan_(plan),
        catalog_(catalog),
        rules_(rules),
        coefficients_(coefficients),
        converter_(converter),
        quoter_(catalog, coefficients, converter),
        explained_(explained) {}

  Result<StagesAnswer> find() {
    out_.months = plan_.months.value_or(1);
    out_.currency = converter_.currency();
    for (const Stage& stage : plan_.stages) {
      auto advice = recommend(stage.question, catalog_, rules_, coefficients_);
      if (!advice) return std::unexpected(at_place(advice.error(), stage));
      warn_of_data(*advice, stage.question, stage.data, catalog_, coefficients_);
      out_.advice.push_back(std::make_shared<const Advice>(std::move(*advice)));
    }
    std::vector<const Recommendation*> best;
    for (const auto& advice : out_.advice)
      best.push_back(advice->recommendations.empty() ? nullptr : &advice->recommendations.front());
    out_.best = choice_of(best, explained_ ? &out_.trace : nullptr);
    stay_with_one();
    return std::move(out_);
  }

 private:
  StagesChoice choice_of(const std::vector<const Recommendation*>& picks, physics::Trace* trace) const {
    StagesChoice out;
    for (std::size_t i = 0; i < picks.size(); ++i) {
      StageChoice choice{picks[i], {}};
      if (choice.best != nullptr)
        choice.cost = cost_of(i, *choice.best, trace);
      else
        ++out.sum.lacking;
      out.sum.once += choice.cost.once.value_or(0);
      out.sum.per_month += choice.cost.per_month.value_or(0);
      out.stages.push_back(std::move(choice));
    }
    out.sum.moves = 0;
    for (std::size_t i = 0; i + 1 < picks.size(); ++i) add_move(i, picks, out);
    if (trace != nullptr) explain_sum(out, *trace);
    return out;
  }

  StageCost cost_of(std::size_t i, const Recommendation& one, physics::Trace* trace) const {
    const Stage& stage = plan_.stages[i];
    const Advice& advice = *out_.advice[i];
    StageCost cost;
    cost.hourly = one.cost.hourly;
    cost.cold = unsaid_start(stage.question, advice.work, *one.planned, {*one.instance, one.region->id}, catalog_,
                             coefficients_);
    money::Quote quote = one.cost;
    if (stage.hours) {
      PlanUse of_plan(stage.question, advice.work, *one.planned, catalog_, coefficients_);
      money::Use use = of_plan(*one.offer);
      money::Work job = *use.job;
      job.hours = *stage.hours;
      use.job = &job;
      quote = *quoter_.quote(*one.offer, use);
    }
    const bool once = stage.hours || advice.work.ends();
    cost.hours_paid = once ? quote.paid.job.value_or(quote.hours) : quote.paid.month;
    (once ? cost.once : cost.per_month) = quote.total;
    if (trace != nullptr) explain(stage, one, cost, *trace);
    return cost;
  }

  physics::Figure price(double amount) const {
    return {amount, std::string(out_.currency.code()), human_price(amount)};
  }

  void explain(const Stage& stage, const Recommendation& one, const StageCost& cost, physics::Trace& trace) const {
    const std::string lead = "stages." + stage.name;
    if (cost.cold)
      trace.push_back({lead + ".cold_start_s", say("weights ÷ rate + start of the engine"),
                       format("{:.4g} GB ÷ {:.3g} GB/s + {:.3g} s", in_gb(cost.cold->weights), cost.cold->gbs(),
                              cost.cold->engine.raw()),
                       physics::shown("{:.3g}", cost.cold->total().raw(), "s"), std::string(kStagesDocument)});
    trace.push_back(
        {lead + ".hourly", say("price of one node × nodes × rate of exchange + licences"),
         format("{:.5g} {} × {} × {:.5g} + {:.3g}", one.cost.published.amount, one.cost.published.currency.code(),
                one.machine().nodes, one.cost.exchange ? one.cost.exchange->rate : 1, one.cost.licence_hourly),
         price(cost.hourly), std::string(catalog_.origin_of(*one.offer).source)});
    trace.push_back({lead + (cost.once ? ".once" : ".per_month"),
                     cost.once ? say("price of all nodes and hour × hours that are paid")
                               : say("price of all nodes and hour × hours of a month that are paid"),
                     format("{:.5g} × {:.6g} h", cost.hourly, cost.hours_paid),
                     price(cost.once.value_or(cost.per_month.value_or(0))),
                     say("term {}; docs/data-path.md", to_text(one.offer->term))});
  }

  void explain_sum(const StagesChoice& choice, physics::Trace& trace) const {
    const StagesSum& sum = choice.sum;
    for (const Move& move : choice.moves)
      if (move.cost) {
        const catalog::Instance& from = *choice.stages[move.from].best->instance;
        trace.push_back({"moves." + plan_.stages[move.from].name,
                         say("GB that leave {} through the tiers of a month", from.provider),
                         format("{:.4g} GB", *move.gb), price(*move.cost), "data/egress.yaml"});
      }
    std::string parts;
    for (const StageChoice& stage : choice.stages)
      if (stage.cost.once) parts += (parts.empty() ? "" : " + ") + human_price(*stage.cost.once);
    trace.push_back({"sum.once", say("jobs that end"), parts, price(sum.once), std::string(kStagesDocument)});
    parts.clear();
    for (const StageChoice& stage : choice.stages)
      if (stage.cost.per_month) parts += (parts.empty() ? "" : " + ") + human_price(*stage.cost.per_month);
    trace.push_back({"sum.per_month", say("services"), parts, price(sum.per_month), std::string(kStagesDocument)});
    trace.push_back({"sum.whole", say("once + months × per month + moves that are known"),
                     format("{} + {:g} × {} + {}", human_price(sum.once), out_.months, human_price(sum.per_month),
                            human_price(sum.known_moves)),
                     price(sum.whole(out_.months)), std::string(kStagesDocument)});
  }

  void add_move(std::size_t i, const std::vector<const Recommendation*>& picks, StagesChoice& out) const {
    if (picks[i] == nullptr || picks[i + 1] == nullptr) return;
    if (picks[i]->instance->provider == picks[i + 1]->instance->provider) return;
    Move move{i, handed_over(i, *picks[i]), {}};
    if (move.gb && *move.gb <= 0) return;
    const catalog::Egress* egress = catalog_.egress_of(picks[i]->instance->provider, picks[i]->region->id);
    if (move.gb && egress != nullptr)
      if (const auto amount = money::egress_cost(*egress, *move.gb))
        move.cost = converter_.convert(*amount, egress->currency);
    if (move.cost)
      out.sum.known_moves += *move.cost;
    else
      out.sum.moves.reset();
    if (out.sum.moves) out.sum.moves = out.sum.known_moves;
    out.moves.push_back(move);
  }

  /// What the next stage needs of this one: as said, else what the job leaves.
  std::optional<double> handed_over(std::size_t i, const Recommendation& one) const {
    const Stage& stage = plan_.stages[i];
    if (stage.output_gb) return stage.output_gb;
    const Advice& advice = *out_.advice[i];
    if (advice.work.profile == job::Profile::dev) return 0;  // a try-out leaves nothing that others need
    const DataNeed need =
        data_path(one, advice, stage.question.request, stage.data, catalog_, coefficients_, converter_, false).need;
    if (job::is_training(advice.work.task)) return need.weights_gb;
    if (advice.work.task == job::Task::render) return need.output_gb;
    return std::nullopt;
  }

  /// The provider whose best instances for each stage cost the least together.
  void stay_with_one() {
    for (const catalog::Provider& provider : catalog_.providers()) {
      std::vector<const Recommendation*> picks;
      for (const auto& advice : out_.advice) {
        const auto& all = advice->recommendations;
        const auto own = std::find_if(all.begin(), all.end(),
                                      [&](const auto& one) { return one.instance->provider == provider.id; });
        if (own != all.end()) picks.push_back(&*own);
      }
      if (picks.size() != out_.advice.size()) continue;
      StagesChoice choice = choice_of(picks, nullptr);
      if (!out_.one_provider || choice.sum.whole(out_.months) < out_.one_provider->sum.whole(out_.months))
        out_.one_provider = std::move(choice);
    }
  }

  const StagesPlan& plan_;
  const catalog::Catalog& catalog_;
  std::span<const rules::Rule> rules_;
  const physics::Coefficients& coefficients_;
  const money::Converter& converter_;
  money::Quoter quoter_;
  bool explained_;
  StagesAnswer out_;
};

}  // namespace

Result<StagesAnswer> answer_stages(const StagesPlan& plan, const catalog::Catalog& catalog,
                                   std::span<const rules::Rule> rules, const physics::Coefficients& coefficients,
                                   bool explained) {
  const auto converter = money::Converter::into(plan.stages.front().question.currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  return Answer(plan, catalog, rules, coefficients, *converter, explained).find();
}

}  // namespace gpusel::answer
