#include "catalog/import/source_file.hpp"

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog::import {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18U;

}  // namespace

Result<SourceFile> SourceFile::open(const std::string& path, const ImportProgress& progress) {
  const auto cannot = [&](const std::string& why) {
    return std::unexpected(io_error(say("cannot read '{}': {}", printable(path), why)));
  };
  auto file = InputFile::open(path);
  if (!file) return cannot(file.error());
  SourceFile source(std::move(*file), progress);
  while (source.unread().size() < 4 && source.more()) {
  }
  if (source.failed_) return cannot(system_reason(errno));
  if (const std::string_view what = not_text(source.unread()); !what.empty()) return cannot(say_text(what));
  if (source.unread().starts_with("\xEF\xBB\xBF")) source.use(3);
  if (source.unread().find('\0') != std::string_view::npos) return cannot(say("it is not text"));
  return source;
}

SourceFile::SourceFile(InputFile file, const ImportProgress& progress)
    : file_(std::move(file)), progress_(&progress), size_(file_.size()) {}

bool SourceFile::more() {
  if (failed_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kPiece) buffer_.resize(end_ + 2 * kPiece);
  const ssize_t got = file_.read(std::span(buffer_).subspan(end_));
  failed_ = got < 0;
  if (got <= 0) return false;
  end_ += static_cast<std::size_t>(got);
  read_ += static_cast<std::uint64_t>(got);
  if (*progress_) (*progress_)(read_, size_);
  return true;
}

}  // namespace gpusel::catalog::import
