// gpusel explain: one figure, one rank, one rejection or one rule of an answer taken apart.
#include <algorithm>
#include <memory>

#include "answer/explain/explain.hpp"
#include "base/text/text.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "show/job/explain.hpp"

namespace gpusel::cli {

namespace {

struct ExplainOptions {
  JobOptions job;
  std::string subject;
  std::optional<std::int64_t> rank;
  bool all = false;  // with the arithmetic
};

class Explain {
 public:
  Explain(ExplainOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    if (!options_.job.question.request.task)
      return context_.fail(Error{ErrorKind::usage,
                                 say("no job whose answer could be explained"),
                                 {},
                                 say("say it as to gpusel recommend, with --model and --task")});
    const auto ground = prepare({options_.job.question.constraints, &options_.job.rule_files}, context_);
    if (!ground) return ground.error();
    options_.job.question.every_rejection = true;
    options_.job.question.alternatives = false;
    const auto advice = ask(options_.job, *ground, context_);
    if (!advice) return advice.error();
    const answer::Explained of{options_.job.question, *advice, ground->catalog, ground->rules, ground->coefficients};
    if (options_.subject.empty()) return ranked(of, *ground);
    if (answer::is_rule(of, options_.subject)) return rule(of, *ground);
    if (ground->catalog.has_instance(options_.subject)) return instance(of, *ground);
    return figure(of, *ground);
  }

 private:
  /// Which recommendation is asked about. The error is the exit status.
  std::expected<std::size_t, int> index_of(const answer::Explained& of) {
    return chosen(of.advice, options_.rank, say("gpusel explain INSTANCE tells what would admit one"), context_);
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

  int figure(const answer::Explained& of, const LoadedFacts& ground) {
    const auto index = index_of(of);
    if (!index) return index.error();
    const answer::Branch tree = answer::explain_rank(of, *index);
    if (const answer::Branch* found = answer::find_branch(tree, options_.subject))
      return show({"figure", found->line.quantity, of.advice, of.catalog, *found}, ground);
    std::vector<std::string_view> known = answer::quantities(tree);
    for (const rules::Rule& rule : ground.rules) known.push_back(rule.id);
    for (const catalog::Instance& each : ground.catalog.instances()) known.push_back(each.sku);
    const std::string near = did_you_mean(options_.subject, known);
    return context_.fail(
        Error{ErrorKind::usage,
              say("'{}' is no figure, instance or rule of this answer", printable(shorten(options_.subject, 40))),
              {},
              near.empty() ? say("without a name, gpusel explain shows every figure of the best") : near});
  }

  int check_no_rank() {
    if (!options_.rank) return kOk;
    return context_.fail(
        Error{ErrorKind::usage, say("it says whose figures are explained"), "--rank", say("leave it out")});
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
    const show::ExplainView view{shown.kind, shown.name, shown.advice, shown.catalog, shown.tree, shown.admission};
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

Parsed make_explain() {
  auto options = std::make_shared<ExplainOptions>();
  Parsed parsed;
  parsed.positional = "SUBJECT";
  parsed.positional_places = {{"", "SKU|RULE"}};
  parsed.positional_help = say("an instance, a figure such as memory.kv_cache, or a rule; without it, the best rank");
  parsed.positional_set = [options](std::string_view name) -> Status {
    if (!options->subject.empty())
      return usage_error(say("one subject at a time: '{}' and '{}'", shorten(options->subject, 40), shorten(name, 40)));
    options->subject = name;
    return {};
  };
  add_job_flags(parsed.flags, options->job);
  parsed.flags.push_back({"--rank", "N", say("whose figures (default 1)"), say("Ranking and output"),
                          [options](std::string_view text) { return job::assign(text, options->rank, job::kCount); }});
  parsed.flags.push_back(why_flag(options->all, "--explain,--why", say("every figure with its formula and source")));
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return Explain(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
