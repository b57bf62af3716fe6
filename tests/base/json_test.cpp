// JSON into the same tree as YAML, with positions, strict or as Python writes it.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <tuple>

#include "tree.hpp"

namespace json_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

bool same(const Node& a, const Node& b) {
  const auto outside = [](const Node& n) {
    return std::tuple(n.kind, n.quoted, n.line, n.column, n.key, n.key_line, n.key_column, n.text);
  };
  return outside(a) == outside(b) && std::ranges::equal(a.children, b.children, same);
}

/// A text of JSON with a few characters put in, left out or put in place of others.
std::string damaged(std::string text, std::mt19937& chance) {
  static constexpr std::string_view kOdd = "{}[]\",:0123456789-+.eEtfn \\\n\t\x01\x7F\xC3\xA9";
  for (auto times = chance() % 3; times > 0; --times) {
    const std::size_t at = chance() % (text.size() + 1);
    text.replace(at, chance() % 2, chance() % 4, kOdd[chance() % kOdd.size()]);
  }
  return text;
}

}  // namespace

TEST_CASE("json objects arrays and scalars become one tree") {
  const Node root = json(R"({"a": 1, "b": [true, null, "x"], "c": {"d": 0.5}})");
  REQUIRE(root.is_map());
  CHECK(member(root, "a").text == "1");
  CHECK_FALSE(member(root, "a").quoted);
  const Node& b = member(root, "b");
  REQUIRE(b.children.size() == 3);
  CHECK(b.children[0].text == "true");
  CHECK(b.children[1].kind == Node::Kind::null);
  CHECK(b.children[2].text == "x");
  CHECK(b.children[2].quoted);
  CHECK(member(member(root, "c"), "d").text == "0.5");
}

TEST_CASE("json members stay in file order") {
  const Node root = json(R"({"z": 1, "a": 2, "m": 3})");
  CHECK(root.children[0].key == "z");
  CHECK(root.children[1].key == "a");
  CHECK(root.children[2].key == "m");
}

TEST_CASE("json escapes are decoded") {
  CHECK(member(json(R"({"a": "x\n\"\u00e9\ud83d\ude80"})"), "a").text == "x\n\"é🚀");
  CHECK(json(R"({"\u0061": 1})").find("a") != nullptr);
}

TEST_CASE("json numbers keep the digits that were written") {
  const Node root = json(R"({"a": 1e-05, "b": 500000.0, "c": -3, "d": 18446744073709551615})");
  CHECK(member(root, "a").text == "1e-05");
  CHECK(member(root, "b").text == "500000.0");
  CHECK(member(root, "c").text == "-3");
  CHECK(member(root, "d").text == "18446744073709551615");
}

TEST_CASE("an integer that no double holds keeps its digits, and what stands behind it its place") {
  const std::string digits(5000, '7');
  const Node root = json("{\"a\": [-" + digits + ", \"" + digits + "\"], \"b\": -0}");
  CHECK(member(root, "a").children[0].text == "-" + digits);
  CHECK(member(root, "a").children[1].text == digits);
  CHECK(member(root, "b").text == "-0");
  json_error("[" + digits + ".5]");
  json_error("[" + digits + "e5]");
}

TEST_CASE("json keys and texts know their line and column") {
  const Node root = json("{\n  \"name\": \"x\",\n  \"list\": [\n    \"one\"]}\n");
  CHECK(key_at(member(root, "name")) == "2:3");
  CHECK(at(member(root, "name")) == "2:11");
  CHECK(key_at(member(root, "list")) == "3:3");
  CHECK(at(member(root, "list").children[0]) == "4:5");
}

TEST_CASE("json numbers followed by a comma know their line and column") {
  const Node root = json("{\n  \"a\": 4096,\n  \"b\": 2\n}\n");
  CHECK(at(member(root, "a")) == "2:8");
}

TEST_CASE("a json key that is given twice is refused at the second") {
  const Error error = json_error("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}");
  CHECK(says(error, "'a' is given twice"));
  CHECK(error.where == "f.json:3:2");
  CHECK(says(json_error(R"({"x": {"a": 1, "\u0061": 2}})"), "'a' is given twice"));
}

TEST_CASE("json nested to the allowed depth is read and one deeper is refused") {
  const auto nested = [](std::size_t depth) { return repeat("[", depth) + repeat("]", depth); };
  CHECK(json(nested(kMaxDepth)).is_list());
  CHECK(says(json_error(nested(kMaxDepth + 1)), "nested deeper than 64 levels"));
  CHECK(says(json_error(repeat("{\"a\":", kMaxDepth + 1)), "nested deeper"));
}

TEST_CASE("a bottomless json file is refused and not followed") {
  CHECK(says(json_error(repeat("[", 1000000)), "nested deeper"));
}

TEST_CASE("text that is not json is refused") {
  const auto text =
      GENERATE("", " ", "{", "{\"a\"", "{\"a\":", "{\"a\": 1", "[1, 2", "[1 2]", "{a: 1}", "{'a': 1}", "[1,]",
               "{\"a\": 1,}", "[01]", "[+1]", "[.5]", "[1.]", "[0x10]", "[1e]", "[tru]", "[nul]", "[1] [2]", "[1] x",
               "\"a", "\"\\x\"", "\"\\ud800\"", "// note\n[1]", "/* note */ [1]", "['a']", "\"a\tb\"", "\"a\nb\"");
  CAPTURE(text);
  json_error(text);
}

TEST_CASE("a trailing comma is refused where it shows") {
  CHECK(json_error("{\n  \"a\": 1,\n}").where.starts_with("f.json:3:"));
}

TEST_CASE("broken UTF-8 in json is refused") {
  json_error("[\"\xff\"]");
  json_error("[\"\xc3\"]");
  json_error("[\"\xed\xa0\x80\"]");
}

TEST_CASE("a message about broken json is safe for a terminal") {
  CHECK(json_error("[\x1b[31m]").message.find('\x1b') == std::string::npos);
  CHECK(json_error("{\"a\x1b[2J\": 1}").message.find('\x1b') == std::string::npos);
}

TEST_CASE("strict json has neither NaN nor Infinity") {
  const auto text = GENERATE("[NaN]", "[Infinity]", "[-Infinity]", "[nan]", "[inf]");
  CAPTURE(text);
  json_error(text);
}

TEST_CASE("json as python writes it reads NaN and Infinity as nothing") {
  const Node root = json(R"({"a": NaN, "b": Infinity, "c": -Infinity, "d": [NaN, 1]})", JsonDialect::python);
  CHECK(member(root, "a").kind == Node::Kind::null);
  CHECK(member(root, "b").kind == Node::Kind::null);
  CHECK(member(root, "c").kind == Node::Kind::null);
  CHECK(member(root, "d").children[0].kind == Node::Kind::null);
  CHECK(member(root, "d").children[1].text == "1");
}

TEST_CASE("NaN inside a json text or key stays as it is") {
  const Node root = json(R"({"NaN": "NaN \" Infinity"})", JsonDialect::python);
  CHECK(member(root, "NaN").text == "NaN \" Infinity");
}

TEST_CASE("what python never writes is refused in its dialect too") {
  const auto text =
      GENERATE("[NaNs]", "[Infinity1]", "[-NaN]", "[+Infinity]", "[nan]", "[None]", "[True]", "{NaN: 1}", "[1,]");
  CAPTURE(text);
  json_error(text, JsonDialect::python);
}

TEST_CASE("a json number at the end of a line knows its line and column") {
  const Node root = json("{\n  \"a\": 4096,\n  \"b\": 200\n}\n");
  CHECK(at(member(root, "b")) == "3:8");
}

TEST_CASE("json literals know their line and column") {
  const Node root = json("{\"a\": true, \"b\": null}");
  CHECK(at(member(root, "a")) == "1:7");
  CHECK(at(member(root, "b")) == "1:18");
}

TEST_CASE("json objects and arrays know their line and column") {
  const Node root = json("{\"a\": {},\n \"b\": []}");
  CHECK(at(member(root, "a")) == "1:7");
  CHECK(at(member(root, "b")) == "2:7");
}

TEST_CASE("json that ends too early says so") { CHECK(says(json_error("{\"a\": [1, 2"), "ends too early")); }

TEST_CASE("a NUL character between json tokens is refused") { json_error(std::string("[1]\0[2]", 7)); }

TEST_CASE("NaN in json does not move the positions behind it") {
  const Node root = json(R"({"a": NaN, "b": 1, "c": 2})", JsonDialect::python);
  CHECK(key_at(member(root, "b")) == "1:12");
}

TEST_CASE("a message about a trailing comma names the bracket alone") {
  const Error error = json_error("{\n  \"a\": 1,\n}");
  CHECK(says(error, "unexpected '}'"));
  CHECK(error.where == "f.json:3:1");
}

TEST_CASE("json with an escape in it is the same tree or the same error as without") {
  const std::string texts[] = {
      R"({"id": "17", "task":"inference", "gpus": 8, "share": 0.25, "below": -12.50, "on": true, "off" :false})",
      "[[], {}, [{}], null,\n  {\"a\": {\"b\": [0, -1, 10, 0.0]}}, \"\", \"{[,:]}\"]",
      R"([123456789012345678, 1234567890123456789, 12345678901234567890, 1e5, 1E+5, 1.5e-3, -0, 0, -0.0])", "7"};
  std::mt19937 chance(3);
  int good = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = damaged(texts[i % std::size(texts)], chance) + "}";
    const auto as_it_is = parse_json("{\"a\":\n" + text, "f.json");
    const auto escaped = parse_json("{\"\\u0061\":\n" + text, "f.json");
    CAPTURE(text);
    REQUIRE(as_it_is.has_value() == escaped.has_value());
    if (as_it_is) {
      REQUIRE(same(as_it_is->root, escaped->root));
      ++good;
    } else if (as_it_is.error().where.starts_with("f.json:2")) {  // escaping moves what stands in the first line
      REQUIRE(as_it_is.error().message == escaped.error().message);
      REQUIRE(as_it_is.error().where == escaped.error().where);
    }
  }
  CHECK(good > 5'000);
  CHECK(good < 15'000);
}

}  // namespace json_test
