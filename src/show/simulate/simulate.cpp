#include "show/simulate/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/question.hpp"

namespace gpusel::show {

namespace {

using answer::Simulated;
using serve::Figures;
using serve::Measures;

struct MeasureRow {
  std::string_view key;
  std::string_view name;
  Figures Measures::* measure;
};
constexpr MeasureRow kMeasureRows[] = {
    {"ttft_ms", to_say("time to first token"), &Measures::ttft},
    {"tpot_ms", to_say("time per output token"), &Measures::tpot},
    {"itl_ms", to_say("gap between tokens"), &Measures::itl},
    {"e2e_ms", to_say("end to end"), &Measures::e2e},
};

std::string latency_text(double value) {
  if (!std::isfinite(value)) return say("never");
  const double ms = 1000 * value;
  return ms >= 1000 ? human_number(std::round(ms)) : human_number(ms);
}

/// Long ones in seconds: "1,585 s", "176 ms".
std::string time_text(double value) {
  constexpr double kLong = 10;
  if (!std::isfinite(value)) return say("never");
  return value >= kLong ? say("{} s", human_number(std::round(value))) : say("{} ms", latency_text(value));
}

std::string share_text_of(double share) { return human_number(100 * share); }

class SimulatePage {
 public:
  SimulatePage(const Simulated& s, bool all) : s_(s), o_(s.simulation.outcome), all_(all) {}

  Document page() {
    head();
    verdict();
    page_.gap().add(figures()).gap();
    did();
    if (all_) knee();
    for (const std::string& note : s_.notes) page_.line(say("Note: {}", note));
    if (!all_) page_.line(secondary(say("Queue, cache and latency by request rate: --why")));
    return std::move(page_);
  }

  Table figures() const {
    Table table({left(say("milliseconds")), right(say("mean")), right("p50"), right("p90", 2), right("p95"),
                 right("p99"), right("p99.9", 3), right(say("p95, 80 % range"), 1)});
    for (const MeasureRow& row : kMeasureRows) {
      const Figures& f = o_.measures.*row.measure;
      if (!f.any()) continue;
      const serve::Bounds bounds = serve::bounds(s_.simulation, &Figures::p95, row.measure);
      const auto cell = [&](double value) {
        return figure_cell(latency_text(value),
                           std::isfinite(value) ? catalog::Number(1000 * value) : catalog::Number());
      };
      table.add({say_text(row.name), cell(f.mean), cell(f.p50), cell(f.p90), cell(f.p95), cell(f.p99), cell(f.p999),
                 format("{} … {}", latency_text(bounds.low), latency_text(bounds.high))});
    }
    return table;
  }

 private:
  void head() {
    const auto& t = s_.traffic;
    std::string load = s_.demand.users.count > 0 ? say("{} users", s_.demand.users.count)
                                                 : say("{} req/s", human_number(s_.demand.rate));
    if (t.name != answer::kOneLength) load = say("{} of {}", load, printable(t.name));
    page_.title(say("{} on {}: {}, {:.0f} + {:.0f} tokens", printable(s_.work.model->id), machine_text(), load,
                    t.input.mean, t.output.mean));
    const auto& scheduling = s_.setup.scheduling;
    const auto& fleet = s_.setup.fleet;
    std::string line =
        say("{} {}: {} sequences and {} tokens a step, cache of {} tokens", to_text(s_.work.inference.engine),
            physics::layout_text(s_.work, s_.plan.layout), scheduling.max_sequences, scheduling.batched_tokens,
            human_number(static_cast<double>(scheduling.kv_tokens)));
    if (scheduling.async) add_clause(line, say("asynchronous scheduling"));
    if (fleet.prompt_replicas > 0)
      add_clause(line, say("{} replicas process prompts for {}", fleet.prompt_replicas,
                           fleet.replicas - fleet.prompt_replicas));
    else if (fleet.most_replicas > 0)
      add_clause(line, say("{} to {} replicas, {:.1f} on average", fleet.replicas, fleet.most_replicas, o_.replicas));
    else if (fleet.replicas > 1)
      add_clause(line, say("{} replicas, {}", fleet.replicas, said(fleet.router)));
    if (all_) page_.line(line);
    page_.gap();
  }

  std::string machine_text() const {
    const double gpus = s_.machine.gpus() * s_.machines;
    std::string out = s_.machine.on_cpu()         ? spoken_machine(s_.machine)
                      : gpus == s_.machine.gpus() ? spoken_gpus(s_.machine)
                                                  : format("{:g} × {}", gpus, spoken_gpu(*s_.machine.device.gpu));
    if (s_.instance == nullptr) return out;
    const double nodes = s_.machine.nodes * s_.machines;
    return format("{}{} {} ({})", nodes > 1 ? format("{:g} × ", nodes) : "", s_.instance->provider,
                  printable(s_.instance->sku), out);
  }

  std::string targets_text() const {
    std::string out;
    const auto& targets = s_.goal.targets;
    const auto add = [&](const std::optional<double>& target, std::string_view name) {
      if (target) add_item(out, say("{} of {} ms", say_text(name), human_number(1000 * *target)));
    };
    add(targets.ttft, kMeasureRows[0].name);
    add(targets.tpot, kMeasureRows[1].name);
    add(targets.itl, kMeasureRows[2].name);
    add(targets.e2e, kMeasureRows[3].name);
    return out;
  }

  /// "Keeps up at 28 % load, p95 TTFT 71 ms, TPOT 20 ms; up to 17.6 req/s".
  std::string keeps_up(const std::optional<double>& load) const {
    std::string line = load ? say("Keeps up at {} % load", share_text_of(*load))
                            : say("{} req/s are served", human_number(o_.requests_per_s));
    line += say(", p95 TTFT {}", time_text(o_.measures.ttft.p95));
    if (o_.measures.tpot.any()) line += say(", TPOT {}", time_text(o_.measures.tpot.p95));
    if (load) add_clause(line, say("up to {} req/s", human_number(s_.simulation.saturates_at)));
    return line;
  }

  void verdict() {
    const auto& sim = s_.simulation;
    const std::string most = sim.most_requests_per_s > 0 ? human_number(sim.most_requests_per_s) : std::string();
    if (!s_.goal.targets.any()) {
      const auto load = s_.load();
      if (load && *load > 1)
        page_.line(Text(say("Overloaded: {} req/s arrive, at most {} can be served", human_number(s_.demand.rate),
                            human_number(sim.saturates_at)),
                        Meaning::warn));
      else if (sim.saturated)
        page_.line(Text(say("The queue keeps growing: {} req/s arrive, about {} are served",
                            human_number(s_.demand.rate), human_number(o_.requests_per_s)),
                        Meaning::warn));
      else
        page_.line(Text(keeps_up(load), Meaning::best));
      return;
    }
    const serve::Bounds share = serve::share_bounds(sim);
    std::string line = say("{} % of requests are on time, {} % required", share_text_of(o_.in_time.all),
                           human_number(100 * s_.goal.share));
    if (!sim.draws.empty()) {
      const std::string low = share_text_of(share.low), high = share_text_of(share.high);
      if (low != high) add_clause(line, say("{} to {} over the range of step times", low, high));
      const std::string chance = share_text_of(sim.meets_goal);
      add_clause(line, s_.is_sure() ? say("{} % chance of meeting them", chance)
                                    : say("{} % chance of meeting them, {} % required", chance,
                                          share_text_of(s_.goal.confidence)));
    }
    page_.line(s_.misses() ? Text(line, Meaning::warn) : Text(line));
    page_.line(say("targets: {}", targets_text()));
    if (!most.empty())
      page_.line(say("highest rate that meets them: {} req/s", most));
    else if (s_.demand.users.count == 0 && !sim.knee.empty())
      page_.line(say("no rate meets them"));
  }

  void did() {
    std::string served =
        say("throughput: {} req/s, {} output tokens/s, {} total tokens/s", human_number(o_.requests_per_s),
            human_number(o_.output_tokens_per_s), human_number(o_.total_tokens_per_s));
    if (s_.goal.targets.any()) add_clause(served, say("{} req/s on time", human_number(o_.good_requests_per_s)));
    page_.line(served);
    if (all_)
      page_.line(say("running: {} sequences on average, {} at most; waiting: {} on average, {} at most, {} ms each",
                     human_number(o_.batch.mean), human_number(o_.batch.most), human_number(o_.queue.mean),
                     human_number(o_.queue.most), latency_text(o_.wait)));
    std::string line;
    if (const auto load = s_.load())
      line = say("load: {} % of the {} req/s that can be served", share_text_of(*load),
                 human_number(s_.simulation.saturates_at));
    add_clause(line, say("peak cache use {} %", share_text_of(o_.cache_peak)));
    if (o_.prefix_hit > 0) add_clause(line, say("{} % of prompt tokens were cached", share_text_of(o_.prefix_hit)));
    page_.line(line);
    if (s_.hourly) {
      std::string cost = say("{} {} an hour", human_price(*s_.hourly), s_.currency.code());
      if (s_.per_million)
        add_clause(cost,
                   say("{} {} per million output tokens on time", human_price(*s_.per_million), s_.currency.code()));
      page_.line(cost);
    }
    if (all_)
      page_.line(secondary(say("{} requests, {} of them counted, seed {}", s_.simulation.asked.all.size(),
                               s_.simulation.requests, s_.seed)));
  }

  /// Latency against the rate.
  void knee() {
    const auto& points = s_.simulation.knee;
    if (points.size() < 3) return;
    Chart chart;
    chart.x_title = say("requests/s");
    chart.y_title = say("ms");
    chart.series = {say("95th percentile of the time to first token"),
                    say("95th percentile of the time per output token")};
    chart.glyphs = "o+";
    std::vector<double> xs;
    std::vector<double> ys;
    Line first{0, {}};
    Line each{1, {}};
    for (const serve::KneePoint& point : points) {
      if (!std::isfinite(point.ttft_p95) || point.ttft_p95 <= 0) continue;
      const double ttft = 1000 * point.ttft_p95;
      const double tpot = 1000 * point.tpot_p95;
      xs.push_back(point.requests_per_s);
      ys.push_back(ttft);
      first.points.emplace_back(point.requests_per_s, ttft);
      chart.marks.push_back({point.requests_per_s, ttft, 0, false,
                             say("{} req/s: {} ms to the first token, {} % in time", human_number(point.requests_per_s),
                                 human_number(std::round(ttft)), share_text_of(point.share_in_time))});
      if (!(tpot > 0)) continue;
      ys.push_back(tpot);
      each.points.emplace_back(point.requests_per_s, tpot);
      chart.marks.push_back({point.requests_per_s, tpot, 1, false,
                             say("{} req/s: {} ms per token", human_number(point.requests_per_s), human_number(tpot))});
    }
    if (xs.size() < 3) return;
    xs.push_back(0);
    chart.lines = {std::move(first), std::move(each)};
    chart.x = {0, std::ranges::max(xs) * 1.02, false};
    chart.y = scale_for(ys);
    page_.gap().add(Picture{std::move(chart), say("Latency by request rate")});
  }

  const Simulated& s_;
  const serve::Outcome& o_;
  bool all_;
  Document page_;
};

}  // namespace

Document simulate_page(const Simulated& simulated, bool all) { return SimulatePage(simulated, all).page(); }

Table simulate_table(const Simulated& simulated) {
  Table table({left(say("measure"), 0, 0, "measure"), right(say("mean"), 0, 0, "mean"), right("p50", 0, 0, "p50"),
               right("p90", 0, 0, "p90"), right("p95", 0, 0, "p95"), right("p99", 0, 0, "p99"),
               right("p999", 0, 0, "p999"), right(say("p95 low"), 0, 0, "p95_low"),
               right(say("p95 high"), 0, 0, "p95_high")});
  for (const MeasureRow& row : kMeasureRows) {
    const Figures& f = simulated.simulation.outcome.measures.*row.measure;
    const serve::Bounds bounds = serve::bounds(simulated.simulation, &Figures::p95, row.measure);
    const auto cell = [&](double value) {
      return figure_cell(latency_text(value), std::isfinite(value) ? catalog::Number(1000 * value) : catalog::Number());
    };
    table.add({std::string(row.key), cell(f.mean), cell(f.p50), cell(f.p90), cell(f.p95), cell(f.p99), cell(f.p999),
               cell(bounds.low), cell(bounds.high)});
  }
  return table;
}

}  // namespace gpusel::show
