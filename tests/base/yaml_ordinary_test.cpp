// What is read in one pass is what the library reads, with the same positions, and most of what people write is.
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <random>
#include <sstream>

#include "base/io/yaml_ordinary.hpp"
#include "support/program.hpp"

namespace yaml_ordinary_test {

using gpusel::test::kSource;
using gpusel::test::read_file;

namespace {

/// Everything that is handed over, in a line each.
class Told final : public YAML::EventHandler {
 public:
  std::string text;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { tell("null", mark, {}); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { tell("alias", mark, {}); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    tell("text" + tag, mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    tell("list", mark, {});
  }
  void OnSequenceEnd() override { text += "end\n"; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    tell("map", mark, {});
  }
  void OnMapEnd() override { text += "end\n"; }

 private:
  void tell(const std::string& what, const YAML::Mark& mark, const std::string& value) {
    text += what + " " + std::to_string(mark.pos) + ":" + std::to_string(mark.line) + ":" +
            std::to_string(mark.column) + " " + value + "\n";
  }
};

std::string by_library(const std::string& text) {
  Told told;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(told);
    Told second;
    if (parser.HandleNextDocument(second)) return "two documents";
  } catch (const YAML::Exception& error) {
    return "wrong: " + error.msg;
  }
  return told.text;
}

/// Whether it was read in one pass; where it was, the library must say the same.
bool is_ordinary(const std::string& text) {
  Told told;
  if (gpusel::read_ordinary_yaml(text, told)) return false;
  CHECK(told.text == by_library(text));
  return true;
}

std::vector<std::string> shipped() {
  std::vector<std::string> texts;
  for (const char* folder :
       {"/data/gpus", "/data/instances", "/data/rules", "/data/command-lines", "/tests/fuzz/seeds"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource + folder))
      if (entry.is_regular_file() && entry.file_size() > 0) texts.push_back(read_file(entry.path().string()));
  return texts;
}

/// Some lines from there on, the first of them at the left.
std::string some_lines(const std::string& whole, std::size_t from, std::size_t bytes) {
  std::istringstream rest(whole.substr(whole.rfind('\n', from) + 1));  // npos + 1: from the beginning
  std::string text, line;
  std::size_t indent = std::string::npos;
  while (text.size() < bytes && std::getline(rest, line)) {
    const std::size_t own = std::min(line.find_first_not_of(' '), line.size());
    indent = std::min(indent, own);
    text += line.substr(std::min(own, indent)) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("what is read in one pass of all data is what the library reads") {
  std::size_t yaml = 0, ordinary = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource + "/data")) {
    if (entry.path().extension() != ".yaml") continue;
    CAPTURE(entry.path().string());
    ++yaml;
    if (is_ordinary(read_file(entry.path().string()))) ++ordinary;
  }
  CHECK(yaml > 50);
  CHECK(ordinary * 10 > yaml * 6);
}

TEST_CASE("what is out of the ordinary is left to the library, and what is not is not") {
  for (const char* text :
       {"a: 1\n", "a: b\nc:\n  - 1\n  - d: 2\n    e: 'f'\n", "a:\n- 1\n- 2\nb: [1, {c: d}]\n", "a: -x\nb: .y\n",
        "# r\na: \"b: c\" # r\n\n\n# s\n", "a: {\n  b: 1,\n  c: 2}\n", "- a\n- b: ~\n", "a: x#y:z"})
    CHECK(is_ordinary(text));
  for (const char* text :
       {"",           "a:\n",         "a: &x 1\n",    "a: *x\n",   "a: !t 1\n",     "a: |\n  b\n",       "a: b\n  c\n",
        "? a\n: b\n", "a: \"\\n\"\n", "a: 'it''s'\n", "a: b: c\n", "\ta: 1\n",      "a: 1\r\n",          "--- a\n",
        "%A\n",       "a: [1\n",      "{a}\n",        "[a: 1]\n",  "a: 1\n b: 2\n", "a: 1\n---\nb: 2\n", "a\n"})
    CHECK_FALSE(is_ordinary(text));
}

TEST_CASE("texts that were changed at random are read as the library reads them, or left to it") {
  const std::vector<std::string> texts = shipped();
  std::mt19937 draw(20261127);  // the same every time
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(draw() % n); };
  constexpr std::string_view kMarks = "  \n\n:-#,[]{}'\"?|>&*!%@~a1.";
  int ordinary = 0;
  for (int i = 0; i < 6'000; ++i) {
    const std::string& whole = texts[below(texts.size())];
    std::string text = some_lines(whole, below(whole.size()), 1 + below(250));
    for (std::size_t changes = below(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = below(text.size());
      if (below(2) == 0)
        text[at] = kMarks[below(kMarks.size())];
      else if (below(2) == 0)
        text.insert(at, 1, kMarks[below(kMarks.size())]);
      else
        text.erase(at, 1 + below(4));
    }
    CAPTURE(text);
    if (is_ordinary(text)) ++ordinary;
  }
  CHECK(ordinary > 1'000);
}

}  // namespace yaml_ordinary_test
