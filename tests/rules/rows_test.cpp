// Rules as the build keeps them in the snapshot, held against the files they were read from.
#include <catch2/catch.hpp>

#include <functional>

#include "catalog/snapshot/load.hpp"
#include "rules/rule.hpp"
#include "support/market.hpp"
#include "support/program.hpp"

namespace rows_test {

using namespace gpusel;
using catalog::BuiltRows;
using rules::Rule;

namespace {

std::vector<Rule> rules_of(const std::string& yaml) {
  const std::vector documents{*parse_yaml(yaml, "own.yaml")};
  auto read = rules::read_rules(documents);
  REQUIRE(read);
  return std::move(*read);
}

BuiltRows rows_of(const std::vector<Rule>& rules) {
  BuiltRows rows;
  rules::add_rows(rules, rows);
  return rows;
}

/// A rule of every kind of condition and operand there is.
const std::string kEveryKind = R"(rules:
  - id: one
    effect: adjust
    points: -2.5
    when:
      all:
        - {fact: gpu, matches: "^h[12]00"}
        - not: {fact: gpu_vendor, in: [amd, huawei]}
        - any:
            - {fact: gpus, at_least: 2}
            - {fact: price_per_hour, above: {fact: gpu_memory_gb, times: 0.5}}
            - {fact: nodes, below: 3, or_unknown: true}
            - {fact: has_nvlink, is: true}
            - {fact: price_age_days, known: false}
    message: "{gpus} of {gpu}"
    source: here
  - {id: two, effect: reject, when: {fact: task, is: finetune}, message: m, source: s}
)";

}  // namespace

TEST_CASE("what the build has read of the shipped rules is what their files say") {
  const catalog::Catalog& shipped = test::Market::shipped().catalog();
  const auto [rows, conditions] = shipped.rule_rows();
  const auto prepared = rules::read_rules(rows, conditions);
  const auto documents = shipped.documents("rules");
  const auto written = rules::read_rules(documents);
  REQUIRE(prepared);
  REQUIRE(written);
  CHECK(prepared->size() > 50);
  CHECK(*prepared == *written);
  CHECK(*rules::read_rules(shipped) == *written);
}

TEST_CASE("rules come out of their rows as they went in, and judge alike") {
  const std::vector<Rule> before = rules_of(kEveryKind);
  const BuiltRows rows = rows_of(before);
  const auto after = rules::read_rules(rows.rules, rows.conditions);
  REQUIRE(after);
  CHECK(*after == before);
  Rule other = before.front();
  other.when.parts.front().or_unknown = true;
  CHECK_FALSE(other == before.front());
  rules::Facts facts;
  facts.set(rules::Fact::gpu_vendor, "nvidia");
  facts.set(rules::Fact::gpus, 4.0);
  for (const char* gpu : {"h100-sxm-80gb", "h300", "a100"}) {
    facts.set(rules::Fact::gpu, gpu);
    CHECK(rules::fires(after->front(), facts) == rules::fires(before.front(), facts));
  }
  facts.set(rules::Fact::gpu, "h200");
  CHECK(rules::fires(after->front(), facts));
}

TEST_CASE("rows that are not those of whole rules are not read") {
  const std::vector<Rule> before = rules_of(kEveryKind);
  const auto reads = [&](const std::function<void(BuiltRows&)>& change) {
    BuiltRows rows = rows_of(before);
    change(rows);
    return rules::read_rules(rows.rules, rows.conditions).has_value();
  };
  CHECK(reads([](auto&) {}));
  CHECK_FALSE(reads([](auto& rows) { rows.rules.clear(); }));
  CHECK_FALSE(reads([](auto& rows) { rows = {}; }));
  CHECK_FALSE(reads([](auto& rows) { rows.rules.pop_back(); }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions.pop_back(); }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions.push_back(rows.conditions.back()); }));
  CHECK_FALSE(reads([](auto& rows) { rows.rules.front().effect = 4; }));
  CHECK_FALSE(reads([](auto& rows) { rows.rules.front().stage = -1; }));
  CHECK_FALSE(reads([](auto& rows) { rows.rules.front().points = {}; }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions.front().kind = 4; }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions.front().parts = 0; }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions.front().parts = 1e300; }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions.front().parts = 4; }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions[1].fact = 1e9; }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions[1].fact = {}; }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions[1].op = 10; }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions[1].texts = {}; }));
  CHECK_FALSE(reads([](auto& rows) { rows.conditions[1].other_fact = -1; }));
  // Conditions within conditions, to the depth that is believed and beyond.
  const auto deep = [](std::size_t depth) {
    return [depth](BuiltRows& rows) {
      const catalog::ConditionRow negation = rows.conditions[2];
      const catalog::ConditionRow comparison = rows.conditions.back();
      REQUIRE(negation.parts == 1);
      rows.rules.resize(1);
      rows.conditions.assign(depth, negation);
      rows.conditions.push_back(comparison);
    };
  };
  CHECK(reads(deep(60)));
  CHECK_FALSE(reads(deep(100)));
}

TEST_CASE("rules that are laid over the shipped ones are read with them") {
  catalog::LoadOptions options;
  options.overlays = {test::scratch_file(
      "mine.yaml",
      "rules:\n  - {id: no-tesla, effect: reject, when: {fact: gpu, is: t4}, message: no, source: mine}\n")};
  const auto catalog = catalog::load(options);
  REQUIRE(catalog);
  CHECK(catalog->rule_rows().first.empty());
  const auto all = rules::read_rules(*catalog);
  REQUIRE(all);
  CHECK(all->size() == rules::read_rules(test::Market::shipped().catalog())->size() + 1);
  CHECK(all->back().id == "no-tesla");
}

}  // namespace rows_test
