#include "cli/pager.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "base/io/file.hpp"
#include "base/text/text.hpp"

extern char** environ;

namespace gpusel::cli {

namespace {

constexpr const char* kUsualPager = "less -FRX";
constexpr const char* kLessOptions =
    "LESS=FRX";                      // of a pager called just "less": short answers end at once, with colors
constexpr int kNoSuchCommand = 127;  // of the shell

/// While the pager reads keys, an interrupt is for it.
class IgnoredInterrupts {
 public:
  IgnoredInterrupts() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
  IgnoredInterrupts(const IgnoredInterrupts&) = delete;
  IgnoredInterrupts& operator=(const IgnoredInterrupts&) = delete;
  ~IgnoredInterrupts() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }

 private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

/// A shell that runs `command` and reads from `input`; 0: it could not be started.
pid_t start(const std::string& command, int input) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int one : {SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT}) sigaddset(&usual, one);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> environment;
  for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
  std::string less = kLessOptions;
  if (std::getenv("LESS") == nullptr) environment.push_back(less.data());
  environment.push_back(nullptr);
  std::string shell = "sh", flag = "-c", text = command;
  const std::array<char*, 4> words{shell.data(), flag.data(), text.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/bin/sh", &files, &attributes, words.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed == 0 ? child : 0;
}

}  // namespace

std::string pager_command() {
  const char* value = std::getenv("PAGER");
  if (value != nullptr) {
    const std::string command(trim(value));
    return command == "cat" ? std::string() : command;
  }
  return kUsualPager;
}

bool show_in_pager(std::string_view text, const std::string& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  const IgnoredInterrupts ignored;
  const pid_t pager = start(command, ends[0]);
  close(ends[0]);
  if (pager == 0) {
    close(ends[1]);
    return false;
  }
  write_all(ends[1], text);  // a reader who has seen enough closes it
  close(ends[1]);
  int status = 0;
  while (waitpid(pager, &status, 0) < 0 && errno == EINTR) {
  }
  return !(WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchCommand);
}

}  // namespace gpusel::cli
