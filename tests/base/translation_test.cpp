// Looking texts up in a compiled catalogue, whatever its bytes.
#include <catch2/catch.hpp>

#include <cstring>

#include "base/words/translation.hpp"

namespace translation_test {

using namespace gpusel;

namespace {

void put(std::vector<unsigned char>& bytes, std::uint32_t word) {
  unsigned char raw[sizeof word];
  std::memcpy(raw, &word, sizeof word);
  bytes.insert(bytes.end(), std::begin(raw), std::end(raw));
}

/// As msgfmt writes it: header, the two tables, the texts in the order of the originals.
std::vector<unsigned char> compiled(const std::vector<std::pair<std::string, std::string>>& texts) {
  const auto count = static_cast<std::uint32_t>(texts.size());
  std::vector<unsigned char> bytes;
  for (const std::uint32_t word : {0x950412deU, 0U, count, 28U, 28U + 8 * count, 0U, 0U}) put(bytes, word);
  std::uint32_t at = 28 + 16 * count;
  std::string all;
  const auto table = [&](auto member) {
    for (const auto& text : texts) {
      put(bytes, static_cast<std::uint32_t>((text.*member).size()));
      put(bytes, at);
      at += static_cast<std::uint32_t>((text.*member).size()) + 1;
      all += text.*member + '\0';
    }
  };
  using Text = std::pair<std::string, std::string>;
  table(&Text::first);
  table(&Text::second);
  bytes.insert(bytes.end(), all.begin(), all.end());
  return bytes;
}

}  // namespace

TEST_CASE("a text is found in its language, and stays as it is where there is none") {
  const auto bytes = compiled({{"", "Language: zh_CN"}, {"a", "甲"}, {"price", "价格"}, {"prices", "各价格"}});
  const Translation zh(bytes);
  CHECK(zh.find("a") == "甲");
  CHECK(zh.find("price") == "价格");
  CHECK(zh.find("prices") == "各价格");
  CHECK(zh.find("pric") == "pric");
  CHECK(zh.find("zzz") == "zzz");
  CHECK(zh.find("").empty());  // not the header
}

TEST_CASE("bytes that are no catalogue have no texts") {
  auto bytes = compiled({{"a", "甲"}});
  CHECK(Translation().find("a") == "a");
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    const std::vector<unsigned char> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(kept));
    const auto found = Translation(cut).find("a");
    CHECK((found == "a" || found == "甲" || found.empty()));
  }
  bytes[0] ^= 1;
  CHECK(Translation(bytes).find("a") == "a");
}

}  // namespace translation_test
