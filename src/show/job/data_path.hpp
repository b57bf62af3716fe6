// The way of data to the GPUs and what stands beside an instance, as text for a person and as data.
#pragma once

#include <string>

#include "answer/facts/services.hpp"
#include "answer/stages/data_path.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

Document data_path_page(const answer::DataPath& path, const answer::Recommendation& recommendation,
                        const answer::Advice& advice);
Json data_path_json(const answer::DataPath& path, const answer::Recommendation& recommendation,
                    const answer::Advice& advice);

Document services_page(const answer::Services& services, const answer::Recommendation& recommendation,
                       const catalog::Catalog& catalog);
Json services_json(const answer::Services& services);

}  // namespace gpusel::show
