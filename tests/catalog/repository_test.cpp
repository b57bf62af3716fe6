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

TEST_CASE("a tuned model that is named is trained as it is, whatever its repository's version") {
  CHECK(trained("llama-3-8b-instruct") == "meta-llama/Meta-Llama-3-8B-Instruct");
  CHECK(trained("mixtral-8x7b-instruct") == "mistralai/Mixtral-8x7B-Instruct-v0.1");
  CHECK(trained("codellama-7b-instruct") == "codellama/CodeLlama-7b-Instruct-hf");
  CHECK(trained("mixtral-8x7b") == "mistralai/Mixtral-8x7B-v0.1");
  CHECK(served("mixtral-8x7b-instruct") == "mistralai/Mixtral-8x7B-Instruct-v0.1");
}

TEST_CASE("names of versions are served as these") {
  CHECK(served("r1") == "deepseek-ai/DeepSeek-R1");
  CHECK(served("满血版") == "deepseek-ai/DeepSeek-R1");
  CHECK(served("codellama-13b-python") == "codellama/CodeLlama-13b-Python-hf");
  CHECK(served("phi-3.5-mini") == "microsoft/Phi-3.5-mini-instruct");
  CHECK(served("qwen3-coder-30b-a3b") == "Qwen/Qwen3-Coder-30B-A3B-Instruct");
  CHECK(served("mistral-small-3.2") == "mistralai/Mistral-Small-3.2-24B-Instruct-2506");
}

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
