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

}  // namespace facts_test
