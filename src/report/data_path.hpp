// The way of data to the GPUs and what stands beside an instance, as text for a person and as data.
#pragma once

#include <string>

#include "gpusel/advise/data_path.hpp"
#include "gpusel/advise/services.hpp"
#include "report/json.hpp"
#include "report/render/terminal.hpp"

namespace gpusel::report {

std::string data_path_text(const advise::DataPath& path, const advise::Recommendation& recommendation,
                           const advise::Advice& advice, const Terminal& terminal);
Json data_path_json(const advise::DataPath& path, const advise::Recommendation& recommendation,
                    const advise::Advice& advice);

std::string services_text(const advise::Services& services, const advise::Recommendation& recommendation,
                          const catalog::Catalog& catalog, const Terminal& terminal);
Json services_json(const advise::Services& services);

}  // namespace gpusel::report
