// gpusel cost: what instances, or the plan for a job, cost over time under every published term.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "gpusel/advise/break_even.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "report/cost.hpp"
#include "report/yaml.hpp"

namespace gpusel::cli {

namespace {

struct CostOptions {
  advise::CostQuestion question;
  std::vector<std::string> targets;
  std::vector<std::string> rule_files;
  std::optional<std::int64_t> rank;
  bool currency_given = false;
  advise::BreakEvenWishes break_even;
};

/// Whether a target is the name of a saved answer: no instance of that name, and a file or what is called like one.
bool is_saved(const std::string& target, const catalog::Catalog& catalog) {
  if (target == kStandardInput) return true;
  if (catalog.has_instance(target)) return false;
  std::error_code failed;
  const std::string extension = std::filesystem::path(target).extension();
  return extension == ".json" || extension == ".yaml" || std::filesystem::is_regular_file(target, failed);
}

class Cost {
 public:
  Cost(CostOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    const auto today = context_.today();
    if (!today) return context_.fail(today.error());
    advise::Question& question = options_.question.question;
    question.today = *today;
    if (Status strict = check_strict(question.constraints); !strict) return context_.fail(strict.error());
    const auto catalog = context_.load_catalog();
    if (!catalog) return context_.fail(catalog.error());
    const auto coefficients = load_coefficients(*catalog);
    if (!coefficients) return context_.fail(coefficients.error());
    if (const int status = options_.targets.empty() ? recommended(*catalog, *coefficients) : named(*catalog);
        status != kOk)
      return status;
    const auto answer = advise::costs(options_.question, *catalog, *coefficients);
    if (!answer) return context_.fail(as_flag(answer.error()));
    std::vector<advise::BreakEvens> break_evens;
    options_.break_even.deadline_hours = question.constraints.deadline_hours;
    for (const advise::CostItem& item : answer->items)
      break_evens.push_back(advise::break_evens(*answer, item, options_.break_even, *catalog, *coefficients,
                                                options_.question.explained));
    print(*answer, break_evens, *catalog, *format);
    return gate(*answer);
  }

 private:
  /// Without a target, the best instances for the job.
  int recommended(const catalog::Catalog& catalog, const estimate::Coefficients& coefficients) {
    const advise::Question& question = options_.question.question;
    if (!question.request.task)
      return context_.fail(Error{ErrorKind::usage,
                                 say("neither an instance nor a job to price"),
                                 {},
                                 say("name a SKU, a saved answer, or a job with --model and --task")});
    const auto rules = load_rules(catalog, options_.rule_files);
    if (!rules) return context_.fail(rules.error());
    const auto advice = advise::recommend(question, catalog, *rules, coefficients);
    if (!advice) return context_.fail(as_flag(advice.error()));
    const auto rank = static_cast<std::size_t>(options_.rank.value_or(1));
    const std::size_t count = advice->recommendations.size();
    if (count == 0)
      return context_.fail(
          Error{ErrorKind::unsatisfied, say("no instance meets this"), {}, say("gpusel recommend tells why")});
    if (rank > count)
      return context_.fail(
          Error{ErrorKind::usage, say("{} instances meet this, rank {} is not among them", count, rank), "--rank", {}});
    options_.question.subjects = {advise::subject_of(advice->recommendations[rank - 1], *advice, catalog)};
    return kOk;
  }

  int named(const catalog::Catalog& catalog) {
    bool any_saved = false;
    for (const std::string& target : options_.targets) {
      advise::CostSubject subject;
      subject.name = target;
      if (is_saved(target, catalog)) {
        const std::string name = input_name(target);
        const auto text = read_input(target);
        if (!text) return context_.fail(text.error());
        auto saved = advise::saved_subject(*text, name, static_cast<int>(options_.rank.value_or(1)), catalog);
        if (!saved) return context_.fail(saved.error());
        subject = std::move(*saved);
        if (!options_.currency_given && subject.currency) options_.question.question.currency = *subject.currency;
        any_saved = true;
      }
      options_.question.subjects.push_back(std::move(subject));
    }
    return has_effect(any_saved) ? kOk : kUsage;
  }

  /// What is said of a job or a recommendation where none is priced is no silent wish.
  bool has_effect(bool any_saved) {
    const workload::Request& request = options_.question.question.request;
    std::string flag;
    if (options_.rank && !any_saved) flag = "rank";
    if (!request.given.empty() && !request.task && request.model.empty()) flag = request.given.front();
    if (flag.empty()) return true;
    std::ranges::replace(flag, '_', '-');
    context_.fail(Error{ErrorKind::usage,
                        any_saved ? say("changes nothing here: the job of a saved answer stands as it is")
                                  : say("changes nothing here: no job and no saved answer is priced"),
                        "--" + flag, say("--model and --task name a job")});
    return false;
  }

  void print(const advise::CostAnswer& answer, std::span<const advise::BreakEvens> break_evens,
             const catalog::Catalog& catalog, const std::string& format) {
    if (report::is_data(format)) {
      report::Json json = report::cost_json(answer, break_evens, catalog);
      json["assumed"]["today"] = options_.question.question.today.text();
      context_.out.write(report::dump_as(format, json));
      return;
    }
    report::Terminal terminal = context_.terminal();
    if (format == "wide") terminal.width = 0;
    context_.out.write(report::cost_text(answer, break_evens, catalog, format, terminal));
  }

  /// Nothing without a price is an answer; only prices that were shown can be too old.
  int gate(const advise::CostAnswer& answer) {
    std::vector<const catalog::Offer*> offers;
    for (const advise::CostItem& item : answer.items)
      for (const advise::TermCost& term : item.terms) offers.push_back(term.offer);
    const advise::Question& question = options_.question.question;
    return gate_price_age(question.constraints, offers, question.today, context_, offers.empty() ? kNothing : kOk);
  }

  CostOptions& options_;
  Context& context_;
};

void add_own_flags(std::vector<Flag>& flags, const std::shared_ptr<CostOptions>& options) {
  advise::Question& question = options->question.question;
  flags.push_back(
      {"--rank", "N", say("which recommendation of a job or of a saved answer (default 1)"), say("Subject"),
       [options](std::string_view text) { return workload::assign(text, options->rank, workload::kCount); }});
  Flag rules{"--rules", "FILE", say("your own rules for the recommendation, beside the shipped ones"), say("Subject"),
             [options](std::string_view text) -> Status {
               options->rule_files.emplace_back(text);
               return {};
             }};
  rules.repeats = true;
  flags.push_back(rules);
  flags.push_back({"--explain", "", say("formula, substituted values and source of every figure"),
                   say("Output and data"), [options](std::string_view) -> Status {
                     options->question.explained = true;
                     return {};
                   }});
  Flag currency = currency_flag(question.currency);
  currency.set = [options, set = currency.set](std::string_view text) {
    options->currency_given = true;
    return set(text);
  };
  flags.push_back(std::move(currency));
  flags.push_back(use_spot_flag(question.constraints));
}

}  // namespace

Parsed make_cost() {
  auto options = std::make_shared<CostOptions>();
  Parsed parsed;
  parsed.positional = "TARGETS";
  parsed.positional_help =
      say("instances, \"2x p4d.24xlarge\", or a saved answer of recommend (a file, - for standard "
          "input); none: the best for the job");
  parsed.positional_set = [options](std::string_view name) -> Status {
    options->targets.emplace_back(name);
    return {};
  };
  advise::CostQuestion& question = options->question;
  add_options(parsed.flags, cost::duty_options(), question.duty);
  add_options(parsed.flags, advise::cost_extra_options(), question.extras);
  add_options(parsed.flags, advise::break_even_options(), options->break_even);
  std::vector<workload::Option<workload::Request>> job;
  for (const auto& option : workload::request_options())
    if (option.group != "Machine") job.push_back(option);
  add_options<workload::Request>(parsed.flags, job, question.question.request);
  add_options(parsed.flags, workload::constraint_options(), question.question.constraints);
  add_own_flags(parsed.flags, options);
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return Cost(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
