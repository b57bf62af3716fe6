// Files that a person asks for: written whole, and never over what somebody else wrote or edited.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/io/file.hpp"
#include "base/values/error.hpp"

namespace gpusel {

/// "xxh3:0123456789abcdef".
std::string content_hash(std::string_view bytes);

/// `text` with a line that says that this program wrote it and the checksum of all else: a comment of its format by
/// its first character (#, or <!-- --> of HTML), a member "$comment" of a JSON object.
std::string signed_text(std::string_view text);

enum class Author : std::uint8_t {
  program,  // as it was written
  edited,   // written by this program and changed since
  other,
};

/// By the line that signed_text() puts in.
Author author_of(std::string_view text);

struct OwnFiles {
  std::span<const FileText> files;
  bool force = false;  // over anything
  /// How such a file is told; those that are signed by a line.
  std::function<Author(const std::string& text)> author = author_of;
  std::string_view unfinished = {};            // as write_together() takes it
  std::span<const std::string> obsolete = {};  // as write_together() takes it
};

/// Whether write_own() would refuse, before the work is done whose result is to be written.
Status check_own(const OwnFiles& own);

/// Makes the folders that are missing and writes all files or none. Errors: ErrorKind::usage where a file is there that
/// this program did not write, that was edited since, or that is a link; ErrorKind::io where one cannot be written.
Status write_own(const OwnFiles& own);

}  // namespace gpusel
