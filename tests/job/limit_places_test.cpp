// --region and --residency over an invented market: what is admitted, what contradicts, what has no price.
#include <catch2/catch.hpp>

#include "job/limits/limits.hpp"
#include "support/market.hpp"

namespace limit_places_test {

using namespace gpusel;

namespace {

job::Constraints limits_of(std::initializer_list<std::pair<std::string_view, std::string_view>> given) {
  job::Constraints limits;
  for (const auto& [key, text] : given) REQUIRE(job::find_limit(key)->option.set(limits, text));
  return limits;
}

Error refused(std::initializer_list<std::pair<std::string_view, std::string_view>> given) {
  const auto rules = job::limit_rules(limits_of(given), test::Market::small().catalog());
  REQUIRE_FALSE(rules);
  return rules.error();
}

std::string clash(std::initializer_list<std::pair<std::string_view, std::string_view>> given) {
  return job::contradiction(limits_of(given), test::Market::small().catalog());
}

std::string taken(std::string_view region) {
  const auto all = job::taken_places(limits_of({{"region", region}}), test::Market::small().catalog());
  return all.empty() ? std::string() : std::get<std::string>(all.front().value);
}

}  // namespace

TEST_CASE("places say what they were taken for, and ids of one region do not", "[limit_places]") {
  CHECK(taken("cn-1").empty());
  // Hyperstack has a region of that name, too, and sells nothing here.
  CHECK(taken("us-1") == "us-1: north/us-1");
  CHECK(taken("germany") == "Germany: north/eu-1");
  CHECK(taken("eu").starts_with("eu: north/eu-1 (the European Union's 27 member states"));
}

TEST_CASE("a place is taken for regions of the clouds that were asked for", "[limit_places]") {
  const auto of = [](std::initializer_list<std::pair<std::string_view, std::string_view>> given) {
    const auto all = job::taken_places(limits_of(given), test::Market::small().catalog());
    return all.empty() ? std::string() : std::get<std::string>(all.front().value);
  };
  CHECK(of({{"region", "germany"}, {"cloud", "north"}}) == "Germany: eu-1");
  CHECK(of({{"region", "us-1"}, {"cloud", "north"}}).empty());  // as it was written
  CHECK(of({{"region", "germany"}, {"not_cloud", "north"}}).empty());
}

TEST_CASE("a cloud is not both the user's own and left out", "[limit_places]") {
  CHECK(clash({{"own_clouds", "north"}, {"not_cloud", "north"}}).find("contradict") != std::string::npos);
  CHECK(clash({{"own_clouds", "north"}}).empty());
}

TEST_CASE("a region that is known and has no price is no unknown one", "[limit_places]") {
  const Error none = refused({{"region", "westus3"}});
  CHECK(none.kind == ErrorKind::unsatisfied);
  CHECK(none.message == "no prices recorded for westus3: azure, Phoenix, US");
  const Error unknown = refused({{"region", "wetsus3"}});
  CHECK(unknown.kind == ErrorKind::usage);
  CHECK(unknown.hint.find("'westus3'") != std::string::npos);
  // Beside one that has some it does no harm.
  CHECK(job::limit_rules(limits_of({{"region", "westus3,us-1"}}), test::Market::small().catalog()));
}

TEST_CASE("places that exclude each other are named, with what would do", "[limit_places]") {
  CHECK(clash({{"region", "cn-1"}, {"residency", "eu"}}) ==
        "--region cn-1 is in cn, outside --residency eu; use --residency cn or --region eu");
  CHECK(clash({{"region", "eu-1"}, {"residency", "eu"}}).empty());
  CHECK(clash({{"region", "europe"}, {"residency", "us"}}).find("outside --residency us") != std::string::npos);
  CHECK(clash({{"region", "any"}, {"residency", "eu"}}).empty());  // any region lifts the limit
}

}  // namespace limit_places_test
