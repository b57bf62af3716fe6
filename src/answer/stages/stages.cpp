#include "answer/stages/stages.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "answer/facts/candidates.hpp"
#include "answer/search/market.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

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

/// Whether it does; what is wrong with it is said when it is asked.
bool ends(const job::Request& request, const catalog::Catalog& catalog) {
  const auto model = find_model(request, catalog);
  if (!model || !request.task) return true;
  const auto work = resolve_work(request, *model, catalog);
  return !work || work->ends();
}

/// The day all stages are asked on.
Date today_of(const StagesPlan& plan) { return plan.stages.empty() ? Date() : plan.stages.front().question.today; }

class Answer {
 public:
  Answer(const StagesPlan& plan, const catalog::Catalog& catalog, std::span<const rules::Rule> rules,
         const physics::Coefficients& coefficients, const money::Converter& converter, bool explained)
      : plan_(plan),
        catalog_(catalog),
        rules_(rules),
        coefficients_(coefficients),
        converter_(converter),
        quoter_(catalog, coefficients, converter, today_of(plan)),
        explained_(explained) {}

  Result<StagesAnswer> find() {
    out_.months = plan_.months.value_or(1);
    out_.currency = converter_.currency();
    for (const Stage& stage : plan_.stages)
      if (Status found = advise(stage); !found) return std::unexpected(found.error());
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) options_.push_back(options_of(i));
    const auto apart = picks_of([](const std::vector<Option>&) { return std::size_t{0}; });
    const auto together = least_together({});
    out_.best = choice_of(together, explained_ ? &out_.trace : nullptr);
    if (together != apart) out_.apart = choice_of(apart, nullptr);
    stay_with_one();
    return std::move(out_);
  }

 private:
  /// One way to do a stage: in each place that which is ranked first. Prices of traffic and storage hang on the place.
  struct Option {
    const Recommendation* one = nullptr;  // null: nothing meets the stage's limits
    StageCost cost;
    double weighed = 0;              // over all months, on the scale of the ranking, with what is stored
    std::optional<double> gives_gb;  // to the next stage
  };
  using Picks = std::vector<const Option*>;

  Status advise(const Stage& stage) {
    auto rules = std::make_shared<std::vector<rules::Rule>>(rules_.begin(), rules_.end());
    for (const job::Limit* limit : stage.in_both) {
      auto of_line = rules_of(*limit, stage.line);
      if (!of_line) return std::unexpected(of_line.error());
      rules->insert(rules->end(), of_line->begin(), of_line->end());
    }
    Question asked = stage.question;
    if (!ends(asked.request, catalog_)) asked.constraints.deadline_hours.reset();  // of the stages that end
    auto advice = recommend(asked, catalog_, *rules, coefficients_);
    if (!advice) return std::unexpected(at_place(advice.error(), stage));
    if (advice->recommendations.empty())
      for (const job::Limit* limit : stage.in_both)
        if (Status common = has_common(*limit, stage); !common) return common;
    warn_of_data(*advice, stage.question, stage.data, catalog_, coefficients_);
    out_.advice.push_back(std::make_shared<const Advice>(std::move(*advice)));
    out_.rules.push_back(std::move(rules));
    return {};
  }

  Result<std::vector<rules::Rule>> rules_of(const job::Limit& limit, const job::Constraints& of) const {
    job::Constraints alone;
    limit.form.copy(alone, of);
    return job::limit_rules(alone, catalog_);
  }

  /// That some offer passes a limit of the file and the same limit of the command line.
  Status has_common(const job::Limit& limit, const Stage& stage) const {
    const auto of_line = rules_of(limit, stage.line);
    const auto of_file = rules_of(limit, stage.question.constraints);
    if (!of_line || !of_file) return {};
    rules::Facts facts;
    const auto passes = [&](const std::vector<rules::Rule>& rules) {
      return std::ranges::none_of(rules, [&](const rules::Rule& rule) { return rules::fires(rule, facts); });
    };
    for (const catalog::Instance& instance : catalog_.instances()) {
      facts = {};
      instance_facts(facts, InstanceView(instance, nullptr, catalog_, coefficients_));
      for (const catalog::Offer& offer : catalog_.offers_of(instance)) {
        const auto quote = quoter_.quote(offer);
        if (!quote) continue;
        offer_facts(facts, {offer, *quote, catalog_, today_of(plan_)});
        if (passes(*of_line) && passes(*of_file)) return {};
      }
    }
    std::string where = stage.where;
    for (const auto& [name, place] : stage.places)
      if (job::find_limit(name) == &limit) where = place;
    return std::unexpected(
        Error{ErrorKind::unsatisfied,
              say("'{}' and {} on the command line have no offer in common", limit.option.key, limit.flag()), where,
              say("use only one of them, or name what both allow")});
  }

  std::vector<Option> options_of(std::size_t i) const {
    std::vector<Option> out;
    const auto& all = out_.advice[i]->recommendations;
    if (all.empty()) return {Option{}};
    // Another objective than money ranks as it does, whatever is moved.
    const job::Objective& objective = plan_.stages[i].question.objective;
    const bool by_money = objective.kind == job::ObjectiveKind::cost && objective.weights.empty();
    std::set<std::pair<std::string_view, std::string_view>> places;
    for (const Recommendation& one : all)
      if (places.emplace(one.instance->provider, one.region->id).second && (by_money || out.empty()))
        out.push_back(option_of(i, one, all.front()));
    return out;
  }

  Option option_of(std::size_t i, const Recommendation& one, const Recommendation& first) const {
    const Stage& stage = plan_.stages[i];
    Option option{&one, cost_of(i, one, nullptr), 0, {}};
    const DataPath path =
        data_path(one, *out_.advice[i], stage.question.request, stage.data, catalog_, coefficients_, converter_, false);
    option.cost.storage = storage_of(stage, path, option.cost);
    option.gives_gb = handed_over(stage, out_.advice[i]->work, path.need);
    const StageCost best = cost_of(i, first, nullptr);
    const double times = best.once ? 1 : out_.months;
    const double scale = one.score > 0 ? first.score / one.score : 1;
    option.weighed = times * (best.once.value_or(best.per_month.value_or(0)) * scale + option.cost.storage.value_or(0));
    return option;
  }

  /// In the kind that was named, else in a bucket, else where it is cheapest; for as long as the stage runs.
  std::optional<double> storage_of(const Stage& stage, const DataPath& path, const StageCost& cost) const {
    if (stage.question.extras.storage_gb || path.need.stored_gb() <= 0) return 0;
    const auto kind = stage.question.extras.storage_kind.value_or(catalog::StorageKind::object);
    const StorageFit* found = nullptr;
    for (const StorageFit& fit : path.storages) {
      if (!fit.converted || fit.too_small || (stage.question.extras.storage_kind && fit.kind != kind)) continue;
      if (fit.storage == nullptr || fit.kind == catalog::StorageKind::local) {
        if (kind == catalog::StorageKind::local) return 0;  // paid with the instance
        continue;
      }
      const bool better = found == nullptr || (fit.kind == kind) > (found->kind == kind) ||
                          ((fit.kind == kind) == (found->kind == kind) && *fit.converted < *found->converted);
      if (better) found = &fit;
    }
    if (found == nullptr) return std::nullopt;
    return *found->converted * (cost.once ? cost.hours_paid / kHoursPerMonth : 1);
  }

  template <class Choose>
  Picks picks_of(const Choose& choose) const {
    Picks picks;
    for (const auto& options : options_) picks.push_back(&options[choose(options)]);
    return picks;
  }

  /// The one way through all stages that costs the least, moves included; of one provider alone where it is named.
  /// Empty where it has nothing for a stage.
  Picks least_together(std::string_view provider) const {
    struct Way {
      double cost = 0;
      std::size_t before = 0;
    };
    const auto is_open = [&](const Option& option) {
      return provider.empty() || (option.one != nullptr && option.one->instance->provider == provider);
    };
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<std::vector<Way>> ways(options_.size());
    for (std::size_t i = 0; i < options_.size(); ++i) {
      for (const Option& option : options_[i]) {
        Way way{is_open(option) ? (i == 0 ? 0 : kNever) : kNever, 0};
        for (std::size_t k = 0; i > 0 && is_open(option) && k < options_[i - 1].size(); ++k) {
          const double cost = ways[i - 1][k].cost + weighed_move(options_[i - 1][k], option);
          if (cost < way.cost) way = {cost, k};
        }
        way.cost += option.weighed;
        ways[i].push_back(way);
      }
      if (std::ranges::none_of(ways[i], [&](const Way& way) { return way.cost < kNever; })) return {};
    }
    Picks picks(options_.size());
    std::size_t at = 0;
    for (std::size_t i = options_.size(); i-- > 0;) {
      if (i + 1 == options_.size())
        at = static_cast<std::size_t>(std::ranges::min_element(ways[i], {}, &Way::cost) - ways[i].begin());
      picks[i] = &options_[i][at];
      at = ways[i][at].before;
    }
    return picks;
  }

  /// What is not published is weighed as the median of what others ask for as much.
  double weighed_move(const Option& from, const Option& to) const {
    const auto move = move_of(0, from, to);
    if (!move || !move->gb) return 0;
    if (const auto known = move->cost ? move->cost : move->at_most) return *known;
    std::vector<double> others;
    for (const catalog::Egress& egress : catalog_.egress())
      if (const auto amount = money::egress_cost(egress, *move->gb))
        others.push_back(converter_.convert(*amount, egress.currency).value_or(0));
    if (others.empty()) return 0;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::ranges::nth_element(others, middle);
    return *middle;
  }

  StagesChoice choice_of(const Picks& picks, physics::Trace* trace) const {
    StagesChoice out;
    for (std::size_t i = 0; i < picks.size(); ++i) {
      StageChoice choice{picks[i]->one, picks[i]->cost};
      if (choice.best == nullptr) {
        ++out.sum.lacking;
      } else {
        if (trace != nullptr) cost_of(i, *choice.best, trace);
        const double stored = choice.cost.storage.value_or(0);
        (choice.cost.once ? out.sum.storage_once : out.sum.storage_per_month) += stored;
        if (!choice.cost.storage) ++out.sum.without_storage;
      }
      out.sum.once += choice.cost.once.value_or(0);
      out.sum.per_month += choice.cost.per_month.value_or(0);
      out.stages.push_back(std::move(choice));
    }
    out.sum.moves = 0;
    for (std::size_t i = 0; i + 1 < picks.size(); ++i) add_move(i, *picks[i], *picks[i + 1], out);
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
                       physics::shown("{:.3g}", cost.cold->total().raw(), "s"), std::string(kDataPage)});
    trace.push_back(
        {lead + ".hourly", say("price of one node × nodes × rate of exchange + licenses and host"),
         format("{:.5g} {} × {} × {:.5g} + {:.3g}", one.cost.published.amount, one.cost.published.currency.code(),
                one.machine().nodes, one.cost.exchange ? one.cost.exchange->rate : 1, one.cost.beside_hourly()),
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
    trace.push_back({"sum.once", say("jobs that end"), parts, price(sum.once), std::string(kDataPage)});
    parts.clear();
    for (const StageChoice& stage : choice.stages)
      if (stage.cost.per_month) parts += (parts.empty() ? "" : " + ") + human_price(*stage.cost.per_month);
    trace.push_back({"sum.per_month", say("services"), parts, price(sum.per_month), std::string(kDataPage)});
    trace.push_back(
        {"sum.storage", say("once + months × per month, of what is stored and has a known price"),
         format("{} + {:g} × {}", human_price(sum.storage_once), out_.months, human_price(sum.storage_per_month)),
         price(sum.storage(out_.months)), "data/storage.yaml"});
    trace.push_back({"sum.whole", say("once + months × per month + moves and storage that are known"),
                     format("{} + {:g} × {} + {} + {}", human_price(sum.once), out_.months, human_price(sum.per_month),
                            human_price(sum.known_moves), human_price(sum.storage(out_.months))),
                     price(sum.whole(out_.months)), std::string(kDataPage)});
  }

  /// Nothing where nothing is moved, or where it stays in one place.
  std::optional<Move> move_of(std::size_t i, const Option& from, const Option& to) const {
    if (from.one == nullptr || to.one == nullptr) return std::nullopt;
    const bool same_provider = from.one->instance->provider == to.one->instance->provider;
    if (same_provider && from.one->region == to.one->region) return std::nullopt;
    Move move{i, from.gives_gb, {}, {}};
    if (move.gb && *move.gb <= 0) return std::nullopt;
    const catalog::Egress* egress = catalog_.egress_of(from.one->instance->provider, from.one->region->id);
    if (!move.gb || egress == nullptr) return move;
    if (const auto amount = money::egress_cost(*egress, *move.gb))
      (same_provider ? move.at_most : move.cost) = converter_.convert(*amount, egress->currency);
    return move;
  }

  void add_move(std::size_t i, const Option& from, const Option& to, StagesChoice& out) const {
    const auto move = move_of(i, from, to);
    if (!move) return;
    if (move->cost)
      out.sum.known_moves += *move->cost;
    else
      out.sum.moves.reset();
    if (out.sum.moves) out.sum.moves = out.sum.known_moves;
    out.moves.push_back(*move);
  }

  /// What the next stage needs of this one: as said, else what the job leaves.
  static std::optional<double> handed_over(const Stage& stage, const job::Job& work, const DataNeed& need) {
    if (stage.output_gb) return stage.output_gb;
    if (work.profile == job::Profile::dev) return 0;  // a try-out leaves nothing that others need
    if (job::is_training(work.task)) return need.weights_gb;
    if (work.task == job::Task::render) return need.output_gb;
    return std::nullopt;
  }

  /// The provider whose instances cost the least together.
  void stay_with_one() {
    for (const catalog::Provider& provider : catalog_.providers()) {
      const Picks picks = least_together(provider.id);
      if (picks.empty()) continue;
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
  std::vector<std::vector<Option>> options_;  // of each stage, as they are ranked
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
