// What the catalogue knows, as tables, cards and JSON. Every record prints the fields it lists.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpusel/catalog/catalog.hpp"
#include "report/json.hpp"
#include "report/table.hpp"

namespace gpusel::report {

Json gpu_json(const catalog::Gpu& gpu);
Json model_json(const catalog::Model& model);
Json instance_json(const catalog::Instance& instance, const catalog::Catalog& catalog);
/// Documents behind the source keys of one record.
Json source_documents(const Json& record, const catalog::Catalog& catalog);

Table gpu_table(std::span<const catalog::Gpu* const> gpus, bool wide);
Table model_table(std::span<const catalog::Model* const> models, bool wide);

/// An instance and the offer that stands for it in a list; null when it has none.
struct PricedInstance {
  const catalog::Instance* instance = nullptr;
  const catalog::Offer* offer = nullptr;
  double hourly = 0;  // in the list's currency
};
Table instance_table(std::span<const PricedInstance> instances, const catalog::Catalog& catalog, Currency currency,
                     bool wide);

/// "8", "1/6" of one, or "?".
std::string share_text(const catalog::Number& count);

/// All fields of one record, one per line, with units; unknown is said. Sources follow.
std::string gpu_card(const catalog::Gpu& gpu, const catalog::Catalog& catalog, const Terminal& terminal);
std::string model_card(const catalog::Model& model, const catalog::Catalog& catalog, const Terminal& terminal);
std::string instance_card(const catalog::Instance& instance, const catalog::Catalog& catalog, const Terminal& terminal);

}  // namespace gpusel::report
