// A file to import, read once from front to back in pieces: only what is not yet used is in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.hpp"
#include "base/values/date.hpp"
#include "base/values/error.hpp"
#include "catalog/import/import.hpp"

namespace gpusel::catalog::import {

class SourceFile {
 public:
  /// Refuses what is no text in UTF-8: directories, archives, UTF-16.
  static Result<SourceFile> open(const std::string& path, const ImportProgress& progress);

  /// What has been read and not yet used.
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Reads more behind it, which moves it; false at the end of the file.
  bool more();
  void use(std::size_t bytes) { begin_ += bytes; }
  /// The file broke while it was read.
  bool failed() const { return failed_; }

 private:
  SourceFile(InputFile file, const ImportProgress& progress);

  InputFile file_;
  const ImportProgress* progress_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t size_ = 0;
  bool failed_ = false;
};

}  // namespace gpusel::catalog::import
