#include "answer/explain/admission_relax.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/values/number.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

namespace {

using rules::Fact;

/// A row of the table of limits.
Relaxation of_limit(const job::Limit& limit) {
  Relaxation out;
  out.rule = limit.id();
  out.copy = [&limit](Question& to, const Question& from) { limit.form.copy(to.constraints, from.constraints); };
  out.need = [&limit](const Lifted& l) -> Change {
    const job::Constraints& asked = l.asked.constraints;
    job::Needed needed = limit.form.relax({limit, asked, l.facts});
    std::string given = needed.also ? limit.form.written(asked) : std::string();
    return {.flag = std::move(needed.flag),
            .value = std::move(needed.value),
            .also = needed.also,
            .given = std::move(given)};
  };
  out.replaces = limit.also.replaces;
  if (limit.also.trades)
    out.asked = [&limit](const Question& asked) -> std::optional<double> {
      const auto stated = limit.form.stated(asked.constraints);
      return stated ? std::optional(stated->value) : std::nullopt;
    };
  return out;
}

using Milliseconds = std::optional<double> job::Request::*;

/// A target in milliseconds; `reached`: what the plan has of it, nothing where it has none.
Relaxation of_target(std::string rule, Milliseconds given,
                     std::function<std::optional<double>(const Lifted&)> reached) {
  Relaxation out;
  out.copy = [given](Question& to, const Question& from) { to.request.*given = from.request.*given; };
  out.need = [flag = "--" + rule, reached = std::move(reached)](const Lifted& l) -> Change {
    const auto ms = reached(l);
    return {.flag = flag, .value = ms ? job::at_most(*ms) : std::string()};
  };
  out.asked = [given](const Question& asked) { return asked.request.*given; };
  out.rule = std::move(rule);
  return out;
}

Relaxation of_latency(const physics::LatencyTarget& target) {
  return of_target(std::string(target.key), target.given, [&target](const Lifted& l) -> std::optional<double> {
    const physics::Plan& plan = l.as.plan();
    if (!plan.serving || plan.rate <= 0) return std::nullopt;
    return in_ms(target.reached(plan.serving->speed, job::slo_percentile(l.asked.request)));
  });
}

/// The chance to fit that is asked of a plan.
Relaxation of_fit() {
  Relaxation out;
  out.rule = "min-fit";
  out.copy = [](Question& to, const Question& from) { to.request.min_fit = from.request.min_fit; };
  out.need = [](const Lifted& l) -> Change {
    const double chance = l.as.plan().need.chance();
    return {.flag = "--min-fit", .value = std::isnan(chance) ? std::string() : job::at_least(chance)};
  };
  return out;
}

std::vector<Relaxation> of_plans() {
  std::vector<Relaxation> all{of_fit()};
  for (const physics::LatencyTarget& target : physics::latency_targets()) all.push_back(of_latency(target));
  all.push_back(of_target("latency-ms", &job::Request::latency_ms, [](const Lifted& l) {
    return l.facts.known(Fact::latency_ms) ? std::optional(l.facts.number(Fact::latency_ms)) : std::nullopt;
  }));
  for (const job::Limit& limit : job::limits())
    if (limit.form.judge == nullptr && limit.form.relax != nullptr) all.push_back(of_limit(limit));
  return all;
}

template <auto Member>
Relaxation pin(std::string key) {
  return {std::move(key), [](Question& to, const Question& from) { to.request.*Member = from.request.*Member; },
          [](const Lifted&) { return Change{}; }, false, nullptr};
}

template <class Target>
bool set_option(std::span<const job::Option<Target>> options, Target& target, std::string_view flag,
                std::string_view value) {
  const auto* option = job::find_option(options, flag.substr(flag.find_first_not_of('-')));
  return option != nullptr && option->set(target, value).has_value();
}

}  // namespace

std::optional<Yielded> yielded_by(const Relaxation& limit, Change& change, const Question& asked) {
  if (limit.asked == nullptr) return std::nullopt;
  const auto given = limit.asked(asked);
  const std::size_t digits = std::min(change.value.find_first_not_of("0123456789.e+"), change.value.size());
  const auto value = plain_number(change.value.substr(0, digits));
  if (!given || !value || *value <= *given) return std::nullopt;
  return Yielded{&change, *given, *value, change.value.substr(digits)};
}

void halve(std::span<Yielded> yielded, const std::function<bool()>& passes) {
  constexpr double kFine = 1e-3;  // of what was given way to
  const auto passes_at = [&](double share) {
    for (const Yielded& one : yielded) one.set(share);
    return passes();
  };
  double low = 0;
  double high = passes_at(0) ? 0 : 1;
  while (high - low > kFine) {
    const double middle = (low + high) / 2;
    (passes_at(middle) ? high : low) = middle;
  }
  for (Yielded& one : yielded) {
    one.set(high);
    one.enough = one.asked + (one.enough - one.asked) * high;
  }
}

std::span<const Relaxation> limit_relaxations() {
  static const std::vector<Relaxation> all = [] {
    std::vector<Relaxation> of_limits;
    for (const job::Limit* limit : job::judged_limits()) of_limits.push_back(of_limit(*limit));
    return of_limits;
  }();
  return all;
}

std::span<const Relaxation> plan_relaxations() {
  static const std::vector<Relaxation> all = of_plans();
  return all;
}

std::span<const Relaxation> pins() {
  using R = job::Request;
  static const std::vector<Relaxation> all{pin<&R::tp>("tp"),
                                           pin<&R::pp>("pp"),
                                           pin<&R::cp>("cp"),
                                           pin<&R::ep>("ep"),
                                           pin<&R::dp>("dp"),
                                           pin<&R::sharding>("sharding"),
                                           pin<&R::micro_batch>("micro_batch"),
                                           pin<&R::global_batch>("global_batch"),
                                           pin<&R::grad_accum>("grad_accum"),
                                           pin<&R::activation_checkpointing>("activation_checkpointing"),
                                           pin<&R::flash_attention>("flash_attention"),
                                           pin<&R::virtual_pipeline>("virtual_pipeline"),
                                           pin<&R::offload>("offload"),
                                           pin<&R::batch>("batch"),
                                           pin<&R::mem_utilization>("mem_utilization"),
                                           pin<&R::kv_precision>("kv_precision"),
                                           pin<&R::weights_precision>("weights_precision"),
                                           pin<&R::allow_precisions>("allow_precisions"),
                                           pin<&R::precision>("precision"),
                                           pin<&R::recipe>("recipe"),
                                           pin<&R::optimizer>("optimizer"),
                                           pin<&R::engine>("engine"),
                                           pin<&R::framework>("framework"),
                                           pin<&R::redundancy>("redundancy")};
  return all;
}

const Relaxation* find_relaxation(std::string_view rule) {
  const auto all = limit_relaxations();
  const auto found = std::ranges::find(all, rule, &Relaxation::rule);
  return found == all.end() ? nullptr : &*found;
}

const Question& unbounded() {
  static const Question open = [] {
    Question question;
    question.constraints = job::open_limits();
    question.request.min_fit = 0;
    return question;
  }();
  return open;
}

bool set_flag(Question& question, const Change& change) {
  if (set_option(job::constraint_options(), question.constraints, change.flag, change.value)) return true;
  return set_option(job::request_options(), question.request, change.flag, change.value);
}

}  // namespace gpusel::answer
