#include "show/lists/like.hpp"

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/catalogue/catalog.hpp"
#include "show/lists/words.hpp"

namespace gpusel::show {

namespace {

using answer::Alike;
using answer::Difference;

std::string times(const std::optional<double>& ratio) {
  if (!ratio) return "?";
  return format("{:.{}f}×", *ratio, *ratio < 10 ? 2 : 0);
}

/// "a10g for t4; vcpu 0.50×": the GPU by its names, figures by their ratio.
std::string difference_text(const Difference& difference) {
  if (difference.fact == rules::Fact::gpu) return say("{} for {}", difference.other, difference.base);
  if (difference.ratio) return format("{} {}", printable(say_name(difference.label)), times(difference.ratio));
  return say("{} {} for {}", printable(say_name(difference.label)), difference.other, difference.base);
}

std::string differences_text(const Alike& alike, bool all) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  std::size_t named = 0;
  for (const Difference& difference : alike.differences) {
    if (!all && difference.fact == rules::Fact::gpu) continue;  // a column of its own names it
    if (!all && named++ == kNamed) break;
    text += (text.empty() ? "" : ", ") + difference_text(difference);
  }
  return text;
}

}  // namespace

Table like_table(std::span<const Alike> alike, const catalog::Catalog& catalog, Currency currency, bool wide) {
  Table table({right(say("alike")), left(say("provider")), left(say("instance"), 0, 14), left(say("GPUs")),
               right(std::string(currency.code()) + "/h"), left(say("term"), 5), left(say("region"), 6),
               right(say("price")), right(say("GB"), 2), right(say("GB/s"), 2), right(say("16 bit"), 2),
               left(say("differs in"), 1, 16)});
  for (const Alike& one : alike) {
    const answer::Listed& listed = one.listed;
    const bool base = &one == &alike.front();
    table.add({base ? say("base") : format("{:.0f}", one.similarity), std::string(listed.instance->provider),
               printable(listed.instance->sku), gpus_text(*listed.instance),
               listed.offer == nullptr ? "?" : human_price(listed.hourly),
               listed.offer == nullptr ? Cell("") : term_cell(listed.offer->term),
               listed.offer == nullptr ? "" : printable(catalog.region_of(*listed.offer).id), times(one.ratios.price),
               times(one.ratios.gpu_memory), times(one.ratios.bandwidth), times(one.ratios.dense16),
               differences_text(one, wide)});
  }
  return table;
}

Json likeness_json(const Alike& alike) {
  const auto or_null = [](const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); };
  Json differences = list_json(alike.differences, [&](const Difference& difference) -> Json {
    return {{"figure", rules::info(difference.fact).name},
            {"base", difference.base},
            {"this", difference.other},
            {"ratio", or_null(difference.ratio)}};
  });
  return {{"similarity", number(alike.similarity)},
          {"price_ratio", or_null(alike.ratios.price)},
          {"gpu_memory_ratio", or_null(alike.ratios.gpu_memory)},
          {"bandwidth_ratio", or_null(alike.ratios.bandwidth)},
          {"dense16_ratio", or_null(alike.ratios.dense16)},
          {"differences", std::move(differences)}};
}

}  // namespace gpusel::show
