// The server for assistants, from outside: whole sessions of the protocol, line by line.
// https://modelcontextprotocol.io/specification/2025-11-25
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/mcp/session.hpp"
#include "support/program.hpp"

namespace mcp_test {

using namespace gpusel::test;
using Json = nlohmann::ordered_json;

namespace {

/// Whether `whole` has all that `part` says: members of objects, and elements from the first.
bool has(const Json& whole, const Json& part) {
  if (part.is_object()) {
    for (const auto& [key, value] : part.items())
      if (!whole.is_object() || !whole.contains(key) || !has(whole[key], value)) return false;
    return true;
  }
  if (!part.is_array()) return whole == part;
  if (!whole.is_array() || whole.size() < part.size() || (part.empty() && !whole.empty())) return false;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (!has(whole[i], part[i])) return false;
  return true;
}

struct Transcript {
  std::string client;        // what is written to the server
  std::vector<Json> server;  // what must come back, in order
};

Transcript read_transcript(const std::string& name) {
  Transcript transcript;
  for (const std::string& line : lines_of(read_file(kSource + "/tests/mcp/" + name))) {
    Json record = Json::parse(line);
    if (record.contains("client")) transcript.client += record["client"].dump() + "\n";
    if (record.contains("line")) transcript.client += record["line"].get<std::string>() + "\n";
    if (record.contains("server")) transcript.server.push_back(std::move(record));
  }
  return transcript;
}

std::string request(int id, const std::string& method, const Json& params) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump() + "\n";
}

std::string opening(const std::string& revision = "2025-11-25") {
  return request(0, "initialize",
                 {{"protocolVersion", revision},
                  {"capabilities", Json::object()},
                  {"clientInfo", {{"name", "test"}, {"version", "1"}}}}) +
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
}

std::string call(const std::string& tool, const Json& arguments) {
  return request(1, "tools/call", {{"name", tool}, {"arguments", arguments}});
}

/// The result of one call in a session of its own.
Json result_of(const std::string& tool, const Json& arguments, std::vector<std::string> flags = {},
               Setting setting = {}) {
  flags.insert(flags.begin(), "mcp");
  setting.input = opening() + call(tool, arguments);
  const Run run = ask(flags, setting);
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 2);
  Json reply = Json::parse(lines[1]);
  REQUIRE(reply.contains("result"));
  return reply["result"];
}

std::string type_of(const Json& value) {
  return value.is_array() ? "array" : value.is_object() ? "object" : value.is_boolean() ? "boolean" : "string";
}

std::string text_of(const Json& result) { return result["content"][0]["text"]; }

}  // namespace

TEST_CASE("sessions of the protocol go as their transcripts say, from start to end", "[mcp]") {
  const auto name =
      GENERATE(Catch::Generators::as<std::string>{}, "session-2025-11-25.jsonl", "session-2025-03-26.jsonl");
  const Transcript transcript = read_transcript(name);
  const Run run = ask({"mcp"}, {.input = transcript.client});
  CHECK(run.status == 0);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == transcript.server.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(name, transcript.server[i].dump(), lines[i].substr(0, 600));
    const Json reply = Json::parse(lines[i]);
    CHECK(has(reply, transcript.server[i]["server"]));
    if (transcript.server[i].contains("without"))
      CHECK_FALSE(reply.contains(transcript.server[i]["without"].get<std::string>()));
  }
}

TEST_CASE("every line of the server is valid by the protocol, and every call by its tool's schema", "[mcp]") {
  const std::string client = scratch_file("mcp-client.jsonl", read_transcript("session-2025-11-25.jsonl").client);
  const Run run = shell("gpusel mcp --quiet < " + client + " | /usr/bin/python3 " + kSource +
                        "/tests/mcp/validate.py " + kSource + "/tests/mcp/protocol-2025-11-25.json " + client);
  CAPTURE(run.out, run.err);
  CHECK(run.status == 0);
  CHECK(run.out.find(" 0 wrong") != std::string::npos);
}

TEST_CASE("arguments have the types of their flags, and files are none of them", "[mcp]") {
  const gpusel::cli::mcp::Tools tools({});
  std::map<std::string, Json> properties;
  for (const Json& tool : tools.list()) properties[tool["name"]] = tool["inputSchema"]["properties"];
  CHECK(properties["recommend"]["task"]["enum"].size() == 7);
  CHECK(properties["recommend"]["objective"]["enum"] == Json{"cost", "speed", "balanced"});
  CHECK(properties["recommend"]["max_price"]["type"] == Json{"number", "string"});
  CHECK(properties["recommend"]["limit"] == Json{{"type", "integer"},
                                                 {"description", "rows to show (default 5, with --why 10; JSON: all)"},
                                                 {"default", 10}});
  CHECK(properties["recommend"]["request_rate"]["type"] == "number");
  CHECK(properties["recommend"]["deadline"]["type"] == "string");
  CHECK(properties["recommend"]["cloud"]["items"]["type"] == "string");
  CHECK(properties["recommend"]["flags"]["type"] == "object");
  CHECK(properties["recommend"]["full"]["type"] == "boolean");
  CHECK(properties["estimate"]["gpus"]["type"] == "integer");
  CHECK(properties["cost"]["hours_per_day"]["type"] == "number");
  CHECK(properties["instances"]["words"]["type"] == "array");
  CHECK(properties["check"]["policy"]["type"] == "object");
  for (const auto& [tool, of_tool] : properties)
    for (const char* key : {"rules", "stages", "overlay", "catalog", "batch", "output", "json", "color", "quiet", "to",
                            "force", "dry_run"}) {
      CAPTURE(tool, key);
      CHECK_FALSE(of_tool.contains(key));
    }
}

TEST_CASE("every flag that is no argument of its own is told by describe_flags", "[mcp]") {
  const Json loads =
      result_of("describe_flags", {{"tool", "recommend"}, {"about", "speculative"}})["structuredContent"];
  REQUIRE(!loads["flags"].empty());
  CHECK(loads["flags"][0]["name"] == "speculative");
  CHECK(loads["flags"][0]["type"] == "string");
  // Too many for one answer: their names, and how to ask for what each takes.
  CHECK(text_of(result_of("describe_flags", {{"tool", "cost"}})).find(" egress_gb ") != std::string::npos);
  CHECK(text_of(result_of("describe_flags", {{"tool", "cost"}, {"about", "egress"}})).find("egress_gb: ") !=
        std::string::npos);
  const Json wrong = result_of("describe_flags", {{"tool", "recomend"}});
  CHECK(wrong["isError"] == true);
  CHECK(text_of(wrong).find("did you mean 'recommend'?") != std::string::npos);
}

TEST_CASE("what stands in flags is as good as an argument", "[mcp]") {
  const Json job{{"task", "finetune"}, {"model", "llama-7b"}, {"method", "lora"}};
  Json plain = job, inside = job;
  plain["gpus_max"] = 1;
  inside["flags"] = {{"gpus_max", 1}};
  CHECK(result_of("recommend", plain)["structuredContent"] == result_of("recommend", inside)["structuredContent"]);
  inside["flags"] = {{"rules", "x.yaml"}};
  CHECK(text_of(result_of("recommend", inside)).find("cannot be set by an assistant") != std::string::npos);
  inside["flags"] = "gpus_max=1";
  CHECK(text_of(result_of("recommend", inside)).starts_with("flags: is an object"));
}

TEST_CASE("the list of tools and every brief answer fit into a conversation", "[mcp]") {
  // 1,500 tokens for an answer, at 2.8 bytes each; 4,000 for the list, whose words are longer.
  const Run run = ask({"mcp"}, {.input = opening() + request(1, "tools/list", Json::object())});
  const std::string list = lines_of(run.out).back();
  CHECK(list.size() <= 14'400);
  std::map<std::string, Json> properties;
  const Json parsed = Json::parse(list);
  for (const Json& tool : parsed["result"]["tools"]) properties[tool["name"]] = tool["outputSchema"]["properties"];
  for (const char* tool : {"recommend", "estimate", "compare", "cost", "fleet", "whatif", "explain", "export", "check",
                           "models", "gpus", "instances", "prices"})
    CHECK(list.find("\"name\":\"" + std::string(tool) + "\"") != std::string::npos);
  const Json job{{"task", "inference"}, {"model", "llama-3.1-8b"}};
  const auto with = [&](Json more) {
    Json all = job;
    all.update(more);
    return all;
  };
  const std::vector<std::pair<std::string, Json>> calls{
      {"recommend", job},
      {"recommend", with({{"explain", true}})},
      {"recommend", with({{"limit", 100}, {"flags", {{"show_rejected", true}}}})},
      {"recommend", {{"task", "pretrain"}, {"model", "llama-3.1-70b"}, {"flags", {{"tokens", "20B"}}}}},
      {"recommend", with({{"max_price", 0.001}})},
      {"estimate", with({{"gpu", "h100"}})},
      {"compare", {{"names", {"h100", "a100", "l40s", "mi300x", "b200", "h200", "l4", "t4"}}}},
      {"cost", {{"targets", {"p4d.24xlarge", "p5.48xlarge"}}}},
      {"cost", job},
      {"fleet", {{"model", "llama-3.1-8b"}, {"request_rate", 20}}},
      {"whatif", with({{"flags", {{"vary", "request_rate=1..64"}}}})},
      {"explain", job},
      {"export", with({{"target", "kubernetes"}, {"cloud", {"aws"}}})},
      {"export", Json::object()},
      {"check", with({{"policy", {{"policies", Json::array({{{"id", "cheap"}, {"max_cost_per_hour", "1 USD"}}})}}}})},
      {"models", Json::object()},
      {"models", {{"words", {"show", "llama-3.1-8b"}}}},
      {"gpus", {{"limit", 50}}},
      {"instances", {{"words", {"show", "p5.48xlarge"}}}},
      {"prices", {{"words", {"p5.48xlarge"}}}},
      {"describe_flags", {{"tool", "recommend"}}}};
  for (const auto& [tool, arguments] : calls) {
    const Json result = result_of(tool, arguments);
    CAPTURE(tool, arguments.dump(), result["structuredContent"].dump().substr(0, 400));
    CHECK(result["isError"] == false);
    CHECK(result["structuredContent"].dump().size() <= 4'200);
    if (tool != "export") CHECK(text_of(result).size() <= 5'000);
    CHECK(result["structuredContent"].size() >= (tool == "describe_flags" ? 1 : 2));
    bool told = false;
    for (const auto& [key, value] : result["structuredContent"].items())
      told = told || (properties[tool].contains(key) && properties[tool][key]["type"] == type_of(value));
    CHECK(told);
  }
}

TEST_CASE("files of an export are whole in a brief answer, or told by their size", "[mcp]") {
  const auto file_of = [](const std::string& target, bool full) {
    const Json result = result_of(
        "export",
        {{"task", "inference"}, {"model", "llama-3.1-8b"}, {"cloud", {"aws"}}, {"target", target}, {"full", full}});
    return result["structuredContent"]["files"][0];
  };
  const Json small = file_of("vllm", false);
  CHECK(small["content"].get<std::string>().starts_with("#!/bin/sh\n"));
  CHECK(small == file_of("vllm", true));
  const Json large = file_of("terraform", false);
  CHECK_FALSE(large.contains("content"));
  CHECK(large["bytes"] == file_of("terraform", true)["content"].get<std::string>().size());
}

TEST_CASE("a brief answer gives facts whole or not at all, and says that something was cut", "[mcp]") {
  const Json gpu = result_of("gpus", {{"words", {"show", "h100-sxm-80gb"}}})["structuredContent"];
  CHECK(gpu["item"]["native_formats"] == Json::array({"fp16", "bf16", "fp8"}));
  CHECK(gpu["truncated"] == true);
  const Json job{{"task", "inference"}, {"model", "llama-3.1-8b"}, {"request_rate", 10}};
  const Json ranks = result_of("recommend", job)["structuredContent"];
  for (const char* figure : {"ttft_ms_p95", "itl_ms_p95"})
    CHECK(ranks["recommendations"][0]["performance"].contains(figure));
  const Json file = result_of("export", {{"task", "inference"},
                                         {"model", "llama-3.1-8b"},
                                         {"cloud", {"aws"}},
                                         {"target", "terraform"}})["structuredContent"];
  CHECK(file["truncated"] == true);
  const Json none = result_of("models", {{"words", {"show", "llama-3.1-8b"}}, {"full", true}})["structuredContent"];
  CHECK_FALSE(none.contains("truncated"));
}

TEST_CASE("a brief ranking has what decides, and agrees with the whole", "[mcp]") {
  const Json job{{"task", "finetune"}, {"model", "llama-7b"}, {"method", "lora"}, {"cloud", {"aws", "gcp"}}};
  const Json brief = result_of("recommend", job)["structuredContent"];
  Json asked = job;
  asked["full"] = true;
  const Json whole = result_of("recommend", asked)["structuredContent"];
  REQUIRE(brief["recommendations"].size() == 10);
  for (std::size_t i = 0; i < 10; ++i) {
    const Json& row = brief["recommendations"][i];
    const Json& from = whole["recommendations"][i];
    CHECK(row["sku"] == from["sku"]);
    CHECK(row["cost"]["hourly"].get<double>() == Approx(from["cost"]["hourly"].get<double>()).margin(0.00501));
    CHECK(row["cost"]["total"].get<double>() == Approx(from["cost"]["total"].get<double>()).margin(0.00501));
    CHECK(row["probability"]["fits"].get<double>() == Approx(from["probability"]["fits"].get<double>()).epsilon(0.01));
  }
  std::map<std::string, int> counts;
  for (const Json& one : whole["rejected"]) counts[one["rule"]] += one["count"].get<int>();
  for (const auto& [rule, count] : counts) CHECK(brief["rejected_by_rule"][rule] == count);
}

TEST_CASE("a staircase leaves room for ten ranks", "[mcp]") {
  const Json brief = result_of("recommend", {{"model", "llama-3.1-8b"}, {"task", "inference"}})["structuredContent"];
  CHECK(brief["recommendations"].size() == 10);
  const Json whole = result_of("recommend", {{"model", "llama-3.1-8b"}, {"task", "inference"}, {"full", true}});
  REQUIRE(brief["staircase"].size() == whole["structuredContent"]["staircase"].size());
  for (const Json& step : brief["staircase"])
    for (const char* member : {"load", "sku", "nodes", "hourly"}) CHECK(step.contains(member));
}

TEST_CASE("prompts ask in words, and their arguments are completed", "[mcp]") {
  const Json named{{"name", "choose-instances"}};
  Json wanted = named;
  wanted["arguments"] = {{"model", "llama-3.1-8b"}, {"task", "inference"}};
  const std::string session = opening() + request(1, "prompts/list", Json::object()) +
                              request(2, "prompts/get", wanted) + request(3, "prompts/get", named) +
                              request(4, "prompts/get", {{"name", "chose-instances"}}) +
                              request(5, "completion/complete",
                                      {{"ref", {{"type", "ref/prompt"}, {"name", "choose-instances"}}},
                                       {"argument", {{"name", "model"}, {"value", "llama-3.1-"}}}}) +
                              request(6, "completion/complete",
                                      {{"ref", {{"type", "ref/prompt"}, {"name", "write-files"}}},
                                       {"argument", {{"name", "target"}, {"value", "sky"}}}});
  std::map<int, Json> replies;
  for (const std::string& line : lines_of(ask({"mcp"}, {.input = session}).out)) {
    const Json reply = Json::parse(line);
    replies[reply["id"]] = reply;
  }
  CHECK(replies[1]["result"]["prompts"].size() >= 4);
  const std::string text = replies[2]["result"]["messages"][0]["content"]["text"];
  CHECK(text.find("inference of llama-3.1-8b") != std::string::npos);
  CHECK(replies[3]["error"]["message"] == "missing: model");
  CHECK(replies[4]["error"]["message"].get<std::string>().find("did you mean 'choose-instances'?") !=
        std::string::npos);
  const Json values = replies[5]["result"]["completion"]["values"];
  CHECK(std::find(values.begin(), values.end(), "llama-3.1-8b") != values.end());
  CHECK(replies[6]["result"]["completion"]["values"] == Json{"skypilot"});
}

TEST_CASE("a client's revision is spoken where it is known, else the latest", "[mcp]") {
  const auto [asked, spoken] = GENERATE(table<std::string, std::string>({{"2025-11-25", "2025-11-25"},
                                                                         {"2025-06-18", "2025-06-18"},
                                                                         {"2025-03-26", "2025-03-26"},
                                                                         {"2024-11-05", "2024-11-05"},
                                                                         {"2099-01-01", "2025-11-25"},
                                                                         {"1.0", "2025-11-25"}}));
  const Run run = ask({"mcp"}, {.input = opening(asked)});
  CHECK(Json::parse(run.out)["result"]["protocolVersion"] == spoken);
}

TEST_CASE("a tool's whole answer is what the command prints as JSON", "[mcp]") {
  struct Case {
    std::string tool;
    Json arguments;
    std::string words;
  };
  const auto one = GENERATE(values<Case>({
      {"recommend",
       {{"task", "finetune"}, {"model", "llama-7b"}, {"method", "lora"}, {"cloud", {"aws", "gcp"}}},
       "recommend --task finetune --model llama-7b --method lora --cloud aws --cloud gcp -n 10"},
      {"recommend",
       {{"task", "inference"}, {"model", "resnet-50"}, {"objective", "speed"}, {"nvlink", false}, {"limit", 2}},
       "recommend --task inference --model resnet-50 --objective speed --nvlink=false -n 2"},
      {"recommend",
       {{"task", "finetune"}, {"model", "llama-7b"}, {"max_price", 0.01}},
       "recommend --task finetune --model llama-7b --max-price 0.01 -n 10"},
      {"recommend",
       {{"task", "transcode"}, {"codec", "hevc"}, {"streams", 20}, {"currency", "CNY"}},
       "recommend --task transcode --codec hevc --streams 20 --currency CNY -n 10"},
      {"estimate",
       {{"task", "inference"}, {"model", "llama-3.1-8b"}, {"gpu", "a100-sxm-80gb"}, {"gpus", 2}, {"context", "8k"}},
       "estimate --task inference --model llama-3.1-8b --gpu a100-sxm-80gb --gpus 2 --context 8k"},
      {"estimate",
       {{"task", "pretrain"},
        {"gpu", "h100"},
        {"tokens", 4e9},
        {"model",
         {{"hidden_size", 1024},
          {"num_hidden_layers", 12},
          {"num_attention_heads", 16},
          {"intermediate_size", 4096},
          {"vocab_size", 32000}}}},
       "estimate --task pretrain --gpu h100 --tokens 4e9 --model "
       "'{\"hidden_size\":1024,\"num_hidden_layers\":12,\"num_attention_heads\":16,\"intermediate_size\":4096,"
       "\"vocab_size\":32000}'"},
      {"compare", {{"names", {"h100:8", "2x p4d.24xlarge"}}}, "compare h100:8 '2x p4d.24xlarge'"},
      {"instances",
       {{"words", {"p4d"}}, {"price", {"p4d.24xlarge=4.2"}}, {"sort_by", {"price"}}},
       "instances p4d --price p4d.24xlarge=4.2 --sort-by price -n 10"},
      {"cost", {{"targets", {"aws/p4d.24xlarge"}}, {"hours_per_day", 8}}, "cost aws/p4d.24xlarge --hours-per-day 8"},
      {"cost", {{"task", "finetune"}, {"model", "llama-7b"}}, "cost --task finetune --model llama-7b"},
      {"instances", {{"sort_by", {"price", "vcpu"}}}, "instances --sort-by price,vcpu -n 10"},
      {"explain", {{"task", "finetune"}, {"model", "llama-7b"}}, "explain --task finetune --model llama-7b"},
      {"explain",
       {{"task", "finetune"}, {"model", "llama-7b"}, {"subject", "memory.weights"}, {"rank", 2}},
       "explain memory.weights --task finetune --model llama-7b --rank 2"},
      {"explain",
       {{"task", "inference"}, {"model", "llama-3.1-70b"}, {"subject", "g4dn.xlarge"}},
       "explain g4dn.xlarge --task inference --model llama-3.1-70b"},
  }));
  Json arguments = one.arguments;
  arguments["full"] = true;
  Json result = result_of(one.tool, arguments);
  CAPTURE(one.words, text_of(result));
  CHECK(result["isError"] == false);
  std::vector<std::string> words = words_of(one.words);
  words.emplace_back("--json");
  const Run run = ask(words);
  CHECK(result["structuredContent"].contains("remarks") == !run.err.empty());
  result["structuredContent"].erase("remarks");
  CHECK(result["structuredContent"] == Json::parse(run.out));
}

TEST_CASE("an answer's text is the table, and what is remarked beside it", "[mcp]") {
  const Json result = result_of(
      "instances", {{"words", {"p4d"}}, {"price", {"p4d.24xlarge=4.2"}}, {"limit", 1}}, {},
      {.environment = {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", ""}, {"COLUMNS", "20"}, {"GPUSEL_OUTPUT", "csv"}}});
  const std::string text = text_of(result);
  CHECK(text.find("p4d.24xlarge") != std::string::npos);
  CHECK(text.find("your own prices: p4d.24xlarge 4.2 USD per hour") != std::string::npos);
  CHECK(text.find('\033') == std::string::npos);
  CHECK(text.find("gpusel: ") == std::string::npos);
  CHECK(result["structuredContent"]["items"].size() == 1);
  CHECK(result["structuredContent"]["remarks"][0].get<std::string>().find("your own prices") != std::string::npos);
}

TEST_CASE("lists are short unless more is asked for", "[mcp]") {
  CHECK(result_of("instances", Json::object())["structuredContent"]["items"].size() == 10);
  CHECK(result_of("instances", {{"limit", 12}, {"full", true}})["structuredContent"]["items"].size() == 12);
  const Json job{{"task", "finetune"}, {"model", "llama-7b"}};
  CHECK(result_of("recommend", job)["structuredContent"]["recommendations"].size() == 10);
}

TEST_CASE("what is missing is listed with what it may be", "[mcp]") {
  const Json result = result_of("estimate", {{"gpus", 2}});
  CHECK(result["isError"] == true);
  CHECK(result["structuredContent"]["error"]["missing"] == Json{"task", "model", "gpu"});
  CHECK(text_of(result).starts_with("missing: task, model, gpu\ntask: pretrain, finetune, inference"));
  CHECK(text_of(result_of("cost", Json::object())).starts_with("missing: task, model; or name targets\n"));
}

TEST_CASE("wrong arguments are answered with the command's own sentence", "[mcp]") {
  struct Case {
    std::string tool;
    Json arguments;
    std::string message;
  };
  const Json job{{"task", "finetune"}, {"model", "llama-7b"}};
  const auto with = [&](const std::string& key, const Json& value) {
    Json all = job;
    all[key] = value;
    return all;
  };
  const std::vector<Case> cases{
      {"recommend", with("task", "finetun"), "--task: 'finetun' is not known here; did you mean 'finetune'? allowed: "},
      {"recommend", with("model", "lama-7b"), "did you mean 'llama-7b'"},
      {"recommend", with("max_price", "cheap"), "--max-price: "},
      {"recommend", with("max_price", -1), "--max-price: "},
      {"recommend", with("max_price", Json::array({1, 2})), "max_price: takes one value, not a list"},
      {"recommend", with("cloud", {{"name", "aws"}}), "cloud: takes a text, a number or true or false, found a map"},
      {"recommend", with("cloud", ""), "cloud: an empty text says nothing"},
      {"recommend", with("cloud", Json::array()), "cloud: an empty list says nothing; remove it"},
      {"compare", {{"names", Json::array()}}, "names: an empty list says nothing"},
      {"explain", with("subject", Json::array({"p5.48xlarge", "memory"})), "subject: takes one value, not a list"},
      {"recommend",
       [&] {
         Json both = with("isl", 100);
         both["input_tokens"] = 200;
         return both;
       }(),
       "'isl' and 'input_tokens' are the same argument; give one of them"},
      {"recommend", with("explain", "perhaps"), "explain: is true or false"},
      {"recommend", with("limit", 0), "--limit: "},
      {"recommend", with("max-prise", 3), "unknown argument 'max-prise'; did you mean 'max_price'?"},
      {"recommend", with("model", {{"hidden_size", "wide"}}), "hidden_size"},
      {"compare", {{"names", {"h100"}}}, "name 2 to 64"},
      {"compare", {{"names", {"h100", "--help"}}}, "--help"},
      {"instances", {{"words", {"show", "p5.48xlage"}}}, "did you mean"},
      {"cost", {{"targets", {"p4d.24xlage"}}}, "did you mean"},
      {"estimate", {{"task", "finetune"}, {"model", "llama-7b"}, {"gpu", "h1000"}}, "did you mean"},
  };
  for (const Case& one : cases) {
    const Json result = result_of(one.tool, one.arguments);
    CAPTURE(one.tool, one.arguments.dump(), text_of(result).substr(0, 300));
    CHECK(result["isError"] == true);
    CHECK(text_of(result).find(one.message) != std::string::npos);
    CHECK(result["structuredContent"]["error"]["message"] == text_of(result));
    CHECK(result["structuredContent"]["error"]["status"] == 2);
  }
}

TEST_CASE("spellings that people know are taken for arguments too", "[mcp]") {
  const Json plain = result_of(
      "estimate",
      {{"task", "inference"}, {"model", "llama-7b"}, {"gpu", "l40s"}, {"input_tokens", 512}, {"method", nullptr}});
  const Json other =
      result_of("estimate", {{"task", "inference"}, {"model", "llama-7b"}, {"gpu", "l40s"}, {"isl", "512"}});
  CHECK(plain["isError"] == false);
  CHECK(plain["structuredContent"] == other["structuredContent"]);
}

TEST_CASE("files are read on the word of whoever starts the server, not of a model", "[mcp]") {
  const std::string directory = scratch_directory();
  const Run saved = ask({"recommend", "--model", "llama-7b", "--task", "finetune", "--json"});
  std::ofstream(directory + "/answer") << saved.out;
  std::ofstream(directory + "/answer.json") << saved.out;
  std::ofstream(directory + "/config.json") << R"({"model_type":"llama","hidden_size":1024,"num_hidden_layers":4})";
  const Json job{{"task", "finetune"}, {"model", "llama-7b"}};
  const auto refused = [&](const std::string& tool, const Json& arguments) {
    const Json result = result_of(tool, arguments, {}, {.directory = directory});
    CAPTURE(tool, arguments.dump(), text_of(result));
    CHECK(result["isError"] == true);
    return text_of(result);
  };
  for (const char* path : {"config.json", "./config.json", "/etc/passwd", "../x.gguf", "."}) {
    Json asked = job;
    asked["model"] = path;
    CHECK(refused("recommend", asked).starts_with("model: files are not read here"));
  }
  for (const char* key : {"rules", "stages", "overlay", "catalog", "output", "color"}) {
    Json asked = job;
    asked[key] = "answer.json";
    CHECK(refused("recommend", asked).find("cannot be set by an assistant") != std::string::npos);
  }
  CHECK(refused("estimate", {{"batch", "answer.json"}}).find("cannot be set by an assistant") != std::string::npos);
  // A file that is there is answered as one that is not.
  const std::string absent = refused("cost", {{"targets", {"nothing"}}});
  CHECK(absent.find("nothing") != std::string::npos);
  for (const char* target : {"answer", "answer.json", "-"})
    CHECK(refused("cost", {{"targets", {target}}}).find(absent.substr(0, absent.find('\''))) == 0);
}

TEST_CASE("what the server is started with holds for every call", "[mcp]") {
  const std::string rules = scratch_file("mcp-rules.yaml",
                                         "rules:\n"
                                         "  - id: not-there\n"
                                         "    effect: reject\n"
                                         "    when: {fact: provider, is: aws}\n"
                                         "    message: \"we do not buy there\"\n"
                                         "    source: our policy\n");
  const Json job{{"task", "finetune"}, {"model", "llama-7b"}, {"cloud", {"aws"}}};
  CHECK(result_of("recommend", job)["structuredContent"]["recommendations"].size() == 10);
  CHECK(result_of("recommend", job, {"--rules", rules})["structuredContent"]["recommendations"].empty());
  const Json own = result_of("instances", {{"words", {"p4d.24xlarge"}}}, {"--price", "p4d.24xlarge=4.2"});
  CHECK(own["structuredContent"]["items"][0]["best_offer"]["price_per_hour"] == 4.2);
}

TEST_CASE("settings hold for calls as for command lines, and are told", "[mcp]") {
  const std::string directory = scratch_directory();
  std::ofstream(directory + "/.gpusel.yaml") << "residency: eu\ncurrency: EUR\noutput: csv\ndiscount: [aws=0.2]\n";
  const Json job{{"task", "finetune"}, {"model", "llama-7b"}, {"cloud", {"aws"}}, {"full", true}};
  const Setting setting{.environment = {{"GPUSEL_METHOD", "lora"}}, .directory = directory};
  Json held = result_of("recommend", job, {}, setting);
  held["structuredContent"].erase("remarks");
  CAPTURE(text_of(held));
  const Run line = ask(words_of("recommend --task finetune --model llama-7b --cloud aws -n 10 --json"), setting);
  CHECK(held["structuredContent"] == Json::parse(line.out));
  CHECK(held["structuredContent"]["recommendations"][0]["cost"]["currency"] == "EUR");
  CHECK(text_of(held).find("residency eu (.gpusel.yaml:1), currency EUR (.gpusel.yaml:2)") != std::string::npos);
  CHECK(text_of(held).find("method lora (GPUSEL_METHOD)") != std::string::npos);
  // Said in the call, or on the server's line, a setting does not hold.
  Json said = job;
  said["currency"] = "CNY";
  const Json other = result_of("recommend", said, {"--discount", "aws=0.3"}, setting);
  CHECK(other["structuredContent"]["recommendations"][0]["cost"]["currency"] == "CNY");
  CHECK(text_of(other).find("aws 30 % off") != std::string::npos);
  CHECK(text_of(other).find("aws=0.2") == std::string::npos);
}

TEST_CASE("a discount of a call holds over the server's of the same subject, and that is told", "[mcp]") {
  const Json call{{"words", {"p4d.24xlarge"}}, {"discount", {"aws=0.1"}}};
  Json both = result_of("instances", call, {"--discount", "aws=0.5", "--discount", "gcp=0.25"});
  Json alone = result_of("instances", call);
  for (Json* one : {&both, &alone}) (*one)["structuredContent"].erase("remarks");
  CHECK(both["structuredContent"] == alone["structuredContent"]);
  CHECK(text_of(both).find("aws 10 % off") != std::string::npos);
  CHECK(text_of(both).find("gcp 25 % off") != std::string::npos);
  CHECK(text_of(both).find("aws 50 % off") == std::string::npos);
  CHECK(text_of(both).find("set again later, not used: aws 50 %") != std::string::npos);
}

TEST_CASE("a server that cannot start says why", "[mcp]") {
  const Run absent = ask({"mcp", "--overlay", "/nowhere.yaml"}, {.input = opening()});
  CHECK(absent.status == 2);
  CHECK(absent.out.empty());
  CHECK(absent.err.find("/nowhere.yaml") != std::string::npos);
  CHECK(ask({"mcp", "--rules", "/nowhere.yaml"}).status == 2);
  CHECK(ask({"mcp", "--json"}).status == 2);
}

TEST_CASE("what a client writes never ends the session", "[mcp]") {
  const std::string ping = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n";
  const std::string deep(100'000, '[');
  const std::vector<std::pair<std::string, int>> bad{
      {deep, -32700},
      {std::string("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}"), -32700},
      {std::string("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\0", 41), -32700},
      {R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})", -32700},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", -32600},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":true,"method":"ping"})", -32600},
      {R"("ping")", -32600},
      {R"(17)", -32600},
      {R"(null)", -32600},
      {"[]", -32600},
      {"{}", -32600},
      {"\"" + std::string(5U << 20U, 'x') + "\"", -32600},
  };
  std::string input;
  for (const auto& [line, code] : bad) input += line + "\n" + ping;
  const Run run = ask({"mcp"}, {.input = input + ping.substr(0, ping.size() - 1)});
  CHECK(run.status == 0);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 2 * bad.size() + 1);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    CAPTURE(bad[i].first.substr(0, 80), lines[2 * i]);
    CHECK(Json::parse(lines[2 * i])["error"]["code"] == bad[i].second);
    CHECK(Json::parse(lines[2 * i + 1])["result"] == Json::object());
  }
  CHECK(run.err.find("a message of more than 4 MiB") != std::string::npos);
  CHECK(ask({"mcp", "--quiet"}, {.input = input}).err.empty());
}

TEST_CASE("an id comes back as it was written, and an error without one carries null", "[mcp]") {
  const gpusel::cli::mcp::Tools tools({});
  gpusel::cli::mcp::Session session(tools, [](const std::string&) {});
  const std::string digits(5000, '7');
  for (const std::string& id :
       std::vector<std::string>{std::string("0"), std::string("-5"), std::string("18446744073709551615"),
                                std::string("123456789012345678901234567890"), digits, std::string("1.5"),
                                std::string(R"("a\u00e9\"\\")"), std::string(R"("")")}) {
    CAPTURE(id);
    const std::string reply = session.answer(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}");
    CHECK(reply ==
          R"({"jsonrpc":"2.0","id":)" + (id[1] == 'a' ? std::string("\"a\u00e9\\\"\\\\\"") : id) + ",\"result\":{}}\n");
    const std::string error = session.answer(R"({"jsonrpc":"2.0","method":"none","id":)" + id + "}");
    CHECK(error.starts_with(R"({"jsonrpc":"2.0","id":)"));
    CHECK((id == digits || Json::accept(error)));  // no double holds that many
  }
  for (const std::string bad : {"{", "[]", "{}", R"({"jsonrpc":"2.0","id":[1],"method":"ping"})", "17"}) {
    CAPTURE(bad);
    CHECK(session.answer(bad).starts_with(R"({"jsonrpc":"2.0","id":null,"error":)"));
  }
}

TEST_CASE("a message cut off anywhere or with any byte changed gets one line back or none", "[mcp]") {
  const gpusel::cli::mcp::Tools tools({});
  const std::string whole = request(3, "tools/list", {{"cursor", "a\u00e9\"\\\n"}});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char other : {'\0', '"', '{', ']', '\\', '\x80', '0'}) {
      gpusel::cli::mcp::Session session(tools, [](const std::string&) {});
      std::string line = whole;
      line[at] = other;
      for (const std::string& text : {session.answer(line), session.answer(whole.substr(0, at))}) {
        if (text.empty()) continue;
        CHECK(text.find('\n') == text.size() - 1);
        CHECK(Json::parse(text)["jsonrpc"] == "2.0");
      }
    }
  }
}

TEST_CASE("a client that goes away is no error", "[mcp]") {
  const std::string input = scratch_file("mcp-pings.jsonl", [] {
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += request(i, "ping", Json::object());
    return many;
  }());
  const Run run = shell("(gpusel mcp < " + input + "; echo status $? >&2) | head -n 1");
  CHECK(run.err == "status 0\n");
  CHECK(ask({"mcp"}).status == 0);
}

}  // namespace mcp_test
