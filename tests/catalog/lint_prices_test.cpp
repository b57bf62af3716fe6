// Prices that contradict each other: of another day, region, size or their own note.
#include "linting.hpp"

namespace gpusel::test {
namespace {

/// The clean catalogue and one more price sheet of it.
std::string sheet(const std::string& keys, const std::string& amounts, const std::string& note = {}) {
  return "  - {provider: north, currency: USD, source: north-list, " + keys + ", per_hour: {" + amounts + "}" +
         (note.empty() ? "" : ", note: " + note) + "}\n";
}
Lines found_with(const std::string& sheets) { return lint({catalogue(clean() + sheets)}).found(); }

TEST_CASE("the price of Windows is told from that of another day") {
  const auto with_price = [](const char* amount) {
    return found_with(sheet("region: us-1, term: on-demand, as_of: 2026-11-20", std::string("x9_8x: ") + amount));
  };
  CHECK(with_price("88.832") == Lines{"price.windows price north/x9_8x us-1 on-demand"});  // 192 vCPUs at 0.046 more
  CHECK(with_price("88.9").empty());
  CHECK(with_price("80").empty());
}

TEST_CASE("the price of Windows is told from that of a region which asks the same for other sizes") {
  const std::string windows = sheet("region: us-2, term: on-demand, as_of: 2026-11-20", "x9_8x: 88.832");
  CHECK(found_with(windows) == Lines{"price.windows price north/x9_8x us-2 on-demand"});
  // Where another size is dearer as well the region is.
  const std::string one_region =
      with(clean(), "regions: [us-1, us-2]\n    term: on-demand", "regions: [us-1]\n    term: on-demand");
  CHECK(lint({catalogue(one_region +
                        sheet("region: us-2, term: on-demand, as_of: 2026-11-01", "x9_8x: 88.832, x9_1x: 11.1"))})
            .found()
            .empty());
}

TEST_CASE("a note that denies the price it stands at is found") {
  const auto noted = [](const char* note) {
    return found_with(sheet("region: us-1, term: on-demand, as_of: 2026-11-20", "x9_8x: 80", note));
  };
  CHECK(noted("the page shows no on-demand price") == Lines{"price.denied price north/x9_8x us-1 on-demand"});
  CHECK(noted("the page shows no spot price").empty());
  const std::string machine =
      with(clean(), "{sku: x9_1x, gpus: 1,", "{sku: x9_1x, gpus: 1, notes: \"no on-demand price is published\",");
  for (const std::string& line : lint({catalogue(machine)}).found())
    CHECK(line.starts_with("price.denied price north/x9_1x us-"));
  CHECK(lint({catalogue(machine)}).found().size() == 2);  // sold in two regions
}

TEST_CASE("one spot price in two regions is found where spot is a market") {
  const auto spot = [](const char* region, const char* amounts) {
    return sheet(std::string("region: ") + region + ", term: spot, as_of: 2026-11-20", amounts);
  };
  CHECK(found_with(spot("us-1", "x9_8x: 21.3471") + spot("us-2", "x9_8x: 21.3471")) ==
        Lines{"price.same-spot price north/x9_8x us-2 spot"});
  CHECK(found_with(spot("us-1", "x9_8x: 21.3471") + spot("us-2", "x9_8x: 21.3472")).empty());
  CHECK(found_with(spot("us-1", "x9_8x: 21") + spot("us-2", "x9_8x: 21")).empty());  // a round price is a list price
  CHECK(found_with(spot("us-1", "x9_8x: 21.3471, x9_1x: 2.7113") + spot("us-2", "x9_8x: 21.3471, x9_1x: 2.7113"))
            .empty());  // so is one that is usual
}

TEST_CASE("a larger size that costs less per GPU than a smaller one of a younger day is found") {
  const std::string old = with(clean(), "as_of: 2026-11-01\n    source: north-list\n    per_hour: {x9_1x: 10",
                               "as_of: 2026-08-01\n    source: north-list\n    per_hour: {x9_1x: 10");
  const auto one = [&](const char* amount, const char* day) {
    const std::string keys = std::string("region: us-1, term: on-demand, as_of: ") + day;
    return lint({catalogue(old + sheet(keys, std::string("x9_1x: ") + amount))}).found();
  };
  CHECK(one("12", "2026-11-18") == Lines{"price.larger-cheaper price north/x9_8x us-1 on-demand"});
  CHECK(one("10.2", "2026-11-18").empty());
  CHECK(one("12", "2026-08-20").empty());
}

}  // namespace
}  // namespace gpusel::test
