// Training frameworks as a question names them, and what is refused by what each can do.
#pragma once

#include <string_view>

#include "base/values/error.hpp"
#include "catalog/catalog.hpp"
#include "job/job.hpp"

namespace gpusel::job {

/// By its id or another spelling; nothing where nobody here knows the name.
const catalog::Framework* find_framework(const catalog::Catalog& catalog, std::string_view folded_name);

/// What was asked for that the framework of `training` cannot do, and those that can; fine where it was assumed.
Status check_framework(const Request& request, const Training& training, const catalog::Catalog& catalog);

}  // namespace gpusel::job
