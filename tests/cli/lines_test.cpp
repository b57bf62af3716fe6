#include "cli/lines.hpp"

#include <catch2/catch.hpp>

#include <sstream>
#include <vector>

using gpusel::cli::kMaxLine;
using gpusel::cli::next_line;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; next_line(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("lines end with a line feed or with the input") {
  using Lines = std::vector<std::string>;
  CHECK(lines_of("").empty());
  CHECK(lines_of("\n") == Lines{""});
  CHECK(lines_of("a") == Lines{"a"});
  CHECK(lines_of("a\n") == Lines{"a"});
  CHECK(lines_of("a\r\n\nb") == Lines{"a\r", "", "b"});
  CHECK(lines_of(std::string("a\0b\n", 4)) == Lines{std::string("a\0b", 3)});
}

TEST_CASE("lines of every length around the size of a piece are whole") {
  for (const std::size_t piece : {8191U, 8192U, 16382U, 16384U})
    for (std::size_t size = piece - 3; size <= piece + 3; ++size) {
      const std::string line(size, 'x');
      CHECK(lines_of(line) == std::vector{line});
      CHECK(lines_of(line + "\n") == std::vector{line});
      CHECK(lines_of(line + "\n\nb") == std::vector{line, std::string(), std::string("b")});
    }
}

TEST_CASE("of an over-long line the start is kept, and the next line is whole") {
  const std::string longest(kMaxLine, 'x');
  CHECK(lines_of(longest + "\nb") == std::vector{longest, std::string("b")});
  const auto lines = lines_of(longest + "yzzz\nb");
  REQUIRE(lines.size() == 2);
  CHECK(lines.front() == longest + "y");
  CHECK(lines.back() == "b");
}
