#include "physics/own.hpp"

#include <optional>

#include "base/words/message.hpp"

namespace gpusel::physics {

namespace {

constexpr Range kCounted{1, 1e6};
constexpr Range kAny{0, 1e12};

template <class T, class Read>
std::vector<T> entries(Fields& fields, std::string_view key, Problems& problems, Read&& read) {
  std::vector<T> out;
  const Node* list = fields.find(key);
  if (list == nullptr) return out;
  if (!list->is_list()) {
    fields.fail(*list, say("'{}' must be a list, found {}", key, list->describe()));
    return out;
  }
  for (const Node& node : list->children) {
    Fields entry(node, problems);
    out.push_back(read(entry));
    entry.finish();
  }
  return out;
}

/// What is not there stays as it starts.
template <class Into, class Read>
void take(Into& into, const std::optional<Read>& read) {
  if (read) into = static_cast<Into>(*read);
}

OwnValue read_value(Fields& fields) {
  OwnValue out;
  for (const std::string_view key : {"id", "value", "shipped", "source"}) fields.require(key);
  out.value.id = fields.text("id");
  out.value.name = fields.text("case");
  take(out.value.value, fields.number("value", allowed_values(out.value.id)));
  take(out.shipped, fields.number("shipped", kAny));
  take(out.new_case, fields.boolean("new_case"));
  take(out.rows, fields.number("rows", kCounted));
  out.unit = fields.text("unit");
  out.meaning = fields.text("meaning");
  out.source = fields.text("source");
  return out;
}

OwnWidth read_width(Fields& fields) {
  OwnWidth out;
  for (const std::string_view key : {"of", "task", "gpu", "how", "exponent"}) fields.require(key);
  take(out.range, fields.one_of<Range80>("of"));
  out.of = {fields.text("task"), fields.text("gpu"), fields.text("how"), fields.text("model")};
  take(out.gpus, fields.number("gpus", kCounted));
  take(out.rows, fields.number("rows", kCounted));
  take(out.exponent, fields.number("exponent", {0.01, 100}));
  return out;
}

}  // namespace

OwnCalibration read_own(const Node& section, Problems& problems) {
  Fields fields(section, problems);
  OwnCalibration out;
  out.file = problems.file;
  take(out.as_of, fields.date("as_of"));
  out.values = entries<OwnValue>(fields, "coefficients", problems, read_value);
  out.widths = entries<OwnWidth>(fields, "intervals", problems, read_width);
  if (const Node* rows = fields.find("rows"); rows != nullptr) {
    if (!rows->is_list()) fields.fail(*rows, say("'{}' must be a list, found {}", "rows", rows->describe()));
    out.rows = rows->children;
  }
  fields.finish();
  return out;
}

double OwnCalibration::exponent(const OwnClass& job, Range80 range, int gpus) const {
  const OwnWidth* best = nullptr;
  for (const OwnWidth& width : widths) {
    const bool like = width.of.task == job.task && width.of.gpu == job.gpu && width.of.how == job.how;
    const bool same_model = width.of.model == job.model;
    if (!like || width.range != range || width.gpus < gpus || (!same_model && !width.of.model.empty())) continue;
    if (best == nullptr || same_model) best = &width;
  }
  return best != nullptr ? best->exponent : 1;
}

}  // namespace gpusel::physics
