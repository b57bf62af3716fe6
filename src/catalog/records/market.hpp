// What can be rented: providers, instances (one per provider and SKU) and
// their offers (instance × region × billing term × dated price).
#pragma once

#include <algorithm>
#include <array>

#include "base/values/date.hpp"
#include "base/values/enum.hpp"
#include "base/values/money.hpp"
#include "catalog/records/place.hpp"

namespace gpusel {

namespace catalog {

/// With whom the contract is: a company of its own data centres (hyperscaler, cloud), or whoever offers machines there
/// (marketplace: any host; community: hosts that the provider lists apart from its own machines).
enum class ProviderKind : std::uint8_t { hyperscaler, cloud, marketplace, community };
/// How the GPUs of one instance reach each other.
enum class NodeLink : std::uint8_t { none, pcie, nvlink_pairs, nvlink_mesh, nvswitch, xgmi, neuronlink, ici, hccs };
enum class Rdma : std::uint8_t { none, efa, infiniband, roce, gpudirect_tcpx, gpudirect_tcpxo, erdma };
/// Who pays for the licence of a graphics driver: part of the price, on top of it, the user's own, or not to be had.
enum class Licence : std::uint8_t { included, surcharge, own, none };
enum class CpuArch : std::uint8_t { x86_64, arm64 };
enum class Availability : std::uint8_t { available, limited, invitation, preview, retired, restricted, not_offered };
/// What is committed to. savings: a spending plan; capacity_block: a fixed window, paid up front;
/// flex_start: queued, for a limited time; sustained_use and ladder: the mean rate of a whole month under
/// discounts that grow with the hours used.
enum class Term : std::uint8_t {
  on_demand,
  spot,
  reserved_1y,
  reserved_3y,
  month,
  year,
  savings_1y,
  savings_3y,
  capacity_block,
  flex_start,
  sustained_use,
  ladder,
  reserved_3m,
  reserved_6m,
  reserved_2y,
  savings_3m,
  savings_6m
};
/// A commitment to spend, bought apart from the machine.
constexpr bool is_savings_plan(Term term) {
  return term == Term::savings_3m || term == Term::savings_6m || term == Term::savings_1y || term == Term::savings_3y;
}
enum class Period : std::uint8_t { hour, month, year };
enum class Confidence : std::uint8_t { documented, api, press, recalled, derived };
/// list: published, so a younger one of the same offer takes its place; own: agreed with the user, which no list does.
enum class PriceKind : std::uint8_t { list, own };

/// Who published a fact, where and when.
struct Source {
  std::string_view key;
  std::string_view publisher;
  std::string_view document;
  std::string_view url;
  Date date;
  std::string_view licence;
  Confidence confidence = Confidence::documented;
};

struct Provider {
  std::string_view id;
  std::string_view name;
  TextList aliases;
  std::string_view country;  // ISO 3166 of the company's home jurisdiction
  std::string_view url;
  std::optional<ProviderKind> kind;
  TextList serves;  // ISO codes of the countries whose customers it takes; none: no such limit is known
  Date serves_as_of;
  std::string_view serves_source;
  std::string_view serves_note;
  Number billing_granularity_s;  // unless a record of `billing` says otherwise
  Number billing_minimum_s;
  std::string_view billing_source;
  TextList unpriced_terms;  // terms it sells at prices that are not recorded
  std::string_view unpriced_source;
  std::string_view unpriced_note;

  bool sells_unpriced(std::string_view term) const {
    return std::ranges::find(unpriced_terms, term) != unpriced_terms.end();
  }
};

/// Where a price comes from: one per price sheet.
struct Origin {
  std::string_view source;  // key
  std::string_view note;
  Confidence confidence = Confidence::documented;
  Date ends = {};  // the last day on which the record itself says that the price holds
  std::optional<double> to_published = {};  // of a price of the user's own: as a multiple of the nearest published one
};

/// Machines of others than the company that bills them: no service level of one owner behind them.
constexpr bool is_hosted_by_others(ProviderKind kind) {
  return kind == ProviderKind::marketplace || kind == ProviderKind::community;
}

inline constexpr std::int32_t kNoGpu = -1;
inline constexpr std::string_view kUndisclosed = "undisclosed";

struct Instance {
  std::string_view provider;  // id
  std::string_view sku;
  std::string_view family;
  std::string_view gpu;  // id; empty for CPU-only, "undisclosed" where the vendor hides it
  Number gpu_count;      // fractions allowed
  Number gpu_memory_gb;  // total, where it is not count × marketed memory
  Number vcpu;
  Number memory_gib;
  Number local_ssd_gb;
  Number network_gbps;  // instance NIC
  Number fabric_gbps;   // all RDMA NICs together
  std::optional<Rdma> rdma;
  std::optional<NodeLink> link;
  Number link_gbs_per_gpu;  // bidirectional
  std::string_view cpu;
  CpuArch cpu_arch = CpuArch::x86_64;
  Number cpu_threads_per_core;  // as rented; absent: the processor's own
  Number cpu_ghz;               // of all cores; absent: the processor's own
  Number cpu_turbo_ghz;         // of one
  std::optional<Licence> workstation_licence;
  Number workstation_per_gpu_hour;
  std::string_view workstation_currency;
  std::string_view workstation_source;
  std::string_view workstation_note;
  std::optional<bool> bare_metal;
  std::optional<ProviderKind> seller;     // where it differs from the provider's kind
  std::optional<bool> third_party_hosts;  // machines of others than the provider; absent: as its kind says
  Availability status = Availability::available;
  TextList sources;
  std::string_view caution;  // what this instance is often mistaken for
  std::string_view notes;

  // Filled in when a catalogue is put together.
  std::int32_t gpu_index = kNoGpu;
  std::int32_t cpu_index = kNoGpu;  // the slowest of the processors that `cpu` may mean
  std::uint32_t first_offer = 0;
  std::uint32_t offer_count = 0;
  std::uint32_t first_state = 0;
  std::uint32_t state_count = 0;
};

/// Who sells it; unknown where neither it nor its provider says so.
inline std::optional<ProviderKind> seller_of(const Instance& instance, const Provider* provider) {
  return instance.seller || provider == nullptr ? instance.seller : provider->kind;
}

/// What is known of selling an instance in one region or on one term besides a price: that it is not
/// offered there, restricted, limited … Without a record, a missing price is only that: unknown.
struct OfferState {
  std::string_view provider;
  std::string_view sku;
  std::string_view region;   // empty: every region
  std::optional<Term> term;  // absent: every term
  Availability state = Availability::available;
  Date as_of;
  std::string_view source;  // key
  std::string_view note;

  std::uint32_t instance = 0;  // index; filled in when a catalogue is put together
};

/// One published price of a day: the youngest of an offer is what is asked for it, older ones are its history. Small
/// and of fixed layout: millions lie side by side in a snapshot.
struct Offer {
  double amount = 0;           // in its own currency, for `period`, for the whole instance
  std::uint32_t instance = 0;  // index
  std::int32_t as_of = 0;      // Date::packed()
  std::uint16_t region = 0;    // index
  std::uint16_t origin = 0;    // index
  Term term = Term::on_demand;
  Period period = Period::hour;
  std::uint8_t currency = 0;  // index
  PriceKind kind = PriceKind::list;

  double per_hour() const {
    switch (period) {
      case Period::hour: return amount;
      case Period::month: return amount / kHoursPerMonth;
      case Period::year: return amount / kHoursPerYear;
    }
    return amount;
  }
};
static_assert(sizeof(Offer) == 24);

struct ExchangeRate {
  Currency currency;
  Number per_usd;
  Date as_of;
  std::string_view source;
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Source>
void visit_fields(Record& s, Visitor&& v) {
  v(Field{.path = "key", .json = "key"}, s.key);
  v(Field{.path = "publisher", .json = "publisher", .required = true}, s.publisher);
  v(Field{.path = "document", .json = "document", .required = true}, s.document);
  v(Field{.path = "url", .json = "url"}, s.url);
  v(Field{.path = "date", .json = "date"}, s.date);
  v(Field{.path = "licence", .json = "licence"}, s.licence);
  v(Field{.path = "confidence", .json = "confidence", .required = true}, s.confidence);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Provider>
void visit_fields(Record& p, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, p.id);
  v(Field{.path = "name", .json = "name", .required = true}, p.name);
  v(Field{.path = "aliases", .json = "aliases"}, p.aliases);
  v(Field{.path = "country", .json = "country"}, p.country);
  v(Field{.path = "url", .json = "url"}, p.url);
  v(Field{.path = "kind", .json = "kind"}, p.kind);
  v(Field{.path = "serves.countries", .json = "serves"}, p.serves);
  v(Field{.path = "serves.as_of", .json = "serves_as_of"}, p.serves_as_of);
  v(Field{.path = "serves.source", .json = "serves_source"}, p.serves_source);
  v(Field{.path = "serves.note", .json = "serves_note"}, p.serves_note);
  v(Field{.path = "billing.granularity_s", .json = "billing_granularity_s", .unit = "s", .range = {1, 1e7}},
    p.billing_granularity_s);
  v(Field{.path = "billing.minimum_s", .json = "billing_minimum_s", .unit = "s", .range = {0, 1e7}},
    p.billing_minimum_s);
  v(Field{.path = "billing.source", .json = "billing_source"}, p.billing_source);
  v(Field{.path = "unpriced.terms", .json = "unpriced_terms"}, p.unpriced_terms);
  v(Field{.path = "unpriced.source", .json = "unpriced_source"}, p.unpriced_source);
  v(Field{.path = "unpriced.note", .json = "unpriced_note"}, p.unpriced_note);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Origin>
void visit_fields(Record& o, Visitor&& v) {
  v(Field{.path = "source", .json = "source", .required = true}, o.source);
  v(Field{.path = "note", .json = "note"}, o.note);
  v(Field{.path = "ends", .json = "ends"}, o.ends);
  v(Field{.path = "confidence", .json = "confidence"}, o.confidence);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, OfferState>
void visit_fields(Record& s, Visitor&& v) {
  v(Field{.path = "provider", .json = "provider", .required = true, .shown = false}, s.provider);
  v(Field{.path = "sku", .json = "sku", .shown = false}, s.sku);
  v(Field{.path = "region", .json = "region"}, s.region);
  v(Field{.path = "term", .json = "term"}, s.term);
  v(Field{.path = "state", .json = "state", .required = true}, s.state);
  v(Field{.path = "as_of", .json = "as_of"}, s.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, s.source);
  v(Field{.path = "note", .json = "note"}, s.note);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, ExchangeRate>
void visit_fields(Record& r, Visitor&& v) {
  v(Field{.path = "currency", .json = "currency", .required = true}, r.currency);
  v(Field{.path = "per_usd", .json = "per_usd", .range = {1e-6, 1e9}, .required = true}, r.per_usd);
  v(Field{.path = "as_of", .json = "as_of", .required = true}, r.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, r.source);
}

/// The fields a family may state for all its sizes, and a size for itself.
template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Instance>
void visit_shared_fields(Record& i, Visitor&& v) {
  v(Field{.path = "gpu", .json = "gpu"}, i.gpu);
  v(Field{.path = "interconnect.kind", .json = "intra_node_interconnect"}, i.link);
  v(Field{.path = "interconnect.gbs_per_gpu", .json = "interconnect_gbs_per_gpu", .unit = "GB/s", .range = {0, 1e5}},
    i.link_gbs_per_gpu);
  v(Field{.path = "rdma", .json = "rdma"}, i.rdma);
  v(Field{.path = "cpu", .json = "cpu"}, i.cpu);
  v(Field{.path = "cpu_arch", .json = "cpu_arch"}, i.cpu_arch);
  v(Field{.path = "cpu_threads_per_core", .json = "cpu_threads_per_core", .range = {1, 8}}, i.cpu_threads_per_core);
  v(Field{.path = "cpu_ghz", .json = "cpu_ghz", .unit = "GHz", .range = {0.5, 10}}, i.cpu_ghz);
  v(Field{.path = "cpu_turbo_ghz", .json = "cpu_turbo_ghz", .unit = "GHz", .range = {0.5, 10}}, i.cpu_turbo_ghz);
  v(Field{.path = "workstation.licence", .json = "workstation_licence"}, i.workstation_licence);
  v(Field{.path = "workstation.per_gpu_hour", .json = "workstation_per_gpu_hour", .range = {0, 100}},
    i.workstation_per_gpu_hour);
  v(Field{.path = "workstation.currency", .json = "workstation_currency"}, i.workstation_currency);
  v(Field{.path = "workstation.source", .json = "workstation_source"}, i.workstation_source);
  v(Field{.path = "workstation.note", .json = "workstation_note"}, i.workstation_note);
  v(Field{.path = "bare_metal", .json = "bare_metal"}, i.bare_metal);
  v(Field{.path = "seller", .json = "seller"}, i.seller);
  v(Field{.path = "third_party_hosts", .json = "third_party_hosts"}, i.third_party_hosts);
  v(Field{.path = "status", .json = "status"}, i.status);
  v(Field{.path = "sources", .json = "sources"}, i.sources);
  v(Field{.path = "caution", .json = "caution"}, i.caution);
  v(Field{.path = "notes", .json = "notes"}, i.notes);
}

/// The fields of one size alone.
template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Instance>
void visit_size_fields(Record& i, Visitor&& v) {
  v(Field{.path = "sku", .json = "sku", .required = true}, i.sku);
  v(Field{.path = "gpus", .json = "gpu_count", .range = {0, 1e5}}, i.gpu_count);
  v(Field{.path = "gpu_memory_gb", .json = "gpu_memory_total_gb", .unit = "GB", .range = {0, 1e7}}, i.gpu_memory_gb);
  v(Field{.path = "vcpu", .json = "vcpu", .range = {0, 1e6}}, i.vcpu);
  v(Field{.path = "memory_gib", .json = "memory_gib", .unit = "GiB", .range = {0, 1e7}}, i.memory_gib);
  v(Field{.path = "local_ssd_gb", .json = "local_ssd_gb", .unit = "GB", .range = {0, 1e8}}, i.local_ssd_gb);
  v(Field{.path = "network_gbps", .json = "network_gbps", .unit = "Gbit/s", .range = {0, 1e6}}, i.network_gbps);
  v(Field{.path = "fabric_gbps", .json = "fabric_gbps", .unit = "Gbit/s", .range = {0, 1e6}}, i.fabric_gbps);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Instance>
void visit_fields(Record& i, Visitor&& v) {
  v(Field{.path = "provider", .json = "provider", .required = true}, i.provider);
  v(Field{.path = "family", .json = "family"}, i.family);
  visit_size_fields(i, v);
  visit_shared_fields(i, v);
}

}  // namespace catalog

template <>
inline constexpr auto enum_names<catalog::ProviderKind> =
    std::to_array<std::string_view>({"hyperscaler", "cloud", "marketplace", "community"});
template <>
inline constexpr auto enum_names<catalog::NodeLink> = std::to_array<std::string_view>(
    {"none", "pcie", "nvlink-pairs", "nvlink-mesh", "nvswitch", "xgmi", "neuronlink", "ici", "hccs"});
template <>
inline constexpr auto enum_names<catalog::Rdma> = std::to_array<std::string_view>(
    {"none", "efa", "infiniband", "roce", "gpudirect-tcpx", "gpudirect-tcpxo", "erdma"});
template <>
inline constexpr auto enum_names<catalog::Licence> =
    std::to_array<std::string_view>({"included", "surcharge", "own", "none"});
template <>
inline constexpr auto enum_names<catalog::CpuArch> = std::to_array<std::string_view>({"x86_64", "arm64"});
template <>
inline constexpr auto enum_names<catalog::Availability> = std::to_array<std::string_view>(
    {"available", "limited", "invitation", "preview", "retired", "restricted", "not-offered"});
template <>
inline constexpr auto enum_names<catalog::Term> = std::to_array<std::string_view>(
    {"on-demand", "spot", "reserved-1y", "reserved-3y", "month", "year", "savings-1y", "savings-3y", "capacity-block",
     "flex-start", "sustained-use", "ladder", "reserved-3m", "reserved-6m", "reserved-2y", "savings-3m", "savings-6m"});
template <>
inline constexpr auto enum_spellings<catalog::Term> = std::to_array<Spelling<catalog::Term>>({
    {"ondemand", catalog::Term::on_demand},
    {"od", catalog::Term::on_demand},
    {"payg", catalog::Term::on_demand},
    {"pay-as-you-go", catalog::Term::on_demand},
    {"按量付费", catalog::Term::on_demand},
    {"按量计费", catalog::Term::on_demand},
    {"按量", catalog::Term::on_demand},
    {"按需", catalog::Term::on_demand},
    {"按小时", catalog::Term::on_demand},
    {"后付费", catalog::Term::on_demand},
    {"preemptible", catalog::Term::spot},
    {"interruptible", catalog::Term::spot},
    {"bid", catalog::Term::spot},
    {"抢占式实例", catalog::Term::spot},
    {"抢占式", catalog::Term::spot},
    {"抢占", catalog::Term::spot},
    {"竞价实例", catalog::Term::spot},
    {"竞价", catalog::Term::spot},
    {"reserved", catalog::Term::reserved_1y},
    {"1y", catalog::Term::reserved_1y},
    {"reserved-1yr", catalog::Term::reserved_1y},
    {"预留实例券", catalog::Term::reserved_1y},
    {"预留实例", catalog::Term::reserved_1y},
    {"预留", catalog::Term::reserved_1y},
    {"3m", catalog::Term::reserved_3m},
    {"6m", catalog::Term::reserved_6m},
    {"2y", catalog::Term::reserved_2y},
    {"3y", catalog::Term::reserved_3y},
    {"reserved-3yr", catalog::Term::reserved_3y},
    {"monthly", catalog::Term::month},
    {"包年包月", catalog::Term::month},
    {"包月", catalog::Term::month},
    {"月付", catalog::Term::month},
    {"yearly", catalog::Term::year},
    {"annual", catalog::Term::year},
    {"包年", catalog::Term::year},
    {"年付", catalog::Term::year},
    {"savings", catalog::Term::savings_1y},
    {"savings-plan", catalog::Term::savings_1y},
    {"节省计划", catalog::Term::savings_1y},
    {"节省套餐", catalog::Term::savings_1y},
});
template <>
inline constexpr auto enum_names<catalog::Period> = std::to_array<std::string_view>({"hour", "month", "year"});
template <>
inline constexpr auto enum_names<catalog::PriceKind> = std::to_array<std::string_view>({"list", "own"});
template <>
inline constexpr auto enum_names<catalog::Confidence> =
    std::to_array<std::string_view>({"documented", "api", "press", "recalled", "derived"});

}  // namespace gpusel
