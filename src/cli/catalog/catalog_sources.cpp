// gpusel catalog sources: the price lists that `catalog update` reads.
#include <algorithm>
#include <memory>

#include "base/io/process.hpp"
#include "catalog/update/update.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/words/more_sources.hpp"
#include "show/catalogue/lists/price_lists.hpp"

namespace gpusel::cli {

namespace {

std::vector<catalog::ListPart> every_part(std::span<const catalog::PriceList> lists) {
  std::vector<catalog::ListPart> parts;
  for (const catalog::PriceList& list : lists) {
    if (list.parts.empty()) parts.push_back({&list, {}});
    for (const std::string& part : list.parts) parts.push_back({&list, part});
  }
  return parts;
}

int run_sources(const MoreSources& options, Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const auto base = catalog::load({});
  if (!base) return context.fail(base.error());
  const auto lists = catalog::read_price_lists(*base, options.files);
  if (!lists) return context.fail(lists.error());
  const std::string folder = Context::lists_folder();
  std::expected<std::vector<catalog::KeptList>, Errors> kept;
  if (!folder.empty()) kept = catalog::kept_in(folder);
  if (!kept) return context.fail(kept.error());
  std::vector<show::ListedSource> sources;
  for (catalog::ListPart& part : every_part(*lists)) {
    const catalog::PriceList& of = *part.list;
    const auto found = std::ranges::find(*kept, part.id(), &catalog::KeptList::id);
    const bool usual = of.usual.empty() || std::ranges::find(of.usual, part.part) != of.usual.end();
    const bool has_key = of.key_variable.empty() || !environment(of.key_variable.c_str()).empty();
    sources.push_back({std::move(part), found == kept->end() ? nullptr : &*found, usual, has_key});
  }
  print({.data = [&] { return show::sources_json(sources, folder); },
         .document = [&](bool) { return show::sources_page(sources); }},
        *format, context);
  return kOk;
}

}  // namespace

Parsed make_catalog_sources() {
  auto options = std::make_shared<MoreSources>();
  Parsed parsed;
  parsed.flags = {more_sources_flag(*options, say("Sources"))};
  parsed.run = [options](Context& context) { return run_sources(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
