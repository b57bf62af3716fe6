// The first row of each instance type decides what it is: the catalogue's own record where it has one,
// else what the row says of its accelerator, as far as that can be understood.
#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/market.hpp"

namespace gpusel::catalog::import {

namespace {

/// Boards of a socketed part hold up to eight of them, and one kind of machine joins two boards.
constexpr double kSocketedBoard = 8;
constexpr double kSocketedMost = 16;
constexpr double kCountTolerance = 0.01;
/// GB and GiB are one size, cores and threads are not.
constexpr double kOtherHost = 1.5;

std::uint64_t statement_of(const Row& row) {
  const std::size_t name = std::hash<std::string_view>{}(row.gpu);
  const std::size_t info = std::hash<std::string_view>{}(row.gpu_info);
  const std::size_t count = std::hash<double>{}(row.gpu_count.value_or(-1));
  const std::size_t memory = std::hash<double>{}(row.gpu_memory_gb.value_or(-1));
  const std::size_t upstream = std::hash<std::string_view>{}(row.upstream);
  return name ^ (info << 1U) ^ (count << 2U) ^ (memory << 3U) ^ (upstream << 4U) ^ row.gpu_index.value_or(0xFFFF);
}

/// 0.167 of a GPU is a sixth.
std::optional<double> share_of(double count) {
  for (int parts = 1; parts <= 64; ++parts)
    if (std::abs(count * parts - 1) < 0.005) return 1.0 / parts;
  return std::nullopt;
}

}  // namespace

std::string MarketBuilder::as_joined(Row& row) const {
  const std::string& family = dialects_.attached_family;
  const bool attached = !family.empty() && row.sku.starts_with(family) && row.gpu_count;
  const std::string folded = fold_gpu_name(row.gpu);
  for (const JoinedAccelerator& link : dialects_.joined) {
    if (link.folded_name != folded) continue;
    const bool fixed = std::find(link.hosts.begin(), link.hosts.end(), row.sku) != link.hosts.end();
    if (fixed || (attached && link.hosts.empty())) row.gpu_index = link.gpu;
  }
  return attached ? format("{}+{}x{}", row.sku, *row.gpu_count, row.gpu) : std::string();
}

bool MarketBuilder::as_slice(Row& row) const {
  const std::string folded = fold_name(row.gpu);
  for (const SliceName& name : dialects_.slices) {
    if (!folded.starts_with(name.prefix)) continue;
    const auto number = plain_number(std::string_view(folded).substr(name.prefix.size()));
    if (!number || *number <= 0) return false;
    row.gpu_index = name.gpu;
    row.gpu_count = *number / name.per_chip;
    return true;
  }
  return false;
}

MarketBuilder::Known MarketBuilder::resolve(const Row& row, ProviderState& state, std::string_view provider) {
  const auto own = state.own.find(fold_name(row.sku));
  Known known;
  if (own != state.own.end() && row.gpu_count == 0.0 && own->second->gpu_count.value_or(0) > 0) {
    known.reason =
        ledger_.text(say("gpu_count of 0, and the catalog's '{}' has {:g}", own->second->sku, *own->second->gpu_count));
    known.says = statement_of(row);
    return known;
  }
  if (own != state.own.end()) return take_own(row, *own->second);
  known.says = statement_of(row);
  Instance instance;
  instance.provider = keep(provider);
  instance.sku = keep(row.sku);
  instance.family = keep(row.family.empty() ? row.sku : row.family);
  remark_ = 0;
  if (const std::string reason = set_gpu(row, state, instance); !reason.empty()) {
    known.reason = ledger_.text(reason);
    return known;
  }
  if (gpus_only_ && instance.gpu_count.value_or(0) <= 0) {
    known.reason = ledger_.text(say("no accelerator, and a machine that the catalog does not have"));
    return known;
  }
  known.remark = remark_;
  instance.vcpu = row.vcpu;
  instance.memory_gib = row.memory_gib;
  instance.local_ssd_gb = row.local_ssd_gb;
  instance.network_gbps = row.network_gbps;
  if (row.arm) instance.cpu_arch = CpuArch::arm64;
  if (!instance.gpu.empty() && instance.gpu_count && *instance.gpu_count <= 1) instance.link = NodeLink::none;
  instance.sources = TextList(keep(source_key()));
  known.instance = static_cast<std::uint32_t>(tables_->instances.size());
  tables_->instances.push_back(instance);
  met_.emplace_back(file_, row.line);
  return known;
}

/// A SKU of the catalogue: what it documents holds, and where the row says otherwise that is said.
MarketBuilder::Known MarketBuilder::take_own(const Row& row, const Instance& own) {
  Known known;
  known.says = statement_of(row);
  known.own = true;
  known.vcpu_documented = own.vcpu.has_value();
  known.memory_documented = own.memory_gib.has_value();
  known.instance = static_cast<std::uint32_t>(tables_->instances.size());
  Instance instance = own;
  copy_texts(instance);
  keep_import_sources(own);
  instance.gpu_index = kNoGpu;
  tables_->instances.push_back(instance);
  met_.emplace_back(file_, row.line);
  const double count = instance.gpu_count.value_or(0);
  if (row.gpu_count && *row.gpu_count > 0 && std::abs(*row.gpu_count - count) > kCountTolerance * count)
    known.remark =
        ledger_.warn(row.line, say("'{}' with {} GPUs: the catalog's {} are kept", row.sku, *row.gpu_count, count));
  const auto differs = [](const Number& stated, const Number& documented) {
    return stated && documented && (*stated > kOtherHost * *documented || *documented > kOtherHost * *stated);
  };
  if (differs(row.vcpu, own.vcpu))
    known.remark =
        ledger_.warn(row.line, say("'{}' with {:g} vCPUs: the catalog's {:g} are kept", row.sku, *row.vcpu, *own.vcpu));
  if (differs(row.memory_gib, own.memory_gib))
    known.remark = ledger_.warn(row.line, say("'{}' with {:g} GiB of memory: the catalog's {:g} are kept", row.sku,
                                              *row.memory_gib, *own.memory_gib));
  const auto candidates = candidates_of(row);
  const Gpu* gpu = known_.gpu_of(own);
  if (gpu != nullptr && !candidates.empty() &&
      std::none_of(candidates.begin(), candidates.end(), [&](auto i) { return &known_.gpus()[i] == gpu; }))
    known.remark = ledger_.warn(
        row.line, say("'{}' with a {}: the catalog's {} is kept", row.sku,
                      printable(row.gpu.empty() ? known_.gpus()[candidates.front()].id : row.gpu), gpu->id));
  return known;
}

/// Every part that the row's name may mean.
std::vector<std::uint32_t> MarketBuilder::candidates_of(const Row& row) {
  if (row.gpu_index) return {*row.gpu_index};
  if (row.gpu.empty()) return {};
  const std::string fuller = fuller_name(row.sku, row.gpu);
  return names_.meant_by(fuller.empty() ? row.gpu : fuller);
}

/// Where a list leaves the name out, a SKU may still have it in full: Standard_NC144lds_xl_RTXPRO6000BSE_v6.
std::vector<std::uint32_t> MarketBuilder::named_by_sku(const Row& row) {
  const std::string folded = fold_name(row.sku);
  for (const std::string_view word : split(folded, '-'))
    if (const auto& meant = names_.meant_by(word); meant.size() == 1) return meant;
  return {};
}

/// What a broker's offer is by the catalogue's record of the SKU behind it; "1A100.22V_SPOT" is 1A100.22V.
std::optional<std::uint32_t> MarketBuilder::resold(const Row& row, const std::vector<std::uint32_t>& candidates) const {
  for (const std::string_view sku : {row.upstream, row.upstream.substr(0, row.upstream.rfind('_'))}) {
    if (sku.empty() || !known_.has_instance(sku)) continue;
    const auto instance = known_.instance(sku);
    const Gpu* gpu = instance ? known_.gpu_of(**instance) : nullptr;
    for (const std::uint32_t i : candidates)
      if (gpu == &known_.gpus()[i]) return i;
  }
  return std::nullopt;
}

const Instance* MarketBuilder::own_size(std::string_view sku) {
  const ProviderState& state = provider_state(file_provider_);
  const auto own = state.own.find(fold_name(sku));
  return own == state.own.end() ? nullptr : own->second;
}

std::vector<const Instance*> MarketBuilder::own_sizes() const {
  std::vector<const Instance*> sizes;
  for (const Instance& instance : known_.instances())
    if (instance.provider == file_provider_) sizes.push_back(&instance);
  return sizes;
}

std::string_view MarketBuilder::own_size_with(const Row& row, std::string_view ending) {
  const std::vector<std::uint32_t> candidates = narrowed(row, candidates_of(row));
  std::string_view found;
  for (const Instance* size : own_sizes()) {
    const bool same =
        size->sku.ends_with(ending) && size->gpu_count == row.gpu_count &&
        std::ranges::any_of(candidates, [&](auto i) { return &known_.gpus()[i] == known_.gpu_of(*size); });
    if (same && !found.empty()) return {};
    if (same) found = size->sku;
  }
  return found;
}

/// Those of them that the row's other words, and the memory it gives, leave open.
std::vector<std::uint32_t> MarketBuilder::narrowed(const Row& row, std::vector<std::uint32_t> candidates) {
  if (const auto known = resold(row, candidates)) return {*known};
  std::string words;
  for (const std::string_view text : {row.sku, row.gpu, row.gpu_info, row.upstream}) words += fold_name(text) + " ";
  candidates = of_memory_type(of_form(candidates, words, known_), words, known_);
  if (row.gpu_memory_gb) return of_memory(candidates, std::vector{*row.gpu_memory_gb}, known_);
  const auto hints = hinted_memory_gb(row.gpu_info, *row.gpu_count);
  if (hints.empty()) return candidates;
  auto fitting = of_memory(candidates, hints, known_);
  // A short name is also used for its larger sisters.
  if (fitting.empty()) fitting = of_memory(of_form(names_.series_of(row.gpu), words, known_), hints, known_);
  return fitting.empty() ? candidates : fitting;
}

/// The one of them that the seller of the list has in the catalogue; null where it is none or several.
const Gpu* MarketBuilder::sold_already(const std::vector<std::uint32_t>& candidates) const {
  const Gpu* found = nullptr;
  for (const Instance* size : own_sizes())
    for (const std::uint32_t i : candidates) {
      const Gpu* gpu = &known_.gpus()[i];
      if (gpu != known_.gpu_of(*size)) continue;
      if (found != nullptr && found != gpu) return nullptr;
      found = gpu;
    }
  return found;
}

/// Fills in the accelerator; says why where it cannot.
std::string MarketBuilder::set_gpu(const Row& row, const ProviderState& state, Instance& instance) {
  const bool counted = row.gpu_count && *row.gpu_count > 0;
  if (row.gpu.empty() && !row.gpu_index) {
    const std::string folded = fold_name(row.sku);
    const bool accelerated =
        counted || std::any_of(state.accelerated.begin(), state.accelerated.end(),
                               [&](const std::string& prefix) { return folded.starts_with(fold_name(prefix)); });
    if (!accelerated) {
      instance.gpu_count = 0;
      return {};
    }
    if (const auto named = named_by_sku(row); counted && !named.empty()) {
      instance.gpu = keep(known_.gpus()[named.front()].id);
      return set_count(row, &known_.gpus()[named.front()], instance);
    }
    instance.gpu = keep(kUndisclosed);
    instance.notes = keep(say("the price list does not name the GPU"));
    instance.gpu_memory_gb = row.gpu_memory_total_gb;
    return counted ? set_count(row, nullptr, instance) : std::string();
  }
  if (!counted) return say("'{}' without a count", row.gpu);
  auto candidates = candidates_of(row);
  if (candidates.empty()) {
    const std::string fuller = fuller_name(row.sku, row.gpu);
    return say("the catalog has no accelerator '{}'", fuller.empty() ? row.gpu : fuller);
  }
  candidates = narrowed(row, std::move(candidates));
  if (candidates.empty()) return say("the catalog has no '{}' of {} GB", row.gpu, *row.gpu_memory_gb);
  if (candidates.size() > 1)
    if (const Gpu* sold = sold_already(candidates)) {
      remark_ = ledger_.warn(row.line, say("'{}' is read as {}: the only such GPU that {} is known to sell", row.gpu,
                                           sold->id, file_provider_));
      instance.gpu = keep(sold->id);
      return set_count(row, sold, instance);
    }
  if (candidates.size() > 1) return open_gpu(row, candidates, instance);
  const Gpu& gpu = known_.gpus()[candidates.front()];
  instance.gpu = keep(gpu.id);
  return set_count(row, &gpu, instance);
}

/// One of several parts, and nothing tells which: the row is kept, the part stays open.
std::string MarketBuilder::open_gpu(const Row& row, const std::vector<std::uint32_t>& candidates, Instance& instance) {
  std::string list;
  const Number memory = known_.gpus()[candidates.front()].memory_gb;
  bool same_memory = memory.has_value();
  for (const std::uint32_t i : candidates) {
    list += (list.empty() ? "" : ", ") + std::string(known_.gpus()[i].id);
    same_memory = same_memory && known_.gpus()[i].memory_gb.value_or(0) == *memory;
  }
  instance.gpu = keep(kUndisclosed);
  instance.notes = keep(say("the price list says '{}', which could be any of {}", row.gpu, list));
  if (same_memory && allowed_for(&Instance::gpu_memory_gb).contains(*memory * *row.gpu_count))
    instance.gpu_memory_gb = *memory * *row.gpu_count;
  remark_ = ledger_.warn(row.line, say("'{}' could be any of {}: left undisclosed", row.gpu, list));
  return set_count(row, nullptr, instance);
}

std::string MarketBuilder::set_count(const Row& row, const Gpu* gpu, Instance& instance) {
  double count = *row.gpu_count;
  if (count < 1) {
    const auto share = share_of(count);
    if (!share) return say("{} of a GPU", count);
    count = *share;
  } else if (count != std::floor(count)) {
    return say("{} GPUs", count);
  }
  if (gpu != nullptr && gpu->form_factor.starts_with("SXM") && count > kSocketedBoard && count != kSocketedMost)
    return say("{} of {}: boards of it have up to {}", count, gpu->id, kSocketedBoard);
  instance.gpu_count = count;
  return {};
}

/// Whether a later row means the same accelerator.
bool MarketBuilder::agree(const Row& row, Known& known, ProviderState& state, std::string_view provider) {
  const std::uint64_t says = statement_of(row);
  if (known.says == says || known.own) {
    ledger_.warn_again(known.remark);
    return true;
  }
  if (known.reason != 0) {  // this row may be understood where the first was not
    known = resolve(row, state, provider);
    return true;
  }
  Instance other;
  if (!set_gpu(row, state, other).empty()) return false;
  const Instance& mine = tables_->instances[known.instance];
  return other.gpu == mine.gpu && other.gpu_count.value_or(0) == mine.gpu_count.value_or(0);
}

/// Hosts of one instance type differ: the least of what is stated holds for all of them. What the
/// catalogue documents stays.
void MarketBuilder::fill_in(const Row& row, const Known& known) {
  Instance& instance = tables_->instances[known.instance];
  bool filled = false;
  const auto least = [&](Number& mine, const Number& stated, bool documented) {
    if (!stated || documented) return;
    filled = filled || !mine;
    mine = mine ? std::min(*mine, *stated) : *stated;
  };
  least(instance.vcpu, row.vcpu, known.vcpu_documented);
  least(instance.memory_gib, row.memory_gib, known.memory_documented);
  if (!filled || !known.own) return;
  const std::string sources(instance.sources.joined());
  if (sources.find(source_key()) == std::string::npos)
    instance.sources = TextList(keep(sources + (sources.empty() ? "" : "\n") + std::string(source_key())));
}

}  // namespace gpusel::catalog::import
