// What the catalogue knows, narrowed and sorted: GPUs, models, and instances with prices. No job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answer/lists/columns.hpp"
#include "answer/search/recommend.hpp"
#include "rules/fitness.hpp"

namespace gpusel::answer {

/// What lists have in common.
struct ListQuestion {
  std::vector<std::string> words;  // each must occur in a name
  std::string filter;              // see rules::Filter; empty: everything
  std::vector<std::string> sort_by;
  job::Constraints constraints;  // of GPUs and instances
  Currency currency = Currency::usd();
  Date today;
};

/// Who rents a GPU, and for how much.
struct GpuMarket {
  int instances = 0;  // SKUs
  int providers = 0;
  const catalog::Instance* cheapest = nullptr;  // per GPU, on demand
  const catalog::Offer* offer = nullptr;
  double per_gpu_hour = 0;  // of that, as published, in the asked currency
};

struct ListedGpu {
  const catalog::Gpu* gpu = nullptr;
  GpuMarket market = {};
  rules::FitnessVerdict verdict = {};  // for the purpose that was asked
  double figure = 0;                   // that sorts GPUs of one verdict
};

/// Those of its constraints that are about a GPU alone are heeded. With a purpose the fittest come first.
Result<std::vector<ListedGpu>> list_gpus(const ListQuestion& question, const rules::Purpose* purpose,
                                         const catalog::Catalog& catalog, const physics::Coefficients& coefficients);
/// What rules know of a GPU, as one of two in a machine that links them as well as can be.
rules::Facts gpu_facts(const catalog::Gpu& gpu, const catalog::Catalog& catalog,
                       const physics::Coefficients& coefficients);
/// All that go by a name: several for "a100".
std::vector<const catalog::Gpu*> gpus_called(std::string_view name, const catalog::Catalog& catalog);
/// In the order of catalog.gpus(); of all providers where none is named. The cheapest is that by the price expected on
/// that day, as everywhere; without a day by the published one.
Result<std::vector<GpuMarket>> gpu_markets(Currency currency, const catalog::Catalog& catalog, Date today = {},
                                           const std::vector<std::string>& clouds = {});

struct ModelLimits {
  std::string kind = {};  // empty: any
  std::string family = {};
  std::string licence = {};  // occurs in the licence's name
  std::optional<double> min_params = std::nullopt;
  std::optional<double> max_params = std::nullopt;
  std::optional<std::int64_t> min_context = std::nullopt;
};

/// Errors: an unknown family, with the nearest.
Result<std::vector<const catalog::Model*>> list_models(const ListQuestion& question, const ModelLimits& limits,
                                                       const catalog::Catalog& catalog);

struct Listed {
  const catalog::Instance* instance = nullptr;
  const catalog::Offer* offer = nullptr;  // the cheapest that meets the limits; on-demand where there is one
  double hourly = 0;                      // in the asked currency
};

struct InstanceList {
  std::vector<Listed> listed;
  std::size_t on_other_terms = 0;  // instances with a price, but none on demand, where no term is asked for
  std::size_t too_old = 0;         // prices that nothing but --max-price-age left out
  Date newest_too_old;             // of them; unknown if none has a date
};

/// In catalogue order if not sorted. Without a limit on terms, and without a filter over them, only on-demand
/// prices count. Limits on price, place, term or age drop instances without such an offer. `every_offer`: one
/// entry for each, of any term, that meets the limits.
Result<InstanceList> list_instances(const ListQuestion& question, bool every_offer, const catalog::Catalog& catalog,
                                    const physics::Coefficients& coefficients);

/// Columns refer to the catalogue, which must outlive them.
Columns<ListedGpu> gpu_columns(const catalog::Catalog& catalog);
Columns<const catalog::Model*> model_columns(const catalog::Catalog& catalog);
/// Of the instance, its GPU and the offer.
Columns<Listed> instance_columns(const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                 Date today);

}  // namespace gpusel::answer
