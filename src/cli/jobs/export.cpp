// gpusel export: the chosen plan in other tools' formats.
#include "show/export/export.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "answer/gate/saved.hpp"
#include "answer/stages/data_path.hpp"
#include "base/io/own_file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/ask.hpp"
#include "cli/question/job.hpp"
#include "cli/question/last.hpp"
#include "cli/question/target.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

namespace {

constexpr double kSystemGb = 100;  // operating system, drivers, container, libraries

struct ExportOptions {
  JobOptions job;
  std::string target;
  std::string saved;  // file of an answer; empty: the job is asked
  std::optional<std::int64_t> rank;
  std::string to;
  bool dry_run = false;
  bool force = false;
};

class Export {
 public:
  Export(ExportOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    if (options_.target.empty()) return list();
    const auto target = show::find_export_target(options_.target);
    if (!target) return context_.fail(without_target(target.error()));
    const auto ground = prepare(
        {options_.job.question.constraints, options_.saved.empty() ? &options_.job.rule_files : nullptr}, context_);
    if (!ground) return ground.error();
    const auto advice = options_.saved.empty() ? asked(*ground, **target) : saved(*ground);
    if (!advice) return advice.error();
    const auto at = chosen(options_.job, *advice, options_.rank, say("gpusel recommend says why"), context_);
    if (!at) return at.error();
    return write(**target, *advice, advice->recommendations[*at], *ground);
  }

 private:
  /// A model in the place of the tool: the line that would do.
  Error without_target(Error error) {
    const auto catalog = context_.load_catalog();
    if (!catalog || !catalog->model(options_.target)) return error;
    return {
        ErrorKind::usage,
        say("the tool to write for is missing"),
        {},
        say("gpusel export vllm {}, for example; all targets: gpusel export", printable(shorten(options_.target, 60)))};
  }

  int list() {
    if (!options_.to.empty() || !options_.job.question.request.given.empty())
      return context_.fail(
          Error{ErrorKind::usage, say("no target to write for"), {}, say("all targets: gpusel export")});
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    print({.data = [] { return show::targets_json(); }, .document = [](bool) { return show::targets_page(); }}, *format,
          context_);
    return kOk;
  }

  std::expected<answer::Advice, int> asked(const LoadedFacts& ground, const show::ExportTarget& target) {
    if (const auto settled = settle(options_.job, ground.catalog, context_); !settled)
      return std::unexpected(settled.error());
    if (!options_.job.question.request.task)
      return std::unexpected(context_.fail(Error{ErrorKind::usage,
                                                 say("no job to export a plan for"),
                                                 {},
                                                 say("name a job with --model and --task, or a saved answer of "
                                                     "gpusel recommend")}));
    plan_for(target, options_.job.question, ground.catalog);
    return ask(options_.job, ground, context_);
  }

  std::expected<answer::Advice, int> saved(const LoadedFacts& ground) {
    const auto fail = [&](const Error& error) { return std::unexpected(context_.fail(error)); };
    options_.job.question.today = ground.today;
    if (!options_.job.question.request.given.empty())
      return fail({ErrorKind::usage,
                   say("has no effect: the job of a saved answer is used as is"),
                   "--" + flag_of(options_.job.question.request.given.front()),
                   {}});
    const std::string name = input_name(options_.saved);
    const auto text = read_input(options_.saved);
    if (!text) return fail(text.error());
    auto advice = answer::saved_advice(*text, name, ground.catalog, ground.coefficients);
    if (!advice) return fail(advice.error());
    for (const auto& [key, typed] : advice->given)
      if (const auto* option = job::find_option(job::request_options(), key); option != nullptr)
        if (Status set = option->set(options_.job.question.request, typed); !set) return fail(set.error());
    return std::move(*advice);
  }

  static std::string flag_of(std::string_view key) {
    std::string flag(key);
    for (char& c : flag)
      if (c == '_') c = '-';
    return flag;
  }

  int write(const show::ExportTarget& target, const answer::Advice& advice, const answer::Recommendation& chosen,
            const LoadedFacts& ground) {
    const auto facts = show::read_export_facts(ground.catalog);
    if (!facts) return context_.fail(facts.error());
    const auto converter = money::Converter::into(advice.currency, ground.catalog);
    if (!converter) return context_.fail(converter.error());
    show::ExportView view{advice,
                          chosen,
                          *facts,
                          ground.catalog,
                          ground.coefficients,
                          {},
                          0,
                          command_line(question_of(context_.words)),
                          pins_region()};
    add_figures(view, ground, *converter);
    const auto is_best = [&] { return show::has_command(view) && target.make(view).has_value(); };
    if (!options_.rank && !is_best()) {
      const auto* able = show::first_exportable(view, target);
      if (able == nullptr) return none(view, target);
      if (able == &chosen) return exported(view, target, ground);
      show::ExportView lower{advice, *able, *facts,      ground.catalog,  ground.coefficients,
                             {},     0,     view.replay, view.pins_region};
      lower.passed_over = show::passed_over_line(view, target, able->rank);
      add_figures(lower, ground, *converter);
      return exported(lower, target, ground);
    }
    return exported(view, target, ground);
  }

  /// Where the reader asked for a place; of a saved answer that is not known, and it stays where it was.
  bool pins_region() const { return !options_.saved.empty() || asks_for_place(options_.job.question.constraints); }

  /// Numbers that follow from the rank.
  void add_figures(show::ExportView& view, const LoadedFacts& ground, const money::Converter& converter) {
    view.scaling = scaling_for(view.advice.work, view.chosen, ground, options_.job.question.duty.scale_to_zero);
    const auto data = answer::data_path(view.chosen, view.advice, options_.job.question.request, {}, ground.catalog,
                                        ground.coefficients, converter, false);
    view.disk_gb = data.need.stored_gb() + kSystemGb;
  }

  /// No rank is one that the target can order or say.
  int none(const show::ExportView& view, const show::ExportTarget& target) {
    const auto refused = show::export_plan(view, target);
    Error error = refused.error();
    error.kind = ErrorKind::unsatisfied;
    return context_.fail(error);
  }

  int exported(const show::ExportView& view, const show::ExportTarget& target, const LoadedFacts& ground) {
    const auto made = show::export_plan(view, target);
    if (!made) return context_.fail(made.error());
    return deliver(view, target, *made, ground);
  }

  int deliver(const show::ExportView& view, const show::ExportTarget& target, const show::Exported& exported,
              const LoadedFacts& ground) {
    // Whoever wraps the answer wants its text: what a file says is asked again writes nothing.
    if (!options_.to.empty() && context_.out.kept())
      return context_.fail(Error{ErrorKind::usage, say("nothing is written here"), "--to", {}});
    const auto files = exported.files();
    std::error_code none;
    const bool there = std::filesystem::exists(options_.to, none);
    // A name that nothing has yet is a folder's where several files go there, or where it says so.
    const bool folder = options_.to.ends_with('/') || std::filesystem::is_directory(options_.to, none) ||
                        (!there && files.size() > 1 && std::filesystem::path(options_.to).extension().empty());
    if (!options_.to.empty() && !folder && files.size() > 1)
      return context_.fail(Error{ErrorKind::usage, say("{} writes {} files: name a folder", target.name, files.size()),
                                 "--to", say("a name that ends in '/' is a folder, created if missing")});
    std::vector<std::string> paths;  // of the files, where they are written
    if (!options_.to.empty())
      for (const show::ExportedFile& file : files)
        paths.push_back(folder ? (std::filesystem::path(options_.to) / file.name).string() : options_.to);
    std::vector<std::string> contents;
    for (const show::ExportedFile& file : files) contents.push_back(signed_text(file.content));
    std::vector<FileText> texts;
    for (std::size_t i = 0; i < paths.size() && !options_.dry_run; ++i) texts.push_back({paths[i], contents[i]});
    if (Status written = write_own({.files = texts, .force = options_.force}); !written)
      return context_.fail(written.error());
    const bool data = show::is_data(ground.format);
    if (!options_.to.empty() && !data) {
      for (std::size_t i = 0; i < paths.size(); ++i)
        context_.out.write(options_.dry_run ? say("would write {}:", printable(paths[i])) + "\n\n" + files[i].content
                                            : say("written to {}", printable(paths[i])) + "\n");
      if (!view.passed_over.empty() && !options_.dry_run) context_.out.write(view.passed_over + "\n");
    } else {
      print({.data =
                 [&] {
                   show::Json json = show::export_json(view, target, exported);
                   json["written"] =
                       options_.to.empty() || options_.dry_run ? show::Json(nullptr) : show::Json(options_.to);
                   return json;
                 },
             .document = [&](bool) { return show::export_page(target, exported); },
             .csv = [&] { return show::export_table(exported); }},
            ground.format, context_);
    }
    const answer::Question& question = options_.job.question;
    const catalog::Offer* offers[] = {view.chosen.offer};
    return gate_price_age(question.constraints, offers, ground.today, context_, kOk);
  }

  ExportOptions& options_;
  Context& context_;
};

void add_own_flags(std::vector<Flag>& flags, const std::shared_ptr<ExportOptions>& options) {
  const std::string group = say("Export");
  flags.push_back(force_flag(options->force, group));
  flags.push_back({"--rank", "N", say("which recommendation (default: the first that the target can say)"), group,
                   sets(options->rank, job::kCount)});
  flags.push_back({"--to", "FILE",
                   say("write the file there, or all files into that folder, each completely or not at all"), group,
                   [options](std::string_view text) {
                     return text == "-" ? Status() : job::assign(text, options->to);  // standard output, as without it
                   }});
  flags.push_back(
      {"--dry-run", "", say("show what --to would write, and write nothing"), group, turns_on(options->dry_run)});
}

}  // namespace

Parsed make_export() {
  auto options = std::make_shared<ExportOptions>();
  Parsed parsed;
  parsed.positional = "TARGET";
  parsed.positional_places = {{"", "TARGET|FILE|MODEL"}};
  parsed.positional_help =
      say("the tool to write for (default: list them), and a saved answer of recommend (file, or - for standard input) "
          "instead of the job's flags; with neither, the last recommend's job");
  parsed.positional_set = [options](std::string_view name) -> Status {
    if (options->target.empty())
      options->target = name;
    else if (!names_saved(name))
      options->job.words.emplace_back(name);
    else if (options->saved.empty())
      options->saved = name;
    else
      return usage_error(say("one target and at most one saved answer; unexpected '{}'", shorten(name, 40)));
    return {};
  };
  add_job_flags(parsed.flags, options->job);
  const std::vector<Flag> job_flags = parsed.flags;
  add_own_flags(parsed.flags, options);
  parsed.shows_prices = true;
  parsed.run = [options, flags = job_flags](Context& context) {
    const bool asks = !options->job.words.empty() || !options->saved.empty() ||
                      std::ranges::any_of(context.typed, [&](const auto& one) {
                        return std::ranges::find(flags, one.first, &Flag::name) != flags.end();
                      });
    if (!asks && show::find_export_target(options->target)) ask_again(options->job.words, flags, context);
    return Export(*options, context).run();
  };
  return parsed;
}

}  // namespace gpusel::cli
