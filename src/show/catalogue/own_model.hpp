// What was understood of a model that a person gave as files.
#pragma once

#include "catalog/hf/hf_config.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// The record, the parameters by part, what the files of weights hold, and what was not understood.
Json own_model_json(const catalog::ConfigModel& model);
Document own_model_card(const catalog::ConfigModel& model, const catalog::Catalog& catalog);

}  // namespace gpusel::show
