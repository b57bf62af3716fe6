// Models given as files: what is said of them, and what becomes of files that are broken.
#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catalog/weights_bytes.hpp"
#include "support/program.hpp"

namespace model_files_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

const std::string kShape = R"("hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32,
  "num_hidden_layers": 32, "vocab_size": 32000)";

Json answer(const std::string& model, const std::string& more = "") {
  const Run run = ask(words_of("estimate --task inference --gpu l4 --json --model " + model + " " + more));
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out);
}

bool says(const Json& notes, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const Json& note) { return note.get<std::string>().find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("whatever a config.json holds, the answer is one sentence and status 2") {
  const std::string config = GENERATE_COPY(
      std::string(), std::string("[]"), std::string("{"), std::string("{}"), std::string("null"),
      std::string("\0\0", 2), std::string("{\"hidden_size\": \"\xff\xfe\"}"), std::string(100'000, '['),
      "{" + kShape + R"(, "model_type": "zamba2"})", "{" + kShape + R"(, "model_type": "strange", "ssm_width": 3})",
      "{" + kShape + R"(, "vision_config": 7})", "{" + kShape + R"(, "layer_types": ["full"]})",
      "{" + kShape + R"(, "num_experts": 1e300})", "{" + kShape + R"(, "num_key_value_heads": -8})",
      "{" + kShape + R"(, "num_kv_heads": 0})", "{" + kShape + R"(, "tie_word_embeddings": []})",
      "{" + kShape + R"(, "head_dim": 1000000000000})", "{" + kShape + R"(, "audio_config": {}})");
  CAPTURE(config.substr(0, 80));
  const std::string file = scratch_file("config.json", config);
  for (const std::string& command : {"estimate --task inference --gpu l4 --model " + file, "models show " + file}) {
    const Run run = ask(words_of(command));
    CAPTURE(command, run.out, run.err);
    CHECK(run.status == 2);
    CHECK(is_one_error(run.err));
    CHECK(run.out.empty());
  }
}

TEST_CASE("keys that were not understood are a note of the estimate") {
  const std::string config = "{\"model_type\": \"llama\", " + kShape + R"(, "sparkle": 3, "bos_token_id": 1})";
  CHECK(says(answer(scratch_file("config.json", config))["notes"], "sparkle"));
  const std::string batch =
      scratch_file("b.jsonl", R"({"id": "a", "task": "inference", "gpu": "l4", "model": {"sparkle": 3, )" +
                                  std::string(kShape).replace(kShape.find('\n'), 1, "") + "}}");
  const Run run = ask({"estimate", "--batch", batch});
  CAPTURE(run.out);
  CHECK(run.status == 0);
  CHECK(says(Json::parse(run.out)["notes"], "sparkle"));
}

TEST_CASE("models show prints what was understood of a file") {
  const std::string file = scratch_file(
      "config.json", "{\"model_type\": \"llama\", " + kShape + R"(, "sparkle": 3, "tie_word_embeddings": false})");
  const Run card = ask({"models", "show", file});
  CHECK(card.status == 0);
  CHECK(card.out.find("6.47627e9") != std::string::npos);  // body: 32 × (4·4096² + 3·4096·11008 + 2·4096) + 4096
  CHECK(card.out.find("not understood: sparkle") != std::string::npos);
  const Json item = Json::parse(ask({"models", "show", file, "--json"}).out)["item"];
  CHECK(item["parameters"]["embedding"] == 131072000);
  CHECK(item["parameters"]["head"] == 131072000);
  CHECK(item["stored"].is_null());
  CHECK(item["unread"] == Json::array({"sparkle"}));
}

TEST_CASE("a GGUF file is served by llama.cpp at its own size") {
  const std::string file = scratch_file("model.gguf", Gguf{}.bytes());
  const Json given = answer(file);
  CHECK(given["assumed"]["engine"] == "llama.cpp");
  CHECK(given["assumed"]["weights_precision"] == "q4_k_m");
  const double bytes = given["memory"]["per_gpu"]["weights"].get<double>() * 1073741824;
  CHECK(bytes == Approx(kTableBytes + kLayerBytes).epsilon(0.01));
  CHECK_FALSE(answer(file, "--engine vllm")["assumed"].contains("engine"));
  const Json item = Json::parse(ask({"models", "show", file, "--json"}).out)["item"];
  CHECK(item["stored"]["layout"] == "gguf");
  CHECK(item["stored"]["types"][0]["type"] == "Q4_K");
}

}  // namespace model_files_test
