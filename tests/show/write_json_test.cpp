#include "show/json/write_json.hpp"
#include "answer/estimate/estimate.hpp"
#include "base/io/document.hpp"
#include "base/text/unicode.hpp"
#include "show/json/tell.hpp"
#include "support/job.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace write_json_test {

using gpusel::show::dump;
using gpusel::show::Json;

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

TEST_CASE("figures have the form that the library gives them") {
  using Limits = std::numeric_limits<double>;
  for (const double value :
       {0.0, -0.0, 1.0, -7.0, 0.1, 1e14, 1e15, 1e16, 999999999999999.9, 1e-4, 1e-5, 1.5e-5, 1e300, Limits::min(),
        Limits::denorm_min(), Limits::max(), Limits::infinity(), Limits::quiet_NaN()})
    compare(value);
}

TEST_CASE("figures have the fewest digits that read back the same") {
  CHECK(dump(1491.254, -1) == "1491.254\n");  // 1491.2540000000001 by the library
  std::mt19937_64 chance(5);
  int shorter = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double magnitude = std::pow(10, std::uniform_real_distribution<>(-12, 14)(chance));
    const double value = std::uniform_real_distribution<>(-1, 1)(chance) * magnitude;
    const std::string text = dump(value, -1);
    const std::string theirs = as_the_library_writes(value, -1);
    REQUIRE(Json::parse(text).get<double>() == value);
    REQUIRE(text.size() <= theirs.size());
    REQUIRE((text.find('e') == std::string::npos) == (theirs.find('e') == std::string::npos));
    shorter += text.size() < theirs.size() ? 1 : 0;
  }
  CHECK(shorter < 200);
}

TEST_CASE("what is told member by member is the same as a tree and as a line") {
  const auto tell = [](gpusel::show::JsonOut& out) {
    out.begin_object("nothing");
    out.end();
    out.begin_list("list");
    out.begin_list(out.kItem);
    out.end();
    out.text(out.kItem, "");
    out.begin_object(out.kItem);
    out.text_or_null("", "a key of no letters");
    out.text_or_null("none", "");
    out.end();
    out.figure_or_null(out.kItem, std::nullopt);
    out.end();
    for (const double figure : {0.0, -0.0, 2.0, -1e15, 9007199254740991.0, 9007199254740992.0, 0.1, 1e300, 1e-300})
      out.figure(std::to_string(figure), figure);
    out.truth("yes", true);
    out.truth("no", false);
    for (const std::string& text : odd_texts()) out.text("\"" + text, text);
    out.text("long", std::string(100'000, 'x'));
    out.whole("last", std::numeric_limits<std::int64_t>::min());
  };
  const Json tree = gpusel::show::tree_of(tell);
  gpusel::show::JsonWriter line(-1);
  for (int again = 0; again < 2; ++again) {
    line.clear();
    line.begin_object(line.kItem);
    tell(line);
    CHECK(line.finish() == as_the_library_writes(tree, -1));
  }
  CHECK(tree["nothing"] == Json::object());
  CHECK(tree["list"] == Json{Json::array(), "", {{"", "a key of no letters"}, {"none", nullptr}}, nullptr});
  CHECK(tree["2.000000"].is_number_integer());
  CHECK(tree["-0.000000"].dump() == "0");
  CHECK(tree["9007199254740992.000000"].is_number_float());
  CHECK_THROWS(line.figure("none", std::nan("")));
  CHECK_THROWS(line.figure("none", HUGE_VAL));
}

TEST_CASE("a line of a batch is the tree of the same estimate, and has no key twice") {
  for (const char* words :
       {"task=finetune model=llama-7b gpu=h100 gpus=8", "task=pretrain model=mixtral-8x7b gpu=a100 gpus=64",
        "task=finetune model=llama-7b gpu=t4", "task=inference model=llama-3.1-8b gpu=l40s request_rate=2",
        "task=inference model=llama-3.1-8b gpu=h100 output_tokens=1", "task=inference model=bert-base gpu=t4",
        "task=finetune model=bert-base gpu=l4", "task=inference model=stable-diffusion-xl gpu=l4",
        "task=inference model=whisper-large-v3 gpu=l4 audio_hours=10", "task=render render=offline gpu=l40s",
        "task=simulate solver=lbm cells=1e9 gpu=h100 gpus=4", "task=transcode codec=av1 streams=10 gpu=l4"}) {
    CAPTURE(words);
    for (const bool explained : {false, true}) {
      const auto answer = gpusel::answer::answer_estimate(gpusel::test::request(words), gpusel::test::shipped(),
                                                          gpusel::test::coefficients(), explained);
      REQUIRE(answer.has_value());
      gpusel::show::JsonWriter line(-1);
      line.object(line.kItem, [&] { gpusel::show::tell_estimate(line, *answer); });
      const std::string text(line.finish());
      CHECK(text == dump(gpusel::show::estimate_json(*answer), -1));
      CHECK(gpusel::parse_json(text, "line").has_value());
    }
  }
}

}  // namespace write_json_test
