#include <algorithm>
#include <cmath>

#include "answer/whatif/whatif_parts.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

/// Less than this of the cost is as good as no effect.
constexpr double kNoEffect = 1e-3;

class Tornado {
 public:
  Tornado(const WhatIfQuestion& question, const catalog::Catalog& catalog, Asker& asker, WhatIf& out)
      : swing_(question.swing), catalog_(catalog), asker_(asker), out_(out) {}

  void run() {
    for (const auto& [input, value] : asker_.settings()) vary(*input, std::string(value), false);
    for (const job::Assumed& assumed : out_.now.of->assumed) {
      const auto* number = std::get_if<double>(&assumed.value);
      const auto input = number != nullptr ? find_input(assumed.key, catalog_) : std::unexpected(Error{});
      if (input) vary(*input, format("{:.17g}", *number), true);
    }
    vary_duty();
    vary_prices();
    add_speed();
    const auto width = [&](const TornadoBar& bar) { return bar.width(out_.now.cost); };
    for (const TornadoBar& bar : out_.bars)
      if (!moves(bar)) out_.unmoved.push_back(bar.key);
    std::erase_if(out_.bars, [&](const TornadoBar& bar) { return !moves(bar); });
    std::stable_sort(out_.bars.begin(), out_.bars.end(),
                     [&](const TornadoBar& a, const TornadoBar& b) { return width(a) > width(b); });
  }

 private:
  bool moves(const TornadoBar& bar) const {
    if (bar.width(out_.now.cost) > kNoEffect * out_.now.cost || bar.low.other_winner || bar.high.other_winner)
      return true;
    return (!bar.low.cost && !bar.low.value.empty()) || (!bar.high.cost && !bar.high.value.empty());
  }

  bool is_known(const std::string& key) const {
    return std::any_of(out_.bars.begin(), out_.bars.end(), [&](const TornadoBar& bar) { return bar.key == key; });
  }

  TornadoBar::End end_of(const Input& input, std::string text, double factor) {
    TornadoBar::End end;
    end.value = input.is_price() ? format("{:+.0f}%", (factor - 1) * 100) : text;
    const Alteration change{&input, std::move(text), factor};
    end.best = asker_.outcome({&change, 1});
    end.cost = cost_of(end.best, out_);
    end.other_winner = !same_winner(end.best, out_.now);
    return end;
  }

  /// A whole number moves by one at least.
  std::string swung(const Reading& reading, double base, double factor) const {
    const double value = base * factor;
    if (!reading.whole) return reading.text(value);
    const double rounded = std::round(value);
    return reading.text(rounded == base ? base + (factor > 1 ? 1 : -1) : rounded);
  }

  void vary(const Input& input, const std::string& value, bool assumed) {
    if (input.is_price() || !input.takes_numbers() || is_known(input.key)) return;
    auto reading = Reading::of(input, value);
    const auto number = reading ? reading->number(value) : std::unexpected(Error{});
    if (!number || *number <= 0) return;
    if (*number == std::floor(*number)) reading->whole = !input.accepts(reading->text(*number + 0.5));
    TornadoBar bar;
    bar.key = input.key;
    bar.base = reading->text(*number);
    bar.assumed = assumed;
    for (const auto& [factor, end] : {std::pair(1 - swing_, &bar.low), std::pair(1 + swing_, &bar.high)}) {
      std::string text = swung(*reading, *number, factor);
      if (!input.accepts(text)) continue;  // the input goes no further
      *end = end_of(input, std::move(text), 1);
    }
    out_.bars.push_back(std::move(bar));
  }

  /// How much of a service is used matters where cost is by the unit of work.
  void vary_duty() {
    if (out_.measure != Measure::per_million_tokens && out_.measure != Measure::per_unit) return;
    if (const auto input = find_input("utilization", catalog_))
      vary(*input, format("{:g}", asker_.duty().utilization), true);
  }

  void vary_prices() {
    const std::string name = format("price:{}", out_.now.best.instance->provider);
    const auto input = find_input(name, catalog_);
    if (!input) return;
    TornadoBar bar;
    bar.key = name;
    bar.base = say("as published");
    bar.low = end_of(*input, {}, 1 - swing_);
    bar.high = end_of(*input, {}, 1 + swing_);
    out_.bars.push_back(std::move(bar));
  }

  /// What 80 of 100 measurements of the best answer's speed leave open: cost is inverse to it.
  void add_speed() {
    const bool by_time = out_.measure == Measure::hourly || out_.measure == Measure::monthly;
    if (by_time || out_.now.best.cost_range == nullptr) return;
    const Recommendation& best = out_.now.best;
    const auto& work = out_.now.of->work;
    const physics::Interval& range = best.intervals.rate;
    const double rate = best.plan().rate;
    if (range.low <= 0 || range.high <= range.low || rate <= 0) return;
    const std::string unit = work.counted ? std::string(work.counted->unit.rate) : say("tokens/s");
    TornadoBar bar;
    bar.key = "speed";
    bar.base = format("{} {}", human_number(rate), unit);
    const auto end = [&](double speed, const money::Quote& quote) {
      TornadoBar::End one;
      one.value = human_number(speed);
      one.best = out_.now;
      one.best.best.cost = quote;
      one.cost = one.best.cost_in(out_.measure);
      return one;
    };
    bar.low = end(range.low, best.cost_range->slow);
    bar.high = end(range.high, best.cost_range->fast);
    out_.bars.push_back(std::move(bar));
  }

  double swing_;
  const catalog::Catalog& catalog_;
  Asker& asker_;
  WhatIf& out_;
};

}  // namespace

double TornadoBar::width(double base_cost) const {
  const double a = low.cost.value_or(base_cost);
  const double b = high.cost.value_or(base_cost);
  return std::max({a, b, base_cost}) - std::min({a, b, base_cost});
}

void tornado(const WhatIfQuestion& question, const catalog::Catalog& catalog, Asker& asker, WhatIf& out) {
  out.swing = question.swing;
  if (out.now.fits()) Tornado(question, catalog, asker, out).run();
}

}  // namespace gpusel::answer
