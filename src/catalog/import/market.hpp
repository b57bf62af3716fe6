// Where rows of all formats become one market: names joined to GPUs, SKUs and regions of the catalogue,
// zones merged, prices checked, every row accounted for.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "catalog/import/dialects/dialects.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog::import {

struct RowPrice {
  Term term = Term::on_demand;
  Period period = Period::hour;
  double amount = 0;
};

/// One instance type in one region, as a price list states it. Texts are valid while it is added.
struct Row {
  std::uint32_t line = 0;
  std::string_view provider;  // empty: the file's
  std::string_view sku;
  std::string_view family;
  std::string_view region;
  std::string_view country;
  std::string_view note;
  std::string_view gpu;       // name; empty: CPU only, or not said
  std::string_view gpu_info;  // more words about it, not to be relied on
  std::string_view upstream;  // the SKU of the provider that a broker resells
  std::optional<std::uint32_t> gpu_index;
  Number gpu_count;
  Number gpu_memory_gb;        // of one GPU
  Number gpu_memory_total_gb;  // where that is all the list says
  Number vcpu;
  Number memory_gib;
  Number local_ssd_gb;
  Number network_gbps;
  bool arm = false;
  bool without_local_ssd = false;  // where a size comes with one, the price leaves it out
  Date as_of;
  Currency currency = Currency::usd();
  std::vector<RowPrice> prices;
};

/// Counts what becomes of each row of the input.
class Ledger {
 public:
  explicit Ledger(ImportReport& report) : report_(report) {}

  void begin_file(std::uint32_t file) { file_ = file; }
  ImportedFile& file() { return report_.files[file_]; }
  void imported() {
    ++file().rows;
    ++file().imported;
  }
  void skipped(std::uint32_t line, std::uint32_t reason) {
    ++file().rows;
    report_.skipped.push_back({file_, line, reason});
  }
  void skipped(std::uint32_t line, const std::string& reason) { skipped(line, text(reason)); }
  /// 0 is an imported row, anything else the reason why it is not.
  void count(std::uint32_t line, std::uint32_t outcome) { outcome == 0 ? imported() : skipped(line, outcome); }
  /// Rows with the same remark are counted, the first is named. Returns the remark's number, never 0.
  std::uint32_t warn(std::uint32_t line, const std::string& remark);
  /// One more row with the remark of that number; 0 is none.
  void warn_again(std::uint32_t remark) {
    if (remark != 0) ++report_.warnings[remark - 1].rows;
  }
  /// The number of a reason to keep a price out.
  std::uint32_t doubt(const std::string& reason);
  /// The number of a text, never 0.
  std::uint32_t text(const std::string& reason);

 private:
  ImportReport& report_;
  std::uint32_t file_ = 0;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<std::string, std::size_t> warnings_;
};

/// What a catalogue takes for a figure of an instance.
Range allowed_for(Number Instance::* figure);

/// A cloud's name as an id.
std::string as_provider_id(std::string_view name);

/// What is said of the place the prices of a file are from.
struct Publisher {
  std::string_view name;
  std::string_view url;
  Confidence confidence = Confidence::api;
};

/// Prices of parts that sizes are billed by: of which part, in which region, whether of spot.
using BilledParts = std::map<std::tuple<std::string, std::string, bool>, double>;

/// Prices of the catalogue, as market_check.cpp compares with them.
struct KnownPrices;

class MarketBuilder {
 public:
  MarketBuilder(const Catalog& known, const Dialects& dialects, ImportFormat format, ImportReport& report);

  /// Rows of `file` follow; `provider` is theirs where they name none.
  void begin_file(std::uint32_t file, const std::string& provider);
  /// The day its prices held; kept where the request names none.
  void dated(Date as_of);
  void set_date(Date as_of) { forced_date_ = as_of; }
  /// Keeps out what costs less than a quarter of what the cheapest quarter of sellers asks for that GPU.
  void doubt_low_prices();
  /// Machines without a GPU are left out, unless the catalogue has them.
  void take_gpus_only() { gpus_only_ = true; }
  /// One source of all prices.
  void set_source(const Source& source) { given_source_ = source; }
  /// Prices of the file without a day.
  std::uint64_t undated() const { return undated_; }
  void set_publisher(const Publisher& publisher) { publisher_ = publisher; }

  /// 0 when it was taken, else the number of the reason why not.
  std::uint32_t add(const Row& row);
  void take(const Row& row) { ledger_.count(row.line, add(row)); }
  Ledger& ledger() { return ledger_; }
  const Dialects& dialects() const { return dialects_; }
  /// The id under which a provider that a row names is known, or will be.
  const std::string& provider_named(std::string_view name);
  /// Whether the file's provider prices host and accelerator apart.
  bool joins() const { return !dialects_.joined_cloud.empty() && file_provider_ == dialects_.joined_cloud; }
  /// Gives a row of such a cloud the part that goes with its size. A size that takes any accelerator is
  /// another one with each: returns its name, n1-standard-8+1xT4.
  std::string as_joined(Row& row) const;
  /// Makes a slice of TPUs so many chips; false where its name does not say how many.
  bool as_slice(Row& row) const;
  /// The catalogue's size of the file's provider by that name; null: it has none.
  const Instance* own_size(std::string_view sku);
  /// All that the catalogue has of the file's provider.
  std::vector<const Instance*> own_sizes() const;
  /// The name of the only size of the file's provider that has the row's accelerators and ends so; empty: there is
  /// none, or more than one.
  std::string_view own_size_with(const Row& row, std::string_view ending);
  const Catalog& known() const { return known_; }
  /// Of all files: a list in pages has the parts of one size on several.
  BilledParts& billed_parts() { return billed_parts_; }
  /// The id of the file's provider.
  std::string_view provider() const { return file_provider_; }

  Catalog finish();

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  template <class Value>
  using ByName = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  /// An instance type as it was first met, or why it cannot be taken.
  struct Known {
    std::uint32_t instance = 0;
    std::uint32_t reason = 0;
    std::uint32_t remark = 0;  // what there was to say of it, for each of its rows
    std::uint64_t says = 0;    // what the row said of its accelerator
    bool own = false;          // its facts are the catalogue's
    bool vcpu_documented = false;
    bool memory_documented = false;
  };
  struct ProviderState {
    ByName<std::size_t> skus;    // places in `known`, by the name as it is written
    ByName<std::size_t> folded;  // by the folded one: people write the same name in two ways
    std::vector<Known> known;
    ByName<std::uint16_t> regions;         // by the name as it is written
    ByName<std::uint16_t> folded_regions;  // by the folded id
    ByName<const Region*> own_regions;     // of the catalogue, by folded id
    ByName<const Instance*> own;           // by folded SKU
    std::span<const std::string> accelerated;
    bool place = false;
    bool country = false;
    bool zoned = false;
  };
  struct Place {
    std::string id;
    std::string country;
  };

  ProviderState& provider_state(std::string_view name);
  std::string_view keep(std::string_view text);
  void copy_texts(Instance& instance);
  void keep_import_sources(const Instance& own);

  Known& known_of(const Row& row, ProviderState& state, std::string_view provider, bool& is_new);
  Known resolve(const Row& row, ProviderState& state, std::string_view provider);
  Known take_own(const Row& row, const Instance& own);
  std::string set_gpu(const Row& row, const ProviderState& state, Instance& instance);
  const Gpu* sold_already(const std::vector<std::uint32_t>& candidates) const;
  std::string open_gpu(const Row& row, const std::vector<std::uint32_t>& candidates, Instance& instance);
  std::vector<std::uint32_t> candidates_of(const Row& row);
  std::vector<std::uint32_t> named_by_sku(const Row& row);
  std::optional<std::uint32_t> resold(const Row& row, const std::vector<std::uint32_t>& candidates) const;
  std::vector<std::uint32_t> narrowed(const Row& row, std::vector<std::uint32_t> candidates);
  static std::string set_count(const Row& row, const Gpu* gpu, Instance& instance);
  bool agree(const Row& row, Known& known, ProviderState& state, std::string_view provider);
  void fill_in(const Row& row, const Known& known);
  std::optional<std::uint16_t> region_of(const Row& row, ProviderState& state, std::string_view provider);
  Place place_of(const Row& row, const ProviderState& state) const;
  std::uint16_t origin_of(std::string_view note);
  std::string too_low(const Row& row, const Instance& instance) const;
  std::string_view source_key();
  std::string_view keep_given_source();
  Source kept(Source source);
  void merge();
  std::vector<Offer> take_history();
  void put_in_order();
  // What cannot be right is said (market_check.cpp).
  using Offers = std::span<const Offer>;
  void check_prices();
  std::string price_text(const Offer& offer) const;
  Number usd_of(const Offer& offer) const;
  bool is_market(const Instance& instance) const;
  void check_spot(const Instance& instance, Offers offers, std::uint32_t line);
  void check_regions(const Instance& instance, Offers offers, std::uint32_t line);
  void check_against_known(const Instance& instance, Offers offers, const KnownPrices& known, std::uint32_t line);
  void check_host(const Instance& instance, Offers offers, std::uint32_t line);

  const Catalog& known_;
  const Dialects& dialects_;
  GpuNames names_;
  Ledger ledger_;
  ImportReport& report_;
  std::unique_ptr<Tables> tables_;
  std::unordered_map<std::string_view, std::string_view> kept_;
  ByName<std::unique_ptr<ProviderState>> providers_;
  ByName<std::string> provider_names_;
  std::unordered_map<std::string, std::uint16_t> origins_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> met_;  // file and line of each instance's first row
  std::vector<Offer> offers_;
  std::size_t merged_ = 0;
  Publisher publisher_;
  ImportFormat format_;
  std::string file_provider_;
  std::string_view source_key_;
  Date forced_date_;
  /// USD per GPU and hour on demand, by GPU, below which a price is doubted.
  std::map<std::string_view, double> floors_;
  std::uint64_t undated_ = 0;
  bool gpus_only_ = false;
  Source given_source_;
  BilledParts billed_parts_;
  std::uint32_t file_ = 0;
  std::uint32_t remark_ = 0;  // on the instance type being looked at
};

}  // namespace gpusel::catalog::import
