// gpusel simulate: who waits how long for an answer, and how sure that is.
#include <memory>

#include "answer/simulate/simulate.hpp"
#include "base/io/file.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "cli/question/named.hpp"
#include "cli/question/usual_gpu.hpp"
#include "show/simulate/simulate.hpp"

namespace gpusel::cli {

namespace {

struct SimulateOptions {
  answer::SimulateQuestion question;
  std::vector<std::string> rule_files;
  std::vector<std::string> words;
  std::string per_request;
  bool check = false;
  bool all = false;
};

int run_simulate(SimulateOptions& options, Context& context) {
  answer::SimulateQuestion& question = options.question;
  const auto ground = prepare({question.base.constraints, &options.rule_files}, context);
  if (!ground) return ground.error();
  question.base.today = ground->today;
  question.base.request.task = job::Task::inference;
  const Spoken spoken{question.base.request, &question.base.constraints, Takes::device};
  if (const auto settled = settle_question(options.words, spoken, &question.base.currency, ground->catalog, context);
      !settled)
    return settled.error();
  if (options.words.size() > 1) return context.fail(usage_error(say("only one instance can be simulated")).error());
  if (!options.words.empty()) question.offer = options.words.front();
  tell_broad_names(question.base.constraints, ground->catalog, context);
  if (const std::string taken = take_usual_gpu(question.base.request.gpu, ground->catalog); !taken.empty())
    context.note(taken);
  const auto answer = answer::answer_simulate(question, ground->catalog, ground->rules, ground->coefficients);
  if (!answer) return context.fail(as_flag(of_language_model(answer.error())));
  if (!options.per_request.empty())
    if (Status written = write_whole(options.per_request, answer::per_request_csv(*answer)); !written)
      return context.fail(written.error());
  print({.data =
             [&] {
               show::Json json = show::simulate_json(*answer);
               json["assumed"]["today"] = question.base.today.text();
               return json;
             },
         .document = [&](bool all) { return show::simulate_page(*answer, all || options.all); },
         .csv = [&] { return show::simulate_table(*answer); }},
        ground->format, context);
  if (options.check && answer->misses()) return kPolicy;
  std::vector<const catalog::Offer*> offers;
  if (answer->offer != nullptr) offers.push_back(answer->offer);
  return gate_price_age(question.base.constraints, offers, ground->today, context, kOk);
}

/// What the traffic says, or what has no meaning for requests that come one after the other.
constexpr std::string_view kNoMeaning[] = {
    "id",    "task",    "profile",  "mode",       "concurrency",           "tokens",
    "batch", "offload", "max_load", "redundancy", "disaggregated_prefill", "stream_interval"};
constexpr std::string_view kLayout[] = {"tp", "pp", "ep", "dp"};

}  // namespace

Parsed make_simulate() {
  auto options = std::make_shared<SimulateOptions>();
  auto& question = options->question;
  Parsed parsed;
  std::vector<job::Option<job::Request>> job;
  for (const auto& option : job::request_options()) {
    const bool serving =
        option.group == "Workload" || option.group == "Machine" || option.group == job::kInferenceGroup;
    if (!is_one_of(option.key, kLayout) && (!serving || is_one_of(option.key, kNoMeaning))) continue;
    job.push_back(option);
  }
  add_options<job::Request>(parsed.flags, job, question.base.request);
  add_options(parsed.flags, answer::load_options(), question.load);
  add_options(parsed.flags, answer::simulate_options(), question);
  add_limits(parsed.flags, question.base.constraints, [](const job::Limit& limit) {
    return limit.on.subject != job::Subject::job &&
           job::find_option(job::request_options(), limit.option.key) == nullptr;
  });
  parsed.positional = "OFFER";
  parsed.positional_places = {{"", "SKU|MODEL"}};
  parsed.positional_help =
      say("the instance to simulate, such as aws/g6e.xlarge; default: --gpu, or the best for the load");
  parsed.positional_set = appends_to(options->words);
  const std::string group = say("Output and data");
  parsed.flags.push_back(currency_flag(question.base.currency));
  parsed.flags.push_back(filter_flag(question.base.filter, group));
  parsed.flags.push_back(rules_flag(options->rule_files, group));
  parsed.flags.push_back(
      {"--per-request", "FILE", say("write a line of CSV for each request"), group, sets(options->per_request)});
  parsed.flags.push_back(
      {"--check", "", say("status 4 where the targets are missed"), group, turns_on(options->check)});
  parsed.flags.push_back(why_flag(options->all, "--why", say("the queue, the cache and latency by request rate")));
  parsed.flags.push_back(use_spot_flag(question.base.constraints));
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return run_simulate(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
