// gpusel estimate: does this fit on these GPUs, how fast, how sure.
#include <memory>
#include <utility>

#include "answer/estimate/estimate.hpp"
#include "answer/estimate/largest.hpp"
#include "answer/search/recommend.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/named.hpp"
#include "cli/question/usual_gpu.hpp"
#include "cli/words/lines.hpp"
#include "gpusel/advisor.hpp"
#include "show/job/estimate.hpp"
#include "show/job/ways_json.hpp"
#include "show/json/tell.hpp"
#include "show/json/write_json.hpp"

namespace gpusel::cli {

namespace {

struct EstimateOptions {
  job::Request request;
  std::string batch;
  bool explain = false;
  bool why = false;
  std::optional<answer::Size> max;
  std::vector<std::string> words;
};

class Estimate {
 public:
  Estimate(EstimateOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    auto catalog = context_.load_catalog();
    if (!catalog) return context_.fail(catalog.error());
    auto coefficients = load_coefficients(*catalog);
    if (!coefficients) return context_.fail(coefficients.error());
    const auto rules = load_rules(*catalog, {});
    if (!rules) return context_.fail(rules.error());
    rules_ = *rules;
    if (!options_.batch.empty()) return batch(*catalog, *coefficients);
    const Spoken spoken{options_.request, nullptr, Takes::machine};
    // Who types words is answered; a line of flags alone that lacks one is a mistake.
    const bool in_words = !options_.words.empty();
    if (const auto settled = settle_question(options_.words, spoken, nullptr, *catalog, context_); !settled)
      return settled.error();
    std::string taken = take_usual_gpu(options_.request.gpu, *catalog);
    if (in_words && options_.request.gpu.empty() && options_.request.names_model())
      taken = take_cheapest(*catalog, *coefficients);
    const auto largest = look(*catalog, *coefficients);
    if (!largest) return context_.fail(as_flag(largest.error()));
    const answer::EstimateAnswer* const answer = &largest->answer;
    const bool looked = options_.max.has_value();
    const auto ways = looked ? std::vector<answer::Way>()
                             : answer::what_would_work(options_.request, *answer, *catalog, *coefficients, rules_);
    print({.data =
               [&](show::JsonOut& out) {
                 show::tell_estimate(out, *answer);
                 show::tell_ways(out, ways);
                 if (looked) show::tell_largest(out, *largest);
               },
           .document =
               [&](bool all) {
                 const bool whole = all || options_.explain || options_.why;
                 show::Document page =
                     looked ? show::largest_page(*largest, whole) : show::estimate_page(*answer, ways, whole);
                 if (!taken.empty()) page.line(say("Note: {}", taken));
                 return page;
               },
           .csv = [&] { return show::estimate_table(*answer); }},
          *format, context_);
    return answer->plan.fits ? kOk : kNothing;
  }

 private:
  /// What of a question that names no GPU is estimated, in words: the cheapest machine for it.
  std::string take_cheapest(const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
    answer::Question question;
    question.request = options_.request;
    if (!question.request.profile && question.request.task == job::Task::inference && !question.request.request_rate)
      question.request.profile = job::Profile::dev;
    const auto today = context_.today();
    if (!today) return {};
    question.today = *today;
    question.detailed = 1;
    question.alternatives = false;
    const auto advice = answer::recommend(question, catalog, rules_, coefficients);
    if (!advice || advice->recommendations.empty()) return {};
    const answer::Recommendation& best = advice->recommendations.front();
    if (best.gpu == nullptr) return {};
    options_.request.gpu = best.gpu->id;
    options_.request.gpus = best.machine().gpus();
    options_.request.gpus_per_node = best.machine().gpus_per_node;
    return say("no GPU was named; this is that of the cheapest machine, {} {} (--gpu l40s, for example)",
               best.instance->provider, printable(best.instance->sku));
  }

  /// The question as it is, or with the largest size that fits.
  Result<answer::Largest> look(const catalog::Catalog& catalog, const physics::Coefficients& coefficients) const {
    if (options_.max)
      return answer::find_largest(options_.request, *options_.max, catalog, coefficients, options_.explain, rules_);
    auto answer = answer::answer_estimate(options_.request, catalog, coefficients, options_.explain, rules_);
    if (!answer) return std::unexpected(answer.error());
    return answer::Largest{{}, 0, false, std::move(*answer)};
  }

  /// One JSON request per line, one answer per line, in order; a bad line does not stop the run.
  int batch(const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
    auto file = options_.batch == kStandardInput ? InputFile::standard_input() : InputFile::open(options_.batch);
    if (!file) return context_.fail(unreadable(options_.batch, file.error()));
    Lines lines(std::move(*file));
    std::size_t good = 0, bad = 0;
    std::string line;
    while (!context_.out.closed() && lines.next(line)) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      ++(answer_line(line, catalog, coefficients) ? good : bad);
      if (good > 0 || bad < kMaxProblems) continue;
      return context_.fail(
          Error{ErrorKind::io, say("none of the first {} lines can be answered; reading stopped", bad), {}, {}});
    }
    if (!lines.failure().empty()) return context_.fail(unreadable(options_.batch, lines.failure()));
    return bad == 0 ? kOk : kRuntime;
  }

  bool answer_line(const std::string& line, const catalog::Catalog& catalog,
                   const physics::Coefficients& coefficients) {
    std::string id;
    const auto answer = [&]() -> Result<answer::EstimateAnswer> {
      if (line.size() > kMaxLine) return usage_error(say("a request of more than {} MiB", kMaxLine >> 20U));
      const auto document = parse_json(line, "request");
      if (!document) return std::unexpected(document.error());
      if (const Node* given = document->root.find("id"); given != nullptr && given->is_scalar()) id = given->text;
      auto request = job::read_request(document->root);
      if (!request) return std::unexpected(request.error());
      if (Status settled = answer::settle(*request, catalog); !settled) return std::unexpected(settled.error());
      return answer::answer_estimate(*request, catalog, coefficients, options_.explain, rules_);
    }();
    if (!answer) {
      context_.out.write(show::dump(show::error_json(id, answer.error()), -1));
      return false;
    }
    told_.clear();
    told_.begin_object(show::JsonOut::kItem);
    show::tell_estimate(told_, *answer);
    context_.out.write(told_.finish());
    return true;
  }

  EstimateOptions& options_;
  std::vector<rules::Rule> rules_;
  Context& context_;
  show::JsonWriter told_{-1};
};

/// A number is the size of a batch, as elsewhere, and anything else a file.
Status set_batch(std::string_view text, EstimateOptions& options) {
  if (!plain_number(text)) return job::assign(text, options.batch);
  const auto* size = job::find_option(job::request_options(), "batch");
  options.request.given.push_back(size->key);
  return size->set(options.request, text);
}

}  // namespace

Parsed make_estimate() {
  auto options = std::make_shared<EstimateOptions>();
  Parsed parsed;
  add_words(parsed, options->words, Takes::machine);
  add_options(parsed.flags, job::request_options(), options->request);
  const std::string group = say("Output and data");
  parsed.flags.push_back({"--batch", "FILE",
                          say("JSON Lines: a request per line, an answer per line ('-': standard input)"), group,
                          [options](std::string_view text) { return set_batch(text, *options); }});
  parsed.flags.push_back({"--max", "SIZE", say("the largest seq-len, batch or concurrency that fits with --min-fit"),
                          group,
                          [options](std::string_view text) -> Status { return job::assign(text, options->max); }});
  parsed.flags.push_back({"--explain", "", say("each figure's formula, substituted values and source"), group,
                          turns_on(options->explain)});
  parsed.flags.push_back({"--why", "", say("every part, assumption and note"), group, turns_on(options->why)});
  parsed.run = [options](Context& context) { return Estimate(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
