// gpusel catalog update: price lists from their addresses, into the user's data.
#include <algorithm>
#include <memory>

#include "base/io/process.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/update/update.hpp"
#include "cli/commands.hpp"
#include "cli/gate/last_answer.hpp"
#include "cli/progress.hpp"
#include "cli/question/answer.hpp"
#include "cli/words/more_sources.hpp"
#include "gpusel/version.hpp"
#include "show/catalogue/lists/price_lists.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

namespace {

struct UpdateOptions {
  MoreSources lists;
  std::vector<std::string> names;
  std::vector<std::string> files;
  std::string mirror;
  Date as_of;
  bool trust = false;
  bool dry_run = false;
};

class Updating {
 public:
  Updating(const UpdateOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    const auto today = context_.today();
    if (!today) return context_.fail(today.error());
    const auto base = catalog::load({});
    if (!base) return context_.fail(base.error());
    const auto lists = catalog::read_price_lists(*base, options_.lists.files);
    if (!lists) return context_.fail(lists.error());
    const auto parts = catalog::parts_named(*lists, options_.names);
    if (!parts) return context_.fail(parts.error());
    if (const Status good = check(*parts, *today); !good) return context_.fail(good.error());
    const auto all = context_.load_catalog();
    if (!all) return context_.fail(all.error());
    const LastAnswer last(context_);
    ProgressLine progress(context_);
    const auto updates = catalog::update_lists(request(*parts, *today, progress), *base, *all);
    progress.finish();
    if (!updates) return context_.fail(updates.error());
    return answer(*updates, *format, last);
  }

 private:
  Status check(std::span<const catalog::ListPart> parts, Date today) const {
    if (Context::lists_folder().empty())
      return usage_error(say("no home directory to save it in"), "HOME", say("set HOME or XDG_DATA_HOME"));
    if (!options_.files.empty() && (options_.names.size() != 1 || parts.size() != 1))
      return usage_error(say("it is one list that files hold"), "--from-file",
                         say("name it with --source, such as --source {}", parts.front().id()));
    if (options_.files.empty() && options_.as_of.known())
      return usage_error(say("it is for --from-file: a fetched list carries its own date"), "--as-of");
    if (const auto age = days_between(options_.as_of, today); age && *age < -1)
      return usage_error(say("{} is in the future", options_.as_of.text()), "--as-of");
    const bool good = options_.mirror.empty() || options_.mirror.starts_with("https://") ||
                      catalog::is_of_this_machine(options_.mirror);
    if (!good || (!options_.mirror.empty() && catalog::origin_of_address(options_.mirror).empty()))
      return usage_error(say("'{}' is not an https address", printable(shorten(options_.mirror, 80))), "--mirror",
                         say("http is for this machine alone, as in http://127.0.0.1:8080/"));
    return {};
  }

  catalog::UpdateRequest request(const std::vector<catalog::ListPart>& parts, Date today, ProgressLine& progress) {
    catalog::UpdateRequest request;
    request.parts = parts;
    request.named = !options_.names.empty();
    request.files = options_.files;
    request.as_of = options_.as_of;
    request.folder = Context::lists_folder();
    request.work_folder = pages_folder();
    request.mirror = options_.mirror;
    request.program = kVersion;
    request.today = today;
    request.trust = options_.trust;
    request.dry_run = options_.dry_run;
    request.environment = [](const std::string& name) { return std::string(environment(name.c_str())); };
    request.progress = [&](std::size_t part, std::uint64_t got, std::uint64_t size) {
      constexpr double kMega = 1e6;
      if (!progress.is_due()) return;
      progress.show(progress_bar(got, size) + say("{} ({} of {}): {:.1f} MB", parts[part].id(), part + 1, parts.size(),
                                                  static_cast<double>(got) / kMega));
    };
    return request;
  }

  int answer(const std::vector<catalog::ListUpdate>& updates, const std::string& format, const LastAnswer& last) {
    const bool kept = !options_.dry_run && std::ranges::any_of(updates, [](const auto& update) {
      return update.outcome == catalog::ListOutcome::updated;
    });
    const std::string folder = kept ? Context::lists_folder() : std::string();
    const auto changed = kept ? last.again({}) : std::nullopt;
    print({.data = [&] { return show::updates_json(updates, folder, changed); },
           .document = [&](bool) { return show::updates_page(updates); }},
          format, context_);
    int status = kOk;
    for (const catalog::ListUpdate& update : updates) {
      if (update.outcome == catalog::ListOutcome::no_key) context_.note(show::update_fault(update));
      if (update.outcome == catalog::ListOutcome::failed || update.outcome == catalog::ListOutcome::kept_out)
        status = context_.fail(io_error(show::update_fault(update)));
    }
    if (show::is_data(format)) return status;
    const auto remarks = std::ranges::count_if(updates, [](const auto& update) { return !update.remarks.empty(); });
    if (remarks > 0) context_.note(say("sources with remarks on their prices: {}; -o json has them", remarks));
    if (options_.dry_run) context_.note(say("nothing was saved: --dry-run"));
    if (kept) context_.note(say("saved in {}; used from now on, below your own files", printable(folder)));
    if (changed) context_.note(show::answer_change_text(*changed));
    return status;
  }

  const UpdateOptions& options_;
  Context& context_;
};

Status set_day(std::string_view text, Date& day) {
  const auto date = Date::parse(text);
  if (!date) return usage_error(say("'{}' is not a date", shorten(text, 20)), {}, say("write it like 2026-11-21"));
  day = *date;
  return {};
}

}  // namespace

Parsed make_catalog_update() {
  auto options = std::make_shared<UpdateOptions>();
  Parsed parsed;
  const std::string group = say("Update");
  Flag source{"--source", "NAME", say("only this one, or one part of it: aws/us-east-1"), group,
              appends_to(options->names)};
  source.repeats = true;
  Flag file{"--from-file", "FILE", say("pages fetched elsewhere, instead of the network"), group,
            appends_to(options->files)};
  file.repeats = true;
  parsed.flags = {
      std::move(source),
      std::move(file),
      {"--as-of", "DATE", say("date of the prices in --from-file, if the file does not say"), group,
       [options](std::string_view text) { return set_day(text, options->as_of); }},
      {"--mirror", "URL", say("ask this server instead: URL/HOST/PATH of each address; keys are not sent"), group,
       sets(options->mirror)},
      more_sources_flag(options->lists, group),
      {"--trust", "", say("accept prices and lists far from the known ones"), group, turns_on(options->trust)},
      {"--dry-run", "", say("fetch, read and report, save nothing"), group, turns_on(options->dry_run)},
  };
  parsed.run = [options](Context& context) { return Updating(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
