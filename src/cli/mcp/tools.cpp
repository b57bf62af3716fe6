#include "cli/mcp/tools.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/mcp/brief.hpp"
#include "cli/words/parser.hpp"

namespace gpusel::cli::mcp {

namespace {

using show::Json;

/// What is usually said of a job, and of where it may run.
std::vector<std::string_view> job_and(std::initializer_list<std::string_view> more) {
  std::vector<std::string_view> usual{"task",   "model",        "request_rate", "input_tokens", "output_tokens",
                                      "method", "dataset_size", "cloud",        "region",       "gpu"};
  usual.insert(usual.end(), more);
  return usual;
}

/// Another tool is another line.
const std::vector<Tool>& tools() {
  static const std::vector<Tool> kTools{
      {"recommend",
       "recommend",
       to_say("Which cloud GPU instances suit a job, ranked, with plan, figures, warnings, price dates; where nothing "
              "fits, why, and the least change that would."),
       "",
       "",
       {"task", "model"},
       job_and({"term", "ttft", "tpot", "budget", "deadline", "max_price", "objective", "for", "limit"}),
       false},
      {"estimate",
       "estimate",
       to_say("Whether a job fits on given GPUs: memory per GPU, throughput, latency, intervals."),
       "",
       "",
       {"task", "model", "gpu"},
       {"task", "model", "gpu", "gpus", "method", "context", "concurrency", "input_tokens", "output_tokens",
        "weights_precision", "seq_len"}},
      {"compare",
       "compare",
       to_say("GPUs or instances side by side, with a job's figures if task and model are given."),
       "names",
       to_say("two to eight: h100:8, 2x p4d.24xlarge"),
       {"names"},
       {"task", "model"}},
      {"cost",
       "cost",
       to_say("What instances, or the best plan for a job, cost under every term, with break-even points."),
       "targets",
       to_say("instances: p4d.24xlarge, 2x p4d.24xlarge"),
       {"task", "model"},
       job_and({"hours_per_day", "months"}),
       true,
       true},
      {"fleet",
       "fleet",
       to_say("The cheapest mix of instances for a stated traffic, and how it scales over the day."),
       "",
       "",
       {"model"},
       {"model", "traffic", "request_rate", "users", "daily", "ttft", "tpot", "cloud", "region", "redundancy"}},
      {"whatif",
       "whatif",
       to_say("Which input moves the answer to a job, and where the winner changes."),
       "",
       "",
       {"task", "model"},
       job_and({"vary"})},
      {"explain",
       "explain",
       to_say("A figure, rank, rejection or rule of recommend's answer to the same job taken apart."),
       "subject",
       to_say("an instance, a figure such as memory.kv_cache, or a rule; else the best rank"),
       {"task", "model"},
       job_and({"rank"}),
       true,
       false,
       true},
      {"export",
       "export",
       to_say("The plan as files for skypilot, terraform, kubernetes, vllm, slurm …; without target a list of them."),
       "target",
       to_say("the tool to write for"),
       {},
       job_and({"rank"}),
       true,
       true,
       true},
      {"check",
       "check",
       to_say("Whether the answer to a job keeps a policy: docs/ci.md has its keys."),
       "",
       "",
       {"policy", "task", "model"},
       job_and({"policy", "rank"})},
      {"models",
       "models",
       to_say("Models of the catalog by words of their names; or show and one name, for its figures."),
       "words",
       to_say("words that must occur; or show and a name"),
       {},
       {"limit"}},
      {"gpus",
       "gpus",
       to_say("GPUs with memory, speed and the lowest price; or show and one name."),
       "words",
       to_say("words that must occur; or show and a name"),
       {},
       {"filter", "sort_by", "limit"}},
      {"instances",
       "instances",
       to_say("Instances and their dated prices, filtered and sorted; or show and one name, with its sources."),
       "words",
       to_say("words that must occur; or show and a name"),
       {},
       {"cloud", "region", "gpu", "max_price", "filter", "sort_by", "limit"}},
      {"prices",
       "instances",
       to_say("Every offer of instances: region, term, price, date; the lowest first."),
       "words",
       to_say("instance, provider or other words that must occur"),
       {},
       {"cloud", "region", "gpu", "term", "limit"},
       true,
       false,
       false,
       {"--all-offers", "--sort-by", "price"}},
  };
  return kTools;
}

/// The tool that tells of the others' arguments.
constexpr std::string_view kDescribe = "describe_flags";

Json error_json(int status, const std::string& message, const std::vector<std::string>& missing) {
  Json error{{"status", status}, {"message", message}};
  if (!missing.empty()) error["missing"] = missing;
  return {{"error", std::move(error)}};
}

}  // namespace

Tools::Tools(Given given) : given_(std::move(given)) {
  for (const Tool& tool : tools()) entries_.push_back({tool, Arguments(tool)});
}

namespace {

Json listed(std::string_view name, std::string_view description, Json input) {
  return {{"name", name},
          {"description", say_text(description)},
          {"inputSchema", std::move(input)},
          {"outputSchema", brief_schema(name)},
          {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

}  // namespace

Json Tools::list() const {
  Json list = show::list_json(entries_, [](const Entry& entry) {
    return listed(entry.tool.name, entry.tool.description, entry.arguments.schema());
  });
  Json names = show::list_json(entries_, [](const Entry& entry) { return entry.tool.name; });
  Json input{
      {"type", "object"},
      {"properties", {{"tool", {{"type", "string"}, {"enum", std::move(names)}}}, {"about", {{"type", "string"}}}}},
      {"required", {"tool"}}};
  list.push_back(
      listed(kDescribe, to_say("What a tool's flags take, by a word of its name or meaning."), std::move(input)));
  return list;
}

std::vector<std::string_view> Tools::names() const {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries_) names.push_back(entry.tool.name);
  names.push_back(kDescribe);
  return names;
}

bool Tools::has(std::string_view name) const { return name == kDescribe || find(name) != nullptr; }

const Tools::Entry* Tools::find(std::string_view name) const {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.tool.name == name; });
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
  run.remarks = std::string(trim(err));
  return run;
}

Answer Tools::describe(const Node* arguments) const {
  const auto text = [&](std::string_view key) {
    const Node* given = arguments == nullptr ? nullptr : arguments->find(key);
    return given != nullptr && given->is_scalar() ? given->text : std::string();
  };
  const auto refused = [](const std::string& message) {
    return Answer{message, error_json(kUsage, message, {}), true};
  };
  constexpr std::string_view kArguments[] = {"tool", "about"};
  if (arguments != nullptr)
    for (const Node& given : arguments->children)
      if (std::ranges::find(kArguments, given.key) == std::end(kArguments)) {
        const Hint near = did_you_mean(given.key, kArguments);
        const std::string hint = near.or_else(say("it takes {}", "tool, about"));
        return refused(say("unknown argument '{}'", printable(shorten(given.key, 60))) + "; " + hint);
      }
  const std::string tool = text("tool");
  const Entry* entry = find(tool);
  if (entry == nullptr) {
    const auto known = names();
    const Hint near = did_you_mean(tool, known);
    return refused(say("unknown tool {}", "'" + printable(shorten(tool, 60)) + "'") +
                   (near.empty() ? "" : "; " + near));
  }
  Json flags = entry->arguments.described(lower(text("about")));
  std::string list;
  for (const Json& flag : flags)
    list += flag["name"].get<std::string>() + ": " + flag["description"].get<std::string>() + "\n";
  if (list.empty()) list = say("no argument of {} has that in its name or meaning", tool) + "\n";
  Json names = show::list_json(flags, [](const Json& flag) { return flag["name"]; });
  if (list.size() > kMostBytes) {
    list.clear();
    for (const Json& name : names) list += (list.empty() ? "" : " ") + name.get<std::string>();
    list += "\n" + say("about: a word of a name or meaning gives what those flags take") + "\n";
  }
  Json data{{"flags", flags}};
  if (show::dump(data, -1).size() > kMostBytes) data = {{"names", std::move(names)}};
  return {std::move(list), std::move(data), false};
}

Answer Tools::call(std::string_view name, const Node* arguments) const {
  if (name == kDescribe) return describe(arguments);
  const Entry& entry = *find(name);
  auto words = entry.arguments.words(arguments);
  if (!words) return {words.error().message, error_json(kUsage, words.error().message, words.error().missing), true};
  if (!given_.rule_files.empty() && entry.arguments.withholds("rules"))
    for (const std::string& file : given_.rule_files) words->insert(words->begin() + 1, "--rules=" + file);
  const Run data = run(*words, "json");
  if (data.out.empty()) return {data.remarks, error_json(data.status, data.remarks, {}), true};
  const Run shown = run(*words, "table");
  Json whole = Json::parse(data.out);
  const Node* full = arguments == nullptr ? nullptr : arguments->find(kFull);
  const bool wants_all = full != nullptr && full->text == "true";
  // A file is what was asked for, and none in part.
  std::string text = wants_all || whole.contains("files")
                         ? shown.out
                         : brief_text(shown.out, say("full: true gives them, fewer rows or words leave them out"));
  if (!shown.remarks.empty()) text += (text.empty() ? "" : "\n") + shown.remarks + "\n";
  for (const std::string_view remark : split(shown.remarks, '\n'))
    if (!remark.empty()) whole["remarks"].push_back(remark);
  return {std::move(text), wants_all ? std::move(whole) : brief_of(name, whole), false};
}

}  // namespace gpusel::cli::mcp
