// What the catalogue knows, as tables and JSON. Every record prints the fields it lists.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "answer/lists/list.hpp"
#include "show/document/table.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

Json gpu_json(const catalog::Gpu& gpu);
Json model_json(const catalog::Model& model);
Json instance_json(const catalog::Instance& instance, const catalog::Catalog& catalog);
/// Each offer also with its older prices and what it is expected to cost today.
Json instance_json(const catalog::Instance& instance, const catalog::Catalog& catalog, Date today);
Json provider_json(const catalog::Provider& provider, const catalog::Catalog& catalog);
Json source_json(const catalog::Source& source, const catalog::Catalog& catalog);

/// How many records of each kind rest on a source.
struct SourceUse {
  std::size_t gpus = 0;
  std::size_t models = 0;
  std::size_t instances = 0;
  std::size_t offers = 0;
  std::size_t scores = 0;
};
SourceUse use_of(const catalog::Source& source, const catalog::Catalog& catalog);

/// Documents behind the source keys of one record.
Json source_documents(const Json& record, const catalog::Catalog& catalog);
/// A record with them, for whoever looks at it alone.
Json with_documents(Json record, const catalog::Catalog& catalog);

/// The GPU with its renderer scores and who rents it.
Json gpu_json(const answer::ListedGpu& gpu, const catalog::Catalog& catalog, Currency currency);
/// The instance without its offers, and the one offer that is listed; `price` is in `currency`.
Json offer_row_json(const answer::Listed& listed, const catalog::Catalog& catalog, Currency currency);
/// The offer that stands for an instance in a list, null where it has none.
Json listed_offer_json(const answer::Listed& listed, const catalog::Catalog& catalog, Currency currency);

/// "8 × h100-sxm-80gb", "1/6 × a10"; "none" without a GPU.
std::string gpus_text(const catalog::Instance& instance);

/// {"verdict": …, "reason": …, "rules": […]}.
Json verdict_json(const rules::FitnessVerdict& verdict);
/// GPUs by what they are good for, with the reason.
Table verdict_table(std::span<const answer::ListedGpu> gpus, Currency currency, bool wide);

Table gpu_table(std::span<const answer::ListedGpu> gpus, Currency currency, bool wide);
Table model_table(std::span<const catalog::Model* const> models, bool wide);
struct InstanceColumns {
  bool wide = false;
  bool published = false;  // each price in the currency of its seller
};
Table instance_table(std::span<const answer::Listed> instances, const catalog::Catalog& catalog, Currency currency,
                     InstanceColumns shown_as);

/// "8", "1/6" of one, or "?".
std::string share_text(const catalog::Number& count);

}  // namespace gpusel::show
