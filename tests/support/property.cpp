#include "support/property.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "base/words/message.hpp"

namespace gpusel::test {

namespace {

constexpr std::uint64_t kSeed = 20260823;
constexpr double kRounding = 1e-9;
constexpr int kSteps = 1 << 20;  // between the ends of a range of real numbers

/// Says nothing while it goes on: the test's report is the only one.
struct Quiet : rc::detail::TestListener {
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

rc::detail::Configuration configuration(int cases) {
  rc::detail::Configuration usual;
  usual.testParams.seed = kSeed;
  usual.testParams.maxSuccess = cases;
  const char* asked = std::getenv("RC_PARAMS");
  return asked == nullptr ? usual : rc::detail::configFromString(asked, usual);
}

/// The whole range at once: cases here are not small before they are large.
template <class T>
rc::Gen<T> in_range(T low, T high) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high + 1));
}

/// Between the ends by ratio.
double scaled(double low, double high, int step) {
  return low * std::pow(high / low, static_cast<double>(step) / kSteps);
}

[[noreturn]] void fail(const std::string& what, const std::source_location& at) {
  throw rc::detail::CaseResult(rc::detail::CaseResult::Type::Failure,
                               format("{}:{}: {}", at.file_name(), at.line(), what));
}

}  // namespace

void holds(std::string_view property, const std::function<void()>& body, int cases) {
  const rc::detail::TestMetadata named{std::string(property), std::string(property)};
  const rc::detail::Configuration asked = configuration(cases);
  Quiet quiet;
  const rc::detail::TestResult result =
      rc::detail::checkProperty(rc::detail::toProperty(body), named, asked.testParams, quiet, asked.reproduce);
  std::ostringstream report;
  rc::detail::printResultMessage(result, report);
  INFO(property << "\n" << report.str() << "\nRC_PARAMS=\"seed=" << asked.testParams.seed << "\"");
  CHECK(result.is<rc::detail::SuccessResult>());
}

namespace any {

std::int64_t whole(std::string_view name, std::int64_t low, std::int64_t high) {
  return *in_range<std::int64_t>(low, high).as(std::string(name));
}

std::int64_t size(std::string_view name, std::int64_t low, std::int64_t high) {
  const auto of = [=](int step) {
    return std::llround(scaled(static_cast<double>(low), static_cast<double>(high), step));
  };
  return *rc::gen::map(in_range(0, kSteps), of).as(std::string(name));
}

double number(std::string_view name, double low, double high) {
  const auto of = [=](int step) {
    const double value = scaled(low, high, step);
    const double digit = std::pow(10, std::floor(std::log10(value)) - 2);
    return std::clamp(std::round(value / digit) * digit, low, high);
  };
  return *rc::gen::map(in_range(0, kSteps), of).as(std::string(name));
}

bool coin(std::string_view name) {
  return *rc::gen::map(in_range(0, 1), [](int side) { return side == 1; }).as(std::string(name));
}

std::string one_of(std::string_view name, const std::vector<std::string>& choices) {
  const auto of = [=](std::size_t at) { return choices[at]; };
  return *rc::gen::map(in_range<std::size_t>(0, choices.size() - 1), of).as(std::string(name));
}

std::vector<std::size_t> order(std::string_view name, std::size_t count) {
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = i;
  for (std::size_t i = 0; i + 1 < count; ++i)
    std::swap(places[i], places[i + *in_range<std::size_t>(0, count - 1 - i).as(std::string(name))]);
  return places;
}

}  // namespace any

void given(bool applies) {
  if (!applies) throw rc::detail::CaseResult(rc::detail::CaseResult::Type::Discard, "the property says nothing of it");
}

void must(bool holds, const std::string& what, std::source_location at) {
  if (!holds) fail(what, at);
}

void must_not_fall(double before, double after, std::string_view what, std::source_location at) {
  if (!(after >= before - std::abs(before) * kRounding)) fail(format("{} fell from {} to {}", what, before, after), at);
}

void must_be_near(double a, double b, std::string_view what, std::source_location at) {
  if (!(std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b))))
    fail(format("{}: {} is not {}", what, a, b), at);
}

}  // namespace gpusel::test
