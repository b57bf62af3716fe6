// gpusel diff: what has changed since a lock, and which fact caused it. Each changed fact is set back alone, and the
// question asked again: what moves then is that fact's doing.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/gate/diff_export.hpp"
#include "cli/gate/lock.hpp"
#include "cli/question/answer.hpp"
#include "show/gate/lock.hpp"
#include "show/gate/lock_diff.hpp"

namespace gpusel::cli {

namespace {

/// A replay takes tens of milliseconds; beyond these, facts are named without one.
constexpr std::size_t kMostReplays = 64;

struct DiffOptions {
  std::vector<std::string> locks;
  double tolerance = 0;
  bool exit_code = false;
  bool any_question = false;
};

class Diff {
 public:
  Diff(DiffOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    const bool named = !options_.locks.empty();
    if (!named) options_.locks.emplace_back(kUsualLock);
    if (options_.locks.size() > 2)
      return context_.fail(Error{ErrorKind::usage,
                                 say("{} locks to compare", options_.locks.size()),
                                 {},
                                 say("use one, or an old and a new one")});
    const CommonOptions& common = context_.common;
    if (options_.locks.size() == 2 && !(common.overlays.empty() && common.catalog.empty()))
      return context_.fail(Error{ErrorKind::usage, say("has no effect: two locks are compared as they are"),
                                 common.overlays.empty() ? "--catalog" : "--overlay",
                                 say("use one lock, whose question is asked again")});
    if (options_.locks.size() == 1 && options_.any_question)
      return context_.fail(Error{ErrorKind::usage, say("has no effect: one lock has one question"), "--any-question",
                                 say("remove it, or add a second lock")});
    const std::string& first = options_.locks.front();
    const auto text = read_input(first);
    if (!text) {
      Error error = text.error();
      if (!named) error.hint = say("write it first: gpusel lock llama-3.1-8b --rps 10");
      return context_.fail(error);
    }
    if (auto question = options_.locks.size() == 1 ? exported_question(*text) : std::nullopt)
      return diff_export(input_name(first), *text, std::move(*question), options_.exit_code, context_);
    auto before = show::read_lock(*text, input_name(first));
    if (!before) return context_.fail(before.error());
    if (const int status = options_.locks.size() == 2 ? compare(std::move(*before)) : ask_again(std::move(*before));
        status != kOk)
      return status;
    const int status = verdict();
    print({.data = [&] { return show::lock_diff_json(difference_, status); },
           .document = [&](bool all) { return show::lock_diff_page(difference_, all); },
           .csv = [&] { return show::lock_diff_table(difference_); }},
          *format, context_);
    return status;
  }

 private:
  int compare(show::Json before) {
    const auto text = read_input(options_.locks.back());
    if (!text) return context_.fail(text.error());
    auto after = show::read_lock(*text, input_name(options_.locks.back()));
    if (!after) return context_.fail(after.error());
    if (const Status comparable = check_questions(before, *after); !comparable)
      return context_.fail(comparable.error());
    difference_ = show::compare_locks(std::move(before), std::move(*after));
    return kOk;
  }

  Status check_questions(const show::Json& before, const show::Json& after) const {
    const std::string& file = options_.locks.back();
    const std::string then = before["currency"].get<std::string>();
    const std::string now = after["currency"].get<std::string>();
    if (then != now)
      return usage_error(
          say("in {}, but the other lock is in {}: costs are not compared", printable(now), printable(then)), file,
          say("lock both with one --currency"));
    const show::QuestionDifference words = show::question_difference(before, after);
    if (words.empty() || options_.any_question) return {};
    const std::string& one = words.only_after.empty() ? words.only_before.front() : words.only_after.front();
    const std::string shown = printable(shorten(one, 60));
    return usage_error(words.only_after.empty() ? say("asks a different question: '{}' is missing", shown)
                                                : say("asks a different question: only this one has '{}'", shown),
                       file, say("--any-question compares their answers anyway"));
  }

  int ask_again(show::Json before) {
    for (const show::Json& word : before["question"]["words"]) words_.push_back(word.get<std::string>());
    const std::vector<std::string> locked_words = words_;
    // Facts named here are today's: they are laid over those of the question.
    for (const std::string& overlay : context_.common.overlays) words_.insert(words_.end(), {"--overlay", overlay});
    if (!context_.common.catalog.empty()) words_.insert(words_.end(), {"--catalog", context_.common.catalog});
    Replay now;
    now.documents = context_.replay.documents;
    auto after = lock_again(words_, now, &before, false, context_);
    if (!after) return after.error();
    recall_facts(before, *after, locked_words);
    difference_ = show::compare_locks(std::move(before), std::move(*after));
    difference_.asked_again = true;
    add_day();
    add_new_instances();
    if (!difference_.facts.empty() || !difference_.empty()) find_causes();
    return kOk;
  }

  /// Of instances that have come to the fore the lock may have kept nothing; where the catalogue that it was made of is
  /// still there, that says what held.
  void recall_facts(show::Json& before, const show::Json& after, const std::vector<std::string>& words) const {
    const show::Json& now = after["facts"]["instances"];
    const show::Json& kept = before["facts"]["instances"];
    if (std::ranges::all_of(now.items(), [&](const auto& one) { return kept.contains(one.key()); })) return;
    Replay then;
    then.documents = context_.replay.documents;
    const auto locked = lock_again(words, std::move(then), &after, true, context_);
    if (locked && (*locked)["versions"]["catalog"]["hash"] == before["versions"]["catalog"]["hash"])
      show::add_facts(before, *locked);
  }

  void find_causes() {
    const show::Json then = show::known_facts(difference_.before);
    const show::Json now = show::known_facts(difference_.after);
    const show::Json& ranking = difference_.after["ranking"];
    const auto locked_day = Date::parse(difference_.before["today"].get<std::string>());
    Replay all{.today = locked_day.value_or(Date{}), .documents = {}, .instead = nullptr};
    std::size_t replays = 0;
    std::vector<Part> parts;
    for (show::FactDifference& one : difference_.facts) {
      Replay alone;
      if (one.fact.section == "today")
        alone.today = all.today;
      else if (auto document = show::set_back(one.fact, then, now))
        alone.documents.push_back(std::move(*document));
      if (!alone.today.known() && alone.documents.empty()) continue;
      if (++replays > kMostReplays) continue;
      const auto without = lock_again(words_, alone, &difference_.before, true, context_);
      if (!without) continue;  // no overlay of today can say what the lock does
      all.documents.insert(all.documents.end(), alone.documents.begin(), alone.documents.end());
      const show::Json& other = (*without)["ranking"];
      one.effect = show::effect_of(ranking, other);
      if (!other.empty()) one.without = other.front();
      parts.push_back({&one, std::move(alone)});
    }
    find_joint_cause(parts);
    std::ranges::stable_sort(difference_.facts, {}, [](const show::FactDifference& one) {
      return one.effect.value_or(show::FactEffect::ranking);
    });
    if (difference_.empty()) return;
    const auto restored = lock_again(words_, std::move(all), &difference_.before, true, context_);
    const show::Json& locked = difference_.before["ranking"];
    difference_.explained = restored && show::effect_of(locked, (*restored)["ranking"]) == show::FactEffect::nothing;
  }

  /// A fact with what sets it back.
  struct Part {
    show::FactDifference* fact;
    Replay back;
  };

  static show::FactEffect most_of(const std::vector<Part>& parts) {
    auto most = show::FactEffect::nothing;
    for (const Part& part : parts) most = std::min(most, *part.fact->effect);
    return most;
  }

  /// The answer with all of these set back; null: none.
  show::Json without(std::span<const Part* const> parts) const {
    Replay all;
    for (const Part* part : parts) {
      if (part->back.today.known()) all.today = part->back.today;
      all.documents.insert(all.documents.end(), part->back.documents.begin(), part->back.documents.end());
    }
    const auto lock = lock_again(words_, std::move(all), &difference_.before, true, context_);
    return lock ? (*lock)["ranking"] : show::Json();
  }

  /// Where no fact moves the best alone, the fewest that do it together: each is left out in turn, and stays out where
  /// the others suffice.
  void find_joint_cause(const std::vector<Part>& parts) const {
    const show::Json& ranking = difference_.after["ranking"];
    const auto wanted = difference_.best_changed()                   ? show::FactEffect::best
                        : difference_.cost_change().value_or(0) != 0 ? show::FactEffect::cost
                                                                     : show::FactEffect::nothing;
    if (wanted == show::FactEffect::nothing || parts.size() < 2 || most_of(parts) <= wanted) return;
    std::vector<const Part*> joint;
    for (const Part& part : parts) joint.push_back(&part);
    // Those that move nothing alone are left out first.
    std::ranges::stable_sort(joint, std::ranges::greater(), [](const Part* part) { return *part->fact->effect; });
    const auto suffices = [&](const show::Json& other) {
      return !other.is_null() && show::effect_of(ranking, other) <= wanted;
    };
    show::Json other = without(joint);
    if (!suffices(other)) return;
    for (std::size_t i = 0; i < joint.size();) {
      std::vector<const Part*> fewer = joint;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      show::Json left = without(fewer);
      if (!suffices(left)) {
        ++i;
        continue;
      }
      joint = std::move(fewer);
      other = std::move(left);
    }
    for (const Part* part : joint) {
      part->fact->effect = show::FactEffect::together;
      part->fact->without = other.empty() ? show::Json() : other.front();
    }
  }

  /// The day is a fact, too: prices grow older.
  void add_day() {
    const show::Json& then = difference_.before["today"];
    const show::Json& now = difference_.after["today"];
    if (then != now) difference_.facts.push_back({{"today", {}, {}, then, now}, std::nullopt, nullptr});
  }

  /// Instances that neither the locked ranking nor its rejections knew.
  void add_new_instances() {
    for (const show::RowDifference& row : difference_.rows) {
      if (row.change != show::RowChange::appeared) continue;
      const std::string name = row.after["provider"].get<std::string>() + "/" + row.after["sku"].get<std::string>();
      if (difference_.before["rejected"].contains(name)) continue;
      difference_.facts.push_back({{"instances", name, {}, nullptr, row.after["gpu"]}, std::nullopt, nullptr});
    }
  }

  int verdict() const {
    if (!options_.exit_code) return kOk;
    const auto cost = difference_.cost_change();
    return difference_.best_changed() || !difference_.same_unit() || std::abs(cost.value_or(0)) > options_.tolerance
               ? kPolicy
               : kOk;
  }

  DiffOptions& options_;
  Context& context_;
  std::vector<std::string> words_;
  show::LockDifference difference_;
};

}  // namespace

Parsed make_diff() {
  auto options = std::make_shared<DiffOptions>();
  Parsed parsed;
  parsed.positional = "LOCKS";
  parsed.positional_places = {{"", "FILE"}};
  parsed.positional_help =
      say("a lock, or a file that gpusel export wrote, whose question is asked again (default gpusel.lock); or an old "
          "and a new lock");
  parsed.positional_set = appends_to(options->locks);
  const std::string group = say("Difference");
  parsed.flags.push_back({"--exit-code", "", say("status 4 if the best instance or its cost has changed"), group,
                          turns_on(options->exit_code)});
  parsed.flags.push_back({"--any-question", "", say("compare two locks even if they ask different questions"), group,
                          turns_on(options->any_question)});
  parsed.flags.push_back({"--tolerance", "SHARE", say("cost change that --exit-code accepts: 5% (default 0)"), group,
                          [options](std::string_view text) -> Status {
                            const auto share = parse_share(text);
                            if (!share) return std::unexpected(share.error());
                            options->tolerance = *share;
                            return {};
                          }});
  parsed.run = [options](Context& context) { return Diff(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
