#include "base/io/own_file.hpp"

#include <xxhash.h>

#include <algorithm>
#include <filesystem>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

namespace fs = std::filesystem;

/// What the checksum stands behind; in no language, so that every run finds it.
constexpr std::string_view kSignature = "written by gpusel, ";
/// Snapshots are the largest of its files.
constexpr std::size_t kLargest = std::size_t{2} << 30U;

/// How a line that is no content is written, and behind which line it may stand first.
struct Comment {
  std::string_view begin;
  std::string_view end;
  bool behind_first_line;
};

Comment comment_of(std::string_view text) {
  if (text.starts_with("{\n")) return {"  \"$comment\": \"", "\",\n", true};
  if (text.starts_with("<")) return {"<!-- ", " -->\n", true};
  return {"# ", "\n", text.starts_with("#")};
}

/// Where the line stands, or would stand.
std::size_t place_of(std::string_view text, const Comment& comment) {
  const std::size_t first = text.find('\n');
  return comment.behind_first_line && first != std::string_view::npos ? first + 1 : 0;
}

std::unexpected<Error> refuse(const std::string& path, std::string what) {
  return std::unexpected(
      Error{ErrorKind::usage, std::move(what), path, say("name another file, or add --force to overwrite it")});
}

Status may_write(const std::string& path, const OwnFiles& own) {
  std::error_code failed;
  const fs::file_status there = fs::symlink_status(path, failed);
  if (!fs::exists(there)) return {};
  if (fs::is_symlink(there)) {
    // A link into a folder of devices is told as what it is, where it is opened.
    const bool device = is_device_name(fs::absolute(fs::path(path).lexically_normal(), failed).string());
    return device ? Status{} : refuse(path, say("it is a symbolic link, and would be replaced by a file"));
  }
  if (!fs::is_regular_file(there)) return {};  // the reason is told by whoever opens it
  const auto text = read_text_file(path, kLargest);
  if (text && text->empty()) return {};
  switch (text ? own.author(*text) : Author::other) {
    case Author::program: return {};
    case Author::edited: return refuse(path, say("it was edited since gpusel wrote it"));
    case Author::other: break;
  }
  return refuse(path, say("it exists and was not written by gpusel"));
}

Status make_folder(const std::string& path) {
  std::error_code failed;
  const std::string folder = folder_of(path);
  if (fs::is_directory(folder, failed)) return {};
  fs::create_directories(folder, failed);
  if (!failed) return {};
  return std::unexpected(Error{
      ErrorKind::io, say("cannot make the folder '{}': {}", printable(folder), system_reason(failed.value())), {}, {}});
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  return format("xxh3:{:016x}", static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
}

std::string signed_text(std::string_view text) {
  const Comment comment = comment_of(text);
  const std::size_t at = place_of(text, comment);
  std::string out(text.substr(0, at));
  out += format("{}{}{}{}", comment.begin, kSignature, content_hash(text), comment.end);
  return out.append(text.substr(at));
}

Author author_of(std::string_view text) {
  const Comment comment = comment_of(text);
  const std::string begin = std::string(comment.begin) + std::string(kSignature);
  // A text that began with no comment has the line before it.
  const std::size_t from = text.starts_with(begin) ? 0 : place_of(text, comment);
  const std::size_t to = std::min(text.find('\n', from), text.size() - 1) + 1;
  const std::string_view line = text.substr(from, to - from);
  if (!line.starts_with(begin)) return text.find(kSignature) != std::string_view::npos ? Author::edited : Author::other;
  std::string rest(text.substr(0, from));
  rest += text.substr(to);
  return line == begin + content_hash(rest) + std::string(comment.end) ? Author::program : Author::edited;
}

Status check_own(const OwnFiles& own) {
  if (own.force) return {};
  for (const FileText& file : own.files)
    if (Status free = may_write(file.path, own); !free) return free;
  for (const std::string& path : own.obsolete)
    if (Status free = may_write(path, own); !free) return free;
  return {};
}

Status write_own(const OwnFiles& own) {
  if (Status free = check_own(own); !free) return free;
  for (const FileText& file : own.files)
    if (Status made = make_folder(file.path); !made) return made;
  return write_together(own.files, own.unfinished, own.obsolete);
}

}  // namespace gpusel
