// Calibration: the fit with values worked out by hand, coefficients that were changed and are found again, and widths.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "answer/estimate/map_fit.hpp"
#include "answer/truth/accuracy.hpp"
#include "answer/truth/calibrate.hpp"
#include "answer/truth/own_widths.hpp"
#include "base/words/message.hpp"
#include "support/job.hpp"

namespace calibrate_test {

using namespace gpusel;
using answer::Calibration;
using physics::CoefficientValue;
using physics::Range80;

namespace {

Node record(const std::string& json) {
  auto document = parse_json(json, "runs.jsonl");
  REQUIRE(document.has_value());
  return std::move(document->root);
}

/// What a program whose coefficients are these would measure: a row per request.
std::vector<Node> measured_with(const physics::Coefficients& c, const std::vector<std::string>& requests,
                                double factor = 1, std::string_view time = "itl_ms") {
  std::vector<Node> rows;
  for (const std::string& request : requests) {
    const auto asked = job::read_request(record("{" + request + "}"));
    REQUIRE(asked.has_value());
    const auto answer = answer::answer_estimate(*asked, test::shipped(), c, false);
    REQUIRE(answer.has_value());
    std::string figures;
    if (const auto& training = answer->plan.training)
      figures = format("\"tokens_per_s_per_gpu\":{}", training->tokens_per_s_per_gpu * factor);
    else
      figures = format(
          "\"{}\":{}", time,
          in_ms(time == "itl_ms" ? answer->plan.serving->speed.itl() : answer->plan.serving->speed.ttft()) / factor);
    rows.push_back(record("{" + request + ",\"measured\":{" + figures + "}}"));
  }
  return rows;
}

Calibration calibrated(const std::vector<Node>& rows) {
  return answer::calibrate(rows, Date(2026, 11, 22), test::shipped(), test::coefficients(),
                           test::shipped().documents("calibration"));
}

std::string pretraining(std::string_view gpu, int gpus, int seq_len) {
  return format(
      R"("task":"pretrain","model":"llama-2-7b","gpu":"{}","gpus":{},"framework":"megatron","sharding":"zero1","tp":1,)"
      R"("pp":1,"seq_len":{},"micro_batch":1,"grad_accum":8,"activation_checkpointing":"full")",
      gpu, gpus, seq_len);
}

double value_of(const Calibration& calibration, std::string_view id, std::string_view name) {
  for (const auto& each : calibration.own.values)
    if (each.value.id == id && each.value.name == name) return each.value.value;
  return 0;
}

double width_of(const Calibration& calibration, Range80 range) {
  for (const auto& width : calibration.own.widths)
    if (width.range == range && !width.of.model.empty()) return width.exponent;
  return 0;
}

}  // namespace

TEST_CASE("one figure moves one coefficient half of the way where both are as unsure") {
  const answer::FitFigure figure{0.2, 0.1, {1}};
  const double prior[] = {0.1};
  const double at[] = {0};
  const auto fit = answer::most_probable({&figure, 1}, prior, at);
  CHECK(fit.shift[0] == Approx(0.1));                       // 0.2 × 0.1² ÷ (0.1² + 0.1²)
  CHECK(fit.deviation[0] == Approx(0.1 / std::sqrt(2.0)));  // 1 ÷ √(1 ÷ 0.01 + 1 ÷ 0.01)
  CHECK(fit.leverage[0] == Approx(0.5));
  const std::vector<answer::FitFigure> nine(9, figure);
  CHECK(answer::most_probable(nine, prior, at).shift[0] == Approx(0.2 * 9 / 10));
}

TEST_CASE("what a figure does not depend on stays, and two coefficients share by their sensitivity") {
  const std::vector<answer::FitFigure> figures{{0.3, 0.1, {0.8, 0.4, 0}}};
  const double prior[] = {0.1, 0.1, 0.1};
  const double at[] = {0, 0, 0};
  const auto fit = answer::most_probable(figures, prior, at);
  const double common = 0.3 / (1 + 0.8 * 0.8 + 0.4 * 0.4);  // equal spreads
  CHECK(fit.shift[0] == Approx(0.8 * common));
  CHECK(fit.shift[1] == Approx(0.4 * common));
  CHECK(fit.shift[2] == Approx(0).margin(1e-12));
  CHECK(fit.deviation[2] == Approx(0.1));
}

TEST_CASE("linearised elsewhere, the same line has the same result") {
  const std::vector<answer::FitFigure> figures{{0.2 - 0.5 * 0.07, 0.1, {0.5}}};
  const double prior[] = {0.1};
  const double at[] = {0.07};
  CHECK(answer::most_probable(figures, prior, at).shift[0] == Approx(0.5 * 0.2 / (1 + 0.25)));
}

TEST_CASE("a width follows what was seen: agreeing figures narrow it, scattered ones do not") {
  const physics::OwnClass of{"inference", "l40s", "vllm online bf16", "llama-3.1-8b"};
  const auto width = [&](int count, double off, double leverage, double floor = 0) {
    const std::vector<answer::Residual> residuals(static_cast<std::size_t>(count),
                                                  {of, Range80::itl, 2, off, leverage, floor});
    const auto widths = answer::own_widths(residuals, 2);
    REQUIRE(widths.size() == 1);
    CHECK(widths[0].gpus == 2);
    CHECK(widths[0].rows == count);
    return widths[0].exponent;
  };
  CHECK(width(1, 0, 0.5) == Approx(std::sqrt(2 / 2.5)).margin(1e-4));
  CHECK(width(10, 0, 0.1) == Approx(std::sqrt(2.0 / 11)).margin(1e-4));
  CHECK(width(10, 0.5, 0.1) == Approx(std::sqrt(4.5 / 11)).margin(1e-4));
  CHECK(width(4, 2, 0) == Approx(2));             // as wide as the scatter
  CHECK(width(100, 0, 0.1, 0.3) == Approx(0.3));  // noise of equal runs
  CHECK(width(10, 1, 0) == Approx(1));            // as shipped
}

TEST_CASE("a width over all models counts models, and there must be two") {
  std::vector<answer::Residual> residuals;
  for (const char* model : {"a", "a", "a", "a", "b"})
    residuals.push_back({{"inference", "l40s", "vllm online bf16", model}, Range80::speed, 1, 0, 0, 0});
  const auto widths = answer::own_widths(residuals, 2);
  REQUIRE(widths.size() == 3);
  CHECK(widths[0].of.model.empty());
  CHECK(widths[0].rows == 2);
  CHECK(widths[0].exponent == Approx(std::sqrt(2.0 / 4)).margin(1e-4));

  physics::OwnCalibration own;
  own.widths = widths;
  CHECK(own.exponent({"inference", "l40s", "vllm online bf16", "a"}, Range80::speed, 1) ==
        Approx(std::sqrt(2.0 / 6)).margin(1e-4));
  CHECK(own.exponent({"inference", "l40s", "vllm online bf16", "c"}, Range80::speed, 1) == widths[0].exponent);
  CHECK(own.exponent({"inference", "l40s", "vllm online bf16", "a"}, Range80::speed, 2) == 1);  // not measured on two
  CHECK(own.exponent({"inference", "l40s", "vllm online bf16", "a"}, Range80::memory, 1) == 1);
  CHECK(own.exponent({"inference", "h100-sxm-80gb", "vllm online bf16", "a"}, Range80::speed, 1) == 1);
}

TEST_CASE("a machine whose runs were made with another coefficient is met again, and no other is touched") {
  const CoefficientValue changed{"compute.training_efficiency", "Hopper", 0.6};
  const auto other = physics::with_values(test::coefficients(), {&changed, 1});
  std::vector<std::string> requests;
  for (const int gpus : {8, 16})
    for (const int seq_len : {2048, 4096, 6144, 8192}) requests.push_back(pretraining("h100-sxm-80gb", gpus, seq_len));
  const Calibration calibration = calibrated(measured_with(other, requests));
  REQUIRE(calibration.figures.size() == 8);
  const double shipped = test::coefficients().training_efficiency.of("Hopper");
  const double found = value_of(calibration, "compute.step_scale", "h100-sxm-80gb megatron full bf16 llama-2-7b");
  CHECK(std::log(found) > 0.6 * std::log(shipped / 0.6));  // not all of a step follows the efficiency of products
  CHECK(std::log(found) < std::log(shipped / 0.6));
  for (const auto& figure : calibration.figures) CHECK(figure.ratio_after() == Approx(1).margin(0.025));
  for (const auto& own : calibration.own.values) {
    CAPTURE(own.value.id, own.value.name);
    CHECK(own.value.id == "compute.step_scale");
    CHECK(own.value.name.starts_with("h100-sxm-80gb "));
    CHECK(own.meaning.size() > 10);
    CHECK(own.source == "calibrated from 8 rows of own rows on 2026-11-22");
  }
  // What was not measured keeps its estimate.
  std::vector<CoefficientValue> values;
  for (const auto& own : calibration.own.values) values.push_back(own.value);
  const auto after = physics::with_values(test::coefficients(), values);
  for (const char* architecture : {"Ampere", "Hopper"})
    CHECK(after.training_efficiency.of(architecture) == test::coefficients().training_efficiency.of(architecture));
  CHECK(after.decode_bandwidth_efficiency.of("vllm") == test::coefficients().decode_bandwidth_efficiency.of("vllm"));
}

TEST_CASE("a single run is what its machine does from then on, and other machines keep their estimates") {
  const auto rows = measured_with(test::coefficients(), {pretraining("h100-sxm-80gb", 8, 4096)}, 0.7);
  const Calibration calibration = calibrated(rows);
  REQUIRE(calibration.figures.size() == 1);
  const answer::CalibratedFigure& figure = calibration.figures[0];
  CHECK(figure.ratio_after() == Approx(1).epsilon(0.01));
  CHECK(figure.interval->high / figure.interval->low <
        0.9 * figure.before.interval->high / figure.before.interval->low);
  CHECK(figure.bound_by == "compute");
  for (const auto& each : calibration.coefficients) CHECK(each.deviation < each.prior);
  CHECK(width_of(calibration, Range80::speed) < 0.8);

  std::vector<CoefficientValue> values;
  for (const auto& own : calibration.own.values) values.push_back(own.value);
  const auto after = physics::with_values(test::coefficients(), values);
  const auto speed = [](const std::string& request, const physics::Coefficients& c) {
    const auto asked = job::read_request(record("{" + request + "}"));
    const auto answer = answer::answer_estimate(*asked, test::shipped(), c, false);
    const physics::TrainingSpeed& training = *answer->plan.training;
    return std::tuple(training.tokens_per_s_per_gpu, training.mfu, training.budget.compute.raw());
  };
  const auto [was, mfu_was, compute_was] = speed(pretraining("h100-sxm-80gb", 8, 8192), test::coefficients());
  const auto [is, mfu_is, compute_is] = speed(pretraining("h100-sxm-80gb", 8, 8192), after);
  const double scale = value_of(calibration, "compute.step_scale", "h100-sxm-80gb megatron full bf16 llama-2-7b");
  CHECK(scale == Approx(1 / 0.7).epsilon(0.01));
  CHECK(is == Approx(was / scale).epsilon(1e-6));  // at other lengths, too
  CHECK(mfu_is == Approx(mfu_was / scale).epsilon(1e-6));
  CHECK(compute_is == Approx(compute_was * scale).epsilon(1e-6));  // parts of a step are those of the step
  for (const char* other : {"a100-sxm-80gb", "h100-pcie-80gb"})
    CHECK(speed(pretraining(other, 8, 4096), after) == speed(pretraining(other, 8, 4096), test::coefficients()));
  CHECK(value_of(calibration, "compute.step_scale", "h100-sxm-80gb megatron full bf16") ==
        Approx(std::sqrt(scale)).epsilon(1e-3));  // of its other models
}

TEST_CASE("a plain value gets a case of its own: other engines keep theirs") {
  const CoefficientValue changed{"inference.prefill_efficiency", "vllm", 0.6};
  const auto other = physics::with_values(test::coefficients(), {&changed, 1});
  std::vector<std::string> requests;
  for (const char* model : {"llama-3.1-8b", "qwen2.5-14b"})
    for (const int length : {4096, 8192})
      requests.push_back(format(R"("task":"inference","model":"{}","gpu":"h100-sxm-80gb","engine":"vllm",)"
                                R"("mode":"single-stream","input_tokens":{},"output_tokens":128)",
                                model, length));
  const Calibration calibration = calibrated(measured_with(other, requests, 1, "ttft_ms"));
  CHECK(value_of(calibration, "inference.prefill_efficiency", "vllm") > 0);
  CHECK(value_of(calibration, "inference.prefill_efficiency", "vllm") <
        0.9 * test::coefficients().prefill_efficiency.of("vllm"));
  CHECK(value_of(calibration, "inference.prefill_efficiency", "") == 0);
  const auto& values = calibration.own.values;
  const auto own = std::ranges::find(values, "inference.prefill_efficiency",
                                     [](const physics::OwnValue& each) { return each.value.id; });
  REQUIRE(own != values.end());
  CHECK(own->new_case);
}

namespace {

std::string serving_on(std::string_view gpu, std::string_view model, int batch) {
  return format(R"("task":"inference","model":"{}","gpu":"{}","engine":"vllm","mode":"online",)"
                R"("input_tokens":1024,"output_tokens":256,"concurrency":{})",
                model, gpu, batch);
}

}  // namespace

TEST_CASE("measured steps scale those of their machine and model; others there follow by half, other machines not") {
  const auto rows = measured_with(test::coefficients(), {serving_on("l40s", "llama-3.1-8b", 16)}, 1 / 1.5);
  const Calibration calibration = calibrated(rows);
  const double exact = value_of(calibration, "inference.step_scale", "l40s vllm llama-3.1-8b");
  CHECK(exact == Approx(1.5).epsilon(0.01));
  CHECK(value_of(calibration, "inference.step_scale", "l40s vllm") == Approx(std::sqrt(exact)).epsilon(1e-3));
  CHECK(calibration.own.values.size() == 2);  // nothing is left for what machines share
  REQUIRE(calibration.figures.size() == 1);
  CHECK(calibration.figures[0].ratio_after() == Approx(1).epsilon(0.01));

  std::vector<CoefficientValue> values;
  for (const auto& own : calibration.own.values) values.push_back(own.value);
  const auto after = physics::with_values(test::coefficients(), values);
  const auto itl = [](const std::string& request, const physics::Coefficients& c) {
    const auto answer =
        answer::answer_estimate(*job::read_request(record("{" + request + "}")), test::shipped(), c, false);
    return in_ms(answer->plan.serving->speed.itl());
  };
  for (const int batch : {1, 4, 64})  // at any batch
    CHECK(itl(serving_on("l40s", "llama-3.1-8b", batch), after) ==
          Approx(exact * itl(serving_on("l40s", "llama-3.1-8b", batch), test::coefficients())).epsilon(0.01));
  CHECK(itl(serving_on("h100-sxm-80gb", "llama-3.1-8b", 16), after) ==
        itl(serving_on("h100-sxm-80gb", "llama-3.1-8b", 16), test::coefficients()));
}

TEST_CASE("steps that were measured as they are estimated change nothing but the intervals") {
  const auto rows = measured_with(test::coefficients(), {serving_on("l40s", "llama-3.1-8b", 16)});
  const Calibration calibration = calibrated(rows);
  CHECK(calibration.own.values.empty());
  for (const auto& width : calibration.own.widths) CHECK(width.exponent < 0.9);
}

TEST_CASE("what machines share hears the first token without undoing measured steps, at a rate too") {
  for (const int rate : {4, 5}) {  // the most that is served is 6.4
    const Node row = record(format(R"({{"task":"inference","model":"llama-3.1-8b","gpu":"l40s","engine":"vllm",)"
                                   R"("mode":"online","input_tokens":1024,"output_tokens":256,"request_rate":{},)"
                                   R"("measured":{{"itl_ms":33,"tpot_ms":45,"ttft_ms":392}}}})",
                                   rate));
    const Calibration calibration = calibrated({row});
    REQUIRE(calibration.figures.size() == 3);
    double between_before = 0;
    double between_after = 0;
    for (const auto& figure : calibration.figures) {
      CAPTURE(rate, to_text(figure.before.figure), figure.before.predicted, figure.predicted);
      REQUIRE(figure.predicted > 0);
      const double before = std::abs(std::log(figure.ratio_before()));
      const double after = std::abs(std::log(figure.ratio_after()));
      if (figure.range == Range80::ttft)
        CHECK(after < 0.98 * before);
      else
        CHECK(after < 0.05);
      between_before += figure.range == Range80::itl ? before : 0;
      between_after += figure.range == Range80::itl ? after : 0;
    }
    CHECK(between_after < between_before + 0.03);
  }
}

TEST_CASE("rows that the estimate has no figure for are told, and are not counted") {
  const auto sheet = [](int rate) {
    std::vector<Node> rows;
    rows.push_back(record(format(R"({{"task":"inference","model":"llama-3.1-8b","gpu":"l40s","mode":"online",)"
                                 R"("input_tokens":1024,"output_tokens":256,"request_rate":{},)"
                                 R"("measured":{{"itl_ms":40}}}})",
                                 rate)));
    return catalog::read_measurement_records(std::move(rows), "runs.jsonl", test::shipped());
  };
  const auto served = answer::check_rows(sheet(4), false, test::shipped(), test::coefficients());
  CHECK(served.rows.size() == 1);
  CHECK(served.unusable.empty());
  const auto too_many = answer::check_rows(sheet(20), false, test::shipped(), test::coefficients());
  CHECK(too_many.rows.empty());
  REQUIRE(too_many.unusable.size() == 1);
  CHECK(too_many.unusable[0].message.find("none of its figures: cannot serve 20 req/s: 6.4") != std::string::npos);
  CHECK(too_many.unusable[0].where.starts_with("runs.jsonl:1"));
  // One that was kept before this was told.
  CHECK(calibrated({sheet(20).rows[0].cells}).rows == 0);
}

TEST_CASE("intervals narrow with rows that agree and stay with rows that do not") {
  std::vector<std::string> requests;
  for (const int seq_len : {2048, 3072, 4096, 6144}) requests.push_back(pretraining("h100-sxm-80gb", 8, seq_len));
  const Calibration agreeing = calibrated(measured_with(test::coefficients(), requests));
  CHECK(width_of(agreeing, Range80::speed) < 0.75);
  CHECK(agreeing.own.values.empty());
  std::vector<Node> rows;
  for (std::size_t i = 0; i < requests.size(); ++i)
    for (Node& row : measured_with(test::coefficients(), {requests[i]}, i % 2 == 0 ? 0.72 : 1.39))
      rows.push_back(std::move(row));
  CHECK(width_of(calibrated(rows), Range80::speed) > 1);
}

TEST_CASE("figures of one row that say the same weigh as one") {
  const std::string request = pretraining("h100-sxm-80gb", 8, 4096);
  auto rows = measured_with(test::coefficients(), {request}, 0.9);
  const double once = calibrated(rows).figures[0].predicted;
  const auto asked = job::read_request(record("{" + request + "}"));
  const auto answer = answer::answer_estimate(*asked, test::shipped(), test::coefficients(), false);
  const auto& speed = *answer->plan.training;
  const auto twice = record("{" + request +
                            format(R"(,"measured":{{"tokens_per_s_per_gpu":{},"step_time_s":{}}}}})",
                                   speed.tokens_per_s_per_gpu * 0.9, speed.step.raw() / 0.9));
  const auto both = calibrated({twice});
  REQUIRE(both.figures.size() == 2);
  CHECK(both.figures[0].predicted == Approx(once).epsilon(1e-3));
}

TEST_CASE("rows are kept once, in an order that is not the one they came in") {
  const Node a = record(R"({"model":"a","gpu":"t4","source":"x","measured":{"itl_ms":5}})");
  const Node again = record(R"({"model":"a","gpu":"t4","source":"y","measured":{"itl_ms":5.0}})");
  const Node b = record(R"({"model":"a","gpu":"t4","measured":{"itl_ms":6}})");
  CHECK(answer::join_rows({a}, {b, again}).size() == 2);
  const auto one = answer::join_rows({b}, {a});
  const auto other = answer::join_rows({a}, {b});
  REQUIRE(one.size() == 2);
  CHECK(one[0].find("measured")->find("itl_ms")->text == other[0].find("measured")->find("itl_ms")->text);
}

TEST_CASE("published measurements of one source bring others of it closer") {
  const auto sheets = catalog::shipped_measurements(test::shipped());
  REQUIRE(sheets.has_value());
  std::vector<Node> seen;
  std::vector<double> before;
  std::vector<double> after;
  std::vector<const catalog::MeasurementRow*> held_out;
  std::size_t count = 0;
  for (const auto& sheet : *sheets)
    for (const auto& row : sheet.rows) {
      if (row.facts.source != "ms-swift") continue;
      if (++count % 2 == 0) {
        held_out.push_back(&row);
        continue;
      }
      Node kept = row.cells;
      seen.push_back(std::move(kept));
    }
  const Calibration calibration = calibrated(seen);
  std::vector<CoefficientValue> values;
  for (const auto& own : calibration.own.values) values.push_back(own.value);
  const auto fitted = physics::with_values(test::coefficients(), values);
  for (const auto* row : held_out) {
    const auto was = answer::answer_row(*row, "", test::shipped(), test::coefficients());
    const auto is = answer::answer_row(*row, "", test::shipped(), fitted);
    REQUIRE(was.has_value());
    REQUIRE(is.has_value());
    for (const auto& each : answer::compare_row(*row, "", *was).comparisons)
      before.push_back(std::abs(each.ratio() - 1));
    for (const auto& each : answer::compare_row(*row, "", *is).comparisons) after.push_back(std::abs(each.ratio() - 1));
  }
  REQUIRE(before.size() >= 40);
  CHECK(answer::median(after) < 0.7 * answer::median(before));
}

}  // namespace calibrate_test
