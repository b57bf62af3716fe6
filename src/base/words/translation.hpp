// A compiled GNU gettext catalogue (.mo) that the program carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gpusel {

/// Reads the format that msgfmt writes; it points into `bytes`, which must outlive it.
/// Format: GNU gettext manual, "The Format of GNU MO Files".
class Translation {
 public:
  constexpr Translation() = default;
  /// Bytes that are no catalogue make one without texts.
  explicit Translation(std::span<const unsigned char> bytes);
  /// The text in the other language; `text` itself where there is none.
  std::string_view find(std::string_view text) const;

 private:
  std::uint32_t word(std::size_t at) const;
  std::string_view entry(std::uint32_t table, std::size_t index) const;

  std::span<const unsigned char> bytes_;
  std::size_t count_ = 0;
  std::uint32_t originals_ = 0;  // offsets of the two tables of lengths and offsets
  std::uint32_t translated_ = 0;
};

}  // namespace gpusel
