// YAML into a tree with positions; what the format allows and this program does not is refused.
#include <catch2/catch.hpp>

#include "tree.hpp"

namespace yaml_test {

using namespace gpusel;
using namespace gpusel::test;

TEST_CASE("yaml maps lists and scalars become one tree") {
  const Node root = yaml("name: A100\ntags: [a, b]\nmemory: {gb: 80, type: 'HBM2e'}\nnothing:\n");
  REQUIRE(root.is_map());
  REQUIRE(root.children.size() == 4);
  CHECK(member(root, "name").text == "A100");
  CHECK(member(root, "tags").is_list());
  CHECK(member(root, "tags").children[1].text == "b");
  CHECK(member(member(root, "memory"), "gb").text == "80");
  CHECK(member(root, "nothing").kind == Node::Kind::null);
  CHECK(root.find("absent") == nullptr);
}

TEST_CASE("a quoted yaml scalar can only be text") {
  const Node root = yaml("a: 80\nb: '80'\nc: \"80\"\n");
  CHECK_FALSE(member(root, "a").quoted);
  CHECK(member(root, "b").quoted);
  CHECK(member(root, "c").quoted);
  CHECK(member(root, "b").text == "80");
}

TEST_CASE("yaml words for truth and emptiness are kept as written") {
  const Node root = yaml("a: NO\nb: yes\nc: 0x10\nd: 010\ne: 1_000\n");
  CHECK(member(root, "a").text == "NO");  // Norway
  CHECK(member(root, "b").text == "yes");
  CHECK(member(root, "c").text == "0x10");
  CHECK(member(root, "d").text == "010");
  CHECK(member(root, "e").text == "1_000");
}

TEST_CASE("every yaml value knows its line and column") {
  const Node root = yaml("# heading\nname: A100\nmemory:\n  gb: 80\nlist:\n  - one\n  - {k: v}\n");
  CHECK(key_at(member(root, "name")) == "2:1");
  CHECK(at(member(root, "name")) == "2:7");
  CHECK(key_at(member(root, "memory")) == "3:1");
  const Node& gb = member(member(root, "memory"), "gb");
  CHECK(key_at(gb) == "4:3");
  CHECK(at(gb) == "4:7");
  const Node& list = member(root, "list");
  CHECK(at(list.children[0]) == "6:5");
  CHECK(at(member(list.children[1], "k")) == "7:9");  // "  - {k: v}": v stands in column 9
}

TEST_CASE("windows line ends do not move yaml positions") {
  const Node root = yaml("a: 1\r\nb:\r\n  c: two\r\n");
  CHECK(member(root, "a").text == "1");
  const Node& c = member(member(root, "b"), "c");
  CHECK(c.text == "two");
  CHECK(at(c) == "3:6");
}

TEST_CASE("a yaml key that is given twice is refused at the second") {
  const Error error = yaml_error("gpus: 1\nmodels: 2\ngpus: 3\n");
  CHECK(says(error, "'gpus' is given twice"));
  CHECK(error.where == "f.yaml:3:1");
}

TEST_CASE("a nested yaml key that is given twice is refused at the second") {
  const Error error = yaml_error("list:\n  - {a: 1, b: 2, a: 3}\n");
  CHECK(says(error, "'a' is given twice"));
  CHECK(error.where == "f.yaml:2:18");  // "  - {a: 1, b: 2, a: 3}": the second a
}

TEST_CASE("keys that differ only in quotes are the same yaml key") {
  CHECK(says(yaml_error("a: 1\n'a': 2\n"), "given twice"));
}

TEST_CASE("yaml anchors are refused where they stand") {
  CHECK(yaml_error("a: &x 1\n").where == "f.yaml:1:4");
  CHECK(says(yaml_error("a: &x [1]\n"), "anchors"));
  CHECK(says(yaml_error("a: &x {b: 1}\n"), "anchors"));
}

TEST_CASE("yaml aliases are refused even when they would multiply") {
  CHECK(says(yaml_error("a: *x\n"), ""));
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i)
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
            std::to_string(i - 1) + "]\n";
  CHECK(says(yaml_error(bomb), "anchors"));
}

TEST_CASE("a yaml merge key is no more than an ordinary key") {
  CHECK(says(yaml_error("a: &x {b: 1}\nc: {<<: *x}\n"), "not accepted"));
  const Node root = yaml("c: {<<: {b: 1}}\n");
  CHECK(member(root, "c").find("b") == nullptr);
  CHECK(member(root, "c").find("<<") != nullptr);
}

TEST_CASE("yaml tags are refused") {
  CHECK(says(yaml_error("a: !!python/object:os.system ls\n"), "tags"));
  CHECK(says(yaml_error("a: !!int '3'\n"), "tags"));
}

TEST_CASE("yaml nested to the allowed depth is read and one deeper is refused") {
  const auto nested = [](std::size_t depth) { return repeat("[", depth) + repeat("]", depth); };
  CHECK(yaml(nested(kMaxDepth)).is_list());
  CHECK(says(yaml_error(nested(kMaxDepth + 1)), "nested deeper than 64 levels"));
  CHECK(says(yaml_error(repeat("{a: ", kMaxDepth + 1) + repeat("}", kMaxDepth + 1)), "nested deeper"));
}

TEST_CASE("a bottomless yaml file is refused and not followed") {
  yaml_error(repeat("[", 5000));
  yaml_error(repeat("- ", 5000) + "x");
}

TEST_CASE("a NUL character in yaml is refused") {
  CHECK(says(yaml_error("a: \"x\\0y\"\n"), "NUL"));
  CHECK(says(yaml_error(std::string("a: 'x\0y'\n", 9)), "NUL"));
  CHECK(says(yaml_error("\"x\\0y\": 1\n"), "NUL"));
}

TEST_CASE("an empty yaml file is nothing and no error") {
  const auto text = GENERATE("", "\n", "# only a comment\n", "---\n", "   \n");
  CAPTURE(text);
  CHECK(yaml(text).kind == Node::Kind::null);
}

TEST_CASE("a second yaml document is refused") {
  CHECK(says(yaml_error("a: 1\n---\nb: 2\n"), "one YAML document"));
  CHECK(member(yaml("---\na: 1\n"), "a").text == "1");
}

TEST_CASE("broken yaml is refused at its place") {
  CHECK(yaml_error("a: 1\nb: [1, 2\n").where.starts_with("f.yaml:"));
  CHECK(yaml_error("a: 1\n  b: 2\n").where.starts_with("f.yaml:2:"));
  CHECK(yaml_error("a: 1\n]\n").where == "f.yaml:2:1");
  CHECK(yaml_error("a: b: c\n").where.starts_with("f.yaml:1:"));
  CHECK(yaml_error("a: @x\n").where.starts_with("f.yaml:1:"));
}

TEST_CASE("a tab cannot indent yaml") { CHECK(yaml_error("a:\n\tb: 1\n").where.starts_with("f.yaml:2:")); }

TEST_CASE("a yaml key must be plain text") {
  yaml_error("? [a, b]\n: 1\n");
  yaml_error("? {a: b}\n: 1\n");
  yaml_error("{: 1}\n");
}

TEST_CASE("yaml text in other scripts is kept") {
  CHECK(member(yaml("name: 显卡 größer\n"), "name").text == "显卡 größer");
}

TEST_CASE("a yaml quote that is never closed is refused") {
  yaml_error("a: 'x\nb: 2\n");
  yaml_error("a: \"x\nb: 2\n");
}

TEST_CASE("broken UTF-8 in yaml is refused") { yaml_error("a: x\xffy\n"); }

TEST_CASE("a yaml list that is never closed is told as such") {
  CHECK_FALSE(says(yaml_error("[1, 2\n"), "a key must be plain text"));
}

}  // namespace yaml_test
