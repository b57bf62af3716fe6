// Slices of a GPU: the published profiles, and which of them a fraction means.
#include "catalog/records/mig.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "catalog/snapshot/load.hpp"
#include "support/program.hpp"

namespace mig_test {

using namespace gpusel;
using namespace gpusel::catalog;

namespace {

const Catalog& shipped() {
  static const auto catalog = load({});
  REQUIRE(catalog);
  return *catalog;
}

std::string slice_of(std::string_view gpu, int parts) {
  const auto found = shipped().gpu(gpu);
  REQUIRE(found);
  const auto slice = mig_slice(**found, parts, shipped());
  return slice ? slice->name : std::string();
}

}  // namespace

TEST_CASE("a fraction means the largest profile of which a GPU has so many") {
  CHECK(slice_of("a100-sxm-40gb", 7) == "1g.5gb");
  CHECK(slice_of("a100-sxm-40gb", 5) == "1g.5gb");
  CHECK(slice_of("a100-sxm-40gb", 4) == "1g.10gb");
  CHECK(slice_of("a100-sxm-40gb", 3) == "2g.10gb");
  CHECK(slice_of("a100-sxm-40gb", 2) == "3g.20gb");
  CHECK(slice_of("h100-sxm-80gb", 7) == "1g.10gb");
  CHECK(slice_of("a30", 4) == "1g.6gb");
  CHECK(slice_of("a100-sxm-40gb", 8).empty());
  CHECK(slice_of("t4", 2).empty());
}

TEST_CASE("every profile is of a GPU that has MIG, and as many fit on it as its memory and its record allow") {
  std::size_t seen = 0;
  for (const Gpu& gpu : shipped().gpus())
    for (const MigProfile& profile : mig_profiles(gpu, shipped())) {
      ++seen;
      CAPTURE(std::string(gpu.id), profile.name);
      CHECK(profile.memory * profile.most <= 1.0001);
      CHECK(profile.compute * profile.most <= 1.0001);
      REQUIRE(gpu.mig_max_instances);
      CHECK(profile.most <= *gpu.mig_max_instances);
      // "1g.5gb": its memory is that share of the card's.
      const double named = std::stod(profile.name.substr(profile.name.find('.') + 1));
      CHECK(named == Approx(profile.memory * gpu.memory_gb.value_or(0)).margin(1.5));
    }
  CHECK(seen > 40);
}

TEST_CASE("a profile in the place of a GPU is told how slices are written") {
  for (const char* name : {"1g.10gb", "a100:1g.10gb", "H100-3g.40GB"})
    CHECK(mig_spelling(name).find("a100:1/7") != std::string::npos);
  for (const char* name : {"g5g.2xlarge", "a100", "g.10gb", "8g.10gb", "1g.", ""})
    CHECK(mig_spelling(name).empty());
}

TEST_CASE("what is wrong with slices of an overlay is told with its place") {
  const auto told = [](const std::string& profile) {
    const std::string file = test::scratch_file(
        "slices.yaml", "mig:\n  - gpus: [l40s]\n    source: mine\n    profiles:\n      - {" + profile + "}\n");
    const auto loaded = load({.replacement = {}, .overlays = {file}});
    std::string all;
    if (!loaded)
      for (const Error& error : loaded.error()) all += error.where + ": " + error.message + "\n";
    return all;
  };
  CHECK(told("name: 1g.12gb, compute: 1/4, memory: 1/4, most: 4").empty());
  CHECK(told("name: 1g.12gb, compute: 3, memory: 1/4, most: 4").contains("slices.yaml:5:34: compute: 3"));
  CHECK(told("name: 1g.12gb, compute: 1/4, memory: 1/4").contains("slices.yaml:5:9: "));
  CHECK(told("name: 1g.12gb, compute: 1/4, memory: 1/4, mots: 4").contains("unknown key 'mots'"));
}

}  // namespace mig_test
