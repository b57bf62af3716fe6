#include "gpusel/base/document.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <span>

#include "gpusel/base/message.hpp"
#include "gpusel/base/reason.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel {

const Node* Node::find(std::string_view name) const {
  if (kind != Kind::map) return nullptr;
  for (const Node& child : children)
    if (child.key == name) return &child;
  return nullptr;
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::null: return say("nothing");
    case Kind::scalar: return format("'{}'", shorten(text, 40));
    case Kind::list: return say("a list");
    case Kind::map: return say("a map");
  }
  return {};
}

namespace {

bool all_differ(const std::vector<Node>& members) {
  for (std::size_t i = 1; i < members.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (members[i].key == members[j].key) return false;
  return true;
}

}  // namespace

const Node* duplicate_key(const Node& map) {
  if (!map.is_map()) return nullptr;
  constexpr std::size_t kFew = 20;  // as long as comparing all costs less than sorting
  if (map.children.size() <= kFew && all_differ(map.children)) return nullptr;
  std::vector<const Node*> members;
  members.reserve(map.children.size());
  for (const Node& child : map.children) members.push_back(&child);
  std::stable_sort(members.begin(), members.end(), [](const Node* a, const Node* b) { return a->key < b->key; });
  const auto twice =
      std::adjacent_find(members.begin(), members.end(), [](const Node* a, const Node* b) { return a->key == b->key; });
  return twice == members.end() ? nullptr : *std::next(twice);
}

std::string position(std::string_view name, const Node& at) {
  return at.line == 0 ? std::string(name) : format("{}:{}:{}", name, at.line, at.column);
}

std::string key_position(std::string_view name, const Node& at) {
  return at.key_line == 0 ? position(name, at) : format("{}:{}:{}", name, at.key_line, at.key_column);
}

namespace {

class OpenFile {
 public:
  /// Opening does not wait for anybody who might write into a pipe.
  explicit OpenFile(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }

  bool is_open() const { return file_ >= 0; }
  mode_t mode() const {
    struct stat state{};
    return fstat(file_, &state) == 0 ? state.st_mode : 0;
  }
  /// From here on reading waits, as for a pipe that the shell has filled halfway.
  void wait_for_bytes() const { (void)fcntl(file_, F_SETFL, fcntl(file_, F_GETFL) & ~O_NONBLOCK); }
  ssize_t read(std::span<char> into) const {
    ssize_t got = 0;
    do got = ::read(file_, into.data(), into.size());
    while (got < 0 && errno == EINTR);
    return got;
  }

 private:
  int file_;
};

/// /dev/stdin and what a shell makes of <(…): pipes that this program was handed.
bool is_handed_over(std::string_view path) { return path.starts_with("/dev/") || path.starts_with("/proc/"); }

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t max_bytes) {
  const auto cannot = [&](std::string why) {
    return std::unexpected(Error{ErrorKind::usage, say("cannot read '{}': {}", printable(path), why), {}, {}});
  };
  const OpenFile file(path);
  if (!file.is_open()) return cannot(system_reason(errno));
  const mode_t mode = file.mode();
  if (S_ISDIR(mode)) return cannot(say("it is a directory"));
  if (!S_ISREG(mode) && !is_handed_over(path)) return cannot(say("it is not a regular file"));
  file.wait_for_bytes();
  std::string text;
  char block[65536];
  ssize_t got = 0;
  while ((got = file.read(block)) > 0) {
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) return cannot(say("it is larger than {} MiB", max_bytes >> 20U));
  }
  if (got < 0) return cannot(system_reason(errno));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace gpusel
