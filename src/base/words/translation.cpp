#include "base/words/translation.hpp"

#include <cstring>

namespace gpusel {

namespace {

constexpr std::uint32_t kMagic = 0x950412de;  // in the byte order of the machine that built the program
constexpr std::size_t kCountAt = 8;
constexpr std::size_t kOriginalsAt = 12;
constexpr std::size_t kTranslatedAt = 16;
constexpr std::size_t kHeader = 28;
constexpr std::size_t kEntry = 8;

}  // namespace

Translation::Translation(std::span<const unsigned char> bytes) : bytes_(bytes) {
  if (bytes.size() < kHeader || word(0) != kMagic) return;
  const std::size_t count = word(kCountAt);
  const std::size_t tables = count * kEntry;
  if (word(kOriginalsAt) + tables > bytes.size() || word(kTranslatedAt) + tables > bytes.size()) return;
  count_ = count;
  originals_ = word(kOriginalsAt);
  translated_ = word(kTranslatedAt);
}

std::uint32_t Translation::word(std::size_t at) const {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes_.data() + at, sizeof value);
  return value;
}

std::string_view Translation::entry(std::uint32_t table, std::size_t index) const {
  const std::size_t length = word(table + index * kEntry);
  const std::size_t at = word(table + index * kEntry + 4);
  if (at + length > bytes_.size()) return {};
  return {reinterpret_cast<const char*>(bytes_.data() + at), length};
}

std::string_view Translation::find(std::string_view text) const {
  if (text.empty()) return text;  // the empty text is the catalogue's own header
  std::size_t low = 0;
  for (std::size_t high = count_; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    const std::string_view original = entry(originals_, middle);
    if (original == text) return entry(translated_, middle);
    (original < text ? low : high) = original < text ? middle + 1 : middle;
  }
  return text;
}

}  // namespace gpusel
