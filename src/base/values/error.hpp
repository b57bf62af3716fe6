// What can go wrong, as a value. Nothing here throws: a library's exceptions are caught in the
// one file that includes that library and become an Error.
#pragma once

#include <expected>
#include <string>
#include <vector>

namespace gpusel {

enum class ErrorKind {
  usage,          // a flag, a name or a file the person gave is wrong
  unsatisfied,    // the question is fine, nothing meets it
  bad_catalogue,  // catalogue, overlay or snapshot is invalid
  io,             // a file or stream cannot be read or written
};

/// One problem in one sentence.
struct Error {
  ErrorKind kind = ErrorKind::usage;
  std::string message;  // lower case, no final stop
  std::string where;    // "prices.yaml:12:7", "--max-price", or empty
  std::string hint;     // what would be right, or what to type next; may be empty
};

template <class T>
using Result = std::expected<T, Error>;

using Status = std::expected<void, Error>;

inline std::unexpected<Error> usage_error(std::string message, std::string where = {}, std::string hint = {}) {
  return std::unexpected(Error{ErrorKind::usage, std::move(message), std::move(where), std::move(hint)});
}

/// Every problem found in a file: a loader reports them all, as a compiler does.
using Errors = std::vector<Error>;

}  // namespace gpusel
