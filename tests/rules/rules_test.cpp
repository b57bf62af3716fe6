#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>

#include "base/words/message.hpp"
#include "rules/rule.hpp"
#include "rules/rule_set.hpp"
#include "support/market.hpp"
#include "support/program.hpp"

namespace rules_test {

using namespace gpusel;
using rules::Fact;
using test::Market;

namespace {

Document yaml(const std::string& text) {
  auto document = parse_yaml(text, "own.yaml");
  REQUIRE(document.has_value());
  return std::move(*document);
}

/// A file of one rule with that condition.
std::string with_condition(const std::string& when) {
  return "rules:\n  - {id: r, effect: warn, when: " + when + ", message: m, source: s}\n";
}

rules::Rule rule_of(const std::string& when) {
  const std::vector documents{yaml(with_condition(when))};
  auto read = rules::read_rules(documents);
  REQUIRE(read.has_value());
  return read->front();
}

/// The first thing that is wrong with a file of rules, as "where: message; hint".
std::string complaint(const std::string& text) {
  const std::vector documents{yaml(text)};
  const auto read = rules::read_rules(documents);
  if (read) return {};
  const Error& error = read.error().front();
  return error.where + ": " + error.message + (error.hint.empty() ? "" : "; " + error.hint);
}

rules::Facts facts(std::string_view vendor, double gpus) {
  rules::Facts facts;
  facts.set(Fact::gpu_vendor, vendor);
  facts.set(Fact::gpus, gpus);
  return facts;
}

}  // namespace

TEST_CASE("comparisons decide as their names say") {
  const rules::Facts four = facts("nvidia", 4);
  const auto fires = [&](const std::string& when) { return rules::fires(rule_of(when), four); };
  CHECK(fires("{fact: gpus, is: 4}"));
  CHECK_FALSE(fires("{fact: gpus, is_not: 4}"));
  CHECK(fires("{fact: gpus, at_least: 4}"));
  CHECK_FALSE(fires("{fact: gpus, above: 4}"));
  CHECK(fires("{fact: gpus, at_most: 4}"));
  CHECK_FALSE(fires("{fact: gpus, below: 4}"));
  CHECK(fires("{fact: gpu_vendor, is: nvidia}"));
  CHECK(fires("{fact: gpu_vendor, in: [amd, nvidia]}"));
  CHECK_FALSE(fires("{fact: gpu_vendor, not_in: [amd, nvidia]}"));
  CHECK(fires("{fact: gpu_vendor, matches: '^nv'}"));
  CHECK_FALSE(fires("{fact: gpu_vendor, matches: '^amd'}"));
  CHECK(fires("{fact: gpu_vendor, known: true}"));
  CHECK_FALSE(fires("{fact: gpu_vendor, known: false}"));
}

TEST_CASE("conditions combine with all and any and not") {
  const rules::Facts four = facts("nvidia", 4);
  const auto fires = [&](const std::string& when) { return rules::fires(rule_of(when), four); };
  CHECK(fires("{all: [{fact: gpus, is: 4}, {fact: gpu_vendor, is: nvidia}]}"));
  CHECK_FALSE(fires("{all: [{fact: gpus, is: 4}, {fact: gpu_vendor, is: amd}]}"));
  CHECK(fires("{any: [{fact: gpus, is: 8}, {fact: gpu_vendor, is: nvidia}]}"));
  CHECK(fires("{not: {fact: gpus, is: 8}}"));
}

TEST_CASE("a fact can be compared with another fact times a number") {
  rules::Facts known;
  known.set(Fact::host_memory_gib, 64.0);
  known.set(Fact::gpu_memory_gb, 24.0);
  CHECK(rules::fires(rule_of("{fact: host_memory_gib, above: {fact: gpu_memory_gb, times: 2}}"), known));
  CHECK_FALSE(rules::fires(rule_of("{fact: host_memory_gib, above: {fact: gpu_memory_gb, times: 3}}"), known));
}

TEST_CASE("what is unknown fires nothing, neither a condition nor its negation") {
  const rules::Facts nothing;
  CHECK_FALSE(rules::fires(rule_of("{fact: gpus, at_least: 1}"), nothing));
  CHECK_FALSE(rules::fires(rule_of("{not: {fact: gpus, at_least: 1}}"), nothing));
  CHECK_FALSE(rules::fires(rule_of("{any: [{fact: gpus, is: 1}, {not: {fact: gpus, is: 1}}]}"), nothing));
  CHECK(rules::fires(rule_of("{fact: gpus, at_least: 1, or_unknown: true}"), nothing));
  CHECK(rules::fires(rule_of("{fact: gpus, known: false}"), nothing));
}

TEST_CASE("one known part can decide over an unknown one") {
  const rules::Facts four = facts("nvidia", 4);
  CHECK(rules::fires(rule_of("{any: [{fact: vcpu, above: 8}, {fact: gpus, is: 4}]}"), four));
  CHECK_FALSE(rules::fires(rule_of("{all: [{fact: vcpu, above: 8}, {fact: gpus, is: 8}]}"), four));
  CHECK(rules::fires(rule_of("{not: {all: [{fact: vcpu, above: 8}, {fact: gpus, is: 8}]}}"), four));
}

TEST_CASE("messages are filled in with facts and say what is unknown") {
  const std::vector documents{yaml(
      "rules:\n  - {id: r, effect: note, when: {fact: gpus, is: 4}, message: '{gpus} of {gpu_vendor} with {vcpu}', "
      "source: s}\n")};
  const auto read = rules::read_rules(documents);
  REQUIRE(read.has_value());
  CHECK(rules::verdict(read->front(), facts("nvidia", 4)).message == "4 of nvidia with unknown");
}

TEST_CASE("mistakes in rules are named with their place") {
  CHECK(complaint(with_condition("{fact: gpu_amount, is: 4}")).starts_with("own.yaml:2:40: unknown fact 'gpu_amount'"));
  CHECK(complaint(with_condition("{fact: vpcu, is: 4}")).find("did you mean 'vcpu'") != std::string::npos);
  CHECK(complaint(with_condition("{fact: gpus, is: many}")).find("compared with a number") != std::string::npos);
  CHECK(complaint(with_condition("{fact: gpu_vendor, above: 4}")).find("is text") != std::string::npos);
  CHECK(complaint(with_condition("{fact: has_rdma, is: maybe}")).find("true or false") != std::string::npos);
  CHECK(complaint(with_condition("{fact: gpus, equals: 4}")).find("equals") != std::string::npos);
  CHECK(complaint(with_condition("{fact: gpu_vendor, matches: '('}")).find("own.yaml:2:") != std::string::npos);
  CHECK(complaint(with_condition("{all: []}")).find("list of conditions") != std::string::npos);
  CHECK(complaint("rules:\n  - {id: r, effect: stop, when: {fact: gpus, is: 1}, message: m, source: s}\n")
            .find("reject") != std::string::npos);
  CHECK(complaint("rules:\n  - {id: r, effect: warn, when: {fact: gpus, is: 1}, message: '{gpsu}', source: s}\n")
            .find("'gpus'") != std::string::npos);
  CHECK(complaint("rules:\n  - {id: r, effect: adjust, when: {fact: gpus, is: 1}, message: m, source: s}\n")
            .find("points") != std::string::npos);
  CHECK(complaint("rules:\n  - {id: r, effect: warn, when: {fact: gpus, is: 1}, message: m}\n").find("source") !=
        std::string::npos);
}

TEST_CASE("two rules of one id in a file are an error") {
  const std::string rule = "  - {id: r, effect: warn, when: {fact: gpus, is: 1}, message: m, source: s}\n";
  CHECK(complaint("rules:\n" + rule + rule).find("defined twice") != std::string::npos);
}

TEST_CASE("the shipped rules read and each says where it is from") {
  const auto& rules = Market::shipped().rules;
  CHECK(rules.size() >= 20);
  for (const auto& rule : rules) {
    CAPTURE(rule.id);
    CHECK_FALSE(rule.source.empty());
    CHECK_FALSE(rule.message.empty());
  }
}

TEST_CASE("a user's own rule over any fact rejects without a recompile") {
  const std::string job = R"({"model": "llama-7b", "task": "finetune", "method": "lora"})";
  const std::vector<test::Limit> everyone{{"market", "true"}};
  Market market = Market::own_small();
  const auto before = market.recommend(job, everyone);
  const Document own = yaml(R"(rules:
  - id: no-bazaar-with-many-gpus
    effect: reject
    when: {all: [{fact: provider_kind, is: marketplace}, {fact: gpus, above: 4}]}
    message: "{sku} of {provider} has {gpus} GPUs"
    source: own policy
)");
  REQUIRE(rules::add_rule_file(own, market.rules).empty());
  const auto after = market.recommend(job, everyone);
  CHECK(after.recommendations.size() == before.recommendations.size() - 1);
  const auto found = std::find_if(after.rejected.begin(), after.rejected.end(),
                                  [](const auto& r) { return r.rule == "no-bazaar-with-many-gpus"; });
  REQUIRE(found != after.rejected.end());
  CHECK(found->message == "8x-4090 of bazaar has 8 GPUs");
}

TEST_CASE("a user's own points move a rank") {
  const std::string job = R"({"model": "llama-7b", "task": "finetune", "method": "lora"})";
  const std::vector<test::Limit> everyone{{"market", "true"}};
  Market market = Market::own_small();
  REQUIRE(test::ranking(market.recommend(job, everyone)).front() == "bazaar/8x-4090");
  const Document own = yaml(
      "rules:\n  - {id: distrust, effect: adjust, points: -60, when: {fact: sku, is: 8x-4090}, message: no, source: "
      "own}\n");
  REQUIRE(rules::add_rule_file(own, market.rules).empty());
  const auto advice = market.recommend(job, everyone);
  CHECK(test::ranking(advice).front() == "bazaar/2x-l40s");
}

TEST_CASE("a user's rule of a shipped id takes its place") {
  Market market = Market::own_small();
  const std::size_t shipped = market.rules.size();
  const Document own = yaml(
      "rules:\n  - {id: retired-sku, effect: note, when: {fact: status, is: retired}, message: old, source: own}\n");
  REQUIRE(rules::add_rule_file(own, market.rules).empty());
  CHECK(market.rules.size() == shipped);
  const auto names = test::ranking(market.recommend(R"({"model": "qwen2.5-0.5b", "task": "inference"})"));
  CHECK(std::find(names.begin(), names.end(), "north/n.v100.8") != names.end());
}

TEST_CASE("a file of rules holds nothing else") {
  std::vector<rules::Rule> rules = Market::small().rules;
  const std::size_t before = rules.size();
  const auto errors = rules::add_rule_file(yaml("gpus: []\n"), rules);
  CHECK_FALSE(errors.empty());
  CHECK(rules.size() == before);
}

TEST_CASE("every fact and every shipped rule is in the documents") {
  const std::string page = test::read_file(test::kSource + "/docs/rules.md");
  for (const auto& fact : rules::fact_table()) {
    CAPTURE(fact.name);
    CHECK(page.find("`" + std::string(fact.name) + "`") != std::string::npos);
  }
  for (const auto& rule : Market::shipped().rules) {
    CAPTURE(rule.id);
    CHECK(page.find("`" + rule.id + "`") != std::string::npos);
  }
}

TEST_CASE("what a job leaves open of a condition is as true as the whole") {
  using rules::Operator;
  using rules::Stage;
  const auto is = [](Fact fact, const char* text) { return rules::compare(fact, Operator::is, {text}, false); };
  const auto train = is(Fact::task, "finetune");
  const auto serve = is(Fact::task, "inference");
  const auto amd = is(Fact::gpu_vendor, "amd");
  const auto many = rules::compare(Fact::gpu_count, Operator::above, 4, true);
  const std::vector<rules::Condition> conditions{
      rules::all_of({train, amd}),
      rules::all_of({serve, amd}),
      rules::any_of({train, amd}),
      rules::any_of({serve, amd, many}),
      rules::negate(rules::all_of({train, amd})),
      rules::all_of({rules::any_of({serve, many}), rules::negate(serve), rules::any_of({rules::negate(train), amd})}),
      rules::any_of({rules::all_of({serve, amd}), rules::all_of({train, rules::negate(many)})}),
      rules::all_of({train}),
      rules::any_of({is(Fact::method, "lora"), amd}),  // the method is not known
      rules::negate(is(Fact::method, "lora"))};
  rules::Facts job;
  job.set(Fact::task, "finetune");
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    CAPTURE(i, rules::condition_text(conditions[i]));
    const rules::Condition open = rules::left_open(conditions[i], job, Stage::job);
    const rules::Rule rule = rules::reject_when("r", conditions[i], "m");
    for (const char* vendor : {"amd", "nvidia", ""})
      for (const double gpus : {0.0, 2.0, 8.0}) {
        rules::Facts all = job;
        all.set(Fact::gpu_vendor, vendor);
        if (gpus > 0) all.set(Fact::gpu_count, gpus);
        CHECK((rules::holds(open, all) == true) == rules::fires(rule, all));
        if (!rules::may_fire(rule, job, Stage::job)) CHECK_FALSE(rules::fires(rule, all));
      }
  }
  CHECK_FALSE(rules::may_fire(rules::reject_when("r", conditions[1], "m"), job, Stage::job));
  CHECK(rules::left_open(conditions[0], job, Stage::job).fact == Fact::gpu_vendor);
}

}  // namespace rules_test
