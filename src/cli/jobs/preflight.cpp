// gpusel preflight: what becomes of a command line before it is started.
#include <memory>
#include <utility>

#include "answer/here/gpus_here.hpp"
#include "answer/preflight/preflight.hpp"
#include "answer/stages/launch.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "cli/question/loaded_facts.hpp"
#include "show/here/preflight.hpp"

namespace gpusel::cli {

namespace {

struct PreflightOptions {
  job::Request request;
  job::Constraints limits;  // none: what prepare() asks
  std::vector<std::string> words;
  bool why = false;
};

class PreflightCommand {
 public:
  PreflightCommand(PreflightOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto ground = prepare({options_.limits, &no_rules_}, context_);
    if (!ground) return ground.error();
    const auto tools = answer::read_command_lines(ground->catalog.documents("command_lines"));
    if (!tools) return context_.fail(tools.error());
    // A line in quotes is one word.
    if (options_.words.size() == 1) options_.words = answer::shell_words(std::string(options_.words.front()));
    const auto line = answer::read_line(options_.words, *tools);
    if (!line) return context_.fail(line.error());
    if (const auto behind = gpu_in_line(ground->catalog)) return context_.fail(*behind);
    job::Request request = options_.request;
    job::Count gpus = request.gpus;
    if (Status found = look(ground->catalog, request, gpus); !found) return context_.fail(found.error());
    const auto answer = answer::preflight(*line, request, gpus, {ground->catalog, ground->coefficients, ground->rules});
    if (!answer) return context_.fail(as_flag(answer.error()));
    print({.data = [&](show::JsonOut& out) { show::tell_preflight(out, *answer, ground->catalog); },
           .document = [&](bool all) { return show::preflight_page(*answer, ground->catalog, all || options_.why); },
           .csv = [&] { return show::preflight_table(*answer); }},
          ground->format, context_);
    return status(answer->outcome);
  }

 private:
  static int status(answer::LineOutcome outcome) {
    switch (outcome) {
      case answer::LineOutcome::starts: return kOk;
      case answer::LineOutcome::risky: return kPolicy;
      case answer::LineOutcome::out_of_memory:
      case answer::LineOutcome::refused: return kNothing;
    }
    return kNothing;
  }

  /// --gpu is ours: behind the command it would be that program's.
  std::optional<Error> gpu_in_line(const catalog::Catalog& catalog) const {
    constexpr std::string_view kFlag = "--gpu";
    const auto& words = options_.words;
    const auto at =
        std::ranges::find_if(words, [&](std::string_view word) { return word.substr(0, word.find('=')) == kFlag; });
    if (!options_.request.gpu.empty() || at == words.end()) return std::nullopt;
    const bool joined = at->size() > kFlag.size();
    if (!joined && at + 1 == words.end()) return std::nullopt;
    const std::string gpu = joined ? at->substr(kFlag.size() + 1) : *(at + 1);
    if (!names_gpus(gpu, catalog) && !catalog.has_instance(gpu)) return std::nullopt;
    std::vector<std::string> line(words.begin(), at);
    line.insert(line.end(), at + (joined ? 1 : 2), words.end());
    return Error{ErrorKind::usage, say("it goes before the command"), std::string(kFlag),
                 say("type gpusel preflight --gpu {} -- {}", answer::shell_word(gpu),
                     shorten(join_texts(line, " ", answer::shell_word), 160))};
  }

  /// The GPU that was named and how many of it, or those of this machine. The count is taken out of the question: the
  /// line says how many it takes.
  Status look(const catalog::Catalog& catalog, job::Request& request, job::Count& gpus) {
    if (request.gpu.empty()) {
      const auto here = answer::gpus_here(catalog);
      const auto group = here.group();
      if (group.empty() || group.front().gpu == nullptr)
        return std::unexpected(Error{ErrorKind::usage,
                                     group.empty()
                                         ? say("no GPU was found on this machine")
                                         : say("the catalog does not know this machine's '{}'", group.front().name),
                                     {},
                                     say("name the GPU: gpusel preflight --gpu h100 -- {}",
                                         shorten(join_texts(options_.words, " ", answer::shell_word), 160))});
      request.gpu = group.front().gpu->id;
      gpus = static_cast<std::int64_t>(group.size());
    } else if (!catalog.has_gpu(request.gpu) && catalog.has_instance(request.gpu)) {
      if (Status settled = answer::settle(request, catalog); !settled) return settled;
      gpus = request.gpus_per_node;
    }
    request.gpus.reset();
    request.gpus_per_node.reset();
    std::erase_if(request.given, [](std::string_view key) { return key == "gpus" || key == "gpus_per_node"; });
    return {};
  }

  PreflightOptions& options_;
  Context& context_;
  std::vector<std::string> no_rules_;
};

}  // namespace

Parsed make_preflight() {
  auto options = std::make_shared<PreflightOptions>();
  Parsed parsed;
  parsed.positional = "COMMAND";
  parsed.takes_line = true;
  parsed.positional_help = say("behind '--', the line that starts a service or a training, as you type it");
  parsed.positional_required = true;
  parsed.positional_set = appends_to(options->words);
  add_options(parsed.flags, job::request_options(), options->request);
  parsed.flags.push_back(why_flag(options->why, "--why", say("every argument, part, assumption and note")));
  parsed.run = [options](Context& context) { return PreflightCommand(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
