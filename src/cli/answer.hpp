// One answer in whatever format it is asked for.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/context.hpp"
#include "report/json.hpp"

namespace gpusel::cli {

struct Answer {
  std::function<report::Json()> data;
  /// As table, wide, csv or markdown; the width is not limited where the format has none.
  std::function<std::string(std::string_view format, const report::Terminal& terminal)> text;
  /// A page of its own; without it, the Markdown as a page.
  std::function<std::string()> page = nullptr;
};

void print(const Answer& answer, const std::string& format, Context& context);

}  // namespace gpusel::cli
