// Sets of characters, for readers that look at every byte.
#pragma once

#include <array>
#include <string_view>

namespace gpusel {

/// Which characters are among some, by their code.
class Among {
 public:
  constexpr explicit Among(std::string_view some) {
    for (const char c : some) is_one_[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool operator()(char c) const { return is_one_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> is_one_{};
};

}  // namespace gpusel
