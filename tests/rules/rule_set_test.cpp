#include "rules/rule_set.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "answer/facts/candidates.hpp"
#include "support/market.hpp"

namespace rule_set_test {

using namespace gpusel;
using rules::Fact;
using rules::Rule;
using rules::RuleSet;

TEST_CASE("what the job leaves open of a rule says what the rule says, for every machine there is") {
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
  for (const catalog::Instance& instance : market.catalog().instances()) {
    const auto provider = market.catalog().provider(instance.provider);
    const answer::InstanceView view{instance, provider ? *provider : nullptr, market.catalog(), market.coefficients()};
    answer::instance_facts(facts, view, judges.facts());
    const Rule* rule = judges.first_to_fire(facts);
    rules::Facts all = job;  // with nothing left of the instance before
    answer::instance_facts(all, view);
    const auto first = std::ranges::find_if(judges.rules(), [&](const Rule* one) { return rules::fires(*one, all); });
    INFO(instance.provider << " " << instance.sku);
    CHECK(rule == (first == judges.rules().end() ? nullptr : *first));
    ++fell[rule];
  }
  CHECK(fell.size() >= 4);  // none, the two above, one of the shipped
}

}  // namespace rule_set_test
