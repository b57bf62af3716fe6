#include "answer/lists/columns.hpp"

#include "answer/facts/candidates.hpp"
#include "answer/lists/list.hpp"
#include "base/words/message.hpp"
#include "catalog/places/places.hpp"

namespace gpusel::answer {

namespace {

using catalog::Field;
using catalog::Gpu;
using catalog::GpuLink;
using catalog::Instance;
using catalog::Model;
using catalog::Number;
using catalog::Offer;
using catalog::TextList;
using rules::ColumnType;

constexpr rules::ColumnAlias kAliases[] = {
    {"vram", "gpu_memory_gb memory_gb memory_usable_gib"},
    {"vram_gb", "gpu_memory_gb memory_gb"},
    {"gpu_ram", "gpu_memory_gb memory_gb"},
    {"gpu_memory", "gpu_memory_gb memory_gb"},
    {"total_vram", "gpu_memory_total_gb"},
    {"gpu_memory_total", "gpu_memory_total_gb"},
    {"memory", "memory_gib memory_gb"},
    {"ram", "memory_gib"},
    {"usable", "gpu_memory_usable_gib memory_gib_usable"},
    {"bandwidth", "gpu_bandwidth_gbs memory_bandwidth_gbs"},
    {"price", "price price_per_gpu_hour hourly"},
    {"cost", "total price price_per_gpu_hour"},
    {"name", "id sku"},
    {"price_per_gpu", "price_per_gpu_hour"},
    {"gpus", "gpu_count"},
    {"num_gpus", "gpu_count"},
    {"gpu_name", "gpu id"},
    {"gpu", "id"},
    {"vcpus", "vcpu"},
    {"cpus", "vcpu"},
    {"cloud", "provider"},
    {"instance", "sku"},
    {"network", "network_gbps"},
    {"ssd", "local_ssd_gb"},
    {"link", "intra_node_interconnect interconnect"},
    {"nvlink", "has_nvlink"},
    {"bf16", "bf16_dense_tflops"},
    {"fp4", "fp4_dense_tflops"},
    {"fp8", "fp8_dense_tflops"},
    {"fp16", "fp16_dense_tflops"},
    {"tf32", "tf32_dense_tflops"},
    {"fp32", "fp32_tflops"},
    {"fp64", "fp64_tflops"},
    {"int8", "int8_dense_tops"},
    {"tdp", "tdp_w"},
    {"power", "tdp_w"},
    {"watts", "tdp_w"},
    {"year", "release_year"},
    {"capability", "compute_capability"},
    {"cc", "compute_capability"},
    {"mig", "mig_max_instances"},
    {"nvenc", "nvenc_count"},
    {"nvdec", "nvdec_count"},
    {"cuda", "last_cuda_major"},
    {"date", "as_of price_as_of"},
    {"age", "price_age_days"},
    {"speed", "throughput tokens_per_s"},
    {"ttft", "ttft_ms"},
    {"itl", "itl_ms"},
    {"latency", "latency_ms ttft_ms"},
    {"params", "params_b"},
    {"active", "active_params_b"},
    {"active_params", "active_params_b"},
    {"context", "max_context"},
    {"hidden", "hidden_size"},
    {"kv", "kv_bytes_per_token_fp16"},
    {"license", "licence"},
};

// Each kind of member as a value.
rules::Value value_of(const Number& member) { return member ? rules::Value(*member) : rules::Value(); }
rules::Value value_of(std::string_view member) { return member; }
rules::Value value_of(const TextList& member) { return member.joined(); }
rules::Value value_of(const std::optional<bool>& member) {
  return member ? rules::Value(*member ? 1.0 : 0.0) : rules::Value();
}
template <NamedEnum E>
rules::Value value_of(E member) {
  return to_text(member);
}
template <NamedEnum E>
rules::Value value_of(const std::optional<E>& member) {
  return member ? rules::Value(to_text(*member)) : rules::Value();
}

template <class Member>
constexpr ColumnType type_of(std::string_view key) {
  if constexpr (std::is_same_v<Member, Number>) return ColumnType::number;
  if constexpr (std::is_same_v<Member, std::optional<bool>>) return ColumnType::boolean;
  return key == "compute_capability" ? ColumnType::version : ColumnType::text;
}

/// A column for every field of the Part that `part` finds in a row, or nullptr. Where each member lies is
/// asked of one record, once.
template <class Part, class Record, class Find>
void add_fields(Columns<Record>& columns, Find part) {
  static const Part sample{};
  visit_fields(sample, [&](const Field& field, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    const auto offset = reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&sample);
    const std::string_view unit = field.json.ends_with("_b") ? "billions" : field.unit;
    columns.add({field.json, type_of<Member>(field.json), unit}, [part, offset](const Record& record) -> rules::Value {
      const Part* found = part(record);
      if (found == nullptr) return {};
      return value_of(*reinterpret_cast<const Member*>(reinterpret_cast<const char*>(found) + offset));
    });
  });
}

/// Facts that rules know of an instance and that its own fields do not say; of a slice they are the slice's.
constexpr rules::Fact kFacts[] = {rules::Fact::gpu_memory_gb,     rules::Fact::gpu_memory_usable_gib,
                                  rules::Fact::gpu_bandwidth_gbs, rules::Fact::gpu_share,
                                  rules::Fact::has_nvlink,        rules::Fact::has_rdma,
                                  rules::Fact::vcpu_per_gpu,      rules::Fact::host_memory_per_gpu_gib};

rules::Value fact_value(rules::Fact fact, const InstanceView& view) {
  rules::FactSet wanted;
  wanted.set(fact);
  rules::Facts facts;
  instance_facts(facts, view, wanted);
  if (!facts.known(fact)) return {};
  return info(fact).type == rules::FactType::text ? rules::Value(facts.text(fact)) : rules::Value(facts.number(fact));
}

/// Whether the part can be linked by NVLink; nothing where its link is not known.
std::optional<bool> takes_nvlink(const Gpu& gpu) {
  if (!gpu.interconnect) return std::nullopt;
  return gpu.interconnect == GpuLink::nvlink || gpu.interconnect == GpuLink::nvlink_bridge ||
         gpu.interconnect == GpuLink::nvswitch_capable;
}

void add_truth(Columns<ListedGpu>& columns, std::string_view name, bool Gpu::* member) {
  columns.add({name, ColumnType::boolean},
              [member](const ListedGpu& row) { return rules::Value(row.gpu->*member ? 1.0 : 0.0); });
}

/// What an offer says, in a row that has one.
template <class Get>
void add_offer(Columns<Listed>& columns, rules::ColumnInfo info, Get get) {
  columns.add(info,
              [get](const Listed& row) { return row.offer == nullptr ? rules::Value() : rules::Value(get(row)); });
}

void add_offer_columns(Columns<Listed>& columns, const catalog::Catalog& catalog, Date today) {
  add_offer(columns, {"price", ColumnType::number}, [](const Listed& row) { return row.hourly; });
  columns.add({"price_per_gpu_hour", ColumnType::number}, [](const Listed& row) {
    const double gpus = row.instance->gpu.empty() ? 0 : row.instance->gpu_count.value_or(0);
    return row.offer == nullptr || gpus <= 0 ? rules::Value() : rules::Value(row.hourly / gpus);
  });
  add_offer(columns, {"price_per_hour", ColumnType::number}, [](const Listed& row) { return row.offer->per_hour(); });
  add_offer(columns, {"currency"}, [&](const Listed& row) { return catalog.currency_of(*row.offer).code(); });
  add_offer(columns, {"region"}, [&](const Listed& row) { return catalog.region_of(*row.offer).id; });
  add_offer(columns, {"country"}, [&](const Listed& row) { return catalog.region_of(*row.offer).country; });
  add_offer(columns, {"term"}, [](const Listed& row) { return to_text(row.offer->term); });
  add_offer(columns, {"source"}, [&](const Listed& row) { return catalog.origin_of(*row.offer).source; });
  add_offer(columns, {"confidence"},
            [&](const Listed& row) { return to_text(catalog.origin_of(*row.offer).confidence); });
  columns.add({"as_of", ColumnType::date}, [](const Listed& row) {
    const Date date = row.offer == nullptr ? Date{} : Date::from_packed(row.offer->as_of);
    return date.known() ? rules::Value(date.packed()) : rules::Value();
  });
  columns.add({"price_age_days", ColumnType::number, "days"}, [today](const Listed& row) {
    const auto days = row.offer == nullptr ? std::nullopt : days_between(Date::from_packed(row.offer->as_of), today);
    return days ? rules::Value(static_cast<double>(*days)) : rules::Value();
  });
}

/// The GPU of that id, else all that go by a name, as --gpu takes it.
auto gpu_names(const catalog::Catalog& catalog) {
  return [&](std::string_view name) -> Result<std::vector<std::string>> {
    job::GpuSpec spec;
    spec.names = {catalog::fold_gpu_name(name)};
    std::vector<std::string> ids;
    for (const Gpu& gpu : catalog.gpus()) {
      if (gpu.id == spec.names.front()) return std::vector{std::string(gpu.id)};
      if (!spec.names.front().empty() && spec.names_gpu(gpu)) ids.emplace_back(gpu.id);
    }
    if (!ids.empty()) return ids;
    const auto one = catalog.gpu(name);
    if (!one) return std::unexpected(one.error());
    return std::vector{std::string((*one)->id)};
  };
}

}  // namespace

std::span<const rules::ColumnAlias> column_aliases() { return kAliases; }

Result<std::vector<std::string>> one_of_texts(std::string_view column, std::string_view text,
                                              const std::set<std::string, std::less<>>& known) {
  const std::string folded = fold_name(text);
  std::vector<std::string_view> names;
  for (const std::string& one : known) {
    if (fold_name(one) == folded) return std::vector{one};
    names.emplace_back(one);
  }
  if (names.empty()) return std::vector{std::string(text)};
  Hint hint = did_you_mean(text, names);
  if (hint.empty()) {
    constexpr std::size_t kNamed = 4;
    std::string list;
    for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) list += (i == 0 ? "" : ", ") + printable(names[i]);
    hint = say("known: {}{}", list, names.size() > kNamed ? " …" : "");
  }
  return usage_error(say("nothing has the {} '{}'", column, shorten(printable(text), 40)), {}, std::move(hint));
}

bool comes_before(const rules::Value& a, const rules::Value& b, ColumnType type, bool descending) {
  if (!a.known || !b.known) return a.known && !b.known;
  if (type == ColumnType::version) {
    const auto left = plain_number(a.text);
    const auto right = plain_number(b.text);
    if (!left || !right) return left && !right;
    return descending ? *right < *left : *left < *right;
  }
  if (type == ColumnType::text) return descending ? b.text < a.text : a.text < b.text;
  return descending ? b.number < a.number : a.number < b.number;
}

Columns<ListedGpu> gpu_columns(const catalog::Catalog& catalog) {
  Columns<ListedGpu> columns;
  add_fields<Gpu>(columns, [](const ListedGpu& row) { return row.gpu; });
  add_truth(columns, "has_fp16", &Gpu::has_fp16);
  add_truth(columns, "has_bf16", &Gpu::has_bf16);
  add_truth(columns, "has_fp8", &Gpu::has_fp8);
  columns.add({"has_nvlink", ColumnType::boolean},
              [](const ListedGpu& row) { return value_of(takes_nvlink(*row.gpu)); });
  columns.add({"price_per_gpu_hour", ColumnType::number}, [](const ListedGpu& row) {
    return row.market.offer == nullptr ? rules::Value() : rules::Value(row.market.per_gpu_hour);
  });
  columns.add({"verdict"}, [](const ListedGpu& row) {
    return row.verdict.reason.empty() ? rules::Value() : rules::Value(to_text(row.verdict.fitness));
  });
  columns.add({"instances", ColumnType::number},
              [](const ListedGpu& row) { return rules::Value(row.market.instances); });
  columns.add({"providers", ColumnType::number},
              [](const ListedGpu& row) { return rules::Value(row.market.providers); });
  columns.named_by("id", gpu_names(catalog));
  columns.of_rows([&](const auto& see) {
    for (const Gpu& gpu : catalog.gpus()) see({.gpu = &gpu});
  });
  return columns;
}

Columns<const Model*> model_columns(const catalog::Catalog& catalog) {
  Columns<const Model*> columns;
  add_fields<Model>(columns, [](const Model* model) { return model; });
  columns.add({"moe", ColumnType::boolean},
              [](const Model* model) { return rules::Value(model->is_moe() ? 1.0 : 0.0); });
  columns.add({"kv_bytes_per_token_fp16", ColumnType::number, "B"},
              [](const Model* model) { return value_of(catalog::kv_bytes_per_token_fp16(*model)); });
  columns.named_by("id", [&](std::string_view name) -> Result<std::vector<std::string>> {
    const auto model = catalog.model(name);
    if (!model) return std::unexpected(model.error());
    return std::vector{std::string((*model)->id)};
  });
  columns.of_rows([&](const auto& see) {
    for (const Model& model : catalog.models()) see(&model);
  });
  return columns;
}

Columns<Listed> instance_columns(const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                 Date today) {
  Columns<Listed> columns;
  columns.add({"gpu_memory_total_gb", ColumnType::number, "GB"},
              [&](const Listed& row) { return value_of(catalog.gpu_memory_total_gb(*row.instance)); });
  add_fields<Instance>(columns, [](const Listed& row) { return row.instance; });
  add_offer_columns(columns, catalog, today);
  for (const rules::Fact fact : kFacts) {
    const rules::FactInfo& known = rules::info(fact);
    const ColumnType type = known.type == rules::FactType::boolean ? ColumnType::boolean : ColumnType::number;
    columns.add({known.name, type, known.unit}, [&, fact](const Listed& row) {
      return fact_value(fact, {*row.instance, nullptr, catalog, coefficients});
    });
  }
  add_fields<Gpu>(columns, [&](const Listed& row) { return catalog.gpu_of(*row.instance); });
  for (const std::string_view column : {"gpu", "id"}) columns.named_by(column, gpu_names(catalog));
  columns.named_by("provider", [&](std::string_view name) -> Result<std::vector<std::string>> {
    const auto provider = catalog.provider(name);
    if (!provider) return std::unexpected(provider.error());
    return std::vector{std::string((*provider)->id)};
  });
  columns.named_by("region", [&](std::string_view name) -> Result<std::vector<std::string>> {
    const auto place = catalog::locate(name, catalog);
    if (!place) return std::unexpected(place.error());
    std::vector<std::string> ids;
    for (const catalog::Region* region : place->regions) ids.emplace_back(region->id);
    return ids;
  });
  columns.of_rows([&](const auto& see) {
    for (const Instance& instance : catalog.instances()) {
      see({.instance = &instance});
      for (const Offer& offer : catalog.offers_of(instance)) see({.instance = &instance, .offer = &offer});
    }
  });
  return columns;
}

}  // namespace gpusel::answer
