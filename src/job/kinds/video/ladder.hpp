// The sizes that a video is encoded in, as people write them. Private to this room.
#pragma once

#include <string_view>
#include <vector>

#include "job/kinds/counted.hpp"

namespace gpusel::job {

/// "1080p,720p,480p"; none for "none": its own size only.
Result<std::vector<Resolution>> read_ladder(std::string_view text);

}  // namespace gpusel::job
