// What changed between two catalogues, and how much one of them knows.
#include "catalog/diff.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "catalog/records/statistics.hpp"
#include "catalog/snapshot/load.hpp"
#include "support/program.hpp"

namespace diff_test {

using namespace gpusel;
using catalog::ChangeKind;

namespace {

constexpr const char* kOverlay = R"(
sources:
  own: {publisher: us, document: list, date: 2026-11-01, confidence: documented}
gpus:
  - {id: l40s, tdp_w: 333}
  - {id: own-gpu, vendor: us, name: Own, sources: own}
prices:
  - {provider: lambda, region: all, term: on-demand, currency: USD, as_of: 2026-11-02, source: own,
     per_hour: {gpu_1x_a6000: 0.5}}
  - {provider: lambda, region: all, term: spot, currency: USD, as_of: 2026-11-02, source: own,
     per_hour: {gpu_1x_a6000: 0.25}}
)";

catalog::Catalog shipped() { return *catalog::load({}); }
catalog::Catalog changed() { return *catalog::load({{}, {test::scratch_file("diff.yaml", kOverlay)}}); }

const catalog::Change& of(const std::vector<catalog::Change>& changes, std::string_view subject) {
  const auto found = std::ranges::find(changes, subject, &catalog::Change::subject);
  REQUIRE(found != changes.end());
  return *found;
}

}  // namespace

TEST_CASE("a catalogue does not differ from itself") { CHECK(catalog::diff(shipped(), shipped()).empty()); }

TEST_CASE("every change of an overlay is found, figure by figure") {
  const auto before = shipped();
  const auto after = changed();
  const auto changes = catalog::diff(before, after);
  CHECK(changes.size() == 5);  // a figure, a GPU, a price, a new price, a source
  const auto& power = of(changes, "l40s");
  CHECK(power.field == "tdp_w");
  CHECK(std::get<double>(power.before) == 350);
  CHECK(std::get<double>(power.after) == 333);
  CHECK(of(changes, "own-gpu").kind == ChangeKind::added);
  const auto& price = of(changes, "lambda/gpu_1x_a6000 all on-demand USD");
  CHECK(price.field == "price_per_hour");
  CHECK(std::get<double>(price.after) == 0.5);
  CHECK(of(changes, "lambda/gpu_1x_a6000 all spot USD").kind == ChangeKind::added);
  CHECK(of(changes, "own").section == "sources");
}

TEST_CASE("the way back is the mirror image") {
  const auto before = shipped();
  const auto after = changed();
  const auto there = catalog::diff(before, after);
  const auto back = catalog::diff(after, before);
  REQUIRE(there.size() == back.size());
  for (std::size_t i = 0; i < there.size(); ++i) {
    CHECK(there[i].subject == back[i].subject);
    CHECK(there[i].before == back[i].after);
    CHECK(there[i].after == back[i].before);
  }
}

TEST_CASE("statistics count every offer once") {
  const auto all = shipped();
  const auto counted = catalog::statistics(all, Date{2026, 11, 20});
  const auto sum = [](const auto& range, auto member) {
    return std::accumulate(range.begin(), range.end(), std::size_t{0},
                           [&](std::size_t n, const auto& one) { return n + one.*member; });
  };
  CHECK(sum(counted.providers, &catalog::ProviderCount::offers) == all.offers().size());
  CHECK(sum(counted.providers, &catalog::ProviderCount::instances) == all.instances().size());
  CHECK(sum(counted.ages, &catalog::AgeBucket::offers) + counted.undated == all.offers().size());
  CHECK(std::accumulate(counted.by_confidence.begin(), counted.by_confidence.end(), std::size_t{0}) ==
        all.offers().size());
  for (const auto& field : counted.coverage) CHECK(field.known <= field.of);
}

TEST_CASE("prices grow old with the day") {
  const auto all = shipped();
  const auto young = catalog::statistics(all, Date{2026, 11, 20});
  const auto late = catalog::statistics(all, Date{2029, 11, 20});
  CHECK(*late.median_age_days == *young.median_age_days + 1096);
  CHECK(late.ages.back().offers + late.undated == all.offers().size());
}

}  // namespace diff_test
