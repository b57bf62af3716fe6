// Which generation of an engine a version or a date belongs to.
#include "job/request/generation.hpp"

#include <catch2/catch.hpp>

namespace generation_test {

using gpusel::job::Engine;
using gpusel::job::engine_generation;
using gpusel::job::newest_generation;

TEST_CASE("versions tell generations of an engine apart") {
  CHECK(engine_generation(Engine::vllm, "0.2.7") == "early");
  CHECK(engine_generation(Engine::vllm, "0.2.x fork (2023)") == "early");
  CHECK(engine_generation(Engine::vllm, "v0.5.4") == "older");
  CHECK(engine_generation(Engine::vllm, "0.6.3") == "v0");
  CHECK(engine_generation(Engine::vllm, "0.8.0") == "v1");
  CHECK(engine_generation(Engine::vllm, "0.10.2") == "v1");  // ten, not one
  CHECK(engine_generation(Engine::vllm, "0.11.0") == "synchronous");
  CHECK(engine_generation(Engine::vllm, "0.13.0") == "synchronous");
  CHECK(engine_generation(Engine::vllm, "0.14.0") == "async");
  CHECK(engine_generation(Engine::vllm, "0.16.0") == "async");
  CHECK(engine_generation(Engine::vllm, "0.17.0").empty());
  CHECK(engine_generation(Engine::vllm, "1.0").empty());
  CHECK(engine_generation(Engine::hf, "transformers 4.38.2") == "older");
  CHECK(engine_generation(Engine::hf, "4.46.0").empty());
  CHECK(engine_generation(Engine::trt_llm, "0.14.0 (triton backend)") == "engine");
  CHECK(engine_generation(Engine::trt_llm, "0.20") == "pytorch");
  CHECK(engine_generation(Engine::trt_llm, "1.1.0rc2").empty());
  CHECK(engine_generation(Engine::llama_cpp, "b2900") == "older");
  CHECK(engine_generation(Engine::llama_cpp, "b4000") == "pipelined");
  CHECK(engine_generation(Engine::llama_cpp, "b6100").empty());
  CHECK(engine_generation(Engine::llama_cpp, "May 2024 build") == "older");
}

TEST_CASE("dates do where there is no version") {
  CHECK(engine_generation(Engine::vllm, "Oct 2023") == "early");
  CHECK(engine_generation(Engine::vllm, "2024-04") == "older");
  CHECK(engine_generation(Engine::vllm, "2024-10") == "v0");
  CHECK(engine_generation(Engine::vllm, "2025-03") == "v1");
  CHECK(engine_generation(Engine::vllm, "2025-09") == "v1");
  CHECK(engine_generation(Engine::vllm, "2025-10") == "synchronous");
  CHECK(engine_generation(Engine::vllm, "2026-01") == "async");
  CHECK(engine_generation(Engine::vllm, "2026-03").empty());
}

TEST_CASE("the newest generation runs from some release on, which belongs to it") {
  CHECK(newest_generation(Engine::vllm) == ">=0.17");
  CHECK(newest_generation(Engine::trt_llm) == ">=1.0");
  CHECK(newest_generation(Engine::llama_cpp) == ">=b4753");
  CHECK(newest_generation(Engine::sglang).empty());  // one generation only
  for (const Engine engine : {Engine::vllm, Engine::trt_llm, Engine::llama_cpp, Engine::hf})
    CHECK(engine_generation(engine, newest_generation(engine)).empty());
}

TEST_CASE("what says neither is taken as current") {
  CHECK(engine_generation(Engine::vllm, "").empty());
  CHECK(engine_generation(Engine::vllm, "nightly").empty());
  CHECK(engine_generation(Engine::sglang, "0.1").empty());
  CHECK(engine_generation(Engine::vllm, "99999999999999999999").empty());
}

}  // namespace generation_test
