// The repository whose weights are meant: the one that is named, whatever the model's record is called.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "answer/stages/launch.hpp"
#include "base/text/text.hpp"
#include "catalog/weights/repository.hpp"
#include "support/market.hpp"

namespace repository_test {

using namespace gpusel;
using catalog::RepositoryChoice;
using test::Market;

namespace {

const catalog::Model& model(std::string_view name) {
  const auto found = Market::shipped().catalog().model(name);
  REQUIRE(found);
  return **found;
}

std::string served(std::string_view name) { return catalog::repository_of(model(name), name, false).name; }
std::string trained(std::string_view name) { return catalog::repository_of(model(name), name, true).name; }

/// One plan for each kind of job, whose names are then filled in for another model.
std::string exported_name(const std::string& job, const catalog::Model& other, std::string_view alias) {
  const Market& market = Market::small();
  static std::map<std::string, answer::Advice> made;
  auto found = made.find(job);
  if (found == made.end()) found = made.emplace(job, market.recommend(job)).first;
  answer::Advice advice = found->second;
  REQUIRE(!advice.recommendations.empty());
  advice.work.model = &other;
  advice.work.asked_as = alias;
  return answer::plan_values(advice, advice.recommendations.front(), market.coefficients())["model"];
}

}  // namespace

TEST_CASE("a repository that is named is exported exactly so") {
  std::size_t tried = 0;
  for (const catalog::Model& one : Market::shipped().catalog().models())
    for (const std::string_view alias : one.aliases) {
      if (std::ranges::count(alias, '/') != 1) continue;
      ++tried;
      INFO(one.id << " as " << alias);
      for (const bool trains : {false, true}) {
        const catalog::Repository found = catalog::repository_of(one, alias, trains);
        CHECK(found.name == alias);
        CHECK(found.choice == RepositoryChoice::asked);
        CHECK(catalog::repository_of(one, lower(alias), trains).name == alias);
      }
      if (!one.is_generator()) continue;
      CHECK(exported_name(R"({"model": "llama-7b", "task": "inference"})", one, alias) == alias);
      CHECK(exported_name(R"({"model": "llama-7b", "task": "finetune", "method": "lora"})", one, alias) == alias);
    }
  CHECK(tried > 400);
}

TEST_CASE("a model alone is served as its instruction-tuned weights, and trained from its base") {
  CHECK(served("llama-3.1-8b") == "meta-llama/Llama-3.1-8B-Instruct");
  CHECK(trained("llama-3.1-8b") == "meta-llama/Llama-3.1-8B");
  CHECK(served("qwen3-0.6b") == "Qwen/Qwen3-0.6B");
  CHECK(trained("qwen3-0.6b") == "Qwen/Qwen3-0.6B-Base");
  CHECK(served("gpt2") == "openai-community/gpt2");
  CHECK(trained("llama-3.3-70b") == "meta-llama/Llama-3.3-70B-Instruct");  // there is no other
}

TEST_CASE("the name of a repository without its organisation is that repository") {
  CHECK(served("DeepSeek-R1") == "deepseek-ai/DeepSeek-R1");
  CHECK(trained("llama3.1-8b-instruct") == "meta-llama/Llama-3.1-8B-Instruct");
  CHECK(trained("llama3.1-8b") == "meta-llama/Llama-3.1-8B");
}

TEST_CASE("a repository that the catalogue has under its base's name is taken as it is written") {
  CHECK(served("Qwen/Qwen3-32B-AWQ") == "Qwen/Qwen3-32B-AWQ");
  CHECK(catalog::repository_of(model("llama-7b"), "a/b; rm", false).choice == RepositoryChoice::published);
}

}  // namespace repository_test
