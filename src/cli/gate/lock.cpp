// gpusel lock: an answer with everything it stands on, written to a file.
#include "cli/gate/lock.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/io/own_file.hpp"
#include "base/words/message.hpp"
#include "catalog/records/layers.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "cli/words/parser.hpp"
#include "gpusel/version.hpp"
#include "show/gate/lock.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kCommand = "lock";
constexpr std::int64_t kUsualRows = 10;

struct LockOptions {
  JobOptions job;
  std::string to;
  std::optional<std::int64_t> rows;
  bool dry_run = false;
  bool force = false;
};

/// Flags that say how a lock is written or shown, not what is asked.
struct OwnFlag {
  std::string_view name;
  bool has_value;
};
constexpr OwnFlag kOwnFlags[] = {{"--to", true},     {"-n", true},       {"--limit", true},  {"--dry-run", false},
                                 {"--force", false}, {"-o", true},       {"--output", true}, {"--json", false},
                                 {"-q", false},      {"--quiet", false}, {"--color", true},  {"--lang", true}};

/// The words that ask, without those of the lock itself.
std::vector<std::string> question_words(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (i == 0 && word == kCommand) continue;
    const auto own = std::ranges::find_if(kOwnFlags, [&](const OwnFlag& flag) {
      if (flag.name.size() == 2) return word.starts_with(flag.name);  // -ojson
      return word == flag.name || word.starts_with(std::string(flag.name) + "=");
    });
    if (own == std::end(kOwnFlags))
      out.push_back(word);
    else if (own->has_value && word == own->name)
      ++i;
  }
  return out;
}

/// What settings said of the question, as the line would have said it: a lock stands without them.
void add_settings(const Settings& settings, std::vector<std::string>& words) {
  for (const Setting* setting : settings.applied) {
    std::string flag = "--" + setting->name;
    std::ranges::replace(flag, '_', '-');
    if (std::ranges::find(kOwnFlags, flag, &OwnFlag::name) != std::end(kOwnFlags)) continue;
    for (const std::string& value : setting->values)
      if (value == "true")
        words.push_back(flag);
      else if (value != "false")
        words.insert(words.end(), {flag, value});
  }
}

/// A folder, and a snapshot that is no text, have no sum. Error: what was read for the answer cannot be read again.
Result<std::vector<show::LockedFile>> files_of(const JobOptions& job, const Context& context) {
  const catalog::LoadOptions layers = context.layers();
  std::vector<std::string> paths = layers.overlays;
  if (!layers.replacement.empty()) paths.insert(paths.begin(), layers.replacement);
  paths.insert(paths.end(), job.rule_files.begin(), job.rule_files.end());
  std::vector<show::LockedFile> files;
  for (const std::string& path : paths) {
    std::error_code unknown;
    const bool is_folder = std::filesystem::is_directory(path, unknown);
    const auto text = is_folder ? Result<std::string>() : read_text_file(path);
    if (!text && path != layers.replacement) return std::unexpected(text.error());
    files.push_back({path, is_folder || !text ? std::string() : content_hash(*text)});
  }
  return files;
}

/// The user's own rules as they are written.
Result<std::vector<Document>> rule_documents(const JobOptions& job) {
  std::vector<Document> documents;
  for (const std::string& file : job.rule_files) {
    const auto text = read_text_file(file);
    if (!text) return std::unexpected(text.error());
    auto document = parse_yaml(*text, file);
    if (!document) return std::unexpected(document.error());
    documents.push_back(std::move(*document));
  }
  return documents;
}

std::expected<show::Json, int> make_json(JobOptions& job, std::size_t rows, const show::Json* also, Context& context) {
  auto ground = prepare({job.question.constraints, &job.rule_files}, context);
  if (!ground) return std::unexpected(ground.error());
  // Rules that are set back go before those of files, too.
  for (const Document& document : context.replay.documents)
    if (document.root.find("rules") != nullptr)
      if (const Errors errors = rules::add_rule_file(document, ground->rules); !errors.empty())
        return std::unexpected(context.fail(errors));
  job.question.every_rejection = true;
  job.question.alternatives = false;
  job.question.detailed = rows;
  const auto advice = ask(job, *ground, context);
  if (!advice) return std::unexpected(advice.error());
  std::vector<std::string> words = question_words(context.words);
  add_settings(context.settings, words);
  const auto rule_files = rule_documents(job);
  if (!rule_files) return std::unexpected(context.fail(rule_files.error()));
  auto files = files_of(job, context);
  if (!files) return std::unexpected(context.fail(files.error()));
  return show::lock_json({*advice, ground->catalog, ground->coefficients, std::move(words), std::move(*files),
                          *rule_files, ground->today, kVersion, rows},
                         also);
}

/// A lock has its own checksum.
Status write_lock(const std::string& path, const std::string& text, bool force) {
  const FileText file{path, text};
  const auto author = [&](const std::string& there) {
    if (show::read_lock(there, path)) return Author::program;
    return show::says_lock(there) ? Author::edited : Author::other;
  };
  return write_own({.files = {&file, 1}, .force = force, .author = author});
}

int run_lock(LockOptions& options, Context& context) {
  if (context.replay.instead) return context.replay.instead(options.job, context);
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  auto lock = make_json(options.job, static_cast<std::size_t>(options.rows.value_or(kUsualRows)), nullptr, context);
  if (!lock) return lock.error();
  if ((*lock)["ranking"].empty())
    return context.fail(Error{ErrorKind::unsatisfied,
                              say("no instance meets the job: there is nothing to lock"),
                              {},
                              say("gpusel recommend with the same words says why")});
  show::seal(*lock);
  const std::string to = options.dry_run ? std::string() : options.to.empty() ? std::string(kUsualLock) : options.to;
  if (!to.empty())
    if (Status written = write_lock(to, show::lock_file(*lock), options.force); !written)
      return context.fail(written.error());
  print({.data = [&] { return *lock; }, .document = [&](bool) { return show::lock_page(*lock, to); }}, *format,
        context);
  return kOk;
}

}  // namespace

std::expected<show::Json, int> lock_again(const std::vector<std::string>& words, Replay replay, const show::Json* also,
                                          bool quiet, Context& context) {
  std::string kept;
  Context inner;
  inner.words = {std::string(kCommand)};
  inner.words.insert(inner.words.end(), words.begin(), words.end());
  inner.out = Output(kept);
  if (quiet) inner.err = Output(kept);
  inner.replay = std::move(replay);
  show::Json lock;
  inner.replay.instead = [&](JobOptions& job, Context& asked) {
    const std::size_t rows = also != nullptr ? (*also)["answer"]["recommendations"].size() : kUsualRows;
    auto made = make_json(job, std::max<std::size_t>(1, rows), also, asked);
    if (!made) return made.error();
    lock = std::move(*made);
    return static_cast<int>(kOk);
  };
  const ParseOutcome outcome = parse(inner.words, inner);
  inner.common.quiet = inner.common.quiet || quiet || context.common.quiet;
  const int status = outcome.finished ? std::max<int>(outcome.status, kUsage) : outcome.command.run(inner);
  if (status != kOk) return std::unexpected(status);
  return lock;
}

Parsed make_lock() {
  auto options = std::make_shared<LockOptions>();
  Parsed parsed;
  const std::string group = say("Lock");
  parsed.flags.push_back({"--to", "FILE", say("where to write it (default gpusel.lock)"), group, sets(options->to)});
  parsed.flags.push_back({"-n,--limit", "N", say("rows to keep in full, with their facts (default 10)"), group,
                          sets(options->rows, job::kCount)});
  parsed.flags.push_back(force_flag(options->force, group));
  parsed.flags.push_back({"--dry-run", "", say("show it, write nothing"), group, turns_on(options->dry_run)});
  add_words(parsed, options->job.words, Takes::all);
  add_job_flags(parsed.flags, options->job);
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return run_lock(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
