// The forms that limits have: how each is held, judged and relaxed. What it is of stands in its row. Private to this
// room.
#pragma once

#include "gpusel/workload/limits.hpp"

namespace gpusel::workload {

void reject(const Judging& judging, rules::Condition when, std::string message);
/// By a number of the candidate, which `words` call so in the message.
Status in_bounds(const Judging& judging, rules::Fact fact, const Bounds& bounds, std::string_view words);
inline Status in_bounds(const Judging& judging, const Bounds& bounds) {
  return in_bounds(judging, judging.limit.fact, bounds, judging.limit.words);
}
/// By a text of the candidate.
Status one_of(const Judging& judging, std::vector<std::string> allowed);
/// The same of what the names stand for; `of_infra`: those that --infra gave.
using Resolve = Result<std::vector<std::string>> (*)(std::string_view name, const catalog::Catalog& catalog);
Status one_of(const Judging& judging, std::span<const std::string> names, Resolve ids,
              std::span<const std::string> of_infra);
/// GB as marketed or GiB as usable: each by its own fact.
rules::Fact memory_fact(const std::optional<MemorySize>& asked);
/// The error of a limit's value, under its flag.
std::unexpected<Error> of_flag(Error error, const Judging& judging);

Needed without(const Passing& passing);
Needed needs(const Passing& passing, std::string value);
Needed needs_least(const Passing& passing, rules::Fact fact, std::string_view unit);
Needed needs_most(const Passing& passing, rules::Fact fact, std::string_view unit);
inline Needed needs_least(const Passing& p) { return needs_least(p, p.limit.fact, p.limit.unit); }
inline Needed needs_most(const Passing& p) { return needs_most(p, p.limit.fact, p.limit.unit); }
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
template <class Other>
std::optional<Stated> stated(const Other&) {
  return std::nullopt;
}

using Judge = Status (*)(const Judging& judging);
using Relax = Needed (*)(const Passing& passing);

/// Held in `Member`; what else goes with it when it is lifted stands in `More`.
template <auto Member, auto... More>
constexpr Form held(Judge judge = nullptr, Relax relax = nullptr) {
  return {[](Constraints& to, const Constraints& from) {
            to.*Member = from.*Member;
            ((to.*More = from.*More), ...);
          },
          [](const Constraints& limits) { return is_set(limits.*Member) || (is_set(limits.*More) || ...); },
          [](const Constraints& limits) { return stated(limits.*Member); }, judge, relax};
}

template <auto Member>
constexpr Form least() {
  return held<Member>([](const Judging& j) { return in_bounds(j, {j.asked.*Member, std::nullopt}); }, needs_least);
}

template <auto Member>
constexpr Form most() {
  return held<Member>([](const Judging& j) { return in_bounds(j, {std::nullopt, j.asked.*Member}); }, needs_most);
}

/// Both ends by one flag.
template <auto Member>
constexpr Form range() {
  return held<Member>([](const Judging& j) { return in_bounds(j, j.asked.*Member); },
                      [](const Passing& p) { return needs_range(p, p.asked.*Member); });
}

/// One end of a range, each of which has its own flag.
template <auto Member, auto End>
constexpr Form end_of() {
  constexpr bool kLow = End == &Bounds::low;
  return {[](Constraints& to, const Constraints& from) { (to.*Member).*End = (from.*Member).*End; },
          [](const Constraints& limits) { return is_set((limits.*Member).*End); },
          [](const Constraints& limits) { return stated((limits.*Member).*End); },
          [](const Judging& j) {
            Bounds end;
            end.*End = (j.asked.*Member).*End;
            return in_bounds(j, end);
          },
          kLow ? Relax(needs_least) : Relax(needs_most)};
}

/// Memory of one GPU.
template <auto Member, auto End>
constexpr Form memory() {
  return held<Member>(
      [](const Judging& j) {
        Bounds end;
        end.*End = (j.asked.*Member)->value;
        return in_bounds(j, memory_fact(j.asked.*Member), end, j.limit.words);
      },
      [](const Passing& p) {
        const rules::Fact fact = memory_fact(p.asked.*Member);
        const std::string_view unit = fact == rules::Fact::gpu_memory_usable_gib ? "GiB" : "GB";
        return End == &Bounds::low ? needs_least(p, fact, unit) : needs_most(p, fact, unit);
      });
}

/// Memory of all GPUs, in GB.
template <auto Member, auto End>
constexpr Form total_memory() {
  return held<Member>(
      [](const Judging& j) {
        Bounds end;
        end.*End = in_gb((j.asked.*Member)->amount());
        return in_bounds(j, end);
      },
      End == &Bounds::low ? Relax(needs_least) : Relax(needs_most));
}

/// Names of which one has to stand for the candidate's.
template <auto Member, Resolve Ids>
constexpr Form list() {
  return held<Member>([](const Judging& j) { return one_of(j, j.asked.*Member, Ids, {}); }, one_more);
}

/// The same, where --infra gives some of them.
template <auto Member, auto OfInfra, Resolve Ids>
constexpr Form place() {
  return held<Member>([](const Judging& j) { return one_of(j, j.asked.*Member, Ids, j.asked.*OfInfra); }, one_more);
}

}  // namespace gpusel::workload
