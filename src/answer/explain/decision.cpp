#include "answer/explain/decision.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text/joined.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "job/limits/limits.hpp"

namespace gpusel::answer {

namespace {

using job::Job;

constexpr std::size_t kNamedGpus = 3;  // GPUs in one step
constexpr std::size_t kRulesNamed = 3;
/// Slower than this is worth a word beside the cost.
constexpr double kMuchSlower = 3;
/// A difference that a person would not decide by.
constexpr double kAlike = 1.02;
constexpr double kTwice = 1.95;  // below it a factor says less than per cent

/// "vram too small": the name of a rule in the reader's language, else what it says in brief, else its id's words.
std::string rule_words(std::string_view id, std::span<const rules::Rule> rules) {
  std::string words = say_name(id);
  if (words != id) return words;
  const auto rule = std::ranges::find(rules, id, &rules::Rule::id);
  if (rule != rules.end() && !rule->in_brief.empty()) return rule->in_brief;
  std::replace(words.begin(), words.end(), '-', ' ');
  return words;
}

std::string times(double factor) { return factor < 99.5 ? format("{:.2g}", factor) : human_number(std::round(factor)); }

/// "t4, a10 and 7 more".
std::string named(const std::vector<std::string>& gpus) {
  std::string list;
  for (std::size_t i = 0; i < std::min(kNamedGpus, gpus.size()); ++i) add_name(list, gpus[i]);
  return gpus.size() > kNamedGpus ? say("{} and {} more", list, gpus.size() - kNamedGpus) : list;
}

class PathFinder {
 public:
  PathFinder(const Advice& advice, std::span<const RejectedInstance> fallen, const SearchContext& context)
      : advice_(advice),
        fallen_(fallen),
        context_(context),
        work_(advice.work),
        best_(advice.recommendations.empty() ? nullptr : &advice.recommendations.front()),
        ranked_(context.catalog.gpus().size()) {
    for (const Recommendation& r : advice.recommendations)
      if (r.gpu != nullptr) ranked_[index(*r.gpu)] = true;
  }

  std::vector<std::string> run() {
    add(job());
    for (std::string& step : ruled_out()) add(std::move(step));
    if (best_ == nullptr) {
      add(decisive_limit());
      add(say("nothing is left"));
      return std::move(path_);
    }
    add(bound());
    add(next_gpu());
    add(against_cpus());
    add(term());
    return std::move(path_);
  }

 private:
  void add(std::string step) {
    if (!step.empty()) path_.push_back(std::move(step));
  }

  std::string job() const {
    const std::string task = work_.task == job::Task::pretrain   ? say("pretraining")
                             : work_.task == job::Task::finetune ? say("fine-tuning")
                                                                 : said(work_.task);
    if (work_.model != nullptr) {
      const bool adapts = work_.task == job::Task::finetune && work_.training.method != job::Method::full;
      return adapts ? say("{} of {} by {}", task, work_.model->id, to_text(work_.training.method))
                    : say("{} of {}", task, work_.model->id);
    }
    if (const auto* session = std::get_if<job::SessionJob>(&work_.counted->job))
      return say("{} rendering", said(session->kind));
    if (const auto* render = std::get_if<job::OfflineRender>(&work_.counted->job))
      return say("offline rendering with {}", to_text(render->renderer));
    return task;
  }

  /// Rules about what the job needs, not about markets or what was asked for.
  bool about_the_job(std::string_view id) const {
    static constexpr std::string_view kRulesOfPlans[] = {to_name("no-room-for-cache"), to_name("too-slow"),
                                                         to_name("lacks-hardware"), to_name("engine-refuses"),
                                                         to_name("deadline")};
    if (std::find(std::begin(kRulesOfPlans), std::end(kRulesOfPlans), id) != std::end(kRulesOfPlans)) return true;
    for (const rules::Rule& rule : context_.rules) {
      if (rule.id != id || rule.effect != rules::Effect::reject) continue;
      if (rule.fit != rules::FitVerdict::fits) return true;
      if (rules::facts_in(rule.when).any_of(is_of_job)) return true;
    }
    return false;
  }
  static bool is_of_job(rules::Fact fact) {
    return fact != rules::Fact::accepts_unavailable && rules::info(fact).stage == rules::Stage::job;
  }

  /// For each such rule the GPUs that nothing else of theirs got past it, most GPUs first.
  std::vector<std::string> ruled_out() const {
    struct Named {
      std::string_view gpu;
      bool whole;  // else only parts of it
    };
    std::map<std::string_view, std::vector<Named>> fallen;
    std::string_view rule;
    bool told = false;
    for (const RejectedInstance& one : fallen_) {
      if (std::exchange(rule, one.rule) != one.rule) told = about_the_job(one.rule);
      const catalog::Gpu* gpu = told ? context_.catalog.gpu_of(*one.instance) : nullptr;
      if (gpu == nullptr || ranked_[index(*gpu)]) continue;
      const double devices = devices_of(*one.instance, *gpu);
      const bool whole = devices <= 0 || devices >= 1;
      auto& gpus = fallen[one.rule];
      const auto known = std::ranges::find(gpus, std::string_view(gpu->id), &Named::gpu);
      if (known == gpus.end())
        gpus.push_back({gpu->id, whole});
      else
        known->whole = known->whole || whole;
    }
    std::vector<std::pair<std::string_view, std::vector<std::string>>> order;
    for (const auto& [id, gpus] : fallen) {
      auto& names = order.emplace_back(id, std::vector<std::string>{}).second;
      for (const Named& one : gpus) names.push_back(one.whole ? std::string(one.gpu) : say("parts of {}", one.gpu));
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < std::min(kRulesNamed, order.size()); ++i)
      steps.push_back(say("{}: excludes {}", rule_words(order[i].first, context_.rules), named(order[i].second)));
    return steps;
  }
  /// The limit of the question that most instances fell by, where it left nothing.
  std::string decisive_limit() const {
    std::map<std::string_view, std::size_t> fallen;
    for (const RejectedInstance& one : fallen_)
      if (is_asked(one.rule)) ++fallen[one.rule];
    const auto most = std::ranges::max_element(fallen, {}, [](const auto& each) { return each.second; });
    return most == fallen.end() ? std::string() : say("--{}: excludes {} instances", most->first, most->second);
  }
  /// Limits that nobody gave are those of every answer.
  bool is_asked(std::string_view rule) const {
    const job::Limit* limit = job::find_limit(rule);
    if (limit == nullptr || limit->form.judge == nullptr) return false;
    return limit->also.usual.empty() || limit->also.usual_for != job::Usual::job ||
           limit->is_given(context_.question.constraints);
  }

  std::size_t index(const catalog::Gpu& gpu) const {
    return static_cast<std::size_t>(&gpu - context_.catalog.gpus().data());
  }

  std::string bound() const {
    const std::string_view what = best_->plan().bound_by;
    return what.empty() ? std::string() : say("{} bound", say_name(what));
  }

  std::string unit() const {
    if (work_.counted && work_.counted->demand) return say("per hour");
    if (work_.counted && best_->cost.per_unit) return say("per {}", say_name(work_.priced_unit()));
    return best_->cost.per_million_tokens && !work_.inference.request_rate ? say("per million tokens")
                                                                           : say("per hour");
  }

  static std::string_view kind(const Recommendation& r) {
    return r.gpu != nullptr ? r.gpu->id : std::string_view("CPU");
  }

  /// The best answer on another GPU, and by how much it is behind.
  std::string next_gpu() const {
    const auto next = std::find_if(
        advice_.recommendations.begin(), advice_.recommendations.end(),
        [&](const Recommendation& r) { return r.gpu != best_->gpu && r.gpu != nullptr && best_->gpu != nullptr; });
    if (next == advice_.recommendations.end())
      return best_->gpu != nullptr ? say("{} alone is left", best_->gpu->id) : std::string();
    const double dearer = cost_measure(next->cost, work_) / cost_measure(best_->cost, work_);
    const double slower = speed_measure(*best_, work_) / speed_measure(*next, work_);
    const std::string pair = say("{} before {}", kind(*best_), kind(*next));
    const auto percent = [](double ratio) { return 100 * (ratio - 1); };
    if (dearer >= kTwice) return say("{}, which costs {}× as much {}", pair, times(dearer), unit());
    if (dearer >= kAlike) return say("{}, which costs {:.0f} % more {}", pair, percent(dearer), unit());
    if (slower >= kTwice) return say("{}, which takes {}× as long", pair, times(slower));
    if (slower >= kAlike) return say("{}, which takes {:.0f} % longer", pair, percent(slower));
    if (dearer <= 1 / kAlike) return say("{}, cheaper but with points deducted", pair);
    return say("{}, about the same", pair);
  }

  std::string against_cpus() const {
    const bool on_cpu = best_->gpu == nullptr;
    const auto other = std::find_if(advice_.recommendations.begin(), advice_.recommendations.end(),
                                    [&](const Recommendation& r) { return (r.gpu == nullptr) != on_cpu; });
    if (other == advice_.recommendations.end()) return {};
    const double dearer = cost_measure(other->cost, work_) / cost_measure(best_->cost, work_);
    const double slower = speed_measure(*best_, work_) / speed_measure(*other, work_);
    if (on_cpu)
      return say("a GPU would be wasted: the best, {}, costs {}× as much {}", kind(*other), times(dearer), unit());
    if (slower < kMuchSlower) return say("a CPU costs {}× as much {}", times(dearer), unit());
    return say("a CPU costs {}× as much {} and takes {}× as long", times(dearer), unit(), times(slower));
  }

  /// What may be broken off and taken up again: training, files, frames, batches.
  bool is_interruptible() const {
    if (!work_.counted) return work_.ends();
    const job::Counted& counted = *work_.counted;
    if (std::holds_alternative<job::SessionJob>(counted.job) || counted.demand || counted.latency_ms) return false;
    const auto* transcode = std::get_if<job::TranscodeJob>(&counted.job);
    return transcode == nullptr || !transcode->live;
  }

  std::string term() const {
    const catalog::Term own = best_->offer->term;
    if (own == catalog::Term::spot) return is_interruptible() ? say("spot") : say("spot, which can be reclaimed");
    if (!is_interruptible()) return say("{}: an interruption would hurt this job", said(own));
    // Where the best answer may run, whatever terms were asked for.
    std::vector<rules::Rule> anywhere(context_.rules.begin(), context_.rules.end());
    std::erase_if(anywhere, [](const rules::Rule& rule) { return rule.id == "term"; });
    rules::Facts facts;
    job_facts(facts, work_, context_.question.constraints.include_unavailable.value_or(false));
    const Market market(context_.catalog, context_.quoter, anywhere, facts, context_.question.today);
    PlanUse use(context_.question, work_, *best_->planned, context_.catalog, context_.coefficients);
    std::optional<double> cheapest;
    for (const Priced& spot : market.allowed(*best_->instance, std::ref(use), facts))
      if (spot.offer->term == catalog::Term::spot && spot.offer->region == best_->offer->region)
        cheapest = std::min(cheapest.value_or(spot.quote.hourly), spot.quote.hourly);
    if (!cheapest) return say("{}; spot would do where it is sold", to_text(own));
    if (*cheapest >= best_->cost.hourly) return std::string(to_text(own));
    return say("spot from {} of the price, if interruptions are fine", times(*cheapest / best_->cost.hourly));
  }

  const Advice& advice_;
  std::span<const RejectedInstance> fallen_;
  const SearchContext& context_;
  const Job& work_;
  const Recommendation* best_;  // null where nothing is left
  std::vector<bool> ranked_;    // by the GPU's place in the catalogue
  std::vector<std::string> path_;
};

}  // namespace

std::vector<std::string> decision_path(const Advice& advice, std::span<const RejectedInstance> fallen,
                                       const SearchContext& context) {
  return PathFinder(advice, fallen, context).run();
}

}  // namespace gpusel::answer
