#include "base/io/commit_day.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/text/text.hpp"

extern char** environ;

namespace gpusel {

namespace {

namespace fs = std::filesystem;

bool lies_in_repository(const fs::path& folder) {
  std::error_code failed;
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", failed)) return true;
    if (at == at.parent_path()) break;
  }
  return false;
}

struct Ran {
  int status = -1;
  std::string out;
};

/// Runs git with those words and nothing to read; what it says of errors is left out.
Ran run_git(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "git", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  Ran ran;
  constexpr std::size_t kEnough = 4096;
  std::array<char, 256> piece{};
  while (failed == 0 && ran.out.size() < kEnough) {
    const ssize_t got = read(ends[0], piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    ran.out.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (failed != 0) return {};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

}  // namespace

std::optional<Date> last_commit_day(const std::string& path) {
  std::error_code failed;
  const fs::path file = fs::absolute(path, failed).lexically_normal();
  if (failed || !lies_in_repository(file.parent_path())) return std::nullopt;
  // No hook, pager, file watcher or signature check of the repository's own is run.
  const auto git = [&](std::vector<std::string> words) {
    std::vector<std::string> all{"git",
                                 "-C",
                                 file.parent_path().string(),
                                 "--no-pager",
                                 "--no-optional-locks",
                                 "-c",
                                 "core.fsmonitor=false",
                                 "-c",
                                 "log.showSignature=false"};
    all.insert(all.end(), words.begin(), words.end());
    const std::vector<std::string> of_file{"--", "./" + file.filename().string()};
    all.insert(all.end(), of_file.begin(), of_file.end());
    return run_git(std::move(all));
  };
  if (git({"diff", "--quiet", "--no-ext-diff", "--no-textconv", "HEAD"}).status != 0) return std::nullopt;
  const Ran log = git({"log", "-1", "--format=%cs"});
  if (log.status != 0) return std::nullopt;
  const auto day = Date::parse(trim(log.out));
  return day && day->known() ? std::optional(*day) : std::nullopt;
}

}  // namespace gpusel
