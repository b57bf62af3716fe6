// Why the system refused, in the person's language.
#pragma once

#include <string>

namespace gpusel {

/// What errno or an error_code of the system's own category says: "No such file or directory".
std::string system_reason(int error);

}  // namespace gpusel
