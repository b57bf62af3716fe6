// The few coefficients that a user's own measurements bear on, fitted to them; and how sure estimates of such work then
// are. docs/calibrate.md has the formulas.
#pragma once

#include "answer/truth/verify.hpp"
#include "physics/own.hpp"

namespace gpusel::answer {

/// One measured figure with the estimate before and after.
struct CalibratedFigure {
  Comparison before;
  double predicted = 0;  // afterwards; 0: no longer answered
  std::optional<physics::Interval> interval;
  physics::Range80 range = physics::Range80::speed;
  double mfu = 0;                  // as measured, of a training speed; 0: none
  std::string_view bound_by = {};  // what binds the run by the estimate; empty: no speed

  double ratio_before() const { return before.predicted / before.measured; }
  double ratio_after() const { return predicted / before.measured; }
};

struct CalibratedCoefficient {
  physics::OwnValue own;
  double prior = 0;        // standard deviation of its logarithm, before
  double deviation = 0;    // and after
  double sensitivity = 0;  // root mean square over the figures that bear on it
  std::size_t figures = 0;
};

struct Calibration {
  std::vector<catalog::MeasurementSheet> sheets;  // what the rest points into
  std::size_t rows = 0;                           // of which a figure was compared
  std::vector<CalibratedFigure> figures;
  std::vector<CalibratedCoefficient> coefficients;  // that move; by id and case
  physics::OwnCalibration own;                      // what is to be kept
  Errors unusable;
  std::size_t unanswered = 0;  // figures that the estimate does not have, or not with an interval
  physics::Trace trace;
};

/// Rows that a fit may hear.
struct CheckedRows {
  std::vector<Node> rows;  // as they are kept: the request, and under `measured` what was measured
  Errors unusable;         // that cannot be read or estimated
  Errors outliers;         // of a figure so far outside its interval that it is rather a mistake
};
/// `accept_outliers`: they are rows like all others, and still named.
CheckedRows check_rows(catalog::MeasurementSheet sheet, bool accept_outliers, const catalog::Catalog& catalog,
                       const physics::Coefficients& shipped);

/// The rows of both, each once: two with the same request and the same figures are one. Sorted, so that what comes
/// of them does not depend on the order in which they came.
std::vector<Node> join_rows(std::vector<Node> kept, std::vector<Node> added);

/// Fits anew from the coefficients given, which must not hold an own calibration. `texts`: the documents of the
/// calibration, for what each coefficient means.
Calibration calibrate(const std::vector<Node>& rows, Date today, const catalog::Catalog& catalog,
                      const physics::Coefficients& shipped, std::span<const Document> texts);

}  // namespace gpusel::answer
