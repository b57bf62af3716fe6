// gpusel verify as a user meets it: the published rows and a table of one's own.
#include <catch2/catch.hpp>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace verify_test {

using namespace gpusel::test;
using Json = nlohmann::json;

TEST_CASE("verify answers by its contract") {
  const Run run = ask({"verify", "--by", "source,gpu", "--worst", "3", "--json"});
  REQUIRE(run.status == 0);
  const Json out = Json::parse(run.out);
  CHECK(out["schema"] == "gpusel.verify/1");
  CHECK(out["rows"] > 3500);
  CHECK(out["sources"] >= 60);
  CHECK(out["unusable"].size() < 20);  // layouts the planner does not know
  for (const Json& entry : out["unusable"]) CHECK(entry["where"].get<std::string>().starts_with("measurements/"));
  REQUIRE(out["figures"].size() >= 10);
  for (const Json& figure : out["figures"]) {
    for (const char* key : {"figure", "rows", "sources", "median_error", "bias", "within_20_percent",
                            "interval_coverage", "interval_width"})
      CHECK(figure.contains(key));
    CHECK(figure["within_20_percent"] <= 1);
  }
  for (const char* task : {"training", "inference"}) CHECK(out["fit"][task]["balanced_accuracy"] <= 1);
  for (const Json& each : out["rank_correlation"]) CHECK(each["correlation"] <= 1);
  CHECK(out["by"]["source"].size() > 60);
  REQUIRE(out["worst"].size() == 3);
  const auto factor = [](const Json& row) {
    return std::abs(std::log(row["predicted"].get<double>() / row["measured"].get<double>()));
  };
  CHECK(factor(out["worst"][0]) >= factor(out["worst"][2]));
}

TEST_CASE("a table of one's own is read like the shipped one") {
  const std::string file = scratch_file("own-rows.csv",
                                        "source,task,model,gpu,mode,output_tokens_per_s,loss\n"
                                        "bench,inference,llama-3.1-8b,l4,single-stream,16,1\n"
                                        "bench,inference,llama-3.1-8b,l4x,single-stream,16,1\n"
                                        "bench,inference,llama-3.1-8b,l4,slow,16,1\n");
  const Run run = ask({"verify", file});
  CHECK(run.status == 0);
  CHECK(run.out.find("Measurements: 1, sources: 1") != std::string::npos);
  CHECK(run.out.find("output tokens/s, single-stream") != std::string::npos);
  CHECK(run.err.find("own-rows.csv: ignored columns: loss") != std::string::npos);
  CHECK(run.err.find("rows that cannot be used: 2") != std::string::npos);
  CHECK(run.err.find("own-rows.csv:3:30: unknown GPU 'l4x'") != std::string::npos);
  CHECK(run.err.find("own-rows.csv:4:33: 'slow' is not known here") != std::string::npos);
  CHECK(ask({"verify", file, "-q"}).err.empty());
}

TEST_CASE("rows without a source are of their file") {
  const std::string file = scratch_file("nameless.csv", "task,model,gpu,itl_ms\ninference,llama-3.1-8b,l4,60\n");
  const Json out = Json::parse(ask({"verify", file, "--by", "source", "--json"}).out);
  CHECK(out["by"]["source"][0]["group"] == file);
}

TEST_CASE("nothing to compare is said, with its own status") {
  const std::string file = scratch_file("nothing.csv", "task,model,gpu,itl_ms\ninference,llama-3.1-8b,l4x,60\n");
  const Run run = ask({"verify", file});
  CHECK(run.status == 3);
  CHECK(run.out.empty());
  CHECK(run.err.find("no measurements left to compare") != std::string::npos);
}

TEST_CASE("sources are left out and coefficients fitted again where that is asked for") {
  const std::string file = scratch_file("two.csv",
                                        "source,task,model,gpu,mode,output_tokens_per_s\n"
                                        "a,inference,llama-3.1-8b,l4,single-stream,16\n"
                                        "b,inference,llama-3.1-8b,a100,single-stream,90\n");
  const Json out = Json::parse(ask({"verify", file, "--leave-out", "source", "--refit", "--json"}).out);
  REQUIRE(out["left_out"]["sources"].size() == 2);
  CHECK(out["left_out"]["sources"][0]["source"] == "a");
  CHECK(out["left_out"]["sources"][0]["figures"][0]["rows"] == 1);
  CHECK(out["left_out"]["figures"][0]["sources"] == 2);
  CHECK_FALSE(out["refit"]["values"].empty());
  CHECK_FALSE(out["refit"]["not_fitted"].empty());
  const Run wide = ask({"verify", file, "--leave-out", "source", "-o", "wide"});
  CHECK(wide.out.find("source left out") != std::string::npos);
  const Run wrong = ask({"verify", file, "--leave-out", "gpu"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("source") != std::string::npos);
  CHECK_FALSE(Json::parse(ask({"verify", file, "--json"}).out).contains("left_out"));
}

TEST_CASE("a table that is none is refused") {
  CHECK(ask({"verify", "/nonexistent.csv"}).status == 2);
  const std::string file = scratch_file("broken.csv", "task,model,gpu\ninference,\"llama,l4\n");
  const Run run = ask({"verify", file});
  CHECK(run.status == 2);
  CHECK(run.err.find("broken.csv:2:11: the quote is not closed") != std::string::npos);
  CHECK(run.out.empty());
}

}  // namespace verify_test
