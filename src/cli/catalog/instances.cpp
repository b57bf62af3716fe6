// gpusel instances: machines and their prices, as a list or one with its sources.
#include <algorithm>

#include "answer/lists/like.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/places/places.hpp"
#include "cli/catalog/lists.hpp"
#include "cli/question/named.hpp"
#include "job/limits/families.hpp"
#include "show/catalogue/card.hpp"
#include "show/catalogue/catalog.hpp"
#include "show/job/question.hpp"
#include "show/lists/like.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kInstancesSchema = "gpusel.instances/1";

struct InstanceOptions {
  ListOptions list;
  bool every_offer = false;
  std::string like;  // a SKU whose equivalents are wanted
};

int show_instance(Lists& lists, const catalog::Catalog& catalog, Date today, Context& context) {
  const auto instance = catalog.instance(lists.name());
  if (!instance) return context.fail(instance.error());
  return show_record({kInstancesSchema, format("{} {}", (*instance)->provider, (*instance)->sku),
                      [&] { return show::with_documents(show::instance_json(**instance, catalog, today), catalog); },
                      [&] { return show::instance_card(**instance, catalog, today); }},
                     context);
}

/// "V100 SXM2 16 GB", of what its sizes have.
std::string gpus_of(const job::FamilyName::Family& family, const catalog::Catalog& catalog) {
  std::vector<std::string> names;
  for (const catalog::Instance& instance : catalog.instances()) {
    if (instance.provider != family.provider || instance.family != family.id) continue;
    const catalog::Gpu* gpu = catalog.gpu_of(instance);
    std::string name = gpu != nullptr         ? show::spoken_gpu(*gpu)
                       : instance.gpu.empty() ? say("no GPU")
                                              : say("GPU not disclosed");
    if (std::ranges::find(names, name) != names.end()) continue;
    names.push_back(std::move(name));
  }
  return join_texts(names, say_name(", "));
}

/// "aliyun gn8is (L20 48 GB), aliyun gn8v (H20 96 GB)": what an unknown name is like; nothing where only its size is
/// unknown.
std::string near_families(std::string_view name, const catalog::Catalog& catalog) {
  constexpr std::size_t kMost = 14;
  auto near = job::families_near(name, catalog);
  if (std::ranges::any_of(near, [&](const auto& one) { return name.contains(one.id + "."); })) return {};
  near.resize(std::min(near.size(), kMost));
  return join_texts(near, say_name(", "), [&](const auto& one) {
    return format("{} {} ({})", one.provider, one.id, gpus_of({one.provider, one.id}, catalog));
  });
}

/// What is told of a family before its sizes.
void tell_family(const job::FamilyName& called, const catalog::Catalog& catalog, Context& context) {
  for (const auto& family : called.families)
    context.note(say("{} is a family of {}: {}", family.id, family.provider, gpus_of(family, catalog)));
  std::string others;
  for (const auto& other : called.others)
    if (const std::string gpus = gpus_of(other, catalog); !gpus.empty())
      others += format("{}{} {} ({})", others.empty() ? "" : ", ", other.provider, other.id, gpus);
  if (!others.empty()) context.note(say("not to be confused with {}", others));
}

show::Json item_json(const answer::Listed& one, const catalog::Catalog& catalog, Currency currency) {
  show::Json json = show::instance_json(*one.instance, catalog);
  json["best_offer"] = show::listed_offer_json(one, catalog, currency);
  return json;
}

void tell_other_terms(std::size_t instances, Context& context) {
  if (instances == 0) return;
  context.note(instances == 1 ? say("1 instance has no on-demand price, only other terms (--term any)")
                              : say("{} instances have no on-demand price, only other terms (--term any)", instances));
}

/// The only prices are older than --max-price-age.
int only_old(const answer::InstanceList& list, double days, Lists& lists, Context& context) {
  if (lists.is_data()) lists.print_items(show::Json::array(), kInstancesSchema);
  std::string words = list.too_old == 1 ? say("the only price is older than {:.4g} days", days)
                                        : say("{} prices are older than {:.4g} days", list.too_old, days);
  add_clause(words, list.newest_too_old.known() ? say("the newest is from {}", list.newest_too_old.text())
                                                : say("none has a date"));
  context.complain(words);
  return kStale;
}

int list_like(Lists& lists, InstanceOptions& options, const catalog::Catalog& catalog,
              const physics::Coefficients& coefficients, Context& context) {
  const auto base = answer::base_called(options.like, catalog);
  if (!base) return context.fail(base.error());
  if (!catalog.has_instance(options.like))
    context.note(
        say("{} is a family: compared with its smallest, {}/{}", options.like, (*base)->provider, (*base)->sku));
  const auto scale = answer::read_similarity(catalog.documents("similarity"));
  if (!scale) return context.fail(scale.error());
  const answer::ListQuestion& question = options.list.question;
  // The base and ten others; programs get all.
  constexpr std::int64_t kShown = 11;
  if (!options.list.limit && lists.is_for_people()) options.list.limit = kShown;
  auto alike = answer::instances_like(**base, question, *scale, catalog, coefficients);
  if (!alike) return context.fail(alike.error());
  tell_other_terms(alike->on_other_terms, context);
  return lists.list(
      std::move(alike->alike), kInstancesSchema, say("Nearest to {}", printable((*base)->sku)),
      [&](const answer::Alike& one) {
        show::Json json = item_json(one.listed, catalog, question.currency);
        json.update(show::likeness_json(one));
        return json;
      },
      [&](const answer::Alike& one) {
        show::Json json = show::offer_row_json(one.listed, catalog, question.currency);
        json.update(show::likeness_json(one));
        return json;
      },
      [&](const auto& records, bool wide) { return show::like_table(records, catalog, question.currency, wide); });
}

/// What names a GPU, a provider, a place or a term is a limit; other words are parts of names.
Status take_limits(answer::ListQuestion& question, const catalog::Catalog& catalog, const Context& context) {
  job::Request no_job;
  return take_words(question.words,
                    {no_job, &question.constraints, Takes::market, nullptr, nullptr, nullptr, context.settings.said},
                    catalog);
}

int list_instances(Lists& lists, InstanceOptions& options, const catalog::Catalog& catalog, Context& context) {
  const auto coefficients = load_coefficients(catalog);
  if (!coefficients) return context.fail(coefficients.error());
  if (!options.like.empty()) return list_like(lists, options, catalog, *coefficients, context);
  const answer::ListQuestion& question = options.list.question;
  // JSON lists every offer below its instance already.
  auto listed = answer::list_instances(question, options.every_offer && !lists.is_data(), catalog, *coefficients);
  if (!listed) return context.fail(listed.error());
  tell_other_terms(listed->on_other_terms, context);
  // Of everything by its price the first pages would be machines without a GPU.
  if (lists.is_for_people() && !question.sort_by.empty() && question.words.empty() && question.filter.empty() &&
      question.constraints.gpus.empty()) {
    const auto out = std::erase_if(listed->listed, [](const answer::Listed& one) { return one.instance->gpu.empty(); });
    if (out > 0) context.note(say("not counting {} machines without a GPU (--gpu none lists them)", out));
  }
  if (listed->listed.empty() && listed->too_old > 0)
    return only_old(*listed, question.constraints.max_price_age_days.value_or(0), lists, context);
  std::vector<const catalog::Offer*> shown;
  for (const answer::Listed& one : listed->listed) shown.push_back(one.offer);
  if (options.list.limit) shown.resize(std::min(shown.size(), static_cast<std::size_t>(*options.list.limit)));
  const int status = lists.list(
      std::move(listed->listed), kInstancesSchema, say("Instances and their prices"),
      [&](const answer::Listed& one) { return item_json(one, catalog, question.currency); },
      [&](const answer::Listed& one) {
        show::Json row = show::offer_row_json(one, catalog, question.currency);
        // Columns that are named may be of the GPU, as in a filter.
        const catalog::Gpu* gpu = catalog.gpu_of(*one.instance);
        if (gpu == nullptr || options.list.columns.empty()) return row;
        const show::Json of_gpu = show::gpu_json({.gpu = gpu}, catalog, question.currency);
        for (const auto& [key, value] : of_gpu.items())
          if (!row.contains(key)) row[key] = value;
        return row;
      },
      [&](const auto& records, bool wide) {
        return show::instance_table(records, catalog, question.currency, {wide, false});
      },
      question.sort_by.empty() && !options.every_offer
          ? say("Sorted by how many clouds sell the GPU, then by price per GPU (--sort price)")
          : std::string());
  return gate_price_age(question.constraints, shown, question.today, context, status);
}

int run_instances(InstanceOptions& options, Context& context) {
  if (Status strict = check_strict(options.list.question.constraints); !strict) return context.fail(strict.error());
  auto& terms = options.list.question.constraints.terms;
  if (options.every_offer && terms.empty()) terms.emplace_back("any");
  Lists lists(options.list, context);
  return lists.with_catalog([&](const catalog::Catalog& catalog) {
    if (options.list.shows_one()) {
      const auto family = job::family_called(lists.name(), catalog);
      const bool known = catalog.has_instance(lists.name());
      if (const std::string near = known || family ? std::string() : near_families(lists.name(), catalog);
          !near.empty())
        return context.fail(Error{ErrorKind::usage,
                                  say("unknown instance '{}'", printable(shorten(lists.name(), 60))),
                                  {},
                                  say("did you mean {}?", near)});
      if (known || !family) return show_instance(lists, catalog, options.list.question.today, context);
      tell_family(*family, catalog, context);
      auto& limits = options.list.question.constraints;
      for (const auto& [provider, id] : family->families) {
        limits.families.push_back(id);
        if (std::ranges::find(limits.clouds, provider) == limits.clouds.end()) limits.clouds.push_back(provider);
      }
      options.list.question.words.clear();
    }
    answer::ListQuestion& question = options.list.question;
    if (Status taken = take_limits(options.list.question, catalog, context); !taken) return context.fail(taken.error());
    settle_currency(question.currency, question.constraints, catalog, context);
    tell_broad_names(options.list.question.constraints, catalog, context);
    const int status = list_instances(lists, options, catalog, context);
    const auto& words = options.list.question.words;
    if (status == kNothing && words.size() == 1)
      if (const std::string near = near_families(words.front(), catalog); !near.empty())
        context.note(say("did you mean {}?", near));
    return status;
  });
}

}  // namespace

Parsed make_instances() {
  auto options = std::make_shared<InstanceOptions>();
  Parsed parsed = list_command(options->list);
  add_limits(parsed.flags, options->list.question.constraints,
             [](const auto& limit) { return limit.on.subject <= job::Subject::price; });
  parsed.flags.push_back(currency_flag(options->list.question.currency));
  parsed.flags.push_back(use_spot_flag(options->list.question.constraints));
  parsed.flags.push_back({"--like,--base-instance-type", "SKU", say("its nearest equivalents, other clouds first"),
                          say("List"), sets(options->like)});
  parsed.flags.push_back(
      {"--all-offers", "", say("a row per offer, not per instance"), say("List"), turns_on(options->every_offer)});
  parsed.positional_places = {{"show", "SKU"}};
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return run_instances(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
