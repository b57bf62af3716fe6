// Tables of measurements into records, and the shipped ones out of the snapshot.
#include "gpusel/catalog/measurement.hpp"

#include <algorithm>
#include <limits>

#include "catalog/tables.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

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

bool says_something(const Measurement& m) {
  return m.fits || m.tokens_per_s_per_gpu || m.model_tflops_per_gpu || m.memory_gib || m.output_tokens_per_s ||
         m.prompt_tokens_per_s || m.ttft_ms || m.itl_ms || m.weights_gib || m.throughput || m.latency_ms;
}

class SheetMaker {
 public:
  SheetMaker(const Catalog& catalog, bool shipped) : catalog_(catalog), shipped_(shipped) {}

  Result<MeasurementSheet> make(Csv csv) {
    MeasurementSheet sheet;
    sheet.name = csv.name;
    if (Status header = check_header(csv, sheet); !header) return std::unexpected(header.error());
    problems_.file = csv.name;
    sheet.rows.reserve(csv.rows.size());
    for (Node& cells : csv.rows) {
      MeasurementRow row;
      row.cells = std::move(cells);
      if (read(row)) sheet.rows.push_back(std::move(row));
    }
    sheet.unusable = std::move(problems_.errors);
    return sheet;
  }

 private:
  Status check_header(const Csv& csv, MeasurementSheet& sheet) const {
    const auto known = column_names();
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(csv.header, [&](const Node& column) { return column.text == name; });
    };
    for (const Node& column : csv.header)
      if (std::ranges::find(known, column.text) == known.end()) sheet.unread.push_back(column.text);
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
    const auto model = catalog_.model(facts.model);
    if (model) row.model = *model;
    if (!model && (!facts.layers || !facts.hidden)) return fail("model", model.error());
    if (shipped_ && catalog_.source(facts.source) == nullptr)
      return fields.fail(row.cells, say("unknown source '{}'", shorten(facts.source, 60)));
    if (facts.memory_gib.value_or(0) > row.gpu->memory_gb.value_or(kNoLimit))
      return fields.fail(*fields.find("memory_gib"),
                         say("{:g} GiB are more than {} has", *facts.memory_gib, row.gpu->id),
                         say("memory_gib is of one GPU, in units of 2^30 bytes"));
    if (!says_something(facts))
      fields.fail(
          row.cells, say("the row measures nothing"),
          say("columns that count: tokens_per_s_per_gpu, model_tflops_per_gpu, memory_gib, output_tokens_per_s, "
              "prompt_tokens_per_s, ttft_ms, itl_ms, weights_gib, throughput, latency_ms, fits"));
  }

  const Catalog& catalog_;
  bool shipped_;
  Problems problems_{{}, ErrorKind::usage, {}};
};

}  // namespace

Result<MeasurementSheet> read_measurements(Csv csv, const Catalog& catalog, bool shipped) {
  return SheetMaker(catalog, shipped).make(std::move(csv));
}

Result<MeasurementSheet> read_measurement_file(const std::string& file, const Catalog& catalog) {
  const auto text = read_text_file(file);
  if (!text) return std::unexpected(text.error());
  auto csv = parse_csv(*text, file);
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
