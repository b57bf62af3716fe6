#include "cli/mcp/prompts.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/words/complete.hpp"

namespace gpusel::cli::mcp {

namespace {

using show::Json;

constexpr std::size_t kMostValues = 100;  // as the protocol allows

constexpr PromptArgument kModelArgument{"model", to_say("catalog name or Hugging Face id"), true, "recommend --model"};
constexpr PromptArgument kTaskArgument{"task", to_say("what is done with it: inference, finetune …"), true,
                                       "recommend --task"};

}  // namespace

std::span<const Prompt> prompts() {
  static const std::vector<Prompt> kPrompts{
      {"choose-instances",
       to_say("Choose instances"),
       to_say("Which instances to rent for a job, with what it rests on"),
       to_say(
           "Which cloud GPU instances should I rent for {1} of {0}? Ask gpusel's recommend. Ask me first for what it "
           "says is missing, and for the load or the data if I gave none. Name the first three ranks with price, "
           "date of the price, speed and warnings, what was assumed, and what would be cheaper."),
       {kModelArgument, kTaskArgument}},
      {"does-it-fit",
       to_say("Does it fit?"),
       to_say("Whether a model runs on given GPUs, and how fast"),
       to_say("Does {1} of {0} fit on {2}, and how fast is it there? Ask gpusel's estimate. Say how sure it is, and "
              "where it does not fit, what would."),
       {kModelArgument, kTaskArgument, {"gpu", to_say("a GPU, or several: h100, l40s"), true, "estimate --gpu"}}},
      {"lower-cost",
       to_say("Lower the cost"),
       to_say("What makes a job cheaper, and what each step risks"),
       to_say("How do I make {1} of {0} cheaper? Ask gpusel's recommend, cost and whatif. List the steps by what they "
              "save, each with its risk: other terms, other formats, other places, fewer hours."),
       {kModelArgument, kTaskArgument}},
      {"write-files",
       to_say("Write the files"),
       to_say("The plan as files of another tool"),
       to_say(
           "Write the files that run {1} of {0} with {2}. Ask gpusel's export with that target, show each file whole, "
           "and list what I must fill in and what its comment warns about."),
       {kModelArgument,
        kTaskArgument,
        {"target", to_say("skypilot, terraform, kubernetes, slurm …"), true, "recommend --for"}}},
  };
  return kPrompts;
}

const Prompt* find_prompt(std::string_view name) {
  const auto all = prompts();
  const auto found = std::ranges::find(all, name, &Prompt::name);
  return found == all.end() ? nullptr : &*found;
}

Json prompt_json(const Prompt& prompt) {
  Json arguments = show::list_json(prompt.arguments, [](const PromptArgument& one) -> Json {
    return {{"name", one.name}, {"description", say_text(one.description)}, {"required", one.required}};
  });
  return {{"name", prompt.name},
          {"title", say_text(prompt.title)},
          {"description", say_text(prompt.description)},
          {"arguments", std::move(arguments)}};
}

Result<Json> prompt_message(const Prompt& prompt, const Node* arguments) {
  std::string text = say_text(prompt.text);
  for (std::size_t i = 0; i < prompt.arguments.size(); ++i) {
    const std::string name(prompt.arguments[i].name);
    const Node* value = arguments == nullptr ? nullptr : arguments->find(name);
    if (value == nullptr || !value->is_scalar() || value->text.empty()) return usage_error(say("missing: {}", name));
    const std::string place = format("{{{}}}", i);
    if (const auto at = text.find(place); at != std::string::npos)
      text.replace(at, place.size(), printable(shorten(value->text, 200)));
  }
  return Json{{"description", say_text(prompt.description)},
              {"messages", Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}}})}};
}

Json completed(const Prompt& prompt, std::string_view argument, const std::string& begun) {
  Json values = Json::array();
  std::size_t total = 0;
  const auto found = std::ranges::find(prompt.arguments, argument, &PromptArgument::name);
  if (found != prompt.arguments.end()) {
    std::vector<std::string> words{std::string(kComplete), "--"};
    for (const std::string_view word : split(found->flag, ' ')) words.emplace_back(word);
    words.push_back(begun);
    std::string lines;
    Context context;
    context.out = Output(lines);
    context.reads_files = false;
    complete(words, context);
    for (const std::string_view line : split(lines, '\n')) {
      const std::string_view value = line.substr(0, line.find('\t'));
      if (value.empty() || value.starts_with(':')) continue;
      if (++total <= kMostValues) values.push_back(value);
    }
  }
  return {{"values", std::move(values)}, {"total", total}, {"hasMore", total > kMostValues}};
}

}  // namespace gpusel::cli::mcp
