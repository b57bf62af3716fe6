// gpusel calibrate: the user's own measurements into the few coefficients they bear on, kept in the user's own folder.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/io/own_file.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/jobs/measured_row.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/named.hpp"
#include "show/job/estimate.hpp"
#include "show/truth/calibrate.hpp"

namespace gpusel::cli {

namespace {

struct CalibrateOptions {
  std::vector<std::string> files;  // with --measured words of the question
  MeasuredRow row;
  std::string to;  // empty: the user's own folder
  bool dry_run = false;
  bool reset = false;
  bool accept_outliers = false;
  bool explain = false;
  bool force = false;
};

class Calibrate {
 public:
  Calibrate(CalibrateOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    const auto today = context_.today();
    if (!today) return context_.fail(today.error());
    target_ = options_.to.empty() ? own_calibration_file() : options_.to;
    if (target_.empty())
      return context_.fail(Error{ErrorKind::usage,
                                 say("no home directory to save a calibration in"),
                                 {},
                                 say("set XDG_DATA_HOME, or name a file with --to")});
    if (options_.reset) return reset(*format);
    auto kept = kept_rows();
    if (!kept) return context_.fail(kept.error());
    const auto catalog = context_.load_catalog();
    if (!catalog) return context_.fail(catalog.error());
    const auto documents = catalog->documents("calibration");
    const auto shipped = physics::read_coefficients(*catalog, physics::Own::left_out);
    if (!shipped) return context_.fail(shipped.error());
    if (options_.row.is_measured()) {
      if (const auto taken = take_row(*catalog, *shipped); !taken) return taken.error();
    } else if (Status read = read_files(*catalog, *shipped); !read) {
      return context_.fail(as_flag(read.error()));
    }
    tell_left_out();
    const auto rows = answer::join_rows(std::move(*kept), checked_.rows);
    if (rows.empty())
      return context_.fail(Error{ErrorKind::unsatisfied,
                                 say("no measurements left to calibrate with"),
                                 {},
                                 say("name a file of your own: gpusel calibrate FILE")});
    auto calibration = answer::calibrate(rows, *today, *catalog, *shipped, documents);
    if (!options_.explain) calibration.trace.clear();
    return finish(calibration, *format);
  }

 private:
  int reset(const std::string& format) {
    if (Status ours = check_ours(); !ours) return context_.fail(ours.error());
    std::error_code failed;
    const bool was_there = std::filesystem::exists(target_, failed);
    if (was_there && !options_.dry_run && !std::filesystem::remove(target_, failed))
      return context_.fail(Error{
          ErrorKind::io, say("cannot remove '{}': {}", printable(target_), system_reason(failed.value())), {}, {}});
    const bool removed = was_there && !options_.dry_run;
    const auto record = [&] {
      return show::Json{
          {"schema", "gpusel.calibrate-reset/1"}, {"file", target_}, {"was_there", was_there}, {"removed", removed}};
    };
    print({.data = record,
           .document =
               [&](bool) { return show::Document().page_title(say("Own calibration")).line(reset_line(was_there)); },
           .csv =
               [&] {
                 show::Table table({{"file"}, {"was_there"}, {"removed"}});
                 table.add({target_, was_there ? "true" : "false", removed ? "true" : "false"});
                 return table;
               }},
          format, context_);
    return kOk;
  }

  std::string reset_line(bool was_there) const {
    if (!was_there) return say("you have no calibration: {}", printable(target_));
    return options_.dry_run ? say("would remove {}", printable(target_))
                            : say("removed {}: back to the shipped coefficients", printable(target_));
  }

  /// What is there already must be a calibration, and nothing beside.
  Status check_ours() {
    std::error_code failed;
    if (!std::filesystem::exists(target_, failed)) return {};
    const auto text = read_text_file(target_);
    if (!text) return std::unexpected(text.error());
    auto document = parse_yaml(*text, target_);
    if (!document) return std::unexpected(document.error());
    const Node* section = document->root.find("calibration");
    const Node* own = section != nullptr ? section->find("own") : nullptr;
    if (own == nullptr || section->children.size() != 1 || document->root.children.size() != 1)
      return usage_error(say("'{}' was not written by gpusel calibrate", printable(target_)), {},
                         say("name another file with --to"));
    before_ = *own;
    text_before_ = *text;
    return {};
  }

  /// Errors: the file is there and is no calibration.
  Result<std::vector<Node>> kept_rows() {
    if (Status ours = check_ours(); !ours) return std::unexpected(ours.error());
    Problems problems{target_, ErrorKind::usage, {}};
    if (before_.kind == Node::Kind::null) return std::vector<Node>{};
    auto own = physics::read_own(before_, problems);
    if (!problems.errors.empty()) return std::unexpected(problems.errors.front());
    return std::move(own.rows);
  }

  Status read_files(const catalog::Catalog& catalog, const physics::Coefficients& shipped) {
    const auto& said = options_.row.said();
    if (options_.files.empty() && !said.empty())
      return usage_error(say("nothing of it was measured"), said.front().key,
                         say("add --measured itl_ms=38, or a file"));
    std::vector<std::pair<const std::string*, std::string>> runs;
    for (const std::string& file : options_.files) {
      auto text = read_text_file(file);
      if (!text) return std::unexpected(text.error());
      auto log = catalog::read_gpu_log(*text, file, catalog);
      if (log && !*log) return std::unexpected(log->error());
      if (log)
        gpu_logs_.push_back(std::move(**log));
      else
        runs.emplace_back(&file, std::move(*text));
    }
    if (runs.empty() && !gpu_logs_.empty())
      return usage_error(say("a log of the GPUs says nothing of a run"), gpu_logs_.front().file,
                         say("name the run's own log or result, too"));
    for (const catalog::GpuLog& log : gpu_logs_) context_.note(catalog::gpu_log_text(log));
    for (const auto& [file, text] : runs) {
      auto sheet = catalog::read_measurement_text(text, *file, catalog, said, gpu_logs_);
      if (!sheet) return std::unexpected(sheet.error());
      for (const std::string& remark : sheet->remarks) context_.note(remark);
      check(std::move(*sheet), catalog, shipped);
    }
    return {};
  }

  /// What flags and words say, in place of a file. The error is the exit status.
  std::expected<void, int> take_row(const catalog::Catalog& catalog, const physics::Coefficients& shipped) {
    MeasuredRow& row = options_.row;
    const auto hear = [&](const Meant& meant) { row.say_of(meant.key, meant.value); };
    const Spoken spoken{row.request(), nullptr, Takes::machine, hear};
    if (const auto settled = settle_question(options_.files, spoken, nullptr, catalog, context_); !settled)
      return settled;
    if (row.request().gpu.empty())
      return std::unexpected(context_.fail(
          as_flag(missing_error(say("the GPU is missing"), "gpu", say("--gpu l40s, for example")).error())));
    auto record = row.record();
    if (!record) return std::unexpected(context_.fail(record.error()));
    std::vector<Node> records;
    records.push_back(std::move(*record));
    check(catalog::read_measurement_records(std::move(records), "command line", catalog), catalog, shipped);
    return {};
  }

  void check(catalog::MeasurementSheet sheet, const catalog::Catalog& catalog, const physics::Coefficients& shipped) {
    answer::forget_request_keys(sheet);
    unread_.insert(unread_.end(), sheet.unread.begin(), sheet.unread.end());
    answer::CheckedRows more = answer::check_rows(std::move(sheet), options_.accept_outliers, catalog, shipped);
    std::ranges::move(more.rows, std::back_inserter(checked_.rows));
    std::ranges::move(more.unusable, std::back_inserter(checked_.unusable));
    std::ranges::move(more.outliers, std::back_inserter(checked_.outliers));
  }

  void tell_left_out() {
    for (const std::string& name : unread_) context_.note(say("column '{}' is not read", printable(shorten(name, 40))));
    context_.note(say("rows that cannot be used: {}", checked_.unusable.size()), checked_.unusable);
    context_.note(
        options_.accept_outliers
            ? say("figures far outside their interval, accepted: {}", checked_.outliers.size())
            : say("figures far outside their interval: {}; their rows are excluded (--accept-outliers includes them)",
                  checked_.outliers.size()),
        checked_.outliers);
  }

  int finish(const answer::Calibration& calibration, const std::string& format) {
    const std::string overlay = show::calibrate_overlay(calibration);
    if (!options_.dry_run) {
      if (Status written = keep(overlay); !written) return context_.fail(written.error());
    }
    context_.note(say("kept rows that can no longer be estimated: {}", calibration.unusable.size()),
                  calibration.unusable);
    print({.data =
               [&] {
                 show::Json json = show::calibrate_json(calibration, checked_);
                 json["file"] = options_.dry_run ? show::Json(nullptr) : show::Json(target_);
                 json["overlay"] = overlay;
                 return json;
               },
           .document =
               [&](bool) {
                 show::Document page = show::calibrate_page(calibration, checked_);
                 page.gap().line(kept_line());
                 return options_.dry_run ? page.gap().add(show::Code{overlay}) : page;
               },
           .csv = [&] { return show::calibrate_table(calibration); }},
          format, context_);
    return kOk;
  }

  /// Nobody else's rows are lost: what is there is still what these were joined with.
  Status keep(const std::string& overlay) const {
    namespace fs = std::filesystem;
    std::error_code failed;
    if (options_.to.empty()) fs::create_directories(Context::user_folder(), failed);
    const FolderLock alone(folder_of(target_), FolderLock::For::writing);
    const auto text = read_text_file(target_);
    if (alone.busy() || (text ? *text : std::string()) != text_before_)
      return std::unexpected(Error{ErrorKind::io,
                                   say("'{}' is being read or written by another gpusel", printable(target_)),
                                   {},
                                   say("try again")});
    // What is there was read and joined: only a link in its place would be lost.
    const FileText file{target_, overlay};
    return write_own(
        {.files = {&file, 1}, .force = options_.force, .author = [](const std::string&) { return Author::program; }});
  }

  std::string kept_line() const {
    if (options_.dry_run) return say("would write {}:", printable(target_));
    return options_.to.empty()
               ? say("written to {}, which every command reads; gpusel calibrate --reset removes it",
                     printable(target_))
               : say("written to {}; --overlay {} makes a command read it", printable(target_), printable(target_));
  }

  CalibrateOptions& options_;
  Context& context_;
  std::string target_;
  Node before_;  // the calibration that is there
  std::string text_before_;
  answer::CheckedRows checked_;
  std::vector<std::string> unread_;
  std::vector<catalog::GpuLog> gpu_logs_;
};

}  // namespace

std::string own_calibration_file() {
  const std::string folder = Context::user_folder();
  return folder.empty() ? folder : (std::filesystem::path(folder) / "calibration.yaml").string();
}

Parsed make_calibrate() {
  auto options = std::make_shared<CalibrateOptions>();
  Parsed parsed;
  parsed.positional = "FILES";
  parsed.positional_places = {{"", "FILE"}};
  parsed.positional_help =
      say("a benchmark's results, a training log (Trainer, Megatron, NeMo, torchtune, torchtitan, axolotl, W&B, "
          "MLflow), a GPU log next to it, or your own rows: CSV, or JSON Lines of estimate requests with 'measured'; "
          "none: those kept");
  parsed.positional_set = appends_to(options->files);
  options->row.add_flags(parsed.flags);
  const std::string group = say("What is kept");
  const auto on = [&](std::string name, std::string help, bool& place) {
    parsed.flags.push_back({std::move(name), "", std::move(help), group, turns_on(place)});
  };
  parsed.flags.push_back(
      {"--to", "FILE", say("save it there (default: calibration.yaml in your own folder)"), group, sets(options->to)});
  on("--dry-run", say("show what would be kept, write nothing"), options->dry_run);
  on("--reset", say("remove what is kept: back to the shipped coefficients"), options->reset);
  on("--accept-outliers", say("include figures far outside their interval"), options->accept_outliers);
  on("--explain", say("each coefficient's prior, sensitivity and result"), options->explain);
  parsed.flags.push_back(force_flag(options->force, group));
  parsed.run = [options](Context& context) { return Calibrate(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
