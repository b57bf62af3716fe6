#include "show/document/table.hpp"

#include <catch2/catch.hpp>

#include "base/text/text.hpp"
#include "show/render/csv.hpp"
#include "show/render/markdown.hpp"
#include "show/render/terminal/terminal.hpp"

namespace table_test {

using namespace gpusel;
using show::Align;
using show::csv_text;
using show::markdown_text;
using show::Table;
using show::table_text;

namespace {

Table example() {
  Table table({{"name", Align::left, 0, 8}, {"USD/h", Align::right, 0}, {"notes", Align::left, 2}});
  table.add({"a-rather-long-instance-name", "1.50", "first"});
  table.add({"b", "12.00", "second"});
  return table;
}

/// The widest line of a text.
std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const auto line : split(text, '\n')) width = std::max(width, display_width(line));
  return width;
}

}  // namespace

TEST_CASE("a table without a limit shows everything aligned") {
  CHECK(table_text(example(), {}) ==
        "name                         USD/h  notes\n"
        "a-rather-long-instance-name   1.50  first\n"
        "b                            12.00  second\n");
}

TEST_CASE("the points of a column stand under one another, and words in it where they did") {
  Table table({{"name", Align::left, 0}, {"USD/h", Align::right, 0}});
  for (const char* price : {"1.50", "0.090", "1,234", "none", "-0.5", "2 to 3"}) table.add({"a", price});
  CHECK(table_text(table, {}) ==
        "name      USD/h\n"
        "a         1.50\n"
        "a         0.090\n"
        "a     1,234\n"
        "a          none\n"
        "a        -0.5\n"
        "a        2 to 3\n");
  CHECK(csv_text(table).find("1.50\n") != std::string::npos);
}

TEST_CASE("a table fits the width, says what it left out, and cuts no name") {
  for (const std::size_t width : {40U, 34U, 30U, 24U}) {
    const std::string text = table_text(example(), {.width = width});
    CAPTURE(width, text);
    CHECK(widest(text) <= width);
    CHECK(text.find("12.00") != std::string::npos);
    CHECK(text.find("…") == std::string::npos);
    // Narrower than itself, a name goes on behind a separator.
    CHECK(text.find(width > 27 ? "a-rather-long-instance-name" : "a-rather-long-instance-\n") != std::string::npos);
  }
  CHECK(table_text(example(), {.width = 24}).find("notes") != std::string::npos);
}

TEST_CASE("a narrow column that was left out comes back where a wide one made more room than it took") {
  Table table({{"name", Align::left, 0},
               {"what it is good for, in words", Align::left, 2},
               {"USD/h", Align::right, 0},
               {"USD/month", Align::right, 3}});
  table.add({"a", "much of what people ask for here", "1.50", "1,095"});
  table.add({"b", "little of what people ask for it", "2.50", "1,825"});
  const std::string text = table_text(table, {.width = 36});
  CAPTURE(text);
  CHECK(text.starts_with("name  USD/h  USD/month\n"));
  CHECK(text.find("hidden columns: what it is good for") != std::string::npos);
}

TEST_CASE("a name that is longer than those of the other rows has a line of its own, and its row goes on below") {
  Table table({{"name", Align::left, 0}, {"USD/h", Align::right, 0}, {"GPU", Align::left, 2}});
  table.add({"an-instance-of-a-very-long-name", "1.50", "T4"});
  for (const char* name : {"b", "c", "d"}) table.add({name, "12.00", "L4"});
  CHECK(table_text(table, {.width = 34}) ==
        "name                    USD/h  GPU\n"
        "an-instance-of-a-very-long-name\n"
        "                         1.50  T4\n"
        "b                       12.00  L4\n"
        "c                       12.00  L4\n"
        "d                       12.00  L4\n");
}

TEST_CASE("the words of a column are not broken because another holds a path that no line has room for") {
  Table table({show::left("subject"), show::left("finding")});
  table.add({"own calibration", "/home/somebody/a-folder/with-a-rather-long-name/gpusel/calibration.yaml: 3 values"});
  for (const std::size_t width : {60U, 70U, 80U}) {
    const std::string text = table_text(table, {.width = width});
    CAPTURE(width, text);
    CHECK(widest(text) <= width);
    CHECK(text.find("own calibration  ") != std::string::npos);
  }
}

TEST_CASE("wide characters take two columns") {
  Table table({{"name"}, {"n", Align::right}});
  table.add({"上海", "1"});
  table.add({"abcd", "2"});
  CHECK(table_text(table, {}) == "name  n\n上海  1\nabcd  2\n");
}

TEST_CASE("csv quotes what needs it and disarms formulas") {
  Table table({{"a"}, {"b"}});
  table.add({"x,y", "say \"hi\""});
  table.add({"=HYPERLINK(1)", "-5"});
  const std::string csv = csv_text(table);
  CAPTURE(csv);
  CHECK(csv.find("\"x,y\",\"say \"\"hi\"\"\"") != std::string::npos);
  CHECK(csv.find("\n=HYPERLINK") == std::string::npos);
  // A negative number is a number.
  CHECK(csv.find("-5") != std::string::npos);
}

TEST_CASE("a column that may be shortened makes room for wide characters, combining marks and what is not seen") {
  const std::string names[] = {"上海显存显存显存显存", "e\u0301e\u0301e\u0301e\u0301 caf\u00e9 au lait et plus",
                               "zero\u200b\u200bwidth\ufeff joined", "👩\u200d💻 made of three",
                               "plain and long enough to be cut"};
  Table table({{"名称 name", Align::left, 0, 3}, {"USD/h", Align::right, 1, 2}, {"备注 notes", Align::left, 2, 4}});
  for (const std::string& name : names) table.add({name, "12.50", name + name});
  for (std::size_t width = 5; width <= 200; ++width) {
    const std::string text = table_text(table, {.width = width});
    CAPTURE(width, text);
    CHECK(widest(text) <= std::max<std::size_t>(width, widest("  (-o wide")));
    CHECK(valid_utf8_prefix(text) == text.size());
  }
  for (std::size_t width = 0; width < 5; ++width) CHECK_NOTHROW(table_text(table, {.width = width}));
  CHECK(table_text(table, {.width = 0}).find("备注 notes") != std::string::npos);
}

TEST_CASE("cells stand below each other whatever their characters") {
  Table table({{"name"}, {"n", Align::right}});
  table.add({"显存", "1"});
  table.add({"cafe\u0301", "2"});
  table.add({"a\u200bbcd", "3"});
  CHECK(table_text(table, {}) == "name  n\n显存  1\ncafe\u0301  2\na\u200bbcd  3\n");
}

TEST_CASE("text without blanks is wrapped between wide characters, and not before what closes") {
  CHECK(show::wrap("显存不足，需要十六", 9, 2) == "显存不\n  足，需\n  要十六\n");
  CHECK(show::wrap("显存 80 GB", 6, 0) == "显存\n80 GB\n");
  for (std::size_t width = 4; width <= 60; ++width) {
    const std::string text = show::wrap("   每小时 12.5 USD，显存 80 GiB；带宽 3350 GB/s cafe\u0301", width, 2);
    CAPTURE(width, text);
    CHECK(widest(text) <= std::max<std::size_t>(width, 6));
  }
}

TEST_CASE("markdown shows a cell's marks") {
  Table table({{"a"}});
  table.add({"x|y <b> `c` *d* _e_ [f](g) snake_case 2 * 3"});
  CHECK(markdown_text(table) == "| a |\n|---|\n| x\\|y \\<b> \\`c\\` \\*d\\* \\_e\\_ \\[f\\](g) snake_case 2 * 3 |\n");
}

TEST_CASE("long sentences are wrapped at words and later lines indented") {
  CHECK(show::wrap("one two three four", 9, 2) == "one two\n  three\n  four\n");
  CHECK(show::wrap("one two three four", 0, 2) == "one two three four\n");
}

TEST_CASE("csv gives programs the value behind a cell, and columns their keys") {
  Table table({{"GB", Align::right, 0, 0, "memory_gb"}, {"name"}});
  table.add({show::figure_cell("1/6", 1.0 / 6), "a"});
  table.add({show::figure_cell("?", std::nullopt), "+1"});
  table.add({show::figure_cell("-5", -5), "-x"});
  CHECK(csv_text(table) == "memory_gb,name\n0.16666666666666666,a\n,+1\n-5,'-x\n");
  CHECK(table_text(table, {}) == " GB  name\n1/6  a\n  ?  +1\n -5  -x\n");
}

TEST_CASE("csv leaves figures with their unit as they are, and disarms what could call something") {
  Table table({{"a"}});
  for (const char* cell : {"-5.0 points", "+20%", "-1,234 USD/h", "-2+3", "-x", "+cmd|' /C calc'!A0", "-1 (x)", "@a"})
    table.add({cell});
  CHECK(csv_text(table) == "a\n-5.0 points\n+20%\n\"-1,234 USD/h\"\n'-2+3\n'-x\n'+cmd|' /C calc'!A0\n'-1 (x)\n'@a\n");
}

TEST_CASE("titles break and texts are shortened before a table is wider than asked, and figures never are") {
  Table table({{"does it fit", Align::left, 0},
               {"ran out of memory", Align::right, 0},
               {"balanced accuracy", Align::right, 0}});
  table.add({"training", "1,345", "69 %"});
  CHECK(table_text(table, {.width = 34}) ==
        "does it     ran out of    balanced\n"
        "fit             memory    accuracy\n"
        "training         1,345        69 %\n");
  const std::string narrow = table_text(table, {.width = 26});
  CHECK(widest(narrow) <= 26);
  CHECK(narrow.find("1,345") != std::string::npos);
}

}  // namespace table_test
