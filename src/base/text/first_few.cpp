#include "base/text/first_few.hpp"

#include <algorithm>

#include "base/words/message.hpp"

namespace gpusel {

std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 6;
  std::string list;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) list += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kNamed ? list + say(" and {} more", names.size() - kNamed) : list;
}

}  // namespace gpusel
