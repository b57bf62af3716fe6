// gpusel explain: one figure, one rank, one rejection or one rule of an answer taken apart.
#include <algorithm>
#include <cmath>
#include <memory>

#include "answer/explain/explain.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "cli/catalog/lists.hpp"
#include "cli/commands.hpp"
#include "cli/help/help.hpp"
#include "cli/help/topics.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "cli/question/last.hpp"
#include "cli/question/named.hpp"
#include "show/job/explain.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

namespace {

struct ExplainOptions {
  JobOptions job;
  std::vector<std::string> words;  // the subject, and words of the question
  std::string subject;
  std::optional<std::int64_t> rank;
  bool all = false;  // with the arithmetic
};

class Explain {
 public:
  Explain(ExplainOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto ground = prepare({options_.job.question.constraints, &options_.job.rule_files}, context_);
    if (!ground) return ground.error();
    if (Status taken = take_subject(ground->catalog); !taken) return context_.fail(taken.error());
    if (const auto settled = settle(options_.job, ground->catalog, context_); !settled) return settled.error();
    if (!options_.job.question.request.task) return without_job(*ground);
    options_.job.question.every_rejection = true;
    options_.job.question.alternatives = false;
    const auto advice = ask(options_.job, *ground, context_);
    if (!advice) return advice.error();
    const answer::Explained of{options_.job.question, *advice, ground->catalog, ground->rules, ground->coefficients};
    if (options_.subject.empty()) return ranked(of, *ground);
    if (answer::is_rule(of, options_.subject)) return rule(of, *ground);
    if (const auto gpu = job::parse_gpu_spec(options_.subject); gpu && is_gpu_first(options_.subject, ground->catalog))
      return best_of(
          of,
          [&](const auto& one) {
            const catalog::Gpu* has = ground->catalog.gpu_of(*one.instance);
            return has != nullptr && gpu->names_gpu(*has);
          },
          *ground);
    if (ground->catalog.has_instance(options_.subject)) return instance(of, *ground);
    if (const auto seller = ground->catalog.provider(options_.subject))
      return best_of(of, [id = (*seller)->id](const auto& one) { return one.instance->provider == id; }, *ground);
    return figure(of, *ground);
  }

 private:
  /// Of the words, the one that is not of the question. An instance is a subject here, not a limit.
  Status take_subject(const catalog::Catalog& catalog) {
    Spoken spoken{options_.job.question.request, &options_.job.question.constraints, Takes::job};
    spoken.said = context_.settings.said;
    if (Status taken = take_words(options_.words, spoken, catalog); !taken) return taken;
    const bool asks = options_.job.question.request.task || options_.job.question.request.names_model() ||
                      !options_.job.words.empty();
    if (asks) take_gpus(catalog);
    if (asks) take_rank();
    // "kv cache": one name in several words.
    if (const std::string whole = join_texts(options_.words, "_"); !topic(whole).empty()) options_.words = {whole};
    if (options_.words.size() > 1 && asks)
      return usage_error(
          say("one subject at a time: '{}' and '{}'", shorten(options_.words[0], 40), shorten(options_.words[1], 40)),
          {}, say("a rank, as in gpusel why 2; a figure, as in gpusel why cost; or an instance"));
    if (!options_.words.empty()) options_.subject = options_.words.front();
    return {};
  }

  /// A GPU alone is the subject. With another subject or a count, or where the question has GPUs of its own, it is a
  /// limit that replaces theirs; without a question it is a record that can be shown.
  void take_gpus(const catalog::Catalog& catalog) {
    const auto is_gpu = [&](const std::string& word) { return is_gpu_first(word, catalog); };
    if (std::ranges::none_of(options_.words, is_gpu)) return;
    const bool alone = options_.words.size() == 1 && !options_.rank;
    if (alone && options_.job.question.constraints.gpus.empty() && is_kind(options_.words.front())) return;
    options_.job.question.constraints.gpus.clear();
    std::erase_if(options_.job.words, is_gpu);
    std::ranges::copy_if(options_.words, std::back_inserter(options_.job.words), is_gpu);
    std::erase_if(options_.words, is_gpu);
  }

  /// A kind of GPU, of which there may be any number.
  static bool is_kind(std::string_view word) {
    const job::CountedGpu counted = job::counted_gpu(word);
    return !counted.parts && !counted.count && !counted.nodes;
  }

  /// A number alone is a rank, as behind `why`.
  void take_rank() {
    const auto word = std::ranges::find_if(options_.words, [](const auto& each) { return rank_in(each).has_value(); });
    if (options_.rank || word == options_.words.end()) return;
    options_.rank = rank_in(*word);
    options_.words.erase(word);
  }

  static std::optional<std::int64_t> rank_in(std::string_view word) {
    constexpr double kMost = 1e6;
    const auto number = plain_number(word);
    if (!number || *number < 1 || *number > kMost || std::floor(*number) != *number) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }

  /// Rules, topics and records are explained without a question.
  int without_job(const LoadedFacts& ground) {
    if (options_.words.empty())
      return context_.fail(Error{ErrorKind::usage, say("no job to explain"), "--model",
                                 say("name a model, as in gpusel explain llama-3.1-8b, or a rule of an answer"), true});
    int status = kOk;
    for (std::size_t i = 0; i < options_.words.size() && status == kOk; ++i) status = about(options_.words[i], ground);
    return status;
  }

  int about(const std::string& subject, const LoadedFacts& ground) {
    const auto about = answer::about_rule(subject, ground.rules);
    if (const std::string text = about ? std::string() : topic_help(subject);
        !text.empty() && !show::is_data(ground.format)) {
      context_.out.write(text);
      return kOk;
    }
    if (!about)
      if (const auto shown = show_any(ground.catalog, subject, context_)) return *shown;
    if (!about) return context_.fail(unknown(subject, ground));
    print({.data = [&] { return show::about_rule_json(*about); },
           .document = [&](bool) { return show::about_rule_page(*about); }},
          ground.format, context_);
    return kOk;
  }

  /// A rule or topic that is spelled otherwise, or what only a job has.
  static Error unknown(const std::string& subject, const LoadedFacts& ground) {
    const std::string shown = printable(shorten(subject, 40));
    if (plain_number(subject))
      return {
          ErrorKind::usage, say("no job to explain"), "--model",
          say("for your last question: gpusel why {}; or add a model: gpusel explain {} llama-3.1-8b", shown, shown),
          true};
    std::vector<std::string_view> known = topics();
    for (const rules::Rule& rule : ground.rules) known.push_back(rule.id);
    for (const catalog::Instance& each : ground.catalog.instances()) known.push_back(each.sku);
    return {
        ErrorKind::usage,
        say("'{}' is not a rule, topic, GPU, model or instance", shown),
        {},
        did_you_mean(subject, known).or_else(say("a figure needs a job: gpusel explain memory.kv_cache llama-3.1-8b"))};
  }

  /// Which recommendation is asked about. The error is the exit status.
  std::expected<std::size_t, int> index_of(const answer::Explained& of) {
    return chosen(options_.job, of.advice, options_.rank,
                  say("gpusel explain INSTANCE says what would make one qualify"), context_);
  }

  int ranked(const answer::Explained& of, const LoadedFacts& ground) {
    const auto index = index_of(of);
    return index ? show_rank(of, *index, ground) : index.error();
  }

  int show_rank(const answer::Explained& of, std::size_t index, const LoadedFacts& ground) {
    const catalog::Instance& named = *of.advice.recommendations[index].instance;
    return show(
        {"rank", format("{}/{}", named.provider, named.sku), of.advice, of.catalog, answer::explain_rank(of, index)},
        ground);
  }

  int rule(const answer::Explained& of, const LoadedFacts& ground) {
    if (const int status = check_no_rank(); status != kOk) return status;
    return show({"rule", options_.subject, of.advice, of.catalog, answer::explain_rule(of, options_.subject)}, ground);
  }

  int instance(const answer::Explained& of, const LoadedFacts& ground) {
    if (const int status = check_no_rank(); status != kOk) return status;
    const auto named = ground.catalog.instance(options_.subject);
    if (!named) return context_.fail(named.error());
    const auto& ranks = of.advice.recommendations;
    const auto found = std::ranges::find(ranks, *named, &answer::Recommendation::instance);
    if (found != ranks.end()) return show_rank(of, static_cast<std::size_t>(found - ranks.begin()), ground);
    const auto admission = answer::admission(of.question, **named, of.catalog, ground.rules, ground.coefficients);
    if (!admission) return context_.fail(as_flag(admission.error()));
    return show({"rejection", format("{}/{}", (*named)->provider, (*named)->sku), of.advice, of.catalog,
                 answer::explain_rejection(of, *admission), &*admission},
                ground);
  }

  /// The best rank of those that are meant, or why the first of them has none.
  template <class IsMeant>
  int best_of(const answer::Explained& of, IsMeant is_meant, const LoadedFacts& ground) {
    const auto& ranks = of.advice.recommendations;
    const auto found = std::ranges::find_if(ranks, is_meant);
    if (found != ranks.end()) return show_rank(of, static_cast<std::size_t>(found - ranks.begin()), ground);
    const auto& out = of.advice.rejected;
    const auto fallen = std::ranges::find_if(out, is_meant);
    if (fallen == out.end())
      return context_.fail(
          Error{ErrorKind::unsatisfied, say("no instance of {} is in the catalog", options_.subject), {}, {}});
    options_.subject = fallen->instance->sku;
    return instance(of, ground);
  }

  int figure(const answer::Explained& of, const LoadedFacts& ground) {
    const auto index = index_of(of);
    if (!index) return index.error();
    const answer::Branch tree = answer::explain_rank(of, *index);
    const answer::Branch* found = answer::find_branch(tree, options_.subject);
    // "price" is the cost, "vram" the memory.
    for (const std::string_view other : topic_spellings(options_.subject))
      if (found == nullptr) found = answer::find_branch(tree, other);
    if (found != nullptr) return show({"figure", found->line.quantity, of.advice, of.catalog, *found}, ground);
    std::vector<std::string_view> known = answer::quantities(tree);
    for (const rules::Rule& rule : ground.rules) known.push_back(rule.id);
    for (const catalog::Instance& each : ground.catalog.instances()) known.push_back(each.sku);
    const Hint near = did_you_mean(options_.subject, known);
    return context_.fail(
        Error{ErrorKind::usage,
              say("'{}' is not a figure, instance or rule of this answer", printable(shorten(options_.subject, 40))),
              {},
              near.or_else(say("a rank, as in gpusel why 2; a figure, as in gpusel why cost; or an instance"))});
  }

  int check_no_rank() {
    if (!options_.rank) return kOk;
    return context_.fail(
        Error{ErrorKind::usage, say("it selects whose figures are explained"), "--rank", say("remove it")});
  }

  /// A view and the tree that it shows.
  struct Shown {
    std::string_view kind;
    std::string name;
    const answer::Advice& advice;
    const catalog::Catalog& catalog;
    answer::Branch tree;
    const answer::Admission* admission = nullptr;
  };

  int show(const Shown& shown, const LoadedFacts& ground) {
    const show::ExplainView view{shown.kind,
                                 shown.name,
                                 shown.advice,
                                 shown.catalog,
                                 shown.tree,
                                 shown.admission,
                                 &options_.job.question.constraints};
    print({.data =
               [&] {
                 show::Json json = show::explanation_json(view);
                 json["assumed"]["today"] = ground.today.text();
                 return json;
               },
           .document = [&](bool all) { return show::explanation_page(view, all || options_.all); },
           .csv = [&] { return show::derivation_of(view.tree).table(); }},
          ground.format, context_);
    return kOk;
  }

  ExplainOptions& options_;
  Context& context_;
};

}  // namespace

namespace {

/// What explain and why take.
Parsed explaining(const std::shared_ptr<ExplainOptions>& options) {
  Parsed parsed;
  parsed.positional = "SUBJECT";
  parsed.positional_places = {{"", "SKU|RULE|MODEL"}};
  parsed.positional_help = say("an instance, a figure such as memory.kv_cache, or a rule; without it, the best rank");
  parsed.positional_set = appends_to(options->words);
  add_job_flags(parsed.flags, options->job);
  parsed.flags.push_back({"--rank", "N", say("rank to show figures of (default 1)"), say("Ranking and output"),
                          sets(options->rank, job::kCount)});
  parsed.flags.push_back(why_flag(options->all, "--explain,--why", say("every figure with its formula and source")));
  parsed.shows_prices = true;
  return parsed;
}

int run_why(ExplainOptions& options, const std::vector<Flag>& flags, Context& context) {
  // "why not h100", "why 第3名".
  std::erase(options.words, "not");
  for (std::string& word : options.words)
    if (constexpr std::string_view kPlace = "第", kRank = "名"; word.starts_with(kPlace) && word.ends_with(kRank))
      word = word.substr(kPlace.size(), word.size() - kPlace.size() - kRank.size());
  // The first word that is a number is a rank.
  const auto rank =
      std::ranges::find_if(options.words, [](const auto& word) { return plain_number(word).has_value(); });
  if (rank != options.words.end()) {
    if (Status set = job::assign(*rank, options.rank, job::kCount); !set) return context.fail(set.error());
    options.words.erase(rank);
  }
  const bool asks = std::ranges::any_of(context.typed, [&](const auto& one) {
    return one.first != "--rank" && std::ranges::find(flags, one.first, &Flag::name) != flags.end();
  });
  const auto catalog = context.load_catalog();
  const bool names_model =
      catalog && std::ranges::any_of(options.words, [&](const auto& word) { return catalog->model(word).has_value(); });
  if (!asks && !names_model && !ask_again(options.job.words, flags, context) && options.words.empty())
    return context.fail(
        keeps_questions(context)
            ? Error{ErrorKind::usage,
                    say("no previous question"),
                    {},
                    say("ask first, as in gpusel recommend llama-3.1-8b --rps 10, or add its words here")}
            : Error{ErrorKind::usage,
                    say("the last question is not saved (GPUSEL_STATE=off or CI is set)"),
                    {},
                    say("give the question too, as in gpusel why 3 llama-3.1-8b --rps 10")});
  return Explain(options, context).run();
}

}  // namespace

Parsed make_explain() {
  auto options = std::make_shared<ExplainOptions>();
  Parsed parsed = explaining(options);
  parsed.run = [options](Context& context) { return Explain(*options, context).run(); };
  return parsed;
}

Parsed make_why() {
  auto options = std::make_shared<ExplainOptions>();
  Parsed parsed = explaining(options);
  parsed.positional = "RANK|SUBJECT";
  parsed.positional_help = say("a rank of the last answer (default 1), an instance, figure or rule; or a question");
  parsed.run = [options, flags = parsed.flags](Context& context) { return run_why(*options, flags, context); };
  return parsed;
}

}  // namespace gpusel::cli
