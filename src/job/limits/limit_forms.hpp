// The forms that limits have: how each is held, judged and relaxed. What it is of stands in its row. Private to this
// room.
#pragma once

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "job/limits/limits.hpp"

namespace gpusel::job {

void reject(const Judging& judging, rules::Condition when, std::string message);
/// By a number of the candidate, which `words` call so in the message.
Status in_bounds(const Judging& judging, rules::Fact fact, const Bounds& bounds, std::string_view words);
inline Status in_bounds(const Judging& judging, const Bounds& bounds) {
  return in_bounds(judging, judging.limit.form.fact, bounds, judging.limit.form.words);
}
/// By a text of the candidate.
Status one_of(const Judging& judging, std::vector<std::string> allowed);
/// The same of what the names stand for.
using Resolve = Result<std::vector<std::string>> (*)(std::string_view name, const catalog::Catalog& catalog);
Status one_of(const Judging& judging, std::span<const std::string> names, Resolve ids);
/// The error of a limit's value, under its flag.
std::unexpected<Error> of_flag(Error error, const Judging& judging);

Needed without(const Passing& passing);
Needed needs(const Passing& passing, std::string value);
Needed needs_least(const Passing& passing, rules::Fact fact, std::string_view unit);
Needed needs_most(const Passing& passing, rules::Fact fact, std::string_view unit);
inline Needed needs_least(const Passing& p) { return needs_least(p, p.limit.form.fact, p.limit.form.unit); }
inline Needed needs_most(const Passing& p) { return needs_most(p, p.limit.form.fact, p.limit.form.unit); }
/// The end of a range that is in the way.
Needed needs_range(const Passing& passing, const Bounds& asked);
/// One more of a list; in place of the default where nothing was given.
Needed one_more(const Passing& passing);

std::optional<double> known_number(const rules::Facts& facts, rules::Fact fact);

template <class T>
bool is_set(const std::optional<T>& value) {
  return value.has_value();
}
inline bool is_set(const Bounds& bounds) { return bounds.low || bounds.high; }
template <class Texts>
bool is_set(const Texts& texts) {
  return !texts.empty();
}

inline std::optional<Stated> stated(const std::optional<double>& value) {
  return value ? std::optional(Stated{*value}) : std::nullopt;
}
inline std::optional<Stated> stated(const std::optional<bool>& value) {
  return value ? std::optional(Stated{*value ? 1.0 : 0.0}) : std::nullopt;
}
inline std::optional<Stated> stated(const std::optional<std::int64_t>& value) {
  return value ? std::optional(Stated{static_cast<double>(*value)}) : std::nullopt;
}
inline std::optional<Stated> stated(const std::optional<MemorySize>& size) {
  return size ? std::optional(Stated{size->value, size->binary ? " GiB" : " GB"}) : std::nullopt;
}
/// Nothing where no GPU is asked for at all.
inline std::optional<Stated> stated(const std::vector<GpuSpec>& specs) {
  const bool none = !specs.empty() && std::ranges::all_of(specs, &GpuSpec::none);
  return none ? std::optional(Stated{0}) : std::nullopt;
}
template <class Other>
std::optional<Stated> stated(const Other&) {
  return std::nullopt;
}

/// As it would be typed; of a switch nothing.
inline std::string written(const std::vector<std::string>& list) { return join_texts(list, ","); }
inline std::string written(const std::string& text) { return text; }
inline std::string written(const std::vector<GpuSpec>& specs) {
  std::string list;
  for (const GpuSpec& spec : specs) add_name(list, spec.text);
  return list;
}
inline std::string written(const std::vector<Constraints::Infra>& infra) {
  std::string list;
  for (const auto& [cloud, region] : infra) add_name(list, region.empty() ? cloud : format("{}/{}", cloud, region));
  return list;
}
inline std::string written(const Bounds& bounds) {
  const auto end = [](const std::optional<double>& value) { return value ? human_number(*value) : std::string(); };
  return format("{}..{}", end(bounds.low), end(bounds.high));
}
inline std::string written(const std::optional<bool>& value) { return *value ? "" : "false"; }
template <class Number>
std::string written(const Number& number) {
  const auto said = stated(number);
  return said ? human_number(said->value) + std::string(said->unit) : std::string();
}

/// What a number is compared as with a fact.
inline std::optional<double> measured(const std::optional<double>& value) { return value; }
inline std::optional<double> measured(const std::optional<MemorySize>& size) {
  return size ? std::optional(in_gb(size->amount())) : std::nullopt;
}

using Judge = Status (*)(const Judging& judging);
using Relax = Needed (*)(const Passing& passing);

/// Held in `Member`; what goes with it when it is lifted stands in `More`.
template <auto Member, auto... More>
constexpr Form held(Judge judge = nullptr, Relax relax = nullptr, rules::Fact fact = rules::Fact::task,
                    std::string_view words = {}, std::string_view unit = {}) {
  return {[](Constraints& to, const Constraints& from) {
            to.*Member = from.*Member;
            ((to.*More = from.*More), ...);
          },
          [](const Constraints& limits) { return is_set(limits.*Member) || (is_set(limits.*More) || ...); },
          [](const Constraints& limits) { return stated(limits.*Member); },
          [](const Constraints& limits) { return written(limits.*Member); },
          judge,
          relax,
          fact,
          words,
          unit};
}

template <auto Member>
constexpr Form least(rules::Fact fact, std::string_view words, std::string_view unit = {}) {
  return held<Member>([](const Judging& j) { return in_bounds(j, {measured(j.asked.*Member), std::nullopt}); },
                      needs_least, fact, words, unit);
}

template <auto Member>
constexpr Form most(rules::Fact fact, std::string_view words, std::string_view unit = {}) {
  return held<Member>([](const Judging& j) { return in_bounds(j, {std::nullopt, measured(j.asked.*Member)}); },
                      needs_most, fact, words, unit);
}

/// Both ends by one flag.
template <auto Member>
constexpr Form range(rules::Fact fact, std::string_view words) {
  return held<Member>([](const Judging& j) { return in_bounds(j, j.asked.*Member); },
                      [](const Passing& p) { return needs_range(p, p.asked.*Member); }, fact, words);
}

/// One end of a range, each of which has its own flag.
template <auto Member, auto End>
constexpr Form end_of(Relax relax, rules::Fact fact, std::string_view words) {
  return {[](Constraints& to, const Constraints& from) { (to.*Member).*End = (from.*Member).*End; },
          [](const Constraints& limits) { return is_set((limits.*Member).*End); },
          [](const Constraints& limits) { return stated((limits.*Member).*End); },
          [](const Constraints& limits) { return written((limits.*Member).*End); },
          [](const Judging& j) {
            Bounds end;
            end.*End = (j.asked.*Member).*End;
            return in_bounds(j, end);
          },
          relax,
          fact,
          words};
}
template <auto Member>
constexpr Form low_end(rules::Fact fact, std::string_view words) {
  return end_of<Member, &Bounds::low>(needs_least, fact, words);
}
template <auto Member>
constexpr Form high_end(rules::Fact fact, std::string_view words) {
  return end_of<Member, &Bounds::high>(needs_most, fact, words);
}

/// Memory of one GPU: GB as marketed or GiB as usable, each by its own fact.
Status in_memory(const Judging& judging, const MemorySize& size, std::optional<double> Bounds::* end);
Needed needs_memory(const Passing& passing, const std::optional<MemorySize>& asked,
                    Needed (*needs)(const Passing& passing, rules::Fact fact, std::string_view unit));
template <auto Member>
constexpr Form least_memory(std::string_view words) {
  return held<Member>([](const Judging& j) { return in_memory(j, *(j.asked.*Member), &Bounds::low); },
                      [](const Passing& p) { return needs_memory(p, p.asked.*Member, needs_least); }, {}, words);
}
template <auto Member>
constexpr Form most_memory(std::string_view words) {
  return held<Member>([](const Judging& j) { return in_memory(j, *(j.asked.*Member), &Bounds::high); },
                      [](const Passing& p) { return needs_memory(p, p.asked.*Member, needs_most); }, {}, words);
}

/// Names one of which has to stand for the candidate's.
template <auto Member, Resolve Ids>
constexpr Form list(rules::Fact fact, std::string_view words) {
  return held<Member>([](const Judging& j) { return one_of(j, j.asked.*Member, Ids); }, one_more, fact, words);
}

}  // namespace gpusel::job
