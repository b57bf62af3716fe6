// gpusel recommend: which instances for this job, ranked, and why.
#include <algorithm>
#include <memory>

#include "cli/ask.hpp"
#include "cli/beside.hpp"
#include "cli/commands.hpp"
#include "cli/stages.hpp"
#include "gpusel/advise/recommend.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "report/poc.hpp"
#include "report/recommend.hpp"
#include "report/yaml.hpp"

namespace gpusel::cli {

namespace {

struct RecommendOptions {
  advise::Question question;
  std::vector<std::string> rule_files;
  std::optional<std::int64_t> limit;
  bool explain = false;
  bool show_rejected = false;
  Beside beside;
  std::string stages;
  bool poc = false;
  std::optional<std::int64_t> rank;  // that it is for
};

constexpr std::int64_t kRowsShown = 10;

class Recommend {
 public:
  Recommend(RecommendOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    const auto today = context_.today();
    if (!today) return context_.fail(today.error());
    if (options_.rank && !options_.poc)
      return context_.fail(Error{ErrorKind::usage, say("it says which rank --poc is for"), "--rank", say("add --poc")});
    if (Status strict = check_strict(options_.question.constraints); !strict) return context_.fail(strict.error());
    auto catalog = context_.load_catalog();
    if (!catalog) return context_.fail(catalog.error());
    auto coefficients = load_coefficients(*catalog);
    if (!coefficients) return context_.fail(coefficients.error());
    auto rules = load_rules(*catalog, options_.rule_files);
    if (!rules) return context_.fail(rules.error());

    options_.question.today = *today;
    if (!options_.stages.empty()) {
      if (Status alone = check_alone(); !alone) return context_.fail(alone.error());
      return run_stages(
          {options_.stages, options_.question, *rules, *catalog, *coefficients, *format, options_.explain}, context_);
    }
    if (!options_.question.request.task && Context::can_ask())
      if (!ask(*catalog)) return context_.fail(Error{ErrorKind::usage, say("not all questions were answered"), {}, {}});
    tell_broad_names(options_.question.constraints, *catalog, context_);
    options_.question.every_rejection = options_.show_rejected;
    const bool list = report::is_data(*format) || *format == "csv" || *format == "markdown";
    options_.question.detailed = static_cast<std::size_t>(options_.limit.value_or(list ? 0 : kRowsShown));
    auto advice = advise::recommend(options_.question, *catalog, *rules, *coefficients);
    if (!advice) return context_.fail(as_flag(advice.error()));
    advise::warn_of_data(*advice, options_.question, options_.beside.wishes, *catalog, *coefficients);
    std::optional<advise::Poc> poc;
    if (options_.poc && !advice->recommendations.empty()) {
      auto made = make_poc(*advice, *catalog, *coefficients);
      if (!made) return context_.fail(made.error());
      poc = std::move(*made);
    }
    print({options_.beside, options_.question, *advice, *catalog, *coefficients, options_.explain}, poc, *format);
    if (!advice->recommendations.empty()) return gate(*advice);
    if (*format == "csv" || *format == "markdown") context_.note(say("no instance meets this"));
    const auto& ways_out = advice->alternatives;
    const bool only_old =
        std::any_of(ways_out.begin(), ways_out.end(), [](const auto& way) { return way.key == "max-price-age"; });
    return only_old ? kStale : kNothing;
  }

 private:
  /// What shows more of one ranking has no meaning beside several.
  Status check_alone() const {
    const Beside& beside = options_.beside;
    const std::pair<bool, std::string_view> flags[] = {{options_.show_rejected, "--show-rejected"},
                                                       {options_.limit.has_value(), "--limit"},
                                                       {beside.services, "--show-services"},
                                                       {beside.shows_data(), "--data-path"},
                                                       {options_.poc, "--poc"}};
    for (const auto& [given, flag] : flags)
      if (given) return usage_error(say("has no meaning beside --stages"), std::string(flag));
    return {};
  }

  /// What the command line leaves open, and then the command line that would have said it.
  bool ask(const catalog::Catalog& catalog) {
    const auto words = ask_job([&](const std::string& question) { return context_.ask(question); },
                               [&](const std::string& line) { context_.err.write(line + "\n"); }, catalog,
                               options_.question.request, options_.question.constraints);
    if (!words) return false;
    std::vector<std::string> all = context_.words;
    all.insert(all.end(), words->begin(), words->end());
    context_.err.write(command_line(all) + "\n\n");
    context_.err.flush();
    return true;
  }

  std::expected<advise::Poc, Errors> make_poc(const advise::Advice& advice, const catalog::Catalog& catalog,
                                              const estimate::Coefficients& coefficients) const {
    const auto tools = advise::read_proofs(catalog.documents("proofs"));
    if (!tools) return std::unexpected(tools.error());
    auto poc =
        advise::proof_of_concept(advice, static_cast<int>(options_.rank.value_or(1)), *tools, catalog, coefficients);
    if (!poc) return std::unexpected(Errors{poc.error()});
    return std::move(*poc);
  }

  /// Only prices that were shown can fail the answer.
  int gate(const advise::Advice& advice) {
    std::vector<const catalog::Offer*> shown;
    for (const auto& one : advice.recommendations)
      if (options_.question.detailed == 0 || shown.size() < options_.question.detailed) shown.push_back(one.offer);
    return gate_price_age(options_.question.constraints, shown, options_.question.today, context_, kOk);
  }

  report::PocView proof(const BesideContext& answer, const advise::Poc& poc) const {
    return {poc, answer.advice, options_.question.request, answer.catalog, answer.coefficients};
  }

  void tell_no_poc(const std::string& format) {
    context_.note(say("the proof of concept is not part of {}; ask for a table, json or yaml", format));
  }

  void print(const BesideContext& answer, const std::optional<advise::Poc>& poc, const std::string& format) {
    const advise::Advice& advice = answer.advice;
    const catalog::Catalog& catalog = answer.catalog;
    const auto limit = static_cast<std::size_t>(options_.limit.value_or(0));
    if (report::is_data(format)) {
      report::Json json = report::recommend_json(advice, catalog, limit);
      json["assumed"]["today"] = options_.question.today.text();
      add_beside(answer, json);
      if (options_.poc) json["poc"] = poc ? report::poc_json(proof(answer, *poc)) : report::Json(nullptr);
      context_.out.write(report::dump_as(format, json));
      return;
    }
    if (format == "csv") {
      context_.out.write(report::recommend_csv(advice, catalog, limit));
      if (poc) tell_no_poc(format);
      return;
    }
    report::RecommendView view;
    const bool markdown = format == "markdown";
    view.limit = static_cast<std::size_t>(options_.limit.value_or(markdown ? 0 : kRowsShown));
    view.wide = format == "wide" || markdown;
    view.explain = options_.explain;
    view.show_rejected = options_.show_rejected;
    view.format = markdown ? format : "table";
    context_.out.write(report::recommend_text(advice, catalog, view, context_.terminal()));
    if (!markdown) context_.out.write(beside_text(answer, context_.terminal()));
    if (!poc) return;
    if (markdown)
      tell_no_poc(format);
    else
      context_.out.write(report::poc_text(proof(answer, *poc), options_.explain, context_.terminal()));
  }

  RecommendOptions& options_;
  Context& context_;
};

void add_own_flags(std::vector<Flag>& flags, const std::shared_ptr<RecommendOptions>& options) {
  const std::string ranking = say("Ranking and output");
  const auto on = [](bool& place) {
    return [&place](std::string_view) -> Status {
      place = true;
      return {};
    };
  };
  auto& question = options->question;
  flags.push_back({"--objective", "KIND", say("cost, speed or balanced"), ranking, [&question](std::string_view text) {
                     std::optional<workload::ObjectiveKind> kind;
                     Status set = workload::assign(text, kind);
                     if (set) question.objective.kind = *kind;
                     return set;
                   }});
  Flag weight{"--weight", "NAME=VALUE", say("own weights: cost=0.7,speed=0.3 (also headroom)"), ranking,
              [&question](std::string_view text) { return workload::add_weights(text, question.objective); }};
  weight.repeats = true;
  flags.push_back(weight);
  flags.push_back(currency_flag(question.currency));
  Flag rules{"--rules", "FILE", say("your own rules, beside the shipped ones"), ranking,
             [options](std::string_view text) -> Status {
               options->rule_files.emplace_back(text);
               return {};
             }};
  rules.repeats = true;
  flags.push_back(rules);
  flags.push_back(
      {"-n,--limit,--max-results,--top", "N", say("rows to show (default 10; JSON: all)"), ranking,
       [options](std::string_view text) { return workload::assign(text, options->limit, workload::kCount); }});
  flags.push_back({"--explain", "", say("each rank's points, each warning's source"), ranking, on(options->explain)});
  flags.push_back({"--show-rejected", "", say("every rejected instance with its first reason"), ranking,
                   on(options->show_rejected)});
  flags.push_back(use_spot_flag(question.constraints));
  add_beside_flags(flags, options->beside);
  flags.push_back({"--stages", "FILE", say("several jobs in one file: the best instance for each, and one sum"),
                   ranking, [options](std::string_view text) { return workload::assign(text, options->stages); }});
  const std::string proof = say("Proof of concept");
  flags.push_back({"--poc", "", say("what to run on the chosen instance before spending, and the figures to expect"),
                   proof, on(options->poc)});
  flags.push_back({"--rank", "N", say("that --poc is for (default 1)"), proof, [options](std::string_view text) {
                     return workload::assign(text, options->rank, workload::kCount);
                   }});
}

}  // namespace

Flag currency_flag(Currency& place) {
  return {"--currency", "CODE", say("currency of all money in the answer (default USD)"), say("Money and time"),
          [&place](std::string_view text) -> Status {
            std::string code(text);
            std::ranges::transform(code, code.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
            const auto currency = Currency::parse(code);
            if (!currency)
              return usage_error(say("'{}' is not a currency", shorten(text, 20)), {}, say("write USD, CNY, EUR …"));
            place = *currency;
            return {};
          }};
}

Flag use_spot_flag(workload::Constraints& constraints) {
  return {"--use-spot", "", say("short for --term spot"), say("Money and time"),
          [&constraints](std::string_view) -> Status {
            constraints.terms.emplace_back("spot");
            return {};
          }};
}

void tell_broad_names(const workload::Constraints& limits, const catalog::Catalog& catalog, Context& context) {
  constexpr std::size_t kNamed = 6;
  std::vector<std::string> told;
  for (const workload::GpuSpec& spec : limits.gpus)
    for (const std::string& name : spec.names) {
      workload::GpuSpec one;
      one.vendor = spec.vendor;
      one.names = {name};
      std::vector<std::string_view> ids;
      for (const catalog::Gpu& gpu : catalog.gpus())
        if (one.names_gpu(gpu)) ids.push_back(gpu.id);
      if (ids.size() < 2 || std::find(told.begin(), told.end(), name) != told.end()) continue;
      told.push_back(name);
      std::string list;
      for (std::size_t i = 0; i < std::min(kNamed, ids.size()); ++i) list += (i == 0 ? "" : ", ") + std::string(ids[i]);
      if (ids.size() > kNamed) list += say(" and {} more", ids.size() - kNamed);
      context.note(say("--gpu {} means any of {}", printable(name), list));
    }
}

Error as_flag(Error error) {
  if (error.where.empty() || error.where.starts_with("-")) return error;
  const auto* option = workload::find_option(workload::request_options(), error.where);
  if (option == nullptr) return error;
  std::string flag = option->key_is_flag ? std::string(option->key) : std::string(option->aliases);
  for (char& c : flag)
    if (c == '_') c = '-';
  error.where = "--" + flag;
  return error;
}

std::expected<std::vector<rules::Rule>, Errors> load_rules(const catalog::Catalog& catalog,
                                                           const std::vector<std::string>& files) {
  auto rules = rules::read_rules(catalog.documents("rules"));
  if (!rules) return rules;
  for (const std::string& file : files) {
    const auto text = read_text_file(file);
    if (!text) return std::unexpected(Errors{text.error()});
    const auto document = parse_yaml(*text, file);
    if (!document) return std::unexpected(Errors{document.error()});
    if (Errors errors = rules::add_rule_file(*document, *rules); !errors.empty())
      return std::unexpected(std::move(errors));
  }
  return rules;
}

Parsed make_recommend() {
  auto options = std::make_shared<RecommendOptions>();
  Parsed parsed;
  std::vector<workload::Option<workload::Request>> job;
  for (const auto& option : workload::request_options())
    if (option.group != "Machine") job.push_back(option);
  add_options<workload::Request>(parsed.flags, job, options->question.request);
  add_options(parsed.flags, workload::constraint_options(), options->question.constraints);
  add_own_flags(parsed.flags, options);
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return Recommend(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
