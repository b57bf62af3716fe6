#include "catalog/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/text/joined.hpp"
#include "base/text/nearest.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/places/places.hpp"
#include "catalog/read/chinese_names.hpp"
#include "catalog/records/mig.hpp"
#include "catalog/snapshot/load.hpp"
#include "catalog/snapshot/tables.hpp"
#include "catalog/weights/quantised_name.hpp"

namespace gpusel::catalog {

namespace {

std::unexpected<Error> unknown(const std::string& what, std::string_view name, const NearestNames& known,
                               std::string all) {
  const Hint hint = one_of_these(known.of(name));
  return usage_error(say("unknown {} '{}'", what, shorten(name, 60)), {}, hint.or_else(std::move(all)));
}

/// Made when they are first asked for, since that takes longer than most answers.
template <class Names>
const NearestNames& made_once(std::optional<NearestNames>& near, const Names& names) {
  if (!near) near.emplace(names());
  return *near;
}

/// Every spelling of every record's name.
template <class Record>
std::vector<std::string_view> spellings(std::span<const Record> records) {
  std::vector<std::string_view> names;
  for (const Record& record : records) {
    names.push_back(record.id);
    for (const std::string_view alias : record.aliases) names.push_back(alias);
  }
  return names;
}

/// Families whose weights nobody can download, as prefixes of a name.
constexpr std::string_view kClosed[] = {"gpt-3.5", "gpt-4", "gpt-5",  "chatgpt", "claude", "gemini",  "o1-",
                                        "o3-",     "o4-",   "doubao", "豆包",    "星火",   "讯飞星火"};

/// Models of about so many billion parameters, as "70b" asks for; the best known first.
Hint models_of_size(std::string_view name, std::span<const Model> models) {
  const auto digits = name.substr(0, name.find_first_not_of("0123456789."));
  const auto size = plain_number(digits);
  const std::string_view rest = name.substr(digits.size());
  if (!size || *size <= 0 || !(rest.starts_with('b') || rest.starts_with('B'))) return {};
  std::vector<const Model*> near;
  for (const Model& model : models)
    if (model.is_generator() && model.params_b && std::abs(*model.params_b / *size - 1) < 0.1) near.push_back(&model);
  std::ranges::stable_sort(near, std::greater{},
                           [](const Model* model) { return std::ranges::distance(model->aliases); });
  std::vector<std::string> names;
  for (const Model* model : near) names.emplace_back(model->id);
  constexpr std::size_t kNamed = 3;
  names.resize(std::min(names.size(), kNamed));
  return one_of_these(std::move(names));
}

}  // namespace

Catalog::Catalog(std::unique_ptr<Tables> tables) : tables_(std::move(tables)) {}
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

std::span<const Gpu> Catalog::gpus() const { return tables_->gpus; }
std::span<const Model> Catalog::models() const { return tables_->models; }
std::span<const Provider> Catalog::providers() const { return tables_->providers; }
std::span<const Region> Catalog::regions() const { return tables_->regions; }
std::span<const Instance> Catalog::instances() const { return tables_->instances; }
std::span<const Offer> Catalog::offers() const { return tables_->offers; }
std::span<const Offer> Catalog::history() const { return tables_->history; }
std::span<const Source> Catalog::sources() const { return tables_->sources; }
std::span<const ExchangeRate> Catalog::exchange_rates() const { return tables_->rates; }
std::span<const Place> Catalog::places() const { return tables_->places; }
std::span<const OfferState> Catalog::offer_states() const { return tables_->states; }
std::span<const RenderScore> Catalog::render_scores() const { return tables_->render_scores; }
std::string_view Catalog::origin_text() const { return tables_->origin_text; }

std::span<const Cpu> Catalog::cpus() const { return tables_->cpus; }
std::span<const RendererInfo> Catalog::renderers() const { return tables_->renderers; }
std::span<const SolverInfo> Catalog::solvers() const { return tables_->solvers; }
std::span<const Framework> Catalog::frameworks() const { return tables_->frameworks; }
std::span<const Egress> Catalog::egress() const { return tables_->egress; }
std::span<const Storage> Catalog::storage() const { return tables_->storage; }
std::span<const Service> Catalog::services() const { return tables_->services; }
std::span<const ServiceLevel> Catalog::service_levels() const { return tables_->service_levels; }
std::span<const BillingRule> Catalog::billing() const { return tables_->billing; }
std::span<const SpotMarket> Catalog::spot_markets() const { return tables_->spot_markets; }
std::span<const Purchase> Catalog::purchases() const { return tables_->purchases; }
std::span<const TokenPrice> Catalog::token_prices() const { return tables_->token_prices; }
std::span<const Drift> Catalog::drift() const { return tables_->drift; }

const Cpu* Catalog::cpu_of(const Instance& instance) const {
  return instance.cpu_index == kNoGpu ? nullptr : &tables_->cpus[static_cast<std::size_t>(instance.cpu_index)];
}

const Egress* Catalog::egress_of(std::string_view provider, std::string_view region) const {
  const Region* at = nullptr;
  for (const Region& known : tables_->regions)
    if (known.provider == provider && known.id == region) at = &known;
  const Egress* best = nullptr;
  int narrowness = 0;  // 1: everywhere, 2: of a place, 3: of the region
  for (const Egress& price : tables_->egress) {
    if (price.provider != provider) continue;
    const bool named = std::ranges::find(price.regions, region) != price.regions.end();
    const bool placed = at != nullptr && std::ranges::any_of(price.places, [&](std::string_view name) {
                          const Place* place = find_place(name, *this);
                          return place != nullptr && lies_in(*at, *place, *this);
                        });
    const bool anywhere = price.regions.empty() && price.places.empty();
    const int own = named ? 3 : placed ? 2 : anywhere ? 1 : 0;
    if (own <= narrowness) continue;
    best = &price;
    narrowness = own;
  }
  return best;
}

const Gpu* Catalog::gpu_of(const Instance& instance) const {
  return instance.gpu_index == kNoGpu ? nullptr : &tables_->gpus[static_cast<std::size_t>(instance.gpu_index)];
}

std::span<const Offer> Catalog::offers_of(const Instance& instance) const {
  return tables_->offers.subspan(instance.first_offer, instance.offer_count);
}

std::span<const Offer> Catalog::history_of(const Offer& offer) const {
  const auto [first, last] = std::ranges::equal_range(tables_->history, PriceOrder::offer(offer), {},
                                                      [](const Offer& o) { return PriceOrder::offer(o); });
  return {first, last};
}

void Catalog::replace_offers(std::vector<Offer> offers) {
  tables_->own_offers = std::move(offers);
  tables_->offers = tables_->own_offers;
}

Errors Catalog::lay(const OwnPrices& own) { return lay_own_prices(*tables_, *this, own); }

std::span<const OfferState> Catalog::states_of(const Instance& instance) const {
  return std::span(tables_->states).subspan(instance.first_state, instance.state_count);
}

const OfferState* Catalog::state_of(const Instance& instance, const Offer& offer) const {
  const OfferState* best = nullptr;
  const auto narrowness = [](const OfferState& s) { return (s.region.empty() ? 0 : 1) + (s.term ? 1 : 0); };
  for (const OfferState& state : states_of(instance)) {
    const bool here = state.region.empty() || state.region == region_of(offer).id;
    if (!here || (state.term && *state.term != offer.term)) continue;
    if (best == nullptr || narrowness(state) > narrowness(*best)) best = &state;
  }
  return best;
}

std::span<const RenderScore> Catalog::render_scores_of(const Gpu& gpu) const {
  const auto& all = tables_->render_scores;
  const auto [first, last] = std::ranges::equal_range(all, gpu.id, {}, &RenderScore::gpu);
  return {first, last};
}

const RenderScore* Catalog::render_score(const Gpu& gpu, RenderBenchmark benchmark) const {
  const RenderScore* best = nullptr;
  const auto rank = [](const RenderScore& s) { return std::pair(s.preferred.value_or(false), s.samples.value_or(0)); };
  for (const RenderScore& score : render_scores_of(gpu))
    if (score.benchmark == benchmark && (best == nullptr || rank(score) > rank(*best))) best = &score;
  return best;
}

const Region& Catalog::region_of(const Offer& offer) const { return tables_->regions[offer.region]; }
const Origin& Catalog::origin_of(const Offer& offer) const { return tables_->origins[offer.origin]; }

std::tuple<int, int, std::string_view> Catalog::place_among_equals(const Offer& offer) const {
  const std::string_view region = region_of(offer).id;
  if (origin_of(offer).source != kOwnPrice) return {0, -offer.as_of, region};
  const auto there = std::ranges::count(offers_of(tables_->instances[offer.instance]), offer.region, &Offer::region);
  return {-static_cast<int>(there), 0, region};
}

const Currency& Catalog::currency_of(const Offer& offer) const { return tables_->currencies[offer.currency]; }

Result<const Gpu*> Catalog::gpu(std::string_view name) const {
  const Lookup found = look_up(tables_->gpu_names, fold_gpu_name(name));
  if (found.outcome == Lookup::Outcome::found) return &tables_->gpus[found.index];
  if (found.outcome == Lookup::Outcome::ambiguous)
    return usage_error(say("'{}' could be '{}' or '{}'", shorten(name, 60), tables_->gpus[found.index].id,
                           tables_->gpus[found.other].id));
  if (Hint slice = mig_spelling(name); !slice.empty())
    return usage_error(say("unknown GPU '{}'", shorten(name, 60)), {}, std::move(slice));
  const NearestNames& near = made_once(tables_->near.gpus, [&] { return spellings(gpus()); });
  return unknown(say("GPU"), name, near, say("all GPUs: gpusel gpus"));
}

Result<const Model*> Catalog::model(std::string_view name) const {
  const Lookup found = look_up(tables_->model_names, fold_name(name));
  if (found.outcome == Lookup::Outcome::found) return &tables_->models[found.index];
  if (found.outcome == Lookup::Outcome::ambiguous)
    return usage_error(say("'{}' could be '{}' or '{}'", shorten(name, 60), tables_->models[found.index].id,
                           tables_->models[found.other].id));
  for (const std::string& spelled : in_letters(name))
    if (const Lookup other = look_up(tables_->model_names, fold_name(spelled)); other.outcome == Lookup::Outcome::found)
      return &tables_->models[other.index];
  if (const auto quantised = quantised_name(name))
    for (const std::string& base : base_spellings(*quantised))
      if (const Lookup other = look_up(tables_->model_names, fold_name(base)); other.outcome == Lookup::Outcome::found)
        return &tables_->models[other.index];
  // A copy under another publisher's name, or under that of a seller: "deepseek/deepseek-r1".
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos)
    if (const Lookup other = look_up(tables_->model_names, fold_name(name.substr(slash + 1)));
        other.outcome == Lookup::Outcome::found)
      return &tables_->models[other.index];
  if (std::ranges::any_of(kClosed, [&](std::string_view closed) { return fold_name(name).starts_with(closed); }))
    return usage_error(say("unknown model '{}': its weights are not published", shorten(name, 60)), {},
                       say("for an open model of its kind: gpusel recommend gpt-oss-120b"));
  if (Hint sized = models_of_size(trim(name), models()); !sized.empty())
    return usage_error(say("unknown model '{}'", shorten(name, 60)), {}, std::move(sized));
  const NearestNames& near = made_once(tables_->near.models, [&] { return spellings(models()); });
  return unknown(say("model"), name, near, say("all models: gpusel models"));
}

std::vector<const Instance*> Catalog::instances_called(std::string_view name) const {
  const std::string folded = fold_name(name);
  std::vector<const Instance*> called;
  for (const NameEntry& entry : std::ranges::equal_range(tables_->sku_names, folded, {}, &NameEntry::folded))
    called.push_back(&tables_->instances[entry.index]);
  // A whole SKU is meant before one that is known without its prefix: AWS's g7.4xlarge, not ecs.g7.4xlarge.
  const auto is_short = [&](const Instance* one) { return fold_name(one->sku) != folded; };
  if (!std::ranges::all_of(called, is_short)) std::erase_if(called, is_short);
  return called;
}

Result<const Instance*> Catalog::instance(std::string_view name) const {
  const auto called = instances_called(name);
  if (called.size() == 1) return called.front();
  if (!called.empty()) {
    const Instance& one = *called[0];
    const Instance& other = *called[1];
    std::vector<std::string> others;
    for (const Instance* instance : called | std::views::drop(1)) others.emplace_back(instance->provider);
    const std::string said = shorten(name, 60);
    if (called.size() > 2)
      return usage_error(say("{} providers have '{}'", called.size(), said), {},
                         say("write '{}/{}', or with {} in front", one.provider, one.sku, first_few(others)));
    return usage_error(say("two providers have '{}'", said), {},
                       has_gpu(name)
                           ? say("write '{}/{}' or '{}/{}'; for the GPU: gpusel instances --gpu {}", one.provider,
                                 one.sku, other.provider, other.sku, said)
                           : say("write '{}/{}' or '{}/{}'", one.provider, one.sku, other.provider, other.sku));
  }
  const NearestNames& near = made_once(tables_->near.skus, [&] {
    std::vector<std::string_view> skus;
    for (const Instance& instance : tables_->instances) skus.push_back(instance.sku);
    return skus;
  });
  return unknown(say("instance"), name, near, say("all instances: gpusel instances"));
}

bool Catalog::has_gpu(std::string_view name) const {
  return look_up(tables_->gpu_names, fold_gpu_name(name)).outcome != Lookup::Outcome::unknown;
}

bool Catalog::has_instance(std::string_view name) const {
  return look_up(tables_->sku_names, fold_name(name)).outcome != Lookup::Outcome::unknown;
}

Result<const Provider*> Catalog::provider(std::string_view name) const {
  const auto exact = std::ranges::find(tables_->providers, name, &Provider::id);  // as instances name theirs
  if (exact != tables_->providers.end()) return &*exact;
  const std::string folded = fold_name(name);
  for (const Provider& provider : tables_->providers) {
    if (fold_name(provider.id) == folded) return &provider;
    for (const std::string_view alias : provider.aliases)
      if (fold_name(alias) == folded) return &provider;
  }
  const NearestNames& near = made_once(tables_->near.providers, [&] { return spellings(providers()); });
  return unknown(say("provider"), name, near, say("all providers: gpusel instances"));
}

const Source* Catalog::source(std::string_view key) const {
  for (const Source& source : tables_->sources)
    if (source.key == key) return &source;
  return nullptr;
}

const ExchangeRate* Catalog::rate(Currency currency) const {
  for (const ExchangeRate& rate : tables_->rates)
    if (rate.currency == currency) return &rate;
  return nullptr;
}

Number Catalog::gpu_memory_total_gb(const Instance& instance) const {
  if (instance.gpu_memory_gb) return instance.gpu_memory_gb;
  const Gpu* gpu = gpu_of(instance);
  if (gpu == nullptr || !gpu->memory_gb || !instance.gpu_count) return std::nullopt;
  return *gpu->memory_gb * *instance.gpu_count;
}

std::vector<Document> Catalog::documents(std::string_view section) const {
  std::vector<Document> all;
  const auto add = [&](std::string_view wanted) {
    if (!section.empty() && section != wanted) return;
    // Of several snapshots the last one that has the section.
    for (auto block = tables_->document_blocks.rbegin(); block != tables_->document_blocks.rend(); ++block) {
      std::vector<Document> found = snapshot_documents(**block, wanted);
      std::move(found.begin(), found.end(), std::back_inserter(all));
      if (!found.empty()) break;
    }
    for (const Document& document : tables_->documents)
      if (document.root.find(wanted) != nullptr) all.push_back(document);
  };
  std::ranges::for_each(kForeignSections, add);
  add(kMeasurements);
  return all;
}

Date Catalog::newest_price() const {
  Date newest;
  for (const Offer& offer : tables_->offers) newest = std::max(newest, Date::from_packed(offer.as_of));
  return newest;
}

Number kv_bytes_per_token_fp16(const Model& model) {
  if (!model.is_language_model()) return std::nullopt;
  if (!model.is_generator()) return 0;
  const Number full = model.kv_full_layers ? model.kv_full_layers : model.layers;
  if (!full) return std::nullopt;
  if (model.is_mla()) return *full * (*model.mla_kv_lora_rank + model.mla_rope_dim.value_or(0)) * 2;
  const Number heads = model.kv_heads ? model.kv_heads : model.heads;
  if (!heads || !model.head_dim) return std::nullopt;
  return 2 * (*full + model.kv_window_layers.value_or(0)) * *heads * *model.head_dim * 2;
}

std::string write_snapshot(const Catalog& catalog) {
  return with_checksum(snapshot_bytes(catalog.tables(), catalog.documents("")));
}

}  // namespace gpusel::catalog
