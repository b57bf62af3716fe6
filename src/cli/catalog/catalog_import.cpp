// gpusel catalog import: price lists that others publish, into a snapshot or a folder of YAML.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/io/own_file.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/import.hpp"
#include "catalog/records/layers.hpp"
#include "cli/commands.hpp"
#include "cli/gate/last_answer.hpp"
#include "cli/progress.hpp"
#include "cli/question/answer.hpp"
#include "show/catalogue/import.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

namespace {

struct ImportOptions {
  catalog::ImportRequest request;
  bool format_given = false;
  std::string out;
  bool dry_run = false;
  bool force = false;
  bool list_prices = false;
};

/// What of all files is read, now and then.
class ReadingLine {
 public:
  explicit ReadingLine(Context& context) : line_(context) {}

  void operator()(std::uint64_t read, std::uint64_t size) {
    constexpr std::uint64_t kMega = 1'000'000;
    if (read < last_read_) done_ += last_read_;  // the next file
    last_read_ = read;
    if (!line_.is_due()) return;
    std::string words = say("{} MB read", (done_ + read) / kMega);
    if (size > 0) words += say(", {}% of this file", 100 * read / size);
    line_.show(words);
  }
  void finish() { line_.finish(); }

 private:
  ProgressLine line_;
  std::uint64_t done_ = 0;
  std::uint64_t last_read_ = 0;
};

bool is_folder(const std::string& path) {
  std::error_code failed;
  return path.ends_with('/') || std::filesystem::is_directory(path, failed);
}

class Importer {
 public:
  Importer(ImportOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    if (const Status good = check_flags(); !good) return context_.fail(good.error());
    const auto known = context_.load_catalog();
    if (!known) return context_.fail(known.error());
    ReadingLine progress(context_);
    options_.request.progress = [&](std::uint64_t read, std::uint64_t size) { progress(read, size); };
    auto imported = catalog::import_market(options_.request, *known);
    progress.finish();
    if (!imported) return context_.fail(imported.error());
    const catalog::ImportReport& report = imported->report;
    const bool anything = report.imported() > 0;
    show::ImportResult result{report, imported->market.instances().size(), imported->market.offers().size(), {}};
    result.changes = catalog::provider_changes(imported->market, catalog::offers_by_name(*known));
    if (anything && !options_.force)
      if (const Status kept = keep_younger(imported->market); !kept) return context_.fail(kept.error());
    // Before it is written: it may be where the question is answered from.
    if (anything) result.answer = answer_with(imported->market, *known);
    if (anything && !options_.dry_run) {
      if (const Status written = write(imported->market); !written) return context_.fail(written.error());
      result.out = options_.out;
    }
    print(result, *format, anything);
    return status(report, anything);
  }

 private:
  Status check_flags() const {
    if (!options_.format_given)
      return usage_error(say("--from is missing"), {}, say("it names the format, such as --from skypilot"));
    if (options_.out.empty() && !options_.dry_run)
      return usage_error(say("--out is missing"), {}, say("or --dry-run, to write nothing"));
    const auto today = context_.today();
    if (!today) return std::unexpected(today.error());
    // The next day has begun further east.
    if (const auto age = days_between(options_.request.as_of, *today); age && *age < -1)
      return usage_error(say("{} is in the future", options_.request.as_of.text()), "--as-of");
    std::error_code failed;
    for (const std::string& file : options_.request.files)
      if (std::filesystem::equivalent(file, options_.out, failed))
        return usage_error(say("'{}' is also a file to import", printable(options_.out)), "--out");
    if (is_folder(options_.out) || !std::filesystem::exists(options_.out, failed)) return {};
    if (!std::filesystem::is_regular_file(options_.out, failed))
      return usage_error(say("'{}' is not a regular file", printable(options_.out)), "--out");
    // Before a long list is read.
    const FileText file{options_.out, {}};
    return check_own({.files = {&file, 1}, .force = options_.force, .author = catalog::snapshot_author});
  }

  /// What an earlier import left at --out is replaced, but not by older prices.
  Status keep_younger(const catalog::Catalog& market) const {
    std::error_code failed;
    if (options_.out.empty() || !std::filesystem::exists(options_.out, failed)) return {};
    const auto earlier = catalog::load({.replacement = options_.out, .overlays = {}});
    if (!earlier) return {};  // no import of ours: writing says so
    const std::uint64_t lost = catalog::price_changes(market, catalog::offers_by_name(*earlier)).older;
    if (lost == 0) return {};
    return usage_error(say("'{}' has younger prices than these: {}", printable(options_.out), lost), "--out",
                       say("name another file or folder, or replace it with --force"));
  }

  /// A table of one's own says what is paid, whatever others publish later, unless it is said to be a list.
  bool listed() const { return options_.list_prices || options_.request.format != catalog::ImportFormat::generic_csv; }

  /// That a table of one's own counts against younger prices; empty where it does not.
  std::string replacing(const show::ImportResult& result) const {
    catalog::PriceChanges sum;
    for (const auto& [provider, changes] : result.changes) sum += changes;
    if (listed() || sum.older == 0) return {};
    return say(
        "{} of these prices are older than the catalog's; as an overlay, a table of your own replaces them whatever "
        "its "
        "date. For published prices, add --list-prices: then the younger one counts",
        sum.older);
  }

  /// How the last answer changes with these prices over the catalogue.
  std::optional<show::AnswerChange> answer_with(const catalog::Catalog& market, const catalog::Catalog& known) const {
    const LastAnswer last(context_);
    if (!last.is_there()) return std::nullopt;
    std::vector<Document> documents;
    for (const catalog::YamlFile& file : catalog::market_yaml(market, {.listed = listed(), .known = &known})) {
      auto document = parse_yaml(file.text, file.name);
      if (!document) return std::nullopt;
      documents.push_back(std::move(*document));
    }
    return last.again(std::move(documents));
  }

  Status write(const catalog::Catalog& market) const {
    if (is_folder(options_.out))
      return catalog::write_market_yaml(options_.out, catalog::market_yaml(market, {.listed = listed()}),
                                        options_.force);
    const std::string snapshot = catalog::write_snapshot(market);
    const FileText file{options_.out, snapshot};
    return write_own({.files = {&file, 1}, .force = options_.force, .author = catalog::snapshot_author});
  }

  void print(const show::ImportResult& result, const std::string& format, bool anything) {
    // Written row by row: a price list can have more rows than a tree of them has room for.
    if (format == "json")
      return show::write_import_json(result, [&](std::string_view text) { context_.out.write(text); });
    cli::print({.data = [&] { return show::import_json(result); },
                .document =
                    [&](bool) {
                      show::Document page = show::import_page(result);
                      for (const catalog::ImportWarning& warning : result.report.warnings)
                        page.line("  " + show::import_warning(result.report, warning), 4, show::Where::page);
                      if (anything) page.line(outcome(result), 2, show::Where::page);
                      if (const std::string words = replacing(result); !words.empty())
                        page.line(words, 2, show::Where::page);
                      if (result.answer) page.line(show::answer_change_text(*result.answer), 2, show::Where::page);
                      return page;
                    }},
               format, context_);
    if (show::is_data(format)) return;
    if (!is_document(format)) warn(result.report);
    if (anything) context_.note(outcome(result));
    if (const std::string words = replacing(result); !words.empty()) context_.note(words);
    if (result.answer) context_.note(show::answer_change_text(*result.answer));
  }

  static std::string outcome(const show::ImportResult& result) {
    std::string text = say("offers: {}, instance types: {}", result.offers, result.instances);
    if (!result.out.empty()) add_clause(text, say("ask about them with --catalog {}", printable(result.out)));
    return text;
  }

  void warn(const catalog::ImportReport& report) {
    constexpr std::size_t kShown = 20;
    for (std::size_t i = 0; i < report.warnings.size() && i < kShown; ++i)
      context_.note(show::import_warning(report, report.warnings[i]));
    if (report.warnings.size() > kShown)
      context_.note(say("and {} more remarks; -o json has all", report.warnings.size() - kShown));
  }

  int status(const catalog::ImportReport& report, bool anything) {
    int status = kOk;
    for (const catalog::ImportedFile& file : report.files)
      if (!file.failure.empty()) status = context_.fail(io_error(file.failure));
    if (anything) return status;
    context_.fail(Error{ErrorKind::unsatisfied, say("nothing could be imported"), {}, {}});
    return status == kOk ? kNothing : status;
  }

  ImportOptions& options_;
  Context& context_;
};

Status set_format(std::string_view text, ImportOptions& options) {
  const auto format = from_text<catalog::ImportFormat>(text);
  if (!format) return job::not_one_of(text, enum_names<catalog::ImportFormat>);
  options.request.format = *format;
  options.format_given = true;
  return {};
}

Status set_date(std::string_view text, ImportOptions& options) {
  const auto date = Date::parse(text);
  if (!date)
    return usage_error(say("'{}' is not a calendar date", shorten(text, 20)), {}, say("write it like 2026-11-21"));
  options.request.as_of = *date;
  return {};
}

}  // namespace

Parsed make_catalog_import() {
  auto options = std::make_shared<ImportOptions>();
  Parsed parsed;
  parsed.positional = "FILES";
  parsed.positional_places = {{"", "FILE"}};
  parsed.positional_help = say("price lists");
  parsed.positional_required = true;
  parsed.positional_set = appends_to(options->request.files);
  const std::string group = say("Import");
  parsed.flags = {
      {"--from", "FORMAT", say("allowed: {}", join_texts(enum_names<catalog::ImportFormat>, say_name(", "))), group,
       [options](std::string_view text) { return set_format(text, *options); }},
      {"--out", "PATH", say("snapshot to write; a folder (PATH/) gets YAML"), group, sets(options->out)},
      {"--cloud", "NAME", say("provider of the prices (default: from the file's name or folder)"), group,
       sets(options->request.cloud)},
      {"--as-of", "DATE", say("date of the prices (default: the file's own date, else its last commit)"), group,
       [options](std::string_view text) { return set_date(text, *options); }},
      {"--trust", "", say("accept prices far below those of others"), group, turns_on(options->request.trust)},
      {"--list-prices", "", say("generic-csv: published prices, so that a younger one of the catalog counts"), group,
       turns_on(options->list_prices)},
      force_flag(options->force, group),
      {"--dry-run", "", say("read and report, write nothing"), group, turns_on(options->dry_run)},
  };
  parsed.run = [options](Context& context) { return Importer(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
