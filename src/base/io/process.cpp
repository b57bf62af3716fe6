#include "base/io/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/words/message.hpp"

extern char** environ;

namespace gpusel {

namespace {

using Clock = std::chrono::steady_clock;

Error process_error(std::string message) { return {ErrorKind::io, std::move(message), {}, {}}; }

/// Starts it as leader of a group of its own, so that what it starts ends with it; 0: it could not be started.
pid_t start_process(const std::vector<std::string>& words, int output) {
  std::vector<std::string> kept = words;
  std::vector<char*> arguments;
  for (std::string& word : kept) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int one : {SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT}) sigaddset(&usual, one);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed == 0 ? child : 0;
}

/// Until the other end is closed. Error: why it was not read to its end.
Status read_all(int from, Clock::time_point end, std::size_t most, std::string& text) {
  std::array<char, 4096> piece;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{from, POLLIN, 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::unexpected(process_error(say("it does not answer")));
    const ssize_t count = read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(process_error(system_reason(errno)));
    if (count == 0) return {};
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > most) return std::unexpected(process_error(say("it prints more than {} bytes", most)));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace

Result<ProcessOutput> output_of(const std::vector<std::string>& words, Seconds limit, std::size_t most) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(process_error(system_reason(errno)));
  const pid_t child = start_process(words, ends[1]);
  close(ends[1]);
  ProcessOutput out;
  Status read;
  if (child > 0) {
    const auto milliseconds = std::chrono::milliseconds(static_cast<std::int64_t>(limit.raw() * 1000));
    read = read_all(ends[0], Clock::now() + milliseconds, most, out.text);
    if (!read) kill(-child, SIGKILL);
    out.status = wait_for(child);
  }
  close(ends[0]);
  if (child <= 0) return std::unexpected(process_error(say("'{}' does not exist", words.front())));
  if (!read) return std::unexpected(read.error());
  return out;
}

}  // namespace gpusel
