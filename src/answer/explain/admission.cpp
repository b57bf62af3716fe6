#include "answer/explain/admission.hpp"

#include <algorithm>

#include "answer/explain/admission_relax.hpp"
#include "answer/facts/facts_of.hpp"
#include "base/words/message.hpp"
#include "physics/kinds/networks/processor.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

namespace {

using catalog::Instance;
using job::Job;

/// Constraints that have to go one after the other; more are no answer to anybody.
constexpr std::size_t kMostSteps = 12;
constexpr std::size_t kMostOthers = 6;
constexpr std::int64_t kMostNamed = 64;  // nodes

/// One constraint lifted, or one flag set.
struct Step {
  const Relaxation* limit = nullptr;  // null: a flag of the job, set as `change` says
  Change change;
  bool tight = false;  // the limit is not gone but set to what the instance needs
  bool bare = false;   // as if nobody had said anything, which of vendors is less than any
};
using Steps = std::vector<Step>;

/// Where the instance stands in an answer.
struct Standing {
  std::optional<Recommendation> ranked;
  std::size_t among = 0;
  std::string rule;  // that rejects it
  std::string message;
  std::shared_ptr<const Advice> advice;  // whose workload this is
  bool on_one_node = false;              // the answer has plans for single nodes only, as nobody asked for more

  explicit operator bool() const { return ranked.has_value(); }
};

class Admitter {
 public:
  Admitter(const Question& question, const Instance& instance, const catalog::Catalog& catalog,
           std::span<const rules::Rule> rules, const physics::Coefficients& coefficients)
      : asked_(question), instance_(instance), catalog_(catalog), rules_(rules), coefficients_(coefficients) {
    asked_.alternatives = false;
    asked_.every_rejection = true;
    asked_.detailed = 1;
  }

  Result<Admission> run() {
    auto first = ask(asked_);
    if (!first) return std::unexpected(first.error());
    out_.instance = &instance_;
    out_.rule = first->rule;
    out_.message = first->message;
    if (*first) return finish(*first);
    if (out_.never = beyond_change(); !out_.never.empty()) return std::move(out_);
    first_ = *first;
    Standing now = std::move(*first);
    for (; !now && now.advice && steps_.size() < kMostSteps; now = asked_with(steps_)) {
      const auto& counted = now.advice->work.counted;
      const bool demanded = counted && counted->demand;
      one_node_ = now.on_one_node && !demanded;
      by_itself_ = now.on_one_node || demanded;
      seen_.push_back(now.rule);
      Steps more = next(now);
      if (more.empty()) break;
      std::ranges::move(more, std::back_inserter(steps_));
    }
    if (!now) {
      const bool nodes_help = many_nodes_.empty() || many_nodes_ == now.message;
      out_.never = nodes_help ? now.message : say("{}; on more nodes: {}", now.message, many_nodes_);
      return std::move(out_);
    }
    tighten(steps_, now);
    drop_needless();
    const Steps loose = steps_;
    sharpen(steps_);
    drop_needless();
    const Standing least = asked_with(steps_);
    keep_cheaper(loose, least);
    return finish(least);
  }

 private:
  /// Targets and price trade against each other: the least change may be the dearer one.
  void keep_cheaper(const Steps& loose, const Standing& least) {
    constexpr double kCheaper = 0.99;
    Standing wide = asked_with(loose);
    if (!wide || !least || wide.ranked->cost.hourly > kCheaper * least.ranked->cost.hourly) return;
    for (const Step& step : loose) out_.cheaper.push_back(step.change);
    out_.cheaper_as = std::move(wide.ranked);
  }

  /// What no question alters.
  std::string beyond_change() const {
    if (instance_.offer_count == 0)
      return say("no price is published for it; --price {}=… gives it one of your own", instance_.sku);
    const bool accepts = asked_.constraints.include_unavailable.value_or(false);
    if (instance_.status == catalog::Availability::retired && !accepts)
      return say("it is retired and cannot be started; --include-unavailable would only list it");
    return {};
  }

  Result<Admission> finish(const Standing& now) {
    if (!now) {
      out_.never = now.message;
      return std::move(out_);
    }
    out_.as = now.ranked;
    out_.among = now.among;
    for (const Step& step : steps_) out_.changes.push_back(step.change);
    if (!steps_.empty()) find_others();
    return std::move(out_);
  }

  Result<Standing> ask(const Question& question) const {
    auto advice = recommend(question, catalog_, rules_, coefficients_);
    if (!advice) return std::unexpected(advice.error());
    Standing out;
    out.among = advice->recommendations.size();
    out.on_one_node = out.among > 0 && advice->recommendations.front().machine().nodes == 1;
    const auto found = std::ranges::find(advice->recommendations, &instance_, &Recommendation::instance);
    const auto fallen = std::ranges::find(advice->rejected, &instance_, &Rejection::instance);
    if (fallen != advice->rejected.end()) {
      out.rule = fallen->rule;
      out.message = fallen->message;
    }
    if (found != advice->recommendations.end()) out.ranked = std::move(*found);
    if (!out.ranked && out.message.empty()) out.message = say("it was not judged");
    advice->recommendations.clear();
    advice->rejected.clear();
    out.advice = std::make_shared<const Advice>(std::move(*advice));
    return out;
  }

  Question question_with(const Steps& steps) const {
    Question question = asked_;
    for (const Step& step : steps) {
      if (step.limit != nullptr && (!step.tight || step.limit->replaces))
        step.limit->copy(question, step.tight || step.bare ? Question{} : unbounded());
      if (step.limit == nullptr || step.tight) set_flag(question, step.change);
    }
    return question;
  }

  Standing asked_with(const Steps& steps) const {
    auto standing = ask(question_with(steps));
    if (standing) return std::move(*standing);
    Standing failed;
    failed.message = standing.error().message;
    return failed;
  }

  /// The same of this instance alone, which takes a fraction of the time.
  Standing alone_with(const Steps& steps) const {
    Question question = question_with(steps);
    question.only = &instance_;
    auto& limits = question.constraints;
    const bool counted = limits.nodes || limits.max_nodes || question.request.request_rate;
    // How many nodes others take bounds how many this one may.
    if (!by_itself_ && !counted) return asked_with(steps);
    if (one_node_ && !counted) limits.max_nodes = 1;
    auto standing = ask(question);
    if (standing) return std::move(*standing);
    Standing failed;
    failed.message = standing.error().message;
    return failed;
  }

  bool has(std::string_view rule) const {
    return std::ranges::any_of(steps_,
                               [&](const Step& step) { return step.limit != nullptr && step.limit->rule == rule; });
  }

  static Step lifted(const Relaxation& limit, const Standing& by) {
    return {&limit, {.flag = "--" + std::string(limit.rule), .rule = by.rule, .message = by.message}, false};
  }

  /// What answers the rule by which it fell.
  Steps next(const Standing& now) {
    const Relaxation* limit = find_relaxation(now.rule);
    if (limit != nullptr && !has(now.rule)) return {lifted(*limit, now)};
    if (now.rule == "no-gpu") return without_gpu_limits(now);
    std::optional<Steps> on_the_way;  // it passes here, and falls by something else later
    bool by_limit = false;
    for (Steps& proposal : proposals(now)) {
      Steps all = steps_;
      std::ranges::copy(proposal, std::back_inserter(all));
      const Standing then = alone_with(all);
      if (then) return std::move(proposal);
      if (is_of_nodes(proposal)) many_nodes_ = then.message;
      const bool limit_later = find_relaxation(then.rule) != nullptr && !has(then.rule);
      const bool other_later = !then.rule.empty() && std::ranges::find(seen_, then.rule) == seen_.end();
      if ((limit_later && !by_limit) || (other_later && !on_the_way)) {
        on_the_way = std::move(proposal);
        by_limit = limit_later;
      }
    }
    return on_the_way ? std::move(*on_the_way) : Steps{};
  }

  static bool is_of_nodes(const Steps& steps) {
    return steps.size() == 1 && steps.front().limit != nullptr && steps.front().limit->rule == "max-nodes";
  }

  static bool is_latency(std::string_view rule) {
    return std::ranges::any_of(physics::latency_targets(), [&](const auto& target) { return target.key == rule; });
  }

  Steps without_gpu_limits(const Standing& now) const {
    Steps steps;
    if (!physics::runs_on_cpus(now.advice->work)) return steps;
    for (const job::Limit& limit : job::limits()) {
      if (!limit.also.needs_gpu || has(limit.id())) continue;
      steps.push_back(lifted(*find_relaxation(limit.id()), now));
      steps.back().bare = true;
    }
    return steps;
  }

  /// Ways to change the job, those that change least first.
  std::vector<Steps> proposals(const Standing& now) const {
    std::vector<Steps> all;
    const auto set = [&](std::string flag, std::string value) -> Step {
      return {nullptr,
              {.flag = std::move(flag), .value = std::move(value), .rule = now.rule, .message = now.message},
              true};
    };
    const auto& request = asked_.request;
    if (!asked_.constraints.include_unavailable.value_or(false)) all.push_back({set("--include-unavailable", "true")});
    for (const Relaxation& pin : pins()) {
      if (std::ranges::find(request.given, pin.rule) == request.given.end()) continue;
      Step step = lifted(pin, now);
      std::ranges::replace(step.change.flag, '_', '-');
      all.push_back({std::move(step)});
    }
    Steps targets;
    for (const Relaxation& limit : plan_relaxations()) {
      if (has(limit.rule)) continue;
      all.push_back({lifted(limit, now)});
      if (is_latency(limit.rule)) targets.push_back(lifted(limit, now));
    }
    if (targets.size() > 1) all.push_back(targets);
    const Job& work = now.advice->work;
    if (!work.counted) job::is_training(work.task) ? add_training(now, set, all) : add_serving(now, set, all);
    // How many nodes are tried is no promise: a number that is named may do.
    if (!asked_.constraints.nodes && !asked_.constraints.max_nodes)
      for (std::int64_t nodes = 2; nodes <= kMostNamed; nodes *= 2)
        all.push_back({set("--nodes", format("{}", nodes))});
    return all;
  }

  template <class Set>
  void add_training(const Standing& now, const Set& set, std::vector<Steps>& all) const {
    using job::Method;
    const auto& job = now.advice->work.training;
    const bool tunes = now.advice->work.task == job::Task::finetune;
    all.push_back({set("--activation-checkpointing", "full")});
    if (tunes && job.method == Method::full) all.push_back({set("--method", "lora")});
    if (tunes && job.method != Method::qlora) all.push_back({set("--method", "qlora")});
    add_lower("--seq-len", job.seq_len, now, all);
  }

  template <class Set>
  void add_serving(const Standing& now, const Set& set, std::vector<Steps>& all) const {
    constexpr std::string_view kNearlyAll = "0.97";  // of the card
    const auto& job = now.advice->work.inference;
    if (!job.mem_utilization) all.push_back({set("--mem-utilization", std::string(kNearlyAll))});
    if (!job.kv_precision) all.push_back({set("--kv-precision", "fp8")});
    Steps last;
    for (const std::string_view format : physics::served_formats(job.engine)) {
      last = {set("--weights-precision", std::string(format))};
      all.push_back(last);
    }
    if (job.concurrency) add_lower("--concurrency", *job.concurrency, now, all);
    const bool by_context = asked_.request.context.has_value();
    add_lower(by_context ? "--context" : "--input-tokens", by_context ? *asked_.request.context : job.input_tokens, now,
              all);
    if (last.empty()) return;
    last.push_back({&plan_relaxations().back(), lifted(plan_relaxations().back(), now).change, false});
    all.push_back(std::move(last));
  }

  /// The largest smaller number that lets the instance pass; nothing where none does.
  void add_lower(std::string flag, std::int64_t from, const Standing& now, std::vector<Steps>& all) const {
    const auto with = [&](std::int64_t value) -> Step {
      return {nullptr, {.flag = flag, .value = format("{}", value), .rule = now.rule, .message = now.message}, true};
    };
    const auto passes = [&](std::int64_t value) {
      Steps steps = steps_;
      steps.push_back(with(value));
      return static_cast<bool>(alone_with(steps));
    };
    std::int64_t low = from / 2;
    while (low > 0 && !passes(low)) low /= 2;
    if (low == 0) return;
    const std::int64_t unit = std::max<std::int64_t>(1, low / 16);  // as fine as anybody would choose
    std::int64_t high = std::min(from - 1, 2 * low);
    while (high - low >= unit) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      if (passes(middle))
        low = middle;
      else
        high = middle - 1;
    }
    all.push_back({with(low)});
  }

  /// From "without the limit" to what the instance needs of it.
  void tighten(Steps& steps, const Standing& now) const {
    const Question open = question_with(steps);
    const rules::Facts facts = facts_to_pass(*now.ranked, now.advice->work, open, catalog_, coefficients_);
    for (Step& step : steps) {
      if (step.limit == nullptr) continue;
      const Step loose = step;
      Change needed = step.limit->need({asked_, *now.ranked, facts});
      if (needed.value.empty()) continue;
      needed.rule = step.change.rule;
      needed.message = step.change.message;
      step.change = std::move(needed);
      step.tight = true;
      if (!alone_with(steps) && !widen(step, steps)) step = loose;
    }
  }

  /// A target that is met in the middle is not met with the confidence that is asked for: more of it, until it is.
  bool widen(Step& step, const Steps& steps) const {
    constexpr double kMost = 8;
    const auto yielded = yielded_by(*step.limit, step.change, asked_);
    if (!yielded) return false;
    for (double share = 1.25; share <= kMost; share *= 1.25) {
      yielded->set(share);
      if (alone_with(steps)) return true;
    }
    return false;
  }

  /// What the instance would have with the limits gone is the plan that is best then. A plan that costs more may do
  /// with less: halves what was given way to, of all such limits alike and then of each, as long as it passes.
  void sharpen(Steps& steps) const {
    const Steps before = steps;
    std::vector<Yielded> yielded;
    for (Step& step : steps)
      if (step.limit != nullptr && step.tight)
        if (auto one = yielded_by(*step.limit, step.change, asked_)) yielded.push_back(std::move(*one));
    if (yielded.empty()) return;
    const auto passes = [&] { return static_cast<bool>(alone_with(steps)); };
    if (yielded.size() > 1) halve(yielded, passes);
    for (Yielded& one : yielded) halve({&one, 1}, passes);
    if (!asked_with(steps)) steps = before;
  }

  void drop_needless() {
    for (std::size_t i = 0; i < steps_.size() && steps_.size() > 1;) {
      Steps fewer = steps_;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (asked_with(fewer))
        steps_ = std::move(fewer);
      else
        ++i;
    }
  }

  /// Single changes of another kind.
  void find_others() {
    const Steps chosen = std::exchange(steps_, {});
    std::vector<Steps> ways;
    for (const Relaxation& limit : limit_relaxations()) ways.push_back({lifted(limit, first_)});
    std::ranges::move(proposals(first_), std::back_inserter(ways));
    for (Steps& way : ways) {
      if (out_.others.size() == kMostOthers) break;
      if (way.size() != 1) continue;
      // Lifted, not only set: a limit that keeps others out is no change for this one.
      if (!alone_with(way)) continue;
      const Standing then = asked_with(way);
      if (!then) continue;
      tighten(way, then);
      sharpen(way);
      const bool known =
          std::ranges::any_of(chosen, [&](const Step& step) { return step.change.flag == way.front().change.flag; });
      if (!known) out_.others.push_back(way.front().change);
    }
    steps_ = chosen;
  }

  Question asked_;
  const Instance& instance_;
  const catalog::Catalog& catalog_;
  std::span<const rules::Rule> rules_;
  const physics::Coefficients& coefficients_;
  Standing first_;
  Steps steps_;
  std::vector<std::string> seen_;  // rules by which it fell
  std::string many_nodes_;         // why it falls on any number of nodes
  bool one_node_ = false;          // is all that anything gets unless it is asked for
  bool by_itself_ = false;         // no other instance matters to whether this one passes
  Admission out_;
};

}  // namespace

std::string change_text(const Change& change) {
  if (change.value.empty()) return say("without {}", change.flag);
  if (change.value == "true") return change.flag;
  // Counted GPUs, "h100:8", are no list: the flag is given once more.
  const bool alone = change.given.empty() || change.given.contains(':') || change.value.contains(':');
  return format("{} {}{}{}", change.flag, alone ? "" : change.given, alone ? "" : ",", change.value);
}

Result<Admission> admission(const Question& question, const Instance& instance, const catalog::Catalog& catalog,
                            std::span<const rules::Rule> rules, const physics::Coefficients& coefficients) {
  return Admitter(question, instance, catalog, rules, coefficients).run();
}

}  // namespace gpusel::answer
