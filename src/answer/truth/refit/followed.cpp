#include "answer/truth/refit/followed.hpp"

#include <algorithm>
#include <cmath>

namespace gpusel::answer {

namespace {

constexpr double kStep = 0.02;        // of a logarithm, for a difference quotient
constexpr double kLeastSlope = 0.01;  // below it a figure does not follow

double slope_of(double predicted, double shipped) {
  return predicted > 0 && shipped > 0 ? std::log(predicted / shipped) / kStep : 0;
}

}  // namespace

double FollowedFigure::residual() const { return std::log(shipped.measured / shipped.predicted); }

Followed::Followed(const Verification& verification, std::span<const RestsOn> rests, const catalog::Catalog& catalog,
                   const physics::Coefficients& coefficients)
    : c_(coefficients), up_(c_, kStep) {
  const catalog::MeasurementRow* last = nullptr;
  for (const Comparison& each : verification.comparisons)
    if (each.row != last) {
      last = each.row;
      take(*each.row, each.file, catalog);
    }
  first_.push_back(figures_.size());
  settle();
  weigh();
  for (const RestsOn& each : rests)
    if (each.basis != Basis::source) follow(each);
}

void Followed::take(const catalog::MeasurementRow& row, std::string_view file, const catalog::Catalog& catalog) {
  auto answer = answer_row(row, file, catalog, c_);
  if (!answer) return;
  const std::string source(source_of(row, file));
  const auto known = std::ranges::find(sources_, source);
  const auto place = static_cast<std::size_t>(known - sources_.begin());
  if (known == sources_.end()) sources_.push_back(source);
  first_.push_back(figures_.size());
  for (Comparison& each : compare_row(row, file, *answer).comparisons)
    figures_.push_back({jobs_.size(), std::move(each), 1, false, {}});
  jobs_.push_back({&row, file, std::move(*answer), place});
}

/// A batch that the planner sized by one chance may be another by figures alone.
void Followed::settle() {
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    const auto now = predicted(job, c_);
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] > 0) figures_[first_[job] + i].shipped.predicted = now[i];
  }
}

void Followed::weigh() {
  std::map<std::pair<std::size_t, Figure>, double> count;
  const auto key = [&](const FollowedFigure& each) { return std::pair(jobs_[each.job].source, each.shipped.figure); };
  for (const FollowedFigure& each : figures_) ++count[key(each)];
  for (FollowedFigure& each : figures_) each.weight = 1 / count[key(each)];
}

std::vector<double> Followed::predicted(std::size_t place, const physics::Coefficients& c) {
  FollowedJob& job = jobs_[place];
  physics::Plan plan = physics::refigure(job.answer.plan, job.answer.work, job.answer.machine, c);
  std::swap(plan, job.answer.plan);
  const auto found = compare_row(*job.row, job.file, job.answer).comparisons;
  std::swap(plan, job.answer.plan);
  std::vector<double> out;
  for (std::size_t i = first_[place]; i < first_[place + 1]; ++i) {
    const auto same = std::ranges::find(found, figures_[i].shipped.figure, &Comparison::figure);
    out.push_back(same != found.end() ? same->predicted : 0);
  }
  return out;
}

std::vector<std::size_t> Followed::jobs_that_follow(const physics::Coefficients& c) {
  std::vector<std::size_t> out;
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    const auto now = predicted(job, c);
    for (std::size_t i = 0; i < now.size(); ++i)
      if (std::abs(slope_of(now[i], figures_[first_[job] + i].shipped.predicted)) >= kLeastSlope) {
        out.push_back(job);
        break;
      }
  }
  return out;
}

void Followed::follow(const RestsOn& rests) {
  const auto jobs = jobs_that_follow(up_.with_all(rests.id));
  const std::vector<FreeValue>& cases = up_.cases(rests.id);
  for (const FreeValue& value : cases) {
    // What cases are relative to is one by definition, and what is switched off stays off.
    const bool is_measure = value.name.empty() && value.shipped == 1 && cases.size() > 1;
    if (value.shipped > 0 && !is_measure) follow(value, jobs, rests.basis == Basis::ratios);
  }
}

void Followed::follow(const FreeValue& value, std::span<const std::size_t> jobs, bool by_ratio) {
  const physics::Coefficients& up = up_.with(value);
  bool any = false;
  for (const std::size_t job : jobs) {
    const auto now = predicted(job, up);
    for (std::size_t i = 0; i < now.size(); ++i) {
      FollowedFigure& figure = figures_[first_[job] + i];
      const double slope = slope_of(now[i], figure.shipped.predicted);
      if (std::abs(slope) < kLeastSlope) continue;
      figure.slopes.push_back({values_.size(), slope});
      figure.by_ratio |= by_ratio;
      any = true;
    }
  }
  (any ? values_ : unheard_).push_back(value);
}

std::vector<std::set<std::size_t>> Followed::speakers() const {
  std::vector<std::set<std::size_t>> out(values_.size());
  for (const FollowedFigure& figure : figures_)
    for (const Slope& slope : figure.slopes)
      if (std::abs(slope.slope) >= c_.own_least_sensitivity.value) out[slope.value].insert(jobs_[figure.job].source);
  return out;
}

std::vector<double> Followed::residuals(std::span<const std::size_t> figures, const physics::Coefficients& c) {
  std::vector<double> out;
  out.reserve(figures.size());
  std::size_t last = jobs_.size();
  std::vector<double> now;
  for (const std::size_t each : figures) {
    const std::size_t job = figures_[each].job;
    if (job != last) now = predicted(job, c);
    last = job;
    const double predicted = now[each - first_[job]];
    out.push_back(predicted > 0 ? std::log(figures_[each].shipped.measured / predicted) : 0);
  }
  return out;
}

}  // namespace gpusel::answer
