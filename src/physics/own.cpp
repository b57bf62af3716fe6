#include "physics/own.hpp"

#include <algorithm>
#include <optional>

#include "base/words/message.hpp"
#include "physics/kinds/kinds.hpp"
#include "physics/serving/engine_limits.hpp"

namespace gpusel::physics {

namespace {

constexpr Range kCounted{1, 1e6};
constexpr Range kAny{0, 1e12};

template <class T, class Read>
std::vector<T> entries(Fields& fields, std::string_view key, Read&& read) {
  std::vector<T> out;
  for (const Node& node : fields.entries(key)) {
    Fields entry(node, fields.problems());
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

const Coefficient& scales_of(const job::Job& work, const Coefficients& c) {
  return job::is_training(work.task) ? c.training_step_scale : c.step_scale;
}

}  // namespace

OwnCalibration read_own(const Node& section, Problems& problems) {
  Fields fields(section, problems);
  OwnCalibration out;
  out.file = problems.file;
  take(out.as_of, fields.date("as_of"));
  out.values = entries<OwnValue>(fields, "coefficients", read_value);
  out.widths = entries<OwnWidth>(fields, "intervals", read_width);
  const auto rows = fields.entries("rows");
  out.rows.assign(rows.begin(), rows.end());
  fields.finish();
  return out;
}

std::string_view step_scale_id(const job::Job& work) {
  return job::is_training(work.task) ? "compute.step_scale" : "inference.step_scale";
}

std::string machine_case(const job::Job& work, const Device& device, const Layout& layout) {
  std::string name(device.gpu->id);
  if (job::is_training(work.task)) return name.append(" ").append(physics_of(work).how(work, layout));
  for (const std::string_view part :
       {to_text(job::kernels_of(work.inference.engine)), generation_on(work.inference, device)})
    if (!part.empty()) name.append(" ").append(part);
  return name;
}

double step_scale(const job::Job& work, const Device& device, const Layout& layout, const Coefficients& c) {
  const Coefficient& scales = scales_of(work, c);
  if (scales.cases.empty() || device.gpu == nullptr) return scales.value;
  return scales.of(machine_case(work, device, layout), work.model->id);
}

std::string step_scale_text(const job::Job& work, const Device& device, const Layout& layout, const Coefficients& c) {
  const double scale = step_scale(work, device, layout, c);
  if (scale == 1) return {};
  const std::string name = machine_case(work, device, layout);
  const std::string of_model = name + " " + std::string(work.model->id);
  const auto& cases = scales_of(work, c).cases;
  const auto is_known = [&](const std::string& key) {
    return std::ranges::find(cases, key, &std::pair<std::string, double>::first) != cases.end();
  };
  return is_known(of_model) ? say("steps of {} take {:.3g}× as long as the shipped coefficients say: your measurements "
                                  "of this model there",
                                  name, scale)
                            : say("steps of {} take {:.3g}× as long as the shipped coefficients say: your measurements "
                                  "of other models there",
                                  name, scale);
}

double OwnCalibration::exponent(const OwnClass& job, Range80 range, int gpus) const {
  const OwnWidth* best = nullptr;
  int nearest = 0;
  for (const OwnWidth& width : widths) {
    const bool same_how = width.of.how == job.how;
    const bool like = width.of.task == job.task && width.of.gpu == job.gpu &&
                      (same_how || (!job.anyhow.empty() && width.of.how == job.anyhow));
    const bool same_model = width.of.model == job.model;
    if (!like || width.range != range || width.gpus < gpus || (!same_model && !width.of.model.empty())) continue;
    const int near = 1 + (same_model ? 2 : 0) + (same_how ? 1 : 0);
    if (near <= nearest) continue;
    best = &width;
    nearest = near;
  }
  return best != nullptr ? best->exponent : 1;
}

}  // namespace gpusel::physics
