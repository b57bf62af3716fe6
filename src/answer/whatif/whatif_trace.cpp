#include <algorithm>

#include "answer/whatif/whatif_parts.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

class WhatifTracer {
 public:
  WhatifTracer(const catalog::Catalog& catalog, const physics::Coefficients& coefficients, WhatIf& out)
      : catalog_(catalog), coefficients_(coefficients), out_(out) {}

  void run() {
    for (const Axis& axis : out_.axes) add_axis(axis);
    if (out_.now.fits()) add_cost(out_.now, "cost.now");
    for (std::size_t i = 1; i < out_.segments.size(); ++i) add_change(i);
    for (const Winner& winner : out_.winners) add_winner(winner);
    for (const TornadoBar& bar : out_.bars) add_bar(bar);
    if (!out_.candidates.empty()) add_frontier();
    if (!out_.now.fits()) return;
    const auto figures = explain(out_.now.of->work, out_.now.best.machine(), out_.now.best.plan(), coefficients_);
    out_.trace.insert(out_.trace.end(), figures.begin(), figures.end());
  }

 private:
  void add(std::string quantity, std::string formula, std::string substituted, physics::Figure value,
           std::string source) {
    out_.trace.push_back(
        {std::move(quantity), std::move(formula), std::move(substituted), std::move(value), std::move(source)});
  }
  static std::string own() { return say("arithmetic on the figures of the recommendations"); }
  static std::string name(const Outcome& one) {
    return one.fits() ? printable(format("{}/{} {}", one.best.instance->provider, one.best.instance->sku,
                                         to_text(one.offer.term)))
                      : say("nothing fits");
  }
  physics::Figure money(double amount) const { return physics::shown("{:.6g}", amount, out_.currency.code()); }
  static std::string value_text(const Axis& axis, const AxisValue& value) {
    return value.number ? format("{:.6g}{}", *value.number, axis.unit) : value.text;
  }

  void add_axis(const Axis& axis) {
    const std::size_t n = axis.values.size();
    const std::string ends =
        format("{} to {}", value_text(axis, axis.values.front()), value_text(axis, axis.values.back()));
    std::string formula = say("the values that were listed");
    if (axis.doublings)
      formula = say("each value is twice the one before");
    else if (axis.continuous && axis.log)
      formula = say("equal ratios, because b / a ≥ 8: a × (b / a)^(i / (n - 1))");
    else if (axis.continuous)
      formula = say("equal steps: a + (b - a) × i / (n - 1)");
    if (axis.relative) formula += say("; percent of change, every other input unchanged");
    add("vary." + axis.key, formula, ends, physics::shown("{:g}", static_cast<double>(n), to_name("values")),
        say("--vary"));
  }

  /// Who published the price, when, and of what day the rate of exchange is.
  std::string price_source(const Outcome& one) const {
    const catalog::Origin& origin = catalog_.origin_of(one.offer);
    const std::string date = Date::from_packed(one.offer.as_of).text();
    std::string text = say("{}, {}", origin.source.empty() ? say("no source") : printable(origin.source),
                           date.empty() ? say("undated") : date);
    if (one.best.cost.exchange) text += say("; exchange rate of {}", one.best.cost.exchange->as_of.text());
    return text;
  }

  void add_cost(const Outcome& one, std::string quantity) {
    const money::Quote& cost = one.best.cost;
    const int nodes = one.best.machine().nodes;
    const double rate = cost.exchange ? cost.exchange->rate : 1;
    add(quantity + ".hourly", say("price of the offer × rate of exchange × nodes + license and host"),
        format("{:.6g} {} × {:.6g} × {} + {:.6g}", cost.published.amount, cost.published.currency.code(), rate, nodes,
               cost.beside_hourly()),
        physics::shown("{:.6g}", cost.hourly, format("{}/h", out_.currency.code())), price_source(one));
    const double rate_of_work = one.best.plan().rate;
    switch (out_.measure) {
      case Measure::total:
        add(quantity, say("cost per hour × hours paid, in the steps and periods of the term"),
            format("{} × {:.6g} h", money(cost.hourly).text, cost.paid.job.value_or(cost.paid.month)), money(one.cost),
            own());
        break;
      case Measure::hourly: add(quantity, say("cost per hour of all nodes"), {}, money(one.cost), own()); break;
      case Measure::monthly:
        add(quantity, say("cost per hour × hours paid for in a month"),
            format("{} × {:.6g}", money(cost.hourly).text, cost.paid.month), money(one.cost), own());
        break;
      case Measure::per_million_tokens:
      case Measure::per_unit:
        add(quantity, say("cost per hour ÷ work per hour × hours paid for ÷ hours used"),
            format("{} ÷ ({:.6g} per second) × {:.6g}", money(cost.hourly).text, rate_of_work, one.duty_factor),
            money(one.cost), own());
        break;
    }
  }

  void add_change(std::size_t i) {
    const Axis& axis = out_.axes.front();
    const Sample& before = out_.samples[out_.segments[i - 1].last];
    const Sample& after = out_.samples[out_.segments[i].first];
    const std::string costs =
        say("{} at {}; {} at {}", before.best.fits() ? money(before.best.cost).text : say("none"),
            value_text(axis, before.at[0]), after.best.fits() ? money(after.best.cost).text : say("none"),
            value_text(axis, after.at[0]));
    add(format("change.{}", i),
        axis.continuous ? say("bisection between two points with different winners")
                        : say("the first listed value with another winner"),
        costs, physics::Figure::words(say("{} → {}", name(before.best), name(after.best))), own());
  }

  void add_winner(const Winner& winner) {
    const bool continuous = out_.axes.size() == 1 && out_.axes.front().continuous;
    const Outcome& one = out_.samples[winner.sample].best;
    add("share." + name(one),
        continuous ? say("length of its sections divided by that of the range") : say("wins ÷ answers"), {},
        physics::shown("{:.1f}", 100 * winner.share, "%"), own());
    if (one.fits()) add_cost(one, format("cost.{}", name(one)));
  }

  void add_bar(const TornadoBar& bar) {
    const auto end = [&](const TornadoBar::End& one) {
      if (one.value.empty()) return say("goes no further");
      return one.cost ? format("{}: {}", one.value, money(*one.cost).text) : say("{}: nothing fits", one.value);
    };
    add("tornado." + bar.key,
        bar.key == "speed"
            ? say("highest − lowest of the cost now and cost × speed ÷ each end of its 80 % interval")
            : say("highest − lowest cost of the best answer now and with this input alone changed by ±{:g} %",
                  100 * out_.swing),
        say("{} now; {}; {}", money(out_.now.cost).text, end(bar.low), end(bar.high)), money(bar.width(out_.now.cost)),
        own());
  }

  void add_frontier() {
    const auto count =
        std::count_if(out_.candidates.begin(), out_.candidates.end(), [](const Candidate& c) { return c.frontier; });
    add("pareto.frontier",
        say("no other answer is better in cost or {} without being worse in the other", to_text(out_.against)),
        say("{} candidates", out_.candidates.size()),
        physics::shown("{:g}", static_cast<double>(count), to_name("on the frontier")), own());
  }

  const catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
  WhatIf& out_;
};

}  // namespace

void add_trace(const catalog::Catalog& catalog, const physics::Coefficients& coefficients, WhatIf& out) {
  WhatifTracer(catalog, coefficients, out).run();
}

}  // namespace gpusel::answer
