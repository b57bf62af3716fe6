// A measurement without a file: the flags of an estimate, and what was measured of it. Private to calibrate.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/io/document.hpp"
#include "catalog/catalog.hpp"
#include "cli/command.hpp"
#include "job/request/request.hpp"

namespace gpusel::cli {

class MeasuredRow {
 public:
  /// A flag for every option of a request, which keeps its words, and --measured. This must outlive them.
  void add_flags(std::vector<Flag>& flags);

  bool is_measured() const { return !measured_.empty(); }
  /// Keys and values that flags said of the request.
  const std::vector<Node>& said() const { return said_; }
  void say_of(std::string_view key, std::string_view value);
  job::Request& request() { return request_; }

  /// The request and what was measured, as a line of a file would have it. `request()` is settled. Errors: a value that
  /// is no number, a figure named twice.
  Result<Node> record() const;

 private:
  Status measure(std::string_view text);

  job::Request request_;
  std::vector<Node> said_;
  std::vector<Node> preset_;  // from settings, which an estimate would follow too
  std::vector<std::pair<std::string, std::string>> measured_;
};

}  // namespace gpusel::cli
