// gpusel catalog diff: what differs between two catalogues, or what files laid on top have changed.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "show/catalogue/catalog_state.hpp"
#include "show/catalogue/catalogue_name.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kEmbedded = "embedded";

struct CatalogDiffOptions {
  std::vector<std::string> names;
  std::optional<std::int64_t> limit;
};

using Loaded = std::expected<catalog::Catalog, Errors>;

/// A side of the comparison: the built-in catalogue, one YAML file on top of it, or another market.
Loaded load_side(const std::string& name) {
  if (name == kEmbedded) return catalog::load({});
  const bool yaml = std::filesystem::path(name).extension() == ".yaml";
  return yaml ? catalog::load({{}, {name}}) : catalog::load({name, {}});
}

Loaded load_before(const CatalogDiffOptions& options) {
  return options.names.size() == 2 ? load_side(options.names.front()) : catalog::load({});
}

Loaded load_after(const CatalogDiffOptions& options, Context& context) {
  return options.names.empty() ? context.load_catalog() : load_side(options.names.back());
}

int run_diff(const CatalogDiffOptions& options, Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  if (options.names.size() > 2)
    return context.fail(Error{ErrorKind::usage,
                              say("{} names to compare", options.names.size()),
                              {},
                              say("use none, one or two: embedded, a YAML file, a directory or a snapshot")});
  const auto before = load_before(options);
  if (!before) return context.fail(before.error());
  const auto after = load_after(options, context);
  if (!after) return context.fail(after.error());
  const std::vector<catalog::Change> all = catalog::diff(*before, *after);
  std::span<const catalog::Change> shown(all);
  if (options.limit) shown = shown.first(std::min(shown.size(), static_cast<std::size_t>(*options.limit)));
  const auto as_json = [&] {
    return show::Json{{"schema", "gpusel.catalog-diff/1"},
                      {"before", before->origin_text()},
                      {"after", after->origin_text()},
                      {"differences", all.size()},
                      {"changes", show::changes_json(shown)}};
  };
  const auto as_page = [&](bool) {
    show::Document page;
    page.page_title(say("What differs between two catalogs"));
    for (const std::string& words : {say("before: {}", show::catalogue_name(*before)),
                                     say("after: {}", show::catalogue_name(*after)), show::changes_summary(all)})
      page.line(words, 2, show::Where::page);
    return shown.empty() ? page : page.add(show::changes_table(shown));
  };
  print({.data = as_json, .document = as_page, .csv = [&] { return show::changes_table(shown); }}, *format, context);
  if (!show::is_data(*format) && !is_document(*format)) context.note(show::changes_summary(all));
  return kOk;
}

}  // namespace

Parsed make_catalog_diff() {
  auto options = std::make_shared<CatalogDiffOptions>();
  Parsed parsed;
  parsed.positional = "CATALOGUES";
  parsed.positional_places = {{"", "embedded|PATH"}};
  parsed.positional_help =
      say("BEFORE AFTER, each 'embedded', a YAML file, a directory or a snapshot; one: against the "
          "built-in; none: what --overlay and --catalog change");
  parsed.positional_set = appends_to(options->names);
  parsed.flags.push_back({"-n,--limit", "N", say("changes to show"), {}, [options](std::string_view text) {
                            return job::assign(text, options->limit, job::kCount);
                          }});
  parsed.run = [options](Context& context) { return run_diff(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
