// One record of the catalogue as a card: each figure with its unit and where it is from, the documents,
// and what is known beside the record itself (prices, renderer scores, who rents it).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "answer/lists/list.hpp"
#include "show/document/document.hpp"

namespace gpusel::show {

/// A kind of work and what is said of it.
using Verdicts = std::vector<std::pair<std::string, rules::FitnessVerdict>>;

Document gpu_card(const answer::ListedGpu& gpu, const Verdicts& verdicts, const catalog::Catalog& catalog,
                  Currency currency);
Document model_card(const catalog::Model& model, const catalog::Catalog& catalog);
/// With its regions, and how much of the catalogue is its.
Document provider_card(const catalog::Provider& provider, const catalog::Catalog& catalog);
/// With what rests on it.
Document source_card(const catalog::Source& source, const catalog::Catalog& catalog);
Document instance_card(const catalog::Instance& instance, const catalog::Catalog& catalog, Date today);

}  // namespace gpusel::show
