// One answer in whatever format it is asked for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/context.hpp"
#include "show/document/document.hpp"
#include "show/json/json_out.hpp"

namespace gpusel::cli {

struct Answer {
  /// As a tree, or told: what has many rows is written as it is told.
  using Tree = std::function<show::Json()>;
  using Told = std::function<void(show::JsonOut&)>;
  std::variant<Tree, Told> data;
  /// In words. `all`: there is room for everything, as in every format but a terminal's table.
  std::function<show::Document(bool all)> document = nullptr;
  /// Without it, the document's first table.
  std::function<show::Table()> csv = nullptr;
};

/// Of formats that are kept: an answer says all there, and needs no remark beside it.
inline bool is_document(std::string_view format) { return format == "markdown" || format == "html"; }

void print(const Answer& answer, const std::string& format, Context& context);

}  // namespace gpusel::cli
