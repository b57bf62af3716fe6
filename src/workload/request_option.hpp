// Options of a request by name. Private to this room.
#pragma once

#include <string_view>

#include "gpusel/workload/request.hpp"

namespace gpusel::workload {

/// As find_option() among request_options(), which a batch asks for every key of every line.
const Option<Request>* request_option(std::string_view name);

}  // namespace gpusel::workload
