// Defaults that are filled in and remembered as assumed. Private to this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/values/enum.hpp"
#include "job/job.hpp"

namespace gpusel::job {

class Defaults {
 public:
  explicit Defaults(Assumptions& assumed) : assumed_(assumed) {}

  template <class T>
  void assume(std::string_view key, T value) {
    if constexpr (NamedEnum<T>)
      assumed_.push_back({std::string(key), std::string(to_text(value))});
    else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
      assumed_.push_back({std::string(key), static_cast<double>(value)});
    else if constexpr (std::is_same_v<T, bool>)
      assumed_.push_back({std::string(key), value});
    else if constexpr (std::is_same_v<T, Resolution>)
      assumed_.push_back({std::string(key), text_of(value)});
    else
      assumed_.push_back({std::string(key), std::string(value)});
  }

  template <class T, class Default>
  T or_assume(const std::optional<T>& given, std::string_view key, Default standard) {
    if (given) return *given;
    assume(key, standard);
    return static_cast<T>(standard);
  }

 private:
  Assumptions& assumed_;
};

}  // namespace gpusel::job
