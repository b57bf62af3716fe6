// One answer in whatever format it is asked for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/context.hpp"
#include "report/json_out.hpp"

namespace gpusel::cli {

struct Answer {
  /// As a tree, or told: what has many rows is written as it is told.
  using Tree = std::function<report::Json()>;
  using Told = std::function<void(report::JsonOut&)>;
  std::variant<Tree, Told> data;
  /// As csv; else as text for this terminal, whose width is not limited in wide, and Markdown's in a document.
  std::function<std::string(std::string_view format, const report::Terminal& terminal)> text;
  /// A page of its own; without it, the Markdown as a page.
  std::function<std::string()> page = nullptr;
};

/// Of formats that are kept: an answer says all there, and needs no remark beside it.
inline bool is_document(std::string_view format) { return format == "markdown" || format == "html"; }

void print(const Answer& answer, const std::string& format, Context& context);

}  // namespace gpusel::cli
