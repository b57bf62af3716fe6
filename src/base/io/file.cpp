#include "base/io/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

/// Of files before they have their own names: a name as long as may be leaves no room for more.
constexpr std::string_view kPending = ".gpusel.";
constexpr std::string_view kRandom = "XXXXXX";

/// Holds back what would end the program, so that no half-written file is left behind.
class Undisturbed {
 public:
  Undisturbed() {
    sigset_t endings;
    sigemptyset(&endings);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&endings, signal);
    sigprocmask(SIG_BLOCK, &endings, &before_);
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;
  ~Undisturbed() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

/// The rights that a file made in the ordinary way would have; those of the file it replaces, if there is one.
mode_t rights_for(const std::string& path) {
  struct stat before{};
  if (stat(path.c_str(), &before) == 0) return before.st_mode & 0777U;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666U & ~mask;
}

std::unexpected<Error> cannot_write(const std::string& path, const std::string& why) {
  return std::unexpected(io_error(say("cannot write '{}': {}", printable(path), why)));
}

std::unexpected<Error> cannot_write(const std::string& path, int why) { return cannot_write(path, system_reason(why)); }

/// Whether its folder is one of devices, however that is spelled.
bool is_among_devices(const std::string& path) {
  std::error_code unknown;
  const auto folder = std::filesystem::canonical(folder_of(path), unknown);
  return !unknown && is_device_name((folder / "").string());
}

/// A file on the disk beside the place that it is meant for; gone again unless it is put there.
class PendingFile {
 public:
  static Result<PendingFile> write(const std::string& path, std::string_view bytes) {
    struct stat before{};
    // /dev/stdout is a link: the file would be put in its place, for every program there is.
    if (is_among_devices(path) && lstat(path.c_str(), &before) == 0 && S_ISLNK(before.st_mode))
      return cannot_write(path, say("it is not a regular file"));
    if (stat(path.c_str(), &before) == 0 && S_ISDIR(before.st_mode)) return cannot_write(path, EISDIR);
    if (stat(path.c_str(), &before) == 0 && !S_ISREG(before.st_mode))
      return cannot_write(path, say("it is not a regular file"));
    // All memory that is needed is there before the file is: without it nothing would take the file away again.
    PendingFile pending(path, folder_of(path) + "/" + std::string(kPending) + std::string(kRandom));
    const int file = mkostemp(pending.beside_.data(), O_CLOEXEC);
    if (file < 0) {
      const int why = errno;
      pending.beside_.clear();  // that name is nobody's
      return cannot_write(path, why);
    }
    const bool good = write_all(file, bytes) && fchmod(file, rights_for(path)) == 0 && fsync(file) == 0;
    const int why = errno;
    if (close(file) != 0 && good) return cannot_write(path, errno);
    if (!good) return cannot_write(path, why);
    return pending;
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  PendingFile(PendingFile&& other) noexcept
      : path_(std::move(other.path_)), beside_(std::exchange(other.beside_, std::string())) {}
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile() {
    if (!beside_.empty()) unlink(beside_.c_str());
  }

  Status put() {
    if (std::rename(beside_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
    beside_.clear();
    return {};
  }

 private:
  PendingFile(std::string path, std::string beside) : path_(std::move(path)), beside_(std::move(beside)) {}

  std::string path_;
  std::string beside_;
};

int open_folder(const std::string& folder) { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

/// That a file has another name now is on the disk, too. Not every file system can be told to.
void sync_folder_of(const std::string& path) {
  const int folder = open_folder(folder_of(path));
  if (folder < 0) return;
  (void)fsync(folder);
  close(folder);
}

}  // namespace

bool is_device_name(std::string_view path) { return path.starts_with("/dev/") || path.starts_with("/proc/"); }

bool is_pending_name(std::string_view name) {
  return name.starts_with(kPending) && name.size() == kPending.size() + kRandom.size();
}

bool wait_for(int file, short events) {
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd one{file, events, 0};
  return poll(&one, 1, -1) > 0 || errno == EINTR;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && (errno == EINTR || wait_for(file, POLLOUT))) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::expected<InputFile, std::string> InputFile::open(const std::string& path) {
  // Opening does not wait for anybody who might write into a pipe.
  InputFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), true);
  struct stat state{};
  if (file.file_ < 0 || fstat(file.file_, &state) != 0) return std::unexpected(system_reason(errno));
  if (S_ISDIR(state.st_mode)) return std::unexpected(say("it is a directory"));
  if (S_ISREG(state.st_mode)) return file;
  if (!is_device_name(path)) return std::unexpected(say("it is not a regular file"));
  // From here on reading waits, as for a pipe that the shell has filled halfway.
  (void)fcntl(file.file_, F_SETFL, fcntl(file.file_, F_GETFL) & ~O_NONBLOCK);
  return file;
}

InputFile InputFile::standard_input() { return {STDIN_FILENO, false}; }

InputFile::InputFile(InputFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), owned_(std::exchange(other.owned_, false)) {}

InputFile::~InputFile() {
  if (owned_ && file_ >= 0) close(file_);
}

ssize_t InputFile::read(std::span<char> into) const {
  ssize_t got = 0;
  do got = ::read(file_, into.data(), into.size());
  while (got < 0 && (errno == EINTR || wait_for(file_, POLLIN)));
  return got;
}

std::uint64_t InputFile::size() const {
  struct stat state{};
  return fstat(file_, &state) == 0 && S_ISREG(state.st_mode) ? static_cast<std::uint64_t>(state.st_size) : 0;
}

uid_t InputFile::owner() const {
  struct stat state{};
  return fstat(file_, &state) == 0 ? state.st_uid : static_cast<uid_t>(-1);
}

bool may_be_there(const std::string& path) {
  struct stat state{};
  if (lstat(path.c_str(), &state) == 0) return true;
  return errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ENAMETOOLONG;
}

std::string folder_of(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Status write_whole(const std::string& path, std::string_view bytes) {
  const FileText file{path, bytes};
  return write_together({&file, 1}, {});
}

namespace {

/// A set of which a part is written already says which.
Status half_written(Status failed, std::span<const FileText> files, std::size_t first_new) {
  std::string names;
  for (const FileText& file : files.subspan(first_new))
    names += (names.empty() ? "'" : ", '") + printable(file.path) + "'";
  if (names.empty()) return failed;
  failed.error().hint = say("new already: {}; the others are as they were: write all of them again", names);
  return failed;
}

}  // namespace

Status write_together(std::span<const FileText> files, std::string_view unfinished,
                      std::span<const std::string> obsolete) {
  if (files.empty()) return {};
  const Undisturbed undisturbed;
  std::vector<PendingFile> pending;
  pending.reserve(files.size());
  for (const FileText& file : files) {
    auto one = PendingFile::write(file.path, file.bytes);
    if (!one) return std::unexpected(one.error());
    pending.push_back(std::move(*one));
  }
  const std::string& first = files.front().path;
  if (!unfinished.empty()) {
    auto mark = PendingFile::write(first, unfinished);
    if (!mark) return std::unexpected(mark.error());
    if (Status put = mark->put(); !put) return put;
    sync_folder_of(first);
  }
  for (std::size_t i = pending.size(); i > 1; --i)
    if (Status put = pending[i - 1].put(); !put) return half_written(std::move(put), files, i);
  for (const std::string& path : obsolete)
    if (unlink(path.c_str()) != 0 && errno != ENOENT) return half_written(cannot_write(path, errno), files, 1);
  // All of that is on the disk before the first file says that it is.
  if (pending.size() > 1 || !obsolete.empty()) sync_folder_of(first);
  if (Status put = pending.front().put(); !put) return half_written(std::move(put), files, 1);
  sync_folder_of(first);
  return {};
}

FolderLock::FolderLock(const std::string& folder, For purpose) : folder_(open_folder(folder)) {
  if (folder_ < 0) return;
  const int how = purpose == For::writing ? LOCK_EX : LOCK_SH;
  busy_ = flock(folder_, how | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) close(folder_);
}

}  // namespace gpusel
