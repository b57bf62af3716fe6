#include "base/text/columns.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace columns_test {

using gpusel::columns_of;
using gpusel::line_pieces;

using Pieces = std::vector<std::string_view>;

TEST_CASE("a line may end around wide characters") {
  CHECK(line_pieces("abc") == Pieces{"abc"});
  CHECK(line_pieces("") == Pieces{""});
  CHECK(line_pieces("显存80GB带宽") == Pieces{"显", "存", "80GB", "带", "宽"});
}

TEST_CASE("no line begins with what closes, and marks stay with their character") {
  CHECK(line_pieces("显存，带") == Pieces{"显", "存，", "带"});
  CHECK(line_pieces("显\u0301存") == Pieces{"显\u0301", "存"});
}

TEST_CASE("columns of characters at the ends of ranges") {
  CHECK(columns_of('a') == 1);
  CHECK(columns_of(0x2FF) == 1);
  CHECK(columns_of(0x300) == 0);
  CHECK(columns_of(0x10FF) == 1);
  CHECK(columns_of(0x1100) == 2);
  CHECK(columns_of(0x115F) == 2);
  CHECK(columns_of(0x1160) == 0);
  CHECK(columns_of(0xFF60) == 2);
  CHECK(columns_of(0xFF61) == 1);
  CHECK(columns_of(0x10FFFF) == 1);
}

}  // namespace columns_test
