#include "gpusel/estimate/trace.hpp"

#include <algorithm>

#include "gpusel/base/number.hpp"

namespace gpusel::estimate {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Figure::Figure(std::string words) : text(std::move(words)) {
  const auto end = std::min(text.find(' '), text.size());
  std::string digits = text.substr(0, end);
  std::erase(digits, ',');
  const auto read = plain_number(digits);
  // More digits behind the first number are a range or a share, not a unit.
  if (!read || std::any_of(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), is_digit)) return;
  number = read;
  if (end < text.size()) unit = text.substr(end + 1);
}

}  // namespace gpusel::estimate
