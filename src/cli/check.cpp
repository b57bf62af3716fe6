// gpusel check: policies over an answer, fresh or saved; the exit status opens or closes a gate.
#include <algorithm>
#include <memory>

#include "cli/answer.hpp"
#include "cli/ask.hpp"
#include "cli/commands.hpp"
#include "cli/job.hpp"
#include "gpusel/advise/policy.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/version.hpp"
#include "report/check.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kSarif = "sarif";
constexpr std::string_view kJunit = "junit";
constexpr std::string_view kOwnFormats[] = {kSarif, kJunit};

struct CheckOptions {
  JobOptions job;
  std::vector<std::string> policies;
  std::vector<std::string> answers;
  std::optional<advise::PolicyMode> mode;
  std::optional<std::int64_t> rank;
  bool all = false;
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
    results_ = advise::judge(policies_, subjects_);
    const int verdict = verdict_status();
    print(*ground, verdict);
    return verdict != kOk ? verdict
                          : gate_price_age(options_.job.question.constraints, offers_, ground->today, context_, kOk);
  }

 private:
  Status check_words() const {
    if (options_.policies.empty())
      return usage_error(say("is missing"), "--policy", say("name a policy file: --policy policy.yaml"));
    if (options_.all && options_.rank)
      return usage_error(say("has no meaning beside --all"), "--rank", say("give one of them"));
    if (options_.answers.size() > 1)
      return usage_error(say("{} answers to check", options_.answers.size()), {}, say("check one at a time"));
    const auto& given = options_.job.question.request.given;
    if (options_.answers.empty() || given.empty()) return {};
    std::string flag = "--" + std::string(given.front());
    std::ranges::replace(flag, '_', '-');
    return usage_error(say("changes nothing here: the job of a saved answer stands as it is"), flag,
                       say("leave out the job's flags, or the file"));
  }

  int read_policies(const catalog::Catalog& catalog) {
    for (const std::string& file : options_.policies) {
      const auto text = read_input(file);
      if (!text) return context_.fail(text.error());
      auto document = parse_yaml(*text, input_name(file));
      if (!document) return context_.fail(document.error());
      if (Errors errors = advise::add_policies(*document, catalog, policies_); !errors.empty())
        return context_.fail(errors);
    }
    if (options_.mode)
      for (advise::Policy& policy : policies_) policy.mode = *options_.mode;
    return kOk;
  }

  int ask_anew(const Ground& ground) {
    advise::Question& question = options_.job.question;
    question.alternatives = false;
    question.detailed = 1;
    auto advice = ask(options_.job, ground, context_);
    if (!advice) return advice.error();
    advice_ = std::move(*advice);
    for (const advise::Recommendation& one : advice_.recommendations)
      if (options_.all || one.rank == options_.rank.value_or(1)) {
        subjects_.push_back(advise::policy_subject(one, advice_, question, ground.catalog, ground.coefficients));
        offers_.push_back(one.offer);
      }
    count_ = advice_.recommendations.size();
    name_ = command_line(context_.words);
    return kOk;
  }

  int read_answer(const Ground& ground) {
    const std::string& file = options_.answers.front();
    const auto text = read_input(file);
    if (!text) return context_.fail(text.error());
    name_ = input_name(file);
    auto subjects = advise::saved_subjects(*text, name_, ground.today, ground.catalog, ground.coefficients);
    if (!subjects) return context_.fail(subjects.error());
    count_ = subjects->size();
    subjects_ = std::move(*subjects);
    if (!options_.all) std::erase_if(subjects_, [&](const auto& one) { return one.rank != options_.rank.value_or(1); });
    return kOk;
  }

  Status choose_ranks() const {
    if (!subjects_.empty() || count_ == 0) return {};
    return usage_error(say("{} is asked for, and the answer has {} recommendations", options_.rank.value_or(1), count_),
                       "--rank");
  }

  int verdict_status() const {
    const auto enforces = [](const advise::Policy& policy) { return policy.mode == advise::PolicyMode::enforce; };
    if (subjects_.empty()) return std::ranges::any_of(policies_, enforces) ? kNothing : kOk;
    return report::check_counts(results_).blocking > 0 ? kPolicy : kOk;
  }

  void print(const Ground& ground, int status) {
    const report::CheckView view{policies_,    subjects_, results_, name_, !options_.answers.empty(),
                                 ground.today, kVersion,  status};
    if (ground.format == kSarif) return context_.out.write(report::dump(report::check_sarif(view)));
    if (ground.format == kJunit) return context_.out.write(report::check_junit(view));
    cli::print({[&] { return report::check_json(view); },
                [&](std::string_view format, const report::Terminal& terminal) {
                  return report::check_text(view, format, terminal);
                }},
               ground.format, context_);
  }

  CheckOptions& options_;
  Context& context_;
  std::vector<advise::Policy> policies_;
  std::vector<advise::PolicySubject> subjects_;
  std::vector<advise::PolicyResult> results_;
  std::vector<const catalog::Offer*> offers_;
  advise::Advice advice_;
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
      say("a saved answer of recommend, or a lock (a file, - for standard input); none: the job's flags ask anew");
  parsed.positional_set = [options](std::string_view file) -> Status {
    options->answers.emplace_back(file);
    return {};
  };
  const std::string group = say("Policies");
  Flag policy{"--policy", "FILE", say("YAML that says what is allowed; several are judged together"), group,
              [options](std::string_view file) -> Status {
                options->policies.emplace_back(file);
                return {};
              }};
  policy.repeats = true;
  parsed.flags.push_back(std::move(policy));
  parsed.flags.push_back({"--policy-mode", "MODE", say("enforce or audit, whatever the files say"), group,
                          [options](std::string_view text) { return workload::assign(text, options->mode); }});
  parsed.flags.push_back(
      {"--rank", "N", say("the recommendation to judge (default 1)"), group,
       [options](std::string_view text) { return workload::assign(text, options->rank, workload::kCount); }});
  parsed.flags.push_back({"--all", "", say("judge every recommendation"), group, [options](std::string_view) -> Status {
                            options->all = true;
                            return {};
                          }});
  add_job_flags(parsed.flags, options->job);
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return Check(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
