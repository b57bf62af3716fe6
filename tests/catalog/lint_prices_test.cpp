// Prices that contradict each other: of another day, region, size or their own note.
#include <algorithm>
#include <filesystem>

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
  // So is one of an older day: prices are expected from it.
  CHECK(found_with(sheet("region: us-1, term: on-demand, as_of: 2026-09-20", "x9_8x: 88.832")) ==
        Lines{"price.windows price north/x9_8x us-1 on-demand"});
}

TEST_CASE("the price of Windows is told from that of a region which asks the same for other sizes") {
  const std::string windows = sheet("region: us-2, term: on-demand, as_of: 2026-11-20", "x9_8x: 88.832");
  CHECK(found_with(windows) == Lines{"price.windows price north/x9_8x us-2 on-demand"});
  // A license of cents is met by chance where the region is dearer for other sizes as well.
  const auto small = [](const char* eight, const char* one) {
    std::string few =
        with(clean(), "regions: [us-1, us-2]\n    term: on-demand", "regions: [us-1]\n    term: on-demand");
    few = with(few, "gpu_memory_gb: 640, vcpu: 192,", "gpu_memory_gb: 640, vcpu: 4,");
    return lint({catalogue(few + sheet("region: us-2, term: on-demand, as_of: 2026-11-01",
                                       std::string("x9_8x: ") + eight + ", x9_1x: " + one))})
        .found();
  };
  CHECK(small("80.184", "10.5").empty());
  CHECK(small("80.184", "10") == Lines{"price.windows price north/x9_8x us-2 on-demand"});
}

TEST_CASE("a note that denies the price it stands at is found") {
  const auto noted = [](const char* note) {
    return found_with(sheet("region: us-1, term: on-demand, as_of: 2026-11-20", "x9_8x: 80", note));
  };
  CHECK(noted("the page shows no on-demand price") == Lines{"price.denied price north/x9_8x us-1 on-demand"});
  CHECK(noted("the page shows no spot price") == Lines{"price.denied price north/x9_8x us-1 spot"});
  CHECK(noted("the page shows no yearly price").empty());
  const std::string machine =
      with(clean(), "{sku: x9_1x, gpus: 1,", "{sku: x9_1x, gpus: 1, notes: \"no on-demand price is published\",");
  for (const std::string& line : lint({catalogue(machine)}).found())
    CHECK(line.starts_with("price.denied price north/x9_1x us-"));
  CHECK(lint({catalogue(machine)}).found().size() == 2);  // sold in two regions
  // The note of another price of that machine, in that region.
  CHECK(found_with(sheet("region: us-1, term: spot, as_of: 2026-11-20", "x9_8x: 20", "not sold on demand")) ==
        Lines{"price.denied price north/x9_8x us-1 on-demand"});
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
  // Unless what is asked on demand differs: a share of that would differ too.
  const std::string dearer =
      with(clean(), "regions: [us-1, us-2]\n    term: on-demand", "regions: [us-1]\n    term: on-demand");
  CHECK(lint({catalogue(dearer + sheet("region: us-2, term: on-demand, as_of: 2026-11-01", "x9_8x: 90, x9_1x: 10") +
                        spot("us-1", "x9_8x: 21.3471, x9_1x: 2.7113") + spot("us-2", "x9_8x: 21.3471, x9_1x: 2.7113"))})
            .found() == Lines{"price.same-spot price north/x9_8x us-2 spot"});
  // A price on demand that has moved since is no reason.
  const auto before = [](const char* region) {
    return sheet(std::string("region: ") + region + ", term: spot, as_of: 2026-11-10", "x9_8x: 21.3471, x9_1x: 2.7113");
  };
  CHECK(found_with(before("us-1") + before("us-2") +
                   sheet("region: us-2, term: on-demand, as_of: 2026-11-20", "x9_8x: 84, x9_1x: 10"))
            .empty());
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
  CHECK(one("12", "2026-08-02") == Lines{"price.larger-cheaper price north/x9_8x us-1 on-demand"});
  CHECK(one("12", "2026-07-20").empty());  // an older price of the smaller size is history
}

/// What is found in the market of November 2026, whose files are written as the shipped ones, with one more file.
Lines found_in_market(const std::string& file, const std::string& text) {
  const std::filesystem::path market = kSource + "/tests/data/market-2026-11";
  std::vector<std::pair<std::string, std::string>> files = {{file, text}};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(market))
    if (entry.is_regular_file() && entry.path().extension() != ".md")
      files.emplace_back(entry.path().lexically_relative(market).string(), read_file(entry.path().string()));
  return lint({folder(files)}).found();
}

bool has(const Lines& lines, const std::string& line) { return std::ranges::find(lines, line) != lines.end(); }

TEST_CASE("faults planted in files as they are shipped are found") {
  struct Plant {
    const char* lines;  // of a history
    const char* finds;
  };
  constexpr Plant kPlants[] = {
      {"aws,g4dn.12xlarge,us-east-1,on-demand,USD,6.12,2026-11-09,aws-spot-2026-01,",
       "price.windows price aws/g4dn.12xlarge us-east-1 on-demand"},
      {"gcp,a2-highgpu-1g,us-central1,on-demand,USD,4.225385,2026-01-09,gcp-prices-2026-08,",
       "price.windows price gcp/a2-highgpu-1g us-central1 on-demand"},
      {"aws,g4dn.12xlarge,us-east-1,spot,USD,1.73421,2026-11-09,aws-spot-2026-01,\n"
       "aws,g4dn.12xlarge,eu-central-1,spot,USD,1.73421,2026-11-09,aws-spot-2026-01,",
       "price.same-spot price aws/g4dn.12xlarge eu-central-1 spot"},
      {"gcp,a2-highgpu-1g,us-central1,spot,USD,2.412131,2026-11-09,gcp-prices-2026-08,\n"
       "gcp,a2-highgpu-1g,asia-southeast1,spot,USD,2.412131,2026-11-09,gcp-prices-2026-08,",
       "price.same-spot price gcp/a2-highgpu-1g us-central1 spot"},
      {"aws,g4dn.12xlarge,us-east-1,on-demand,USD,3.912,2026-11-09,aws-spot-2026-01,no on-demand price",
       "price.denied price aws/g4dn.12xlarge us-east-1 on-demand"},
      {"aws,p5.4xlarge,us-east-1,on-demand,USD,8.9,2026-11-20,aws-spot-2026-01,",
       "price.larger-cheaper price aws/p5.48xlarge us-east-1 on-demand"},
  };
  const std::string head = "provider,sku,region,term,currency,per_hour,as_of,source,note\n";
  const Lines before = found_in_market("prices/planted.csv", head);
  for (const Plant& plant : kPlants) {
    CAPTURE(plant.lines);
    CHECK_FALSE(has(before, plant.finds));
    CHECK(has(found_in_market("prices/planted.csv", head + plant.lines + "\n"), plant.finds));
  }
  // One sheet for two regions.
  CHECK(has(found_in_market("planted.yaml", R"(prices:
  - provider: aws
    regions: [us-east-1, eu-central-1]
    term: spot
    currency: USD
    as_of: 2026-11-09
    source: aws-spot-2026-01
    per_hour: {g4dn.12xlarge: 1.73421}
)"),
            "price.same-spot price aws/g4dn.12xlarge eu-central-1 spot"));
}

}  // namespace
}  // namespace gpusel::test
