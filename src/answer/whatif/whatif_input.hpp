// What can be varied, and how its values are read and written. Private to this room.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "answer/whatif/whatif.hpp"

namespace gpusel::answer {

/// One thing that a sweep turns.
struct Input {
  std::string key;
  // One of these is set, or `gpus`, or `offers` is not empty.
  const job::Option<job::Request>* job = nullptr;
  const job::Option<job::Constraints>* limit = nullptr;
  const job::Option<money::Duty>* duty = nullptr;
  const job::Option<money::Extras>* extra = nullptr;
  const job::Option<LoadQuestion>* load = nullptr;
  bool gpus = false;                  // total GPUs, over every way to make them up of instances
  std::vector<std::uint32_t> offers;  // whose prices are changed
  std::string about;                  // what its name was taken for

  bool is_price() const { return !offers.empty(); }
  std::string_view value() const;  // what help shows for it
  /// Whether its option takes that text.
  Status accepts(std::string_view text) const;
  bool takes_numbers() const;
};

/// Options of a question that a sweep may turn: all but those that describe a machine.
std::span<const job::Option<job::Request>> job_options();

/// Errors: no key is called that, with the nearest; a price of nothing.
Result<Input> find_input(std::string_view name, const catalog::Catalog& catalog);

/// How the values of an input become numbers and texts again.
struct Reading {
  enum class Kind : std::uint8_t { count, time, memory, share } kind = Kind::count;
  std::string unit;    // of time and memory: what every value is written in
  double kilo = 1000;  // of counts
  bool whole = false;

  /// `sample`: a value whose unit the numbers are in.
  static Result<Reading> of(const Input& input, std::string_view sample);
  Result<double> number(std::string_view text) const;
  std::string text(double number) const;
};

/// An input with the values it is to take.
struct Varied {
  Input input;
  Reading reading;
  std::optional<double> base;  // what a relative change is of; nothing for prices
  Axis axis;

  /// The value at a number of the axis, rounded where the input takes whole numbers only.
  AxisValue at(double number) const;
};

/// What an input is without any change, in its option's words.
using ValueOf = std::function<std::optional<std::string>(const Input&)>;
/// "context=4k..128k". Errors, about --vary: see whatif().
Result<Varied> read_vary(std::string_view text, const catalog::Catalog& catalog, const ValueOf& value_of,
                         std::size_t default_points);

}  // namespace gpusel::answer
