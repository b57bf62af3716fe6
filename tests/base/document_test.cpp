// Files into text, and the tree that YAML and JSON share.
#include <catch2/catch.hpp>

#include <filesystem>

#include "support/program.hpp"
#include "tree.hpp"

namespace document_test {

using namespace gpusel;
using namespace gpusel::test;

TEST_CASE("a file is read whole and unchanged") {
  const std::string text = std::string("a\r\n\0b\xff", 6) + std::string(200000, 'x');
  CHECK(read_text_file(scratch_file("f", text)) == text);
  CHECK(read_text_file(scratch_file("f", ""))->empty());
}

TEST_CASE("a byte order mark is left out") {
  CHECK(read_text_file(scratch_file("f.yaml",
                                    "\xEF\xBB\xBF"
                                    "a: 1\n")) == "a: 1\n");
  CHECK(read_text_file(scratch_file("f.json", "\xEF\xBB\xBF")) == "");
}

TEST_CASE("a file may be as large as the limit and not one byte larger") {
  CHECK(read_text_file(scratch_file("f", std::string(1000, 'x')), 1000));
  const auto text = read_text_file(scratch_file("f", std::string(1001, 'x')), 1000);
  REQUIRE_FALSE(text);
  CHECK(says(text.error(), "larger than"));
}

TEST_CASE("a file that never ends is refused") { CHECK_FALSE(read_text_file("/dev/zero", 1U << 20U)); }

TEST_CASE("a file that cannot be read is named with the reason") {
  const auto missing = read_text_file("/nonexistent/prices.yaml");
  REQUIRE_FALSE(missing);
  CHECK(says(missing.error(), "/nonexistent/prices.yaml"));
  CHECK(says(missing.error(), "No such file"));
  const auto folder = read_text_file("/tmp");
  REQUIRE_FALSE(folder);
  CHECK(says(folder.error(), "directory"));
}

TEST_CASE("a path in a message is safe for a terminal") {
  const auto text = read_text_file("/nonexistent/\x1b[2J");
  REQUIRE_FALSE(text);
  CHECK(text.error().message.find('\x1b') == std::string::npos);
}

TEST_CASE("positions are written as file and line and column") {
  Node node;
  CHECK(position("f.yaml", node) == "f.yaml");
  node.line = 12;
  node.column = 7;
  CHECK(position("f.yaml", node) == "f.yaml:12:7");
  CHECK(key_position("f.yaml", node) == "f.yaml:12:7");  // a value without a key: its own place
  node.key_line = 11;
  node.key_column = 3;
  CHECK(key_position("f.yaml", node) == "f.yaml:11:3");
}

TEST_CASE("a node describes itself for messages") {
  const Node root = yaml("a: text\nb: [1]\nc: {d: 1}\ne:\n");
  CHECK(member(root, "a").describe() == "'text'");
  CHECK(member(root, "b").describe() == "a list");
  CHECK(member(root, "c").describe() == "a map");
  CHECK(member(root, "e").describe() == "nothing");
  Node wild;
  wild.kind = Node::Kind::scalar;
  wild.text = "\x1b[2J" + std::string(1000, 'x');
  CHECK(wild.describe().size() < 80);
  CHECK(wild.describe().find('\x1b') == std::string::npos);
}

TEST_CASE("only a map has members") {
  CHECK(yaml("[a, b]").find("a") == nullptr);
  CHECK(yaml("a").find("a") == nullptr);
}

TEST_CASE("the second of two equal keys is the duplicate") {
  Node map;
  map.kind = Node::Kind::map;
  for (const char* key : {"b", "a", "c", "a", "a"}) {
    map.children.emplace_back().key = key;
    map.children.back().line = static_cast<std::uint32_t>(map.children.size());
  }
  const Node* twice = duplicate_key(map);
  REQUIRE(twice != nullptr);
  CHECK(twice->key == "a");
  CHECK(twice->line == 4);
  map.children.resize(3);
  CHECK(duplicate_key(map) == nullptr);
}

}  // namespace document_test
