// gpusel mcp: the same questions for AI assistants, over standard input and output.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "cli/commands.hpp"
#include "cli/job.hpp"
#include "cli/lines.hpp"
#include "cli/mcp/session.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::cli {

namespace {

int run_mcp(const mcp::Given& given, Context& context) {
  if (context.common.json || !context.common.output.empty())
    return context.fail(
        Error{ErrorKind::usage, say("every answer has text and JSON here"), "--output", say("leave it out")});
  // What cannot be loaded is better known now than at the first call.
  if (const auto ground = prepare({{}, &given.rule_files}, context); !ground) return ground.error();
  if (isatty(STDIN_FILENO) == 1)
    context.note(
        say("waiting for messages of the Model Context Protocol, one a line; docs/mcp.md tells how an "
            "assistant is connected"));
  context.err.flush();
  const mcp::Tools tools({context.common, given.rule_files});
  mcp::Session session(tools, [&](const std::string& problem) {
    context.note(printable(problem));
    context.err.flush();
  });
  std::string line;
  while (!context.out.closed() && !context.out.failed() && next_line(std::cin, line)) {
    context.out.write(session.answer(line));
    context.out.flush();
  }
  return kOk;
}

}  // namespace

Parsed make_mcp() {
  auto given = std::make_shared<mcp::Given>();
  Parsed parsed;
  parsed.flags.push_back(rules_flag(given->rule_files, say("Output and data")));
  parsed.shows_prices = true;
  parsed.run = [given](Context& context) { return run_mcp(*given, context); };
  return parsed;
}

}  // namespace gpusel::cli
