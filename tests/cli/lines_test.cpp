#include "cli/words/lines.hpp"

#include <catch2/catch.hpp>

#include <vector>

#include "support/program.hpp"

namespace lines_test {

using gpusel::cli::kMaxLine;

namespace {

std::vector<std::string> read_lines(const std::string& text) {
  auto file = gpusel::InputFile::open(gpusel::test::scratch_file("lines.txt", text));
  REQUIRE(file);
  gpusel::cli::Lines in(std::move(*file));
  std::vector<std::string> lines;
  for (std::string line; in.next(line);) lines.push_back(line);
  CHECK(in.failure().empty());
  return lines;
}

}  // namespace

TEST_CASE("lines end with a line feed or with the input") {
  using Lines = std::vector<std::string>;
  CHECK(read_lines("").empty());
  CHECK(read_lines("\n") == Lines{""});
  CHECK(read_lines("a") == Lines{"a"});
  CHECK(read_lines("a\n") == Lines{"a"});
  CHECK(read_lines("a\r\n\nb") == Lines{"a\r", "", "b"});
  CHECK(read_lines(std::string("a\0b\n", 4)) == Lines{std::string("a\0b", 3)});
}

TEST_CASE("lines of every length around the size of a piece are whole") {
  for (const std::size_t piece : {65535U, 131072U})
    for (std::size_t size = piece - 3; size <= piece + 3; ++size) {
      const std::string line(size, 'x');
      CHECK(read_lines(line) == std::vector{line});
      CHECK(read_lines(line + "\n") == std::vector{line});
      CHECK(read_lines(line + "\n\nb") == std::vector{line, std::string(), std::string("b")});
    }
}

TEST_CASE("of an over-long line the start is kept, and the next line is whole") {
  const std::string longest(kMaxLine, 'x');
  CHECK(read_lines(longest + "\nb") == std::vector{longest, std::string("b")});
  const auto lines = read_lines(longest + "yzzz\nb");
  REQUIRE(lines.size() == 2);
  CHECK(lines.front() == longest + "y");
  CHECK(lines.back() == "b");
}

}  // namespace lines_test
