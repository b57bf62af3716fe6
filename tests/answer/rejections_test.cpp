// Who fell, and why: gathered, gone back on, and agreeing with the decision.
#include "answer/search/rejections.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "support/market.hpp"

namespace rejections_test {

using namespace gpusel;
using answer::Rejection;
using test::Market;

namespace {

answer::Reason because(std::string_view rule) {
  return {rule, [rule] { return "it is " + std::string(rule); }};
}

catalog::Instance instance(std::string_view provider, std::string_view family) {
  catalog::Instance made;
  made.provider = provider;
  made.family = family;
  return made;
}

struct Families {
  catalog::Instance small = instance("north", "n");
  catalog::Instance large = instance("north", "n");
  catalog::Instance other = instance("south", "s");
};

}  // namespace

TEST_CASE("rejections are gathered by family and rule, one by one if asked") {
  const Families are;
  answer::Question question;
  answer::Rejections gathered(question);
  question.every_rejection = true;
  answer::Rejections single(question);
  for (answer::Rejections* each : {&gathered, &single}) {
    each->add(are.small, because("dear"));
    each->add(are.large, because("slow"));
    each->add(are.large, because("dear"));
    each->add(are.other, because("dear"));
    CHECK(each->fallen().size() == 4);
  }
  const auto list = gathered.take();
  REQUIRE(list.size() == 3);
  CHECK(list[0].count == 2);
  CHECK(list[0].instance == &are.small);
  CHECK(list[1].message == "it is slow");
  CHECK(list[2].count == 1);
  CHECK(single.take().size() == 4);
}

TEST_CASE("who counts the rejected gets the same list, and of each rule the reason that came nearest") {
  const Market& market = Market::shipped();
  const auto asked = [&](bool every_reason) {
    answer::Question question;
    question.request.model = "llama-3.1-70b";
    question.request.task = job::Task::inference;
    question.today = Date(2026, 11, 20);
    question.every_reason = every_reason;
    return answer::recommend(question, market.catalog(), market.rules, market.coefficients())->rejected;
  };
  const auto worded = asked(true), counted = asked(false);
  REQUIRE(worded.size() == counted.size());
  std::map<std::string, int> reasons;
  for (std::size_t i = 0; i < worded.size(); ++i) {
    CHECK(worded[i].instance->family == counted[i].instance->family);
    CHECK(worded[i].rule == counted[i].rule);
    CHECK(worded[i].count == counted[i].count);
    CHECK_FALSE(worded[i].message.empty());
    reasons[counted[i].rule] += counted[i].message.empty() ? 0 : 1;
    if (counted[i].rule == "vram-too-small" && !counted[i].message.empty())
      CHECK(counted[i].message.contains("has 140 GiB"));  // 2 GPUs of 80 GB, of the 147 GiB that it needs
  }
  for (const auto& [rule, count] : reasons) CHECK(count == 1);
  CHECK(reasons.size() > 2);
  CHECK(worded.size() > 10 * reasons.size());
}

TEST_CASE("what one node is too small for is not ruled out where several nodes do it") {
  const auto advice = Market::dated().recommend(R"({"model": "llama-3.1-405b", "task": "inference"})",
                                                {{"cloud", "aws,gcp"}, {"max_price", "60"}});
  const auto step = std::ranges::find_if(
      advice.decision, [](const std::string& words) { return words.starts_with("vram too small: excludes "); });
  REQUIRE(step != advice.decision.end());
  int standing = 0;
  for (const std::string_view gpu : {"h100-sxm-80gb", "a100-sxm-80gb", "a100-sxm-40gb"}) {
    const bool fell = std::ranges::any_of(advice.rejected, [&](const Rejection& one) {
      return one.rule == "vram-too-small" && one.instance->gpu == gpu;
    });
    CAPTURE(*step, gpu);
    if (fell) continue;
    ++standing;
    CHECK(step->find(gpu) == std::string::npos);
  }
  CHECK(standing > 0);
}

}  // namespace rejections_test
