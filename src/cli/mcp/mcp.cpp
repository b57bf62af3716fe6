// gpusel mcp: the same questions for AI assistants, over standard input and output.
#include <unistd.h>

#include <memory>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/mcp/session.hpp"
#include "cli/question/job.hpp"
#include "cli/words/lines.hpp"
#include "cli/words/parser.hpp"

namespace gpusel::cli {

namespace {

struct McpOptions {
  std::vector<std::string> rule_files;      // of the line
  std::vector<std::string> standing_rules;  // of settings
};

/// The flags of the line alone: settings hold in each call anew, below what the call says.
CommonOptions said_on_line(const Context& context) {
  Context line;
  std::string unused;  // it was read before, without a fault
  line.err = Output(unused);
  [[maybe_unused]] const ParseOutcome outcome = parse(context.words, line);
  return std::move(line.common);
}

int run_mcp(const McpOptions& options, Context& context) {
  CommonOptions common = said_on_line(context);
  if (common.json || !common.output.empty())
    return context.fail(
        Error{ErrorKind::usage, say("answers here always have text and JSON"), "--output", say("remove it")});
  // What cannot be loaded is better known now than at the first call.
  std::vector<std::string> rule_files = options.rule_files;
  rule_files.insert(rule_files.end(), options.standing_rules.begin(), options.standing_rules.end());
  context.common.output.clear();  // a setting of the answers
  if (const auto ground = prepare({{}, &rule_files}, context); !ground) return ground.error();
  if (isatty(STDIN_FILENO) == 1)
    context.note(
        say("waiting for messages of the Model Context Protocol, one a line; docs/mcp.md says how to connect an "
            "assistant"));
  context.err.flush();
  const mcp::Tools tools({std::move(common), options.rule_files, context.settings});
  mcp::Session session(tools, [&](const std::string& problem) {
    context.note(printable(problem));
    context.err.flush();
  });
  Lines lines(InputFile::standard_input());
  std::string line;
  while (!context.out.closed() && !context.out.failed() && lines.next(line)) {
    context.out.write(session.answer(line));
    context.out.flush();
  }
  return lines.failure().empty() ? kOk : context.fail(unreadable(kStandardInput, lines.failure()));
}

}  // namespace

Parsed make_mcp() {
  auto options = std::make_shared<McpOptions>();
  Parsed parsed;
  Flag rules = rules_flag(options->rule_files, say("Output and data"));
  rules.preset = appends_to(options->standing_rules);
  parsed.flags.push_back(std::move(rules));
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return run_mcp(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
