#include "show/job/candidate.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/joined.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/catalogue/catalogue_name.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"

namespace gpusel::show {

using answer::Recommendation;

std::string instance_name(const Recommendation& r) {
  std::string name = format("{} {}", r.instance->provider, r.instance->sku);
  if (r.machine().nodes > 1) name = format("{} × {}", r.machine().nodes, name);
  return name;
}

std::string gpus_text(const Recommendation& r) {
  if (r.gpu == nullptr) return say("{:g} vCPU", r.machine().host.vcpus * r.machine().nodes);
  const double share = r.machine().device.share * r.gpu->devices();
  if (share < 1) return format("1/{:.0f} × {}", 1 / share, r.gpu->id);
  return format("{} × {}", r.machine().gpus(), r.gpu->id);
}

std::string spoken_gpus(const Recommendation& r) { return r.gpu == nullptr ? gpus_text(r) : spoken_gpus(r.machine()); }

std::string plan_text(const job::Job& work, const Recommendation& r) {
  if (!has_plan(work)) return {};
  return physics::plan_text(work, r.plan().layout);
}

std::string latency_text(const physics::Plan& plan) {
  const double s = plan.usual_time().raw();
  const std::string time = s < 1 ? say("{:.3g} ms", s * 1e3) : say("{:.3g} s", s);
  return plan.layout.micro_batch > 1 ? say("{} per batch", time) : say("{} each", time);
}

std::string rate_words(double rate, const job::Unit& unit) {
  const std::string number = human_number(rate);
  if (unit.rate == job::kRealTime.rate) return say("{}× real time", rate < 100 ? format("{:.1f}", rate) : number);
  std::string words = say_name(unit.rate);
  if (number == "1" && words.ends_with('s') && !words.contains('/')) words.pop_back();  // "1 session"
  return format("{} {}", number, words);
}

std::string speed_text(const job::Job& work, const Recommendation& r) {
  if (work.ends()) return human_duration(seconds(r.cost.hours * 3600));
  if (const auto& counted = work.counted) {
    return rate_words(r.plan().rate, counted->unit);
  }
  if (!work.model->is_generator()) return say("{} seq/s", human_number(r.plan().sequences_per_s));
  return say("{} tok/s", human_number(r.plan().rate));
}

std::vector<std::string> duration_texts(std::span<const double> hours) {
  struct Unit {
    double hours;
    double most;  // of the least, from which on the next unit suits it
    int decimals;
    std::string (*words)(const std::string& number);
  };
  static constexpr double kMostRead = 100;  // more of one are read as some of the next
  static constexpr double kEnough = 0.5;    // of the next
  static const Unit kUnits[] = {{1.0 / 3600, 90, 0, [](const std::string& n) { return say("{} s", n); }},
                                {1.0 / 60, 90, 0, [](const std::string& n) { return say("{} min", n); }},
                                {1, 48, 1, [](const std::string& n) { return say("{} h", n); }},
                                {24, 1e9, 1, [](const std::string& n) { return say("{} d", n); }}};
  if (hours.size() == 1) return {human_duration(seconds(hours.front() * 3600))};
  if (hours.empty()) return {};
  const auto [least, most] = std::ranges::minmax(hours);
  const Unit* unit = std::begin(kUnits);
  const auto suits_next = [&] {
    return least / unit->hours >= unit->most || (most / unit->hours >= kMostRead && least / unit[1].hours >= kEnough);
  };
  while (unit + 1 < std::end(kUnits) && suits_next()) ++unit;
  // Two figures of the least.
  const double smallest = std::max(least / unit->hours, 1e-3);
  const int decimals = std::max(unit->decimals, static_cast<int>(std::ceil(1 - std::log10(smallest) - 1e-9)));
  std::vector<std::string> texts;
  for (const double one : hours) texts.push_back(unit->words(format("{:.{}f}", one / unit->hours, decimals)));
  return texts;
}

std::string speed_title(const job::Job& work) {
  if (work.ends()) return say("time");
  if (work.counted) return say_name(work.counted->unit.rate);
  return work.model->is_generator() ? say("tok/s") : say("seq/s");
}

std::vector<std::string> speed_texts(const job::Job& work, std::span<const Recommendation* const> all) {
  std::vector<double> hours;
  for (const Recommendation* r : all) hours.push_back(r->cost.hours);
  if (work.ends()) return duration_texts(hours);
  std::vector<std::string> texts;
  for (const Recommendation* r : all) {
    const bool sequences = !work.counted && !work.model->is_generator();
    texts.push_back(human_number(sequences ? r->plan().sequences_per_s : r->plan().rate));
  }
  return texts;
}

catalog::Number ordering_unit_cost(const job::Job& work, const Recommendation& r) {
  if (work.ends() || work.by_the_hour()) return {};
  return work.counted ? r.cost.per_unit : r.cost.per_million_tokens;
}

std::string unit_column(const job::Job& work) {
  return work.counted ? say_name(work.counted->unit.column) : say("M tok");
}

std::vector<std::string> unit_amounts(std::span<const catalog::Number> costs) {
  double least = 1;
  for (const catalog::Number& cost : costs)
    if (cost && *cost > 0) least = std::min(least, *cost);
  const int decimals = std::clamp(static_cast<int>(std::ceil(1 - std::log10(least))), 2, 6);
  std::vector<std::string> texts;
  for (const catalog::Number& cost : costs)
    texts.push_back(!cost ? std::string("-") : *cost >= 1000 ? human_price(*cost) : format("{:.{}f}", *cost, decimals));
  return texts;
}

std::string odds_text(const Recommendation& r) {
  std::string text;
  const auto add = [&](const std::string& words) { add_item(text, words); };
  if (r.plan().need.is_known()) add(say("fits {}", answer::chance_words(r.plan().need.chance())));
  if (r.in_time) add(say("all targets {}", answer::chance_words(*r.in_time)));
  if (r.in_budget) add(say("within the budget {}", answer::chance_words(*r.in_budget)));
  return text;
}

std::string price_date(const Recommendation& r) {
  const Date date = Date::from_packed(r.offer->as_of);
  return date.known() ? date.text() : say("undated");
}

std::vector<std::string> price_facts(const answer::Advice& advice, const catalog::Catalog& catalog,
                                     const std::vector<Currency>& converted) {
  const std::string source = catalogue_name(catalog);
  if (!advice.newest_price.known()) return {say("none in the {} catalog", source)};
  if (!advice.newest_price_used.known()) return {say("{} catalog of {}", source, advice.newest_price.text())};
  std::vector<std::string> facts{say("in {}, dated {} to {}, {} catalog", advice.currency.code(),
                                     advice.oldest_price_used.text(), advice.newest_price_used.text(), source)};
  for (const catalog::ExchangeRate& rate : catalog.exchange_rates()) {
    const bool used =
        !converted.empty() && (rate.currency == advice.currency ||
                               std::find(converted.begin(), converted.end(), rate.currency) != converted.end());
    if (used)
      facts.push_back(say("{:g} {} per USD of {}", rate.per_usd.value_or(0), rate.currency.code(), rate.as_of.text()));
  }
  return facts;
}

std::string prices_line(const answer::Advice& advice, const catalog::Catalog& catalog,
                        const std::vector<Currency>& converted) {
  std::string list;
  for (const std::string& fact : price_facts(advice, catalog, converted)) add_item(list, fact);
  return say("prices: {}", list);
}

std::string against_title(answer::Against against, const std::string& rate) {
  switch (against) {
    case answer::Against::time: return say("hours");
    case answer::Against::latency: return say("ms to the whole answer");
    case answer::Against::throughput: return rate;
  }
  return {};
}

Chart frontier_chart(std::vector<Mark> marks, std::string x_title, std::string y_title) {
  std::vector<double> xs, ys;
  Line frontier{0, {}};
  for (const Mark& mark : marks) {
    xs.push_back(mark.x);
    ys.push_back(mark.y);
    if (mark.strong) frontier.points.emplace_back(mark.x, mark.y);
  }
  std::ranges::sort(frontier.points);
  return {.x_title = std::move(x_title),
          .y_title = std::move(y_title),
          .x = scale_for(xs),
          .y = scale_for(ys),
          .series = {say("on the frontier"), say("another answer is better in one and not worse in the other")},
          .glyphs = "*.",
          .marks = std::move(marks),
          .lines = {std::move(frontier)}};
}

std::string duty_line(const money::Duty& duty) {
  const std::string used = human_number(duty.used_per_month());
  std::string line =
      !duty.works_always()
          ? say("duty: {} h a day, {} days a month, {:.4g} % in use: {} h of work a month",
                human_number(duty.hours_per_day), human_number(duty.days_per_month), duty.utilization * 100, used)
      : duty.is_given() ? say("24/7 use ({} h a month)", used)
                        : say("Assumes 24/7 use ({} h a month)", used);
  if (duty.months) line += say(", for {} months", human_number(*duty.months));
  if (duty.scale_to_zero) line += say(", switched off in between");
  if (duty.starts() > 0)
    line += duty.starts() == 1 ? say(", one start a day") : say(", {} starts a day", human_number(duty.starts()));
  if (duty.cold_start_s) line += say(" of {}", human_duration(seconds(*duty.cold_start_s)));
  return line;
}

void add_use(Document& page, const answer::Advice& advice) {
  if (advice.duty.is_given()) page.line(duty_line(advice.duty));
  const money::Extras& extras = advice.extras;
  std::string beside;
  if (extras.storage_gb)
    add_item(beside, say("{} GB of {} storage", human_number(*extras.storage_gb),
                         said(extras.storage_kind.value_or(catalog::StorageKind::block))));
  if (extras.egress_gb) add_item(beside, say("{} GB a month to the internet", human_number(*extras.egress_gb)));
  if (extras.workstation) add_item(beside, say("a license for a graphics driver"));
  if (!beside.empty()) page.line(say("paid with it: {}", beside));
}

}  // namespace gpusel::show
