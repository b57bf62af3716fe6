// What can go wrong, as a value. Nothing here throws: a library's exceptions are caught in the
// one file that includes that library and become an Error.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace gpusel {

enum class ErrorKind {
  usage,          // a flag, a name or a file the person gave is wrong
  unsatisfied,    // the question is fine, nothing meets it
  bad_catalogue,  // catalogue, overlay or snapshot is invalid
  io,             // a file or stream cannot be read or written
};

/// What would be right, in words, with the names it proposes, which programs read without the sentence.
struct Hint : std::string {
  Hint() = default;
  Hint(std::string sentence, std::vector<std::string> of = {})  // NOLINT(google-explicit-constructor): most have none
      : std::string(std::move(sentence)), names(std::move(of)) {}
  Hint(const char* sentence) : std::string(sentence) {}  // NOLINT(google-explicit-constructor)
  /// This, or where there is nothing near: `otherwise`.
  Hint or_else(std::string otherwise) const { return empty() ? Hint(std::move(otherwise)) : *this; }

  std::vector<std::string> names;
};

/// One problem in one sentence.
struct Error {
  ErrorKind kind = ErrorKind::usage;
  std::string message;    // lower case, no final stop
  std::string where;      // "prices.yaml:12:7", "--max-price", or empty
  Hint hint;              // what would be right, or what to type next; may be empty
  bool missing = false;   // what `where` names was not given at all
  std::string flag = {};  // the flag that the message itself names, where `where` does not
};

template <class T>
using Result = std::expected<T, Error>;

using Status = std::expected<void, Error>;

inline std::unexpected<Error> usage_error(std::string message, std::string where = {}, Hint hint = {}) {
  return std::unexpected(Error{ErrorKind::usage, std::move(message), std::move(where), std::move(hint)});
}

/// The question lacks what `where` names.
inline std::unexpected<Error> missing_error(std::string message, std::string where, Hint hint = {}) {
  return std::unexpected(Error{ErrorKind::usage, std::move(message), std::move(where), std::move(hint), true});
}

/// By itself: not every caller hands it on at once.
inline Error io_error(std::string message) { return {ErrorKind::io, std::move(message), {}, {}}; }

/// Every problem found in a file: a loader reports them all, as a compiler does.
using Errors = std::vector<Error>;

}  // namespace gpusel
