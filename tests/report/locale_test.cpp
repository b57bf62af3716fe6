// Numbers are written the same whatever the locale: a stream that takes the global one would show.
#include <catch2/catch.hpp>

#include <locale>
#include <sstream>

#include "report/recommend.hpp"
#include "support/market.hpp"

using namespace gpusel;

namespace {

/// Decimal comma and thousands dots, as in German; made here, because few machines have that locale.
struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

std::string printed() {
  const auto& market = test::Market::small();
  const auto advice = market.recommend(R"({"model": "llama-7b", "task": "finetune", "tokens": "1.5e9"})");
  return report::recommend_text(advice, market.catalog(), {}, {}) +
         report::dump(report::recommend_json(advice, market.catalog(), 0));
}

}  // namespace

TEST_CASE("a German locale changes no number") {
  const std::string plain = printed();
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new German));
  std::ostringstream shows;
  shows << 1234.5;
  const std::string german = printed();
  std::locale::global(before);
  REQUIRE(shows.str() == "1.234,5");  // the locale is in force
  CHECK(german == plain);
}
