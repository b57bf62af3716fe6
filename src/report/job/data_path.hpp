// The way of data to the GPUs and what stands beside an instance, as text for a person and as data.
#pragma once

#include <string>

#include "gpusel/advise/data_path.hpp"
#include "gpusel/advise/services.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

Document data_path_page(const advise::DataPath& path, const advise::Recommendation& recommendation,
                        const advise::Advice& advice);
Json data_path_json(const advise::DataPath& path, const advise::Recommendation& recommendation,
                    const advise::Advice& advice);

Document services_page(const advise::Services& services, const advise::Recommendation& recommendation,
                       const catalog::Catalog& catalog);
Json services_json(const advise::Services& services);

}  // namespace gpusel::report
