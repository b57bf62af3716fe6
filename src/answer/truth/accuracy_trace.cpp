// How each figure of the error table is made: source by source, and then over the sources.
#include <algorithm>
#include <map>

#include "answer/truth/accuracy.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using physics::shown;

/// Sources written out; of more, the rest is said as such.
constexpr std::size_t kWritten = 8;

/// "training tokens/s" as a part of a name.
std::string id_of(Figure figure) {
  std::string id;
  for (const char c : to_text(figure)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      id += c;
    else if (!id.empty() && id.back() != '_')
      id += '_';
  }
  return id;
}

/// One source's part of the figures.
struct Part {
  std::string_view source;
  Accuracy accuracy;
};

class AccuracyTracer {
 public:
  AccuracyTracer(Figure figure, const Accuracy& all, std::vector<Part> parts)
      : id_("verify." + id_of(figure)), all_(all), parts_(std::move(parts)) {}

  physics::Trace take() {
    const auto percent = [](double share) { return shown("{:.1f}", 100 * share, "%"); };
    line(
        "error", say("mean over sources of the median of |predicted ÷ measured − 1|"),
        [](const Accuracy& a) { return std::optional(100 * a.error); }, percent(all_.error));
    line(
        "bias", say("median over sources of the median of predicted ÷ measured − 1"),
        [](const Accuracy& a) { return std::optional(100 * a.bias); }, percent(all_.bias));
    line(
        "within_20", say("mean over sources of the share of rows with an error of at most 20 %"),
        [](const Accuracy& a) { return std::optional(100 * a.within_20); }, percent(all_.within_20));
    if (all_.coverage)
      line(
          "coverage", say("mean over sources of the share of rows inside the 80 % interval"),
          [](const Accuracy& a) { return a.coverage ? std::optional(100 * *a.coverage) : std::nullopt; },
          percent(*all_.coverage));
    if (all_.width)
      line(
          "width", say("median over sources of the median of upper ÷ lower end of the interval"),
          [](const Accuracy& a) { return a.width; }, shown("{:.2f}", *all_.width));
    return std::move(trace_);
  }

 private:
  template <class Get>
  void line(std::string_view name, std::string formula, Get get, physics::Figure value) {
    std::string values;
    std::size_t written = 0, left = 0;
    for (const Part& part : parts_) {
      const auto of_source = get(part.accuracy);
      if (!of_source) continue;
      if (written == kWritten) {
        ++left;
        continue;
      }
      ++written;
      values += format("{}{:.3g} ({}, {})", values.empty() ? "" : "; ", *of_source, printable(part.source),
                       part.accuracy.rows);
    }
    if (left > 0) values += say("; and {} more sources", left);
    trace_.push_back({format("{}.{}", id_, name), std::move(formula), std::move(values), std::move(value),
                      say("rows of each source, their number in brackets")});
  }

  std::string id_;
  const Accuracy& all_;
  std::vector<Part> parts_;
  physics::Trace trace_;
};

}  // namespace

physics::Trace explain_accuracy(const Verification& verification) {
  physics::Trace trace;
  for (const Group& group : figures(verification)) {
    std::map<std::string_view, std::vector<const Comparison*>> by_source;
    for (const Comparison& each : verification.comparisons)
      if (each.figure == group.figure) by_source[source_of(*each.row, each.file)].push_back(&each);
    std::vector<Part> parts;
    for (const auto& [source, rows] : by_source) parts.push_back({source, accuracy_of(rows)});
    std::ranges::move(AccuracyTracer(group.figure, group.accuracy, std::move(parts)).take(), std::back_inserter(trace));
  }
  return trace;
}

}  // namespace gpusel::answer
