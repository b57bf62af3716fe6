// gpusel fleet: the cheapest mix of instances for a stated traffic.
#include <memory>

#include "answer/fleet/fleet.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "show/money/fleet.hpp"

namespace gpusel::cli {

namespace {

struct FleetOptions {
  answer::FleetQuestion question;
  std::vector<std::string> rule_files;
  bool all = false;
  std::vector<std::string> words;
};

std::vector<const catalog::Offer*> offers_of(const answer::Fleet& fleet) {
  std::vector<const catalog::Offer*> out;
  for (const answer::FleetMember& member : fleet.mix.members) out.push_back(fleet.types[member.type].steady().offer);
  if (!fleet.schedule) return out;
  for (const auto& hour : fleet.schedule->hours)
    for (const answer::FleetMember& member : hour)
      for (const auto* offer : {&fleet.types[member.type].elastic, &fleet.types[member.type].committed})
        if (*offer && (offer == &fleet.types[member.type].elastic || member.committed > 0))
          out.push_back((*offer)->offer);
  return out;
}

int run_fleet(FleetOptions& options, Context& context) {
  auto& question = options.question;
  const auto ground = prepare({question.constraints, &options.rule_files}, context);
  if (!ground) return ground.error();
  const catalog::Catalog& catalog = ground->catalog;
  question.today = ground->today;
  question.request.task = job::Task::inference;
  const Spoken spoken{question.request, &question.constraints};
  if (const auto settled = settle_question(options.words, spoken, &question.currency, catalog, context); !settled)
    return settled.error();
  tell_broad_names(question.constraints, catalog, context);
  const auto fleet = answer::plan_fleet(question, catalog, ground->rules, ground->coefficients);
  if (!fleet) return context.fail(as_flag(of_language_model(fleet.error())));
  print(
      {.data =
           [&] {
             show::Json json = show::fleet_json(*fleet, catalog);
             json["assumed"]["today"] = question.today.text();
             return json;
           },
       .document = [&](bool all) { return show::fleet_page(*fleet, catalog, all || options.all || question.explain); },
       .csv = [&] { return show::fleet_table(*fleet, catalog); }},
      ground->format, context);
  if (!fleet->mix.feasible && ground->format == "csv") context.note(say("no fleet serves this traffic"));
  if (!fleet->mix.feasible) return kNothing;
  return gate_price_age(question.constraints, offers_of(*fleet), ground->today, context, kOk);
}

/// What the traffic says, or the fleet, is not asked of one machine.
constexpr std::string_view kNotAsked[] = {"id", "task", "profile", "mode", "concurrency", "tokens", "batch", "offload"};
constexpr std::string_view kOnePlan[] = {"tp", "pp", "ep", "dp"};

}  // namespace

Parsed make_fleet() {
  auto options = std::make_shared<FleetOptions>();
  Parsed parsed;
  std::vector<job::Option<job::Request>> job;
  for (const auto& option : job::request_options()) {
    const bool serving = option.group == "Workload" || option.group == job::kInferenceGroup;
    if (is_one_of(option.key, kOnePlan) || (serving && !is_one_of(option.key, kNotAsked))) job.push_back(option);
    if (option.key == "request_rate") job.back().aliases = "rate rps target-request-rate";
  }
  auto& question = options->question;
  add_words(parsed, options->words, Takes::all);
  add_options<job::Request>(parsed.flags, job, question.request);
  add_options(parsed.flags, answer::fleet_options(), question);
  add_limits(parsed.flags, question.constraints,
             [](const auto& limit) { return limit.on.subject != job::Subject::job; });
  const std::string group = say("Output and data");
  parsed.flags.push_back(currency_flag(question.currency));
  parsed.flags.push_back(filter_flag(question.filter, group));
  parsed.flags.push_back(rules_flag(options->rule_files, group));
  parsed.flags.push_back({"--explain", "", say("formula, substituted values and source of every figure"), group,
                          turns_on(options->question.explain)});
  parsed.flags.push_back(why_flag(options->all, "--why", say("assumptions, prices, autoscaling and rejections")));
  parsed.flags.push_back(use_spot_flag(question.constraints));
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return run_fleet(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
