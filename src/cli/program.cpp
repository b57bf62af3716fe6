#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <expected>
#include <new>

#include "base/io/file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/help/help.hpp"
#include "cli/help/man.hpp"
#include "cli/settings/language.hpp"
#include "cli/words/complete.hpp"
#include "cli/words/parser.hpp"
#include "gpusel/version.hpp"
#include "show/json/yaml.hpp"

extern "C" {
/// cmake/package/copyright: each library that is linked, with its authors and its licence.
extern const char gpusel_licenses_begin[], gpusel_licenses_end[];
}

namespace gpusel::cli {

namespace {

/// A file that is opened takes the place of a closed stream, and answers would go into it. What stands there instead
/// can neither be read nor written, so that whoever tries learns of it.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1) (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Writing fails then, and is told, instead of ending the program.
void ignore_signals_of_writing() {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that stops reading is no failure of ours
  std::signal(SIGXFSZ, SIG_IGN);  // ulimit -f
}

int finish(Context& context, int status) {
  context.out.flush();
  context.err.flush();
  if (!context.out.failed()) return status;
  context.complain(say("could not write the output: {}", system_reason(context.out.why())));
  context.err.flush();
  return kRuntime;
}

/// Flags of every command may stand before its name: they go behind it.
std::vector<std::string> command_first(const std::vector<std::string>& words) {
  Parsed every;
  every.shows_prices = true;
  CommonOptions unused;
  add_common_flags(every, unused);
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with("-")) {
    const std::string& word = words[at];
    const Flag* flag = every.find(word);
    if (flag == nullptr) return words;
    const bool joined = word.find('=') != std::string::npos || (!word.starts_with("--") && word.size() > 2);
    at += flag->value.empty() || joined ? 1 : 2;
  }
  if (at == 0 || at >= words.size()) return words;
  std::vector<std::string> out(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  const auto end = std::ranges::find(out, "--");
  out.insert(end, words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  return out;
}

/// The words without the flags of every command, which are set; as they are where one lacks its value. The error is the
/// exit status.
std::expected<std::vector<std::string>, int> without_common_flags(const std::vector<std::string>& words,
                                                                  Context& context) {
  Parsed every;
  every.shows_prices = true;
  add_common_flags(every, context.common);
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const Flag* flag = every.find(word);
    if (flag == nullptr) {
      rest.push_back(word);
      continue;
    }
    const auto sign = word.find('=');
    std::string value = "true";
    if (sign != std::string::npos)
      value = word.substr(sign + 1);
    else if (!word.starts_with("--") && word.size() > 2)
      value = word.substr(2);
    else if (!flag->value.empty() && !flag->optional_value && i + 1 == words.size())
      return words;
    else if (!flag->value.empty() && !flag->optional_value)
      value = words[++i];
    if (Status set = flag->set(value); !set) {
      Error error = set.error();
      error.where = flag->name();
      return std::unexpected(context.fail(error));
    }
  }
  return rest;
}

int run(const std::vector<std::string>& typed, Context& context) {
  std::vector<std::string> words = !typed.empty() && typed[0].starts_with("-") ? command_first(typed) : typed;
  context.words = words;
  context.settings = read_settings();
  const LanguageChoice language = choose_language(words, context.settings.value("lang").value_or(std::string()));
  speak(language.language);
  // Data are the same in every locale, errors too.
  if (!language.asked && !context.data_format().empty()) speak(languages().front());
  // No command takes them, and they are about how it answers.
  if (!words.empty() && (words[0].starts_with("-") || words[0] == "help" || words[0] == "version")) {
    const auto rest = without_common_flags(words, context);
    if (!rest) return rest.error();
    words = *rest;
  }
  if (words.size() == 1 && (words[0] == "--version" || words[0] == "-V" || words[0] == "version")) {
    context.out.write("gpusel " + std::string(kVersion) + "\n");
    return kOk;
  }
  if (!words.empty() && words[0] == "help") return run_help({words.begin() + 1, words.end()}, context);
  if (words.size() == 1 && words[0] == "--licenses") {
    context.out.write({gpusel_licenses_begin, gpusel_licenses_end});
    return kOk;
  }
  if (!words.empty() && words[0] == kManual) return write_manual(words, context);
  if (!words.empty() && words[0] == kComplete) {
    complete(words, context);
    return kOk;
  }
  const ParseOutcome outcome = parse(words, context);
  // The same question gives the same bytes to programs, whatever the locale; CSV has its column names in it.
  if (const std::string wanted = context.wanted_format(); wanted == "csv" || (show::is_data(wanted) && !language.asked))
    speak(languages().front());
  return outcome.finished ? outcome.status : outcome.command.run(context);
}

/// All of it: to fopencookie() less is a failure, for the reason in errno.
ssize_t write_waiting(void* stream, const char* bytes, std::size_t count) {
  const int file = static_cast<int>(reinterpret_cast<std::intptr_t>(stream));
  return write_all(file, {bytes, count}) ? static_cast<ssize_t>(count) : 0;
}

/// A stream for the same file that waits for its reader, where whoever shares the file has made it one that does not:
/// what stdio cannot write at once it loses.
std::FILE* waiting(std::FILE* stream) {
  const int file = fileno(stream);
  const int flags = fcntl(file, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) == 0) return stream;
  std::FILE* other = fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(file)), "w",
                                 {nullptr, write_waiting, nullptr, nullptr});
  return other == nullptr ? stream : other;
}

/// What no command has an answer to.
int end(Context& context, int status, const std::string& sentence) {
  context.complain(sentence);
  context.err.flush();
  return status;
}

/// Memory may run out once more where what was built is taken apart, and there nothing is caught.
[[noreturn]] void end_at_once() {
  try {
    if (const std::exception_ptr why = std::current_exception()) std::rethrow_exception(why);
  } catch (const std::bad_alloc&) {
    write_all(STDERR_FILENO, "error: not enough memory for this answer\n");
    _exit(kRuntime);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  std::set_terminate(end_at_once);
  occupy_closed_streams();
  ignore_signals_of_writing();
  Context context;
  context.out = Output(waiting(stdout));
  context.err = Output(waiting(stderr));
  try {
    // execve allows no name at all
    return finish(context, run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), context));
  } catch (const std::bad_alloc&) {
    return end(context, kRuntime, say("not enough memory for this answer"));
  } catch (const std::exception& error) {
    return end(context, kBug,
               say("internal error: {}; this is a bug, please report it with the command line above",
                   printable(error.what())));
  }
}

}  // namespace gpusel::cli
