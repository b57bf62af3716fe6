// What a Catalog is made of, and how it is put together. Private to this room.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/io/fields.hpp"
#include "base/text/nearest.hpp"
#include "base/words/message.hpp"
#include "catalog/catalog.hpp"
#include "catalog/read/own_prices.hpp"
#include "catalog/records/drift.hpp"

namespace gpusel::catalog {

/// As many as the index in an offer can tell apart.
inline constexpr std::size_t kMostCurrencies = 256;
inline constexpr std::size_t kMostRegions = 65'536;

/// Sections of a YAML file that other rooms read; kept as trees.
inline constexpr std::string_view kForeignSections[] = {
    "accepted", "calibration",    "command_lines", "daily",   "engines",     "family_names",
    "import",   "known_families", "launches",      "mig",     "price_lists", "proofs",
    "rules",    "similarity",     "targets",       "traffic", "verdicts"};
/// Tables of measurements travel like those, as one text each, which nobody parses before it is needed.
inline constexpr std::string_view kMeasurements = "measurements";
/// What is a price, in whatever currency and for whatever period.
inline constexpr Range kPrices{1e-9, 1e9};

/// What documents are to tables: all there is; facts over those that are there; or what `catalog update` has kept of
/// price lists, which names things of an earlier catalogue perhaps: prices of what is no longer there are passed over.
enum class Laying : std::uint8_t { whole, overlay, kept };

/// A file in memory, or bytes of the program itself. Texts and offers point into it.
class Block {
 public:
  virtual ~Block() = default;
  virtual std::span<const unsigned char> bytes() const = 0;
  /// Written by the build of this program, out of files whose every figure was checked.
  virtual bool is_built_in() const { return false; }
};

struct Tables {
  std::vector<Gpu> gpus;
  std::vector<Model> models;
  std::vector<Provider> providers;
  std::vector<Region> regions;
  std::vector<Instance> instances;
  std::vector<Origin> origins;
  std::vector<Source> sources;
  std::vector<ExchangeRate> rates;
  std::vector<Place> places;
  std::vector<OfferState> states;          // sorted by instance
  std::vector<RenderScore> render_scores;  // sorted by GPU id
  std::vector<Cpu> cpus;
  std::vector<RendererInfo> renderers;
  std::vector<SolverInfo> solvers;
  std::vector<Framework> frameworks;
  std::vector<Egress> egress;
  std::vector<Storage> storage;
  std::vector<Service> services;
  std::vector<BillingRule> billing;
  std::vector<ServiceLevel> service_levels;
  std::vector<SpotMarket> spot_markets;
  std::vector<Purchase> purchases;
  std::vector<TokenPrice> token_prices;
  std::vector<Drift> drift;  // sorted by id
  std::vector<Currency> currencies;
  std::span<const Offer> offers;  // sorted by instance; of a block, or of own_offers
  std::vector<Offer> own_offers;
  std::span<const Offer> history;  // older prices of the same offers, sorted as PriceOrder has it; likewise
  std::vector<Offer> own_history;
  bool market_is_own = true;  // offers and history are those of its own; false: of a block

  std::vector<NameEntry> gpu_names;
  std::vector<NameEntry> model_names;
  std::vector<NameEntry> sku_names;
  std::vector<NameEntry> cpu_names;  // instances' own words that name a processor

  std::vector<std::shared_ptr<const Block>> blocks;
  std::vector<std::shared_ptr<const Block>> document_blocks;  // snapshots whose documents are read on demand
  std::vector<Document> documents;                            // of overlays
  std::deque<std::string> texts;

  /// Once a name was asked for that is not known: a file may ask for as many as it has lines.
  struct Near {
    std::optional<NearestNames> gpus, models, skus, providers;
  };
  Near near;
  std::string origin_text = "embedded";

  /// Keeps a text as long as the tables live.
  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
  /// Offers and history as vectors of its own, which may be changed; `relink` shows them again.
  void own_market() {
    if (market_is_own) return;
    own_offers.assign(offers.begin(), offers.end());
    own_history.assign(history.begin(), history.end());
    market_is_own = true;
  }
  /// Its place among `currencies`, at the end if it is new; nothing where there is no room for another.
  std::optional<std::uint8_t> currency_index(Currency currency);
};

/// The prices of one offer side by side, the oldest first.
struct PriceOrder {
  static auto offer(const Offer& o) { return std::tuple(o.instance, o.region, o.term, o.currency); }
  bool operator()(const Offer& a, const Offer& b) const {
    return offer(a) != offer(b) ? offer(a) < offer(b) : a.as_of < b.as_of;
  }
};

/// Records that stand for themselves under their id: section, table, and what one of them is called.
template <class AnyTables, class Visitor>
void visit_parts(AnyTables& tables, Visitor&& v) {
  v("cpus", tables.cpus, to_say("processor"));
  v("renderers", tables.renderers, to_say("renderer"));
  v("solvers", tables.solvers, to_say("solver"));
  v("frameworks", tables.frameworks, to_say("framework"));
  v("egress", tables.egress, to_say("price of traffic"));
  v("storage", tables.storage, to_say("kind of storage"));
  v("services", tables.services, to_say("managed service"));
  v("billing", tables.billing, to_say("billing rule"));
  v("service_levels", tables.service_levels, to_say("service level"));
  v("spot_markets", tables.spot_markets, to_say("spot market"));
  v("purchases", tables.purchases, to_say("purchase price"));
  v("token_prices", tables.token_prices, to_say("token price"));
  v("drift", tables.drift, to_say("drift of prices"));
}

/// Joins instances to GPUs and offers, keeps the newest of equal offers and the others as their history, and builds the
/// name lists.
/// Needed after any change.
void relink(Tables& tables);
/// The part of it that a snapshot leaves out: instance to GPU by name, instance to its offers.
void join(Tables& tables);

/// Index of the processor that an instance's words name, the slowest where they name several; kNoGpu where none.
std::int32_t find_cpu(std::string_view words, std::span<const Cpu> cpus);

void list_gpu_names(Tables& tables);
void list_cpu_names(Tables& tables);
void list_model_names(Tables& tables);

/// Adds what the documents hold. All files are read before anything is judged, so that order does
/// not matter. `overlay`: existing records may be changed, and new prices replace old ones.
void ingest(Tables& tables, std::span<const Document> documents, Laying how, Errors& errors);

/// Ingests the YAML at `path` (a file or a directory) as an overlay.
Errors lay_on_top(Tables& tables, const std::string& path);

/// Puts what a user pays in the place of what is published. `catalog` is made of these tables. Errors: a name, term or
/// currency that is not known.
Errors lay_own_prices(Tables& tables, const Catalog& catalog, const OwnPrices& own);

/// Index of the one entry with that folded name; several distinct records under it: ambiguous.
struct Lookup {
  enum class Outcome : std::uint8_t { found, unknown, ambiguous } outcome = Outcome::unknown;
  std::uint32_t index = 0;
  std::uint32_t other = 0;  // a second meaning, when ambiguous
};
Lookup look_up(std::span<const NameEntry> names, std::string_view folded);

/// What can be rented comes from the snapshot alone; its GPUs, models, rates and sources are laid over
/// those that `tables` has.
Errors read_snapshot(Tables& tables, const std::shared_ptr<const Block>& block);

/// The snapshot the program was built with.
std::shared_ptr<const Block> embedded_block();
/// A snapshot file, read whole and checked.
std::expected<std::shared_ptr<const Block>, Errors> read_snapshot_file(const std::string& path);

/// The bytes of a snapshot file: the block and its checksum.
std::string with_checksum(std::string bytes);

std::string snapshot_bytes(const Tables& tables, std::span<const Document> documents);
/// Those with that section at their top; all of them when it is empty.
std::vector<Document> snapshot_documents(const Block& block, std::string_view section);

}  // namespace gpusel::catalog
