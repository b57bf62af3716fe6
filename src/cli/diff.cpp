// gpusel diff: what has changed since a lock, and which fact caused it. Each changed fact is set back alone, and the
// question asked again: what moves then is that fact's doing.
#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/lock.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/share.hpp"
#include "gpusel/base/text.hpp"
#include "report/lock.hpp"
#include "report/lock_diff.hpp"

namespace gpusel::cli {

namespace {

/// A replay takes tens of milliseconds; beyond these, facts are named without one.
constexpr std::size_t kMostReplays = 64;

struct DiffOptions {
  std::vector<std::string> locks;
  double tolerance = 0;
  bool exit_code = false;
};

class Diff {
 public:
  Diff(const DiffOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    if (options_.locks.size() > 2)
      return context_.fail(Error{ErrorKind::usage,
                                 say("{} locks to compare", options_.locks.size()),
                                 {},
                                 say("give one, or an old and a new one")});
    const CommonOptions& common = context_.common;
    if (options_.locks.size() == 2 && !(common.overlays.empty() && common.catalog.empty()))
      return context_.fail(Error{ErrorKind::usage, say("changes nothing here: two locks are compared as they stand"),
                                 common.overlays.empty() ? "--catalog" : "--overlay",
                                 say("give one lock, whose question is asked again")});
    auto before = read(options_.locks.front());
    if (!before) return context_.fail(before.error());
    if (const int status = options_.locks.size() == 2 ? compare(std::move(*before)) : ask_again(std::move(*before));
        status != kOk)
      return status;
    const int status = verdict();
    print({[&] { return report::lock_diff_json(difference_, status); },
           [&](std::string_view kind, const report::Terminal& terminal) {
             return report::lock_diff_text(difference_, kind, terminal);
           }},
          *format, context_);
    return status;
  }

 private:
  static Result<report::Json> read(const std::string& file) {
    const auto text = read_input(file);
    if (!text) return std::unexpected(text.error());
    return report::read_lock(*text, input_name(file));
  }

  int compare(report::Json before) {
    auto after = read(options_.locks.back());
    if (!after) return context_.fail(after.error());
    difference_ = report::compare_locks(std::move(before), std::move(*after));
    return kOk;
  }

  int ask_again(report::Json before) {
    for (const report::Json& word : before["question"]["words"]) words_.push_back(word.get<std::string>());
    // Facts named here are today's: they are laid over those of the question.
    for (const std::string& overlay : context_.common.overlays) words_.insert(words_.end(), {"--overlay", overlay});
    if (!context_.common.catalog.empty()) words_.insert(words_.end(), {"--catalog", context_.common.catalog});
    Replay now;
    now.documents = context_.replay.documents;
    auto after = lock_again(words_, now, &before, false, context_);
    if (!after) return after.error();
    difference_ = report::compare_locks(std::move(before), std::move(*after));
    difference_.asked_again = true;
    add_day();
    add_new_instances();
    if (!difference_.facts.empty() || !difference_.empty()) find_causes();
    return kOk;
  }

  void find_causes() {
    const report::Json then = report::known_facts(difference_.before);
    const report::Json now = report::known_facts(difference_.after);
    const report::Json& ranking = difference_.after["ranking"];
    const auto locked_day = Date::parse(difference_.before["today"].get<std::string>());
    Replay all{.today = locked_day.value_or(Date{}), .documents = {}, .instead = nullptr};
    std::size_t replays = 0;
    for (report::FactDifference& one : difference_.facts) {
      Replay alone;
      if (one.fact.section == "today")
        alone.today = all.today;
      else if (auto document = report::set_back(one.fact, then, now))
        alone.documents.push_back(std::move(*document));
      if (!alone.today.known() && alone.documents.empty()) continue;
      if (++replays > kMostReplays) continue;
      const auto without = lock_again(words_, alone, &difference_.before, true, context_);
      if (!without) continue;  // no overlay of today can say what the lock does
      all.documents.insert(all.documents.end(), alone.documents.begin(), alone.documents.end());
      const report::Json& other = (*without)["ranking"];
      one.effect = report::effect_of(ranking, other);
      if (!other.empty()) one.without = other.front();
    }
    std::ranges::stable_sort(difference_.facts, {}, [](const report::FactDifference& one) {
      return one.effect.value_or(report::FactEffect::ranking);
    });
    if (difference_.empty()) return;
    const auto restored = lock_again(words_, std::move(all), &difference_.before, true, context_);
    const report::Json& locked = difference_.before["ranking"];
    difference_.explained =
        restored && report::effect_of(locked, (*restored)["ranking"]) == report::FactEffect::nothing;
  }

  /// The day is a fact, too: prices grow older.
  void add_day() {
    const report::Json& then = difference_.before["today"];
    const report::Json& now = difference_.after["today"];
    if (then != now) difference_.facts.push_back({{"today", {}, {}, then, now}, std::nullopt, nullptr});
  }

  /// Instances that neither the locked ranking nor its rejections knew.
  void add_new_instances() {
    for (const report::RowDifference& row : difference_.rows) {
      if (row.change != report::RowChange::appeared) continue;
      const std::string name = row.after["provider"].get<std::string>() + "/" + row.after["sku"].get<std::string>();
      if (difference_.before["rejected"].contains(name)) continue;
      difference_.facts.push_back({{"instances", name, {}, nullptr, row.after["gpu"]}, std::nullopt, nullptr});
    }
  }

  int verdict() const {
    if (!options_.exit_code) return kOk;
    const auto cost = difference_.cost_change();
    return difference_.best_changed() || std::abs(cost.value_or(0)) > options_.tolerance ? kPolicy : kOk;
  }

  const DiffOptions& options_;
  Context& context_;
  std::vector<std::string> words_;
  report::LockDifference difference_;
};

}  // namespace

Parsed make_diff() {
  auto options = std::make_shared<DiffOptions>();
  Parsed parsed;
  parsed.positional = "LOCKS";
  parsed.positional_places = {{"", "FILE"}};
  parsed.positional_help = say("a lock, whose question is asked again; or an old and a new one");
  parsed.positional_required = true;
  parsed.positional_set = [options](std::string_view file) -> Status {
    options->locks.emplace_back(file);
    return {};
  };
  const std::string group = say("Difference");
  parsed.flags.push_back({"--exit-code", "", say("status 4 if the best instance or its cost has changed"), group,
                          [options](std::string_view) -> Status {
                            options->exit_code = true;
                            return {};
                          }});
  parsed.flags.push_back({"--tolerance", "SHARE", say("change of the cost that --exit-code lets pass: 5% (default 0)"),
                          group, [options](std::string_view text) -> Status {
                            const auto share = parse_share(text);
                            if (!share) return std::unexpected(share.error());
                            options->tolerance = *share;
                            return {};
                          }});
  parsed.run = [options](Context& context) { return Diff(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
