#include "cli/question/target.hpp"

#include <memory>

#include "answer/stages/data_path.hpp"

namespace gpusel::cli {

void plan_for(const show::ExportTarget& target, job::Request& request) {
  if (target.engine && !request.engine && request.task == job::Task::inference) request.engine = target.engine;
  if (!target.framework.empty() && request.framework.empty() && request.task && job::is_training(*request.task))
    request.framework = target.framework;
}

Status limit_to_target(answer::Question& question, const LoadedFacts& ground) {
  if (question.target.empty()) return {};
  const auto found = show::find_export_target(question.target);
  if (!found) return std::unexpected(Error{ErrorKind::usage, found.error().message, "--for", found.error().hint});
  const show::ExportTarget& target = **found;
  question.target = target.name;
  plan_for(target, question.request);
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
