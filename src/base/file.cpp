#include "gpusel/base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "gpusel/base/message.hpp"
#include "gpusel/base/reason.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel {

namespace {

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

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The rights that a file made in the ordinary way would have; those of the file it replaces, if there is one.
mode_t rights_for(const std::string& path) {
  struct stat before{};
  if (stat(path.c_str(), &before) == 0) return before.st_mode & 0777U;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666U & ~mask;
}

}  // namespace

Status write_whole(const std::string& path, std::string_view bytes) {
  const auto cannot = [&](int why) {
    return std::unexpected(
        Error{ErrorKind::io, say("cannot write '{}': {}", printable(path), system_reason(why)), {}, {}});
  };
  struct stat before{};
  if (stat(path.c_str(), &before) == 0 && !S_ISREG(before.st_mode))
    return cannot(S_ISDIR(before.st_mode) ? EISDIR : EINVAL);
  std::string beside = path + ".XXXXXX";
  const Undisturbed undisturbed;
  const int file = mkostemp(beside.data(), O_CLOEXEC);
  if (file < 0) return cannot(errno);
  bool good = write_all(file, bytes) && fchmod(file, rights_for(path)) == 0 && fsync(file) == 0;
  int why = good ? 0 : errno;
  if (close(file) != 0 && good) {
    good = false;
    why = errno;
  }
  if (good && std::rename(beside.c_str(), path.c_str()) != 0) {
    good = false;
    why = errno;
  }
  if (good) return {};
  unlink(beside.c_str());
  return cannot(why);
}

}  // namespace gpusel
