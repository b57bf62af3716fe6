// What the commands about price lists at addresses share.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace gpusel::cli {

struct MoreSources {
  std::vector<std::string> files;  // that name further lists
};

/// --more-sources, which repeats.
inline Flag more_sources_flag(MoreSources& options, std::string group) {
  Flag flag{"--more-sources", "FILE", say("YAML that names further price lists"), std::move(group),
            appends_to(options.files)};
  flag.repeats = true;
  return flag;
}

/// Where pages lie until they are read, and what is left of one that was broken off.
inline std::string pages_folder() { return own_folder("XDG_CACHE_HOME", ".cache"); }

}  // namespace gpusel::cli
