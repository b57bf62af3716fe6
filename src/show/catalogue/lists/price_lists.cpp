#include "show/catalogue/lists/price_lists.hpp"

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/catalogue/lists/changes.hpp"

namespace gpusel::show {

namespace {

std::string day_or(Date day, std::string otherwise) { return day.known() ? day.text() : std::move(otherwise); }

/// When a list is asked for, and when it was.
std::string last_read(const ListedSource& source) {
  if (source.kept != nullptr) return source.kept->read.text();
  return source.has_key ? say("never") : say("never: needs {}", source.part.list->key_variable);
}

std::string outcome_of(catalog::ListOutcome outcome) {
  switch (outcome) {
    case catalog::ListOutcome::updated: return say("updated");
    case catalog::ListOutcome::unchanged: return say("unchanged");
    case catalog::ListOutcome::no_key: return say("left out: no key");
    case catalog::ListOutcome::kept_out: return say("kept out");
    case catalog::ListOutcome::failed: return say("failed");
  }
  return {};
}

std::string whole(std::uint64_t number) { return human_number(static_cast<double>(number)); }

}  // namespace

Document sources_page(std::span<const ListedSource> sources) {
  Table table({left(say("source")), left(say("covers"), 0, 24), left(say("last read")), left(say("price date"), 1),
               right(say("prices"), 1), left(say("license"), 2, 16), left(say("address"), 2, 24)});
  std::size_t when_named = 0;
  std::string such_as;
  for (const ListedSource& source : sources) {
    const bool kept = source.kept != nullptr;
    if (!kept && !source.usual) {
      if (when_named++ == 0) such_as = source.part.id();
      continue;
    }
    table.add({source.part.id(), printable(say_text(source.part.list->covers)), last_read(source),
               kept ? day_or(source.kept->as_of, "-") : "-", kept ? whole(source.kept->offers) : "-",
               printable(source.part.list->licence), printable(source.part.address())});
  }
  Document page;
  page.page_title(say("Price lists that catalog update reads")).add(std::move(table));
  if (when_named > 0)
    page.line(say("{} more are read only when named, as in --source {}: -o json lists them", when_named, such_as));
  return page;
}

Json sources_json(std::span<const ListedSource> sources, const std::string& folder) {
  Json list = Json::array();
  for (const ListedSource& source : sources) {
    const catalog::PriceList& of = *source.part.list;
    const bool kept = source.kept != nullptr;
    list.push_back({{"source", source.part.id()},
                    {"name", of.name},
                    {"address", source.part.address()},
                    {"licence", of.licence},
                    {"covers", of.covers},
                    {"format", of.format()},
                    {"usual", source.usual},
                    {"key_variable", text_or_null(of.key_variable)},
                    {"has_key", source.has_key},
                    {"last_read", kept ? text_or_null(source.kept->read.text()) : Json(nullptr)},
                    {"as_of", kept ? text_or_null(source.kept->as_of.text()) : Json(nullptr)},
                    {"rows", kept ? Json(source.kept->rows) : Json(nullptr)},
                    {"prices", kept ? Json(source.kept->offers) : Json(nullptr)}});
  }
  return {{"schema", "gpusel.catalog-sources/1"}, {"folder", text_or_null(folder)}, {"sources", std::move(list)}};
}

std::string update_fault(const catalog::ListUpdate& update) {
  return say("{}: {}", update.id, printable(update.reason));
}

Document updates_page(std::span<const catalog::ListUpdate> updates) {
  std::vector<Column> columns{left(say("source")), left(say("outcome")), left(say("as of"), 1), right(say("rows"))};
  const std::vector<Column> counted = change_columns();
  columns.insert(columns.end(), counted.begin(), counted.end());
  Table table(std::move(columns));
  for (const catalog::ListUpdate& update : updates) {
    const bool read =
        update.outcome == catalog::ListOutcome::updated || update.outcome == catalog::ListOutcome::kept_out;
    std::vector<Cell> cells{update.id, outcome_of(update.outcome), day_or(update.as_of, "-"),
                            read ? whole(update.rows) : "-"};
    const std::vector<Cell> counts =
        read ? change_cells(update.changes, update.kept_out) : std::vector<Cell>(counted.size(), "-");
    cells.insert(cells.end(), counts.begin(), counts.end());
    table.add(std::move(cells));
  }
  Document page;
  return page.page_title(say("Update of the catalog")).add(std::move(table));
}

Json updates_json(std::span<const catalog::ListUpdate> updates, const std::string& folder,
                  const std::optional<AnswerChange>& answer) {
  Json list = Json::array();
  for (const catalog::ListUpdate& update : updates) {
    list.push_back({{"source", update.id},
                    {"address", update.address},
                    {"outcome", to_text(update.outcome)},
                    {"reason", text_or_null(update.reason)},
                    {"as_of", text_or_null(update.as_of.text())},
                    {"bytes", update.bytes},
                    {"rows", update.rows},
                    {"imported", update.imported}});
    add_changes(list.back(), update.changes, update.kept_out);
    list.back()["remarks"] = list_json(update.remarks);
  }
  return {{"schema", "gpusel.catalog-update/1"},
          {"folder", text_or_null(folder)},
          {"sources", std::move(list)},
          {"last_question", answer_change_json(answer)}};
}

}  // namespace gpusel::show
