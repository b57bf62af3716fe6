#include "answer/truth/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "answer/estimate/map_fit.hpp"
#include "answer/truth/calibrate_report.hpp"
#include "answer/truth/free_coefficients.hpp"
#include "answer/truth/own_widths.hpp"
#include "answer/truth/step_scales.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using catalog::MeasurementRow;
using catalog::MeasurementSheet;
using physics::Coefficients;
using physics::Range80;

constexpr double kLogStep = 0.02;   // of a logarithm, for a difference quotient
constexpr int kRounds = 6;          // of linearising anew
constexpr int kHalvings = 8;        // of a step that makes it worse
constexpr double kSettled = 1e-4;   // of a logarithm
constexpr double kNoChange = 2e-3;  // of a logarithm: left as it was shipped
constexpr double kDecile = 1.2816;  // standard deviations from the middle to the 90th percentile

/// A row that can be estimated.
struct MeasuredJob {
  const MeasurementRow* row = nullptr;
  std::string_view file;
  EstimateAnswer answer;  // with the shipped coefficients
};

/// A figure of a job as the fit sees it.
struct Heard {
  std::size_t job = 0;
  std::size_t figure = 0;  // of the calibration
  double spread = 1;       // standard deviation of ln(measured ÷ predicted), of such figures as shipped
  double deviation = 1;    // the same, larger where one run shows in several figures
  double base = 0;         // predicted with the step times of its machine
  double followed = 0;     // share of it that these follow
  double of_equal = 0;     // deviation between equal runs, of a figure that these follow; 0: of no such one
};

/// Of each machine and model that was measured, and of each figure the share that its steps follow.
struct Steps {
  std::vector<StepScale> scales;
  std::vector<double> leverage;  // of step figures
};

/// What is said of the same thing shares the weight of one figure.
bool same_thing(Range80 a, Range80 b) {
  const auto of_prompt = [](Range80 range) { return range == Range80::ttft; };
  const auto of_memory = [](Range80 range) { return range == Range80::memory; };
  return of_prompt(a) == of_prompt(b) && of_memory(a) == of_memory(b);
}

class Fitter {
 public:
  Fitter(Calibration& out, const catalog::Catalog& catalog, const Coefficients& c)
      : out_(out), catalog_(catalog), c_(c), base_(c), up_(base_, kLogStep) {}

  void run(std::span<const Document> texts, Date today) {
    for (const MeasurementSheet& sheet : out_.sheets) {
      out_.unusable.insert(out_.unusable.end(), sheet.unusable.begin(), sheet.unusable.end());
      for (const MeasurementRow& row : sheet.rows) take(row, sheet.name);
    }
    weigh();
    scale_steps();
    find_free();
    fit();
    keep(texts, today);
    look_again();
  }

 private:
  void take(const MeasurementRow& row, std::string_view file) {
    auto answer = answer_row(row, file, catalog_, c_);
    if (!answer) return out_.unusable.push_back(answer.error());
    RowComparison found = compare_row(row, file, *answer);
    out_.unanswered += found.unanswered;
    const std::size_t before = out_.figures.size();
    for (Comparison& each : found.comparisons) add_figure(std::move(each));
    if (out_.figures.size() > before) ++out_.rows;
    jobs_.push_back({&row, file, std::move(*answer)});
  }

  void add_figure(Comparison comparison) {
    const auto range = range_of(comparison.figure);
    const auto reach = reach_of(comparison);
    if (!range || !reach) {
      ++out_.unanswered;
      return;
    }
    const double spread = std::max(c_.own_noise_floor.value, (reach->high - reach->low) / (2 * kDecile));
    heard_.push_back({jobs_.size(), out_.figures.size(), spread, spread});
    out_.figures.push_back({std::move(comparison), 0, {}, *range});
  }

  /// One run that shows in two figures of the same thing weighs as one.
  void weigh() {
    for (Heard& one : heard_) {
      const Range80 range = out_.figures[one.figure].range;
      const auto alike = std::ranges::count_if(heard_, [&](const Heard& other) {
        return other.job == one.job && same_thing(range, out_.figures[other.figure].range);
      });
      one.deviation = one.spread * std::sqrt(static_cast<double>(alike));
    }
  }

  /// Where times between tokens were measured of a row, the speed that follows from them is not heard again.
  bool is_heard(const Heard& one) const {
    const Figure figure = out_.figures[one.figure].before.figure;
    if (figure == Figure::itl || figure == Figure::tpot || !follows_steps(figure)) return follows_steps(figure);
    return std::ranges::none_of(heard_, [&](const Heard& other) {
      return other.job == one.job && out_.figures[other.figure].range == Range80::itl;
    });
  }

  void find_step_figures() {
    for (std::size_t k = 0; k < heard_.size(); ++k) {
      heard_[k].base = out_.figures[heard_[k].figure].before.predicted;
      const EstimateAnswer& answer = jobs_[heard_[k].job].answer;
      if (answer.work.counted || answer.machine.on_cpu() || !is_heard(heard_[k])) continue;
      heard_[k].of_equal = c_.own_noise_floor.value * heard_[k].deviation / heard_[k].spread;
      step_figures_.push_back({std::string(physics::step_scale_id(answer.work)),
                               physics::machine_case(answer.work, answer.machine.device, answer.plan.layout),
                               std::string(answer.work.model->id), out_.figures[heard_[k].figure].before.measured,
                               heard_[k].of_equal,
                               [this, k](const Coefficients& c) { return predicted(heard_[k], c); }});
      step_places_.push_back(k);
    }
  }

  /// The steps of the machines that were measured, where what machines share is shifted so much.
  Steps steps_at(std::span<const double> shift) const {
    Steps out;
    for (StepScale& scale : find_step_scales(step_figures_, shifted(c_, shift), out.leverage)) {
      if (std::abs(std::log(scale.value.value)) < kNoChange) scale.value.value = 1;
      scale.value.value = rounded(scale.value.value);
      for (std::size_t& figure : scale.figures) figure = step_places_[figure];
      out.scales.push_back(std::move(scale));
    }
    return out;
  }

  void take_steps(Steps steps) {
    scales_ = std::move(steps.scales);
    base_ = with_scales(scales_);
    for (std::size_t i = 0; i < step_places_.size(); ++i) heard_[step_places_[i]].followed = steps.leverage[i];
  }

  Coefficients with_scales(std::span<const StepScale> scales) const {
    std::vector<physics::CoefficientValue> values;
    for (const StepScale& scale : scales) values.push_back(scale.value);
    return values.empty() ? c_ : physics::with_values(c_, values);
  }

  /// The time of a machine's steps, before coefficients that others share hear what is left.
  void scale_steps() {
    find_step_figures();
    if (step_figures_.empty()) return;
    take_steps(steps_at({}));
    for (Heard& one : heard_) one.base = predicted(one, base_);
  }

  /// What a job's figure would be with these coefficients and the same plan.
  double predicted(const Heard& one, const Coefficients& c) {
    MeasuredJob& job = jobs_[one.job];
    EstimateAnswer answer = job.answer;
    answer.plan = physics::refigure(job.answer.plan, answer.work, answer.machine, c);
    const Comparison& wanted = out_.figures[one.figure].before;
    for (const Comparison& each : compare_row(*job.row, job.file, answer).comparisons)
      if (each.figure == wanted.figure) return each.predicted;
    return 0;
  }

  double response(const Heard& one, const Coefficients& c) {
    const double now = predicted(one, c);
    return now > 0 && one.base > 0 ? std::log(now / one.base) / kLogStep : 0;
  }

  /// What is of a machine whose steps were measured says nothing of others.
  bool is_shared(const Heard& one) const {
    const Range80 range = out_.figures[one.figure].range;
    return !((range == Range80::itl || range == Range80::speed) && steps_are_known(one.job));
  }

  bool matters(double response) const { return std::abs(response) >= c_.own_least_sensitivity.value; }

  void find_free() {
    std::set<FreeValue> found;
    for (const Heard& one : heard_)
      for (const FreeCoefficient& each : free_coefficients())
        if (is_shared(one) && each.bears_on(out_.figures[one.figure].range) &&
            matters(response(one, up_.with_all(each.id))))
          find_cases(one, each.id, found);
    free_.assign(found.begin(), found.end());
  }

  void find_cases(const Heard& one, std::string_view id, std::set<FreeValue>& found) {
    for (const FreeValue& value : up_.cases(id)) {
      if (value.shipped <= 0 || !matters(response(one, up_.with(value)))) continue;
      found.insert(value.name.empty() ? special(one, value) : value);
    }
  }

  /// What has the plain value gets a case of its own where the estimate looks for one: others keep theirs.
  FreeValue special(const Heard& one, const FreeValue& plain) {
    for (const std::string& name : case_names(jobs_[one.job].answer)) {
      const FreeValue value{plain.id, name, plain.shipped, true};
      if (matters(response(one, up_.with(value)))) return value;
    }
    return plain;
  }

  Coefficients shifted(const Coefficients& from, std::span<const double> shift) const {
    std::vector<physics::CoefficientValue> values;
    for (std::size_t i = 0; i < shift.size(); ++i)
      values.push_back({free_[i].id, free_[i].name, free_[i].shipped * std::exp(shift[i])});
    return physics::with_values(from, values);
  }

  /// How each figure follows each free value, around that shift.
  std::vector<FitFigure> linearised(std::span<const double> shift) {
    const Coefficients c = shifted(base_, shift);
    std::vector<FitFigure> figures;
    std::vector<double> now;
    for (const Heard& one : heard_) {
      now.push_back(predicted(one, c));
      const double off = now.back() > 0 ? std::log(out_.figures[one.figure].before.measured / now.back()) : 0;
      figures.push_back({off, one.deviation, std::vector<double>(free_.size())});
    }
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const auto* rule = std::ranges::find(free_coefficients(), free_[i].id, &FreeCoefficient::id).base();
      std::vector<double> moved(shift.begin(), shift.end());
      moved[i] += kLogStep;
      const Coefficients up = shifted(base_, moved);
      moved[i] -= 2 * kLogStep;
      const Coefficients down = shifted(base_, moved);
      for (std::size_t k = 0; k < heard_.size(); ++k) {
        if (!is_shared(heard_[k]) || !rule->bears_on(out_.figures[heard_[k].figure].range) || now[k] <= 0) continue;
        const double above = predicted(heard_[k], up);
        const double below = predicted(heard_[k], down);
        if (above > 0 && below > 0) figures[k].sensitivity[i] = std::log(above / below) / (2 * kLogStep);
      }
    }
    return figures;
  }

  /// The prior of a value is as wide as the intervals of the figures that bear on it.
  std::vector<double> priors(std::span<const FitFigure> figures) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      double sum = 0;
      double count = 0;
      for (std::size_t k = 0; k < heard_.size(); ++k) {
        if (!matters(figures[k].sensitivity[i])) continue;
        sum += heard_[k].spread * heard_[k].spread;
        ++count;
      }
      out.push_back(count > 0 ? std::sqrt(sum / count) : c_.own_noise_floor.value);
    }
    return out;
  }

  /// Of a shift, with the steps as they then are. They are to meet what was measured of them as before, and a load
  /// that would no longer be kept up with is as bad as can be.
  double misfit(std::span<const double> shift, const Steps& steps) {
    const Coefficients c = shifted(with_scales(steps.scales), shift);
    double sum = 0;
    for (const Heard& one : heard_) {
      const double now = predicted(one, c);
      if (now <= 0 && one.base > 0) return std::numeric_limits<double>::infinity();
      if (now <= 0 || (!is_shared(one) && one.of_equal <= 0)) continue;
      const double deviation = one.of_equal > 0 ? one.of_equal : one.deviation;
      const double off = std::log(out_.figures[one.figure].before.measured / now) / deviation;
      sum += off * off;
    }
    for (std::size_t i = 0; i < shift.size(); ++i) sum += shift[i] * shift[i] / (prior_[i] * prior_[i]);
    return sum;
  }

  void hold_in_range(std::vector<double>& shift) const {
    for (std::size_t i = 0; i < shift.size(); ++i) {
      const Range allowed = physics::allowed_values(free_[i].id);
      const double value =
          std::clamp(free_[i].shipped * std::exp(shift[i]), std::max(allowed.low, 1e-12), allowed.high);
      shift[i] = std::log(value / free_[i].shipped);
    }
  }

  /// A part of the way to `next` that makes it no worse; the steps of the machines follow.
  bool move_towards(std::vector<double> next) {
    for (int half = 0; half <= kHalvings; ++half) {
      Steps steps = steps_at(next);
      const double after = misfit(next, steps);
      if (after <= misfit_) {
        misfit_ = after;
        shift_ = std::move(next);
        take_steps(std::move(steps));
        return true;
      }
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = (next[i] + shift_[i]) / 2;
    }
    return false;
  }

  /// Gauss and Newton: linearised anew at each result, and no step that makes it worse.
  void fit() {
    shift_.assign(free_.size(), 0);
    figures_ = first_ = linearised(shift_);
    prior_ = priors(first_);
    misfit_ = misfit(shift_, {scales_, {}});
    for (int round = 0; round < kRounds && !free_.empty(); ++round) {
      result_ = most_probable(figures_, prior_, shift_);
      std::vector<double> next = result_.shift;
      hold_in_range(next);
      const std::vector<double> last = shift_;
      if (!move_towards(std::move(next))) break;
      figures_ = linearised(shift_);
      double most = 0;
      for (std::size_t i = 0; i < last.size(); ++i) most = std::max(most, std::abs(shift_[i] - last[i]));
      if (most < kSettled) break;
    }
    result_ = most_probable(figures_, prior_, shift_);
  }

  void keep_coefficient(CalibratedCoefficient coefficient, const std::set<std::size_t>& figures,
                        std::span<const Document> texts, Date today) {
    std::set<std::size_t> rows;
    std::set<std::string> names;
    for (const std::size_t k : figures) {
      rows.insert(heard_[k].job);
      names.emplace(source_of(*jobs_[heard_[k].job].row, jobs_[heard_[k].job].file));
    }
    coefficient.figures = figures.size();
    coefficient.own.rows = static_cast<int>(rows.size());
    describe(coefficient.own, texts, names, today);
    out_.coefficients.push_back(std::move(coefficient));
  }

  /// What moved, in the order of ids and cases.
  void keep(std::span<const Document> texts, Date today) {
    out_.own.as_of = today;
    for (const StepScale& scale : scales_) {
      if (scale.value.value == 1) continue;
      CalibratedCoefficient out;
      out.own.value = scale.value;
      out.own.shipped = 1;
      out.own.new_case = true;
      out.prior = scale.prior;
      out.deviation = scale.deviation;
      out.sensitivity = scale.sensitivity;
      keep_coefficient(std::move(out), {scale.figures.begin(), scale.figures.end()}, texts, today);
    }
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (std::abs(shift_[i]) < kNoChange) continue;
      CalibratedCoefficient out;
      out.own.value = {free_[i].id, free_[i].name, rounded(free_[i].shipped * std::exp(shift_[i]))};
      out.own.shipped = free_[i].shipped;
      out.own.new_case = free_[i].new_case;
      out.prior = prior_[i];
      out.deviation = result_.deviation[i];
      std::set<std::size_t> figures;
      for (std::size_t k = 0; k < heard_.size(); ++k) {
        const double sensitivity = first_[k].sensitivity[i];
        if (!matters(sensitivity)) continue;
        out.sensitivity += sensitivity * sensitivity;
        figures.insert(k);
      }
      out.sensitivity = std::sqrt(out.sensitivity / static_cast<double>(std::max<std::size_t>(1, figures.size())));
      keep_coefficient(std::move(out), figures, texts, today);
    }
    std::ranges::stable_sort(out_.coefficients, {}, [](const CalibratedCoefficient& each) {
      return std::pair(each.own.value.id, each.own.value.name);
    });
    for (const CalibratedCoefficient& each : out_.coefficients) out_.own.values.push_back(each.own);
  }

  /// Six digits are more than any measurement has; the file is read by people.
  static double rounded(double value) { return plain_number(format("{:.6g}", value)).value_or(value); }

  /// The estimates as they will be: with the values, then with the widths.
  void look_again() {
    std::vector<physics::CoefficientValue> values;
    for (const auto& own : out_.own.values) values.push_back(own.value);
    Coefficients after = physics::with_values(c_, values);
    std::vector<Residual> residuals;
    std::vector<EstimateAnswer> answers;
    for (const MeasuredJob& job : jobs_)
      answers.push_back(answer_row(*job.row, job.file, catalog_, after).value_or(job.answer));
    for (std::size_t k = 0; k < heard_.size(); ++k) {
      const CalibratedFigure& figure = out_.figures[heard_[k].figure];
      const EstimateAnswer& answer = answers[heard_[k].job];
      const double left = 1 - (free_.empty() ? 0 : result_.leverage[k]);
      const double share = spread_left(answer, heard_[k].job, figure.range);
      const double spread = heard_[k].spread * share;
      for (const Comparison& each : compare_row(*jobs_[heard_[k].job].row, {}, answer).comparisons)
        if (each.figure == figure.before.figure)
          residuals.push_back({physics::own_class(answer.work, answer.machine, answer.plan.layout), figure.range,
                               answer.machine.gpus(), std::log(each.ratio()) / spread,
                               1 - left * (1 - heard_[k].followed), c_.own_noise_floor.value / spread, share});
    }
    out_.own.widths = own_widths(residuals, c_.own_prior_rows.value);
    add_machine_widths(answers);
    after.own = std::make_shared<physics::OwnCalibration>(out_.own);
    for (std::size_t i = 0, next = 0; i < jobs_.size(); ++i) {
      answers[i].intervals = intervals_for(answers[i].work, answers[i].machine, answers[i].plan, after);
      const auto compared = compare_row(*jobs_[i].row, jobs_[i].file, answers[i]).comparisons;
      for (; next < out_.figures.size() && out_.figures[next].before.row == jobs_[i].row; ++next)
        for (const Comparison& each : compared)
          if (each.figure == out_.figures[next].before.figure) {
            out_.figures[next].predicted = each.predicted;
            out_.figures[next].interval = each.interval;
            tell_bound(out_.figures[next], answers[i].plan);
          }
    }
  }

  static void tell_bound(CalibratedFigure& figure, const physics::Plan& plan) {
    if (figure.range != Range80::speed && figure.range != Range80::itl) return;
    if (plan.serving) figure.bound_by = plan.serving->speed.bound_by;
    if (!plan.training || figure.predicted <= 0) return;
    const double faster = figure.before.measured / figure.predicted;
    figure.bound_by = plan.training->bound_by;
    figure.mfu = plan.training->mfu * (figure.before.figure == Figure::step_time ? 1 / faster : faster);
  }

  /// Whether the steps of a job's machine were measured.
  bool steps_are_known(std::size_t job) const {
    return std::ranges::any_of(heard_, [&](const Heard& one) { return one.job == job && one.followed > 0; });
  }

  /// Of the shipped spread, what is left where a machine was measured: that within one source.
  double spread_left(const EstimateAnswer& answer, std::size_t job, Range80 range) const {
    const bool follows = range == Range80::itl || range == Range80::speed;
    return follows && steps_are_known(job) ? physics::source_spread(answer.work, range, c_).within_share() : 1;
  }

  /// Whoever knows the steps of a machine knows its speed in every mode.
  void add_machine_widths(std::span<const EstimateAnswer> answers) {
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if (!steps_are_known(j)) continue;
      physics::OwnClass of = physics::own_class(answers[j].work, answers[j].machine, answers[j].plan.layout);
      if (of.anyhow.empty()) continue;
      of.how = of.anyhow;
      for (const Range80 range : {Range80::speed, Range80::itl}) {
        const auto known = std::ranges::find_if(out_.own.widths, [&](const physics::OwnWidth& width) {
          return width.range == range && width.of.task == of.task && width.of.gpu == of.gpu && width.of.how == of.how &&
                 width.of.model == of.model;
        });
        const int gpus = answers[j].machine.gpus();
        const double share = std::round(spread_left(answers[j], j, range) * 1e4) / 1e4;
        if (known == out_.own.widths.end()) {
          out_.own.widths.push_back({of, range, gpus, 1, share});
        } else {
          known->gpus = std::max(known->gpus, gpus);
          ++known->rows;
        }
      }
    }
  }

  Calibration& out_;
  const catalog::Catalog& catalog_;
  const Coefficients& c_;
  Coefficients base_;  // with the step times of the machines that were measured
  Variations up_;
  std::vector<StepFigure> step_figures_;
  std::vector<std::size_t> step_places_;  // of them, among what is heard
  std::vector<StepScale> scales_;
  std::vector<MeasuredJob> jobs_;
  std::vector<Heard> heard_;
  std::vector<FreeValue> free_;
  std::vector<double> shift_;
  std::vector<double> prior_;
  double misfit_ = 0;               // of that shift
  std::vector<FitFigure> first_;    // around the shipped values
  std::vector<FitFigure> figures_;  // around the result
  FitResult result_;
};

}  // namespace

Calibration calibrate(const std::vector<Node>& rows, Date today, const catalog::Catalog& catalog,
                      const Coefficients& shipped, std::span<const Document> texts) {
  Calibration out;
  out.sheets.push_back(catalog::read_measurement_records(rows, "own rows", catalog));
  Fitter(out, catalog, shipped).run(texts, today);
  out.own.rows = rows;
  explain_calibration(out, shipped);
  return out;
}

}  // namespace gpusel::answer
