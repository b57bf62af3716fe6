// Runs the built program as a shell would, and keeps everything it said.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gpusel::test {

inline const std::string kSource = GPUSEL_SOURCE_DIR;

struct Run {
  int status = -1;  // 128 + signal when it was killed
  std::string out;
  std::string err;
};

/// What a test may vary; the rest of the environment is fixed, so that answers are the same everywhere.
struct Setting {
  std::map<std::string, std::string> environment = {};
  std::string input = {};
  std::string output_file = {};  // standard output goes there instead
  std::string directory = kSource;
  // In the new process, just before it becomes the program.
  std::function<void(const char* program)> before_start = {};
  // In this process, until the other one has ended.
  std::function<void(pid_t child)> meanwhile = {};
};

/// `gpusel WORDS…` with COLUMNS=100, NO_COLOR=1, GPUSEL_TODAY=2026-11-20 and no home directory.
Run ask(const std::vector<std::string>& words, const Setting& setting = {});

/// A line of shell in which `gpusel` is the built program, in the same fixed environment.
Run shell(const std::string& line, const Setting& setting = {});

/// Whether it is one problem as standard error has it: "error: …", and "help: …" below where there is a hint.
bool is_one_error(const std::string& err);

/// Any program, found on PATH.
Run command(const std::vector<std::string>& words, const Setting& setting = {});

/// Without their line feeds.
std::vector<std::string> lines_of(const std::string& text);

/// Splits at spaces; 'single' and "double" quotes hold words together.
std::vector<std::string> words_of(const std::string& line);

/// An empty directory of the test's own.
std::string scratch_directory();
/// A file of that text in the tests' own scratch directory; its path.
std::string scratch_file(const std::string& name, const std::string& text);
std::string read_file(const std::string& path);

/// Whether what the tests keep of outputs is to be written anew: GPUSEL_UPDATE_GOLDEN=1.
bool is_updating();
/// Whether `text` equals tests/golden/NAME, which is written instead where is_updating().
bool equals_golden(const std::string& name, const std::string& text);

}  // namespace gpusel::test
