#include "answer/poc/poc.hpp"

#include <algorithm>

#include "answer/poc/poc_figures.hpp"
#include "answer/poc/poc_values.hpp"
#include "answer/search/market.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "money/terms.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using physics::Machine;

class PocPlanner {
 public:
  PocPlanner(const Advice& advice, const Recommendation& chosen, std::span<const ProofTool> tools,
             const catalog::Catalog& catalog, const physics::Coefficients& c)
      : advice_(advice), tools_(tools), catalog_(catalog), c_(c), unit_(unit_of(advice, chosen, c)) {
    out_.chosen = &chosen;
  }

  Result<Poc> run() {
    runs_ = add_figures(out_, unit_, advice_, catalog_, c_);
    if (Status rented = rent(); !rented) return std::unexpected(rented.error());
    add_steps();
    turn();
    out_.machine = unit_.machine;
    out_.plan = unit_.plan;
    out_.work = unit_.work;
    return std::move(out_);
  }

 private:
  const Recommendation& chosen() const { return *out_.chosen; }

  Status rent() {
    const auto converter = money::Converter::into(advice_.currency, catalog_);
    if (!converter) return std::unexpected(converter.error());
    PocRent& rent = out_.rent;
    const money::Quoter quoter(catalog_, c_, *converter, advice_.today);
    rent.offer = &trial_offer(*chosen().offer, quoter, catalog_);
    rent.region = chosen().region;
    rent.nodes = chosen().machine().nodes;
    rent.setup_hours = c_.own_setup_hours.value;
    rent.run_hours = in_hours(runs_.duration);
    money::Work test;
    test.hours = rent.setup_hours + rent.run_hours;
    test.needs_workstation = advice_.work.counted && advice_.work.counted->needs_workstation;
    const money::Quote quote = *quoter.quote(*rent.offer, {static_cast<double>(rent.nodes), &test});
    const money::Commitment& commitment = quote.commitment;
    rent.published = quote.published;
    rent.exchange = quote.exchange;
    rent.hourly = quote.hourly;
    rent.billed_hours = quote.paid.job.value_or(*test.hours);
    rent.cost = quote.total;
    const std::string code(advice_.currency.code());
    out_.trace.push_back({"rent.cost",
                          say("hourly × hours billed for (setting up + runs)"),
                          format("{} {} × {:.4g} h ({:.3g} h + {:.3g} h)", human_price(rent.hourly), code,
                                 rent.billed_hours, rent.setup_hours, rent.run_hours),
                          {rent.cost, code, format("{} {}", human_price(rent.cost), code)},
                          std::string(catalog_.origin_of(*rent.offer).source)});
    if (rent.offer->term != chosen().offer->term)
      out_.notes.push_back(say("for the test it is rented on demand; the recommendation is priced as {}",
                               to_text(chosen().offer->term)));
    if (commitment.hours > 0 && !commitment.whole_month)
      out_.notes.push_back(say("no hourly price is known: {} is paid in full, {:.0f} hours", to_text(rent.offer->term),
                               commitment.hours));
    return {};
  }

  void add_steps() {
    ProofValues values = with_share(values_of(unit_, runs_.prompts));
    add_tool(values, values);
    if (out_.memory_kind == "process" && !unit_.plan.serving) values["by_driver"] = "yes";
    const auto general = [&](std::string_view kind) {
      ProofValues wanted = values;
      wanted["class"] = kind;
      wanted["with"] = vendor();
      add_tool(wanted, values);
    };
    if (unit_.work.counted && chosen().machine().gpus_per_node > 1) {
      ProofValues cards = values;
      cards["class"] = "cards";
      cards["last_card"] = format("{}", chosen().machine().gpus_per_node - 1);
      add_tool(cards, cards);
    }
    if (!unit_.machine.on_cpu()) general("memory");
    if (unit_.machine.gpus_per_node > 1) general("collectives");
    general("storage");
  }

  std::string vendor() const {
    return unit_.machine.on_cpu() ? std::string() : lower(unit_.machine.device.gpu->vendor);
  }

  ProofValues with_share(ProofValues values) const {
    if (unit_.plan.serving && !values.contains("share"))
      values["share"] = format("{:g}", unit_.plan.serving->room.share);
    return values;
  }

  void add_tool(const ProofValues& wanted, const ProofValues& values) {
    const ProofTool* tool = proof_tool(tools_, wanted);
    if (tool == nullptr) return;
    if (!tool->memory.empty()) out_.memory_kind = tool->memory;
    const catalog::Source* source = catalog_.source(tool->source);
    const ProofValues own = served_by(*tool, values);
    for (const ProofTool::Step& step : tool->steps) {
      if (!applies(step, own)) continue;
      PocStep out;
      out.what = filled(*tool, say_text(step.what), own);
      out.read = filled(*tool, say_text(step.read), own);
      out.tool = tool_name(*tool, own);
      out.url = source != nullptr ? std::string(source->url) : std::string();
      if (step.each)
        for (const ProofUnit& scale : runs_.scales) add_lines(*tool, step, values_of(scale, runs_.prompts), out);
      else
        add_lines(*tool, step, own, out);
      if (!out.commands.empty() || step.run.empty()) out_.steps.push_back(std::move(out));
    }
  }

  /// A format that the tool cannot make of the published weights must be there as a checkpoint of its own.
  static ProofValues served_by(const ProofTool& tool, ProofValues values) {
    const auto weights = values.find("weights");
    if (weights == values.end()) return values;
    const auto words = tool.words.find("weights");
    if (words != tool.words.end() && words->second.contains(weights->second)) return values;
    values["wanted"] = weights->second;
    values["served"] = "MODEL_IN_" + upper(weights->second);
    return values;
  }

  static void add_lines(const ProofTool& tool, const ProofTool::Step& step, const ProofValues& values, PocStep& out) {
    for (const std::string& line : step.run)
      if (std::string text = filled(tool, line, values); !text.empty()) out.commands.push_back(std::move(text));
  }

  /// What a unit of work, or the job, costs.
  double price_of(const Recommendation& r) const {
    if (is_job()) return r.cost.total;
    if (r.cost.per_unit) return *r.cost.per_unit;
    return r.cost.per_million_tokens.value_or(r.cost.total);
  }
  bool is_job() const { return advice_.work.ends(); }

  /// The rate below which the next best is cheaper, by its own estimate; and the price at both ends of the interval.
  void turn() {
    const double own = price_of(chosen());
    const double rate = chosen().plan().rate;
    const physics::Intervals intervals = intervals_for(advice_.work, chosen().machine(), chosen().plan(), c_);
    const auto& range = intervals.rate;
    // What is served is what arrives, however fast the machine is.
    const bool as_it_comes = advice_.work.inference.request_rate.has_value();
    if (own <= 0 || rate <= 0 || range.low <= 0 || as_it_comes) return;
    out_.job_cost_low = own * rate / range.high;
    out_.job_cost_high = own * rate / range.low;
    const std::string code(advice_.currency.code());
    out_.job_cost_unit = is_job()                 ? say("{} for the job", code)
                         : chosen().cost.per_unit ? say("{} per {}", code, say_name(advice_.work.priced_unit()))
                         : chosen().cost.per_million_tokens ? say("{} per million tokens", code)
                                                            : say("{} for the job", code);
    out_.trace.push_back({"job.cost", say("cost × estimate ÷ end of the interval"),
                          format("{:.4g} × {:.4g} ÷ {:.4g} … {:.4g}", own, rate, range.high, range.low),
                          physics::Figure::words(
                              format("{:.4g} … {:.4g} {}", out_.job_cost_low, out_.job_cost_high, out_.job_cost_unit)),
                          "docs/calibrate.md"});
    for (const Recommendation& other : advice_.recommendations) {
      const double theirs = price_of(other);
      if (&other == &chosen() || theirs <= own || other.gpu == chosen().gpu) continue;
      out_.turn = {other.rank, format("{} {}", other.instance->provider, other.instance->sku), rate * own / theirs};
      out_.trace.push_back({"turn.rate", say("estimate × own cost ÷ cost of the other"),
                            format("{:.4g} × {:.4g} ÷ {:.4g}", rate, own, theirs),
                            physics::shown("{:.4g}", out_.turn->rate), "docs/calibrate.md"});
      return;
    }
  }

  const Advice& advice_;
  std::span<const ProofTool> tools_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& c_;
  ProofUnit unit_;
  ProofRuns runs_;
  Poc out_;
};

}  // namespace

Result<Poc> proof_of_concept(const Advice& advice, int rank, std::span<const ProofTool> tools,
                             const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  const auto& all = advice.recommendations;
  if (rank < 1 || static_cast<std::size_t>(rank) > all.size())
    return usage_error(say("no rank {}", rank), "--rank", say("ranks: 1 to {}", all.size()));
  const Recommendation& chosen = all[static_cast<std::size_t>(rank) - 1];
  return PocPlanner(advice, chosen, tools, catalog, coefficients).run();
}

}  // namespace gpusel::answer
