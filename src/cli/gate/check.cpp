// gpusel check: policies over an answer, fresh or saved; the exit status opens or closes a gate.
#include <algorithm>
#include <memory>

#include "answer/gate/policy.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/gate/price_age.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/ask.hpp"
#include "cli/question/job.hpp"
#include "gpusel/version.hpp"
#include "show/gate/check.hpp"
#include "show/gate/lock.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kSarif = "sarif";
constexpr std::string_view kJunit = "junit";
constexpr std::string_view kOwnFormats[] = {kSarif, kJunit};

/// What may be said beside a saved answer, of the flags that are of a job.
constexpr std::string_view kOfSaved[] = {"--max-price-age", "--strict"};

struct CheckOptions {
  JobOptions job;
  std::vector<std::string> policies;
  std::vector<std::string> answers;
  std::optional<answer::PolicyMode> mode;
  std::optional<std::int64_t> rank;
  bool all = false;
  bool explains = false;
  std::vector<std::string> own_flags;  // that judge a saved answer as well as a fresh one
};

class Check {
 public:
  Check(CheckOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    if (Status asked = check_words(); !asked) return context_.fail(asked.error());
    const auto ground = prepare({options_.job.question.constraints, &options_.job.rule_files, kOwnFormats}, context_);
    if (!ground) return ground.error();
    if (const int status = read_policies(ground->catalog); status != kOk) return status;
    const int status = options_.answers.empty() ? ask_anew(*ground) : read_answer(*ground);
    if (status != kOk) return status;
    if (Status there = choose_ranks(); !there) return context_.fail(there.error());
    results_ = answer::judge(policies_, subjects_);
    std::vector<Date> dates;
    for (const answer::PolicySubject& subject : subjects_) dates.push_back(subject.priced);
    const std::string old = too_old(options_.job.question.constraints, dates, ground->today);
    const int by_policies = verdict_status();
    const int verdict = by_policies == kOk && !old.empty() ? kStale : by_policies;
    print(*ground, verdict, old);
    if (verdict == kStale) context_.complain(old);
    return verdict;
  }

 private:
  Status check_words() const {
    if (options_.policies.empty())
      return missing_error(say("a policy file is missing"), "--policy", say("--policy policy.yaml, for example"));
    if (options_.all && options_.rank)
      return usage_error(say("cannot be combined with --all"), "--rank", say("use one of them"));
    if (options_.answers.size() > 1)
      return usage_error(say("{} answers to check", options_.answers.size()), {}, say("check one at a time"));
    return options_.answers.empty() ? Status{} : check_saved_words();
  }

  /// What would change the question or its prices says nothing of an answer that is there already.
  Status check_saved_words() const {
    for (const std::string& flag : context_.settings.said)
      if (std::ranges::find(options_.own_flags, flag) == options_.own_flags.end())
        return usage_error(say("has no effect: a saved answer is used as is"), flag,
                           say("remove it, or remove the file to ask again; limits can be in the policy file"));
    const job::Constraints& limits = options_.job.question.constraints;
    if (limits.max_price_age_days && !limits.strict.value_or(false) && is_said("--max-price-age"))
      return usage_error(say("needs --strict with a saved answer"), "--max-price-age",
                         say("as in --max-price-age 30d --strict"));
    return {};
  }

  bool is_said(std::string_view flag) const {
    return std::ranges::find(context_.settings.said, flag) != context_.settings.said.end();
  }

  int read_policies(const catalog::Catalog& catalog) {
    for (const std::string& file : options_.policies) {
      const bool is_text = file.starts_with('{');  // the policy itself
      const auto text = is_text ? Result<std::string>(file) : read_input(file);
      if (!text) return context_.fail(text.error());
      auto document = parse_yaml(*text, is_text ? "--policy" : input_name(file));
      if (!document) return context_.fail(document.error());
      if (Errors errors = answer::add_policies(*document, catalog, policies_); !errors.empty())
        return context_.fail(errors);
    }
    for (answer::Policy& policy : policies_) policy.has_path = policy.file != input_name(std::string(kStandardInput));
    for (const answer::Policy& policy : policies_)
      for (const std::string& meant : policy.meant)
        context_.note(format("{}:{}: {}", printable(policy.file), policy.line, meant));
    if (options_.mode)
      for (answer::Policy& policy : policies_) policy.mode = *options_.mode;
    return kOk;
  }

  int ask_anew(const LoadedFacts& ground) {
    answer::Question& question = options_.job.question;
    question.alternatives = false;
    // A rank is the same machine as in the whole list, with all its figures.
    question.detailed = options_.all || options_.rank.value_or(1) > 1 ? 0 : 1;
    auto advice = ask(options_.job, ground, context_);
    if (!advice) return advice.error();
    advice_ = std::move(*advice);
    for (const answer::Recommendation& one : advice_.recommendations)
      if (options_.all || one.rank == options_.rank.value_or(1))
        subjects_.push_back(answer::policy_subject(one, advice_, question, ground.catalog, ground.coefficients));
    count_ = advice_.recommendations.size();
    name_ = command_line(question_of(context_.words));
    return kOk;
  }

  int read_answer(const LoadedFacts& ground) {
    const std::string& file = options_.answers.front();
    const auto text = read_input(file);
    if (!text) return context_.fail(text.error());
    name_ = input_name(file);
    if (show::says_lock(*text))
      if (const auto lock = show::read_lock(*text, name_); !lock) return context_.fail(lock.error());
    auto subjects = answer::saved_subjects(*text, name_, ground.today, ground.catalog, ground.coefficients);
    if (!subjects) return context_.fail(subjects.error());
    count_ = subjects->size();
    subjects_ = std::move(*subjects);
    if (!options_.all) std::erase_if(subjects_, [&](const auto& one) { return one.rank != options_.rank.value_or(1); });
    return kOk;
  }

  Status choose_ranks() const {
    if (!subjects_.empty() || count_ == 0) return {};
    return usage_error(
        say("{} was requested, but the answer has {} recommendations", options_.rank.value_or(1), count_), "--rank");
  }

  int verdict_status() const {
    const auto enforces = [](const answer::Policy& policy) { return policy.mode == answer::PolicyMode::enforce; };
    if (subjects_.empty()) return std::ranges::any_of(policies_, enforces) ? kNothing : kOk;
    return show::check_counts(results_).blocking > 0 ? kPolicy : kOk;
  }

  void print(const LoadedFacts& ground, int status, const std::string& too_old) {
    const show::CheckView view{.policies = policies_,
                               .subjects = subjects_,
                               .results = results_,
                               .answer = name_,
                               .saved = !options_.answers.empty(),
                               .explains = options_.explains,
                               .today = ground.today,
                               .version = kVersion,
                               .too_old = too_old,
                               .status = status};
    if (ground.format == kSarif) return context_.out.write(show::dump(show::check_sarif(view)));
    if (ground.format == kJunit) return context_.out.write(show::check_junit(view));
    cli::print({.data = [&] { return show::check_json(view); },
                .document = [&](bool all) { return show::check_page(view, all); },
                .csv = [&] { return show::check_results(view, true); }},
               ground.format, context_);
  }

  CheckOptions& options_;
  Context& context_;
  std::vector<answer::Policy> policies_;
  std::vector<answer::PolicySubject> subjects_;
  std::vector<answer::PolicyResult> results_;
  answer::Advice advice_;
  std::string name_;
  std::size_t count_ = 0;  // of recommendations in the answer
};

}  // namespace

Parsed make_check() {
  auto options = std::make_shared<CheckOptions>();
  Parsed parsed;
  parsed.positional = "ANSWER";
  parsed.positional_places = {{"", "FILE"}};
  parsed.positional_help =
      say("a saved answer of recommend or a lock (file, or - for standard input); without one, the job's flags ask");
  parsed.positional_set = [options](std::string_view file) -> Status {
    (names_saved(file) ? options->answers : options->job.words).emplace_back(file);
    return {};
  };
  const std::string group = say("Policies");
  Flag policy{"--policy", "FILE", say("YAML policies; several files are evaluated together"), group,
              appends_to(options->policies)};
  policy.repeats = true;
  parsed.flags.push_back(std::move(policy));
  parsed.flags.push_back(
      {"--policy-mode", "MODE", say("enforce or audit, overriding the files"), group, sets(options->mode)});
  parsed.flags.push_back(
      {"--rank", "N", say("the recommendation to judge (default 1)"), group, sets(options->rank, job::kCount)});
  parsed.flags.push_back({"--all", "", say("judge every recommendation"), group, turns_on(options->all)});
  parsed.flags.push_back({"--explain", "", say("for each finding, what was compared, and where each side comes from"),
                          group, turns_on(options->explains)});
  Parsed common;
  CommonOptions unused;
  add_common_flags(common, unused);
  for (const auto* flags : {&parsed.flags, &common.flags})
    for (const Flag& flag : *flags) options->own_flags.push_back(flag.name());
  options->own_flags.insert(options->own_flags.end(), std::begin(kOfSaved), std::end(kOfSaved));
  add_job_flags(parsed.flags, options->job);
  parsed.output_help = say("table, wide, json, yaml, csv, markdown, html, sarif or junit");
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return Check(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
