#include "show/money/fleet.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "physics/planner/targets.hpp"
#include "show/catalogue/catalogue_name.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"
#include "show/lists/words.hpp"
#include "show/money/autoscale.hpp"

namespace gpusel::show {

namespace {

using answer::Fleet;
using answer::FleetMember;
using answer::FleetOffer;
using answer::FleetType;

std::string offer_text(const FleetOffer& offer) {
  return format("{} {}", offer.instance->provider, printable(offer.instance->sku));
}

std::string fleet_gpus_text(const FleetType& type) { return spoken_gpus(type.machine()); }

std::string percent_of_load(double share) { return format("{:.0f} %", share * 100); }

/// As much of it as tells something: 100 %, 2.4 %, 0.02 %.
std::string part(double share) {
  return share * 100 < 1 ? format("{:.1g} %", share * 100) : format("{:.{}f} %", share * 100, share < 0.0995 ? 1 : 0);
}

/// A number of instances, however many.
std::string count_text(double count) { return format("{:.0f}", count); }

class FleetPage {
 public:
  FleetPage(const Fleet& fleet, const catalog::Catalog& catalog, bool all)
      : fleet_(fleet), catalog_(catalog), all_(all), money_(fleet.currency.code()) {}

  Document page() {
    head();
    if (!fleet_.mix.feasible) {
      nothing();
    } else {
      sum();
      members();
      verdict();
      routes();
      if (fleet_.schedule) schedule(*fleet_.schedule);
      if (all_) scaling();
    }
    for (const std::string& note : fleet_.notes) page_.line(say("Note: {}", note));
    if (all_)
      details();
    else
      page_.line(secondary(say("Assumptions, prices, autoscaling, rejections: --why")));
    page_.derivation(derivation_of(fleet_.trace));
    return std::move(page_);
  }

 private:
  std::string amount(double value) const { return spoken_money(value, fleet_.currency); }

  void head() {
    const auto& traffic = fleet_.traffic;
    const std::string lengths = fleet_.work.model->is_generator()
                                    ? say("{:.0f} in + {:.0f} out", traffic.mean_input, traffic.mean_output)
                                    : say("{:.0f} tokens", traffic.mean_input);
    const std::string name = traffic.name.substr(traffic.name.rfind('/') + 1);
    const std::string rate = human_number(fleet_.rate);
    const std::string model = printable(fleet_.work.model->id);
    page_.title(traffic.buckets.size() == 1
                    ? say("Serve {}: {} req/s, {}", model, rate, lengths)
                    : say("Serve {}: {} req/s, mean {} ({})", model, rate, lengths, printable(name)));
    if (const std::string targets = target_words(fleet_.work); !targets.empty()) page_.line(secondary(targets));
    page_.gap();
  }

  /// Where lengths and prices come from, what was assumed, and what was left out.
  void details() {
    const auto& traffic = fleet_.traffic;
    page_.gap();
    page_.line(traffic.buckets.size() == 1 ? say("lengths: 1 bucket")
                                           : say("lengths: {} buckets", traffic.buckets.size()));
    if (!traffic.source.empty()) {
      const auto* source = catalog_.source(traffic.source);
      page_.line(say("lengths: {} ({})", source != nullptr ? printable(source->document) : printable(traffic.source),
                     source != nullptr ? said(source->confidence) : say("no source")));
    }
    if (fleet_.peak != 1)
      page_.line(say("planned for the busiest hour: {} req/s, {:.2f}× the mean",
                     human_number(fleet_.rate * fleet_.peak), fleet_.peak));
    page_.line(say("assumed: {}", assumed_line(fleet_.assumed)));
    if (fleet_.newest_price_used.known())
      page_.line(say("prices: in {}, dated {} to {}, {} catalog", money_, fleet_.oldest_price_used.text(),
                     fleet_.newest_price_used.text(), catalogue_name(catalog_)));
    rejected();
  }

  /// What to run, and what it costs.
  void sum() {
    const auto& mix = fleet_.mix;
    double count = 0;
    for (const FleetMember& member : mix.members) count += member.instances;
    const std::string hourly = spoken_money(mix.hourly, fleet_.currency);
    const std::string monthly = with_currency(spoken_sum(mix.monthly()), fleet_.currency);
    page_.line(Text(count == 1
                        ? say("Cheapest fleet: 1 instance, {}/h, {}/month", hourly, monthly)
                        : say("Cheapest fleet: {} instances, {}/h, {}/month", count_text(count), hourly, monthly),
                    Meaning::best));
    if (fleet_.replay) replayed(*fleet_.replay);
    page_.gap();
  }

  void nothing() {
    page_.line(Text(say("No fleet serves this traffic"), Meaning::warn));
    // One line for each length of prompt: the answer's length hardly matters to what is missed.
    const auto& buckets = fleet_.traffic.buckets;
    for (std::size_t i = 0; i < fleet_.unserved.size();) {
      const answer::Unserved* worst = &fleet_.unserved[i];
      const double prompt = buckets[worst->bucket].input_up_to;
      double share = 0;
      for (; i < fleet_.unserved.size() && buckets[fleet_.unserved[i].bucket].input_up_to == prompt; ++i) {
        const answer::Unserved& one = fleet_.unserved[i];
        share += buckets[one.bucket].share;
        if (one.ttft > worst->ttft || (one.ttft == worst->ttft && one.itl > worst->itl)) worst = &one;
      }
      page_.line(say("{} of the requests have prompts of up to {:.0f} tokens and are not served: {}", part(share),
                     prompt, worst->message));
    }
    if (!fleet_.relaxed.empty()) page_.line(say("all of them need at least {}", fleet_.relaxed));
    page_.gap();
  }

  void members() {
    Table rows({right("#"), left(say("instances"), 0, 18), left(say("region"), 3, 9), left(say("GPUs")),
                left(say("layout"), 2, 12), right(say("load")), right(say("req/s")), right(say("{}/h each", money_), 1),
                right(say("{}/h", money_)), left(say("term"), 2), left(say("price date"), 1)});
    for (const FleetMember& member : fleet_.mix.members) {
      const FleetType& type = fleet_.types[member.type];
      const FleetOffer& offer = type.steady();
      const Date date = Date::from_packed(offer.offer->as_of);
      rows.add({format("{}", member.type + 1), format("{} × {}", count_text(member.instances), offer_text(offer)),
                printable(offer.region->id), fleet_gpus_text(type), physics::layout_text(fleet_.work, type.layout()),
                percent_of_load(member.load), human_number(member.requests_per_s), human_price(offer.cost.hourly),
                human_price(member.hourly), term_cell(offer.offer->term), date.known() ? date.text() : say("undated")});
    }
    page_.add(std::move(rows)).gap();
    constexpr std::size_t kMostWarnings = 3;
    std::vector<answer::Remark> all;
    for (const FleetMember& member : fleet_.mix.members)
      for (const answer::Remark& remark : fleet_.types[member.type].steady().remarks)
        if (std::ranges::find(all, remark.message, &answer::Remark::message) == all.end()) all.push_back(remark);
    add_warnings(page_, all, kMostWarnings);
  }

  /// What the requests themselves got.
  void replayed(const answer::FleetReplay& replay) {
    const std::string latency = say("p95 TTFT {:.0f} ms, TPOT {:.0f} ms; requests in flight {:.0f} % of the time",
                                    in_ms(replay.ttft_p95), in_ms(replay.tpot_p95), 100 * replay.utilization);
    std::string line =
        physics::has_targets(fleet_.work.inference)
            ? say("Replay, request by request: {:.1f} % on time, {}", 100 * replay.share_in_time, latency)
            : say("Replay, request by request: {}", latency);
    if (replay.added > 0) line += say("; instances added: {}", count_text(replay.added));
    if (replay.added < 0) line += say("; instances removed: {}", count_text(-replay.added));
    page_.line(line);
  }

  void verdict() {
    const auto& mix = fleet_.mix;
    page_.line(say("load: 100 % is {} of an instance's capacity; chance of keeping up there: {:.0f} %",
                   percent_of_load(fleet_.work.inference.max_load), 100 * fleet_.work.confidence));
    if (fleet_.replay && fleet_.replay->added != 0)
      return void(
          page_.line(say("cheapest fleet by estimate; not proven, because the replay changed the number of machines")));
    if (fleet_.single) {
      const auto& single = *fleet_.single;
      const FleetType& type = fleet_.types[single.type];
      const std::string who = format("{} × {}", count_text(single.instances), offer_text(type.steady()));
      const double saving = 1 - mix.hourly / single.hourly;
      page_.line(saving > 1e-9 ? say("best single type: {} ({}), {}/h; the mix saves {:.1f} % ({}/month)", who,
                                     physics::layout_text(fleet_.work, type.layout()), amount(single.hourly),
                                     saving * 100, amount(single.monthly() - mix.monthly()))
                               : say("best single type: {} ({}), {}/h; no mix is cheaper", who,
                                     physics::layout_text(fleet_.work, type.layout()), amount(single.hourly)));
    } else {
      page_.line(fleet_.replay && fleet_.replay->kept
                     ? say("no single type serves all requests on time within the limits at under twice that price")
                     : say("no single type serves all requests within the limits"));
    }
    const std::string time =
        fleet_.solver_s < 1 ? say("in under a second") : say("in {:.0f} s", std::ceil(fleet_.solver_s));
    const std::string gap = format("{:.1f} %", mix.gap() * 100);
    if (mix.near_enough)
      page_.line(say("at most {} above the cheapest fleet, as --gap allows (found {})", gap, time));
    else if (mix.optimal)
      page_.line(fleet_.peak != 1 ? say("proven cheapest for the busiest hour, of {} layouts on {} machines ({})",
                                        fleet_.considered, fleet_.shapes, time)
                                  : say("proven cheapest of {} layouts on {} machines ({})", fleet_.considered,
                                        fleet_.shapes, time));
    else
      page_.line(say("stopped {}: at most {} above the cheapest fleet; see --time-limit and --gap",
                     fleet_.time_limit_s ? say("after {:g} s", *fleet_.time_limit_s) : say("before it was proven"),
                     gap));
  }

  /// Where requests go, by what is known when they come.
  void routes() {
    if (fleet_.mix.members.size() < 2) return;
    page_.heading(say("routing"));
    std::vector<Column> columns{right(say("prompt up to"))};
    for (const FleetMember& member : fleet_.mix.members) columns.push_back(right(format("→ #{}", member.type + 1)));
    Table rows(std::move(columns));
    const auto& buckets = fleet_.traffic.buckets;
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      std::vector<Cell> cells{format("{:g}", buckets[b].input_up_to)};
      for (const FleetMember& member : fleet_.mix.members) cells.emplace_back(share_text(member.share[b]));
      rows.add(std::move(cells));
    }
    page_.add(std::move(rows));
  }

  static std::string share_text(double share) {
    return share < 0.0005 ? std::string() : share > 0.9995 ? say("all") : format("{:.1f} %", share * 100);
  }

  void schedule(const answer::FleetSchedule& day) {
    page_.heading(say("day: {}", printable(day.name)));
    std::vector<Column> columns{right(say("from")), right(say("to")), right(say("req/s"))};
    std::vector<std::size_t> types;
    for (const auto& hour : day.hours)
      for (const FleetMember& member : hour)
        if (std::ranges::find(types, member.type) == types.end()) types.push_back(member.type);
    std::ranges::sort(types);
    for (const std::size_t type : types)
      columns.push_back(right(format("#{} {}", type + 1, offer_text(scheduled(type))), 0, 12));
    columns.push_back(right(say("{}/h", money_)));
    Table rows(std::move(columns));
    for (std::size_t from = 0; from < day.hours.size();) {
      std::size_t to = from + 1;
      while (to < day.hours.size() && same(day.hours[from], day.hours[to], types)) ++to;
      const auto [least, most] = std::minmax_element(day.multipliers.begin() + static_cast<std::ptrdiff_t>(from),
                                                     day.multipliers.begin() + static_cast<std::ptrdiff_t>(to));
      std::string rate = human_number(fleet_.rate * *least);
      if (const std::string high = human_number(fleet_.rate * *most); high != rate) rate += "–" + high;
      std::vector<Cell> cells{format("{:02}:00", from), format("{:02}:00", to), rate};
      double hourly = 0;
      for (const std::size_t type : types) cells.emplace_back(count_text(instances(day.hours[from], type)));
      for (const FleetMember& member : day.hours[from]) hourly += member.hourly;
      cells.emplace_back(human_price(hourly));
      rows.add(std::move(cells));
      from = to;
    }
    page_.add(std::move(rows)).gap();
    for (const std::size_t type : types) committed(day, type);
    const double saving = 1 - day.daily / day.fixed_daily;
    page_.line(say("{} a day including {} of cold starts, {} a month; a fixed fleet for the peak costs {} a day: {}",
                   amount(day.daily), amount(day.cold_daily), amount(day.monthly()), amount(day.fixed_daily),
                   saving > 0.0005 ? say("scaling saves {:.1f} %", saving * 100) : say("scaling saves nothing")));
    page_.line(day.replayed ? say("replayed request by request, each hour's machines keep the targets")
               : day.optimal && day.gap < 0.0005 ? say("no schedule is cheaper before cold starts, proven")
                                                 : say("no schedule is more than {:.1f} % cheaper before cold starts",
                                                       std::ceil(day.gap * 1000) / 10));
  }

  const FleetOffer& scheduled(std::size_t type) const {
    const FleetType& t = fleet_.types[type];
    return t.elastic ? *t.elastic : *t.committed;
  }

  static double instances(const std::vector<FleetMember>& members, std::size_t type) {
    const auto found = std::ranges::find_if(members, [&](const FleetMember& m) { return m.type == type; });
    return found == members.end() ? 0 : found->instances;
  }
  static bool same(const std::vector<FleetMember>& a, const std::vector<FleetMember>& b,
                   const std::vector<std::size_t>& types) {
    return std::ranges::all_of(types, [&](std::size_t type) { return instances(a, type) == instances(b, type); });
  }

  void committed(const answer::FleetSchedule& day, std::size_t type) {
    for (const auto& hour : day.hours)
      for (const FleetMember& member : hour)
        if (member.type == type && member.committed > 0) {
          const FleetOffer& offer = *fleet_.types[type].committed;
          page_.line(say("of #{} {} run at all hours as {} {} at {}/h each", type + 1, count_text(member.committed),
                         offer_text(offer), said(offer.offer->term), amount(offer.cost.hourly)));
          return;
        }
  }

  void scaling() {
    if (fleet_.scaling.empty()) return;
    page_.heading(say("autoscaling"));
    Table rows({right("#"), right(say("replicas")), right(say("target in flight")), right(say("scale in below")),
                right(say("stabilization")), right(say("polling"), 1), right(say("cooldown"), 1),
                right(say("cold start"))});
    for (const answer::FleetScaling& one : fleet_.scaling) {
      const money::Autoscale& rule = one.rule;
      const auto s = [](Seconds time) { return say("{:.0f} s", time.raw()); };
      rows.add({format("{}", one.type + 1), format("{:g}–{:g}", rule.min_replicas, rule.max_replicas),
                format("{:g}", rule.target_in_flight), percent_of_load(rule.scale_in_below), s(rule.stabilization),
                s(rule.polling_interval), s(rule.cooldown), s(rule.cold_start)});
    }
    page_.add(std::move(rows)).gap();
    page_.line(say("a replica is an instance; in flight is {} over the instances of a type",
                   in_flight_text(fleet_.work.inference.engine)));
    if (std::ranges::any_of(fleet_.scaling, [](const auto& one) { return one.rule.min_replicas == 0; }))
      page_.line(waking_text());
  }

  void rejected() {
    int total = 0;
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [rule, count] : fleet_.rejected) {
      total += count;
      order.emplace_back(-count, rule);
    }
    std::ranges::sort(order);
    const std::string list =
        join_texts(order, ", ", [](const auto& one) { return format("{} {}", one.second, -one.first); });
    if (total > 0) page_.line(say("rejected: {} instances ({})", total, list));
  }

  const Fleet& fleet_;
  const catalog::Catalog& catalog_;
  bool all_;
  std::string_view money_;
  Document page_;
};

}  // namespace

Document fleet_page(const Fleet& fleet, const catalog::Catalog& catalog, bool all) {
  return FleetPage(fleet, catalog, all).page();
}

}  // namespace gpusel::show
