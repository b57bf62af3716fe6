// Tables of measurements: the shipped ones, and what makes a row or a table of one's own unusable.
#include <catch2/catch.hpp>

#include "catalog/records/measurement.hpp"
#include "support/job.hpp"

namespace measurement_test {

using namespace gpusel;

namespace {

Result<catalog::MeasurementSheet> read(const std::string& text) {
  auto csv = parse_csv(text, "own.csv");
  REQUIRE(csv.has_value());
  return catalog::read_measurements(std::move(*csv), test::shipped(), false);
}

std::string why_not(const std::string& row) {
  const auto sheet = read("source,task,model,gpu,tp,layers,hidden,memory_kind,memory_gib\n" + row + "\n");
  REQUIRE(sheet.has_value());
  REQUIRE(sheet->rows.empty());
  REQUIRE(sheet->unusable.size() == 1);
  return sheet->unusable[0].where + ": " + sheet->unusable[0].message;
}

}  // namespace

TEST_CASE("the shipped measurements come with the program, each with a source one can find") {
  const auto sheets = catalog::shipped_measurements(test::shipped());
  REQUIRE(sheets.has_value());
  std::size_t rows = 0;
  for (const auto& sheet : *sheets) {
    CHECK(sheet.unusable.empty());
    CHECK(sheet.unread.empty());
    rows += sheet.rows.size();
    for (const auto& row : sheet.rows) {
      const auto* source = test::shipped().source(row.facts.source);
      CAPTURE(row.facts.source);
      REQUIRE(source != nullptr);
      CHECK_FALSE(source->publisher.empty());
      CHECK_FALSE(source->document.empty());
      CHECK(source->url.starts_with("https://"));
    }
  }
  CHECK(rows > 3500);
}

TEST_CASE("a row that cannot be used is named with its first problem") {
  CHECK(why_not("a,inference,llama-7b,h1000,,,,,7") == "own.csv:2:22: unknown GPU 'h1000'");
  CHECK(why_not("a,inference,lama-7b,t4,,,,,7") == "own.csv:2:13: unknown model 'lama-7b'");
  CHECK(why_not("a,inference,own,t4,,32,,,7") == "own.csv:2:13: unknown model 'own'");
  CHECK(why_not("a,inference,llama-7b,t4,many,,,,7") == "own.csv:2:25: 'tp' must be a number, found 'many'");
  CHECK(why_not("a,inference,llama-7b,t4,,,,free,7") == "own.csv:2:28: 'memory_kind' cannot be 'free'");
  CHECK(why_not("a,inference,llama-7b,t4,,,,,70") == "own.csv:2:29: 70 GiB are more than t4 has");
  CHECK(why_not("a,inference,llama-7b,,,,,,7") == "own.csv:2:1: 'gpu' is missing");
  CHECK(why_not("a,inference,llama-7b,t4") == "own.csv:2:1: the row has no measurement");
  CHECK(why_not("a,inference,llama-7b,t4,,,,,-7").starts_with("own.csv:2:29: memory_gib: -7 is out of range"));
}

TEST_CASE("a table must say what ran where, and a column that is no fact is told") {
  const auto no_gpu = read("task,model,speed\ninference,llama-7b,3\n");
  REQUIRE_FALSE(no_gpu.has_value());
  CHECK(no_gpu.error().message == "there is no column 'gpu'");
  CHECK(no_gpu.error().where == "own.csv:1:1");
  const auto extra = read("task,model,gpu,loss,itl_ms\ninference,llama-7b,t4,2.1,50\n");
  REQUIRE(extra.has_value());
  CHECK(extra->unread == std::vector<std::string>{"loss"});
  CHECK(extra->rows.size() == 1);
}

TEST_CASE("a shape stands in for a model that the catalogue lacks") {
  const auto sheet = read("task,model,gpu,layers,hidden,itl_ms\ninference,own-7b,T4,32,4096,50\n");
  REQUIRE(sheet.has_value());
  REQUIRE(sheet->rows.size() == 1);
  CHECK(sheet->rows[0].model == nullptr);
  CHECK(sheet->rows[0].gpu->id == "t4");
  CHECK(sheet->rows[0].facts.model == "own-7b");
}

}  // namespace measurement_test
