// What people type and mean: the right word by meaning, where the letters would lead to another.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpusel::cli {

/// What an unknown flag most likely means, as it would be typed: "--spot", "--method lora". `is_flag` says whether the
/// command has a flag of that name. Nothing where the table has no word for it.
std::optional<std::string> meant_flag(std::string_view flag, const std::function<bool(std::string_view)>& is_flag);

/// The flag that `flag` of another tool is: it means the same, so it is read as ours. Nothing where there is none.
struct SameFlag {
  std::string_view name = {};   // "--gpu"
  std::string_view value = {};  // that it stands for; empty: its own
  std::string_view first = {};  // what is said with it: "--slo-percentile=99"
  std::string_view place = {};  // of the line, that its value is a word of: "SKU"; then it has no name
};
std::optional<SameFlag> same_flag(std::string_view flag, const std::function<bool(std::string_view)>& is_flag);

/// What to do where no flag says that, in a sentence; empty where the table has none.
std::string instead_of_flag(std::string_view flag);

/// What a flag without its value stands for; empty where it needs one.
std::string_view value_alone(std::string_view flag);

/// Words of a line that name something in the catalog.
struct LineNames {
  std::vector<std::string> all, gpus, others;  // others: all but the GPUs
};
/// What an unknown command most likely means, with those names: "instances --gpu h100", "config show".
std::optional<std::string> meant_command(std::string_view word, const LineNames& names);

}  // namespace gpusel::cli
