// Every figure of a fleet's answer with its formula and the numbers in it.
#include "answer/fleet/fleet_parts.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using physics::shown;

constexpr std::string_view kPage = "docs/fleet.md";

class Tracer {
 public:
  Tracer(const catalog::Catalog& catalog, Fleet& fleet)
      : catalog_(catalog), fleet_(fleet), money_(fleet.currency.code()) {}

  void run() {
    traffic();
    for (const FleetMember& member : fleet_.mix.members) describe(member);
    if (fleet_.mix.feasible) mix();
    if (fleet_.schedule) day(*fleet_.schedule);
  }

 private:
  void add(std::string quantity, std::string formula, std::string numbers, physics::Figure value,
           std::string_view source = kPage) {
    fleet_.trace.push_back(
        {std::move(quantity), std::move(formula), std::move(numbers), std::move(value), std::string(source)});
  }

  physics::Figure amount(double value) const { return shown("{:.2f}", value, money_); }
  physics::Figure an_hour(double value) const { return shown("{:.2f}", value, format("{}/h", money_)); }

  void traffic() {
    const auto& traffic = fleet_.traffic;
    if (traffic.requests_per_s)
      add("traffic.rate", say("(answered requests − 1) ÷ time from the first to the last"),
          say("{:g} requests in {:.2f} h", traffic.requests - traffic.unanswered, traffic.hours),
          shown("{:.4g}", *traffic.requests_per_s, "requests/s"), traffic.name);
    if (fleet_.peak != 1)
      add("traffic.peak", say("mean rate × multiplier of the busiest hour"),
          format("{:.4g} × {:.2f}", fleet_.rate, fleet_.peak),
          shown("{:.4g}", fleet_.rate * fleet_.peak, "requests/s"));
  }

  void describe(const FleetMember& member) {
    const FleetType& type = fleet_.types[member.type];
    const std::string name = format("type.{}", member.type + 1);
    std::string sum;
    for (std::size_t b = 0; b < member.share.size(); ++b) {
      if (member.share[b] <= 0) continue;
      const job::Bucket& bucket = fleet_.traffic.buckets[b];
      const Carried& carried = type.carried[b];
      const double rate = fleet_.rate * fleet_.peak * bucket.share * member.share[b];
      const double load = carried.requests_per_s / carried.ceiling;
      add(format("{}.capacity.{}", name, b + 1),
          say("the most requests of {:.0f} prompt and {:.0f} generated tokens per second within the targets, at most "
              "max_load of full load",
              bucket.input, bucket.output),
          say("{:.2f} × {:.4g}/s at full load: {:.1f} in flight, {:.0f} ms to the first token, {:.1f} ms between "
              "tokens",
              load, carried.ceiling, carried.in_flight, in_ms(carried.ttft), in_ms(carried.itl)),
          shown("{:.4g}", carried.requests_per_s, "requests/s"), "docs/method.md");
      sum += format("{}{:.4g} ÷ ({:g} × {:.4g})", sum.empty() ? "" : " + ", rate, fleet_.work.inference.max_load,
                    carried.ceiling);
    }
    const double spare = static_cast<double>(fleet_.work.inference.redundancy);
    add(name + ".load", say("sum over buckets of rate ÷ (max_load × full load), ÷ working instances"),
        format("({}) ÷ {:g}", sum, member.instances - spare), shown("{:.1f}", member.load * 100, "%"));
    const FleetOffer& offer = type.steady();
    const Date date = Date::from_packed(offer.offer->as_of);
    const std::string_view source = catalog_.origin_of(*offer.offer).source;
    const std::string converted =
        offer.cost.exchange ? say(" at {:.4f} of {}", offer.cost.exchange->rate, offer.cost.exchange->as_of.text())
                            : "";
    add(name + ".hourly", say("instances × price"),
        say("{:g} × {:.4f} {}{}, price of {}", member.instances, offer.cost.published.amount,
            offer.cost.published.currency.code(), converted, date.known() ? date.text() : say("no known date")),
        an_hour(member.hourly), source.empty() ? say("no source") : printable(source));
  }

  void mix() {
    const FleetMix& mix = fleet_.mix;
    std::string sum;
    for (const FleetMember& member : mix.members) sum += format("{}{:.4f}", sum.empty() ? "" : " + ", member.hourly);
    add("fleet.hourly",
        say("least Σ price × instances such that every bucket is served and no load exceeds its instances"), sum,
        an_hour(mix.hourly));
    add("fleet.monthly", say("per hour × {:g} h", kHoursPerMonth), format("{:.4f} × {:g}", mix.hourly, kHoursPerMonth),
        amount(mix.monthly()));
    add("fleet.bound",
        say("no fleet is cheaper: branch and bound over the program, from its relaxation to fractions of instances"),
        say("relaxation {:.4f}", mix.relaxed), an_hour(mix.bound), "CBC");
    add("fleet.gap", say("1 − bound ÷ cost"), format("1 − {:.4f} ÷ {:.4f}", mix.bound, mix.solved),
        shown("{:.2f}", mix.gap() * 100, "%"));
    if (!fleet_.single) return;
    add("single.hourly", say("of one type: as few as serve all, with spares, × price; the cheapest of all"),
        say("{}", member_text(fleet_, *fleet_.single)), an_hour(fleet_.single->hourly));
    add("fleet.saving", say("1 − mix ÷ best single type"),
        format("1 − {:.4f} ÷ {:.4f}", mix.hourly, fleet_.single->hourly),
        shown("{:.1f}", (1 - mix.hourly / fleet_.single->hourly) * 100, "%"));
  }

  void day(const FleetSchedule& day) {
    add("schedule.daily", say("sum over hours of instances × price, and cold starts"),
        format("{:.2f} + {:.2f}", day.daily - day.cold_daily, day.cold_daily), amount(day.daily));
    add("schedule.cold_starts", say("instances started per day × price per hour × cold start"), {},
        amount(day.cold_daily));
    add("schedule.fixed_daily", say("the fleet of the peak × 24 h"), format("{:.4f} × 24", fleet_.mix.hourly),
        amount(day.fixed_daily));
    add("schedule.saving", say("1 − schedule ÷ fixed fleet"), format("1 − {:.2f} ÷ {:.2f}", day.daily, day.fixed_daily),
        shown("{:.1f}", (1 - day.daily / day.fixed_daily) * 100, "%"));
  }

  const catalog::Catalog& catalog_;
  Fleet& fleet_;
  std::string_view money_;
};

}  // namespace

void trace_fleet(const FleetContext& context, Fleet& fleet) {
  // The traffic comes before what was found out on the way.
  physics::Trace before = std::move(fleet.trace);
  fleet.trace.clear();
  Tracer(context.catalog, fleet).run();
  fleet.trace.insert(fleet.trace.end(), before.begin(), before.end());
}

}  // namespace gpusel::answer
