// Names of repositories of quantised weights: of which model, and in which format.
#include <catch2/catch.hpp>

#include "catalog/weights/quantised_name.hpp"
#include "listing.hpp"
#include "support/program.hpp"

namespace quantised_name_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

std::string read_name(std::string_view name) {
  const auto found = catalog::quantised_name(name);
  return found ? found->base + " " + found->format + (found->format_open ? " or another" : "") : "none";
}

}  // namespace

TEST_CASE("the name of a quantised repository says its base and its format") {
  CHECK(read_name("Qwen/Qwen3-32B-AWQ") == "Qwen/Qwen3-32B w4a16");
  CHECK(read_name("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8") == "Qwen/Qwen2.5-7B-Instruct w8a16");
  CHECK(read_name("Qwen/Qwen-7B-Chat-Int8") == "Qwen/Qwen-7B-Chat w8a16");  // GPTQ too
  CHECK(read_name("meituan/DeepSeek-R1-Block-INT8") == "meituan/DeepSeek-R1 int8");
  CHECK(read_name("nvidia/Llama-3.1-8B-Instruct-FP8") == "nvidia/Llama-3.1-8B-Instruct fp8");
  CHECK(read_name("RedHatAI/gemma-4-31B-it-FP8-dynamic") == "RedHatAI/gemma-4-31B-it fp8");
  CHECK(read_name("unsloth/codellama-13b-bnb-4bit") == "unsloth/codellama-13b nf4");
  CHECK(read_name("unsloth/Qwen3-8B-unsloth-bnb-4bit") == "unsloth/Qwen3-8B nf4");
  CHECK(read_name("nvidia/Qwen3-235B-A22B-NVFP4") == "nvidia/Qwen3-235B-A22B nvfp4");
  CHECK(read_name("RedHatAI/Qwen3-8B-quantized.w4a16") == "RedHatAI/Qwen3-8B w4a16");
  CHECK(read_name("bartowski/Llama-3.2-3B-Instruct-GGUF") == "bartowski/Llama-3.2-3B-Instruct q4_k_m or another");
  CHECK(read_name("RedHatAI/Hy3-NVFP4-FP8") == "RedHatAI/Hy3 nvfp4");
  CHECK(read_name("Qwen/Qwen3-8B-GGUF:Q5_K_M") == "Qwen/Qwen3-8B q5_k_m");
}

TEST_CASE("a name without a format says none") {
  for (const char* name : {"Qwen/Qwen3-32B", "deepseek-ai/DeepSeek-V2-Lite", "fp8", "", "x/-AWQ", "meta-llama/"})
    CHECK(read_name(name) == "none");
}

TEST_CASE("a quantised repository is answered as its base in its format, and that is said") {
  const Run run = ask({"estimate", "--model", "Qwen/Qwen3-32B-AWQ", "--gpu", "l40s", "--json"});
  REQUIRE(run.status == 0);
  CHECK(run.out.find("w4a16") != std::string::npos);
  CHECK(run.out.find("'Qwen/Qwen3-32B-AWQ' is taken as qwen3-32b in w4a16, as its name says") != std::string::npos);
  CHECK(ask({"models", "show", "Qwen/Qwen3-32B-AWQ"}).status == 0);
  CHECK(ask({"models", "show", "nobody/No-Such-Model-AWQ"}).status != 0);
}

TEST_CASE("910b is a name of several parts") {
  const Run run = ask({"gpus", "show", "910b"});
  CHECK(run.status == 2);
  CHECK(run.err.find("ascend-910b2-64gb") != std::string::npos);
  CHECK(run.err.find("ascend-910b3-64gb") != std::string::npos);
}

TEST_CASE("a model is shown with what sellers ask for its tokens") {
  const std::string overlay = scratch_file("tokens.yaml", R"(sources:
  list: {publisher: A, document: B, date: 2026-11, confidence: documented}
token_prices:
  - {id: dear-8b, provider: dear, model: llama-3.1-8b, currency: USD, input_per_million: 900, cached_input_per_million: 90, output_per_million: 9000, as_of: 2026-11-02, source: list}
)");
  const Run run = ask({"models", "show", "llama-3.1-8b", "--json", "--overlay", overlay});
  REQUIRE(run.status == 0);
  for (const char* key :
       {"\"token_prices\"", "\"provider\": \"dear\"", "\"input_per_million\": 900", "\"cached_input_per_million\": 90",
        "\"output_per_million\": 9000", "\"as_of\": \"2026-11-02\"", "\"source\": \"list\"", "\"currency\": \"USD\""})
    CHECK(run.out.find(key) != std::string::npos);
}

}  // namespace quantised_name_test
