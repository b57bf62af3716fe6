// One record of the catalogue as a card: each figure with its unit and where it is from, the documents,
// and what is known beside the record itself (prices, renderer scores, who rents it).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpusel/advise/list.hpp"
#include "report/json.hpp"
#include "report/render/terminal.hpp"

namespace gpusel::report {

/// A kind of work and what is said of it.
using Verdicts = std::vector<std::pair<std::string, rules::FitnessVerdict>>;

std::string gpu_card(const advise::ListedGpu& gpu, const Verdicts& verdicts, const catalog::Catalog& catalog,
                     Currency currency, const Terminal& terminal);
std::string model_card(const catalog::Model& model, const catalog::Catalog& catalog, const Terminal& terminal);
/// With its regions, and how much of the catalogue is its.
std::string provider_card(const catalog::Provider& provider, const catalog::Catalog& catalog, const Terminal& terminal);
/// With what rests on it.
std::string source_card(const catalog::Source& source, const catalog::Catalog& catalog, const Terminal& terminal);
std::string instance_card(const catalog::Instance& instance, const catalog::Catalog& catalog, const Terminal& terminal);

}  // namespace gpusel::report
