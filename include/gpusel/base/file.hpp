// Files written whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "gpusel/base/error.hpp"

namespace gpusel {

/// Writes a file beside `path`, makes sure it is on the disk, and puts it in the place of `path`. What was
/// there before stays until then, whatever happens in between.
Status write_whole(const std::string& path, std::string_view bytes);

}  // namespace gpusel
