// Parameters recounted from configurations against the published counts.
#include <catch2/catch.hpp>

#include <cmath>

#include "base/io/csv.hpp"
#include "base/values/number.hpp"
#include "catalog/hf/hf_config.hpp"
#include "listing.hpp"

namespace recount_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const std::string kFolder = std::string(GPUSEL_SOURCE_DIR) + "/tests/catalog/configs/";

std::string cell(const Node& row, std::string_view column) {
  const Node* found = row.find(column);
  return found == nullptr ? "" : found->text;
}

}  // namespace

TEST_CASE("recounted parameters agree with the published within half a percent") {
  const catalog::Catalog shipped = embedded();
  const auto text = read_text_file(kFolder + "published.csv");
  REQUIRE(text);
  const auto table = parse_csv(*text, "published.csv");
  REQUIRE(table);
  CHECK(table->rows.size() > 140);
  for (const Node& row : table->rows) {
    const std::string name = cell(row, "config");
    CAPTURE(name);
    const auto model = catalog::read_model_file(kFolder + name + ".json");
    if (!model) {
      FAIL_CHECK(model.error().where + ": " + model.error().message);
      continue;
    }
    auto published = plain_number(cell(row, "published"));
    if (cell(row, "where") == "catalogue") {
      const auto known = shipped.model(cell(row, "published"));
      REQUIRE(known);
      published = *(*known)->params_b;
    }
    REQUIRE(published);
    const bool stored = cell(row, "counts") == "stored";
    const double counted = *(*model)->model.params_b + (stored ? (*model)->prediction_parameters / 1e9 : 0);
    CHECK(std::abs(counted / *published - 1) <= 0.005);
    CHECK((*model)->recount.total() == Approx(*(*model)->model.params_b * 1e9));
  }
}

TEST_CASE("the parts that estimates use of a recounted model are those of the recount") {
  for (const char* name : {"mixtral-8x7b", "deepseek-v3", "gpt-oss-20b", "llama-3.1-405b", "jamba-v0.1", "qwen3.5-27b",
                           "llama-4-maverick", "gemma-3-27b", "nemotron-3-nano-30b-a3b"}) {
    CAPTURE(name);
    const auto model = catalog::read_model_file(kFolder + name + ".json");
    REQUIRE(model);
    const auto parts = catalog::parameters_of((*model)->model);
    REQUIRE(parts);
    const catalog::Parameters& counted = (*model)->recount;
    CHECK(parts->embedding == Approx(counted.embedding));
    CHECK(parts->head == Approx(counted.head));
    CHECK(parts->experts == Approx(counted.experts));
    CHECK(parts->vision == Approx(counted.vision));
    CHECK(parts->body == Approx(counted.body));
    CHECK(parts->routed_share == Approx(counted.routed_share));
  }
}

TEST_CASE("caches follow from the kinds of layers") {
  struct Case {
    const char* name;
    double full, windowed, linear;
  };
  const auto given =
      GENERATE(Case{"llama-4-scout", 12, 36, 0}, Case{"gpt-oss-20b", 12, 12, 0}, Case{"gemma-3-4b", 5, 29, 0},
               Case{"command-r7b", 8, 24, 0}, Case{"qwen3-next-80b-a3b", 12, 0, 36}, Case{"jamba-v0.1", 4, 0, 28},
               Case{"minimax-text-01", 10, 0, 70}, Case{"lfm2-1.2b", 6, 0, 10}, Case{"nemotron-h-8b", 4, 0, 24},
               Case{"kimi-linear-48b-a3b", 7, 0, 20}, Case{"exaone-4.0-32b", 16, 48, 0}, Case{"mamba-2.8b", 0, 0, 64},
               Case{"recurrentgemma-2b", 0, 8, 18}, Case{"gemma-3n-e4b-text", 4, 16, 0});
  CAPTURE(given.name);
  const auto model = catalog::read_model_file(kFolder + std::string(given.name) + ".json");
  REQUIRE(model);
  CHECK((*model)->model.kv_full_layers == given.full);
  CHECK((*model)->model.kv_window_layers.value_or(0) == given.windowed);
  CHECK((*model)->model.linear_layers.value_or(0) == given.linear);
}

}  // namespace recount_test
