// gpusel cost: what instances, or the plan for a job, cost over time under every published term.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "answer/cost/break_even.hpp"
#include "answer/facts/limits.hpp"
#include "answer/lists/like.hpp"
#include "answer/lists/list.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/read/own_prices.hpp"
#include "cli/commands.hpp"
#include "cli/question/amounts.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "cli/question/named.hpp"
#include "job/limits/limit_values.hpp"
#include "job/limits/limits.hpp"
#include "show/money/cost.hpp"

namespace gpusel::cli {

namespace {

struct CostOptions {
  JobOptions job;
  answer::CostQuestion question;
  std::vector<std::string> targets;
  std::optional<std::int64_t> rank;
  std::optional<double> hours;  // that instances are rented
  bool currency_given = false;
  answer::BreakEvenWishes break_even;
  bool asks_break_even = false;  // with a flag of them
  bool why = false;
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
    auto ground = prepare({options_.job.question.constraints, &options_.job.rule_files}, context_);
    if (!ground) return ground.error();
    options_.job.question.today = ground->today;
    if (const auto taken = take_job(ground->catalog); !taken) return taken.error();
    if (const auto taken = take_gpus(*ground); !taken) return taken.error();
    if (const auto& request = options_.job.question.request; options_.hours && (request.task || request.names_model()))
      return context_.fail(Error{ErrorKind::usage, say("the hours of a job are estimated"), "--hours",
                                 say("leave it out, or name an instance without a job")});
    const bool of_a_job = options_.targets.empty();
    if (const int status = of_a_job ? recommended(*ground) : named(ground->catalog); status != kOk) return status;
    const answer::Question& question = options_.question.question = options_.job.question;
    options_.question.rules = ground->rules;
    options_.question.stops = options_.break_even;
    const auto answer = answer::costs(options_.question, ground->catalog, ground->coefficients);
    if (!answer) return context_.fail(as_flag(answer.error()));
    std::vector<answer::BreakEvens> break_evens;
    options_.break_even.deadline_hours = question.constraints.deadline_hours;
    for (const answer::CostItem& item : answer->items)
      break_evens.push_back(answer::break_evens(*answer, item, options_.break_even, ground->catalog,
                                                ground->coefficients, options_.question.explained));
    show(*answer, break_evens, *ground);
    return gate(*answer);
  }

 private:
  /// Who names a GPU and no job means the cheapest machine with it.
  std::expected<void, int> take_gpus(const LoadedFacts& ground) {
    const job::Constraints& limits = options_.job.question.constraints;
    const job::Request& request = options_.job.question.request;
    if (request.task || request.names_model()) return {};
    if (options_.targets.empty() && !limits.gpus.empty()) options_.targets.emplace_back();
    for (std::string& target : options_.targets) {
      if (!target.empty() && !is_gpu_first(target, ground.catalog)) {
        take_family(target, ground.catalog);
        continue;
      }
      auto machine = cheapest_with(target, ground);
      if (!machine) return std::unexpected(context_.fail(as_flag(machine.error())));
      target = std::move(*machine);
    }
    return {};
  }

  /// A family is priced by its smallest size.
  void take_family(std::string& target, const catalog::Catalog& catalog) {
    if (catalog.has_instance(target) || is_saved(target, catalog)) return;
    const auto smallest = answer::base_called(target, catalog);
    if (!smallest) return;
    std::string name = format("{}/{}", (*smallest)->provider, (*smallest)->sku);
    context_.note(say("{} is a family: priced by its smallest, {}", printable(target), name));
    target = std::move(name);
  }

  /// `gpu` empty: as --gpu says.
  Result<std::string> cheapest_with(const std::string& gpu, const LoadedFacts& ground) {
    answer::ListQuestion question;
    question.constraints = options_.job.question.constraints;
    question.currency = options_.job.question.currency;
    question.today = ground.today;
    if (!gpu.empty())
      if (Status added = job::add_gpu(gpu, question.constraints); !added) return std::unexpected(added.error());
    const std::string named = printable(question.constraints.gpus.back().text);
    job::assume_usual(question.constraints, *job::find_limit("market"));
    const auto list = answer::list_instances(question, false, ground.catalog, ground.coefficients);
    if (!list) return std::unexpected(list.error());
    const answer::Listed* best = nullptr;
    for (const answer::Listed& one : list->listed)  // whole machines: who needs one GPU pays for no eight
      if (one.offer != nullptr && one.instance->gpu_count.value_or(0) >= 1 &&
          one.instance->status == catalog::Availability::available && (best == nullptr || one.hourly < best->hourly))
        best = &one;
    if (best == nullptr)
      return std::unexpected(Error{ErrorKind::unsatisfied,
                                   say("no machine with {} has a price on these terms", named),
                                   {},
                                   say("'gpusel instances --gpu {}' lists all", named)});
    std::string name = format("{}/{}", best->instance->provider, best->instance->sku);
    context_.note(say("{} is taken as {}, the cheapest machine with it", named, name));
    return name;
  }

  /// Targets that are a model, a task, a seller or a term, and not to be priced themselves, are of the question.
  std::expected<void, int> take_job(const catalog::Catalog& catalog) {
    std::vector<std::string> targets;
    for (std::string& target : options_.targets) {
      const bool own = catalog.has_instance(target) || is_saved(target, catalog);
      (own ? targets : options_.job.words).push_back(std::move(target));
    }
    take_hours();
    Spoken spoken{options_.job.question.request, &options_.job.question.constraints, Takes::sold};
    spoken.said = context_.settings.said;
    if (Status taken = take_words(options_.job.words, spoken, catalog); !taken)
      return std::unexpected(context_.fail(as_flag(taken.error())));
    for (const std::string& word : options_.job.words) {
      const std::string both = targets.empty() ? word : targets.back() + " " + word;
      const bool of_gpu = !targets.empty() && is_gpu_first(targets.back(), catalog) && names_gpus(both, catalog);
      of_gpu ? targets.back() = both : targets.emplace_back(word);  // "h100 sxm"
    }
    options_.job.words.clear();
    options_.targets = std::move(targets);
    return settle(options_.job, catalog, context_);
  }

  /// "1 year", "90 days", "720h": how long it is rented.
  void take_hours() {
    auto& words = options_.job.words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view unit =
          std::string_view(words[i]).substr(std::min(words[i].find_first_not_of("0123456789."), words[i].size()));
      if (unit == words[i] || (unit != "h" && unit != "d") || !job::set_duration_hours(words[i], options_.hours))
        continue;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const auto time = amount_of(words[i] + " " + words[i + 1]);
      const bool is_time = time && (time->key == "deadline" || time->key == kHours) && !binds(i);
      if (!is_time || !job::set_duration_hours(time->value, options_.hours)) continue;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
      return;
    }
  }

  /// Whether the two words from there are the length of a term: "reserved 1 year".
  bool binds(std::size_t at) const {
    const auto& words = options_.job.words;
    const auto is_term = [&](std::size_t first) {
      if (first > words.size() || words.size() - first < 3) return false;
      const auto amount = amount_of(join_texts(std::span(words).subspan(first, 3), " "));
      return amount && amount->key == "term";
    };
    return is_term(at) || (at > 0 && is_term(at - 1));
  }

  /// Without a target, the best instances for the job.
  int recommended(const LoadedFacts& ground) {
    if (!options_.job.question.request.task)
      return context_.fail(Error{ErrorKind::usage,
                                 say("neither an instance nor a job to price"),
                                 {},
                                 say("name a SKU, a saved answer, or a job with --model and --task")});
    const auto advice = ask(options_.job, ground, context_);
    if (!advice) return advice.error();
    const auto at = chosen(options_.job, *advice, options_.rank, say("gpusel recommend says why"), context_);
    if (!at) return at.error();
    options_.question.subjects = {answer::subject_of(advice->recommendations[*at], *advice, ground.catalog)};
    return kOk;
  }

  int named(catalog::Catalog& catalog) {
    std::vector<std::string> texts(options_.targets.size());  // of saved answers
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!context_.reads_files || !is_saved(options_.targets[i], catalog)) continue;
      auto text = read_input(options_.targets[i]);
      if (!text) return context_.fail(text.error());
      texts[i] = std::move(*text);
      any_saved_ = true;
    }
    if (const int status = keep_own_prices(texts, catalog); status != kOk) return status;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      answer::CostSubject subject;
      subject.name = options_.targets[i];
      if (!texts[i].empty()) {
        auto saved = saved_subject(texts, i, catalog);
        if (!saved) return context_.fail(saved.error());
        subject = std::move(*saved);
        if (Status used = take_use(subject); !used) return context_.fail(used.error());
      } else if (options_.hours) {
        subject.job.emplace().hours = options_.hours;
      }
      options_.question.subjects.push_back(std::move(subject));
    }
    if (std::string sizing = answer::sizing_note(options_.job.question.request); !sizing.empty() && !any_saved_)
      context_.note(sizing);
    std::vector<std::string> providers;
    for (const answer::CostSubject& subject : options_.question.subjects)
      if (const auto instance = catalog.instance(subject.name); instance && !any_saved_)
        providers.emplace_back((*instance)->provider);
    settle_currency(options_.job.question.currency, providers, catalog, context_);
    return has_effect() ? kOk : kUsage;
  }

  Result<answer::CostSubject> saved_subject(const std::vector<std::string>& texts, std::size_t i,
                                            const catalog::Catalog& catalog) const {
    return answer::saved_subject(texts[i], input_name(options_.targets[i]), static_cast<int>(options_.rank.value_or(1)),
                                 catalog);
  }

  /// Own prices that answers were saved with, where nobody says another now.
  int keep_own_prices(const std::vector<std::string>& texts, catalog::Catalog& catalog) {
    catalog::OwnPrices own;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].empty()) continue;
      const auto saved = saved_subject(texts, i, catalog);
      if (!saved) return context_.fail(saved.error());
      const auto& price = saved->saved_price;
      if (!price || !price->is_own) continue;
      const auto said = [&](const catalog::Offer& offer) {
        return to_text(offer.term) == price->term && catalog.origin_of(offer).source == catalog::kOwnPrice;
      };
      if (std::ranges::any_of(catalog.offers_of(*saved->instance), said)) continue;
      own.prices.push_back({saved->name + ":" + price->term, price->per_hour, price->as_of});
    }
    if (own.empty()) return kOk;
    const Errors errors = catalog.lay(own);
    return errors.empty() ? kOk : context_.fail(errors);
  }

  /// What is not said now is as the answer was saved: its currency, its duty cycle, what is paid beside.
  Status take_use(const answer::CostSubject& saved) {
    answer::Question& question = options_.job.question;
    if (!options_.currency_given && saved.currency) question.currency = *saved.currency;
    if (!use_taken_ && (question.duty.is_given() || question.extras.is_given())) return {};
    if (!use_taken_) {
      question.duty = saved.saved_duty;
      question.extras = saved.saved_extras;
      use_taken_ = true;
    } else if (question.duty != saved.saved_duty || question.extras != saved.saved_extras) {
      return usage_error(say("the saved answers have different usage"), saved.name,
                         say("set it for all: --hours-per-day, --storage-gb …, or price one at a time"));
    }
    return {};
  }

  /// What is said of a job or a recommendation where none is priced is no silent wish.
  bool has_effect() {
    const job::Request& request = options_.job.question.request;
    std::string flag;
    if (options_.rank && !any_saved_) flag = "rank";
    if (options_.hours && any_saved_) flag = "hours";
    if (!request.given.empty() && !request.task && !request.names_model()) flag = request.given.front();
    if (flag.empty()) return true;
    std::ranges::replace(flag, '_', '-');
    context_.fail(Error{ErrorKind::usage,
                        any_saved_ ? say("has no effect: the job of a saved answer is used as is")
                                   : say("has no effect: no job or saved answer is priced"),
                        "--" + flag, say("--model and --task name a job")});
    return false;
  }

  void show(const answer::CostAnswer& answer, std::span<const answer::BreakEvens> break_evens,
            const LoadedFacts& ground) {
    print({.data =
               [&] {
                 show::Json json = show::cost_json(answer, break_evens, ground.catalog);
                 json["assumed"]["today"] = ground.today.text();
                 return json;
               },
           .document =
               [&](bool wide) {
                 const bool full = wide || options_.why || options_.question.explained;
                 return show::cost_page(answer, break_evens, ground.catalog, {full, wide, options_.asks_break_even});
               },
           .csv = [&] { return show::cost_table(answer, ground.catalog); }},
          ground.format, context_);
  }

  /// Nothing without a price is an answer; only prices that were shown can be too old.
  int gate(const answer::CostAnswer& answer) {
    std::vector<const catalog::Offer*> offers;
    for (const answer::CostItem& item : answer.items)
      for (const answer::TermCost& term : item.terms) offers.push_back(term.offer);
    const answer::Question& question = options_.question.question;
    return gate_price_age(question.constraints, offers, question.today, context_, offers.empty() ? kNothing : kOk);
  }

  CostOptions& options_;
  Context& context_;
  bool any_saved_ = false;
  bool use_taken_ = false;  // from a saved answer
};

void add_own_flags(std::vector<Flag>& flags, const std::shared_ptr<CostOptions>& options) {
  flags.push_back({"--rank", "N", say("which recommendation of a job or of a saved answer (default 1)"), say("Subject"),
                   sets(options->rank, job::kCount)});
  flags.push_back(
      {"--hours", "TIME", say("how long the instances are rented: 100, 90min, 3d (default: month after month)"),
       say("Subject"), [options](std::string_view text) { return job::set_duration_hours(text, options->hours); }});
  flags.push_back({"--explain", "", say("formula, substituted values and source of every figure"),
                   say("Output and data"), turns_on(options->question.explained)});
  flags.push_back({"--why,--sources", "", say("sources of prices, promises, notes and every break-even"),
                   say("Output and data"), turns_on(options->why)});
  const auto currency = std::ranges::find(flags, std::string("--currency"), &Flag::names);
  currency->set = [options, set = currency->set](std::string_view text) {
    options->currency_given = true;
    return set(text);
  };
}

}  // namespace

Parsed make_cost() {
  auto options = std::make_shared<CostOptions>();
  Parsed parsed;
  parsed.positional = "TARGETS";
  parsed.positional_places = {{"", "SKU|FILE"}};
  parsed.positional_help =
      say("instances, \"2x p4d.24xlarge\", or a saved answer of recommend (a file, - for standard "
          "input); none: the best for the job");
  parsed.positional_set = appends_to(options->targets);
  add_options(parsed.flags, answer::break_even_options(), options->break_even);
  for (Flag& flag : parsed.flags)
    flag.set = FlagSetter(
        [options, set = flag.set](std::string_view text) -> Status {
          options->asks_break_even = true;
          return set(text);
        },
        flag.set.shape);
  add_job_flags(parsed.flags, options->job);
  add_own_flags(parsed.flags, options);
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return Cost(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
