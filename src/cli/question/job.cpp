#include "cli/question/job.hpp"

#include <algorithm>
#include <filesystem>

#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/target.hpp"
#include "show/job/brief.hpp"

namespace gpusel::cli {

std::vector<job::Option<job::Request>> job_options() {
  std::vector<job::Option<job::Request>> job;
  for (const auto& option : job::request_options())
    if (option.group != "Machine") job.push_back(option);
  return job;
}

void add_limits(std::vector<Flag>& flags, job::Constraints& constraints, bool (*asks)(const job::Limit& limit)) {
  std::vector<job::Option<job::Constraints>> asked;
  for (const job::Limit& limit : job::limits())
    if (asks(limit)) asked.push_back(limit.option);
  add_options<job::Constraints>(flags, asked, constraints);
}

Flag why_flag(bool& place, std::string names, std::string help) {
  return {std::move(names), "", std::move(help), say("Output and data"), turns_on(place)};
}

Flag rules_flag(std::vector<std::string>& files, std::string group) {
  Flag rules{"--rules", "FILE", say("your own rules, in addition to the shipped ones"), std::move(group),
             appends_to(files)};
  rules.repeats = true;
  return rules;
}

void add_use_flags(std::vector<Flag>& flags, answer::Question& question) {
  add_options(flags, money::duty_options(), question.duty);
  add_options(flags, money::extra_options(), question.extras);
}

Error of_language_model(Error error) {
  if (error.missing && error.where == "model") error.hint = say("--model llama-3.1-8b or qwen3-32b, for example");
  return error;
}

Flag filter_flag(std::string& filter, std::string group) {
  return {"--filter", "EXPR", say("only instances that match, by their columns: 'vram>=48 && price<3'"),
          std::move(group), sets(filter)};
}

std::span<const job::Option<job::Request>> options_of_jobs() {
  static const auto options = [] {
    auto all = job_options();
    for (auto& option : all)
      if (option.key == "sessions") option.aliases = {};
    return all;
  }();
  return options;
}

std::span<const job::Option<answer::LoadQuestion>> options_of_loads() {
  static const auto options = [] {
    std::vector<job::Option<answer::LoadQuestion>> all;
    for (const auto& option : answer::load_options())
      if (option.key != "sessions") all.push_back(option);
    return all;
  }();
  return options;
}

void add_job_flags(std::vector<Flag>& flags, JobOptions& job) {
  answer::Question& question = job.question;
  add_options<job::Request>(flags, options_of_jobs(), question.request);
  add_options<answer::LoadQuestion>(flags, options_of_loads(), question.load);
  add_options(flags, job::constraint_options(), question.constraints);
  add_use_flags(flags, question);
  const std::string ranking = say("Ranking and output");
  flags.push_back(
      {"--objective,--sort,--sort-by", "KIND", say("cost, speed or balanced"), ranking, [&job](std::string_view text) {
         std::optional<job::ObjectiveKind> kind;
         auto set = job::assign(text, kind);
         if (set) job.question.objective.kind = *kind;
         job.sorted = true;
         return set;
       }});
  flags.push_back(filter_flag(question.filter, ranking));
  flags.push_back(
      {"--instance", "SKU", say("only this instance; its name alone says the same"), ranking, appends_to(job.words)});
  Flag weight{"--weight", "NAME=VALUE", say("own weights: cost=0.7,speed=0.3 (also headroom)"), ranking,
              [&question](std::string_view text) { return job::add_weights(text, question.objective); }};
  weight.repeats = true;
  flags.push_back(std::move(weight));
  flags.push_back({"--for", "TARGET", say("a tool that orders it: only what gpusel export can write for it is ranked"),
                   ranking, sets(question.target)});
  flags.push_back(currency_flag(question.currency));
  flags.push_back(rules_flag(job.rule_files, ranking));
  flags.push_back(use_spot_flag(question.constraints));
}

std::expected<void, int> settle(JobOptions& job, const catalog::Catalog& catalog, Context& context) {
  const auto heard = [&job](const Meant& meant) { job.sorted = job.sorted || meant.key == "objective"; };
  const Spoken spoken{job.question.request, &job.question.constraints, Takes::all, heard,
                      &job.question.load,   &job.question.objective};
  return settle_question(job.words, spoken, &job.question.currency, catalog, context);
}

bool names_saved(std::string_view word) {
  std::error_code failed;
  const std::filesystem::path path(word);
  const std::string extension = path.extension();
  return word == kStandardInput || extension == ".json" || extension == ".yaml" || extension == ".lock" ||
         std::filesystem::is_regular_file(path, failed);
}

std::expected<answer::Advice, int> ask(JobOptions& job, const LoadedFacts& ground, Context& context) {
  job.question.today = ground.today;
  if (const auto settled = settle(job, ground.catalog, context); !settled) return std::unexpected(settled.error());
  const answer::Question open = job.question;
  if (const Status limited = limit_to_target(job.question, ground); !limited)
    return std::unexpected(context.fail(limited.error()));
  tell_broad_names(job.question.constraints, ground.catalog, context);
  auto advice = answer::recommend(job.question, ground.catalog, ground.rules, ground.coefficients);
  if (!advice) return std::unexpected(context.fail(as_flag(advice.error())));
  add_other_targets(*advice, open, ground);
  return std::move(*advice);
}

int status_of_nothing(const answer::Advice& advice) {
  const bool only_old = std::ranges::any_of(advice.alternatives, [](const auto& way) {
    const job::Limit* limit = job::find_limit(way.key);
    return limit != nullptr && limit->also.of_age;
  });
  return only_old ? kStale : kNothing;
}

std::expected<std::size_t, int> chosen(const JobOptions& job, const answer::Advice& advice,
                                       std::optional<std::int64_t> rank, std::string hint, Context& context) {
  const std::size_t count = advice.recommendations.size();
  if (count == 0) {
    const std::string why = show::chief_reason(advice, job.question.constraints);
    std::string message = why.empty() ? say("no instance meets this") : say("no instance meets this; {}", why);
    return std::unexpected(context.fail(Error{ErrorKind::unsatisfied, std::move(message), {}, std::move(hint)}));
  }
  const auto wanted = static_cast<std::size_t>(rank.value_or(1));
  if (wanted > count)
    return std::unexpected(
        context.fail(Error{ErrorKind::usage, say("only {} instances qualify, no rank {}", count, wanted), "--rank",
                           say("--rank {} is the last", count)}));
  return wanted - 1;
}

}  // namespace gpusel::cli
