#include "report/write_json.hpp"
#include "gpusel/base/unseen.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using gpusel::report::dump;
using gpusel::report::Json;

namespace {

std::string as_the_library_writes(const Json& json, int indent) {
  return gpusel::with_escapes(json.dump(indent, ' ', false, Json::error_handler_t::replace)) + "\n";
}

void compare(const Json& json) {
  for (const int indent : {-1, 0, 2, 4}) CHECK(dump(json, indent) == as_the_library_writes(json, indent));
}

/// Of every length up to two machine words, with one odd byte in every place.
std::vector<std::string> odd_texts() {
  std::vector<std::string> texts;
  for (std::size_t size = 0; size <= 17; ++size) {
    texts.emplace_back(size, 'x');
    for (std::size_t at = 0; at < size; ++at)
      for (const char odd : {'"', '\\', '\0', '\n', '\x1F', ' ', '\x7F', '\x80', '\xFF', '!', '#', '[', ']'}) {
        texts.emplace_back(size, 'x');
        texts.back()[at] = odd;
      }
  }
  for (const char* text : {"Größe", "中文", "a\xC3", "\xE4\xB8", "😀", "tab\tand\x01", "</script>"})
    texts.emplace_back(text);
  return texts;
}

}  // namespace

TEST_CASE("answers are written as the library would write them") {
  compare(Json());
  compare(Json::object());
  compare(Json::array());
  compare({{"empty", Json::object()}, {"none", Json::array()}, {"in", {{"list", {1, {2, 3}, {{"k", nullptr}}}}}}});
  compare({{"yes", true}, {"no", false}, {"null", nullptr}});
  for (const std::int64_t whole : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0}})
    compare(whole);
  compare(std::numeric_limits<std::uint64_t>::max());
  for (const std::string& text : odd_texts()) {
    compare(text);
    compare({{text, text}});
  }
}

TEST_CASE("figures have the digits that the library gives them") {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, -0.0, 1.0, 0.1, 1e15, 1e16, 1e-5, 1e300, Limits::min(), Limits::denorm_min(),
                             Limits::max(), Limits::infinity(), Limits::quiet_NaN()})
    compare(value);
  std::mt19937_64 chance(5);
  for (int i = 0; i < 2000; ++i) {
    const double magnitude = std::pow(10, std::uniform_real_distribution<>(-12, 20)(chance));
    const Json value = std::uniform_real_distribution<>(-1, 1)(chance) * magnitude;
    REQUIRE(dump(value, -1) == as_the_library_writes(value, -1));
  }
}

TEST_CASE("a record that is taken apart is empty") {
  Json record{{"list", {1, "a text that is longer than a string holds by itself", {{"deep", {1, 2}}}}},
              {"none", nullptr}};
  gpusel::report::take_apart(record);
  CHECK(record == Json::object());
  Json figure = 1.5;
  gpusel::report::take_apart(figure);
  CHECK(figure == 1.5);
}
