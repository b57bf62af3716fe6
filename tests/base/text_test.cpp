// Names folded and guessed, and foreign text made safe for a terminal.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>

#include "base/text/nearest.hpp"
#include "base/text/text.hpp"

namespace text_test {

using namespace gpusel;

namespace {

constexpr auto kKnown = std::to_array<std::string_view>(
    {"llama-7b", "llama-13b", "llama-70b", "mistral-7b", "mixtral-8x7b", "bert-base", "h100-sxm-80gb"});

std::vector<std::string> near(std::string_view word) { return nearest_names(word, kKnown); }

}  // namespace

TEST_CASE("white space is trimmed at both ends only") {
  CHECK(trim("  a b\t\r\n") == "a b");
  CHECK(trim(" \t ").empty());
  CHECK(trim("").empty());
}

TEST_CASE("splitting keeps empty parts and trims each") {
  CHECK(split("a, b,,c", ',') == std::vector<std::string_view>{"a", "b", "", "c"});
  CHECK(split("", ',') == std::vector<std::string_view>{""});
}

TEST_CASE("all the ways to write a name fold into one") {
  const auto name = GENERATE("meta-llama/Llama-3.1-8B", "META-LLAMA LLAMA_3.1_8B", "  meta_llama:llama-3.1-8b ");
  CHECK(fold_name(name) == "meta-llama-llama-3.1-8b");
}

TEST_CASE("folding leaves other scripts alone") { CHECK(fold_name("Größe_É") == "größe-É"); }

TEST_CASE("a mistyped name finds the one that was meant first") {
  const auto word = GENERATE("lama-7b", "llama-7", "llmaa-7b", "Llama_7B");
  CAPTURE(word);
  REQUIRE_FALSE(near(word).empty());
  CHECK(near(word).front() == "llama-7b");
}

TEST_CASE("at most three names are suggested and the nearest stand first") {
  const auto names = near("llama-17b");
  REQUIRE(names.size() == 3);
  CHECK(names[0] == "llama-13b");  // one edit away like llama-70b is not
  CHECK(names[1] == "llama-7b");   // one edit, later in the alphabet
}

TEST_CASE("a part of a name finds the whole name") {
  CHECK(near("h100") == std::vector<std::string>{"h100-sxm-80gb"});
  CHECK(near("8x7b") == std::vector<std::string>{"mixtral-8x7b"});
}

TEST_CASE("a name that resembles nothing gets no suggestion") {
  CHECK(near("stable-diffusion-xl").empty());
  CHECK(near("qq").empty());
  CHECK(did_you_mean("stable-diffusion-xl", kKnown).empty());
  CHECK(did_you_mean("llama-7b", {}).empty());
}

TEST_CASE("a word with as many edits as a third of its letters is found, and with one more it is not") {
  std::mt19937 draw(20261127);
  const auto letter = [&] { return static_cast<char>('a' + draw() % 6); };
  const auto digit = [&] { return static_cast<char>('0' + draw() % 10); };
  for (int i = 0; i < 2'000; ++i) {
    std::string name;
    for (std::size_t size = 6 + draw() % 12; name.size() < size;) name += letter();
    std::string word = name;
    // Digits are in no name: each that replaces a letter is an edit of its own.
    const std::size_t allowed = word.size() / 3;
    std::vector<std::size_t> places(word.size());
    for (std::size_t at = 0; at < places.size(); ++at) places[at] = at;
    std::shuffle(places.begin(), places.end(), draw);
    for (std::size_t n = 0; n < allowed; ++n) word[places[n]] = digit();
    CAPTURE(name, word);
    const NearestNames known(std::array{std::string_view(name)});
    CHECK(known.of(word) == std::vector{name});
    word[places[allowed]] = digit();
    CHECK(known.of(word).empty());
  }
}

TEST_CASE("a very long word is answered as well") { CHECK(near(std::string(100000, 'x')).empty()); }

TEST_CASE("suggestions do not repeat a name") {
  constexpr auto kTwice = std::to_array<std::string_view>({"a100", "a100", "a10"});
  CHECK(nearest_names("a10", kTwice) == std::vector<std::string>{"a10", "a100"});
}

TEST_CASE("the suggestion is a question that reads well") {
  constexpr auto kAbc = std::to_array<std::string_view>({"spot1", "spot2", "spot3"});
  CHECK(did_you_mean("spot", std::span(kAbc).first(1)) == "did you mean 'spot1'?");
  CHECK(did_you_mean("spot", std::span(kAbc).first(2)) == "did you mean 'spot1' or 'spot2'?");
  CHECK(did_you_mean("spot", kAbc) == "did you mean 'spot1', 'spot2' or 'spot3'?");
}

TEST_CASE("control characters become visible escapes") {
  CHECK(printable("a\nb") == "a\\x0ab");
  CHECK(printable("\x1b[31mred\x1b[0m") == "\\x1b[31mred\\x1b[0m");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(printable("\u009b31m") == "\\x9b31m");  // the one-character form of ESC [
}

TEST_CASE("characters that turn or hide text become visible escapes") {
  CHECK(printable("a\u202eb") == "a\\u202eb");
  CHECK(printable("a\u2066b\u2069") == "a\\u2066b\\u2069");
  CHECK(printable("a\u2028b") == "a\\u2028b");
}

TEST_CASE("broken UTF-8 becomes visible escapes") {
  CHECK(printable("\xff") == "\\xff");
  CHECK(printable("a\xc3") == "a\\xc3");                           // cut short
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                    // a longer form than needed
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // half of a surrogate pair
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  CHECK(printable("\xe2\x28\xa1") == "\\xe2(\\xa1");
}

TEST_CASE("readable text of any script stays as it is") {
  const std::string text = "GPU größer 显卡 видеокарта 🚀";
  CHECK(printable(text) == text);
}

TEST_CASE("wide characters take two columns and combining marks none") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("größe") == 5);
  CHECK(display_width("显卡") == 4);
  CHECK(display_width("한글") == 4);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("显存 80 GiB") == 11);
  CHECK(display_width("a\u200bb\u200d\ufeff") == 2);  // not seen
  CHECK(display_width("👍") == 2);
  CHECK(display_width("①→×…") == 4);                // ambiguous: narrow where the reader's language is not of the East
  CHECK(display_width("\u0e01\u0e34\u0e48") == 1);  // marks of Thai
  CHECK(display_width("가") == 2);
  CHECK(display_width("ＡＢ") == 4);  // full-width letters
}

TEST_CASE("text that fits is not cut") {
  CHECK(fit_width("abc", 3) == "abc");
  CHECK(fit_width("显卡", 4) == "显卡");
  CHECK(fit_width("", 0).empty());
}

TEST_CASE("text that does not fit is cut with an ellipsis inside the width") {
  CHECK(fit_width("abcdef", 4) == "abc…");
  CHECK(fit_width("显卡显卡", 5) == "显卡…");
  CHECK(fit_width("显卡显卡", 4) == "显…");  // a second one would need five columns
  CHECK(fit_width("abc", 1) == "…");
  CHECK(fit_width("abc", 0).empty());
}

TEST_CASE("fitted text never needs more than its width") {
  const std::string text = "a显e\u0301卡b한";
  for (std::size_t width = 0; width < 12; ++width) {
    CAPTURE(width);
    CHECK(display_width(fit_width(text, width)) <= width);
  }
}

TEST_CASE("shortened text is cut between characters and never inside one") {
  CHECK(shorten("abc", 3) == "abc");
  CHECK(shorten("abcd", 3) == "abc…");
  CHECK(shorten("显卡", 3) == "显…");
  CHECK(shorten("显卡", 4) == "显…");
  CHECK(shorten("显卡", 5) == "显…");
  CHECK(shorten("显卡", 6) == "显卡");
  CHECK(shorten("显卡", 2) == "…");
}

TEST_CASE("shortened text is safe for a terminal") { CHECK(shorten("\x1b[2J and more", 4) == "\\x1b[2J…"); }

}  // namespace text_test
