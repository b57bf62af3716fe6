#include "cli/mcp/tools.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/words/parser.hpp"

namespace gpusel::cli::mcp {

namespace {

using show::Json;

/// Another tool is another line.
const std::vector<Tool>& tools() {
  static const std::vector<Tool> kTools{
      {"recommend",
       to_say("Recommend instances"),
       to_say(
           "Which cloud GPU instances suit a job, ranked by cost, speed or both, with the plan on each, its figures, "
           "warnings and price dates; where nothing fits, why, and the least change that would."),
       "",
       "",
       {"task", "model"}},
      {"estimate",
       to_say("Estimate a job on GPUs"),
       to_say("Whether a job fits on given GPUs: memory per GPU, throughput, latency, and the interval around each."),
       "",
       "",
       {"task", "model", "gpu"}},
      {"compare",
       to_say("Compare GPUs or instances"),
       to_say("GPUs or instances side by side, with a job's figures if task and model are given."),
       "names",
       to_say("GPUs, instances, or several of one: h100:8, 2x p4d.24xlarge"),
       {"names"}},
      {"instances",
       to_say("List instances"),
       to_say("Instances and their dated prices, filtered and sorted; or one with its sources."),
       "words",
       to_say("words that must occur; or show and an instance's name, for its details and sources"),
       {}},
      {"cost",
       to_say("Cost over time"),
       to_say("Cost over time of instances, or of the best plan for a job, under every published term: per hour, month "
              "and unit of work, with break-even points."),
       "targets",
       to_say("instances, such as p4d.24xlarge or 2x p4d.24xlarge"),
       {"task", "model"},
       true},
      {"explain",
       to_say("Explain an answer"),
       to_say("Explains one part of recommend's answer to the same job: how a figure or rank was computed, why an "
              "instance was rejected and what would make it qualify, or what a rule did."),
       "subject",
       to_say("an instance, a figure such as memory.kv_cache, or a rule; without it, the best rank"),
       {"task", "model"},
       false,
       true},
  };
  return kTools;
}

/// Lines of standard error without the program's name before each.
std::string without_name(std::string_view text) {
  constexpr std::string_view kName = "gpusel: ";
  std::string out;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with(kName)) line.remove_prefix(kName.size());
    if (!line.empty()) out += (out.empty() ? "" : "\n") + std::string(line);
  }
  return out;
}

Json error_json(int status, const std::string& message, const std::vector<std::string>& missing) {
  Json error{{"status", status}, {"message", message}};
  if (!missing.empty()) error["missing"] = missing;
  return {{"error", std::move(error)}};
}

}  // namespace

Tools::Tools(Given given) : given_(std::move(given)) {
  for (const Tool& tool : tools()) entries_.push_back({tool, Arguments(tool)});
}

Json Tools::list() const {
  Json list = Json::array();
  for (const Entry& entry : entries_) {
    const std::string title = say_text(entry.tool.title);
    list.push_back({{"name", entry.tool.command},
                    {"title", title},
                    {"description", say_text(entry.tool.description)},
                    {"inputSchema", entry.arguments.schema()},
                    {"annotations",
                     {{"title", title},
                      {"readOnlyHint", true},
                      {"destructiveHint", false},
                      {"idempotentHint", true},
                      {"openWorldHint", false}}}});
  }
  return list;
}

std::vector<std::string_view> Tools::names() const {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries_) names.push_back(entry.tool.command);
  return names;
}

const Tools::Entry* Tools::find(std::string_view name) const {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.tool.command == name; });
  return found == entries_.end() ? nullptr : &*found;
}

Tools::Run Tools::run(std::vector<std::string> words, std::string_view format) const {
  Run run;
  std::string err;
  Context context;
  context.out = Output(run.out);
  context.err = Output(err);
  context.common = given_.common;
  context.common.quiet = false;  // remarks are part of the answer
  context.settings = given_.settings;
  context.settings.applied.clear();  // to the server itself
  context.words = words;
  context.reads_files = false;
  words.insert(words.begin() + 1, "--output=" + std::string(format));  // said, so that no setting makes it another
  const ParseOutcome outcome = parse(words, context);
  run.status = outcome.finished ? outcome.status : outcome.command.run(context);
  run.remarks = without_name(err);
  return run;
}

Answer Tools::call(std::string_view name, const Node* arguments) const {
  const Entry& entry = *find(name);
  auto words = entry.arguments.words(arguments);
  if (!words) return {words.error().message, error_json(kUsage, words.error().message, words.error().missing), true};
  if (!given_.rule_files.empty() && entry.arguments.withholds("rules"))
    for (const std::string& file : given_.rule_files) words->insert(words->begin() + 1, "--rules=" + file);
  const Run data = run(*words, "json");
  if (data.out.empty()) return {data.remarks, error_json(data.status, data.remarks, {}), true};
  const Run shown = run(*words, "table");
  std::string text = shown.out;
  if (!shown.remarks.empty()) text += (text.empty() ? "" : "\n") + shown.remarks + "\n";
  return {std::move(text), Json::parse(data.out), false};
}

}  // namespace gpusel::cli::mcp
