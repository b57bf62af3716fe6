// YAML as nearly every file has it, read in one pass; what is out of the ordinary is left to the library.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <optional>
#include <string_view>

namespace gpusel {

/// Hands over what the library would, with the same positions. A mark: there is something that only the library reads,
/// or that is wrong; what was handed over until then is worth nothing.
std::optional<YAML::Mark> read_ordinary_yaml(std::string_view text, YAML::EventHandler& events);

}  // namespace gpusel
