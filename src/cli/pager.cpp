#include "cli/pager.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "base/io/file.hpp"
#include "base/io/process.hpp"
#include "base/text/text.hpp"

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
pid_t start_pager(const std::string& command, int input) {
  ProgramStart shell{.words = {"/bin/sh", "-c", command},
                     .input = input,
                     .output = kOwnStream,
                     .errors = kOwnStream,
                     .own_group = false};
  if (std::getenv("LESS") == nullptr) shell.environment.emplace_back(kLessOptions);
  return start_program(shell);
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
  const pid_t pager = start_pager(command, ends[0]);
  close(ends[0]);
  if (pager == 0) {
    close(ends[1]);
    return false;
  }
  write_all(ends[1], text);  // a reader who has seen enough closes it
  close(ends[1]);
  return wait_for_program(pager) != kNoSuchCommand;
}

}  // namespace gpusel::cli
