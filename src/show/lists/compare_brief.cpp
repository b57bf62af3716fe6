#include "show/lists/compare_brief.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/catalogue/catalog.hpp"
#include "show/job/question.hpp"
#include "show/lists/compare.hpp"

namespace gpusel::show {

namespace {

using answer::Better;
using answer::CompareAnswer;
using answer::Compared;
using catalog::Number;

/// One row: what it is of an item, and how it is written.
struct Trait {
  std::string title;
  int keep = 1;  // as Column::keep, where items are rows
  bool number = true;
  Better better = Better::neither;
  std::function<Number(const Compared&)> value;                      // orders, and nothing where it is unknown
  std::function<std::string(const Compared&, const Number&)> words;  // of the value where there is none: unknown
};

Number figure_of(const Compared& item, std::string_view key) {
  const auto all = answer::figures();
  for (std::size_t at = 0; at < all.size(); ++at)
    if (all[at].key == key) return item.values[at].number;
  return std::nullopt;
}

Trait figure(std::string title, int keep, std::string_view key, Better better,
             std::function<std::string(double)> shown) {
  return {std::move(title),
          keep,
          true,
          better,
          [key](const Compared& item) { return figure_of(item, key); },
          [shown = std::move(shown)](const Compared&, const Number& value) {
            return value ? shown(*value) : std::string("?");
          }};
}

std::string in_hundreds(double value) { return format("{:.0f}", value); }
std::string none_or_number(double value) { return value == 0 ? say("none") : human_number(value); }

const physics::InferenceSpeed* speed_in(const Compared& item) {
  return item.usable() && item.planned->plan.serving && item.generates ? &item.planned->plan.serving->speed : nullptr;
}

bool ends(const CompareAnswer& comparison) { return comparison.work && comparison.work->ends(); }

/// What the job costs: all of it where it ends, a million tokens or one thing where it does not.
Number unit_cost(const CompareAnswer& comparison, const Compared& item) {
  if (!item.usable() || !item.cost) return std::nullopt;
  if (ends(comparison)) return Number(item.cost->total);
  return item.cost->per_million_tokens ? item.cost->per_million_tokens : item.cost->per_unit;
}

std::string cost_title(const CompareAnswer& comparison) {
  const std::string_view code = comparison.currency.code();
  if (ends(comparison)) return say("{} for the job", code);
  const bool of_tokens = std::ranges::any_of(comparison.items, [](const Compared& item) {
    return item.usable() && item.cost && item.cost->per_million_tokens;
  });
  if (of_tokens) return say("{} per million tokens", code);
  if (comparison.work->counted) return say("{} per {}", code, say_name(comparison.work->counted->unit.priced));
  return say("{} per unit", code);
}

std::string gpu_column(const Compared& item) {
  if (item.has_no_gpu()) return say("none");
  const std::string name = item.gpu != nullptr ? spoken_gpu(*item.gpu) : say("undisclosed");
  return counted_gpus(item, name);
}

Trait words(std::string title, int keep, std::function<std::string(const Compared&)> of) {
  return {std::move(title), keep, false,
          Better::neither,  {},   [of = std::move(of)](const Compared& item, const Number&) { return of(item); }};
}

std::string date_of(const Compared& item) {
  if (item.offer == nullptr) return "-";
  const Date date = Date::from_packed(item.offer->as_of);
  return date.known() ? date.text() : say("undated");
}

/// Of whom a GPU's price is: GPUs side by side may be of different sellers.
std::string seller_of(const Compared& item) {
  return item.offered_by == nullptr ? "-" : printable(item.offered_by->provider);
}

std::string range_words(const physics::Interval& range) {
  return range.high > 0 ? say("{} to {}", human_number(range.low), human_number(range.high)) : std::string("?");
}

void add_latency(std::vector<Trait>& traits, const CompareAnswer& comparison) {
  const double percent = comparison.work->inference.slo_percentile;
  const bool loaded = std::ranges::any_of(comparison.items, [](const Compared& item) {
    const auto* speed = speed_in(item);
    return speed != nullptr && speed->load;
  });
  const auto of = [&](std::string title, auto ms) {
    traits.push_back({std::move(title), 2, true, Better::less,
                      [ms](const Compared& item) {
                        const auto* speed = speed_in(item);
                        return speed != nullptr ? Number(ms(*speed)) : std::nullopt;
                      },
                      [](const Compared&, const Number& value) { return value ? in_hundreds(*value) : "-"; }});
  };
  if (std::ranges::none_of(comparison.items, [](const Compared& item) { return speed_in(item) != nullptr; })) return;
  of(loaded ? say("p{:g} TTFT, ms", percent) : say("TTFT, ms"),
     [loaded, percent](const physics::InferenceSpeed& s) { return in_ms(loaded ? s.ttft_within(percent) : s.ttft()); });
  of(loaded ? say("p{:g} ITL, ms", percent) : say("ITL, ms"),
     [loaded, percent](const physics::InferenceSpeed& s) { return in_ms(loaded ? s.itl_within(percent) : s.itl()); });
  if (comparison.work->inference.tpot_ms)
    of(loaded ? say("p{:g} TPOT, ms", percent) : say("TPOT, ms"),
       [percent](const physics::InferenceSpeed& s) { return in_ms(s.tpot_within(percent)); });
}

void add_job_traits(std::vector<Trait>& traits, const CompareAnswer& comparison) {
  traits.push_back({cost_title(comparison), 0, true, Better::less,
                    [&comparison](const Compared& item) { return unit_cost(comparison, item); },
                    [](const Compared&, const Number& value) { return value ? human_price(*value) : "-"; }});
  if (ends(comparison))
    traits.push_back({say("hours"), 1, true, Better::less,
                      [](const Compared& item) { return item.usable() ? Number(item.job_hours) : std::nullopt; },
                      [](const Compared&, const Number& value) {
                        return value ? (*value < 100 ? format("{:.1f}", *value) : human_number(std::round(*value)))
                                     : "-";
                      }});
  const std::string unit = comparison.work->counted ? say_name(comparison.work->counted->unit.rate) : say("tokens/s");
  traits.push_back({unit, 1, true, Better::more,
                    [](const Compared& item) { return item.usable() ? Number(item.planned->plan.rate) : std::nullopt; },
                    [](const Compared&, const Number& value) { return value ? human_number(*value) : "-"; }});
  traits.push_back(words(say("  80 % of runs"), 4, [](const Compared& item) {
    return item.usable() ? range_words(item.intervals.rate) : std::string("-");
  }));
  traits.push_back(words(say("bound by"), 5, [](const Compared& item) {
    return item.usable() && !item.planned->plan.bound_by.empty() ? say_name(item.planned->plan.bound_by)
                                                                 : std::string("-");
  }));
  if (!comparison.work->counted && !job::is_training(comparison.work->task)) {
    add_latency(traits, comparison);
    traits.push_back(words(say("weights"), 3, [](const Compared& item) {
      const auto* format = item.planned != nullptr ? item.planned->plan.layout.weights : nullptr;
      return format != nullptr ? std::string(format->name) : std::string("-");
    }));
  }
  traits.push_back(words(say("GiB per GPU"), 3, [](const Compared& item) {
    if (item.planned == nullptr || !item.planned->plan.need.is_known()) return std::string("?");
    const physics::MemoryNeed& need = item.planned->plan.need;
    if (need.available.raw() <= 0) return std::string("-");  // it is not for want of memory that it does not run
    return say("{:.1f} of {:.1f}", in_gib(need.needed), in_gib(need.available));
  }));
  traits.push_back({say("fits"), 0, true, Better::neither,
                    [](const Compared& item) {
                      return item.planned != nullptr && item.planned->plan.need.is_known() &&
                                     item.planned->plan.need.available.raw() > 0
                                 ? Number(item.planned->plan.need.chance())
                                 : std::nullopt;
                    },
                    [](const Compared& item, const Number& value) {
                      if (!item.usable() && !value) return say("no");
                      return value ? answer::chance_words(*value) : std::string("?");
                    }});
  if (std::ranges::any_of(comparison.items, [](const Compared& item) { return item.in_time.has_value(); }))
    traits.push_back({ends(comparison)                                   ? say("done in time")
                      : physics::has_targets(comparison.work->inference) ? say("meets targets")
                                                                         : say("keeps up"),
                      0, true, Better::neither, [](const Compared& item) { return item.in_time; },
                      [](const Compared&, const Number& value) { return value ? answer::chance_words(*value) : "-"; }});
}

void add_hardware_traits(std::vector<Trait>& traits, const CompareAnswer& comparison) {
  const std::string_view code = comparison.currency.code();
  traits.push_back(figure(say("{}/h per GB", code), 2, "price_per_hour_per_gb", Better::less, human_price));
  traits.push_back(figure(say("memory, GB"), 0, "memory_gb", Better::more, none_or_number));
  traits.push_back(figure(say("bandwidth, GB/s"), 1, "memory_bandwidth_gbs", Better::more, none_or_number));
  traits.push_back(figure(say("FP16 dense, TFLOPS"), 1, "fp16_dense_tflops", Better::more, none_or_number));
  traits.push_back(figure(say("BF16 dense, TFLOPS"), 1, "bf16_dense_tflops", Better::more, none_or_number));
  traits.push_back(figure(say("FP8 dense, TFLOPS"), 2, "fp8_dense_tflops", Better::more, none_or_number));
  traits.push_back(figure(say("GPU link, GB/s"), 3, "interconnect_gbs_bidir", Better::more, none_or_number));
  traits.push_back(figure(say("power, W"), 4, "tdp_w", Better::less, none_or_number));
}

void add_host_traits(std::vector<Trait>& traits) {
  traits.push_back(figure(say("vCPU"), 4, "vcpu", Better::more, none_or_number));
  traits.push_back(figure(say("host memory, GiB"), 4, "memory_gib", Better::more, none_or_number));
  traits.push_back(figure(say("network, Gbit/s"), 5, "network_gbps", Better::more, none_or_number));
}

/// Those that are asked of these items: the figures that decide.
std::vector<Trait> traits_of(const CompareAnswer& comparison) {
  std::vector<Trait> traits;
  const std::string_view code = comparison.currency.code();
  const auto any = [&](auto is) { return std::ranges::any_of(comparison.items, is); };
  const bool instances = any([](const Compared& item) { return item.instance != nullptr; });
  const bool whole = any([](const Compared& item) { return item.instance != nullptr || item.counted; });
  if (whole) traits.push_back(words(say("GPU"), 1, gpu_column));
  // With a job a GPU without a number is one of them.
  if (whole)
    traits.push_back({say("{}/h", code), 0, true, Better::less,
                      [job = comparison.work.has_value()](const Compared& item) {
                        return job && item.offer != nullptr ? Number(item.hourly * item.count)
                                                            : figure_of(item, "price_per_hour");
                      },
                      [](const Compared&, const Number& value) { return value ? human_price(*value) : "?"; }});
  if (!whole || !comparison.work)
    traits.push_back(figure(say("{}/h per GPU", code), 1, "price_per_hour_per_gpu", Better::less, human_price));
  if (comparison.work)
    add_job_traits(traits, comparison);
  else
    add_hardware_traits(traits, comparison);
  if (!comparison.work && instances) add_host_traits(traits);
  if (any([](const Compared& item) { return item.instance == nullptr; }))
    traits.push_back(words(say("seller"), 3, seller_of));
  traits.push_back(words(say("price date"), 3, date_of));
  return traits;
}

struct Valued {
  std::vector<Number> values;
  std::vector<bool> best;
};

/// The best is only known where all are that have one, and says something only where they differ.
Valued valued(const Trait& trait, std::span<const Compared> items) {
  Valued out{{}, std::vector<bool>(items.size(), false)};
  for (const Compared& item : items) out.values.push_back(trait.value ? trait.value(item) : std::nullopt);
  if (trait.better == Better::neither) return out;
  std::vector<double> known;
  for (const Number& value : out.values)
    if (value) known.push_back(*value);
  if (known.size() < 2) return out;
  const auto [low, high] = std::ranges::minmax_element(known);
  if (*low == *high) return out;
  const double best = trait.better == Better::more ? *high : *low;
  for (std::size_t i = 0; i < items.size(); ++i) out.best[i] = out.values[i] && *out.values[i] == best;
  return out;
}

/// The same with an item in each row, where it has no room to be a column.
Table as_rows(const CompareAnswer& comparison, std::span<const Trait> traits) {
  std::vector<Column> columns{left(say("name"))};
  for (const Trait& trait : traits) {
    std::string title(trim(trait.title));
    columns.push_back(trait.number ? right(std::move(title), trait.keep) : left(std::move(title), trait.keep));
  }
  Table table(std::move(columns));
  std::vector<std::vector<Cell>> rows;
  for (const Compared& item : comparison.items) rows.push_back({compared_name(item)});
  for (const Trait& trait : traits) {
    const Valued all = valued(trait, comparison.items);
    const bool marked = (std::ranges::find(all.best, true) != all.best.end());
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].emplace_back(trait.words(comparison.items[i], all.values[i]) + (all.best[i] ? "*" : marked ? " " : ""));
  }
  for (auto& row : rows) table.add(std::move(row));
  return table;
}

bool may_not_fit(const Compared& item) { return item.fit.short_verdict() == answer::Verdict::risky; }
bool may_be_late(const CompareAnswer& comparison, const Compared& item) {
  return item.in_time.value_or(1) < comparison.work->confidence;
}
/// "has a 62 % chance of fitting", "has a 40 % chance of meeting all targets".
std::string doubt_words(const Compared& item) {
  return may_not_fit(item)
             ? say("has a {} chance of fitting", answer::chance_words(item.planned->plan.need.chance()))
             : say("has a {} chance of meeting all targets", answer::chance_words(item.in_time.value_or(0)));
}

bool is_risky(const CompareAnswer& comparison, const Compared& item) {
  return may_not_fit(item) || may_be_late(comparison, item);
}

/// Costs so near to each other that speeds, which are estimated, decide nothing about them.
bool is_tie(const CompareAnswer& comparison, const Compared& a, const Compared& b) {
  constexpr double kTie = 1.05;
  const double ratio = *unit_cost(comparison, a) / *unit_cost(comparison, b);
  return ratio <= kTie && ratio >= 1 / kTie;
}

/// The cheapest of those that are sure to do the job, of those that may where none is; of a tie the fastest.
const Compared* pick(const CompareAnswer& comparison) {
  const Compared* best = nullptr;
  const auto risky = [&](const Compared& item) { return is_risky(comparison, item); };
  for (const Compared& item : comparison.items) {
    const Number cost = unit_cost(comparison, item);
    if (!item.usable() || !cost) continue;
    if (best == nullptr || (risky(*best) && !risky(item)) ||
        (risky(*best) == risky(item) && *cost < *unit_cost(comparison, *best)))
      best = &item;
  }
  if (best == nullptr) return best;
  const Compared* fastest = best;
  for (const Compared& item : comparison.items)
    if (item.usable() && unit_cost(comparison, item) && risky(item) == risky(*best) &&
        is_tie(comparison, item, *best) && item.planned->plan.rate > fastest->planned->plan.rate)
      fastest = &item;
  return fastest;
}

std::string times_words(double ratio) {
  return ratio >= 1.095 ? say("{:.1f}× as fast", ratio)
         : ratio > 0.95 ? say("same speed")
                        : say("at {:.0f} % of the speed", 100 * ratio);
}

/// Of the others the one that is asked of first.
std::string pick_words(const CompareAnswer& comparison, const Compared& best) {
  const Compared* other = nullptr;
  const Compared* cheaper = nullptr;  // and less sure to fit
  const Compared* tied = nullptr;     // and slower
  for (const Compared& item : comparison.items) {
    const Number cost = unit_cost(comparison, item);
    if (&item == &best || !item.usable() || !cost) continue;
    if (other == nullptr) other = &item;
    const bool ties = is_tie(comparison, item, best) && !is_risky(comparison, item);
    if (ties && item.planned->plan.rate < best.planned->plan.rate)
      tied = &item;
    else if (*cost < *unit_cost(comparison, cheaper != nullptr ? *cheaper : best))
      cheaper = &item;
  }
  const std::string name = compared_name(best);
  if (cheaper != nullptr)
    return say("Pick {}: {} costs {}, but {}.", name, compared_name(*cheaper),
               difference_words(*unit_cost(comparison, *cheaper) / *unit_cost(comparison, best)),
               doubt_words(*cheaper));
  if (tied != nullptr)
    return say("Pick {}: {}, at about the same cost as {} ({}).", name,
               times_words(best.planned->plan.rate / tied->planned->plan.rate), compared_name(*tied),
               difference_words(*unit_cost(comparison, best) / *unit_cost(comparison, *tied)));
  if (other == nullptr) return say("Pick {}: the only one that does the job at a known price.", name);
  const double ratio = *unit_cost(comparison, best) / *unit_cost(comparison, *other);
  const std::string less = difference_words(ratio);
  const std::string speed = times_words(best.planned->plan.rate / other->planned->plan.rate);
  const bool of_tokens = best.cost->per_million_tokens.has_value();
  const bool same = std::abs(ratio - 1) < 0.005;
  if (ends(comparison))
    return same ? say("Pick {}: the job costs the same as on {}, {}.", name, compared_name(*other), speed)
                : say("Pick {}: {} for the job than {}, {}.", name, less, compared_name(*other), speed);
  const std::string unit = of_tokens                  ? say("token")
                           : comparison.work->counted ? say_name(comparison.work->counted->unit.priced)
                                                      : say("request");
  return same ? say("Pick {}: same cost per {} as {}, {}.", name, unit, compared_name(*other), speed)
              : say("Pick {}: {} per {} than {}, {}.", name, less, unit, compared_name(*other), speed);
}

/// As many as would do, as they are typed.
std::string count_words(const Compared& item) {
  const std::string_view name = item.instance != nullptr ? item.instance->sku : item.gpu->id;
  return item.instance != nullptr ? format("{:g}x {}", item.would_do, printable(name))
                                  : format("{}:{:g}", printable(name), item.would_do);
}

/// Who leads in what, where no job says what counts.
std::string leaders(const CompareAnswer& comparison) {
  struct Contest {
    std::string_view key;
    Better better;
    std::string_view words;
  };
  static constexpr Contest kContests[] = {
      {"price_per_hour_per_gpu", Better::less, to_say("cheapest per GPU: {} ({})")},
      {"price_per_hour_per_gb", Better::less, to_say("cheapest per GB: {} ({})")},
      {"memory_gb", Better::more, to_say("most memory: {} ({} GB)")},
      {"memory_bandwidth_gbs", Better::more, to_say("fastest memory: {} ({} GB/s)")},
      {"bf16_dense_tflops", Better::more, to_say("fastest BF16: {} ({} TFLOPS)")},
  };
  std::string line;
  for (const Contest& contest : kContests) {
    const Compared* best = nullptr;
    bool complete = true, differ = false;
    for (const Compared& item : comparison.items) {
      const Number value = figure_of(item, contest.key);
      if (!value) complete = false;
      if (!value) continue;
      const double now = best != nullptr ? *figure_of(*best, contest.key) : *value;
      differ = differ || now != *value;
      if (best == nullptr || (contest.better == Better::more ? *value > now : *value < now)) best = &item;
    }
    if (!complete || !differ) continue;
    const double value = *figure_of(*best, contest.key);
    const bool of_money = contest.better == Better::less;
    std::string one = say_text(contest.words);
    for (const std::string& part :
         {compared_name(*best), of_money ? spoken_money(value, comparison.currency) : human_number(value)})
      one.replace(one.find("{}"), 2, part);
    line += (line.empty() ? "" : " · ") + one;
  }
  return line;
}

}  // namespace

std::vector<Text> compare_sentences(const CompareAnswer& comparison) {
  std::vector<Text> out;
  if (!comparison.work) {
    if (std::string line = leaders(comparison); !line.empty()) {
      line[0] = line[0] >= 'a' && line[0] <= 'z' ? static_cast<char>(line[0] - 'a' + 'A') : line[0];
      out.emplace_back(std::move(line));
    }
    return out;
  }
  const Compared* best = pick(comparison);
  if (best != nullptr) {
    out.emplace_back(pick_words(comparison, *best), Meaning::best);
  } else {
    const bool any = std::ranges::any_of(comparison.items, &Compared::usable);
    const auto more = std::ranges::find_if(comparison.items, [](const Compared& item) { return item.would_do > 0; });
    out.emplace_back(any ? say("No price is known for those that can do the job.")
                     : more != comparison.items.end()
                         ? say("None is large enough as asked; {} would be.", count_words(*more))
                         : say("None of them can do the job."),
                     Meaning::warn);
  }
  if (best != nullptr && (may_not_fit(*best) || may_be_late(comparison, *best)))
    out.emplace_back(say("Risk: {} {}.", compared_name(*best), doubt_words(*best)), Meaning::warn);
  for (const Compared& item : comparison.items) {
    if (!item.usable())
      out.emplace_back(item.would_do > 0
                           ? say("{} cannot do the job: {}; {} could", compared_name(item), printable(item.problem),
                                 count_words(item))
                           : say("{} cannot do the job: {}", compared_name(item), printable(item.problem)));
    else if (item.own_work)
      out.emplace_back(
          say("{} runs it with {}", compared_name(item), std::string(to_text(item.own_work->inference.engine))));
  }
  return out;
}

SideBySide compare_brief_table(const CompareAnswer& comparison) {
  std::vector<std::string> names;
  for (const Compared& item : comparison.items) names.push_back(compared_name(item));
  SideBySide table(std::move(names));
  std::vector<Trait> traits = traits_of(comparison);
  // What none of them has tells nobody anything.
  std::erase_if(traits, [&](const Trait& trait) {
    const auto tells_nothing = [&](const Compared& item) {
      const Number value = trait.value ? trait.value(item) : std::nullopt;
      return value == 0.0 || (!value && trait.words(item, value) == "-");
    };
    return std::ranges::all_of(comparison.items, tells_nothing);
  });
  for (const Trait& trait : traits) {
    const Valued all = valued(trait, comparison.items);
    SideRow row{trait.title, {}};
    for (std::size_t i = 0; i < comparison.items.size(); ++i)
      row.cells.push_back(
          {trait.words(comparison.items[i], all.values[i]), {}, trait.number, static_cast<bool>(all.best[i])});
    table.add(std::move(row));
  }
  table.as_rows.push_back(as_rows(comparison, traits));
  return table;
}

}  // namespace gpusel::show
