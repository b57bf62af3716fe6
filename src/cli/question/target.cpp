#include "cli/question/target.hpp"

#include <memory>

#include "answer/estimate/estimate.hpp"
#include "answer/stages/data_path.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::cli {

namespace {

/// Other models are no reason to refuse an engine that nobody asked for: the tool itself says what it serves.
bool is_of_language(const job::Request& request, const catalog::Catalog& catalog) {
  const auto found = answer::find_model(request, catalog);
  return found && found->model != nullptr && found->model->is_language_model();
}

}  // namespace

void plan_for(const show::ExportTarget& target, answer::Question& question, const catalog::Catalog& catalog) {
  job::Request& request = question.request;
  if (target.engine && !request.engine && request.task == job::Task::inference && is_of_language(request, catalog))
    request.engine = target.engine;
  if (!target.framework.empty() && request.framework.empty() && request.task && job::is_training(*request.task))
    request.framework = target.framework;
  if (!target.seller.empty() && question.constraints.named_clouds().empty())
    question.constraints.clouds.emplace_back(target.seller);
}

Status limit_to_target(answer::Question& question, const LoadedFacts& ground) {
  if (question.target.empty()) return {};
  const auto found = show::find_export_target(question.target);
  if (!found) return std::unexpected(Error{ErrorKind::usage, found.error().message, "--for", found.error().hint});
  const show::ExportTarget& target = **found;
  question.target = target.name;
  plan_for(target, question, ground.catalog);
  auto facts = show::read_export_facts(ground.catalog);
  if (!facts) return std::unexpected(facts.error().front());
  question.orders = [&ground, &target, placed = asks_for_place(question.constraints),
                     known = std::make_shared<const show::ExportFacts>(std::move(*facts))](
                        const job::Job& work, const answer::Recommendation& candidate) -> Status {
    answer::Advice alone;  // of it nothing is ranked yet
    alone.work = work;
    const show::ExportView view{
        alone, candidate, *known, ground.catalog, ground.coefficients, scaling_for(work, candidate, ground),
        0,     {},        placed};
    const auto made = target.make(view);
    return made ? Status{} : std::unexpected(made.error());
  };
  return {};
}

void add_other_targets(answer::Advice& advice, const answer::Question& open, const LoadedFacts& ground) {
  if (!advice.recommendations.empty() || open.target.empty()) return;
  const auto target = show::find_export_target(open.target);
  const auto facts = show::read_export_facts(ground.catalog);
  answer::Question anyhow = open;
  anyhow.target.clear();
  anyhow.detailed = 1;
  const auto ranked = answer::recommend(anyhow, ground.catalog, ground.rules, ground.coefficients);
  if (!target || !facts || !ranked || ranked->recommendations.empty()) return;
  const answer::Recommendation& best = ranked->recommendations.front();
  const show::ExportView view{*ranked, best, *facts, ground.catalog, ground.coefficients, {}, 0, {}, false};
  std::vector<std::string> able = show::able_targets(view, **target);
  const std::string first(show::next_target(view));
  std::erase(able, first);
  if (first.empty()) return;
  answer::Alternative other;
  other.key = "for";
  other.value = first;
  other.flag = "--for " + first;
  other.best = best;
  other.message = format("{}: {} {}, {}", other.flag, best.instance->provider, printable(best.instance->sku),
                         say("{} {}/h", human_price(best.cost.hourly), ranked->currency.code()));
  if (!able.empty()) other.risk = say("also for: {}", first_few(able));
  advice.alternatives.push_back(std::move(other));
}

bool asks_for_place(const job::Constraints& limits) {
  return !limits.named_regions().empty() || !limits.residency.empty();
}

std::optional<money::Autoscale> scaling_for(const job::Job& work, const answer::Recommendation& chosen,
                                            const LoadedFacts& ground, bool to_zero) {
  if (work.counted) return std::nullopt;
  const auto start = answer::cold_start(work, chosen.machine(), chosen.plan(), {*chosen.instance, chosen.region->id},
                                        ground.catalog, ground.coefficients);
  answer::ScalingFacts facts{work, *chosen.planned, chosen.machine().nodes, to_zero, std::nullopt};
  if (start) facts.cold_start = start->total();
  return answer::scaling_of(facts);
}

}  // namespace gpusel::cli
