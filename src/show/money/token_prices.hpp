// What sellers of hosted models ask for tokens, as records and as a table.
#pragma once

#include "catalog/catalog.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// Each with `provider`, `input_per_million`, `cached_input_per_million`, `output_per_million`, `currency`, `as_of` and
/// `source`; the cheapest to write first. Empty where none is known.
Json token_prices_json(const catalog::Model& model, const catalog::Catalog& catalog);
/// Adds them to a model's card; nothing where none is known.
void add_token_prices(const catalog::Model& model, const catalog::Catalog& catalog, Document& page);

}  // namespace gpusel::show
