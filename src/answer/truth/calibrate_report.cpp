#include "answer/truth/calibrate_report.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

const Node* entry_of(std::string_view id, std::span<const Document> texts) {
  const Node* found = nullptr;
  for (const Document& document : texts) {
    const Node* section = document.root.find("calibration");
    const Node* list = section != nullptr ? section->find("coefficients") : nullptr;
    if (list == nullptr) continue;
    for (const Node& entry : list->children)
      if (entry.text_at("id") == id) found = &entry;
  }
  return found;
}

std::string percent(double logarithm) { return format("{:.0f} %", 100 * std::expm1(logarithm)); }

physics::TraceLine line_of(const CalibratedCoefficient& each) {
  const auto& own = each.own;
  const double shift = std::log(own.value.value / own.shipped);
  return {own.value.name.empty() ? own.value.id : format("{} [{}]", own.value.id, own.value.name),
          say("shipped × e^θ, where θ minimizes Σ ((ln(measured ÷ predicted) − S·θ) ÷ σ)² + Σ (θ ÷ τ)²"),
          say("{:g} × e^{:.4f}: prior θ = 0 ± τ {:.3f} ({}), figures: {}, rows: {}, their sensitivity S {:.2f}, "
              "afterwards ± {:.3f}",
              own.shipped, shift, each.prior, percent(each.prior), each.figures, own.rows, each.sensitivity,
              each.deviation),
          physics::shown("{:g}", own.value.value, own.unit), "docs/calibrate.md"};
}

physics::TraceLine line_of(const physics::OwnWidth& width, double prior_rows) {
  const std::string model = width.of.model.empty() ? say("any model") : width.of.model;
  return {
      format("interval [{}, {} {}, {}, {}]", to_text(width.range), width.of.task, width.of.how, width.of.gpu, model),
      say("shipped ratios ^ k, k² = max((ν + Σ z²) ÷ (ν + Σ (1 − h)), Σ z² ÷ Σ (1 − h)), and k at least the noise "
          "of equal runs; z = ln(measured ÷ estimate afterwards) ÷ shipped σ, h the share that the fit followed; where "
          "the steps of the machine were measured, of the part of σ within a source, and k × that part ÷ σ"),
      width.of.model.empty() ? say("ν {:g}, models: {}, GPUs: up to {}", prior_rows, width.rows, width.gpus)
                             : say("ν {:g}, figures: {}, GPUs: up to {}", prior_rows, width.rows, width.gpus),
      {width.exponent, {}, format("k {:.3f}", width.exponent)},
      "docs/calibrate.md"};
}

/// Keys of a row that are where it came from, not what it is.
bool is_origin(std::string_view key) { return key == "source" || key == "place" || key == "note"; }

/// Numbers alike however they were written.
std::string normal(const std::string& text) {
  const auto number = plain_number(text);
  return number ? format("{:.12g}", *number) : text;
}

/// What makes two rows the same, and their order.
std::string identity(const Node& row) {
  std::vector<std::string> parts;
  for (const Node& member : row.children) {
    if (is_origin(member.key)) continue;
    if (member.children.empty()) parts.push_back(format("{}={}", member.key, normal(member.text)));
    for (const Node& inner : member.children)
      parts.push_back(
          format("{}.{}={}", member.key, inner.key, inner.children.empty() ? normal(inner.text) : identity(inner)));
  }
  std::ranges::sort(parts);
  std::string all;
  for (const std::string& part : parts) all += part + "\n";
  return all;
}

Node text_node(std::string key, std::string text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.quoted = true;
  node.key = std::move(key);
  node.text = std::move(text);
  return node;
}

/// So many times as far from the estimate as the interval's end. Where that end is the estimate itself, the other end
/// says how far is far.
bool is_far(const Comparison& comparison, double times) {
  const auto reach = reach_of(comparison);
  if (!reach) return false;
  const double off = std::log(comparison.measured / comparison.predicted);
  const double least = (reach->high - reach->low) / 4;
  return off > times * std::max(reach->high, least) || off < times * std::min(reach->low, -least);
}

/// Why a row has nothing to compare.
Error not_compared(const catalog::MeasurementRow& row, std::string_view file, const EstimateAnswer& answer) {
  const std::string why = answer.plan.problem.text();
  return {
      ErrorKind::usage,
      why.empty() ? say("the estimate has none of its figures") : say("the estimate has none of its figures: {}", why),
      position(file, row.cells),
      {}};
}

}  // namespace

std::optional<physics::Interval> reach_of(const Comparison& comparison) {
  const auto& interval = comparison.interval;
  if (!interval || interval->low <= 0 || interval->high <= interval->low) return std::nullopt;
  return physics::Interval{std::log(interval->low / comparison.predicted),
                           std::log(interval->high / comparison.predicted)};
}

std::optional<physics::Range80> range_of(Figure figure) {
  using physics::Range80;
  switch (figure) {
    case Figure::itl:
    case Figure::tpot: return Range80::itl;
    case Figure::ttft:
    case Figure::prompt_speed: return Range80::ttft;
    case Figure::training_memory:
    case Figure::serving_memory:
    case Figure::item_training_memory:
    case Figure::item_memory: return Range80::memory;
    case Figure::weights: return std::nullopt;
    default: return Range80::speed;
  }
}

void describe(physics::OwnValue& own, std::span<const Document> texts, const std::set<std::string>& names, Date today) {
  if (const Node* entry = entry_of(own.value.id, texts); entry != nullptr) {
    own.unit = entry->text_at("unit");
    own.meaning = entry->text_at("meaning");
  }
  constexpr std::size_t kNamed = 3;
  std::string from;
  std::size_t told = 0;
  for (const std::string& name : names)
    if (told++ < kNamed) from += (from.empty() ? "" : ", ") + shorten(name, 60);
  if (names.size() > kNamed) from += say(" and {} more", names.size() - kNamed);
  own.source = own.rows == 1 ? say("calibrated from 1 row of {} on {}", from, today.text())
                             : say("calibrated from {} rows of {} on {}", own.rows, from, today.text());
}

void explain_calibration(Calibration& calibration, const physics::Coefficients& shipped) {
  for (const CalibratedCoefficient& each : calibration.coefficients) calibration.trace.push_back(line_of(each));
  for (const physics::OwnWidth& width : calibration.own.widths)
    calibration.trace.push_back(line_of(width, shipped.own_prior_rows.value));
}

Node kept_row(const catalog::MeasurementRow& row, std::string_view file) {
  Node out;
  out.kind = Node::Kind::map;
  Node measured;
  measured.kind = Node::Kind::map;
  measured.key = "measured";
  out.children.push_back(text_node("source", std::string(source_of(row, file.substr(file.rfind('/') + 1)))));
  if (row.facts.place.empty()) out.children.push_back(text_node("place", say("line {}", row.cells.line)));
  for (const Node& cell : row.cells.children) {
    if (cell.key == "source") continue;
    (catalog::measured_column(cell.key) ? measured : out).children.push_back(cell);
  }
  out.children.push_back(std::move(measured));
  return out;
}

CheckedRows check_rows(catalog::MeasurementSheet sheet, bool accept_outliers, const catalog::Catalog& catalog,
                       const physics::Coefficients& shipped) {
  CheckedRows out;
  out.unusable = std::move(sheet.unusable);
  for (const catalog::MeasurementRow& row : sheet.rows) {
    const auto answer = answer_row(row, sheet.name, catalog, shipped);
    if (!answer) {
      out.unusable.push_back(answer.error());
      continue;
    }
    const RowComparison found = compare_row(row, sheet.name, *answer);
    if (found.comparisons.empty()) {
      out.unusable.push_back(not_compared(row, sheet.name, *answer));
      continue;
    }
    bool far = false;
    for (const Comparison& each : found.comparisons) {
      if (!is_far(each, shipped.own_outlier.value)) continue;
      far = true;
      out.outliers.push_back(
          {ErrorKind::usage,
           say("{} measured {:.4g}, estimated {:.4g}; 80 % of such measurements are between {:.4g} and {:.4g}",
               to_text(each.figure), each.measured, each.predicted, each.interval->low, each.interval->high),
           position(sheet.name, row.cells),
           {}});
    }
    if (!far || accept_outliers) out.rows.push_back(kept_row(row, sheet.name));
  }
  return out;
}

std::vector<Node> join_rows(std::vector<Node> kept, std::vector<Node> added) {
  std::vector<std::pair<std::string, Node>> all;
  for (auto* rows : {&kept, &added})
    for (Node& row : *rows) all.emplace_back(identity(row), std::move(row));
  std::ranges::stable_sort(all, {}, &std::pair<std::string, Node>::first);
  const auto twice = std::ranges::unique(all, {}, &std::pair<std::string, Node>::first);
  all.erase(twice.begin(), twice.end());
  std::vector<Node> out;
  for (auto& [identity, row] : all) out.push_back(std::move(row));
  return out;
}

}  // namespace gpusel::answer
