// Large numbers of answers as JSON: how they are let go of.
#pragma once

#include "report/json.hpp"

namespace gpusel::report {

/// Empties it from the innermost member outwards. Its own destructor, which must not recurse, first moves every
/// member to a list of its own.
void take_apart(Json& json);

}  // namespace gpusel::report
