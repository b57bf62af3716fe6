// The text of a number as nlohmann's parser hands it over: with the decimal point of C's locale, whatever stood there.
#pragma once

#include <string>

namespace gpusel {

inline std::string with_point(std::string number) {
  const auto at = number.find_first_not_of("0123456789+-eE");
  if (at != std::string::npos) number[at] = '.';
  return number;
}

}  // namespace gpusel
