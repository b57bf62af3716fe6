#include "answer/lists/list.hpp"

#include <algorithm>
#include <tuple>

#include "answer/facts/candidates.hpp"
#include "answer/facts/limits.hpp"
#include "answer/search/market.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/read/chinese_names.hpp"
#include "catalog/read/priced_name.hpp"

namespace gpusel::answer {

namespace {

using catalog::Catalog;
using catalog::Gpu;
using catalog::GpuLink;
using catalog::Instance;
using catalog::NodeLink;
using catalog::Offer;
using physics::Coefficients;

/// Whether every word occurs in one of the texts.
bool matches(const std::vector<std::string>& folded_words, std::initializer_list<std::string_view> texts) {
  return std::all_of(folded_words.begin(), folded_words.end(), [&](const std::string& word) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](std::string_view text) { return fold_name(text).find(word) != std::string::npos; });
  });
}

std::vector<std::string> folded(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) out.push_back(fold_name(word));
  return out;
}

/// The link that two of a GPU would have in one machine built for it.
std::optional<NodeLink> best_link(const Gpu& gpu) {
  if (!gpu.interconnect) return std::nullopt;
  switch (*gpu.interconnect) {
    case GpuLink::none: return NodeLink::pcie;
    case GpuLink::nvlink_bridge: return NodeLink::nvlink_pairs;
    case GpuLink::nvlink: return NodeLink::nvlink_mesh;
    case GpuLink::nvswitch_capable: return NodeLink::nvswitch;
    case GpuLink::infinity_fabric: return NodeLink::xgmi;
    case GpuLink::ici: return NodeLink::ici;
    case GpuLink::neuronlink: return NodeLink::neuronlink;
    case GpuLink::hccs: return NodeLink::hccs;
    case GpuLink::roce: return std::nullopt;
  }
  return std::nullopt;
}

class InstanceLister {
 public:
  InstanceLister(const ListQuestion& question, bool every_offer, const Catalog& catalog,
                 const Coefficients& coefficients)
      : question_(question),
        every_offer_(every_offer),
        catalog_(catalog),
        coefficients_(coefficients),
        columns_(instance_columns(catalog, coefficients, question.today)),
        words_(folded(question.words)) {}

  Result<InstanceList> make() {
    const auto limits = LimitSet::of(question_.constraints, catalog_);
    if (!limits) return std::unexpected(limits.error());
    auto converter = money::Converter::into(question_.currency, catalog_);
    if (!converter) return std::unexpected(converter.error());
    if (!question_.filter.empty()) {
      auto filter = columns_.filter(question_.filter);
      if (!filter) return std::unexpected(filter.error());
      filter_ = std::move(*filter);
      filters_offers_ = std::any_of(std::begin(kOfOffers), std::end(kOfOffers),
                                    [&](std::string_view name) { return filter_->uses(*columns_.find(name)); });
    }
    only_on_demand_ =
        !every_offer_ && question_.constraints.terms.empty() && !(filter_ && filter_->uses(*columns_.find("term")));
    const money::Quoter quoter(catalog_, coefficients_, *converter, question_.today);
    const Market market(catalog_, quoter, limits->rules(), {}, question_.today);
    for (const Instance& instance : catalog_.instances()) add(instance, *limits, market);
    if (question_.sort_by.empty() && !every_offer_) common_first();
    if (Status sorted = columns_.sort(out_.listed, question_.sort_by); !sorted) return std::unexpected(sorted.error());
    return std::move(out_);
  }

 private:
  static constexpr std::string_view kOfOffers[] = {
      "price",  "price_per_gpu_hour", "price_per_hour", "currency",      "region", "country", "term",
      "source", "confidence",         "as_of",          "price_age_days"};

  void add(const Instance& instance, const LimitSet& limits, const Market& market) {
    const catalog::Gpu* gpu = catalog_.gpu_of(instance);
    const std::string_view built = gpu != nullptr ? gpu->architecture : std::string_view();
    if (!matches(words_, {instance.sku, instance.family, instance.provider, instance.gpu, built})) return;
    Listed listed{&instance, nullptr, 0};
    if (filter_ && !filters_offers_ && !columns_.passes(*filter_, listed)) return;
    const auto provider = catalog_.provider(instance.provider);
    if (limits.against({instance, provider ? *provider : nullptr, catalog_, coefficients_}) != nullptr) return;
    rules::Facts facts;
    bool priced = false;  // within the limits, whatever the filter says
    bool on_other_term = false;
    const auto nothing = [](const Offer&) { return money::Use{}; };
    market.each(instance, nothing, [&](const Priced& offered) {
      const Offer& offer = *offered.offer;
      const rules::Rule* against = market.against(offer, offered.quote, facts);
      const bool too_old = against != nullptr && is_of_age(*against);
      if (against != nullptr && !too_old) return;
      const bool other_term = only_on_demand_ && offer.term != catalog::Term::on_demand;
      priced = priced || (!other_term && !too_old);
      const Listed one{&instance, &offer, offered.quote.hourly};
      if (filters_offers_ && !columns_.passes(*filter_, one)) return;
      if (too_old) {
        if (!other_term) add_old(offer);
        return;
      }
      on_other_term = on_other_term || other_term;
      if (other_term) return;
      if (every_offer_)
        out_.listed.push_back(one);
      else if (is_better(one, listed))
        listed = one;
    });
    if (on_other_term && listed.offer == nullptr) ++out_.on_other_terms;
    if (every_offer_) return;
    // Without an offer an instance still passes what is not about offers: unknown(price), say.
    const bool passes_unpriced =
        !priced && !limits.about_offers() && (!filters_offers_ || columns_.passes(*filter_, listed));
    if (listed.offer != nullptr || passes_unpriced) out_.listed.push_back(listed);
  }

  /// On demand before any other term, then the cheaper one.
  static bool is_better(const Listed& one, const Listed& best) {
    if (best.offer == nullptr) return true;
    const bool on_demand = one.offer->term == catalog::Term::on_demand;
    if (on_demand != (best.offer->term == catalog::Term::on_demand)) return on_demand;
    return one.hourly < best.hourly;
  }

  /// GPUs that most providers sell, of each the cheapest per GPU; what has no price comes last.
  void common_first() {
    std::vector<std::vector<std::string_view>> sellers(catalog_.gpus().size());
    for (const Instance& instance : catalog_.instances()) {
      if (instance.gpu_index == catalog::kNoGpu || instance.status == catalog::Availability::retired) continue;
      auto& known = sellers[static_cast<std::size_t>(instance.gpu_index)];
      if (std::ranges::find(known, instance.provider) == known.end()) known.push_back(instance.provider);
    }
    const auto place = [&](const Listed& one) {
      const bool has_gpu = one.instance->gpu_index != catalog::kNoGpu;
      const std::size_t sold = has_gpu ? sellers[static_cast<std::size_t>(one.instance->gpu_index)].size() : 0;
      const double gpus = one.instance->gpu_count.value_or(1);
      return std::tuple(one.offer == nullptr, -static_cast<std::ptrdiff_t>(sold), one.instance->gpu_index,
                        one.offer != nullptr && gpus > 0 ? one.hourly / gpus : 0);
    };
    std::ranges::stable_sort(out_.listed, {}, place);
  }

  void add_old(const Offer& offer) {
    ++out_.too_old;
    const Date date = Date::from_packed(offer.as_of);
    if (date.known() && (!out_.newest_too_old.known() || out_.newest_too_old < date)) out_.newest_too_old = date;
  }

  const ListQuestion& question_;
  bool every_offer_;
  const Catalog& catalog_;
  const Coefficients& coefficients_;
  Columns<Listed> columns_;
  std::vector<std::string> words_;
  std::optional<rules::Filter> filter_;
  bool filters_offers_ = false;
  bool only_on_demand_ = false;  // no term is asked for
  InstanceList out_;
};

/// Filters, then sorts.
template <class Record>
Result<std::vector<Record>> chosen(std::vector<Record> records, const Columns<Record>& columns,
                                   const ListQuestion& question) {
  if (!question.filter.empty()) {
    const auto filter = columns.filter(question.filter);
    if (!filter) return std::unexpected(filter.error());
    std::erase_if(records, [&](const Record& record) { return !columns.passes(*filter, record); });
  }
  if (Status sorted = columns.sort(records, question.sort_by); !sorted) return std::unexpected(sorted.error());
  return records;
}

}  // namespace

Result<InstanceList> list_instances(const ListQuestion& question, bool every_offer, const Catalog& catalog,
                                    const Coefficients& coefficients) {
  return InstanceLister(question, every_offer, catalog, coefficients).make();
}

std::vector<const Gpu*> gpus_called(std::string_view name, const Catalog& catalog) {
  std::vector<const Gpu*> called;
  const std::string folded = catalog::fold_gpu_name(name);
  for (const Gpu& gpu : catalog.gpus())
    if (catalog::goes_by(gpu, folded)) called.push_back(&gpu);
  return called;
}

Result<std::vector<GpuMarket>> gpu_markets(Currency currency, const Catalog& catalog, Date today,
                                           const std::vector<std::string>& clouds) {
  const auto converter = money::Converter::into(currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  std::vector<std::string_view> sellers;
  for (const std::string& cloud : clouds) {
    const auto provider = catalog.provider(cloud);
    if (!provider) return std::unexpected(provider.error());
    sellers.push_back((*provider)->id);
  }
  const money::PriceOutlook outlook(catalog, today);
  std::vector<double> least(catalog.gpus().size());  // price per GPU that decides
  std::vector<GpuMarket> markets(catalog.gpus().size());
  std::vector<std::vector<std::string_view>> providers(markets.size());
  for (const Instance& instance : catalog.instances()) {
    if (instance.gpu_index == catalog::kNoGpu || instance.status == catalog::Availability::retired) continue;
    if (!sellers.empty() && std::ranges::find(sellers, instance.provider) == sellers.end()) continue;
    const auto index = static_cast<std::size_t>(instance.gpu_index);
    GpuMarket& market = markets[index];
    ++market.instances;
    auto& known = providers[index];
    if (std::find(known.begin(), known.end(), instance.provider) == known.end()) known.push_back(instance.provider);
    market.providers = static_cast<int>(known.size());
    const double gpus = instance.gpu_count.value_or(0);
    if (gpus <= 0 || instance.status == catalog::Availability::invitation) continue;
    for (const Offer* offer : sold_offers(instance, catalog)) {
      if (offer->term != catalog::Term::on_demand || offer->as_of == 0) continue;
      const auto hourly = converter->convert({offer->per_hour(), catalog.currency_of(*offer)});
      if (!hourly || *hourly <= 0) continue;
      const double factor = today.known() ? outlook.expected(*offer).order() / offer->per_hour() : 1;
      if (market.offer != nullptr && *hourly * factor / gpus >= least[index]) continue;
      least[index] = *hourly * factor / gpus;
      market.cheapest = &instance;
      market.offer = offer;
      market.per_gpu_hour = *hourly / gpus;
    }
  }
  return markets;
}

rules::Facts gpu_facts(const Gpu& gpu, const Catalog& catalog, const Coefficients& coefficients) {
  Instance pair;
  pair.gpu = gpu.id;
  pair.gpu_index = static_cast<std::int32_t>(&gpu - catalog.gpus().data());
  pair.gpu_count = 2 / gpu.devices();
  pair.link = best_link(gpu);
  rules::Facts facts;
  instance_facts(facts, {pair, nullptr, catalog, coefficients});
  return facts;
}

Result<std::vector<ListedGpu>> list_gpus(const ListQuestion& question, const rules::Purpose* purpose,
                                         const Catalog& catalog, const Coefficients& coefficients) {
  // How many of it an instance has says nothing of a GPU.
  job::Constraints constraints = question.constraints;
  for (job::GpuSpec& spec : constraints.gpus) spec.count = {};
  const auto markets = gpu_markets(question.currency, catalog, question.today, std::exchange(constraints.clouds, {}));
  if (!markets) return std::unexpected(markets.error());
  const auto limits = LimitSet::of(constraints, catalog);
  if (!limits) return std::unexpected(limits.error());
  // Names of GPUs stand for these and no others; other words must occur.
  std::vector<std::string> words;
  std::vector<const Gpu*> named;
  for (const std::string& word : question.words) {
    const auto called = gpus_called(word, catalog);
    named.insert(named.end(), called.begin(), called.end());
    if (called.empty()) words.push_back(fold_name(word));
  }
  std::vector<ListedGpu> out;
  for (std::size_t i = 0; i < catalog.gpus().size(); ++i) {
    const Gpu& gpu = catalog.gpus()[i];
    if (!named.empty() && std::ranges::find(named, &gpu) == named.end()) continue;
    if (!matches(words, {gpu.id, gpu.name, gpu.architecture, gpu.vendor, gpu.aliases.joined()})) continue;
    if (!question.constraints.clouds.empty() && (*markets)[i].instances == 0) continue;
    const rules::Facts facts = gpu_facts(gpu, catalog, coefficients);
    if (limits->against(facts) != nullptr) continue;
    ListedGpu listed{.gpu = &gpu, .market = (*markets)[i]};
    if (purpose != nullptr) {
      listed.verdict = rules::judge(*purpose, facts);
      listed.figure = facts.known(purpose->figure) ? facts.number(purpose->figure) : 0;
    }
    out.push_back(std::move(listed));
  }
  if (purpose != nullptr)
    std::stable_sort(out.begin(), out.end(), [](const ListedGpu& a, const ListedGpu& b) {
      return a.verdict.fitness != b.verdict.fitness ? a.verdict.fitness < b.verdict.fitness : a.figure > b.figure;
    });
  else
    std::stable_sort(out.begin(), out.end(), [](const ListedGpu& a, const ListedGpu& b) {
      if (a.market.providers != b.market.providers) return a.market.providers > b.market.providers;
      const double year_a = a.gpu->release_year.value_or(0);
      const double year_b = b.gpu->release_year.value_or(0);
      return year_a != year_b ? year_a > year_b : a.gpu->id < b.gpu->id;
    });
  return chosen(std::move(out), gpu_columns(catalog), question);
}

Result<std::vector<const catalog::Model*>> list_models(const ListQuestion& question, const ModelLimits& limits,
                                                       const Catalog& catalog) {
  std::vector<std::string> words = folded(question.words);
  for (std::string& word : words)
    if (const auto letters = catalog::in_letters(word); !letters.empty()) word = letters.front();
  const std::string family = lower(limits.family);
  const std::string licence = lower(limits.licence);
  std::vector<const catalog::Model*> out;
  std::vector<std::string_view> families;
  for (const catalog::Model& model : catalog.models()) {
    families.push_back(model.family);
    const double params = model.params_b ? *model.params_b * 1e9 : std::numeric_limits<double>::quiet_NaN();
    const bool kind = limits.kind.empty() || (model.kind && to_text(*model.kind) == limits.kind);
    const bool named = family.empty() || lower(model.family) == family;
    const bool licensed = licence.empty() || lower(model.licence).find(licence) != std::string::npos;
    // What is not known is not certainly within a limit.
    const bool sized =
        (!limits.min_params || params >= *limits.min_params) && (!limits.max_params || params <= *limits.max_params);
    const bool longs = !limits.min_context || model.max_context.value_or(0) >= static_cast<double>(*limits.min_context);
    if (kind && named && licensed && sized && longs && matches(words, {model.id, model.family, model.aliases.joined()}))
      out.push_back(&model);
  }
  if (!family.empty() && std::none_of(families.begin(), families.end(), [&](auto one) { return lower(one) == family; }))
    return usage_error(say("unknown family '{}'", shorten(printable(limits.family), 40)), "--family",
                       did_you_mean(family, families).or_else(say("all families: gpusel models --columns family,id")));
  // First what many call by names of their own, then what is new.
  std::ranges::stable_sort(out, [](const catalog::Model* a, const catalog::Model* b) {
    const auto names_a = std::ranges::distance(a->aliases), names_b = std::ranges::distance(b->aliases);
    if (names_a != names_b) return names_a > names_b;
    return a->release_year.value_or(0) > b->release_year.value_or(0);
  });
  return chosen(std::move(out), model_columns(catalog), question);
}

}  // namespace gpusel::answer
