// One recommendation taken apart.
#include <algorithm>
#include <cmath>

#include "answer/explain/explain.hpp"
#include "answer/explain/money_trace.hpp"
#include "answer/facts/facts_of.hpp"
#include "answer/search/search.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using physics::shown;

constexpr std::string_view kRanking = "docs/method.md";

std::string name_of(const Recommendation& r) { return format("{}/{}", r.instance->provider, r.instance->sku); }

class RankTree {
 public:
  RankTree(const Explained& of, std::size_t index)
      : of_(of),
        advice_(of.advice),
        r_(of.advice.recommendations[index]),
        index_(index),
        currency_(of.advice.currency.code()) {}

  Branch make() {
    Branch root =
        branch("rank", say("rank among the instances that qualify, by points"), name_of(r_),
               {static_cast<double>(r_.rank), {}, say("{} of {} instances", r_.rank, advice_.recommendations.size())},
               kRanking);
    root.children.push_back(score());
    if (advice_.recommendations.size() > 1) root.children.push_back(lead());
    const physics::Trace figures = answer::explain(advice_.work, r_.machine(), r_.plan(), of_.coefficients);
    root.children.push_back(memory(figures));
    root.children.push_back(speed(figures));
    root.children.push_back(cost());
    root.children.push_back(interval(figures));
    root.children.push_back(spoken());
    root.children.push_back(decision());
    return root;
  }

 private:
  static Branch branch(std::string quantity, std::string formula, std::string substituted, physics::Figure value,
                       std::string_view source) {
    return {{std::move(quantity), std::move(formula), std::move(substituted), std::move(value), std::string(source)},
            {}};
  }
  static void add(Branch& to, std::string quantity, std::string formula, std::string substituted, physics::Figure value,
                  std::string_view source) {
    to.children.push_back(
        branch(std::move(quantity), std::move(formula), std::move(substituted), std::move(value), source));
  }
  physics::Figure money(double amount) const { return shown("{:.6g}", amount, currency_); }
  physics::Figure money(double amount, std::string_view per) const {
    return shown("{:.6g}", amount, format("{}/{}", currency_, per));
  }

  /// What a part compares, in the words of its formula.
  std::string part_formula(const std::string& name) const {
    if (name == "cost") return say("100 × weight × lowest cost ÷ its cost × scale");
    if (name == "speed") return say("100 × weight × its speed ÷ highest speed × scale");
    if (name == "headroom") return say("100 × weight × free share of the memory ÷ 15 %, at most 1, × scale");
    return say("points of the rule, in percent of the score so far");
  }

  std::string part_values(const ScorePart& part) const {
    const auto all = [&](const auto& measure) {
      std::vector<double> values;
      for (const Recommendation& each : advice_.recommendations) values.push_back(measure(each));
      return values;
    };
    const auto ratio = [&](double over, double under) {
      return format("100 × {:.4g} × {:.6g} ÷ {:.6g} × {:.4g}", part.weight, over, under,
                    over > 0 ? part.value * under / over : 1.0);
    };
    if (part.name == "cost")
      return ratio(std::ranges::min(all([&](const auto& each) { return order_cost(each, advice_.work); })),
                   order_cost(r_, advice_.work));
    if (part.name == "speed")
      return ratio(speed_measure(r_, advice_.work),
                   std::ranges::max(all([&](const auto& each) { return speed_measure(each, advice_.work); })));
    return format("100 × {:.4g} × {:.4g}", part.weight, part.value);
  }

  const Remark* remark_of(const std::string& rule) const {
    const auto found = std::ranges::find(r_.remarks, rule, &Remark::rule);
    return found == r_.remarks.end() ? nullptr : &*found;
  }

  Branch score() const {
    Branch root = branch("score", say("sum of the parts"), {}, shown("{:.1f}", r_.score, "points"), kRanking);
    for (const ScorePart& part : r_.parts) {
      std::string& sum = root.line.substituted;
      sum += format("{}{:.1f}",
                    sum.empty()       ? ""
                    : part.points < 0 ? " − "
                                      : " + ",
                    sum.empty() ? part.points : std::abs(part.points));
      const Remark* remark = remark_of(part.name);
      std::string values = part_values(part);
      if (remark != nullptr) values += ": " + remark->message;
      add(root, "score." + part.name, part_formula(part.name), std::move(values),
          shown("{:.1f}", part.points, "points"), remark != nullptr ? std::string_view(remark->source) : kRanking);
    }
    return root;
  }

  /// Over the next, of the last over the one before it: part by part, and what decides.
  Branch lead() const {
    const bool last = index_ + 1 == advice_.recommendations.size();
    const Recommendation& other = advice_.recommendations[last ? index_ - 1 : index_ + 1];
    // Far down the list points differ by little.
    const bool small = std::min(r_.score, other.score) < 1;
    const auto points_of = [&](double value) {
      return small ? shown("{:.4f}", value, "points") : shown("{:.1f}", value, "points");
    };
    const auto difference = [&](double mine, double theirs) {
      return small ? format("{:.4f} − {:.4f}", mine, theirs) : format("{:.1f} − {:.1f}", mine, theirs);
    };
    Branch root = branch("lead", say("score − score of {}, rank {}", name_of(other), other.rank),
                         difference(r_.score, other.score), points_of(r_.score - other.score), kRanking);
    std::vector<std::string> names;
    for (const auto* each : {&r_, &other})
      for (const ScorePart& part : each->parts)
        if (std::ranges::find(names, part.name) == names.end()) names.push_back(part.name);
    const auto points = [](const Recommendation& r, const std::string& name) {
      const auto found = std::ranges::find(r.parts, name, &ScorePart::name);
      return found == r.parts.end() ? 0.0 : found->points;
    };
    std::string decides;
    double most = 0;
    for (const std::string& name : names) {
      const double mine = points(r_, name), theirs = points(other, name);
      if (std::abs(mine - theirs) > most && (mine > theirs) == (r_.score > other.score)) {
        most = std::abs(mine - theirs);
        decides = name;
      }
      add(root, "lead." + name, say("points − points of {}", name_of(other)), difference(mine, theirs),
          points_of(mine - theirs), kRanking);
    }
    if (decides.empty()) decides = say("equal points: lower cost first, then lower price, then name");
    add(root, "lead.decides", say("the part that most of the lead comes from"), {}, physics::Figure::words(decides),
        kRanking);
    return root;
  }

  static bool is_of(std::string_view quantity, std::string_view section) {
    return quantity.starts_with(section) && quantity.size() > section.size() && quantity[section.size()] == '.';
  }

  Branch memory(const physics::Trace& figures) const {
    Branch root = branch("memory", say("peak memory of the process on the fullest device"), {},
                         shown("{:.2f}", in_gib(r_.memory().total()), "GiB"), kRanking);
    physics::Trace own;
    std::ranges::copy_if(figures, std::back_inserter(own), [](const auto& line) {
      return is_of(line.quantity, "memory") || is_of(line.quantity, "workspace");
    });
    hang(root, std::move(own));
    return root;
  }

  Branch speed(const physics::Trace& figures) const {
    const physics::SpokenRate rate = spoken_rate(advice_.work, r_.plan(), r_.intervals);
    Branch root =
        branch("speed", say("of all {} nodes", r_.machine().nodes), say("{} bound", say_name(r_.plan().bound_by)),
               shown("{:.4g}", rate.value, rate.unit), kRanking);
    physics::Trace own;
    std::ranges::copy_if(figures, std::back_inserter(own), [](const auto& line) {
      return !is_of(line.quantity, "memory") && !is_of(line.quantity, "workspace") && !is_of(line.quantity, "interval");
    });
    hang(root, std::move(own));
    return root;
  }

  Branch interval(const physics::Trace& figures) const {
    Branch root = branch("interval", say("where 80 % of measurements should fall"), {}, {}, "gpusel verify");
    physics::Trace own;
    std::ranges::copy_if(figures, std::back_inserter(own),
                         [](const auto& line) { return is_of(line.quantity, "interval"); });
    hang(root, std::move(own));
    return root;
  }

  Branch cost() const {
    const money::Quote& c = r_.cost;
    const catalog::Origin& origin = of_.catalog.origin_of(*r_.offer);
    const Date date = Date::from_packed(r_.offer->as_of);
    const std::string source = format("{}, {}, {}", origin.source.empty() ? say("no source") : printable(origin.source),
                                      date.known() ? date.text() : say("undated"), said(origin.confidence));
    Branch root = branch("cost", say("what the ranking compares"), {}, money(cost_measure(c, advice_.work)), kRanking);
    add(root, "cost.offer", say("published price of one node and hour"),
        format("{}, {}", r_.region->id, to_text(r_.offer->term)),
        shown("{:.6g}", c.published.amount, format("{}/h", c.published.currency.code())), source);
    std::string hourly = format("{:.6g} × {}", c.published.amount, r_.machine().nodes);
    if (c.exchange) hourly += format(" × {:.6g} {}/{}", c.exchange->rate, currency_, c.published.currency.code());
    if (c.beside_hourly() > 0) hourly += format(" + {:.6g}", c.beside_hourly());
    add(root, "cost.hourly", say("price of one node × nodes × rate of exchange + licenses and host"), std::move(hourly),
        money(c.hourly, "h"), source);
    physics::Trace more;
    explain_money(c, advice_.work, r_.plan().rate, currency_, more);
    hang(root, std::move(more));
    if (c.egress_hourly())
      add(root, "cost.egress_hourly", say("traffic of a month through the tiers of the price ÷ 730, in the total"), {},
          money(*c.egress_hourly(), "h"), "data/egress.yaml");
    return root;
  }

  Branch spoken() const {
    Branch root = branch("rules", say("rules that apply to it and did not reject it"), {},
                         shown("{:g}", static_cast<double>(r_.remarks.size())), "gpusel explain RULE");
    const rules::Facts facts = facts_of(r_, advice_.work, of_.question, of_.catalog, of_.coefficients);
    for (const Remark& remark : r_.remarks) {
      const auto rule = std::ranges::find(of_.rules, remark.rule, &rules::Rule::id);
      const bool known = rule != of_.rules.end();
      add(root, "rules." + remark.rule, known ? rules::condition_text(rule->when) : say("a remark on the plan"),
          known ? rules::substituted(rule->when, facts) : std::string(),
          physics::Figure::words(say("{}: {}", said(remark.severity), remark.message)),
          remark.source.empty() ? kRanking : std::string_view(remark.source));
    }
    return root;
  }

  Branch decision() const {
    std::string path = join_texts(advice_.decision, " → ");
    return branch("decision", say("from the job to the best answer"), {}, physics::Figure::words(std::move(path)),
                  kRanking);
  }

  const Explained& of_;
  const Advice& advice_;
  const Recommendation& r_;
  std::size_t index_;
  std::string currency_;
};

}  // namespace

Branch explain_rank(const Explained& of, std::size_t index) { return RankTree(of, index).make(); }

}  // namespace gpusel::answer
