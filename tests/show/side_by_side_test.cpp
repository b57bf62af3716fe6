// Columns of figures with ratios: what fits stands side by side, the rest comes beside the first again.
#include "show/document/side_by_side.hpp"

#include <catch2/catch.hpp>

#include <sstream>

#include "base/text/text.hpp"
#include "show/render/markdown.hpp"
#include "show/render/terminal/terminal.hpp"
#include "support/program.hpp"

namespace side_by_side_test {

using namespace gpusel;
using show::side_by_side_text;
using show::SideBySide;
using show::SideRow;

namespace {

using gpusel::test::lines_of;

SideBySide example(std::size_t columns) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i) names.push_back("provider.a-long-name-" + std::to_string(i));
  SideBySide table(std::move(names));
  SideRow words{"architecture", {}};
  SideRow figures{"bandwidth, GB/s", {}};
  for (std::size_t i = 0; i < columns; ++i) {
    words.cells.push_back({"Ada Lovelace", {}, false, false});
    figures.cells.push_back({std::to_string(900 + 100 * i), i == 0 ? "" : "×1.50", true, i + 1 == columns});
  }
  table.add(std::move(words));
  table.add({});
  table.add(std::move(figures));
  return table;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("figures end below each other, ratios too, and the best has a mark") {
  SideBySide table = example(2);
  table.add({"links", {{"9", {}, true, false}, {"18", "×2.00", true, false}}});
  CHECK(side_by_side_text(table, {}) ==
        "                 provider.a-long-name-0  provider.a-long-name-1\n"
        "architecture     Ada Lovelace            Ada Lovelace\n"
        "\n"
        "bandwidth, GB/s  900                     1000* ×1.50\n"
        "links              9                       18  ×2.00\n");
}

TEST_CASE("words go on in a second line before a name does") {
  SideBySide table({"g7e.2xlarge", "3 × g4-standard-24", "g4-standard-12"});
  table.as_rows.emplace_back(std::vector<show::Column>{});
  table.add({"GPU",
             {{"RTX PRO 6000 96 GB", {}, false, false},
              {"3 × 1/2 RTX PRO 6000 96 GB", {}, false, false},
              {"1/4 RTX PRO 6000 96 GB", {}, false, false}}});
  table.add(
      {"USD per million tokens", {{"0.38", {}, true, true}, {"0.50", {}, true, false}, {"0.76", {}, true, false}}});
  const std::string first = lines_of(side_by_side_text(table, {.width = 80}))[0];
  CHECK(first.find("3 × g4-standard-24") != std::string::npos);
  CHECK(first.find("g4-standard-12") != std::string::npos);
}

TEST_CASE("a side by side table keeps to the width and shows every column") {
  for (std::size_t width = 50; width <= 200; width += 5) {
    const std::string text = side_by_side_text(example(7), {.width = width});
    CAPTURE(width, text);
    for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= width);
    for (int i = 0; i < 7; ++i) CHECK(text.find(std::to_string(900 + 100 * i)) != std::string::npos);
    // The first column stands in every part, and every part is counted.
    const std::size_t parts = count_of(text, "architecture");
    CHECK(count_of(text, " 900") == parts);
    CHECK(count_of(text, "part ") == parts - 1);
  }
}

TEST_CASE("parts are even") {
  // Room for the first and four more of five: three and two, not four and one.
  const std::string text = side_by_side_text(example(6), {.width = 92});
  const auto at = text.find("part 2 of 2");
  REQUIRE(at != std::string::npos);
  CHECK(count_of(text.substr(0, at), "×1.50") == 3);
  CHECK(count_of(text.substr(at), "×1.50") == 2);
}

TEST_CASE("as a plain table a figure has its mark and ratio with it") {
  CHECK(show::markdown_text(example(2).table()) ==
        "|  | provider.a-long-name-0 | provider.a-long-name-1 |\n"
        "|---|---:|---:|\n"
        "| architecture | Ada Lovelace | Ada Lovelace |\n"
        "| bandwidth, GB/s | 900 | 1000\\* (×1.50) |\n");
}

}  // namespace side_by_side_test
