#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <utility>

#include "base/text/text.hpp"
#include "catalog/read/price_layers.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::string_view kVendorPrefixes[] = {"nvidia-",   "tesla-", "amd-",   "geforce-",
                                                "instinct-", "aws-",   "英伟达", "华为"};
/// Prefixes that people leave out of a SKU.
constexpr std::string_view kSkuPrefixes[] = {"ecs.", "standard-"};

class NameList {
 public:
  explicit NameList(Tables& tables) : tables_(tables) {}

  void add(std::string folded, std::size_t index) {
    names_.push_back({tables_.keep(std::move(folded)), static_cast<std::uint32_t>(index)});
  }
  std::vector<NameEntry> sorted() {
    const auto key = [](const NameEntry& e) { return std::pair(e.folded, e.index); };
    std::sort(names_.begin(), names_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const auto last =
        std::unique(names_.begin(), names_.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); });
    names_.erase(last, names_.end());
    return std::exchange(names_, {});
  }

 private:
  Tables& tables_;
  std::vector<NameEntry> names_;
};

void list_sku_names(Tables& tables) {
  NameList names(tables);
  for (std::size_t i = 0; i < tables.instances.size(); ++i) {
    const std::string sku = fold_name(tables.instances[i].sku);
    names.add(fold_name(tables.instances[i].provider) + "-" + sku, i);
    for (const std::string_view prefix : kSkuPrefixes)
      if (sku.starts_with(prefix)) names.add(sku.substr(prefix.size()), i);
    names.add(sku, i);
  }
  tables.sku_names = names.sorted();
}

}  // namespace

std::string fold_gpu_name(std::string_view name) {
  std::string folded = fold_name(name);
  for (const std::string_view prefix : kVendorPrefixes)
    if (folded.starts_with(prefix)) folded.erase(0, prefix.size());
  // "显卡4090", "4090显卡": a card.
  constexpr std::string_view kCard = "显卡";
  if (folded.starts_with(kCard)) folded.erase(0, kCard.size());
  if (folded.ends_with(kCard)) folded.erase(folded.size() - kCard.size());
  // "16 GB": one word, as in ids.
  constexpr std::string_view kSize = "-gb";
  if (const auto at = folded.find(kSize);
      at != std::string::npos && at > 0 && std::isdigit(static_cast<unsigned char>(folded[at - 1])) != 0)
    folded.erase(at, 1);
  while (folded.starts_with('-')) folded.erase(0, 1);
  while (folded.ends_with('-')) folded.pop_back();
  return folded;
}

Lookup look_up(std::span<const NameEntry> names, std::string_view folded) {
  const auto first =
      std::lower_bound(names.begin(), names.end(), folded,
                       [](const NameEntry& entry, std::string_view name) { return entry.folded < name; });
  if (first == names.end() || first->folded != folded) return {};
  const auto second = first + 1;
  if (second != names.end() && second->folded == folded)
    return {Lookup::Outcome::ambiguous, first->index, second->index};
  return {Lookup::Outcome::found, first->index, 0};
}

std::optional<std::uint8_t> Tables::currency_index(Currency currency) {
  const auto found = std::find(currencies.begin(), currencies.end(), currency);
  if (found != currencies.end()) return static_cast<std::uint8_t>(found - currencies.begin());
  if (currencies.size() >= kMostCurrencies) return std::nullopt;
  currencies.push_back(currency);
  return static_cast<std::uint8_t>(currencies.size() - 1);
}

/// "org/Name" is also found as "Name", unless that is another model's name or two models share it.
void list_model_names(Tables& tables) {
  tables.near = {};  // made of names that may be gone
  NameList full(tables);
  NameList shorts(tables);
  for (std::size_t i = 0; i < tables.models.size(); ++i) {
    full.add(fold_name(tables.models[i].id), i);
    for (const std::string_view alias : tables.models[i].aliases) {
      full.add(fold_name(alias), i);
      if (const auto slash = alias.rfind('/'); slash != std::string_view::npos)
        shorts.add(fold_name(alias.substr(slash + 1)), i);
    }
  }
  tables.model_names = full.sorted();
  const std::vector<NameEntry> candidates = shorts.sorted();
  std::vector<NameEntry> accepted;
  for (const NameEntry& entry : candidates)
    if (look_up(tables.model_names, entry.folded).outcome == Lookup::Outcome::unknown &&
        look_up(candidates, entry.folded).outcome == Lookup::Outcome::found)
      accepted.push_back(entry);
  tables.model_names.insert(tables.model_names.end(), accepted.begin(), accepted.end());
  std::stable_sort(tables.model_names.begin(), tables.model_names.end(),
                   [](const NameEntry& a, const NameEntry& b) { return a.folded < b.folded; });
}

void list_gpu_names(Tables& tables) {
  NameList names(tables);
  for (std::size_t i = 0; i < tables.gpus.size(); ++i) {
    names.add(fold_gpu_name(tables.gpus[i].id), i);
    names.add(fold_gpu_name(tables.gpus[i].name), i);
    for (const std::string_view alias : tables.gpus[i].aliases) names.add(fold_gpu_name(alias), i);
  }
  tables.gpu_names = names.sorted();
}

/// Judging words costs more than reading an instance, so a snapshot carries what they were found to mean.
void list_cpu_names(Tables& tables) {
  std::vector<std::string_view> words;
  words.reserve(tables.instances.size());
  for (const Instance& instance : tables.instances)
    if (!instance.cpu.empty()) words.push_back(instance.cpu);
  std::ranges::sort(words);
  const auto repeated = std::ranges::unique(words);
  words.erase(repeated.begin(), repeated.end());
  tables.cpu_names.clear();
  for (const std::string_view each : words)
    if (const std::int32_t cpu = find_cpu(each, tables.cpus); cpu != kNoGpu)
      tables.cpu_names.push_back({each, static_cast<std::uint32_t>(cpu)});
}

namespace {

/// As they mostly stand already, coming out of a snapshot.
template <class Record, class Key>
void sort_by(std::vector<Record>& records, Key Record::* key) {
  if (!std::ranges::is_sorted(records, {}, key)) std::ranges::stable_sort(records, {}, key);
}

/// Finds what states are of: in a snapshot they stand in the order of the instances and share their texts.
class StateOwners {
 public:
  explicit StateOwners(const Tables& tables) : tables_(tables) {}

  Lookup of(const OfferState& state) {
    for (std::uint32_t i = next_; i < tables_.instances.size(); ++i)
      if (tables_.instances[i].sku.data() == state.sku.data() &&
          tables_.instances[i].provider.data() == state.provider.data())
        return {Lookup::Outcome::found, next_ = i, 0};
    next_ = static_cast<std::uint32_t>(tables_.instances.size());  // not such a table: no second walk
    return look_up(tables_.sku_names, fold_name(state.provider) + "-" + fold_name(state.sku));
  }

 private:
  const Tables& tables_;
  std::uint32_t next_ = 0;
};

/// States beside each other per instance; those of instances that are not there are dropped.
void join_states(Tables& tables) {
  StateOwners owners(tables);
  std::erase_if(tables.states, [&](OfferState& state) {
    const Lookup found = owners.of(state);
    state.instance = found.index;
    return found.outcome != Lookup::Outcome::found;
  });
  sort_by(tables.states, &OfferState::instance);
  for (std::uint32_t i = 0; i < tables.states.size(); ++i) {
    Instance& instance = tables.instances[tables.states[i].instance];
    if (instance.state_count++ == 0) instance.first_state = i;
  }
}

}  // namespace

void join(Tables& tables) {
  sort_by(tables.render_scores, &RenderScore::gpu);
  for (Gpu& gpu : tables.gpus) {
    gpu.capability = plain_number(gpu.compute_capability);
    gpu.has_fp16 = gpu.has_bf16 = gpu.has_fp8 = false;
    for (const std::string_view format : gpu.native_formats) {
      gpu.has_fp16 = gpu.has_fp16 || format == "fp16";
      gpu.has_bf16 = gpu.has_bf16 || format == "bf16";
      gpu.has_fp8 = gpu.has_fp8 || format == "fp8";
    }
  }
  std::unordered_map<const char*, std::int32_t> cpu_index_of;
  std::unordered_map<const char*, std::int32_t> index_of;  // few names, each kept once, many instances
  for (Instance& instance : tables.instances) {
    const auto [known, is_new] = index_of.try_emplace(instance.gpu.data(), kNoGpu);
    if (is_new) {
      const Lookup found = look_up(tables.gpu_names, fold_gpu_name(instance.gpu));
      if (found.outcome == Lookup::Outcome::found) known->second = static_cast<std::int32_t>(found.index);
    }
    instance.gpu_index = known->second;
    if (instance.gpu_index != kNoGpu) instance.gpu = tables.gpus[static_cast<std::size_t>(instance.gpu_index)].id;
    if (const auto [cpu, unseen] = cpu_index_of.try_emplace(instance.cpu.data(), kNoGpu); !instance.cpu.empty()) {
      const Lookup found = unseen ? look_up(tables.cpu_names, instance.cpu) : Lookup{};
      if (found.outcome == Lookup::Outcome::found) cpu->second = static_cast<std::int32_t>(found.index);
      instance.cpu_index = cpu->second;
    }
    instance.first_offer = 0;
    instance.offer_count = 0;
    instance.first_state = 0;
    instance.state_count = 0;
  }
  for (std::uint32_t i = 0; i < tables.offers.size(); ++i) {
    Instance& instance = tables.instances[tables.offers[i].instance];
    if (instance.offer_count++ == 0) instance.first_offer = i;
  }
  join_states(tables);
}

void relink(Tables& tables) {
  list_gpu_names(tables);
  list_model_names(tables);
  list_sku_names(tables);
  list_cpu_names(tables);
  sort_prices(tables);
  join(tables);
}

}  // namespace gpusel::catalog
