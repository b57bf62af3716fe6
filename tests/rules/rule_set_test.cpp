#include "rules/rule_set.hpp"

#include <catch2/catch.hpp>

#include <map>

#include "answer/facts/candidates.hpp"
#include "support/market.hpp"

namespace judges_test {

using namespace gpusel;
using rules::Fact;
using rules::Rule;
using rules::RuleSet;

TEST_CASE("what is remembered of a rule is what it says, for every machine there is") {
  const test::Market& market = test::Market::shipped();
  std::vector<Rule> rules = market.rules;
  rules.insert(rules.end(), rules::reject_when("small", rules::compare(Fact::gpu_memory_gb, rules::Operator::below, 40),
                                               "too small"));
  rules.insert(rules.begin(),
               rules::reject_when("gpu", rules::compare(Fact::gpu, rules::Operator::in, {"a10g", "t4"}), "not these"));
  rules::Facts job;
  job.set(Fact::task, "finetune");
  job.set(Fact::accepts_unavailable, false);
  rules::RuleSet judges;
  for (const Rule& rule : rules)
    if (rule.effect == rules::Effect::reject && rule.stage <= rules::Stage::instance) judges.add(rule, job);
  rules::Facts facts = job;
  std::map<const Rule*, std::size_t> fell;
  for (int round = 0; round < 2; ++round)
    for (const catalog::Instance& instance : market.catalog().instances()) {
      const auto provider = market.catalog().provider(instance.provider);
      const answer::InstanceView view{instance, provider ? *provider : nullptr, market.catalog(),
                                      market.coefficients()};
      answer::instance_facts(facts, view, judges.facts());
      const Rule* rule = judges.remembered(facts);
      rules::Facts all = job;  // with nothing left of the instance before
      answer::instance_facts(all, view);
      INFO(instance.provider << " " << instance.sku);
      CHECK(rule == judges.first_to_fire(all));
      ++fell[rule];
    }
  CHECK(fell.size() >= 4);  // none, the two above, one of the shipped
}

TEST_CASE("a rule that is added later is judged, too") {
  const Rule small =
      rules::reject_when("small", rules::compare(Fact::gpu_memory_gb, rules::Operator::below, 40), "too small");
  const Rule none = rules::reject_when("none", rules::compare(Fact::gpu_memory_gb, rules::Operator::above, 0), "none");
  rules::Facts facts;
  facts.set(Fact::gpu_memory_gb, 80.0);
  rules::RuleSet judges;
  CHECK(judges.remembered(facts) == nullptr);
  judges.add(small, {});
  CHECK(judges.remembered(facts) == nullptr);
  judges.add(none, {});
  CHECK(judges.remembered(facts) == &none);
  facts.set(Fact::gpu_memory_gb, 16.0);
  CHECK(judges.remembered(facts) == &small);
  facts.forget(Fact::gpu_memory_gb);  // limits count what is not known as not met
  CHECK(judges.remembered(facts) == &small);
}

}  // namespace judges_test
