#include "answer/explain/about_rule.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "base/words/spacing.hpp"
#include "job/limits/limits.hpp"
#include "job/request/request.hpp"

namespace gpusel::answer {

namespace {

/// Reasons of the planner, which no rule can bring back.
struct PlannerReason {
  std::string_view id;
  std::string_view message;
  std::string_view advice;
};
constexpr PlannerReason kReasons[] = {
    {"no-gpu", to_say("the instance has no GPU, and the job needs one"),
     to_say("nothing to change: CPUs are compared only for work that runs on them")},
    {"no-published-price", to_say("no price of the instance is in the catalog"),
     to_say("add yours: --price SKU=4.2, or --overlay prices.csv")},
    {"no-exchange-rate", to_say("the price is in a currency without an exchange rate"),
     to_say("add a rate in an overlay, or ask with --currency")},
    {"figures-not-published", to_say("a figure of the GPU that the estimate needs is not published"),
     to_say("measure it and add it in an overlay, or use another GPU")},
    {"network-unknown", to_say("several nodes are needed, but the network between them is not documented"),
     to_say("--max-nodes 1, a smaller model or fewer bits keeps the job on one node")},
    {"no-legal-plan", to_say("the model cannot be divided over the GPUs of this instance"),
     to_say("remove --tp, --pp and --dp, or allow more nodes with --max-nodes")},
    {"no-room-for-cache", to_say("the weights fit, but leave no room for the KV cache of one request"),
     to_say("use fewer bits (--quant fp8, --kv-cache-dtype fp8), a shorter --context or a larger GPU")},
    {"too-slow", to_say("a latency target, the rate or the deadline is not met"),
     to_say("raise --ttft, --itl or --deadline, allow more nodes with --max-nodes, or use a format with fewer bits")},
    {"lacks-hardware", to_say("the GPU lacks a unit that the job needs, such as a video encoder"),
     to_say("gpusel gpus show NAME lists what a GPU has")},
    {"engine-refuses", to_say("the engine or framework does not run that on the GPU"),
     to_say("the message names what would start; --rejected lists it, instance by instance")},
    {"licence-not-published", to_say("the job needs a graphics license, and its price is not published"),
     to_say("bring your own license: leave out --workstation")},
    {"term-too-short", to_say("the term ends before the job does"), to_say("another --term, or more nodes")},
    {"commitment-too-long", to_say("the commitment is longer than the machine is used"),
     to_say("use --term on-demand, or set how long it is used")},
    {"target", to_say("the tool that the answer is for cannot order the machine, or cannot run the plan"),
     to_say("leave out --for, or name another tool")},
    {"more-than-rented", to_say("the provider rents out fewer at a time"), to_say("fewer nodes, or another SKU")},
};

std::string effect_advice(rules::Effect effect) {
  switch (effect) {
    case rules::Effect::reject: return say("to allow such instances, replace the rule in your own file: --rules FILE");
    case rules::Effect::adjust: return say("to change its weight, replace the rule in your own file: --rules FILE");
    default: break;
  }
  return say("to silence it, replace the rule in your own file: --rules FILE");
}

/// Flags over what a condition looks at.
std::vector<std::string> flags_of(const rules::Condition& condition) {
  std::vector<std::string> flags;
  const auto add = [&](std::string flag) {
    if (std::ranges::find(flags, flag) == flags.end()) flags.push_back(std::move(flag));
  };
  rules::facts_in(condition).for_each([&](rules::Fact fact) {
    for (const job::Limit& limit : job::limits())
      if (limit.form.judge != nullptr && limit.form.fact == fact && fact != rules::Fact::task) add(limit.flag());
    const std::string_view name = rules::info(fact).name;
    if (const auto* option = job::find_option(job::request_options(), name);
        option != nullptr && option->key == name && option->key_is_flag) {
      std::string flag = "--" + std::string(option->key);
      std::ranges::replace(flag, '_', '-');
      add(std::move(flag));
    }
  });
  return flags;
}

/// What a text stands for where there is no instance to take it from.
struct StandIn {
  rules::Fact fact;
  std::string_view words;
};
constexpr StandIn kStandIns[] = {
    {rules::Fact::sku, to_say("the instance")},
    {rules::Fact::family, to_say("the instance family")},
    {rules::Fact::provider, to_say("the provider")},
    {rules::Fact::seller, to_say("seller of its kind")},
    {rules::Fact::region, to_say("the region")},
    {rules::Fact::term, to_say("the term")},
    {rules::Fact::gpu, to_say("the GPU")},
    {rules::Fact::gpu_architecture, to_say("the GPU's architecture")},
    {rules::Fact::gpu_link, to_say("the link between GPUs")},
    {rules::Fact::gpu_vendor, to_say("the vendor's")},
    {rules::Fact::engine, to_say("the engine")},
    {rules::Fact::engine_until, to_say("an older one")},
    {rules::Fact::model, to_say("the model")},
    {rules::Fact::model_licence, to_say("its license")},
    {rules::Fact::price_note, to_say("a remark of the price list on this price")},
};

/// The values that a condition accepts of a text; none where it says so in another way.
void add_accepted(const rules::Condition& condition, rules::Fact fact, std::vector<std::string>& values) {
  using enum rules::Operator;
  for (const rules::Condition& part : condition.parts)
    if (condition.kind != rules::Condition::Kind::negation) add_accepted(part, fact, values);
  if (condition.kind == rules::Condition::Kind::comparison && condition.fact == fact &&
      (condition.op == is || condition.op == in))
    for (const std::string& text : condition.operand.texts) values.push_back(say_name(text));
}

/// "a, b or c"; of many the first.
std::string accepted_words(const std::vector<std::string>& values) {
  constexpr std::size_t kMost = 4;
  std::string list;
  for (std::size_t i = 0; i < std::min(values.size(), kMost); ++i)
    if (i > 0 && i + 1 == values.size())
      list = say("{} or {}", list, values[i]);
    else
      list = i == 0 ? values[i] : say("{}, {}", list, values[i]);
  return values.size() > kMost ? list + " …" : list;
}

/// Words for the facts of a message: N, M … for numbers, the values that the rule looks for, or a noun.
class StandIns {
 public:
  explicit StandIns(const rules::Condition& condition) : condition_(condition) {}

  std::string of(rules::Fact fact) {
    if (rules::info(fact).type == rules::FactType::number) return std::string(1, letter(fact));
    std::vector<std::string> values;
    add_accepted(condition_, fact, values);
    if (!values.empty()) return accepted_words(values);
    const auto noun = std::ranges::find(kStandIns, fact, &StandIn::fact);
    return noun == std::end(kStandIns) ? std::string(rules::info(fact).name) : say_text(noun->words);
  }

 private:
  char letter(rules::Fact fact) {
    static constexpr std::string_view kLetters = "NMKJ";
    auto known = std::ranges::find(numbers_, fact);
    if (known == numbers_.end()) known = numbers_.insert(known, fact);
    return kLetters[std::min<std::size_t>(static_cast<std::size_t>(known - numbers_.begin()), kLetters.size() - 1)];
  }

  const rules::Condition& condition_;
  std::vector<rules::Fact> numbers_;
};

AboutRule tell_rule(const rules::Rule& rule) {
  AboutRule about{.id = rule.id,
                  .kind = "rule",
                  .effect = std::string(to_text(rule.effect)),
                  .message = template_text(rule),
                  .condition = rules::condition_text(rule.when),
                  .decided = say("by a rule in data/rules (docs/rules.md)"),
                  .source = rule.source,
                  .advice = {}};
  if (!rule.advice.empty()) about.advice.push_back(say_text(rule.advice));
  const std::vector<std::string> flags = flags_of(rule.when);
  if (!flags.empty())
    about.advice.push_back(say("flags that change what it looks at: {}", join_texts(flags, say_name(", "))));
  about.advice.push_back(effect_advice(rule.effect));
  return about;
}

std::string reason_of(const job::Limit& limit) {
  if (!limit.also.reason.empty()) return say_text(limit.also.reason);
  return say("outside the limit {}: {}", limit.flag(), say_text(limit.option.help));
}

AboutRule tell_limit(const job::Limit& limit) {
  AboutRule about{.id = limit.id(),
                  .kind = "limit",
                  .effect = "reject",
                  .message = reason_of(limit),
                  .condition = {},
                  .decided = say("by {}", limit.flag()),
                  .source = {},
                  .advice = {}};
  if (!limit.also.usual.empty()) about.advice.push_back(say("default: {} {}", limit.flag(), limit.also.usual));
  about.advice.push_back(limit.also.open.empty() ? say("remove or change {}", limit.flag())
                                                 : say("{} {} accepts everything", limit.flag(), limit.also.open));
  return about;
}

}  // namespace

std::string template_text(const rules::Rule& rule) {
  StandIns words(rule.when);
  const std::string message = open_spaces(say_text(rule.message));
  std::string text;
  for (std::string_view rest = message; !rest.empty();) {
    const auto open = rest.find('{');
    const auto close = rest.find('}', open == std::string_view::npos ? rest.size() : open);
    text += rest.substr(0, open);
    if (close == std::string_view::npos) break;
    if (const auto fact = rules::find_fact(rest.substr(open + 1, close - open - 1))) text += words.of(*fact);
    rest.remove_prefix(close + 1);
  }
  return settle_spaces(std::move(text));
}

std::optional<AboutRule> about_rule(std::string_view id, std::span<const rules::Rule> rules) {
  const std::string folded = fold_name(id);
  if (const auto rule = std::ranges::find(rules, folded, &rules::Rule::id); rule != rules.end())
    return tell_rule(*rule);
  for (const PlannerReason& reason : kReasons)
    if (reason.id == folded)
      return AboutRule{.id = folded,
                       .kind = "planner",
                       .effect = "reject",
                       .message = say_text(reason.message),
                       .condition = {},
                       .decided = say("by the planner; rules cannot change it"),
                       .source = {},
                       .advice = {say_text(reason.advice)}};
  const auto limit = std::ranges::find(job::limits(), folded, &job::Limit::id);
  return limit == job::limits().end() ? std::nullopt : std::optional(tell_limit(*limit));
}

}  // namespace gpusel::answer
