// Answers taken apart. The market is tests/data/market.
#include <catch2/catch.hpp>
#include <regex>

#include <algorithm>
#include <cmath>
#include <set>

#include "answer/explain/about_rule.hpp"
#include "answer/explain/explain.hpp"
#include "support/market.hpp"

namespace explain_test {

using namespace gpusel;
using answer::Branch;
using test::Market;

namespace {

/// An answer with what its explanation needs.
struct Asked {
  explicit Asked(const std::string& job, const std::vector<test::Limit>& limits = {}, job::Objective objective = {})
      : advice(Market::small().recommend(job, limits, objective)) {
    question.today = Date(2026, 11, 20);
    question.objective = std::move(objective);
  }
  answer::Explained of() const {
    return {question, advice, Market::small().catalog(), Market::small().rules, Market::small().coefficients()};
  }
  Branch rank(std::size_t index) const { return answer::explain_rank(of(), index); }

  answer::Question question;
  answer::Advice advice;
};

double value(const Branch& tree, const std::string& quantity) {
  const Branch* found = answer::find_branch(tree, quantity);
  CAPTURE(quantity);
  REQUIRE(found != nullptr);
  REQUIRE(found->line.value.number);
  return *found->line.value.number;
}

double sum_of_children(const Branch& branch) {
  double sum = 0;
  for (const Branch& child : branch.children) sum += child.line.value.number.value_or(0);
  return sum;
}

const char* const kJobs[] = {
    R"({"model": "llama-7b", "task": "finetune", "method": "lora"})",
    R"({"model": "qwen2.5-0.5b", "task": "inference"})",
    R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 2, "ttft": 2000})",
    R"({"model": "bert-base", "task": "inference"})",
    R"({"task": "render", "frames": 100})",
    R"({"task": "transcode", "codec": "h264", "streams": 4})",
    R"({"model": "sdxl", "task": "inference", "images": 1000})",
};

}  // namespace

TEST_CASE("points add up to the score, and leads to the difference") {
  job::Objective balanced;
  balanced.kind = job::ObjectiveKind::balanced;
  for (const char* job : kJobs) {
    const Asked asked(job, {}, balanced);
    for (std::size_t i = 0; i < asked.advice.recommendations.size(); ++i) {
      CAPTURE(job, i);
      const Branch tree = asked.rank(i);
      const Branch* score = answer::find_branch(tree, "score");
      REQUIRE(score != nullptr);
      CHECK(sum_of_children(*score) == Approx(asked.advice.recommendations[i].score));
      CHECK(value(tree, "score") == Approx(asked.advice.recommendations[i].score));
      if (asked.advice.recommendations.size() < 2) continue;
      const Branch* lead = answer::find_branch(tree, "lead");
      REQUIRE(lead != nullptr);
      CHECK(sum_of_children(*lead) == Approx(*lead->line.value.number).margin(1e-9));
    }
  }
}

TEST_CASE("every figure has a name of its own, a formula or values, and a source") {
  for (const char* job : kJobs) {
    const Asked asked(job);
    REQUIRE_FALSE(asked.advice.recommendations.empty());
    const Branch tree = asked.rank(0);
    std::set<std::string> names;
    for (const auto& line : answer::lines_of(tree)) {
      CAPTURE(job, line.quantity);
      CHECK(names.insert(line.quantity).second);
      CHECK_FALSE(line.source.empty());
      CHECK_FALSE((line.formula.empty() && line.substituted.empty()));
      if (line.value.number) CHECK(std::isfinite(*line.value.number));
    }
  }
}

TEST_CASE("the tree holds the figures of the answer") {
  const Asked asked(kJobs[0]);
  const auto& best = asked.advice.recommendations.front();
  const Branch tree = asked.rank(0);
  CHECK(value(tree, "cost.total") == Approx(best.cost.total));
  CHECK(value(tree, "cost.hourly") == Approx(best.cost.hourly));
  CHECK(value(tree, "cost.hours") == Approx(best.cost.hours));
  CHECK(value(tree, "memory.total") == Approx(in_gib(best.memory().total())));
  CHECK(value(tree, "speed") == Approx(best.tokens_per_s()));
  CHECK(value(tree, "interval.tokens_per_s.low") == Approx(best.intervals.rate.low));
  double parts = 0;
  for (const char* part : {"weights", "gradients", "optimizer", "activations", "workspace", "framework"})
    parts += value(tree, std::string("memory.") + part);
  CHECK(parts == Approx(value(tree, "memory.total")));
}

TEST_CASE("a figure is found by its whole name, or by an ending that only one has") {
  const Branch tree = Asked(kJobs[1]).rank(0);
  REQUIRE(answer::find_branch(tree, "kv_cache") != nullptr);
  CHECK(answer::find_branch(tree, "kv_cache")->line.quantity == "memory.kv_cache");
  CHECK(answer::find_branch(tree, "low") == nullptr);
  CHECK(answer::find_branch(tree, "nonsense") == nullptr);
}

TEST_CASE("a trace hangs by the dots of its names") {
  Branch root{{"memory", {}, {}, {}, {}}, {}};
  answer::hang(root, {{"memory.workspace", "", "", {}, ""},
                      {"memory.workspace.slack", "", "", {}, ""},
                      {"memory.weights", "", "", {}, ""}});
  REQUIRE(root.children.size() == 2);
  REQUIRE(root.children[0].children.size() == 1);
  CHECK(root.children[0].children[0].line.quantity == "memory.workspace.slack");
}

TEST_CASE("a rule says when it fires and where it did") {
  const Asked asked(kJobs[1]);
  const Branch tree = answer::explain_rule(asked.of(), "retired-sku");
  CHECK(tree.line.formula == "status = retired && accepts_unavailable = false");
  const Branch* fired = answer::find_branch(tree, "rule.retired-sku.fired");
  REQUIRE(fired != nullptr);
  REQUIRE(fired->children.size() == 1);
  CHECK(fired->children.front().line.quantity == "north/n.v100.8");
  CHECK(answer::is_rule(asked.of(), "retired-sku"));
  CHECK_FALSE(answer::is_rule(asked.of(), "no-such-rule"));
}

TEST_CASE("a rule that adjusts the score is one of its points") {
  // Nobody in the market says whether the graphics licence is there: 20 % less of each score.
  const Asked asked(R"({"task": "render", "render": "cad"})");
  REQUIRE(asked.advice.recommendations.size() > 1);
  for (std::size_t i = 0; i < asked.advice.recommendations.size(); ++i) {
    const Branch tree = asked.rank(i);
    CHECK(value(tree, "score.workstation-licence-trust") == Approx(-0.2 * value(tree, "score.cost")));
    CHECK(value(tree, "score") == Approx(0.8 * value(tree, "score.cost")));
  }
}

TEST_CASE("every rule that is shipped says what to do, and reads as a sentence without an instance") {
  for (const rules::Rule& rule : Market::small().rules) {
    CAPTURE(rule.id);
    CHECK_FALSE(rule.advice.empty());
    const auto about = answer::about_rule(rule.id, Market::small().rules);
    REQUIRE(about);
    CHECK(about->advice.front() == rule.advice);
    CHECK_FALSE(std::regex_search(about->message, std::regex("[{}]|[A-Z]_[A-Z]|[a-z]_[a-z]")));
  }
  CHECK(answer::about_rule("price-too-old", Market::small().rules)->message ==
        "the price is N days old, too old to rely on; ranked at M× that price");
  CHECK(answer::about_rule("limited-here", Market::small().rules)->message ==
        "the instance is limited, invitation or preview in the region; check quota and stock before you rely on it");
}

}  // namespace explain_test
