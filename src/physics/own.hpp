// What the user's own measurements made of the coefficients: `calibration.own` of a file that `gpusel calibrate`
// writes. Values take the place of shipped ones; widths narrow the intervals of work like that which was measured.
#pragma once

#include <string>
#include <vector>

#include "base/io/fields.hpp"
#include "base/values/date.hpp"
#include "base/values/enum.hpp"
#include "physics/coefficients.hpp"

namespace gpusel {

namespace job {
struct Job;
}  // namespace job

namespace physics {

struct Device;
struct Layout;

/// What an interval is around.
enum class Range80 : std::uint8_t { speed, itl, ttft, memory };

/// One value of a coefficient: of a case, or without a name the plain one.
struct CoefficientValue {
  std::string id;
  std::string name;  // of the case
  double value = 0;
};

struct OwnValue {
  CoefficientValue value;
  double shipped = 0;     // what stood there when it was fitted
  bool new_case = false;  // there was no such case: `shipped` is the plain value
  int rows = 1;           // measurements that bear on it
  std::string unit, meaning, source;
};

/// Work that was measured: what its estimates have in common.
struct OwnClass {
  std::string task;
  std::string gpu;
  std::string how;          // engine or framework with mode, method and arithmetic
  std::string model;        // empty: of any model
  std::string anyhow = {};  // of a job: `how` without its mode, by which a machine is known whose steps were measured
};

/// Measurements of a class narrow its interval, up to as many GPUs as were measured.
struct OwnWidth {
  OwnClass of;
  Range80 range = Range80::speed;
  int gpus = 1;
  int rows = 1;         // or models, where the class is of any
  double exponent = 1;  // of the shipped ratios
};

struct OwnCalibration {
  Date as_of;
  std::string file;  // that it was read from
  std::vector<OwnValue> values;
  std::vector<OwnWidth> widths;
  std::vector<Node> rows;  // the measurements themselves

  /// Exponent for a job of that class on so many GPUs; 1 where nothing like it was measured.
  double exponent(const OwnClass& job, Range80 range, int gpus) const;
};

/// The section `own`. Errors are collected in the fields' problems.
OwnCalibration read_own(const Node& section, Problems& problems);

/// The coefficient of a job's step times, by its own measurements.
std::string_view step_scale_id(const job::Job& work);
/// What the user's own measurements of a machine are known by: its GPU, the engine and, of an older one, the
/// generation; of training, the framework with method and arithmetic.
std::string machine_case(const job::Job& work, const Device& device, const Layout& layout);
/// Of every step's time: how much longer than by the shipped coefficients such a machine was measured to take; 1 where
/// it was not. Of that model, else of any.
double step_scale(const job::Job& work, const Device& device, const Layout& layout, const Coefficients& c);
/// That in a sentence; empty where it was not measured.
std::string step_scale_text(const job::Job& work, const Device& device, const Layout& layout, const Coefficients& c);

/// The coefficient of that id; nothing where there is none.
std::optional<Coefficient> find_coefficient(const Coefficients& coefficients, std::string_view id);
/// A copy with other values; a case that was not there is added. Ids must be known.
Coefficients with_values(const Coefficients& coefficients, std::span<const CoefficientValue> values);
/// What a coefficient may be.
Range allowed_values(std::string_view id);

}  // namespace physics

template <>
inline constexpr auto enum_names<physics::Range80> =
    std::to_array<std::string_view>({"speed", "time between tokens", "time to first token", "memory"});

}  // namespace gpusel
