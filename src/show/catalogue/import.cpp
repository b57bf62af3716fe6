#include "show/catalogue/import.hpp"

#include <algorithm>
#include <vector>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kReasonsShown = 20;

/// Rows left out for one reason, and the first of them.
struct ImportGroup {
  std::uint32_t reason = 0;
  std::uint64_t rows = 0;
  const catalog::SkippedRow* first = nullptr;
};

/// The most frequent first.
std::vector<ImportGroup> groups_of(const catalog::ImportReport& report) {
  std::vector<ImportGroup> all(report.texts.size());
  for (const catalog::SkippedRow& row : report.skipped) {
    ImportGroup& group = all[row.reason];
    if (group.rows++ == 0) group = {row.reason, 1, &row};
  }
  std::erase_if(all, [](const ImportGroup& group) { return group.rows == 0; });
  std::stable_sort(all.begin(), all.end(), [](const ImportGroup& a, const ImportGroup& b) { return a.rows > b.rows; });
  return all;
}

std::string count(std::uint64_t number) { return human_number(static_cast<double>(number)); }

Table files_table(const catalog::ImportReport& report) {
  Table table({left(say("file"), 0, 16), left(say("cloud")), left(say("as of"), 1), right(say("rows")),
               right(say("imported")), right(say("left out"))});
  for (const catalog::ImportedFile& file : report.files)
    table.add({printable(file.path), file.cloud.empty() ? "-" : file.cloud,
               file.as_of.known() ? file.as_of.text() : "-", std::to_string(file.rows), std::to_string(file.imported),
               std::to_string(file.rows - file.imported)});
  return table;
}

std::uint64_t kept_out_of(std::string_view provider, const catalog::ImportReport& report) {
  const auto doubted = report.doubted.find(provider);
  return doubted == report.doubted.end() ? 0 : doubted->second;
}

Table providers_table(const ImportResult& result) {
  std::vector<Column> columns{left(say("provider"))};
  const std::vector<Column> counted = change_columns();
  columns.insert(columns.end(), counted.begin(), counted.end());
  Table table(std::move(columns));
  for (const auto& [provider, changes] : result.changes) {
    std::vector<Cell> cells{printable(provider)};
    const std::vector<Cell> counts = change_cells(changes, kept_out_of(provider, result.report));
    cells.insert(cells.end(), counts.begin(), counts.end());
    table.add(std::move(cells));
  }
  return table;
}

Json providers_json(const ImportResult& result) {
  Json list = Json::array();
  for (const auto& [provider, changes] : result.changes) {
    list.push_back({{"provider", provider}});
    add_changes(list.back(), changes, kept_out_of(provider, result.report));
  }
  return list;
}

Json warnings_json(const catalog::ImportReport& report) {
  return list_json(report.warnings, [&](const catalog::ImportWarning& warning) -> Json {
    return {{"file", report.files[warning.file].path},
            {"line", warning.line},
            {"rows", warning.rows},
            {"warning", warning.text}};
  });
}

Json files_json(const catalog::ImportReport& report) {
  return list_json(report.files, [](const catalog::ImportedFile& file) -> Json {
    return {{"file", file.path}, {"cloud", text_or_null(file.cloud)}, {"as_of", text_or_null(file.as_of.text())},
            {"rows", file.rows}, {"imported", file.imported},         {"failure", text_or_null(file.failure)}};
  });
}

/// A value on its line, without the line feed.
std::string in_line(const Json& value) {
  std::string text = dump(value, -1);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Document import_page(const ImportResult& result) {
  const catalog::ImportReport& report = result.report;
  Document page;
  page.page_title(say("Import of price lists")).add(files_table(report));
  if (!result.changes.empty()) page.gap().add(providers_table(result));
  if (report.skipped.empty()) return page;
  Table table({right(say("left out")), left(say("reason"), 0, 24), left(say("first at"), 0, 12)});
  const auto groups = groups_of(report);
  for (std::size_t i = 0; i < groups.size() && i < kReasonsShown; ++i)
    table.add({count(groups[i].rows), printable(report.texts[groups[i].reason]),
               format("{}:{}", printable(report.files[groups[i].first->file].path), groups[i].first->line)});
  page.gap().add(std::move(table));
  if (groups.size() > kReasonsShown)
    page.line(say("… and {} more reasons; -o json has every row", groups.size() - kReasonsShown));
  return page;
}

void write_import_json(const ImportResult& result, const std::function<void(std::string_view)>& write) {
  const catalog::ImportReport& report = result.report;
  std::vector<std::string> files;
  std::vector<std::string> reasons;
  for (const auto& file : report.files) files.push_back(in_line(file.path));
  for (const auto& text : report.texts) reasons.push_back(in_line(text));
  std::string text = format("{{\n  \"schema\": \"gpusel.import/1\",\n  \"rows\": {},\n  \"imported\": {},\n",
                            report.rows(), report.imported());
  text += format("  \"instances\": {},\n  \"offers\": {},\n  \"out\": {},\n", result.instances, result.offers,
                 in_line(text_or_null(result.out)));
  text += "  \"files\": " + in_line(files_json(report)) + ",\n";
  text += "  \"providers\": " + in_line(providers_json(result)) + ",\n";
  text += "  \"last_question\": " + in_line(answer_change_json(result.answer)) + ",\n";
  text += "  \"warnings\": " + in_line(warnings_json(report)) + ",\n  \"skipped\": [";
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  for (std::size_t i = 0; i < report.skipped.size(); ++i) {
    const catalog::SkippedRow& row = report.skipped[i];
    text += format("{}\n    {{\"file\": {}, \"line\": {}, \"reason\": {}}}", i == 0 ? "" : ",", files[row.file],
                   row.line, reasons[row.reason]);
    if (text.size() < kPiece) continue;
    write(text);
    text.clear();
  }
  write(text + (report.skipped.empty() ? "]\n}\n" : "\n  ]\n}\n"));
}

Json import_json(const ImportResult& result) {
  std::string text;
  write_import_json(result, [&](std::string_view piece) { text += piece; });
  return Json::parse(text);
}

std::string import_warning(const catalog::ImportReport& report, const catalog::ImportWarning& warning) {
  const std::string place = format("{}:{}", printable(report.files[warning.file].path), warning.line);
  return warning.rows == 1 ? format("{}: {}", place, printable(warning.text))
                           : say("{}: {} ({} rows, this is the first)", place, printable(warning.text), warning.rows);
}

}  // namespace gpusel::show
