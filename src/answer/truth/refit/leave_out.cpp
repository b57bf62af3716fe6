#include "answer/truth/refit/leave_out.hpp"

#include <algorithm>

#include "answer/truth/refit/left_out_widths.hpp"
#include "answer/truth/refit/refit.hpp"

namespace gpusel::answer {

namespace {

using physics::Coefficients;
using physics::CoefficientValue;

/// What an estimate would take without a case: the longest that begins alike, else the plain value.
double behind(std::string_view name, const physics::Coefficient& coefficient) {
  for (auto space = name.rfind(' '); space != std::string_view::npos; space = name.rfind(' ')) {
    name = name.substr(0, space);
    for (const auto& [known, value] : coefficient.cases)
      if (known == name) return value;
  }
  return coefficient.value;
}

class Leaver {
 public:
  Leaver(const Verification& all, std::span<const RestsOn> rests, const catalog::Catalog& catalog,
         const Coefficients& shipped)
      : all_(all),
        catalog_(catalog),
        shipped_(shipped),
        followed_(all, rests, catalog, shipped),
        speakers_(followed_.speakers()) {}

  void run(LeaveOut& out) {
    for (std::size_t source = 0; source < followed_.sources().size(); ++source) {
      LeftOutSource left{followed_.sources()[source], {}, {}, {}};
      const Coefficients without = physics::with_values(shipped_, values_without(source, left));
      for (const FitCheck& each : all_.fits)
        if (source_of(*each.row, each.file) == left.source)
          static_cast<void>(verify_row(*each.row, each.file, catalog_, without, out.verification));
      out.sources.push_back(std::move(left));
    }
  }

 private:
  std::vector<CoefficientValue> values_without(std::size_t source, LeftOutSource& left) {
    std::vector<CoefficientValue> values = counts_without(source);
    for (std::size_t v = 0; v < speakers_.size(); ++v) {
      if (speakers_[v].size() > 1 || !speakers_[v].contains(source)) continue;
      const FreeValue& value = followed_.values()[v];
      if (value.name.empty()) {
        left.held.push_back({value.id, value.name, value.shipped, value.shipped});
      } else {
        const double other = behind(value.name, *physics::find_coefficient(shipped_, value.id));
        left.removed.push_back({value.id, value.name, value.shipped, other});
        values.push_back({value.id, value.name, other});
      }
    }
    const auto free = shared_values(speakers_, source);
    const auto again = fitted(followed_, free, source, shipped_);
    for (std::size_t i = 0; i < free.size(); ++i)
      left.fitted.push_back({again[i].id, again[i].name, followed_.values()[free[i]].shipped, again[i].value});
    values.insert(values.end(), again.begin(), again.end());
    return values;
  }

  /// How much was measured of each engine, but for this source: intervals widen where that leaves nothing.
  std::vector<CoefficientValue> counts_without(std::size_t source) const {
    std::map<std::string, double> rows;
    for (const FollowedJob& job : followed_.jobs()) {
      const EstimateAnswer& answer = job.answer;
      if (job.source != source || !answer.plan.serving || answer.machine.on_cpu()) continue;
      const auto cases = physics::measured_cases(answer.work, answer.machine, answer.plan.layout);
      ++rows[cases.on_part];
      ++rows[cases.in_format];
    }
    std::vector<CoefficientValue> out;
    for (const auto& [name, count] : rows)
      out.push_back({"interval.measured", name, std::max(0.0, shipped_.interval_measured.of(name) - count)});
    return out;
  }

  const Verification& all_;
  const catalog::Catalog& catalog_;
  const Coefficients& shipped_;
  Followed followed_;
  std::vector<std::set<std::size_t>> speakers_;
};

}  // namespace

LeaveOut leave_sources_out(const Verification& verification, std::span<const Document> texts,
                           const catalog::Catalog& catalog, const Coefficients& shipped) {
  LeaveOut out;
  const std::vector<RestsOn> all = rests_on(texts);
  Leaver(verification, all, catalog, shipped).run(out);
  std::ranges::copy_if(all, std::back_inserter(out.elsewhere),
                       [](const RestsOn& each) { return each.basis == Basis::source; });
  out.verification.prices = verification.prices;
  out.spreads = widths_without_each(out.verification.comparisons);
  return out;
}

}  // namespace gpusel::answer
