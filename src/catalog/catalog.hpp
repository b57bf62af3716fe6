// Everything the program knows, in memory: read from the embedded snapshot without parsing, with
// the user's own files laid on top. Records are plain and point into storage the catalogue owns.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/io/document.hpp"
#include "base/values/error.hpp"
#include "catalog/records/drift.hpp"
#include "catalog/records/framework.hpp"
#include "catalog/records/gpu.hpp"
#include "catalog/records/market.hpp"
#include "catalog/records/model.hpp"
#include "catalog/records/parts.hpp"
#include "catalog/records/render_score.hpp"
#include "catalog/records/services.hpp"

namespace gpusel::catalog {

/// Every spelling of a name, folded and sorted, with the record it means.
struct NameEntry {
  std::string_view folded;
  std::uint32_t index = 0;
};

struct OwnPrices;
struct Tables;

/// How GPU names are compared: folded, without the vendor's name in front.
std::string fold_gpu_name(std::string_view name);

class Catalog {
 public:
  explicit Catalog(std::unique_ptr<Tables> tables);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  Catalog(Catalog&&) noexcept;
  Catalog& operator=(Catalog&&) noexcept;
  ~Catalog();

  std::span<const Gpu> gpus() const;
  std::span<const Model> models() const;
  std::span<const Provider> providers() const;
  std::span<const Region> regions() const;
  std::span<const Instance> instances() const;
  std::span<const Offer> offers() const;
  /// Older prices of those offers, the prices of one side by side, the oldest first.
  std::span<const Offer> history() const;
  std::span<const Source> sources() const;
  std::span<const ExchangeRate> exchange_rates() const;
  std::span<const Place> places() const;
  std::span<const OfferState> offer_states() const;
  std::span<const RenderScore> render_scores() const;

  std::span<const Cpu> cpus() const;
  std::span<const RendererInfo> renderers() const;
  std::span<const SolverInfo> solvers() const;
  std::span<const Framework> frameworks() const;
  std::span<const Egress> egress() const;
  std::span<const Storage> storage() const;
  std::span<const Service> services() const;
  std::span<const BillingRule> billing() const;
  std::span<const ServiceLevel> service_levels() const;
  std::span<const SpotMarket> spot_markets() const;
  std::span<const Purchase> purchases() const;
  std::span<const TokenPrice> token_prices() const;
  /// How prices move, by kind of seller, term, provider and GPU; sorted by id.
  std::span<const Drift> drift() const;

  const Gpu* gpu_of(const Instance& instance) const;
  /// The processor that an instance's `cpu` names, the slowest where it may be one of several; null where unknown.
  const Cpu* cpu_of(const Instance& instance) const;
  /// What traffic out of a region costs, of the narrowest record that has it; null where nothing is published.
  const Egress* egress_of(std::string_view provider, std::string_view region) const;
  std::span<const Offer> offers_of(const Instance& instance) const;
  std::span<const Offer> history_of(const Offer& offer) const;
  /// Other amounts for the same offers in the same order: what a user pays, or might pay.
  void replace_offers(std::vector<Offer> offers);
  std::span<const OfferState> states_of(const Instance& instance) const;
  /// What is said of selling the instance in that region on that term; the narrowest record, or none.
  const OfferState* state_of(const Instance& instance, const Offer& offer) const;
  std::span<const RenderScore> render_scores_of(const Gpu& gpu) const;
  /// The score to rank by: the one marked so, else that of most samples; null where none is known.
  const RenderScore* render_score(const Gpu& gpu, RenderBenchmark benchmark) const;
  const Region& region_of(const Offer& offer) const;
  const Origin& origin_of(const Offer& offer) const;
  /// Which of two offers of one price is named: the younger, then by region. A price of the user's own holds in each of
  /// them, and stands where most terms of the instance are priced and can be compared.
  std::tuple<int, int, std::string_view> place_among_equals(const Offer& offer) const;
  const Currency& currency_of(const Offer& offer) const;

  /// By id, alias or the way people write it; an unknown name is an error naming the nearest.
  Result<const Gpu*> gpu(std::string_view name) const;
  Result<const Model*> model(std::string_view name) const;
  /// A SKU, or "provider/sku" where two providers use one name.
  Result<const Instance*> instance(std::string_view name) const;
  /// All that go by that name: "1x-l4" of every provider that sells one.
  std::vector<const Instance*> instances_called(std::string_view name) const;
  /// Whether anything goes by that name, be it one record or several.
  bool has_gpu(std::string_view name) const;
  bool has_instance(std::string_view name) const;
  Result<const Provider*> provider(std::string_view name) const;

  const Source* source(std::string_view key) const;
  const ExchangeRate* rate(Currency currency) const;

  /// Total GPU memory of the instance in GB as marketed; nothing for CPU-only or unknown.
  Number gpu_memory_total_gb(const Instance& instance) const;

  /// Sections that another room owns ("rules", "calibration") or that are read only on demand
  /// ("measurements"), as trees: the embedded ones, then those of overlays. An empty name: all of them.
  std::vector<Document> documents(std::string_view section) const;

  /// The newest date of any price, and what was laid over the embedded data.
  Date newest_price() const;
  std::string_view origin_text() const;

  /// Puts what a user pays in the place of what is published. Errors: a name, term or currency that is not known.
  Errors lay(const OwnPrices& own);

  const Tables& tables() const { return *tables_; }

 private:
  std::unique_ptr<Tables> tables_;
};

}  // namespace gpusel::catalog
