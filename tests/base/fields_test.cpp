// A strict view of one map: everything that is wrong is told, once, at its place.
#include <catch2/catch.hpp>

#include <algorithm>

#include "base/io/fields.hpp"
#include "tree.hpp"

namespace fields_test {
enum class Colour { red, green };
}  // namespace fields_test

template <>
inline constexpr auto gpusel::enum_names<fields_test::Colour> = std::to_array<std::string_view>({"red", "green"});

namespace fields_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

/// A map, a view of it, and what was found wrong.
struct View {
  explicit View(const std::string& text) : root(yaml(text)), fields(root, problems) {}
  Node root;
  Problems problems{"f.yaml", ErrorKind::bad_catalogue, {}};
  Fields fields;

  const Error& only() {
    REQUIRE(problems.errors.size() == 1);
    return problems.errors.front();
  }
};

}  // namespace

TEST_CASE("fields are read by their types") {
  View view(
      "n: 80\nhalf: 1/2\nyes: true\nday: 2026-07-20\nname: x\nlist: [a, b]\none: c\ncolour: green\ndeep: {er: 3}\n");
  CHECK(view.fields.number("n") == 80.0);
  CHECK(view.fields.fraction("half", {0, 1}) == 0.5);
  CHECK(view.fields.boolean("yes") == true);
  CHECK(view.fields.date("day") == Date(2026, 7, 20));
  CHECK(view.fields.text("name") == "x");
  CHECK(view.fields.texts("list") == std::vector<std::string>{"a", "b"});
  CHECK(view.fields.texts("one") == std::vector<std::string>{"c"});
  CHECK(view.fields.one_of<Colour>("colour") == Colour::green);
  CHECK(view.fields.number("deep.er") == 3.0);
  view.fields.finish();
  CHECK(view.problems.errors.empty());
}

TEST_CASE("a field that is absent is nothing and no problem") {
  View view("a: 1\n");
  CHECK(view.fields.has("a"));
  CHECK_FALSE(view.fields.has("b"));
  CHECK_FALSE(view.fields.number("b"));
  CHECK_FALSE(view.fields.boolean("b"));
  CHECK_FALSE(view.fields.date("b"));
  CHECK_FALSE(view.fields.one_of<Colour>("b"));
  CHECK(view.fields.text("b").empty());
  CHECK(view.fields.texts("b").empty());
  CHECK_FALSE(view.fields.find("a.b"));
  view.fields.finish();
  CHECK(view.problems.errors.empty());
}

TEST_CASE("an unknown key is told at the key with the nearest known one") {
  View view("vendor: x\nmemoyr: 80\n");
  view.fields.find("vendor");
  view.fields.find("memory");
  view.fields.finish();
  CHECK(view.only().message == "unknown key 'memoyr'");
  CHECK(view.only().where == "f.yaml:2:1");
  CHECK(view.only().hint == "did you mean 'memory'?");
  CHECK(view.only().kind == ErrorKind::bad_catalogue);
}

TEST_CASE("an unknown key in a group is told with its whole path") {
  View view("memory: {gb: 80, bandwith: 3}\n");
  view.fields.find("memory.gb");
  view.fields.find("memory.bandwidth");
  view.fields.finish();
  CHECK(view.only().message == "unknown key 'memory.bandwith'");
  CHECK(view.only().where == "f.yaml:1:18");
  CHECK(view.only().hint == "did you mean 'memory.bandwidth'?");
}

TEST_CASE("an unknown key that resembles nothing is told the keys that there are, each once") {
  View view("a: 1\nzzzzzzzz: 2\n");
  view.fields.find("a");
  view.fields.find("b");
  view.fields.find("a");
  view.fields.finish();
  CHECK(view.only().hint == "keys: a, b");
}

TEST_CASE("a group that is not a map is told at its value") {
  View view("memory: 80\n");
  view.fields.find("memory.gb");
  view.fields.finish();
  CHECK(says(view.only(), "'memory' must be a map"));
  CHECK(view.only().where == "f.yaml:1:9");
}

TEST_CASE("a value of the wrong type is told at the value") {
  struct Case {
    const char* text;
    void (*read)(Fields&);
    const char* message;
  };
  const auto given = GENERATE(Case{"a: x", [](Fields& f) { f.number("a"); }, "must be a number"},
                              Case{"a: '8'", [](Fields& f) { f.number("a"); }, "must be a number"},
                              Case{"a: 8k", [](Fields& f) { f.number("a"); }, "must be a number"},
                              Case{"a: 010", [](Fields& f) { f.number("a"); }, "must be a number"},
                              Case{"a: .nan", [](Fields& f) { f.number("a"); }, "must be a number"},
                              Case{"a: .inf", [](Fields& f) { f.number("a"); }, "must be a number"},
                              Case{"a: [1]", [](Fields& f) { f.number("a"); }, "must be a number"},
                              Case{"a: {b: 1}", [](Fields& f) { f.number("a"); }, "must be a number"},
                              Case{"a: ~", [](Fields& f) { f.number("a"); }, "must be a number"},
                              Case{"a: [1]", [](Fields& f) { f.fraction("a", {}); }, "must be a number or a fraction"},
                              Case{"a: yes", [](Fields& f) { f.boolean("a"); }, "must be true or false"},
                              Case{"a: 'true'", [](Fields& f) { f.boolean("a"); }, "must be true or false"},
                              Case{"a: 1", [](Fields& f) { f.boolean("a"); }, "must be true or false"},
                              Case{"a: 2026-02-30", [](Fields& f) { f.date("a"); }, "must be a date"},
                              Case{"a: tomorrow", [](Fields& f) { f.date("a"); }, "must be a date"},
                              Case{"a: [x]", [](Fields& f) { f.text("a"); }, "must be text"},
                              Case{"a: ''", [](Fields& f) { f.text("a"); }, "must be text"},
                              Case{"a: ~", [](Fields& f) { f.text("a"); }, "must be text"},
                              Case{"a: {b: c}", [](Fields& f) { f.texts("a"); }, "must be a list"},
                              Case{"a: blue", [](Fields& f) { f.one_of<Colour>("a"); }, "cannot be 'blue'"},
                              Case{"a: Red", [](Fields& f) { f.one_of<Colour>("a"); }, "cannot be 'Red'"},
                              Case{"a: [red]", [](Fields& f) { f.one_of<Colour>("a"); }, "cannot be a list"});
  CAPTURE(given.text);
  View view(given.text);
  given.read(view.fields);
  REQUIRE_FALSE(view.problems.errors.empty());
  CHECK(says(view.problems.errors.front(), given.message));
  CHECK(view.problems.errors.front().where == "f.yaml:1:4");
}

TEST_CASE("a list entry that is no text is told at the entry") {
  View view("a: [x, [y], z]\n");
  CHECK(view.fields.texts("a") == std::vector<std::string>{"x", "z"});
  CHECK(view.only().where == "f.yaml:1:8");
}

TEST_CASE("a name that is not allowed is told with all that are") {
  View view("a: blue\n");
  CHECK_FALSE(view.fields.one_of<Colour>("a"));
  CHECK(view.only().hint == "allowed: red, green");
}

TEST_CASE("a number out of range is told and not used") {
  View view("a: -1\n");
  CHECK_FALSE(view.fields.number("a", {.low = 0}));
  CHECK(says(view.only(), "a: -1 is out of range"));
  CHECK(view.only().hint == "allowed: at least 0");
  CHECK(view.only().where == "f.yaml:1:4");
}

TEST_CASE("the ends of a range belong to it") {
  View view("a: 0\nb: 1\n");
  CHECK(view.fields.number("a", {0, 1}) == 0.0);
  CHECK(view.fields.number("b", {0, 1}) == 1.0);
  CHECK(view.problems.errors.empty());
}

TEST_CASE("a required field that is missing is told at the map") {
  View view("b: 1\n");
  view.fields.require("a");
  view.fields.require("b");
  CHECK(view.only().message == "'a' is missing");
  CHECK(view.only().where == "f.yaml:1:1");
}

TEST_CASE("what is not a map is told once and reads as empty") {
  View view("[a, b]\n");
  view.fields.require("a");
  CHECK_FALSE(view.fields.has("a"));
  view.fields.finish();
  CHECK(says(view.only(), "a map was expected"));
}

TEST_CASE("all problems of a map are told together") {
  View view("a: x\nb: -1\nc: blue\nd: 1\n");
  view.fields.number("a");
  view.fields.number("b", {.low = 0});
  view.fields.one_of<Colour>("c");
  view.fields.require("e");
  view.fields.finish();
  CHECK(view.problems.errors.size() == 5);  // three values, one missing, one unknown
  for (const char* where : {"f.yaml:1:4", "f.yaml:2:4", "f.yaml:3:4", "f.yaml:4:1"}) {
    CAPTURE(where);
    CHECK(std::any_of(view.problems.errors.begin(), view.problems.errors.end(),
                      [&](const Error& error) { return error.where == where; }));
  }
}

TEST_CASE("a problem message is safe for a terminal") {
  View view("a: \"\\e[2J\"\n\"k\\e[2J\": 1\n");
  view.fields.number("a");
  view.fields.finish();
  REQUIRE(view.problems.errors.size() == 2);
  for (const Error& error : view.problems.errors) CHECK(error.message.find('\x1b') == std::string::npos);
}

}  // namespace fields_test
