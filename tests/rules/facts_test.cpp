#include "rules/facts.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace facts_test {

using namespace gpusel;
using rules::Fact;
using rules::FactSet;

TEST_CASE("a set of facts has what was put in, in the order of facts") {
  FactSet set;
  CHECK(set == FactSet{});
  for (const Fact fact : {Fact::cost_per_unit, Fact::task, Fact::fp64_tflops, Fact::task}) set.set(fact);
  std::vector<Fact> found;
  set.for_each([&](Fact fact) { found.push_back(fact); });
  CHECK(found == std::vector{Fact::task, Fact::fp64_tflops, Fact::cost_per_unit});
  CHECK(set.test(Fact::task));
  CHECK_FALSE(set.test(Fact::profile));
  set.reset(Fact::task);
  CHECK_FALSE(set.test(Fact::task));
  CHECK(set.any_of([](Fact fact) { return fact == Fact::fp64_tflops; }));
  CHECK_FALSE(set.any_of([](Fact fact) { return fact == Fact::task; }));
  std::size_t all = 0;
  rules::every_fact().for_each([&](Fact) { ++all; });
  CHECK(all == rules::kFactCount);
  CHECK((rules::every_fact() & set) == set);
  CHECK((rules::every_fact() | set) == rules::every_fact());
}

TEST_CASE("bits of facts tell values apart, and texts by where they lie") {
  using rules::FactType;
  const std::string text = "spot";
  const std::string twin = text;
  rules::Facts one, other;
  const auto same = [&](Fact fact, FactType type) { return one.bits(fact, type) == other.bits(fact, type); };
  CHECK(same(Fact::gpus, FactType::number));
  one.set(Fact::gpus, 0.0);
  CHECK_FALSE(same(Fact::gpus, FactType::number));  // nothing is not nought
  other.set(Fact::gpus, 0.0);
  CHECK(same(Fact::gpus, FactType::number));
  other.set(Fact::gpus, 8.0);
  CHECK_FALSE(same(Fact::gpus, FactType::number));
  one.set(Fact::term, std::string_view(text));
  other.set(Fact::term, std::string_view(text));
  CHECK(same(Fact::term, FactType::text));
  other.set(Fact::term, std::string_view(twin));
  CHECK_FALSE(same(Fact::term, FactType::text));
  other.set(Fact::term, std::string_view(text).substr(0, 3));
  CHECK_FALSE(same(Fact::term, FactType::text));
}

}  // namespace facts_test
