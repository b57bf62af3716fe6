#include "base/io/commit_day.hpp"

#include <filesystem>
#include <vector>

#include "base/io/process.hpp"
#include "base/text/text.hpp"

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

/// Runs git with those words; what it says of errors is left out.
Ran run_git(const std::vector<std::string>& words) {
  constexpr double kPatience = 10;  // s
  constexpr std::size_t kMostText = 1 << 16;
  auto ran = output_of(words, seconds(kPatience), kMostText);
  return ran ? Ran{ran->status, std::move(ran->text)} : Ran{};
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
