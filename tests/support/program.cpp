#include "support/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gpusel::test {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

/// A name no other test uses, running at the same time or not.
/// A folder of this run alone, gone with it. A process number would not do: numbers come again.
class Scratch {
 public:
  Scratch() {
    fs::create_directories(GPUSEL_SCRATCH_DIR);
    std::string name = std::string(GPUSEL_SCRATCH_DIR) + "/XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder in " GPUSEL_SCRATCH_DIR);
    folder_ = name;
  }
  ~Scratch() {
    if (getpid() != owner_) return;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
  pid_t owner_ = getpid();
};

std::string scratch_path(const std::string& name) {
  static const Scratch scratch;
  static std::atomic<int> counter{0};
  const fs::path folder = scratch.folder() / std::to_string(counter.fetch_add(1));
  fs::create_directories(folder);
  return (folder / name).string();
}

[[noreturn]] void become(const std::vector<std::string>& words, const Setting& setting, int in, int out, int err) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const char* own : {"GPUSEL_MUST_RUN", "GPUSEL_UPDATE_GOLDEN"}) unsetenv(own);  // would be taken for settings
  for (const auto& [name, value] : setting.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (chdir(setting.directory.c_str()) != 0) _exit(127);
  if (setting.before_start) setting.before_start(argv[0]);
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

Run command(const std::vector<std::string>& words, const Setting& setting) {
  const std::string in = scratch_path("in"), err = scratch_path("err");
  const bool captured = setting.output_file.empty();
  const std::string out = captured ? scratch_path("out") : setting.output_file;
  std::ofstream(in) << setting.input;
  const int in_file = open(in.c_str(), O_RDONLY | O_CLOEXEC);
  const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (in_file < 0 || out_file < 0 || err_file < 0) fail("cannot open the files of " + words[0]);
  const pid_t child = fork();
  if (child == 0) become(words, setting, in_file, out_file, err_file);
  for (const int file : {in_file, out_file, err_file}) close(file);
  if (child > 0 && setting.meanwhile) setting.meanwhile(child);
  int state = 0;
  if (child < 0 || waitpid(child, &state, 0) != child) fail("cannot run " + words[0]);
  Run run;
  run.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  if (captured) run.out = read_file(out);
  run.err = read_file(err);
  for (const std::string& file : {in, err}) fs::remove_all(fs::path(file).parent_path());
  if (captured) fs::remove_all(fs::path(out).parent_path());
  return run;
}

namespace {

/// The same answers on every machine and day.
Setting fixed(Setting setting) {
  setting.environment.merge(std::map<std::string, std::string>{{"COLUMNS", "100"},
                                                               {"NO_COLOR", "1"},
                                                               {"GPUSEL_TODAY", "2026-11-20"},
                                                               {"GPUSEL_OUTPUT", ""},
                                                               {"HOME", "/nonexistent"},
                                                               {"XDG_CONFIG_HOME", "/nonexistent"},
                                                               {"XDG_DATA_HOME", "/nonexistent"},
                                                               {"XDG_STATE_HOME", "/nonexistent/state"}});
  return setting;
}

}  // namespace

bool is_one_error(const std::string& err) {
  const std::vector<std::string> lines = lines_of(err);
  return err.ends_with('\n') && !lines.empty() && lines.size() <= 2 && lines[0].starts_with("error: ") &&
         (lines.size() == 1 || lines[1].starts_with("help: "));
}

Run ask(const std::vector<std::string>& words, const Setting& setting) {
  std::vector<std::string> all{GPUSEL_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  return command(all, fixed(setting));
}

Run shell(const std::string& line, const Setting& setting) {
  Setting with_path = fixed(setting);
  const char* path = std::getenv("PATH");
  with_path.environment["PATH"] =
      fs::path(GPUSEL_PROGRAM).parent_path().string() + ":" + (path == nullptr ? "/usr/bin:/bin" : path);
  return command({"sh", "-c", line}, with_path);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\n') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

std::string scratch_directory() { return fs::path(scratch_path("x")).parent_path().string(); }

std::string scratch_file(const std::string& name, const std::string& text) {
  const std::string path = scratch_path(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_updating() {
  const char* update = std::getenv("GPUSEL_UPDATE_GOLDEN");
  return update != nullptr && std::string(update) == "1";
}

bool equals_golden(const std::string& name, const std::string& text) {
  const std::string path = kSource + "/tests/golden/" + name;
  if (is_updating()) {
    std::ofstream(path, std::ios::binary) << text;
    return true;
  }
  return fs::exists(path) && read_file(path) == text;
}

}  // namespace gpusel::test
