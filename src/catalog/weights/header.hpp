// Reading the start of a large file, bounded by its size.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>

#include "base/values/error.hpp"
#include "catalog/weights/weights_file.hpp"

namespace gpusel::catalog::weights {

class Header {
 public:
  static Result<Header> open(const std::string& path);

  /// A little-endian number of so many bytes. After a failure everything reads as 0.
  std::uint64_t number(int bytes);
  double real(int bytes);
  /// The next `length` bytes; refuses more than `limit` or than there are.
  std::string text(std::uint64_t length, std::uint64_t limit);
  void skip(std::uint64_t length);

  std::uint64_t at() const { return at_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t left() const { return size_ - at_; }
  void fail(std::string message);
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  std::unexpected<Error> failure() const { return std::unexpected(*error_); }

 private:
  std::ifstream in_;
  std::string path_;
  std::uint64_t at_ = 0;
  std::uint64_t size_ = 0;
  std::optional<Error> error_;
};

void add_tensor(StoredWeights& out, std::string_view type, double elements, double bytes);
/// Which part of a model a tensor is, by its name.
bool is_head(std::string_view tensor);
bool is_vision(std::string_view tensor);
/// For multi-token prediction: by its name, or by a layer beyond the model's `layers`.
bool is_prediction(std::string_view tensor, double layers);
void sort_types(StoredWeights& out);
/// As a header describes it; of an index only the name.
struct TensorInfo {
  std::string_view name;
  std::string_view type = {};          // of safetensors
  std::span<const double> shape = {};  // as it is stored: rows first
  double elements = 0;

  /// Its values hold several parameters each, or parts of one.
  bool is_packed() const { return type == "U8" || type == "I8" || type == "I32" || type == "F4"; }
};
/// Counts a tensor to its layer and keeps what its shape says of the model.
void place_tensor(StoredWeights& out, const TensorInfo& tensor);
/// "cannot read all of 'x': Input/output error".
std::unexpected<Error> cannot_read_all(const std::string& path, int why);
/// Whether there is such a file. Error: the disk does not tell, so that weights might be taken for missing.
Result<bool> is_there(const std::string& path);
/// Which of the parts are not there, as one error; nothing where all are.
std::optional<Error> missing_parts(const std::vector<std::string>& parts);

}  // namespace gpusel::catalog::weights
