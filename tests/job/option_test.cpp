// How text becomes the value of an option, and that every option refuses what it cannot mean.
#include "job/request/option.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/text/text.hpp"
#include "job/limits/constraints.hpp"
#include "job/request/request.hpp"

namespace option_test {

using namespace gpusel;
using namespace gpusel::job;

namespace {

/// Options that take any text; who knows the names refuses them later.
const std::set<std::string_view> kFreeText{"id",
                                           "model",
                                           "gpu",
                                           "framework",
                                           "scene",
                                           "on",
                                           "engine_version",
                                           "speculative",
                                           "interconnect",
                                           "cloud",
                                           "not_cloud",
                                           "own_clouds",
                                           "country",
                                           "region",
                                           "infra",
                                           "residency",
                                           "family",
                                           "allow_list",
                                           "deny_list",
                                           "weights_precision",
                                           "allow_precisions"};

template <class Target>
bool is_free_text(const Option<Target>& option) {
  Target target;
  return kFreeText.contains(option.key) && option.set(target, "any-words").has_value();
}

template <class Target>
Status given(const Option<Target>& option, std::string_view text) {
  Target target;
  return option.set(target, text);
}

template <class Target>
std::vector<std::string> accepted_rubbish(std::span<const Option<Target>> options) {
  static constexpr std::string_view kBad[] = {"-1",  "-0.5", "1e400", "1e30", "nan", "NaN", "inf",    "-inf",
                                              "0x8", "8..",  "1,5",   "12z",  "--",  "8 8", "rubbish"};
  std::vector<std::string> wrong;
  for (const auto& option : options) {
    if (is_free_text(option)) continue;
    for (const std::string_view bad : kBad) {
      // "8.." is how an open range is written.
      if (bad == "8.." && given(option, "8..16")) continue;
      if (given(option, bad)) wrong.push_back(std::string(option.key) + " took '" + std::string(bad) + "'");
    }
  }
  return wrong;
}

/// The two ends out of "allowed: from 1 to 10,000,000".
std::optional<std::pair<std::string, std::string>> ends_in(std::string hint) {
  static constexpr std::string_view kStart = "allowed: from ";
  hint.erase(std::remove(hint.begin(), hint.end(), ','), hint.end());
  const auto to = hint.find(" to ");
  if (!hint.starts_with(kStart) || to == std::string::npos) return std::nullopt;
  return std::pair(hint.substr(kStart.size(), to - kStart.size()), hint.substr(to + 4));
}

/// Checks every stated range against what is taken; how many options state one.
template <class Target>
int check_ranges(std::span<const Option<Target>> options) {
  int stated = 0;
  for (const auto& option : options) {
    const Status refused = given(option, "-1");
    if (refused || is_free_text(option)) continue;
    const auto ends = ends_in(refused.error().hint);
    if (!ends) continue;
    ++stated;
    CAPTURE(option.key, refused.error().hint);
    CHECK(given(option, ends->first));
    CHECK(given(option, ends->second));
    const Status above = given(option, "1" + ends->second);
    REQUIRE_FALSE(above);
    CHECK(above.error().hint == refused.error().hint);
  }
  return stated;
}

/// Checks that each name an error offers is taken; how many options offer names.
template <class Target>
int check_names(std::span<const Option<Target>> options) {
  int offered = 0;
  for (const auto& option : options) {
    if (is_free_text(option)) continue;
    const Status refused = given(option, "rubbish");
    CAPTURE(option.key);
    REQUIRE_FALSE(refused);
    const auto at = refused.error().hint.find("allowed: ");
    if (at == std::string::npos) continue;
    ++offered;
    for (const std::string_view name : split(std::string_view(refused.error().hint).substr(at + 9), ',')) {
      CAPTURE(name);
      CHECK(given(option, trim(name)));
    }
  }
  return offered;
}

template <class Target>
void check_spellings(std::span<const Option<Target>> options) {
  std::set<std::string> taken;
  for (const auto& option : options) {
    CAPTURE(option.key);
    std::string dashed(option.key);
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    CHECK(find_option(options, option.key) == &option);
    CHECK(find_option(options, dashed) == &option);
    CHECK(taken.insert(dashed).second);
    for (const std::string_view alias : split(option.aliases, ' ')) {
      if (alias.size() < 2) continue;
      std::string underscored(alias);
      std::replace(underscored.begin(), underscored.end(), '-', '_');
      CAPTURE(alias);
      CHECK(find_option(options, alias) == &option);
      CHECK(find_option(options, underscored) == &option);
      CHECK(taken.insert(std::string(alias)).second);
    }
  }
}

}  // namespace

TEST_CASE("no option of a request takes a negative or endless or meaningless value") {
  CHECK(accepted_rubbish(request_options()) == std::vector<std::string>{});
}

TEST_CASE("no option of a constraint takes a negative or endless or meaningless value") {
  CHECK(accepted_rubbish(constraint_options()) == std::vector<std::string>{});
}

TEST_CASE("no option of a request takes an empty value") {
  for (const auto& option : request_options()) {
    CAPTURE(option.key);
    CHECK_FALSE(given(option, ""));
  }
}

TEST_CASE("no option of a constraint takes an empty value") {
  for (const auto& option : constraint_options()) {
    if (option.key == "infra") continue;  // read by the parts around its slash
    CAPTURE(option.key);
    CHECK_FALSE(given(option, ""));
  }
}

TEST_CASE("a range that an error states is the range an option takes") {
  CHECK(check_ranges(request_options()) >= 25);
  CHECK(check_ranges(constraint_options()) >= 5);
}

TEST_CASE("every name that an error offers is one the option takes") {
  CHECK(check_names(request_options()) >= 10);
  CHECK(check_names(constraint_options()) >= 3);
}

TEST_CASE("each spelling of an option of a request is its own with either dash") { check_spellings(request_options()); }

TEST_CASE("each spelling of an option of a constraint is its own with either dash") {
  check_spellings(constraint_options());
}

TEST_CASE("spellings differ in more than dashes when a letter or the length differs") {
  CHECK(same_spelling("seq-len", "seq_len"));
  CHECK_FALSE(same_spelling("seq-len", "seqlen"));
  CHECK_FALSE(same_spelling("tp", "pp"));
  CHECK(is_alias("isl input-len", "input_len"));
  CHECK_FALSE(is_alias("isl input-len", "input"));
  CHECK_FALSE(is_alias("t", "t"));  // one letter is a short flag and no key
}

TEST_CASE("a length counts k as 1024 and an amount counts k as 1000") {
  std::optional<std::int64_t> length;
  REQUIRE(assign("4k", length, kLength));
  CHECK(length == 4096);
  std::optional<double> amount;
  REQUIRE(assign("300e9", amount, kAmount));
  CHECK(amount == 300e9);
  REQUIRE(assign("1.5M", amount, kAmount));
  CHECK(amount == 1.5e6);
  REQUIRE(assign("4k", amount, kAmount));
  CHECK(amount == 4000);
}

TEST_CASE("a whole number is not rounded out of a broken one") {
  std::optional<std::int64_t> count = 7;
  CHECK_FALSE(assign("2.5", count, kCount));
  CHECK(count == 7);
  REQUIRE(assign("2.5k", count, kCount));
  CHECK(count == 2500);
}

TEST_CASE("a switch takes the usual words for yes and no and nothing else") {
  std::optional<bool> place;
  for (const std::string_view yes : {"true", "yes", "on", "1"}) {
    REQUIRE(assign(yes, place));
    CHECK(place == true);
  }
  for (const std::string_view no : {"false", "no", "off", "0"}) {
    REQUIRE(assign(no, place));
    CHECK(place == false);
  }
  CHECK_FALSE(assign("2", place));
  CHECK_FALSE(assign("maybe", place));
  CHECK(place == false);
}

TEST_CASE("an unknown name of a kind is answered with the nearest one") {
  std::optional<Optimizer> optimizer;
  const Status refused = assign("adamv", optimizer);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().hint.find("did you mean") != std::string::npos);
  CHECK(refused.error().hint.find("adamw") != std::string::npos);
}

}  // namespace option_test
