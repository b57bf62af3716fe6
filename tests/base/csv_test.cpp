// Tables as documents: cells with their places, and what is not a table refused with a place.
#include <catch2/catch.hpp>

#include "base/io/csv.hpp"

namespace csv_test {

using namespace gpusel;

namespace {

std::string refusal(std::string_view text) {
  const auto csv = parse_csv(text, "t.csv");
  REQUIRE_FALSE(csv.has_value());
  return csv.error().where + ": " + csv.error().message;
}

}  // namespace

TEST_CASE("rows of a table are maps from column to text") {
  const auto csv = parse_csv("# a remark\nname,note,count\r\na,\"says \"\"no\"\", twice\",3\r\n\n,,\nb,,4", "t.csv");
  REQUIRE(csv.has_value());
  REQUIRE(csv->header.size() == 3);
  REQUIRE(csv->rows.size() == 2);
  CHECK(csv->rows[0].find("note")->text == "says \"no\", twice");
  CHECK(csv->rows[1].find("note") == nullptr);
  CHECK(csv->rows[1].find("count")->text == "4");
}

TEST_CASE("every cell knows its line and column") {
  const auto csv = parse_csv("name,note,count\na,\"two\nlines\",3\nb,x,4\n", "t.csv");
  REQUIRE(csv.has_value());
  CHECK(position("t.csv", *csv->rows[0].find("note")) == "t.csv:2:3");
  CHECK(position("t.csv", *csv->rows[0].find("count")) == "t.csv:3:8");
  CHECK(position("t.csv", *csv->rows[1].find("count")) == "t.csv:4:5");
}

TEST_CASE("a byte order mark is no part of the first column's name") {
  const auto csv = parse_csv("\xEF\xBB\xBFname\na\n", "t.csv");
  REQUIRE(csv.has_value());
  CHECK(csv->header[0].text == "name");
}

TEST_CASE("what is not a table is refused where it stops being one") {
  CHECK(refusal("") == "t.csv: there is no header line with column names");
  CHECK(refusal("# only a remark") == "t.csv: there is no header line with column names");
  CHECK(refusal("a,,c\n") == "t.csv:1:3: the column has no name");
  CHECK(refusal("a,b,a\n") == "t.csv:1:5: there are two columns 'a'");
  CHECK(refusal("a,b\n1,2,3\n") == "t.csv:2:5: the row has 3 cells, there are 2 columns");
  CHECK(refusal("a,b\n1,\"2\n") == "t.csv:2:3: the quote is not closed");
  CHECK(refusal("a,b\n\"1\"x,2\n") == "t.csv:2:1: there is text behind the closing quote");
}

}  // namespace csv_test
