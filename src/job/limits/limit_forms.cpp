#include "job/limits/limit_forms.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::job {

namespace {

using rules::Fact;
using rules::Operator;

Fact memory_fact(const MemorySize& size) { return size.binary ? Fact::gpu_memory_usable_gib : Fact::gpu_memory_gb; }

}  // namespace

std::string at_least(double value) {
  if (value <= 0) return format("{:g}", value);
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  const double steps = std::round(value / unit);
  for (const int fewer : {0, 1}) {
    std::string text = format("{:.6g}", (steps - fewer) * unit);
    if (plain_number(text).value_or(value) <= value) return text;  // the last digit still passes a comparison
  }
  return format("{:.6g}", (steps - 2) * unit);
}

/// As a person types it: two digits, from 100 on no fraction.
std::string at_most(double value) {
  if (value <= 0) return format("{:g}", value);
  constexpr double kWhole = 100;
  const double unit = value < kWhole ? std::pow(10, std::floor(std::log10(value)) - 1) : 1;
  constexpr double kExact = 1e-9;  // what division left of a number that was there already
  return format("{:.12g}", std::ceil(value / unit * (1 - kExact)) * unit);
}

void reject(const Judging& judging, rules::Condition when, std::string message) {
  judging.rules.push_back(rules::reject_when(judging.limit.id(), std::move(when), std::move(message)));
}

Status in_bounds(const Judging& judging, Fact fact, const Bounds& bounds, std::string_view words) {
  const std::string what = say_text(words);
  const std::string_view name = rules::info(fact).name;
  if (bounds.low)
    reject(judging, compare(fact, Operator::below, *bounds.low),
           say("{} {{{}}}, at least {} required", what, name, rules::shown_as(fact, *bounds.low)));
  if (bounds.high)
    reject(judging, compare(fact, Operator::above, *bounds.high),
           say("{} {{{}}}, at most {} allowed", what, name, rules::shown_as(fact, *bounds.high)));
  return {};
}

Status one_of(const Judging& judging, std::vector<std::string> allowed) {
  const Fact fact = judging.limit.form.fact;
  std::string names = join_texts(allowed, say_name(", "));
  reject(judging, compare(fact, Operator::not_in, std::move(allowed)),
         say("{} {{{}}}, requested {}", say_text(judging.limit.form.words), rules::info(fact).name, names));
  return {};
}

Status one_of(const Judging& judging, std::span<const std::string> names, Resolve ids) {
  std::vector<std::string> allowed;
  for (const std::string& name : names) {
    auto meant = ids(name, judging.catalog);
    if (!meant) return of_flag(meant.error(), judging);
    std::ranges::move(*meant, std::back_inserter(allowed));
  }
  return one_of(judging, std::move(allowed));
}

Status in_memory(const Judging& judging, const MemorySize& size, std::optional<double> Bounds::* end) {
  Bounds bounds;
  bounds.*end = size.value;
  return in_bounds(judging, memory_fact(size), bounds, judging.limit.form.words);
}

Needed needs_memory(const Passing& passing, const std::optional<MemorySize>& asked,
                    Needed (*needs)(const Passing& passing, Fact fact, std::string_view unit)) {
  const MemorySize size = asked.value_or(MemorySize{});
  return needs(passing, memory_fact(size), size.binary ? "GiB" : "GB");
}

std::unexpected<Error> of_flag(Error error, const Judging& judging) {
  error.where = judging.limit.flag();
  return std::unexpected(std::move(error));
}

std::optional<double> known_number(const rules::Facts& facts, Fact fact) {
  return facts.known(fact) ? std::optional(facts.number(fact)) : std::nullopt;
}

Needed needs(const Passing& passing, std::string value) { return {passing.limit.flag(), std::move(value)}; }
Needed without(const Passing& passing) { return needs(passing, {}); }

Needed needs_least(const Passing& passing, Fact fact, std::string_view unit) {
  const auto value = known_number(passing.facts, fact);
  return value ? needs(passing, at_least(*value) + std::string(unit)) : without(passing);
}

Needed needs_most(const Passing& passing, Fact fact, std::string_view unit) {
  const auto value = known_number(passing.facts, fact);
  return value ? needs(passing, at_most(*value) + std::string(unit)) : without(passing);
}

Needed needs_range(const Passing& passing, const Bounds& asked) {
  const auto value = known_number(passing.facts, passing.limit.form.fact);
  if (!value) return without(passing);
  if (asked.low && *value < *asked.low)
    return needs(passing, asked.high ? format("{}..{:g}", at_least(*value), *asked.high) : at_least(*value));
  return needs(passing, format("{}..{}", asked.low ? format("{:g}", *asked.low) : "", at_most(*value)));
}

Needed one_more(const Passing& passing) {
  const Fact fact = passing.limit.form.fact;
  Needed needed = needs(passing, passing.facts.known(fact) ? std::string(passing.facts.text(fact)) : std::string());
  needed.also = passing.limit.is_given(passing.asked) && !needed.value.empty();
  return needed;
}

}  // namespace gpusel::job
