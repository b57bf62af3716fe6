#include <malloc.h>

#include <algorithm>
#include <csignal>
#include <exception>

#include "cli/complete.hpp"
#include "cli/language.hpp"
#include "cli/man.hpp"
#include "cli/parser.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/version.hpp"
#include "report/yaml.hpp"

namespace gpusel::cli {

namespace {

constexpr int kHeapStep = 1 << 20;
constexpr int kHeapKept = 1 << 28;

int finish(Context& context, int status) {
  context.out.flush();
  context.err.flush();
  if (!context.out.failed()) return status;
  context.err.write("gpusel: " + say("could not write the output; is the disk full?") + "\n");
  context.err.flush();
  return kRuntime;
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  // The heap grows once and never shrinks: an answer lasts milliseconds, and a tenth of one went into that.
  mallopt(M_TOP_PAD, kHeapStep);
  mallopt(M_TRIM_THRESHOLD, kHeapKept);
  mallopt(M_MMAP_THRESHOLD, kHeapKept);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that stops reading is no failure of ours
  Context context;
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);  // execve allows no name at all
  context.words = words;
  context.settings = read_settings();
  const LanguageChoice language = choose_language(words, context.settings.value("lang").value_or(std::string()));
  speak(language.language);
  if (words.size() == 1 && words[0] == "--version") {
    context.out.write("gpusel " + std::string(kVersion) + "\n");
    return finish(context, kOk);
  }
  try {
    if (!words.empty() && words[0] == kManual) return finish(context, write_manual(words, context));
    if (!words.empty() && words[0] == kComplete) {
      complete(words, context);
      return finish(context, kOk);
    }
    const ParseOutcome outcome = parse(words, context);
    // The same question gives the same bytes to programs, whatever the locale; CSV has its column names in it.
    if (const std::string wanted = context.wanted_format();
        wanted == "csv" || (report::is_data(wanted) && !language.asked))
      speak(languages().front());
    return finish(context, outcome.finished ? outcome.status : outcome.command.run(context));
  } catch (const std::exception& error) {
    context.err.write("gpusel: " +
                      say("internal error: {}; this is a bug, please report it with the command line above",
                          printable(error.what())) +
                      "\n");
    context.err.flush();
    return kBug;
  }
}

}  // namespace gpusel::cli
