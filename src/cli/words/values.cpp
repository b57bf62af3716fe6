#include "cli/words/values.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "answer/lists/columns.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/hf/hf_config.hpp"
#include "catalog/places/places.hpp"
#include "job/limits/allowed.hpp"
#include "job/limits/constraints.hpp"
#include "job/request/request.hpp"
#include "physics/formats.hpp"
#include "rules/rule.hpp"
#include "show/export/export.hpp"

namespace gpusel::cli {

namespace {

using catalog::Catalog;
using List = std::vector<Candidate>;

template <class Record>
void add_aliases(const Record& record, List& list) {
  for (const std::string_view alias : record.aliases)
    list.push_back({std::string(alias), std::string(record.id), true});
}

void models(const Catalog& catalog, List& list) {
  for (const catalog::Model& model : catalog.models()) {
    const std::string_view kind = model.kind ? to_text(*model.kind) : model.family;
    list.push_back(
        {std::string(model.id), model.params_b ? format("{}, {:.3g}B", kind, *model.params_b) : std::string(kind)});
    add_aliases(model, list);
  }
}

void gpus(const Catalog& catalog, List& list) {
  for (const catalog::Gpu& gpu : catalog.gpus()) {
    list.push_back({std::string(gpu.id), std::string(gpu.name)});
    add_aliases(gpu, list);
  }
}

void gpus_of(const Catalog& catalog, std::string_view vendor, List& list) {
  for (const catalog::Gpu& gpu : catalog.gpus())
    if (gpu.vendor == vendor) {
      list.push_back({std::string(gpu.id), std::string(gpu.name)});
      add_aliases(gpu, list);
    }
}

void rule_names(const Catalog& catalog, List& list) {
  const auto rules = rules::read_rules(catalog);
  if (!rules) return;
  for (const rules::Rule& rule : *rules) list.push_back({rule.id});
}

void skus(const Catalog& catalog, List& list) {
  for (const catalog::Instance& instance : catalog.instances()) {
    const std::string words = instance.gpu_count && *instance.gpu_count > 0
                                  ? format("{}, {:.3g}× {}", instance.provider, *instance.gpu_count, instance.gpu)
                                  : std::string(instance.provider);
    list.push_back({std::string(instance.sku), words});
    list.push_back({format("{}/{}", instance.provider, instance.sku), words, true});
  }
}

void providers(const Catalog& catalog, List& list) {
  for (const catalog::Provider& provider : catalog.providers()) {
    list.push_back({std::string(provider.id), std::string(provider.name)});
    add_aliases(provider, list);
  }
}

/// One name may be several providers': once, with all of them.
class Shared {
 public:
  void add(std::string_view name, std::string_view provider) {
    auto& providers = providers_[name];
    if (std::ranges::find(providers, provider) == providers.end()) providers.push_back(provider);
  }
  void list(List& list) const {
    for (const auto& [name, providers] : providers_) list.push_back({std::string(name), join_texts(providers, ", ")});
  }

 private:
  std::map<std::string_view, std::vector<std::string_view>> providers_;
};

void regions(const Catalog& catalog, List& list) {
  Shared shared;
  for (const catalog::Region& region : catalog.regions()) shared.add(region.id, region.provider);
  shared.list(list);
  for (const catalog::Place& place : catalog.places()) list.push_back({std::string(place.id)});
}

void places(const Catalog& catalog, List& list) {
  providers(catalog, list);
  for (const catalog::Region& region : catalog.regions())
    list.push_back({format("{}/{}", region.provider, region.id), std::string(region.name)});
}

void countries(const Catalog& catalog, List& list) {
  for (const catalog::Place& place : catalog.places())
    if (place.kind != catalog::PlaceKind::locality)
      list.push_back({place.kind == catalog::PlaceKind::country ? lower(place.country) : std::string(place.id)});
}

void own_countries(const Catalog& catalog, List& list) {
  for (const catalog::Place& place : catalog.places())
    if (place.kind == catalog::PlaceKind::country) list.push_back({lower(place.country)});
}

void families(const Catalog& catalog, List& list) {
  Shared shared;
  for (const catalog::Instance& instance : catalog.instances())
    if (!instance.family.empty()) shared.add(instance.family, instance.provider);
  shared.list(list);
}

void model_families(const Catalog& catalog, List& list) {
  for (const catalog::Model& model : catalog.models())
    if (!model.family.empty()) list.push_back({std::string(model.family)});
}

void currencies(const Catalog& catalog, List& list) {
  list.push_back({std::string(Currency::usd().code())});
  for (const catalog::ExchangeRate& rate : catalog.exchange_rates())
    list.push_back({std::string(rate.currency.code())});
}

void sources(const Catalog& catalog, List& list) {
  for (const catalog::Source& source : catalog.sources())
    list.push_back({std::string(source.key), std::string(source.document)});
}

void discounted(const Catalog& catalog, List& list) {
  providers(catalog, list);
  gpus(catalog, list);
  families(catalog, list);
  skus(catalog, list);
}

void precisions(const Catalog&, List& list) {
  for (const physics::WeightFormat& one : physics::weight_formats()) list.push_back({std::string(one.name)});
}

void frameworks(const Catalog& catalog, List& list) {
  for (const catalog::Framework& one : catalog.frameworks()) list.push_back({std::string(one.id)});
}

void formats(const Catalog&, List& list) {
  for (const std::string_view name : kEveryFormat) list.push_back({std::string(name)});
}

void columns(const Catalog&, List& list) {
  for (const rules::ColumnAlias& alias : answer::column_aliases()) list.push_back({std::string(alias.name)});
}

void inputs(const Catalog&, List& list) {
  for (const auto& option : job::request_options()) list.push_back({std::string(option.key), say_text(option.help)});
  for (const auto& option : job::constraint_options()) list.push_back({std::string(option.key), say_text(option.help)});
}

void command_names(const Catalog&, List& list) {
  for (const Command& command : commands()) list.push_back({std::string(command.name), say_text(command.summary)});
}

void targets(const Catalog&, List& list) {
  for (const show::ExportTarget& one : show::export_targets())
    list.push_back({std::string(one.name), say_text(one.purpose)});
}

/// How many of a GPU its instances have: what stands behind the colon of "h100:8".
void counts(const Catalog& catalog, std::string_view gpu, List& list) {
  const auto known = catalog.gpu(gpu);
  if (!known) return;
  std::set<double> seen;
  for (const catalog::Instance& instance : catalog.instances())
    if (instance.gpu == (*known)->id && instance.gpu_count && *instance.gpu_count >= 1)
      seen.insert(*instance.gpu_count);
  for (const double count : seen) list.push_back({format("{:.6g}", count), std::string((*known)->name)});
}

/// Reads nothing but what it names.
constexpr auto kNone = static_cast<void (*)(const Catalog&, List&)>(nullptr);

struct Word {
  std::string_view word;
  void (*list)(const Catalog&, List&) = kNone;
  bool files = false;
  bool several = false;  // separated by ','
  bool counted = false;  // may have ":N" behind it
};

constexpr Word kWords[] = {
    {"MODEL", models, true},
    {"GPU", gpus, false, false, true},
    {"SPEC", gpus, false, true, true},
    {"SKU", skus},
    {"RULE", rule_names},
    {"CLOUDS", providers, false, true},
    {"REGIONS", regions, false, true},
    {"CLOUD/REGION", places},
    {"COUNTRIES", countries, false, true},
    {"COUNTRY", own_countries},
    {"FAMILIES", families, false, true},
    {"MODEL-FAMILY", model_families},
    {"PROVIDER", providers},
    {"SOURCE", sources},
    {"CODE", currencies},
    {"PRECISION", precisions},
    {"PRECISIONS", precisions, false, true},
    {"FRAMEWORK", frameworks},
    {"FORMAT", formats},
    {"KEYS", columns, false, true},
    {"KEY", inputs},
    {"WHAT", discounted},
    {"COMMAND", command_names},
    {"TARGET", targets},
    {"FILE", kNone, true},
    {"PATH", kNone, true},
    {"FOLDER", kNone, true},
};

const Word* find_word(std::string_view name) {
  const auto* found = std::ranges::find(kWords, name, &Word::word);
  return found == std::end(kWords) ? nullptr : found;
}

template <class T>
Status status_of(const Result<T>& result) {
  return result ? Status{} : std::unexpected(result.error());
}

/// One of the names that completion would offer, however it is written.
template <void (*list_of)(const Catalog&, List&)>
Status is_listed(const Catalog& catalog, std::string_view name) {
  List list;
  list_of(catalog, list);
  std::vector<std::string_view> known;
  for (const Candidate& one : list) known.push_back(one.value);
  if (std::ranges::any_of(known, [&](std::string_view one) { return fold_name(one) == fold_name(name); })) return {};
  return usage_error(say("'{}' is not in the catalog", printable(shorten(name, 40))), {}, did_you_mean(name, known));
}

/// What the catalogue has to say of a value whose form is right.
struct Judged {
  std::string_view word;
  Status (*check)(const Catalog&, std::string_view);
  bool several = false;  // separated by ','
};

constexpr Judged kJudged[] = {
    {"SPEC",
     [](const Catalog& catalog, std::string_view text) -> Status {
       const auto spec = job::parse_gpu_spec(text);
       if (!spec) return std::unexpected(spec.error());
       const auto all = catalog.gpus();
       if (std::ranges::any_of(all, [&](const catalog::Gpu& gpu) { return spec->names_gpu(gpu); })) return {};
       return is_listed<gpus>(catalog, spec->names.empty() ? text : std::string_view(spec->names.front()));
     }},
    {"GPU", [](const Catalog& catalog, std::string_view name) { return status_of(catalog.gpu(name)); }},
    {"MODEL",
     [](const Catalog& catalog, std::string_view name) {
       const bool is_named = name != "none" && !catalog::looks_like_path(name);
       return is_named ? status_of(catalog.model(name)) : Status{};
     }},
    {"CLOUDS", [](const Catalog& catalog, std::string_view name) { return status_of(catalog.provider(name)); }, true},
    {"PROVIDER", [](const Catalog& catalog, std::string_view name) { return status_of(catalog.provider(name)); }},
    {"COUNTRIES",
     [](const Catalog& catalog, std::string_view name) -> Status {
       return status_of(catalog::countries_called(name, catalog));
     },
     true},
    {"COUNTRY",
     [](const Catalog& catalog, std::string_view name) { return status_of(catalog::countries_called(name, catalog)); }},
    {"REGIONS", [](const Catalog& catalog, std::string_view name) { return status_of(catalog::locate(name, catalog)); },
     true},
    {"FAMILIES", is_listed<families>, true},
    {"CODE", is_listed<currencies>},
};

bool is_literal(std::string_view part) { return !part.empty() && part[0] >= 'a' && part[0] <= 'z'; }

/// Where the piece begins that is being typed: behind the last of these.
std::size_t behind_last(std::string_view typed, std::string_view separators) {
  const auto at = typed.find_last_of(separators);
  return at == std::string_view::npos ? 0 : at + 1;
}

/// Puts `head` in front of the candidates from `first` on, and `tail` behind.
void dress(List& list, std::size_t first, std::string_view head, std::string_view tail) {
  for (std::size_t i = first; i < list.size(); ++i)
    list[i].value = std::string(head) + list[i].value + std::string(tail);
}

void offer_word(const Word& word, std::string_view typed, std::string_view tail, const Lookup& catalog,
                Offered& offered) {
  offered.files = offered.files || word.files;
  if (word.list == kNone) return;
  const std::size_t first = offered.candidates.size();
  const auto colon = word.counted ? typed.rfind(':') : std::string_view::npos;
  if (colon != std::string_view::npos && typed.find(',', colon) == std::string_view::npos) {
    const std::size_t begin = behind_last(typed.substr(0, colon), ",:");
    counts(catalog(), typed.substr(begin, colon - begin), offered.candidates);
    // "nvidia:h100": a vendor stands in front of it.
    if (offered.candidates.size() == first)
      gpus_of(catalog(), lower(typed.substr(begin, colon - begin)), offered.candidates);
    return dress(offered.candidates, first, typed.substr(0, colon + 1), tail);
  }
  word.list(catalog(), offered.candidates);
  dress(offered.candidates, first, word.several ? typed.substr(0, behind_last(typed, ",")) : "", tail);
}

}  // namespace

bool names_path(std::string_view word) {
  return std::ranges::all_of(split(word, '|'), [](std::string_view part) {
    const Word* known = find_word(part);
    return known != nullptr && known->files && known->list == kNone;
  });
}

Offered values_of_word(std::string_view word, std::string_view typed, const Lookup& catalog) {
  Offered offered;
  for (const std::string_view part : split(word, '|')) {
    const auto equals = part.find('=');
    const Word* known = find_word(part.substr(0, equals));
    if (is_literal(part)) offered.candidates.push_back({std::string(part)});
    if (known == nullptr) continue;
    offered.goes_on = offered.goes_on || equals != std::string_view::npos;
    offer_word(*known, typed, equals == std::string_view::npos ? "" : "=", catalog, offered);
  }
  return offered;
}

Offered values_of(const Flag& flag, std::string_view typed, const Lookup& catalog) {
  const std::vector<std::string> allowed =
      names_path(flag.value) ? std::vector<std::string>() : job::allowed_values(flag.set);
  if (allowed.empty()) return values_of_word(flag.value, typed, catalog);
  Offered offered;
  offered.goes_on = flag.value.find('=') != std::string::npos;
  const bool several = allowed.size() > 1 && !offered.goes_on && flag.set(allowed[0] + "," + allowed[1]).has_value();
  const std::size_t begin = several ? behind_last(typed, ",") : 0;
  for (const std::string& value : allowed) offered.candidates.push_back({value});
  dress(offered.candidates, 0, typed.substr(0, begin), offered.goes_on ? "=" : "");
  return offered;
}

Status judge(std::string_view word, std::string_view value, const Lookup& catalog) {
  const auto* judged = std::ranges::find(kJudged, word, &Judged::word);
  if (judged == std::end(kJudged)) return {};
  for (const std::string_view name : judged->several ? split(value, ',') : std::vector<std::string_view>{value})
    if (Status known = judged->check(catalog(), trim(name)); !known) return known;
  return {};
}

void keep_beginning(std::vector<Candidate>& candidates, std::string_view typed) {
  const auto begins = [&](const Candidate& one) {
    return one.value.size() >= typed.size() &&
           std::equal(typed.begin(), typed.end(), one.value.begin(), [](char a, char b) {
             const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
             return small(a) == small(b);
           });
  };
  std::erase_if(candidates, [&](const Candidate& one) { return !begins(one); });
  if (std::ranges::any_of(candidates, [](const Candidate& one) { return !one.other_spelling; }))
    std::erase_if(candidates, [](const Candidate& one) { return one.other_spelling; });
  std::set<std::string, std::less<>> seen;
  std::erase_if(candidates, [&](const Candidate& one) { return !seen.insert(one.value).second; });
}

}  // namespace gpusel::cli
