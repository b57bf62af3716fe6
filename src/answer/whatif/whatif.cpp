#include "answer/whatif/whatif.hpp"

#include <algorithm>

#include "answer/search/frontier.hpp"
#include "answer/whatif/whatif_parts.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

constexpr std::size_t kPointsAlone = 13;  // -30 % to +30 % in steps of 5
constexpr std::size_t kPointsAcross = 9;  // of two inputs

class Answering {
 public:
  Answering(const WhatIfQuestion& question, catalog::Catalog& catalog, std::span<const rules::Rule> rules,
            const physics::Coefficients& coefficients)
      : question_(question),
        catalog_(catalog),
        coefficients_(coefficients),
        asker_(question, catalog, rules, coefficients) {}

  Result<WhatIf> run() {
    if (question_.vary.size() > 2)
      return usage_error(say("two inputs at most, {} given", question_.vary.size()), "--vary",
                         say("vary one or two, and set the others"));
    auto base = asker_.ask({}, question_.pareto);
    if (Status read = read_axes(); !read) return std::unexpected(read.error());
    if (!base && (varied_.empty() || question_.tornado || question_.pareto)) return std::unexpected(base.error());
    out_.currency = question_.currency;
    if (base) {
      out_.now = std::move(base->best);
      out_.base = out_.now.of;
    }
    for (const Varied& one : varied_) out_.axes.push_back(one.axis);
    if (varied_.size() == 1) sweep_one(varied_[0], asker_, out_);
    if (varied_.size() == 2) sweep_two(varied_[0], varied_[1], asker_, out_);
    if (Status answered = anything_asked(base.has_value()); !answered) return std::unexpected(answered.error());
    settle_measure();
    if (question_.tornado) tornado(question_, catalog_, asker_, out_);
    if (question_.pareto) pareto(std::move(base->all), out_);
    out_.asked = asker_.asked();
    if (question_.explained) add_trace(catalog_, coefficients_, out_);
    return std::move(out_);
  }

 private:
  Status read_axes() {
    const auto value_of = [&](const Input& input) -> std::optional<std::string> { return value_now(input); };
    for (const std::string& text : question_.vary) {
      auto varied = read_vary(text, catalog_, value_of, question_.vary.size() == 1 ? kPointsAlone : kPointsAcross);
      if (!varied) return std::unexpected(varied.error());
      varied_.push_back(std::move(*varied));
    }
    if (varied_.size() < 2) return too_many(varied_.empty() ? 0 : varied_[0].axis.values.size(), {});
    if (varied_[0].input.key == varied_[1].input.key)
      return usage_error(say("{} is varied twice", varied_[0].input.key), "--vary", say("name another input"));
    const std::size_t across = varied_[0].axis.values.size(), down = varied_[1].axis.values.size();
    return too_many(across * down, format("{} × {} = ", across, down));
  }

  static Status too_many(std::size_t answers, const std::string& product) {
    if (answers <= kMostAnswers) return {};
    return usage_error(say("{}{} answers, at most {}", product, human_number(static_cast<double>(answers)),
                           human_number(static_cast<double>(kMostAnswers))),
                       "--vary", say("write fewer points, as in context=4k..128k/9"));
  }

  /// What an input is as it stands: said, or assumed by the answer.
  std::optional<std::string> value_now(const Input& input) {
    if (auto said = asker_.said(input)) return said;
    if (const auto answer = asker_.ask({}))
      for (const job::Assumed& assumed : answer->best.of->assumed)
        if (const auto* number = std::get_if<double>(&assumed.value); number != nullptr && assumed.key == input.key)
          return format("{:.17g}", *number);
    return std::nullopt;
  }

  /// Whether a problem is with a value that a varied input was given.
  bool is_axis(std::string_view where) const {
    while (where.starts_with('-')) where.remove_prefix(1);
    return std::any_of(out_.axes.begin(), out_.axes.end(),
                       [&](const Axis& axis) { return !axis.numbers && job::same_spelling(axis.key, where); });
  }

  /// A listed word that means nothing is an error; so is the first problem where no point could be asked at all.
  Status anything_asked(bool base) {
    const auto asked = std::find_if(out_.samples.begin(), out_.samples.end(),
                                    [](const Sample& sample) { return !sample.best.problem; });
    const auto about_itself = std::find_if(out_.samples.begin(), out_.samples.end(), [&](const Sample& sample) {
      return sample.best.problem && is_axis(sample.best.problem->where);
    });
    const auto wrong = about_itself != out_.samples.end() ? about_itself : out_.samples.begin();
    if (wrong != out_.samples.end() && (about_itself == wrong || asked == out_.samples.end())) {
      Error error = *wrong->best.problem;
      error.where = format("--vary {}", is_axis(error.where) ? error.where : out_.axes.front().key);
      return std::unexpected(std::move(error));
    }
    if (base && (asked == out_.samples.end() || asked->best.measure == out_.now.measure)) return {};
    out_.base = asked->best.of;
    return {};
  }

  /// One measure for all points, and each outcome's cost in it.
  void settle_measure() {
    std::vector<Outcome*> all;
    if (out_.samples.empty() || question_.tornado) all.push_back(&out_.now);
    for (Sample& sample : out_.samples)
      if (!sample.best.problem) all.push_back(&sample.best);
    out_.measure = all.front()->measure;
    const bool alike =
        std::all_of(all.begin(), all.end(), [&](const Outcome* one) { return one->measure == out_.measure; });
    if (!alike) out_.measure = Measure::hourly;
    for (Outcome* one : all)
      if (one->fits()) one->cost = one->cost_in(out_.measure);
    if (out_.now.fits()) out_.now.cost = out_.now.cost_in(out_.measure);
    if (out_.base->work.counted) out_.measure_unit = out_.base->work.counted->unit.priced;
  }

  const WhatIfQuestion& question_;
  catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
  Asker asker_;
  std::vector<Varied> varied_;
  WhatIf out_;
};

}  // namespace

Against against_of(const job::Job& work) {
  if (work.ends()) return Against::time;
  return !work.counted && work.inference.request_rate ? Against::latency : Against::throughput;
}

double place_of(const Recommendation& recommendation, Against against) {
  switch (against) {
    case Against::time: return recommendation.cost.hours;
    case Against::latency: return in_ms(recommendation.plan().usual_time());
    case Against::throughput: return recommendation.plan().rate;
  }
  return 0;
}

Measure measure_against(Against against) { return against == Against::time ? Measure::total : Measure::hourly; }

std::string rate_unit_of(const job::Job& work) {
  return work.counted ? std::string(work.counted->unit.rate) : "tokens/s";
}

std::optional<double> cost_of(const Outcome& outcome, const WhatIf& answer) {
  return outcome.fits() ? std::optional(outcome.cost_in(answer.measure)) : std::nullopt;
}

void pareto(std::vector<Outcome> candidates, WhatIf& out) {
  const auto& work = out.now.of->work;
  out.wants_pareto = true;
  out.against = against_of(work);
  out.rate_unit = rate_unit_of(work);
  out.pareto_measure = measure_against(out.against);
  for (Outcome& one : candidates) {
    Candidate candidate;
    candidate.x = place_of(one.best, out.against);
    candidate.cost = one.cost_in(out.pareto_measure);
    candidate.frontier = one.best.pareto;
    candidate.outcome = std::move(one);
    candidate.outcome.cost = candidate.cost;
    out.candidates.push_back(std::move(candidate));
  }
  std::stable_sort(out.candidates.begin(), out.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
}

Result<WhatIf> whatif(const WhatIfQuestion& question, catalog::Catalog& catalog, std::span<const rules::Rule> rules,
                      const physics::Coefficients& coefficients) {
  if (question.vary.empty() && !question.tornado && !question.pareto)
    return usage_error(say("nothing to vary"), {}, say("give --vary KEY=VALUES, --tornado or --pareto"));
  return Answering(question, catalog, rules, coefficients).run();
}

}  // namespace gpusel::answer
