// Coefficients fitted again to measurements, with a source left out or all in: hand-made rows whose result is known
// beforehand, and the shipped values against the published rows.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "answer/truth/refit/leave_out.hpp"
#include "answer/truth/refit/left_out_widths.hpp"
#include "answer/truth/refit/refit.hpp"
#include "answer/truth/refit/robust_fit.hpp"
#include "base/text/text.hpp"
#include "support/job.hpp"

namespace leave_out_test {

using namespace gpusel;
using answer::Figure;
using answer::LeaveOut;

namespace {

constexpr const char* kColumns = "source,task,model,gpu,engine,mode,output_tokens_per_s\n";

answer::Verification verified(const std::string& rows) {
  auto csv = parse_csv(kColumns + rows, "own.csv");
  REQUIRE(csv.has_value());
  std::vector<catalog::MeasurementSheet> sheets;
  sheets.push_back(catalog::read_measurements(std::move(*csv), test::shipped(), false).value());
  return answer::verify(std::move(sheets), {}, test::shipped(), test::coefficients()).value();
}

/// Rows that run at so many times the estimate.
std::string rows_of(const std::string& source, const std::string& engine, double times) {
  std::string out;
  for (const char* work : {"llama-3.1-8b,l4", "llama-3.1-8b,a100-sxm-80gb", "qwen2.5-14b,a100-sxm-80gb"}) {
    const std::string row = format("{},inference,{},{},single-stream,", source, work, engine);
    out += format("{}{:.6g}\n", row, verified(row + "1\n").comparisons.at(0).predicted * times);
  }
  return out;
}

LeaveOut left_out(const answer::Verification& all) {
  return answer::leave_sources_out(all, test::shipped().documents("calibration"), test::shipped(),
                                   test::coefficients());
}

const answer::LeftOutSource& source(const LeaveOut& all, std::string_view name) {
  const auto found = std::ranges::find(all.sources, name, &answer::LeftOutSource::source);
  REQUIRE(found != all.sources.end());
  return *found;
}

bool names(const std::vector<answer::ValueWithout>& values, std::string_view id, std::string_view name) {
  return std::ranges::any_of(values, [&](const auto& each) { return each.id == id && each.name == name; });
}

const answer::Refit& shipped_refit() {
  static const answer::Refit made = [] {
    const auto all = answer::verify(catalog::shipped_measurements(test::shipped()).value(), {}, test::shipped(),
                                    test::coefficients());
    return answer::refit(all.value(), test::shipped().documents("calibration"), test::shipped(), test::coefficients());
  }();
  return made;
}

}  // namespace

TEST_CASE("one odd row does not lead a fit astray") {
  std::vector<answer::RobustFigure> figures;
  for (int i = 0; i < 9; ++i) figures.push_back({0.2, 1, {{0, 1.0}}});
  figures.push_back({-3, 1, {{0, 1.0}}});
  CHECK(answer::least_distance(figures, 1, 0.15, 0.5)[0] == Approx(0.2).margin(0.01));
  for (auto& figure : figures) figure.weight = 1e-6;  // little that is said moves little
  CHECK(answer::least_distance(figures, 1, 0.15, 0.5)[0] == Approx(0).margin(0.001));
}

TEST_CASE("a quantile counts weights, not values") {
  CHECK(answer::weighed_quantile({{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}, 0.8) == 4);
  CHECK(answer::weighed_quantile({{5, 1}, {1, 9}}, 0.8) == 1);
  CHECK(answer::weighed_quantile({}, 0.8) == 0);
}

TEST_CASE("what the other sources say is heard, what the source itself says is not") {
  const std::string others = rows_of("a", "vllm", 0.8) + rows_of("b", "vllm", 0.8);
  const auto all = verified(others + rows_of("c", "vllm", 1.6));
  const LeaveOut out = left_out(all);
  REQUIRE(out.verification.comparisons.size() == all.comparisons.size());
  const auto is = [&](std::string_view name) {
    std::vector<const answer::Comparison*> these;
    for (const auto& each : out.verification.comparisons)
      if (each.row->facts.source == name) these.push_back(&each);
    return answer::accuracy_of(these).bias;
  };
  CHECK(is("c") == Approx(0.8 / 1.6 - 1).margin(0.04));  // as slow as the others are
  CHECK_FALSE(source(out, "c").fitted.empty());
  CHECK(is("a") > 0.2);  // b and c do not agree: nothing is gained
  CHECK(names(source(out, "c").fitted, "inference.decode_bandwidth_efficiency", ""));
}

TEST_CASE("a case that one source alone speaks of is removed, a plain value is held") {
  const LeaveOut out = left_out(verified(rows_of("a", "vllm", 1) + rows_of("b", "tgi", 1)));
  CHECK(names(source(out, "b").removed, "inference.decode_layer_us", "tgi"));
  CHECK_FALSE(names(source(out, "a").removed, "inference.decode_layer_us", "tgi"));
  CHECK(names(source(out, "a").fitted, "inference.decode_bandwidth_efficiency", ""));
  const LeaveOut alone = left_out(verified(rows_of("a", "vllm", 1)));
  CHECK(names(source(alone, "a").held, "inference.decode_bandwidth_efficiency", ""));
}

TEST_CASE("intervals are as wide as the other sources' rows ask for") {
  std::string rows;
  for (const char* name : {"a", "b", "c", "d", "e"}) rows += rows_of(name, "vllm", 1);
  const LeaveOut sure = left_out(verified(rows));
  REQUIRE(sure.spreads.size() == 1);
  CHECK(sure.spreads[0].factor < 0.05);  // all are met
  CHECK(sure.spreads[0].within == Approx(0).margin(1e-3));
  const LeaveOut odd = left_out(verified(rows + rows_of("f", "vllm", 30) + rows_of("g", "vllm", 0.03)));
  CHECK(odd.spreads[0].factor > 3);
  CHECK(odd.spreads[0].shipped_inside == Approx(5.0 / 7).margin(0.01));
}

TEST_CASE("a refit finds what the rows were made with") {
  std::string rows;
  for (const char* name : {"a", "b", "c"}) rows += rows_of(name, "vllm", 0.8);
  const auto refit =
      answer::refit(verified(rows), test::shipped().documents("calibration"), test::shipped(), test::coefficients());
  const auto found = std::ranges::find_if(refit.values, [](const answer::RefitValue& each) {
    return each.id == "inference.decode_bandwidth_efficiency" && each.name.empty();
  });
  REQUIRE(found != refit.values.end());
  CHECK(found->found < 0.85 * found->shipped);
  CHECK(found->gain > 0.05);
  CHECK(found->better < found->shipped);
  CHECK(found->agreed());
  CHECK(found->sources == 3);
  CHECK(found->figures == 9);
}

TEST_CASE("every coefficient is fitted to rows, or says what it rests on instead") {
  const auto& refit = shipped_refit();
  CHECK(refit.values.size() > 150);
  for (const auto& each : refit.elsewhere) {
    CAPTURE(each.id);
    CHECK(each.source.size() > 3);
  }
}

TEST_CASE("no shipped value is better a step up or down, whichever source is left out") {
  for (const auto& each : shipped_refit().values) {
    CAPTURE(each.id, each.name, each.shipped, each.better, each.low, each.high, each.figures, each.sources);
    CHECK((each.gain <= 0.01 || !each.agreed()));
  }
}

}  // namespace leave_out_test
