#include "answer/search/kinds.hpp"

#include <catch2/catch.hpp>

#include <map>

#include "answer/facts/candidates.hpp"
#include "support/market.hpp"

namespace kinds_test {

using namespace gpusel;
using answer::InstanceKinds;
using rules::Fact;

namespace {

rules::Facts facts_of(const catalog::Instance& instance, const test::Market& market) {
  rules::Facts facts;
  const auto provider = market.catalog().provider(instance.provider);
  answer::instance_facts(facts, {instance, provider ? *provider : nullptr, market.catalog(), market.coefficients()});
  return facts;
}

/// On the cheaper half of the clouds' machines, so that the plan, limits and offers all reject some.
answer::Advice ask(const test::Market& market, const catalog::Instance* only) {
  answer::Question question;
  question.request.model = "llama-7b";
  question.request.task = job::Task::finetune;
  question.constraints.max_price = 20;
  question.constraints.max_nodes = 1;  // how many nodes it takes is judged by what others take
  question.today = Date(2026, 11, 20);
  question.every_rejection = true;
  question.alternatives = false;
  question.only = only;
  auto advice = answer::recommend(question, market.catalog(), market.rules, market.coefficients());
  REQUIRE(advice);
  return std::move(*advice);
}

}  // namespace

TEST_CASE("instances of one kind have every fact in common but their names") {
  const test::Market& market = test::Market::shipped();
  InstanceKinds kinds;
  std::map<std::uint32_t, rules::Facts> first;
  std::size_t compared = 0;
  for (const catalog::Instance& instance : market.catalog().instances()) {
    const rules::Facts facts = facts_of(instance, market);
    const auto [known, is_new] = first.try_emplace(kinds.of(instance), facts);
    if (is_new) continue;
    ++compared;
    for (std::size_t i = 0; i < rules::kFactCount; ++i) {
      const auto fact = static_cast<Fact>(i);
      if (fact == Fact::sku || fact == Fact::family) continue;
      INFO(instance.provider << " " << instance.sku << ": " << rules::info(fact).name);
      CHECK(facts.shown(fact) == known->second.shown(fact));
    }
  }
  CHECK(compared > 0);
  CHECK(first.size() > market.catalog().instances().size() / 2);
}

TEST_CASE("kinds are numbered from 0 as they are met, whatever their names and prices") {
  catalog::Instance one;
  one.gpu_count = 8;
  one.sku = "a";
  catalog::Instance twin = one;
  twin.sku = "b";
  twin.notes = "words";
  twin.offer_count = 7;
  catalog::Instance other = one;
  other.vcpu = 0;  // not the same as unknown
  InstanceKinds kinds;
  CHECK(kinds.of(one) == 0);
  CHECK(kinds.of(other) == 1);
  CHECK(kinds.of(twin) == 0);
  std::vector<catalog::Instance> many(1000, one);
  for (std::size_t i = 0; i < many.size(); ++i) many[i].vcpu = static_cast<double>(i + 1);
  for (std::uint32_t i = 0; i < many.size(); ++i) CHECK(kinds.of(many[i]) == i + 2);
  CHECK(kinds.of(many[500]) == 502);
}

TEST_CASE("facts are shared within a kind unless they are names") {
  rules::FactSet facts;
  facts.set(Fact::gpu);
  CHECK(InstanceKinds::share(facts));
  facts.set(Fact::family);
  CHECK_FALSE(InstanceKinds::share(facts));
}

TEST_CASE("an instance asked about alone is judged as it is among all others") {
  const test::Market& market = test::Market::shipped();
  const auto all = ask(market, nullptr);
  std::size_t answers = 0;
  for (const catalog::Instance& instance : market.catalog().instances()) {
    if (instance.provider != "gcp") continue;
    const auto alone = ask(market, &instance);
    INFO(instance.sku);
    for (const auto& r : all.recommendations)
      if (r.instance == &instance) {
        REQUIRE(alone.recommendations.size() == 1);
        CHECK(alone.recommendations.front().cost.total == r.cost.total);
        CHECK(alone.recommendations.front().offer == r.offer);
        ++answers;
      }
    for (const auto& r : all.rejected)
      if (r.instance == &instance) {
        REQUIRE(alone.rejected.size() == 1);
        CHECK(alone.rejected.front().rule == r.rule);
        CHECK(alone.rejected.front().message == r.message);
        ++answers;
      }
  }
  CHECK(answers > 50);
}

}  // namespace kinds_test
