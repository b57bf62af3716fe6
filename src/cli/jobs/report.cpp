// gpusel report: the whole answer as one page that a manager can read and an engineer can check.
#include <algorithm>
#include <memory>

#include "answer/cost/use_curves.hpp"
#include "answer/stages/data_path.hpp"
#include "base/io/own_file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/ask.hpp"
#include "cli/question/job.hpp"
#include "show/page/report.hpp"
#include "show/render/html/html.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kPage = "html";

struct ReportOptions {
  JobOptions job;
  answer::BreakEvenWishes break_even;
  std::string file;  // empty: standard output
  bool dry_run = false;
  bool force = false;
};

class Report {
 public:
  Report(ReportOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    if (context_.common.json)
      return context_.fail(Error{ErrorKind::usage, say("a report is a page"), "--json",
                                 say("gpusel recommend --json has the same answer as data")});
    context_.common.output = kPage;  // whatever the usual format is
    answer::Question& question = options_.job.question;
    const auto ground = prepare({question.constraints, &options_.job.rule_files}, context_);
    if (!ground) return ground.error();
    auto advice = ask(options_.job, *ground, context_);
    if (!advice) return advice.error();
    answer::warn_of_data(*advice, question, {}, ground->catalog, ground->coefficients);
    std::optional<answer::UseCurves> use;
    if (!advice->recommendations.empty()) {
      auto drawn = answer::use_curves(*advice, {question, {}, ground->rules, true}, wishes(), ground->catalog,
                                      ground->coefficients);
      if (!drawn) return context_.fail(as_flag(drawn.error()));
      use = std::move(*drawn);
    }
    if (Status written = write(page(*advice, use, *ground)); !written) return context_.fail(written.error());
    return advice->recommendations.empty() ? status_of_nothing(*advice) : gate(*advice);
  }

 private:
  const answer::BreakEvenWishes& wishes() {
    options_.break_even.deadline_hours = options_.job.question.constraints.deadline_hours;
    return options_.break_even;
  }

  std::string page(const answer::Advice& advice, const std::optional<answer::UseCurves>& use,
                   const LoadedFacts& ground) const {
    show::ReportView view{.advice = advice,
                          .catalog = ground.catalog,
                          .objective = options_.job.question.objective.kind,
                          .command = command_line(context_.words),
                          .today = ground.today,
                          .trace = {},
                          .use = use ? &*use : nullptr};
    if (!advice.recommendations.empty()) {
      const answer::Recommendation& best = advice.recommendations.front();
      view.trace = answer::explain(advice.work, best.machine(), best.plan(), ground.coefficients);
    }
    return show::html_page(show::report_page(view));
  }

  Status write(const std::string& page) {
    if (options_.dry_run) {
      context_.note(options_.file.empty()
                        ? say("would write a page of {} bytes to standard output", page.size())
                        : say("would write a page of {} bytes to {}", page.size(), printable(options_.file)));
      return {};
    }
    if (options_.file.empty()) {
      context_.out.write(page);
      return {};
    }
    const std::string text = signed_text(page);
    const FileText file{options_.file, text};
    Status written = write_own({.files = {&file, 1}, .force = options_.force});
    if (written) context_.note(say("wrote {}", printable(options_.file)));
    return written;
  }

  int gate(const answer::Advice& advice) {
    std::vector<const catalog::Offer*> offers;
    for (const answer::Recommendation& r : advice.recommendations) offers.push_back(r.offer);
    const answer::Question& question = options_.job.question;
    return gate_price_age(question.constraints, offers, question.today, context_, kOk);
  }

  ReportOptions& options_;
  Context& context_;
};

/// A file by its name; "html", as elsewhere, and "-" are standard output.
Status set_file(std::string_view text, std::string& file) {
  if (text == kPage || text == kStandardInput) return {};
  if (std::ranges::find(kEveryFormat, text) != std::end(kEveryFormat))
    return usage_error(say("a report is a page, not {}", text), {}, say("gpusel recommend has every format"));
  if (!text.ends_with(".html") && !text.ends_with(".htm"))
    return usage_error(say("'{}' is not the name of a page", shorten(text, 60)), {},
                       say("name a file that ends in .html"));
  file = text;
  return {};
}

}  // namespace

Parsed make_report() {
  auto options = std::make_shared<ReportOptions>();
  Parsed parsed;
  parsed.flags.push_back({"-o,--output,--to", "FILE", say("file to write, such as out.html (default: standard output)"),
                          say("Output and data"),
                          [options](std::string_view text) { return set_file(text, options->file); }});
  parsed.flags.push_back(force_flag(options->force, say("Output and data")));
  parsed.flags.push_back(
      {"--dry-run", "", say("answer, but write nothing"), say("Output and data"), turns_on(options->dry_run)});
  add_words(parsed, options->job.words, Takes::all);
  add_options(parsed.flags, answer::break_even_options(), options->break_even);
  add_job_flags(parsed.flags, options->job);
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return Report(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
