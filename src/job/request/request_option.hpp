// Options of a request by name. Private to this room.
#pragma once

#include <string_view>

#include "job/request/request.hpp"

namespace gpusel::job {

/// As find_option() among request_options(), which a batch asks for every key of every line.
const Option<Request>* request_option(std::string_view name);

}  // namespace gpusel::job
