// What was asked for and a format has no place for is said, not dropped.
#pragma once

#include <initializer_list>
#include <utility>

#include "base/words/message.hpp"
#include "cli/context.hpp"

namespace gpusel::cli {

/// `asked`: whether each flag was given. Of CSV, which has one row per record and nothing beside it.
inline void tell_left_out(std::string_view format, std::initializer_list<std::pair<bool, std::string_view>> asked,
                          Context& context) {
  if (format != "csv") return;
  for (const auto& [given, flag] : asked)
    if (given) context.note(say("{} cannot be shown in {}; every other format has it", flag, format));
}

}  // namespace gpusel::cli
