// Tables of measurements into records, and the shipped ones out of the snapshot.
#include "catalog/records/measurement.hpp"

#include <algorithm>
#include <limits>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/hf/hf_config.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

/// Texts of the record point into the cells.
class CellReader {
 public:
  explicit CellReader(Fields& fields) : fields_(fields) {}

  template <class Member>
  void operator()(const Field& field, Member& member) {
    const Node* cell = fields_.find(field.path);
    if (field.required) fields_.require(field.path);
    if (cell != nullptr) read(field, *cell, member);
  }

 private:
  void read(const Field&, const Node& cell, std::string_view& member) { member = cell.text; }
  void read(const Field& field, const Node&, Number& member) { member = fields_.number(field.path, field.range); }
  void read(const Field& field, const Node&, std::optional<bool>& member) { member = fields_.boolean(field.path); }
  template <NamedEnum E>
  void read(const Field& field, const Node&, std::optional<E>& member) {
    member = fields_.one_of<E>(field.path);
  }

  Fields& fields_;
};

constexpr double kNoLimit = std::numeric_limits<double>::max();

std::vector<std::string_view> column_names() {
  std::vector<std::string_view> names;
  const Measurement example;
  visit_fields(example, [&](const Field& field, const auto&) { names.push_back(field.path); });
  return names;
}

/// Figures by the name that a record may give them; items_per_s is the throughput in the work's own unit.
constexpr std::string_view kMeasured[] = {
    "tokens_per_s_per_gpu", "model_tflops_per_gpu", "step_time_s", "memory_gib", "memory_kind",
    "output_tokens_per_s",  "prompt_tokens_per_s",  "ttft_ms",     "itl_ms",     "tpot_ms",
    "weights_gib",          "throughput",           "items_per_s", "latency_ms", "fits"};

bool says_something(const Measurement& m) {
  return m.fits || m.tokens_per_s_per_gpu || m.model_tflops_per_gpu || m.step_time_s || m.memory_gib ||
         m.output_tokens_per_s || m.prompt_tokens_per_s || m.ttft_ms || m.itl_ms || m.tpot_ms || m.weights_gib ||
         m.throughput || m.latency_ms;
}

class SheetMaker {
 public:
  SheetMaker(const Catalog& catalog, bool shipped) : catalog_(catalog), shipped_(shipped) {}

  Result<MeasurementSheet> make(Csv csv) {
    MeasurementSheet sheet;
    if (Status header = check_header(csv, sheet); !header) return std::unexpected(header.error());
    add_rows(std::move(csv.rows), std::move(csv.name), sheet);
    return sheet;
  }

  MeasurementSheet make(std::vector<Node> records, std::string name) {
    MeasurementSheet sheet;
    problems_.file = name;
    std::vector<Node> rows;
    for (Node& record : records) {
      if (rows.empty() && has_ended(record)) break;
      if (unfold(record, sheet.unread)) rows.push_back(std::move(record));
    }
    add_rows(std::move(rows), std::move(name), sheet);
    return sheet;
  }

 private:
  /// Where only problems were found so far, and enough of them: told first.
  bool has_ended(const Node& row) {
    Errors& errors = problems_.errors;
    if (!is_enough(errors)) return false;
    if (errors.size() == kMaxProblems) {
      problems_.add(row, say("none of the first {} rows can be used; reading stopped", kMaxProblems));
      std::ranges::rotate(errors, errors.end() - 1);
    }
    return true;
  }

  void add_rows(std::vector<Node> all, std::string name, MeasurementSheet& sheet) {
    problems_.file = name;
    sheet.name = std::move(name);
    sheet.rows.reserve(all.size());
    for (Node& cells : all) {
      if (sheet.rows.empty() && has_ended(cells)) break;
      MeasurementRow row;
      row.cells = std::move(cells);
      if (read(row)) sheet.rows.push_back(std::move(row));
    }
    sheet.unusable = std::move(problems_.errors);
  }

  /// What a record nests under `measured` moves beside the request's keys, under the names of columns.
  bool unfold(Node& record, std::vector<std::string>& unread) {
    const std::size_t before = problems_.errors.size();
    if (!record.is_map()) problems_.add(record, say("a record must be a JSON object, found {}", record.describe()));
    std::vector<Node> cells;
    for (Node& member : record.children) {
      if (member.kind == Node::Kind::null) continue;
      if (member.key != "measured") {
        const bool told = unread.size() >= kMaxProblems || std::ranges::find(unread, member.key) != unread.end();
        if (!told && std::ranges::find(columns_, member.key) == columns_.end()) unread.push_back(member.key);
        cells.push_back(std::move(member));
        continue;
      }
      if (!member.is_map()) problems_.add(member, say("'measured' must be a map, found {}", member.describe()));
      for (Node& figure : member.children) add_figure(std::move(figure), cells);
    }
    record.children = std::move(cells);
    if (const Node* twice = duplicate_key(record))
      problems_.add_at_key(*twice, say("'{}' appears twice", printable(shorten(twice->key, 60))));
    return problems_.errors.size() == before;
  }

  void add_figure(Node figure, std::vector<Node>& cells) {
    if (figure.kind == Node::Kind::null) return;
    const auto column = measured_column(figure.key);
    if (!column) {
      problems_.add_at_key(figure, say("'{}' is not a measured figure", printable(shorten(figure.key, 60))),
                           did_you_mean(figure.key, kMeasured));
      return;
    }
    figure.key = *column;
    cells.push_back(std::move(figure));
  }

  Status check_header(const Csv& csv, MeasurementSheet& sheet) const {
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(csv.header, [&](const Node& column) { return column.text == name; });
    };
    for (const Node& column : csv.header)
      if (std::ranges::find(columns_, column.text) == columns_.end()) sheet.unread.push_back(column.text);
    for (const std::string_view name : {"task", "model", "gpu"}) {
      if (has(name)) continue;
      return usage_error(say("there is no column '{}'", name), position(csv.name, csv.header.front()),
                         say("docs/catalog.md lists the columns of a measurement"));
    }
    return {};
  }

  /// One problem is enough to leave a row out; the first is told.
  bool read(MeasurementRow& row) {
    const std::size_t before = problems_.errors.size();
    Fields fields(row.cells, problems_);
    visit_fields(row.facts, CellReader(fields));
    if (problems_.errors.size() == before) join(row, fields);
    if (problems_.errors.size() == before) return true;
    problems_.errors.resize(before + 1);
    return false;
  }

  void join(MeasurementRow& row, Fields& fields) {
    const auto fail = [&](std::string_view column, const Error& error) {
      fields.fail(*fields.find(column), error.message, error.hint);
    };
    const Measurement& facts = row.facts;
    if (const auto gpu = catalog_.gpu(facts.gpu))
      row.gpu = *gpu;
    else
      return fail("gpu", gpu.error());
    // A file, or an object of a config.json, speaks for itself.
    const bool speaks = facts.model.empty() || looks_like_path(facts.model);
    const auto model = catalog_.model(facts.model);
    if (model && !speaks) row.model = *model;
    if (!model && !speaks && (!facts.layers || !facts.hidden)) return fail("model", model.error());
    if (shipped_ && catalog_.source(facts.source) == nullptr)
      return fields.fail(row.cells, say("unknown source '{}'", shorten(facts.source, 60)));
    if (facts.memory_gib.value_or(0) > row.gpu->memory_gb.value_or(kNoLimit))
      return fields.fail(*fields.find("memory_gib"),
                         say("{:g} GiB are more than {} has", *facts.memory_gib, row.gpu->id),
                         say("memory_gib is of one GPU, in units of 2^30 bytes"));
    if (!says_something(facts))
      fields.fail(row.cells, say("the row has no measurement"),
                  say("measured columns: tokens_per_s_per_gpu, model_tflops_per_gpu, step_time_s, memory_gib, "
                      "output_tokens_per_s, prompt_tokens_per_s, ttft_ms, itl_ms, tpot_ms, weights_gib, throughput, "
                      "latency_ms, fits"));
  }

  const Catalog& catalog_;
  bool shipped_;
  std::vector<std::string_view> columns_ = column_names();
  Problems problems_{{}, ErrorKind::usage, {}};
};

}  // namespace

Result<MeasurementSheet> read_measurements(Csv csv, const Catalog& catalog, bool shipped) {
  return SheetMaker(catalog, shipped).make(std::move(csv));
}

MeasurementSheet read_measurement_records(std::vector<Node> records, std::string name, const Catalog& catalog) {
  return SheetMaker(catalog, false).make(std::move(records), std::move(name));
}

std::optional<std::string_view> measured_column(std::string_view key) {
  if (std::ranges::find(kMeasured, key) == std::end(kMeasured)) return std::nullopt;
  return key == "items_per_s" ? std::string_view("throughput") : key;
}

Result<MeasurementSheet> read_measurement_file(const std::string& file, const Catalog& catalog) {
  const auto text = read_text_file(file);
  if (!text) return std::unexpected(text.error());
  return read_measurement_text(*text, file, catalog);
}

Result<MeasurementSheet> read_measurement_text(std::string_view text, const std::string& file, const Catalog& catalog,
                                               const std::vector<Node>& said, std::span<const GpuLog> beside) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return usage_error(say("the file is empty"), file);
  if (auto runs = read_runs(text, file, said, beside, catalog)) {
    if (!*runs) return std::unexpected(runs->error());
    MeasurementSheet sheet = read_measurement_records(std::move((*runs)->records), file, catalog);
    sheet.remarks = std::move((*runs)->remarks);
    return sheet;
  }
  auto csv = text[first] == '{' ? Result<Csv>() : parse_csv(text, file);
  const bool is_table = text[first] == '{' || !csv || std::ranges::any_of(csv->header, [](const Node& column) {
                          return column.text == "task" || column.text == "model" || column.text == "gpu";
                        });
  if (!is_table)
    return usage_error(say("this is not a result, log or table that is read"), format("{}:1:1", file),
                       say("docs/calibrate.md lists those that are"));
  if (!said.empty())
    return usage_error(
        say("'{}' says what the result of a benchmark leaves open; these rows say it themselves", said.front().key),
        file, say("remove the flag, or use --measured without a file"));
  if (text[first] == '{') {
    auto records = parse_json_lines(text, file);
    if (!records) return std::unexpected(records.error());
    return read_measurement_records(std::move(*records), file, catalog);
  }
  if (!csv) return std::unexpected(csv.error());
  return read_measurements(std::move(*csv), catalog, false);
}

std::expected<std::vector<MeasurementSheet>, Errors> shipped_measurements(const Catalog& catalog) {
  std::vector<MeasurementSheet> sheets;
  Errors errors;
  for (const Document& document : catalog.documents(kMeasurements)) {
    auto csv = parse_csv(document.root.find(kMeasurements)->text, document.name);
    auto sheet = csv ? read_measurements(std::move(*csv), catalog, true) : std::unexpected(csv.error());
    if (sheet)
      sheets.push_back(std::move(*sheet));
    else
      errors.push_back(sheet.error());
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return sheets;
}

}  // namespace gpusel::catalog
