// The largest size that fits: it does, and the next one does not.
#include <catch2/catch.hpp>

#include "answer/estimate/largest.hpp"
#include "support/job.hpp"

namespace largest_test {

using namespace gpusel;
using answer::Size;

namespace {

Result<answer::Largest> look(std::string_view words, Size size) {
  return answer::find_largest(test::request(words), size, test::shipped(), test::coefficients(), false, {});
}

bool fits(std::string_view words) {
  const auto answer = answer::answer_estimate(test::request(words), test::shipped(), test::coefficients(), false);
  REQUIRE(answer);
  return answer->plan.need.likely(0.9);
}

}  // namespace

TEST_CASE("the largest size fits with the chance asked for, and the next one does not") {
  struct Row {
    std::string_view job;
    Size size;
    std::string_view key;
    std::int64_t step;
  };
  const Row rows[] = {
      {"task=inference model=llama-3.1-8b gpu=l4", Size::seq_len, "context", 16},
      {"task=inference model=llama-3.1-8b gpu=l4 input_tokens=1024 output_tokens=256", Size::concurrency, "concurrency",
       1},
      {"task=finetune method=qlora model=llama-3.1-8b gpu=l4 micro_batch=1", Size::seq_len, "seq_len", 16},
      {"task=inference model=sdxl gpu=a10g", Size::batch, "batch", 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.job);
    const auto found = look(row.job, row.size);
    REQUIRE(found);
    REQUIRE(found->value > 0);
    CHECK_FALSE(found->by_model);
    CHECK(fits(format("{} {}={}", row.job, row.key, found->value)));
    CHECK_FALSE(fits(format("{} {}={}", row.job, row.key, found->value + row.step)));
  }
}

TEST_CASE("more memory never makes the largest size smaller, up to the model's own limit") {
  std::int64_t before = 0;
  for (const std::string_view gpu : {"l4", "l40s", "h100"}) {
    const auto found = look(format("task=inference model=llama-3.1-8b gpu={}", gpu), Size::seq_len);
    REQUIRE(found);
    CHECK(found->value >= before);
    before = found->value;
  }
  const auto whole = look("task=inference model=llama-3.1-8b gpu=h100", Size::seq_len);
  CHECK(whole->value == 131072);
  CHECK(whole->by_model);
}

TEST_CASE("where not even the least fits, the value is 0 and the answer says why") {
  const auto found = look("task=inference model=llama-3.1-70b gpu=l4", Size::seq_len);
  REQUIRE(found);
  CHECK(found->value == 0);
  CHECK_FALSE(found->answer.plan.fits);
}

TEST_CASE("a size that the task has not, or that is given, cannot be looked for") {
  CHECK_FALSE(look("task=inference model=sdxl gpu=a10g", Size::seq_len));
  CHECK_FALSE(look("task=finetune model=llama-3.1-8b gpu=h100", Size::concurrency));
  job::Request given = test::request("task=inference model=llama-3.1-8b gpu=l4 concurrency=4");
  given.given = {"concurrency"};
  const auto twice = answer::find_largest(given, Size::batch, test::shipped(), test::coefficients(), false, {});
  REQUIRE_FALSE(twice);
  CHECK(twice.error().where == "--max");
}

}  // namespace largest_test
