// Requests out of JSON objects.
#include "job/request/request.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "job/request/request_option.hpp"

namespace request_test {

using namespace gpusel;
using namespace gpusel::job;

namespace {

Result<Request> read(std::string_view json) {
  auto document = parse_json(json, "request");
  REQUIRE(document);
  return read_request(document->root);
}

}  // namespace

TEST_CASE("what a word for the task says besides gives way to the option itself, in either order") {
  for (const char* json : {R"({"method": "full", "task": "lora"})", R"({"task": "lora", "method": "full"})"}) {
    const auto request = read(json);
    REQUIRE(request);
    CHECK(request->task == Task::finetune);
    CHECK(request->method == Method::full);
  }
  CHECK(read(R"({"task": "lora"})")->method == Method::lora);
}

TEST_CASE("every key of the estimate contract is a key of a request") {
  for (const std::string_view key : {"id",
                                     "task",
                                     "model",
                                     "gpu",
                                     "gpus",
                                     "gpus_per_node",
                                     "interconnect",
                                     "internode_gbps",
                                     "method",
                                     "precision",
                                     "recipe",
                                     "framework",
                                     "optimizer",
                                     "sharding",
                                     "tp",
                                     "pp",
                                     "cp",
                                     "ep",
                                     "dp",
                                     "seq_len",
                                     "micro_batch",
                                     "global_batch",
                                     "grad_accum",
                                     "activation_checkpointing",
                                     "lora_rank",
                                     "engine",
                                     "kv_precision",
                                     "weights_precision",
                                     "mode",
                                     "input_tokens",
                                     "output_tokens",
                                     "concurrency",
                                     "offload",
                                     "request_rate",
                                     "speculative",
                                     "prefix_cache_hit",
                                     "params_b",
                                     "tokens",
                                     "dataset_size",
                                     "epochs",
                                     "virtual_tokens",
                                     "batch",
                                     "engine_version",
                                     "active_params_b",
                                     "flash_attention",
                                     "mem_utilization"}) {
    CAPTURE(key);
    const auto* option = find_option(request_options(), key);
    REQUIRE(option != nullptr);
    CHECK(option->key == key);
  }
}

TEST_CASE("spellings of other tools are read as the keys they mean") {
  const auto asked = read(R"({"isl": 512, "osl": 64, "quant": "w4a16", "kv-cache-dtype": "fp8", "rps": 2.5,
                              "max_model_len": "8k", "batch-size": 3})");
  REQUIRE(asked);
  CHECK(asked->input_tokens == 512);
  CHECK(asked->output_tokens == 64);
  CHECK(asked->weights_precision == "w4a16");
  CHECK(asked->kv_precision == KvPrecision::fp8);
  CHECK(asked->request_rate == 2.5);
  CHECK(asked->context == 8192);
  CHECK(asked->batch == 3);
}

TEST_CASE("each key sets its own place and leaves the others open") {
  const auto asked = read(R"({"id": "a", "task": "finetune", "model": "llama-7b", "tp": 2, "pp": 4, "seq_len": 2048})");
  REQUIRE(asked);
  CHECK(asked->id == "a");
  CHECK(asked->task == Task::finetune);
  CHECK(asked->model == "llama-7b");
  CHECK(asked->tp == 2);
  CHECK(asked->pp == 4);
  CHECK(asked->seq_len == 2048);
  CHECK_FALSE(asked->dp);
  CHECK_FALSE(asked->micro_batch);
  CHECK_FALSE(asked->gpus);
}

TEST_CASE("a null member of a request is as if it were not there") {
  const auto asked = read(R"({"task": "inference", "tp": null, "model": null})");
  REQUIRE(asked);
  CHECK_FALSE(asked->tp);
  CHECK(asked->model.empty());
}

TEST_CASE("an unknown key of a request is an error that names the nearest key") {
  const auto asked = read(R"({"task": "finetune", "seq_lenght": 2048})");
  REQUIRE_FALSE(asked);
  CHECK(asked.error().where == "seq_lenght");
  CHECK(asked.error().message.find("seq_lenght") != std::string::npos);
  CHECK(asked.error().hint.find("'seq_len'") != std::string::npos);
}

TEST_CASE("a request that is no object is refused") {
  CHECK_FALSE(read(R"([{"task": "finetune"}])"));
  CHECK_FALSE(read(R"("finetune")"));
  CHECK_FALSE(read("null"));
}

TEST_CASE("a value of the wrong JSON type is an error at its key") {
  struct Wrong {
    std::string json;
    std::string key;
  };
  const auto wrong = GENERATE(values<Wrong>({{R"({"seq_len": [2048]})", "seq_len"},
                                             {R"({"seq_len": {"tokens": 2048}})", "seq_len"},
                                             {R"({"seq_len": true})", "seq_len"},
                                             {R"({"seq_len": 2048.5})", "seq_len"},
                                             {R"({"seq_len": -1})", "seq_len"},
                                             {R"({"seq_len": 1e300})", "seq_len"},
                                             {R"({"seq_len": ""})", "seq_len"},
                                             {R"({"task": 1})", "task"},
                                             {R"({"task": ["finetune"]})", "task"},
                                             {R"({"gpu": {"id": "h100"}})", "gpu"},
                                             {R"({"model": ["llama-7b"]})", "model"},
                                             {R"({"flash_attention": "maybe"})", "flash_attention"},
                                             {R"({"mem_utilization": 1.5})", "mem_utilization"},
                                             {R"({"input-len": "many"})", "input_tokens"}}));
  const auto asked = read(wrong.json);
  CAPTURE(wrong.json);
  REQUIRE_FALSE(asked);
  CHECK(asked.error().where == wrong.key);
  CHECK_FALSE(asked.error().message.empty());
}

TEST_CASE("a model given as an object is kept as one") {
  const auto asked = read(R"({"task": "inference", "model": {"num_hidden_layers": 24, "hidden_size": 1024}})");
  REQUIRE(asked);
  REQUIRE(asked->inline_model);
  CHECK(asked->model.empty());
  const Node* layers = asked->inline_model->find("num_hidden_layers");
  REQUIRE(layers != nullptr);
  CHECK(layers->text == "24");
}

TEST_CASE("every spelling of an option of a request is its own and is found as in the whole table") {
  const auto spellings_of = [](const Option<Request>& option) {
    std::vector<std::string> names{std::string(option.key)};
    for (const std::string_view alias : split(option.aliases, ' '))
      if (alias.size() > 1) names.emplace_back(alias);
    return names;
  };
  std::set<std::string> all;
  for (const auto& option : request_options())
    for (std::string name : spellings_of(option)) {
      CAPTURE(name);
      CHECK(request_option(name) == &option);
      std::ranges::replace(name, '_', '-');
      CHECK(request_option(name) == &option);
      CHECK(all.insert(name).second);
      std::ranges::replace(name, '-', '_');
      CHECK(request_option(name) == &option);
      for (const std::string& other : {name + "_", name.substr(1), "x" + name, name + "s"})
        CHECK(request_option(other) == find_option(request_options(), other));
    }
  for (const std::string name : {"", "-", "_", "t", "m", "nothing"}) {
    CAPTURE(name);
    CHECK(request_option(name) == nullptr);
    CHECK(find_option(request_options(), name) == nullptr);
  }
}

}  // namespace request_test
