// What of the surroundings has an effect: settings, language, terminal, completion, manual, own files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/context.hpp"

namespace gpusel::cli {

enum class Health : std::uint8_t { ok, warn, fail };

struct Finding {
  std::string subject;
  Health health = Health::ok;
  std::string words;
};

/// Whether any command that the setting is meant for takes it from a setting.
bool is_known_setting(const Setting& setting);

std::vector<Finding> surroundings(const Context& context, Date today);

}  // namespace gpusel::cli
