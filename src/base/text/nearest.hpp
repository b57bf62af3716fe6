// Names that a word may have been meant to be, out of many that are asked about again and again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpusel {

/// What nearest_names() finds, prepared: a thousand names cost a word some microseconds.
class NearestNames {
 public:
  explicit NearestNames(std::span<const std::string_view> known);

  std::vector<std::string> of(std::string_view word) const;

 private:
  struct Known {
    std::string folded;
    std::string_view name;
    std::uint64_t letters;
  };
  std::vector<Known> known_;
};

}  // namespace gpusel
