// What was understood of a model that a person gave as files.
#pragma once

#include "gpusel/catalog/hf_config.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

/// The record, the parameters by part, what the files of weights hold, and what was not understood.
Json own_model_json(const catalog::ConfigModel& model);
Document own_model_card(const catalog::ConfigModel& model, const catalog::Catalog& catalog);

}  // namespace gpusel::report
