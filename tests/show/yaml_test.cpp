#include "show/json/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <catch2/catch.hpp>

#include "support/program.hpp"

namespace yaml_test {

using gpusel::show::Json;
using gpusel::show::yaml;
using namespace gpusel::test;

namespace {

/// What yaml-cpp reads, as JSON: plain scalars by YAML's own rules, quoted ones as text.
Json read(const YAML::Node& node) {
  if (node.IsNull()) return nullptr;
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const auto& item : node) list.push_back(read(item));
    return list;
  }
  if (node.IsMap()) {
    Json map = Json::object();
    for (const auto& member : node) map[member.first.as<std::string>()] = read(member.second);
    return map;
  }
  if (node.Tag() == "!") return node.as<std::string>();
  bool truth = false;
  std::int64_t whole = 0;
  double number = 0;
  if (YAML::convert<bool>::decode(node, truth)) return truth;
  if (YAML::convert<std::int64_t>::decode(node, whole)) return whole;
  if (YAML::convert<double>::decode(node, number)) return number;
  return node.as<std::string>();
}

Json round_trip(const Json& json) { return read(YAML::Load(yaml(json))); }

}  // namespace

TEST_CASE("YAML is block style with the keys of the JSON") {
  const Json json{{"schema", "gpusel.gpus/1"},
                  {"items", {{{"id", "l4"}, {"aliases", {"a", "b"}}, {"memory_gb", 24}, {"none", nullptr}}}},
                  {"empty", Json::array()},
                  {"map", Json::object()}};
  CHECK(yaml(json) ==
        "schema: gpusel.gpus/1\n"
        "items:\n"
        "  - id: l4\n"
        "    aliases:\n"
        "      - a\n"
        "      - b\n"
        "    memory_gb: 24\n"
        "    none: null\n"
        "empty: []\n"
        "map: {}\n");
}

TEST_CASE("lines come back with their indents, empty lines and ends") {
  const auto* text =
      GENERATE("{\n  \"a\": [\n    1\n  ]\n}", "a\n\n  b  \n", "a\nb\n", "a\nb", "a\n# b\n- c: d", "\ta\nb");
  CHECK(round_trip({{"text", text}, {"list", {text}}}) == Json{{"text", text}, {"list", {text}}});
}

TEST_CASE("texts that YAML could read as something else come back as texts") {
  const auto* text =
      GENERATE("", "1", "1.5", "1e3", "0x1F", "010", "1_000", "12:30", "2026-11-01", "true", "No", "y", "NULL", "~",
               ".inf", ".nan", "NaN", "- a", "a: b", "a:", "a #b", "#a", "*a", "&a", "!a", "[a]", "{a}", "a, b", " a",
               "a ", "\"", "\\", "a\nb", "\t", "\x01", "\x7f", "%a", "@a", "`a`", "|", ">", "?", "-", "--- ", "上海",
               "\xC2\x85", "\xE2\x80\xA8", "\xEF\xBB\xBF", "=cmd()", "NVIDIA L40S (48 GB)", "h100:8", "<<");
  CAPTURE(text);
  CHECK(round_trip(Json{{"k", text}}) == Json{{"k", text}});
  CHECK(round_trip(Json::array({text})) == Json::array({text}));
  if (*text != '\0') CHECK(round_trip(Json{{text, 1}}) == Json{{text, 1}});
}

TEST_CASE("numbers, truth values, nothing and lists in lists come back as they were") {
  const Json json{{"n", {0, -1, 0.1, 1e-7, 1e22, -2.5e-300, 9007199254740993}},
                  {"b", {true, false}},
                  {"null", nullptr},
                  {"deep", {{1, {2, {3}}}, Json::array(), {{{"a", {{"b", Json::array()}}}}}}}};
  CHECK(round_trip(json) == json);
}

TEST_CASE("broken UTF-8 becomes the replacement character, as in JSON") {
  CHECK(round_trip(Json{{"k", "a\xFF"}}) == Json{{"k", "a\xEF\xBF\xBD"}});
}

TEST_CASE("every command with JSON prints the same as YAML") {
  for (const char* question :
       {"gpus l4", "gpus show l40s", "instances --gpu h100", "models show llama-3.1-8b",
        "recommend --model llama-7b --task finetune --method lora -n 2",
        "estimate --model llama-3.1-8b --task inference --gpu l4 --explain", "compare t4 l4", "catalog lint --list"}) {
    CAPTURE(question);
    std::vector<std::string> words = words_of(question);
    words.insert(words.end(), {"--catalog", "tests/data/market", "-o", "json"});
    const Run json = ask(words);
    words.back() = "yaml";
    const Run as_yaml = ask(words);
    REQUIRE(as_yaml.status == 0);
    CHECK(read(YAML::Load(as_yaml.out)) == Json::parse(json.out));
  }
}

}  // namespace yaml_test
