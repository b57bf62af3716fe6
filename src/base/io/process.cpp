#include "base/io/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/io/file.hpp"
#include "base/words/message.hpp"

extern char** environ;

namespace gpusel {

namespace {

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds in_milliseconds(Seconds time) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(time.raw() * 1000));
}

/// Its streams, as posix_spawn() is told of them.
class Streams {
 public:
  explicit Streams(const ProgramStart& start) {
    posix_spawn_file_actions_init(&actions_);
    set(start.input, STDIN_FILENO, O_RDONLY);
    set(start.output, STDOUT_FILENO, O_WRONLY);
    set(start.errors, STDERR_FILENO, O_WRONLY);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  void set(int from, int to, int how) {
    if (from == kNoStream) posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", how, 0);
    if (from >= 0) posix_spawn_file_actions_adddup2(&actions_, from, to);
  }
  posix_spawn_file_actions_t actions_;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  return pointers;
}

/// Until the other end is closed. Error: why it was not read to its end.
Status read_all(int from, Clock::time_point end, const ProgramRun& run) {
  std::array<char, 65536> piece;
  while (true) {
    const Clock::time_point now = Clock::now();
    const auto left = std::min<Clock::duration>(end - now, in_milliseconds(run.patience));
    pollfd waiting{from, POLLIN, 0};
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int ready = wait > 0 ? poll(&waiting, 1, static_cast<int>(wait)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0)
      return std::unexpected(io_error(run.limit > run.patience && Clock::now() >= end
                                          ? say("it takes more than {} s", run.limit.raw())
                                          : say("timed out")));
    const ssize_t count = read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(io_error(system_reason(errno)));
    if (count == 0) return {};
    if (Status taken = run.take({piece.data(), static_cast<std::size_t>(count)}); !taken) return taken;
  }
}

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  bool open() { return pipe2(ends.data(), O_CLOEXEC) == 0; }
  void close_end(std::size_t which) {
    if (ends[which] >= 0) close(ends[which]);
    ends[which] = -1;
  }
};

}  // namespace

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

pid_t start_program(const ProgramStart& start) {
  std::vector<std::string> words = start.words;
  std::vector<char*> arguments = pointers_to(words);
  arguments.push_back(nullptr);
  std::vector<std::string> added = start.environment;
  std::vector<char*> variables = pointers_to(added);
  for (char** one = environ; *one != nullptr; ++one) variables.push_back(*one);
  variables.push_back(nullptr);
  const Streams streams(start);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int one : {SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT}) sigaddset(&usual, one);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGDEF | (start.own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments.front(), streams.actions(), &attributes, arguments.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  return failed == 0 ? child : 0;
}

int wait_for_program(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

Result<int> run_program_for(const ProgramRun& run) {
  Pipe in, out;
  const bool fed = !run.input.empty();
  if (!out.open() || (fed && !in.open())) return std::unexpected(io_error(system_reason(errno)));
  ProgramStart start{.words = run.words, .output = out.ends[1]};
  if (fed) start.input = in.ends[0];
  const pid_t child = start_program(start);
  out.close_end(1);
  in.close_end(0);
  if (child <= 0) return std::unexpected(io_error(say("'{}' is not there", run.words.front())));
  if (fed) write_all(in.ends[1], run.input);  // who has read enough closes it
  in.close_end(1);
  const Status read = read_all(out.ends[0], Clock::now() + in_milliseconds(run.limit), run);
  if (!read) kill(-child, SIGKILL);
  const int status = wait_for_program(child);
  if (!read) return std::unexpected(read.error());
  return status;
}

Result<ProcessOutput> output_of(const std::vector<std::string>& words, Seconds limit, std::size_t most) {
  ProcessOutput out;
  const auto status =
      run_program_for({.words = words, .limit = limit, .patience = limit, .take = [&](auto piece) -> Status {
                         out.text += piece;
                         if (out.text.size() <= most) return {};
                         return std::unexpected(io_error(say("it prints more than {} bytes", most)));
                       }});
  if (!status) return std::unexpected(status.error());
  out.status = *status;
  return out;
}

}  // namespace gpusel
