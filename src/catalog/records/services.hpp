// What a rented GPU does not cover: where data lie and how fast they are read, what a provider promises, how often
// spot instances are taken away, what managed services ask on top, and what the hardware costs to buy.
#pragma once

#include <array>

#include "base/values/date.hpp"
#include "base/values/enum.hpp"
#include "catalog/records/field.hpp"

namespace gpusel {

namespace catalog {

/// local: disks of the instance itself, paid with it.
enum class StorageKind : std::uint8_t { local, block, file, parallel_file, object };
enum class ServiceKind : std::uint8_t { endpoint, training, rendering, platform };
enum class PurchaseKind : std::uint8_t { card, server };

/// A kind of storage that a provider sells.
struct Storage {
  std::string_view id;
  std::string_view provider;
  std::string_view name;
  std::optional<StorageKind> kind;
  TextList regions;  // none: every one that no other record of the same name has
  std::string_view currency;
  Number per_gb_month;
  Number per_gbs_month;         // throughput that is bought apart, per GB/s
  Number read_gbs;              // of one volume or file system, at most
  Number read_gbs_per_tb;       // where throughput grows with what is stored
  Number read_gbs_included;     // without paying for throughput
  Number read_gbs_per_node;     // that one instance can draw, whatever the volume gives
  Number per_million_requests;  // reads
  Number max_gb;
  Date as_of;
  std::string_view source;
  std::string_view note;
};

/// A managed service that runs the same instances under another name, price and promise.
struct Service {
  std::string_view id;
  std::string_view provider;
  std::string_view name;
  std::optional<ServiceKind> kind;
  TextList families;                  // of instances that it runs; none: not told
  TextList skus;                      // of these families it is for; none: all that no record of its name tells apart
  Number surcharge;                   // its price over the plain instance's: 1.25
  std::optional<bool> scale_to_zero;  // pays nothing while nobody asks
  std::string_view lock_in;           // what would have to be rewritten to leave
  Date as_of;
  TextList sources;
  std::string_view note;
};

/// How time is counted and paid for, and what is charged on top of the price: of a provider, or of some of its
/// families, SKUs, regions or terms. What a record does not state holds as the next wider one says it.
struct BillingRule {
  std::string_view id;
  std::string_view provider;
  TextList families;     // none: all
  TextList skus;         // none: all
  TextList regions;      // none: all
  TextList terms;        // none: all
  Number granularity_s;  // the step in which time is counted
  Number minimum_s;      // of one start
  Number longest_h;      // without a break, after which it ends
  Number most_nodes;     // instances that are rented at once
  TextList increments;   // "0.25=1": up to that share of a month's hours at so much of the price; the last is "1=…"
  std::string_view currency;       // of the charges
  Number setup;                    // once for each instance
  std::optional<bool> host_apart;  // vCPU and memory are charged on top of the price
  Number per_vcpu_hour;
  Number per_memory_gib_hour;
  // What that is counted for where the user chooses it; unknown: the instance's own.
  Number host_vcpu;
  Number host_memory_per_gpu_gb;
  Date as_of;
  std::string_view source;
  std::string_view note;
};

/// What a provider promises, and pays for when it is broken.
struct ServiceLevel {
  std::string_view id;
  std::string_view provider;
  std::string_view scope;  // "one instance", "several zones"
  TextList families;       // none: all of the provider's
  TextList terms;          // none: every one but spot
  Number percent;          // of a month; 0: nothing is promised, and that is said
  std::string_view credit;
  Date as_of;
  std::string_view source;
  std::string_view note;
};

/// How instances that may be taken away are taken away.
struct SpotMarket {
  std::string_view id;
  std::string_view provider;
  TextList families;        // none: all that no other record names
  Number notice_s;          // between the warning and the end
  Number interrupted_low;   // share of instances taken away within a month, from
  Number interrupted_high;  // … to
  Number longest_h;         // after which it ends anyway
  Date as_of;
  std::string_view source;
  std::string_view note;
};

/// What hardware costs to buy.
struct Purchase {
  std::string_view id;
  std::string_view gpu;
  std::optional<PurchaseKind> kind;
  Number gpus;
  std::string_view currency;
  Number price;  // of all of it
  Number watts;  // at the wall under load, of all of it
  Date as_of;
  std::string_view source;
  std::string_view note;
};

/// What a provider of a hosted model asks per million tokens.
struct TokenPrice {
  std::string_view id;
  std::string_view provider;  // as its seller calls itself; need not rent machines
  std::string_view model;     // id of the catalogue's model
  std::string_view currency;
  Number input_per_million;
  Number cached_input_per_million;
  Number output_per_million;
  Number batch_input_per_million;
  Number batch_output_per_million;
  Date as_of;
  std::string_view source;
  std::string_view note;
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Storage>
void visit_fields(Record& s, Visitor&& v) {
  constexpr Range kRate{0, 1e6};
  v(Field{.path = "id", .json = "id", .required = true}, s.id);
  v(Field{.path = "provider", .json = "provider", .required = true}, s.provider);
  v(Field{.path = "name", .json = "name", .required = true}, s.name);
  v(Field{.path = "kind", .json = "kind", .required = true}, s.kind);
  v(Field{.path = "regions", .json = "regions"}, s.regions);
  v(Field{.path = "currency", .json = "currency"}, s.currency);
  v(Field{.path = "per_gb_month", .json = "per_gb_month", .range = {0, 100}}, s.per_gb_month);
  v(Field{.path = "per_gbs_month", .json = "per_gbs_month", .range = {0, 1e6}}, s.per_gbs_month);
  v(Field{.path = "read_gbs", .json = "read_gbs", .unit = "GB/s", .range = kRate}, s.read_gbs);
  v(Field{.path = "read_gbs_per_tb", .json = "read_gbs_per_tb", .unit = "GB/s", .range = kRate}, s.read_gbs_per_tb);
  v(Field{.path = "read_gbs_included", .json = "read_gbs_included", .unit = "GB/s", .range = kRate},
    s.read_gbs_included);
  v(Field{.path = "read_gbs_per_node", .json = "read_gbs_per_node", .unit = "GB/s", .range = kRate},
    s.read_gbs_per_node);
  v(Field{.path = "per_million_requests", .json = "per_million_requests", .range = {0, 1e4}}, s.per_million_requests);
  v(Field{.path = "max_gb", .json = "max_gb", .unit = "GB", .range = {1, 1e12}}, s.max_gb);
  v(Field{.path = "as_of", .json = "as_of"}, s.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, s.source);
  v(Field{.path = "note", .json = "note"}, s.note);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Service>
void visit_fields(Record& s, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, s.id);
  v(Field{.path = "provider", .json = "provider", .required = true}, s.provider);
  v(Field{.path = "name", .json = "name", .required = true}, s.name);
  v(Field{.path = "kind", .json = "kind", .required = true}, s.kind);
  v(Field{.path = "families", .json = "families"}, s.families);
  v(Field{.path = "skus", .json = "skus"}, s.skus);
  v(Field{.path = "surcharge", .json = "surcharge", .range = {0.1, 10}}, s.surcharge);
  v(Field{.path = "scale_to_zero", .json = "scale_to_zero"}, s.scale_to_zero);
  v(Field{.path = "lock_in", .json = "lock_in"}, s.lock_in);
  v(Field{.path = "as_of", .json = "as_of"}, s.as_of);
  v(Field{.path = "sources", .json = "sources", .required = true}, s.sources);
  v(Field{.path = "note", .json = "note"}, s.note);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, BillingRule>
void visit_fields(Record& b, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, b.id);
  v(Field{.path = "provider", .json = "provider", .required = true}, b.provider);
  v(Field{.path = "families", .json = "families"}, b.families);
  v(Field{.path = "skus", .json = "skus"}, b.skus);
  v(Field{.path = "regions", .json = "regions"}, b.regions);
  v(Field{.path = "terms", .json = "terms"}, b.terms);
  v(Field{.path = "granularity_s", .json = "granularity_s", .unit = "s", .range = {1, 1e7}}, b.granularity_s);
  v(Field{.path = "minimum_s", .json = "minimum_s", .unit = "s", .range = {0, 1e7}}, b.minimum_s);
  v(Field{.path = "longest_h", .json = "longest_h", .unit = "h", .range = {0.1, 1e5}}, b.longest_h);
  v(Field{.path = "most_nodes", .json = "most_nodes", .range = {1, 1e5}}, b.most_nodes);
  v(Field{.path = "increments", .json = "increments"}, b.increments);
  v(Field{.path = "currency", .json = "currency"}, b.currency);
  v(Field{.path = "setup", .json = "setup", .range = {0, 1e7}}, b.setup);
  v(Field{.path = "host_apart", .json = "host_apart"}, b.host_apart);
  v(Field{.path = "per_vcpu_hour", .json = "per_vcpu_hour", .range = {0, 100}}, b.per_vcpu_hour);
  v(Field{.path = "per_memory_gib_hour", .json = "per_memory_gib_hour", .range = {0, 100}}, b.per_memory_gib_hour);
  v(Field{.path = "host_vcpu", .json = "host_vcpu", .range = {0, 1e4}}, b.host_vcpu);
  v(Field{.path = "host_memory_per_gpu_gb", .json = "host_memory_per_gpu_gb", .range = {0, 100}},
    b.host_memory_per_gpu_gb);
  v(Field{.path = "as_of", .json = "as_of"}, b.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, b.source);
  v(Field{.path = "note", .json = "note"}, b.note);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, ServiceLevel>
void visit_fields(Record& s, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, s.id);
  v(Field{.path = "provider", .json = "provider", .required = true}, s.provider);
  v(Field{.path = "scope", .json = "scope", .required = true}, s.scope);
  v(Field{.path = "families", .json = "families"}, s.families);
  v(Field{.path = "terms", .json = "terms"}, s.terms);
  v(Field{.path = "percent", .json = "percent", .unit = "%", .range = {0, 100}, .required = true}, s.percent);
  v(Field{.path = "credit", .json = "credit"}, s.credit);
  v(Field{.path = "as_of", .json = "as_of"}, s.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, s.source);
  v(Field{.path = "note", .json = "note"}, s.note);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, SpotMarket>
void visit_fields(Record& s, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, s.id);
  v(Field{.path = "provider", .json = "provider", .required = true}, s.provider);
  v(Field{.path = "families", .json = "families"}, s.families);
  v(Field{.path = "notice_s", .json = "notice_s", .unit = "s", .range = {0, 1e6}}, s.notice_s);
  v(Field{.path = "interrupted_low", .json = "interrupted_low", .range = {0, 0.9999}}, s.interrupted_low);
  v(Field{.path = "interrupted_high", .json = "interrupted_high", .range = {0, 0.9999}}, s.interrupted_high);
  v(Field{.path = "longest_h", .json = "longest_h", .unit = "h", .range = {0.1, 1e5}}, s.longest_h);
  v(Field{.path = "as_of", .json = "as_of"}, s.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, s.source);
  v(Field{.path = "note", .json = "note"}, s.note);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Purchase>
void visit_fields(Record& p, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, p.id);
  v(Field{.path = "gpu", .json = "gpu", .required = true}, p.gpu);
  v(Field{.path = "kind", .json = "kind", .required = true}, p.kind);
  v(Field{.path = "gpus", .json = "gpus", .range = {1, 1000}, .required = true}, p.gpus);
  v(Field{.path = "currency", .json = "currency", .required = true}, p.currency);
  v(Field{.path = "price", .json = "price", .range = {1, 1e8}, .required = true}, p.price);
  v(Field{.path = "watts", .json = "watts", .unit = "W", .range = {1, 1e6}}, p.watts);
  v(Field{.path = "as_of", .json = "as_of"}, p.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, p.source);
  v(Field{.path = "note", .json = "note"}, p.note);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, TokenPrice>
void visit_fields(Record& p, Visitor&& v) {
  constexpr Range kPerMillion{0, 1e5};
  v(Field{.path = "id", .json = "id", .required = true}, p.id);
  v(Field{.path = "provider", .json = "provider", .required = true}, p.provider);
  v(Field{.path = "model", .json = "model", .required = true}, p.model);
  v(Field{.path = "currency", .json = "currency", .required = true}, p.currency);
  v(Field{.path = "input_per_million", .json = "input_per_million", .range = kPerMillion}, p.input_per_million);
  v(Field{.path = "cached_input_per_million", .json = "cached_input_per_million", .range = kPerMillion},
    p.cached_input_per_million);
  v(Field{.path = "output_per_million", .json = "output_per_million", .range = kPerMillion}, p.output_per_million);
  v(Field{.path = "batch_input_per_million", .json = "batch_input_per_million", .range = kPerMillion},
    p.batch_input_per_million);
  v(Field{.path = "batch_output_per_million", .json = "batch_output_per_million", .range = kPerMillion},
    p.batch_output_per_million);
  v(Field{.path = "as_of", .json = "as_of"}, p.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, p.source);
  v(Field{.path = "note", .json = "note"}, p.note);
}

}  // namespace catalog

template <>
inline constexpr auto enum_names<catalog::StorageKind> =
    std::to_array<std::string_view>({"local", "block", "file", "parallel-file", "object"});
template <>
inline constexpr auto enum_names<catalog::ServiceKind> =
    std::to_array<std::string_view>({"endpoint", "training", "rendering", "platform"});
template <>
inline constexpr auto enum_names<catalog::PurchaseKind> = std::to_array<std::string_view>({"card", "server"});

}  // namespace gpusel
