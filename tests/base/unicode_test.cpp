// What is not seen in a text must neither act on a terminal nor hide in a name; columns and ends of lines.
#include <catch2/catch.hpp>

#include "base/text/text.hpp"
#include "base/text/unicode.hpp"

namespace unicode_test {

using gpusel::columns_of;
using gpusel::is_unseen;
using gpusel::line_pieces;
using gpusel::printable;
using gpusel::visible;
using gpusel::with_escapes;

TEST_CASE("controls, directions, zero widths and tags are unseen, letters of every script are not") {
  for (const char32_t c :
       {U'\0',     U'\t',     U'\n',     U'\x1b',   U'\x7f',   U'\x80',   U'\x9b',   U'\x9f',       U'\u00ad',
        U'\u034f', U'\u061c', U'\u115f', U'\u180e', U'\u200b', U'\u200d', U'\u200f', U'\u2028',     U'\u202e',
        U'\u2060', U'\u2069', U'\u206f', U'\u3164', U'\ufeff', U'\uffa0', U'\ufff9', U'\U000e0041', U'\U000e0fff'})
    CHECK(is_unseen(c));
  for (const char32_t c : {U' ', U'~', U'\u00a0', U'\u00ac', U'\u00ae', U'é', U'\u0301', U'א', U'中', U'\u2010', U'…',
                           U'\u2070', U'\ufe0f', U'\uff21', U'\ufffd', U'\U0001f600', U'\U000e1000'})
    CHECK_FALSE(is_unseen(c));
}

TEST_CASE("what is unseen is printed as an escape") {
  CHECK(printable("a\x1b[1m\u009b\u200b\u202e\U000e0041\n") == "a\\x1b[1m\\x9b\\u200b\\u202e\\U000e0041\\x0a");
  CHECK(printable("Größe 上海 …") == "Größe 上海 …");
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
}

TEST_CASE("a text for a terminal keeps its lines and its own colours, and nothing else that acts") {
  CHECK(visible("a\tb\nc\n", false) == "a\tb\nc\n");
  CHECK(visible("\x1b[1;31mred\x1b[0m", true) == "\x1b[1;31mred\x1b[0m");
  CHECK(visible("\x1b[1;31mred\x1b[0m", false) == "\\x1b[1;31mred\\x1b[0m");
  CHECK(visible("\x1b[2J\x1b]0;t\x07\x1b[1", true) == "\\x1b[2J\\x1b]0;t\\x07\\x1b[1");
  CHECK(visible("a\rb\u009b1m\xff", true) == "a\\x0db\\x9b1m\\xff");
  CHECK(visible("", false).empty());
}

TEST_CASE("JSON keeps its value and loses what is unseen") {
  CHECK(with_escapes("{\n  \"a\": \"x\"\n}") == "{\n  \"a\": \"x\"\n}");
  CHECK(with_escapes("\"é\x7f\u009b\u202e\U000e0041…\"") == "\"é\\u007f\\u009b\\u202e\\udb40\\udc41…\"");
}

using Pieces = std::vector<std::string_view>;

TEST_CASE("a line may end around wide characters") {
  CHECK(line_pieces("abc") == Pieces{"abc"});
  CHECK(line_pieces("") == Pieces{""});
  CHECK(line_pieces("显存80GB带宽") == Pieces{"显", "存", "80GB", "带", "宽"});
}

TEST_CASE("no line begins with what closes, and marks stay with their character") {
  CHECK(line_pieces("显存，带") == Pieces{"显", "存，", "带"});
  CHECK(line_pieces("存（显存）带") == Pieces{"存", "（显", "存）", "带"});
  CHECK(line_pieces("是“显存”吗") == Pieces{"是", "“显", "存”", "吗"});
  CHECK(line_pieces("显\u0301存") == Pieces{"显\u0301", "存"});
}

TEST_CASE("columns of characters at the ends of ranges") {
  CHECK(columns_of('a') == 1);
  CHECK(columns_of(0x2FF) == 1);
  CHECK(columns_of(0x300) == 0);
  CHECK(columns_of(0x10FF) == 1);
  CHECK(columns_of(0x1100) == 2);
  CHECK(columns_of(0x115F) == 2);
  CHECK(columns_of(0xFF60) == 2);
  CHECK(columns_of(0xFF61) == 1);
  CHECK(columns_of(0x10FFFF) == 1);
}

}  // namespace unicode_test
