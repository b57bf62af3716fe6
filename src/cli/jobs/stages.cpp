#include "cli/jobs/stages.hpp"

#include "answer/stages/stages.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "show/job/stages.hpp"

namespace gpusel::cli {

namespace {

std::expected<answer::StagesPlan, Errors> read_plan(const StagesRun& run) {
  if (!run.base.request.given.empty()) {
    std::string flag(run.base.request.given.front());
    for (char& c : flag)
      if (c == '_') c = '-';
    return std::unexpected(Errors{{ErrorKind::usage, say("the jobs of --stages are in its file"), "--" + flag,
                                   say("set it in the stage that it is for")}});
  }
  const auto text = read_input(run.file);
  if (!text) return std::unexpected(Errors{text.error()});
  const auto document = parse_yaml(*text, input_name(run.file));
  if (!document) return std::unexpected(Errors{document.error()});
  answer::Question base = run.base;
  base.alternatives = false;
  base.detailed = 1;
  return answer::read_stages(*document, base);
}

}  // namespace

int run_stages(const StagesRun& run, Context& context) {
  const auto plan = read_plan(run);
  if (!plan) return context.fail(plan.error());
  const auto answer = answer::answer_stages(*plan, run.catalog, run.rules, run.coefficients, run.explain);
  if (!answer) return context.fail(answer.error());
  print({.data =
             [&] {
               show::Json json = show::stages_json(*answer, *plan);
               json["assumed"]["today"] = run.base.today.text();
               return json;
             },
         .document = [&](bool) { return show::stages_page(*answer, *plan); }},
        run.format, context);
  if (run.format == "csv") context.note(show::stages_sum(*answer));
  std::vector<const catalog::Offer*> shown;
  for (const auto& stage : answer->best.stages)
    if (stage.best != nullptr) shown.push_back(stage.best->offer);
  return gate_price_age(run.base.constraints, shown, run.base.today, context,
                        answer->best.sum.lacking > 0 ? kNothing : kOk);
}

}  // namespace gpusel::cli
