// gpusel recommend: which instances for this job, ranked, and why.
#include <algorithm>
#include <memory>

#include "answer/explain/explain.hpp"
#include "answer/search/recommend.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/jobs/stages.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/ask.hpp"
#include "cli/question/job.hpp"
#include "cli/question/last.hpp"
#include "cli/question/sections.hpp"
#include "cli/words/left_out.hpp"
#include "show/export/export.hpp"
#include "show/job/brief.hpp"
#include "show/job/explain.hpp"
#include "show/job/recommend.hpp"
#include "show/json/picked.hpp"
#include "show/json/tell.hpp"
#include "show/json/yaml.hpp"
#include "show/truth/poc.hpp"

namespace gpusel::cli {

namespace {

struct RecommendOptions : JobOptions {
  std::optional<std::int64_t> limit;
  bool explain = false;
  bool show_rejected = false;
  bool all_sizes = false;
  bool evidence = false;
  bool why = false;
  std::vector<std::string> columns;
  Sections beside;
  std::string stages;
  bool poc = false;
  std::optional<std::int64_t> rank;         // that it is for
  std::vector<std::string> question_flags;  // what of a line is kept for `gpusel why`
};

constexpr std::int64_t kRowsShown = 10;

class Recommend {
 public:
  Recommend(RecommendOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    options_.beside.wishes.storage = options_.question.extras.storage_kind;
    if (options_.rank && !options_.poc)
      return context_.fail(Error{ErrorKind::usage, say("it selects the rank for --poc"), "--rank", say("add --poc")});
    const auto ground = prepare({options_.question.constraints, &options_.rule_files}, context_);
    if (!ground) return ground.error();
    const catalog::Catalog& catalog = ground->catalog;
    const physics::Coefficients& coefficients = ground->coefficients;
    const std::string& format = ground->format;
    rules_ = ground->rules;
    if (!options_.stages.empty()) {
      if (Status alone = check_alone(); !alone) return context_.fail(alone.error());
      options_.question.today = ground->today;
      return run_stages(
          {options_.stages, options_.question, ground->rules, catalog, coefficients, format, options_.explain},
          context_);
    }
    if (const auto settled = settle(options_, catalog, context_); !settled) return settled.error();
    if (!options_.question.request.task && Context::can_ask())
      if (!ask_person(catalog))
        return context_.fail(Error{ErrorKind::usage, say("not all questions were answered"), {}, {}});
    if (!options_.question.request.task)
      return context_.fail(Error{ErrorKind::usage, say("a model or a task is missing"), "--task",
                                 options_.question.constraints.gpus.empty()
                                     ? say("gpusel recommend llama-3.1-8b, for example")
                                     : say("gpusel recommend llama-3.1-8b {0}, for example; prices alone: gpusel "
                                           "instances --gpu {0}",
                                           printable(options_.question.constraints.gpus.front().text)),
                                 true});
    options_.question.every_rejection = options_.show_rejected;
    const bool list = show::is_data(format) || format == "csv" || is_document(format);
    options_.question.every_reason = list || options_.show_rejected;  // the table counts them
    options_.question.detailed = static_cast<std::size_t>(options_.limit.value_or(list ? 0 : kRowsShown));
    auto advice = ask(options_, *ground, context_);
    if (!advice) return advice.error();
    keep_question(options_.question_flags, context_);
    const auto& wishes = options_.beside.wishes;
    if (const Status sensible = answer::check_wishes(wishes, advice->work, coefficients); !sensible)
      return context_.fail(as_flag(sensible.error()));
    answer::warn_of_data(*advice, options_.question, wishes, catalog, coefficients);
    std::optional<answer::Poc> poc;
    if (options_.poc && !advice->recommendations.empty()) {
      auto made = make_poc(*advice, catalog, coefficients);
      if (!made) return context_.fail(made.error());
      poc = std::move(*made);
    }
    if (!options_.columns.empty() && !show::is_data(format)) {
      const auto picked = picked_page(*advice, catalog, format);
      if (!picked) return context_.fail(picked.error());
      cli::print({.data = Answer::Tree(),
                  .document = [&](bool) { return show::Document().add(*picked); },
                  .csv = [&] { return *picked; }},
                 format, context_);
    } else {
      print({options_.beside, options_.question, *advice, catalog, coefficients, options_.explain}, poc, format);
    }
    if (!advice->recommendations.empty()) return gate(*advice);
    if (format == "csv") context_.note(say("no instance meets this"));
    return status_of_nothing(*advice);
  }

 private:
  /// What shows more of one ranking has no meaning beside several.
  Status check_alone() const {
    const Sections& beside = options_.beside;
    const std::pair<bool, std::string_view> flags[] = {{options_.show_rejected, "--show-rejected"},
                                                       {options_.limit.has_value(), "--limit"},
                                                       {beside.services, "--show-services"},
                                                       {beside.shows_data(), "--data-path"},
                                                       {options_.poc, "--poc"}};
    for (const auto& [given, flag] : flags)
      if (given) return usage_error(say("cannot be combined with --stages"), std::string(flag));
    return {};
  }

  /// What the command line leaves open, and then the command line that would have said it.
  bool ask_person(const catalog::Catalog& catalog) {
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

  std::expected<answer::Poc, Errors> make_poc(const answer::Advice& advice, const catalog::Catalog& catalog,
                                              const physics::Coefficients& coefficients) const {
    const auto tools = answer::read_proofs(catalog.documents("proofs"));
    if (!tools) return std::unexpected(tools.error());
    auto poc =
        answer::proof_of_concept(advice, static_cast<int>(options_.rank.value_or(1)), *tools, catalog, coefficients);
    if (!poc) return std::unexpected(Errors{poc.error()});
    return std::move(*poc);
  }

  /// Only prices that were shown can fail the answer.
  int gate(const answer::Advice& advice) {
    std::vector<const catalog::Offer*> shown;
    for (const auto& one : advice.recommendations)
      if (options_.question.detailed == 0 || shown.size() < options_.question.detailed) shown.push_back(one.offer);
    return gate_price_age(options_.question.constraints, shown, options_.question.today, context_, kOk);
  }

  /// The ranking in the columns that were named.
  Result<show::Table> picked_page(const answer::Advice& advice, const catalog::Catalog& catalog,
                                  const std::string& format) const {
    const bool people = format != "csv";
    const auto rows = options_.limit.value_or(people ? kRowsShown : 0);
    return show::picked_columns(show::recommend_table(advice, catalog, static_cast<std::size_t>(rows)),
                                options_.columns, people);
  }

  show::PocView proof(const SectionContext& answer, const answer::Poc& poc) const {
    return {poc, answer.advice, options_.question.request, answer.catalog, answer.coefficients};
  }

  void tell(show::JsonOut& out, const SectionContext& answer, const std::optional<answer::Poc>& poc) const {
    const auto beside = beside_told(answer);
    show::tell_recommend(out, answer.advice, answer.catalog,
                         {static_cast<std::size_t>(options_.limit.value_or(0)), options_.question.today.text(),
                          [&](show::JsonOut& one, std::size_t i) {
                            beside(one, i);
                            if (options_.explain) show::tell_trace(one, answer::lines_of(explained(answer, i)));
                          }});
    if (options_.poc) out.tree("poc", poc ? show::poc_json(proof(answer, *poc)) : show::Json(nullptr));
  }

  answer::Branch explained(const SectionContext& answer, std::size_t index) const {
    return answer::explain_rank({options_.question, answer.advice, answer.catalog, rules_, answer.coefficients}, index);
  }

  /// What `gpusel export` writes for rank 1.
  static std::string next(const SectionContext& answer) {
    const auto facts = show::read_export_facts(answer.catalog);
    if (!facts || answer.advice.recommendations.empty()) return {};
    const show::ExportView view{
        answer.advice, answer.advice.recommendations.front(), *facts, answer.catalog, answer.coefficients, {}, 0, {},
        false};
    return std::string(show::next_target(view));
  }

  show::Document page(const SectionContext& answer, const std::optional<answer::Poc>& poc,
                      const std::string& format) const {
    const bool kept = is_document(format);  // it has all rows
    show::RecommendView view;
    view.limit = static_cast<std::size_t>(options_.limit.value_or(kept ? 0 : kRowsShown));
    view.wide = format == "wide" || kept;
    view.explain = options_.explain;
    view.show_rejected = options_.show_rejected;
    view.all_sizes = options_.all_sizes;
    view.evidence = options_.evidence;
    view.why = options_.why;
    view.objective = options_.question.objective.kind;
    view.ranking = options_.sorted || !options_.question.filter.empty();
    const bool all = view.wide || format == "html" || options_.explain;
    if (!all) view.limit = static_cast<std::size_t>(options_.limit.value_or(0));  // 0: what a screen has room for
    if (!all) view.next = next(answer);
    // Where the question is not kept, the line needs all of it.
    const std::string question =
        keeps_questions(context_) ? std::string() : question_line(options_.question_flags, context_);
    view.next_is_whole = !view.next.empty() && (keeps_questions(context_) || !question.empty());
    if (!view.next.empty() && !question.empty()) view.next += " " + question;
    show::Document page =
        all ? show::recommend_page(answer.advice, answer.catalog, view)
            : show::brief_page(answer.advice, options_.question.constraints, view, context_.terminal(),
                               show::recommend_details(answer.advice, answer.catalog, view));
    if (options_.explain && !answer.advice.recommendations.empty())
      page.derivation(show::derivation_of(explained(answer, 0)));
    page.append(beside_page(answer));
    return poc ? page.append(show::poc_page(proof(answer, *poc), options_.explain)) : page;
  }

  void print(const SectionContext& answer, const std::optional<answer::Poc>& poc, const std::string& format) {
    const auto limit = static_cast<std::size_t>(options_.limit.value_or(0));
    cli::print({.data = [&](show::JsonOut& out) { tell(out, answer, poc); },
                .document = [&](bool) { return page(answer, poc, format); },
                .csv = [&] { return show::recommend_table(answer.advice, answer.catalog, limit); }},
               format, context_);
    tell_left_out(format,
                  {{options_.explain, "--explain"},
                   {options_.show_rejected, "--show-rejected"},
                   {options_.poc && poc.has_value(), "--poc"}},
                  context_);
  }

  RecommendOptions& options_;
  Context& context_;
  std::span<const rules::Rule> rules_;
};

void add_own_flags(std::vector<Flag>& flags, const std::shared_ptr<RecommendOptions>& options) {
  const std::string ranking = say("Ranking and output");
  flags.push_back({"-n,--limit,--max-results,--top", "N", say("rows to show (default 5, with --why 10; JSON: all)"),
                   ranking, sets(options->limit, job::kCount)});
  flags.push_back({"--explain", "", say("each rank's points, each warning's source, each figure's formula"), ranking,
                   turns_on(options->explain)});
  flags.push_back({"--why", "", say("reasons, assumptions, price dates and decision path, in full"), ranking,
                   turns_on(options->why)});
  flags.push_back({"--show-rejected,--rejected", "", say("every rejected instance with its first reason"), ranking,
                   turns_on(options->show_rejected)});
  flags.push_back({"--all-sizes", "", say("every size of a provider's machines, not the best of each GPU alone"),
                   ranking, turns_on(options->all_sizes)});
  flags.push_back({"--evidence", "",
                   say("how sure rank 1 is, at what price or speed others win, and which tests pay off"), ranking,
                   turns_on(options->evidence)});
  flags.push_back(columns_flag(options->columns, ranking));
  add_beside_flags(flags, options->beside);
  flags.push_back({"--stages", "FILE", say("several jobs in one file: the best instance for each, and one sum"),
                   ranking, sets(options->stages)});
  const std::string proof = say("Proof of concept");
  flags.push_back({"--poc", "", say("tests to run on the chosen instance before spending, with the figures to expect"),
                   proof, turns_on(options->poc)});
  flags.push_back({"--rank", "N", say("rank that --poc is for (default 1)"), proof, sets(options->rank, job::kCount)});
}

}  // namespace

Flag currency_flag(Currency& place) {
  return {"--currency", "CODE", say("currency of all money in the answer (default USD)"), say("Money and time"),
          [&place](std::string_view text) -> Status {
            // By all the names that amounts are typed with: "rmb", "人民币".
            const auto one = parse_money(format("1 {}", trim(text)));
            const auto currency = one && one->every_hours == 0 ? one->currency : std::nullopt;
            if (!currency)
              return usage_error(say("'{}' is not a currency", shorten(text, 20)), {}, say("write USD, CNY, EUR …"));
            place = *currency;
            return {};
          }};
}

Flag columns_flag(std::vector<std::string>& columns, std::string group) {
  return {"--columns", "KEYS", say("columns of tables and CSV, by the same keys: sku,price,vram"), std::move(group),
          [&columns](std::string_view text) -> Status {
            columns.clear();
            for (const std::string_view key : split(text, ','))
              if (!trim(key).empty()) columns.emplace_back(trim(key));
            return columns.empty() ? Status(usage_error(say("an empty list says nothing"))) : Status{};
          }};
}

Flag use_spot_flag(job::Constraints& constraints) {
  return {"--use-spot,--spot", "", say("short for --term spot"), say("Money and time"),
          [&constraints](std::string_view) -> Status {
            constraints.terms.emplace_back("spot");
            return {};
          }};
}

void tell_broad_names(const job::Constraints& limits, const catalog::Catalog& catalog, Context& context) {
  std::vector<std::string> told;
  for (const job::GpuSpec& spec : limits.gpus)
    for (const std::string& name : spec.names) {
      job::GpuSpec one;
      one.vendor = spec.vendor;
      one.names = {name};
      std::vector<std::string> ids;
      for (const catalog::Gpu& gpu : catalog.gpus())
        if (one.names_gpu(gpu)) ids.emplace_back(gpu.id);
      // Google's A2 has A100s, and there is an A2 of NVIDIA's.
      const auto is_named_so = [&](const catalog::Instance& machine) {
        return fold_name(machine.family) == name && machine.gpu != ids.front();
      };
      if (ids.size() == 1 && std::ranges::any_of(catalog.instances(), is_named_so) && limits.families.empty())
        context.note(say("{} means the GPU {}; for the instance family: --family {}", printable(name), ids.front(),
                         printable(name)));
      if (ids.size() < 2 || std::find(told.begin(), told.end(), name) != told.end()) continue;
      told.push_back(name);
      context.note(say("--gpu {} means any of {}", printable(name), first_few(ids)));
    }
}

Error as_flag(Error error) {
  if (error.where.empty() || error.where.starts_with("-")) return error;
  const auto* option = job::find_option(job::request_options(), error.where);
  if (option == nullptr) return error;
  std::string flag = option->key_is_flag ? std::string(option->key) : std::string(option->aliases);
  for (char& c : flag)
    if (c == '_') c = '-';
  error.where = "--" + flag;
  return error;
}

Parsed make_recommend() {
  auto options = std::make_shared<RecommendOptions>();
  Parsed parsed;
  add_words(parsed, options->words, Takes::all);
  add_job_flags(parsed.flags, *options);
  for (const Flag& flag : parsed.flags) options->question_flags.push_back(flag.name());
  for (const std::string_view flag : {"--catalog", "--overlay", "--price", "--discount"})
    options->question_flags.emplace_back(flag);
  add_own_flags(parsed.flags, options);
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return Recommend(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
