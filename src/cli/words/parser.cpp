#include "cli/words/parser.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "cli/settings/settings.hpp"
#include "cli/words/descriptions.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::cli {

namespace {

/// What CLI11 writes of itself into help.
constexpr std::string_view kLabels[] = {to_say("Usage"), to_say("OPTIONS"), to_say("SUBCOMMAND"), to_say("SUBCOMMANDS"),
                                        to_say("Positionals")};

/// Collects what the setters object to: CLI11 would word it its own way.
class Words {
 public:
  explicit Words(Context& context) : context_(context) {}

  ParseOutcome parse(const std::vector<std::string>& words) {
    choose(words);
    describe(words);
    ParseOutcome outcome;
    outcome.finished = true;
    try {
      std::vector<std::string> reversed(words.rbegin(), words.rend());
      app_.parse(reversed);
    } catch (const CLI::CallForHelp&) {
      context_.out.write(chosen_ == nullptr ? app_.help() : help_of(*chosen_));
      return outcome;
    } catch (const CLI::ParseError& error) {
      outcome.status = report(error);
      return outcome;
    }
    if (!problems_.empty()) {
      outcome.status = context_.fail(problems_.front());
      return outcome;
    }
    if (chosen_ == nullptr) {
      context_.err.write(app_.help());
      outcome.status = kUsage;
      return outcome;
    }
    if (parsed_.positional_required && !positional_given_) {
      outcome.status = context_.fail(Error{ErrorKind::usage, say("{} is missing", parsed_.positional), {}, see_help()});
      return outcome;
    }
    if (outcome.status = settle(); outcome.status != kOk) return outcome;
    outcome.finished = false;
    outcome.command = std::move(parsed_);
    return outcome;
  }

 private:
  /// What the line does not say is as the settings say.
  int settle() {
    Settings& settings = context_.settings;
    for (const Flag* flag : typed_) settings.said.push_back(flag->name());
    if (settings.all.empty() && settings.unreadable.empty() && !parsed_.shows_settings) return kOk;
    const Errors errors = apply_settings(*chosen_, parsed_, context_);
    if (parsed_.shows_settings) return kOk;
    if (!errors.empty()) return context_.fail(errors);
    tell_settings(context_);
    return kOk;
  }

  /// The sentences on a command between its summary and its flags.
  static std::string described(const Command& command) {
    constexpr std::size_t kWidth = 79;
    const std::string_view text = description_of(command.name);
    return text.empty() ? std::string() : "\n\n" + show::wrap(say_text(text), kWidth, 0);
  }

  void choose(const std::vector<std::string>& words) {
    const auto first = std::find_if(words.begin(), words.end(), [](const auto& w) { return !w.starts_with("-"); });
    if (first == words.end()) return;
    const auto all = commands();
    if (std::any_of(all.begin(), all.end(), [&](const Command& c) { return group_of(c) == *first; })) group_ = *first;
    const bool two_words = !group_.empty() && first + 1 != words.end();
    chosen_ = find_command(two_words ? *first + " " + *(first + 1) : *first);
  }

  /// The application that a command belongs to: the whole one, or that of its group.
  CLI::App* home_of(const Command& command) {
    const std::string group(group_of(command));
    if (group.empty()) return &app_;
    CLI::App*& home = groups_[group];
    if (home != nullptr) return home;
    home = app_.add_subcommand(group, group_summary(group));
    home->set_help_flag("-h,--help", say("this help"))->group(say("Options"));
    home->group(say("Subcommands"));
    home->require_subcommand(0, 1);
    return home;
  }

  /// Names and summaries of all commands, but the options of the chosen one only: building the
  /// others would cost more than answering.
  void describe(const std::vector<std::string>& words) {
    app_.name("gpusel");
    for (const std::string_view label : kLabels) app_.get_formatter()->label(std::string(label), say_text(label));
    app_.description(say("Chooses cloud GPU instances for a job: what fits, how fast, for how much, and why."));
    const std::string options = say("Options");
    app_.set_help_flag("-h,--help", say("this help; 'gpusel COMMAND --help' for a command"))->group(options);
    // Answered before anything is parsed.
    app_.add_flag_callback("--version", [] {}, say("print the version"))->group(options);
    app_.add_flag_callback("--licenses", [] {}, say("print the licences of all that is linked"))->group(options);
    app_.require_subcommand(0, 1);
    for (const Command& command : commands()) {
      if (chosen_ != nullptr && &command != chosen_) continue;  // help is then that of the chosen one
      CLI::App* home = home_of(command);
      if (home != &app_ && group_of(command) != group_) continue;  // inside a group that was not asked for
      CLI::App* sub = home->add_subcommand(std::string(last_word(command)), say_text(command.summary));
      sub->group(say("Subcommands"));
      if (&command != chosen_) continue;
      sub->set_help_flag("-h,--help", say("this help"))->group(options);
      parsed_ = cli::set_up(command, context_);
      if (find_typed(words))
        for (const Flag* flag : typed_) add(*sub, *flag);
      else
        for (const Flag& flag : parsed_.flags) add(*sub, flag);
      if (!parsed_.positional.empty()) add_positional(*sub);
      sub_ = sub;
    }
    app_.footer(say("Example: gpusel recommend --model llama-7b --task finetune"));  // not of the commands
  }

  /// Finds the flags that were typed. False where a word is none of them, as --help is not: setting up a flag costs as
  /// much as estimating a machine, so only then are all of them.
  bool find_typed(const std::vector<std::string>& words) {
    bool all_known = true;
    for (const std::string& word : words) {
      if (!word.starts_with("-")) continue;
      const auto flag = std::ranges::find_if(parsed_.flags, [&](const Flag& one) { return one.spelled_by(word); });
      if (flag == parsed_.flags.end())
        all_known = all_known && plain_number(word);
      else if (std::ranges::find(typed_, &*flag) == typed_.end())
        typed_.push_back(&*flag);
    }
    std::ranges::sort(typed_);  // values are set in the order of the flags
    return all_known;
  }

  void add(CLI::App& sub, const Flag& flag) {
    const std::string shown = flag.names.substr(flag.names.rfind(',') == std::string::npos ? 0 : flag.names.find("--"));
    const std::string name = shown.substr(0, shown.find(','));
    CLI::Option* option = nullptr;
    if (flag.value.empty()) {
      option = sub.add_flag_callback(flag.names, [this, &flag, name] { set(flag.set, "true", name); }, flag.help);
    } else {
      const auto each = [this, &flag, name](const std::vector<std::string>& values) {
        if (values.empty()) set(flag.set, "true", name);
        // CLI11 gives an empty value where an optional one was left out.
        for (const std::string& value : values)
          set(flag.set, value.empty() && flag.optional_value ? "true" : value, name);
      };
      option = sub.add_option_function<std::vector<std::string>>(flag.names, each, flag.help);
      option->type_name(flag.value)->type_size(1);
      option->expected(flag.optional_value ? 0 : 1, 1);  // each time; what follows its value is a positional
      option->multi_option_policy(flag.repeats ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::TakeLast);
      if (!flag.optional_value) option->allow_extra_args(false);
    }
    if (!flag.group.empty()) option->group(flag.group);
  }

  void add_positional(CLI::App& sub) {
    sub.add_option_function<std::vector<std::string>>(
           parsed_.positional,
           [this](const std::vector<std::string>& values) {
             for (const std::string& value : values)
               if (value.empty())
                 problems_.push_back({ErrorKind::usage, say("an empty text says nothing"), parsed_.positional, {}});
               else
                 set(parsed_.positional_set, value, parsed_.positional);
             positional_given_ = true;
           },
           parsed_.positional_help)
        ->type_name("");
  }

  void set(const std::function<Status(std::string_view)>& setter, std::string_view value, const std::string& name) {
    if (Status done = setter(value); !done) {
      Error error = done.error();
      error.where = name;
      problems_.push_back(std::move(error));
    }
  }

  std::string see_help() const {
    if (chosen_ != nullptr) return say("all options: gpusel {} --help", chosen_->name);
    return group_.empty() ? say("all commands: gpusel --help") : say("all commands: gpusel {} --help", group_);
  }

  /// Left-over words first: CLI11 would report a missing option where one was mistyped.
  int report(const CLI::ParseError& error) {
    const std::vector<std::string> left = app_.remaining(true);
    if (left.empty() && chosen_ != nullptr)
      return context_.fail(Error{ErrorKind::usage, own_words(error), {}, see_help()});
    const auto flag = std::find_if(left.begin(), left.end(), [](const auto& w) { return w.starts_with("-"); });
    // A word that names no command makes the flags behind it nobody's.
    const bool is_command = chosen_ == nullptr && !left.empty() && !left.front().starts_with("-");
    const std::string word = left.empty() ? std::string() : flag != left.end() && !is_command ? *flag : left.front();
    if (word.empty()) return context_.fail(Error{ErrorKind::usage, own_words(error), {}, see_help()});
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    if (chosen_ == nullptr) {
      for (const Command& command : commands())
        if (group_of(command) == group_)
          known.emplace_back(last_word(command));
        else if (group_.empty())
          known.emplace_back(group_of(command));
    } else {
      for (const CLI::Option* option : sub_->get_options())
        for (const std::string& spelling : option->get_lnames()) known.push_back("--" + spelling);
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string near = did_you_mean(name, views);
    const std::string shown = shorten(group_.empty() || chosen_ != nullptr ? name : group_ + " " + name, 60);
    return context_.fail(Error{ErrorKind::usage,
                               chosen_ == nullptr && !name.starts_with("-") ? say("unknown command '{}'", shown)
                                                                            : say("unknown argument '{}'", shown),
                               {},
                               near.empty() ? see_help() : near});
  }

  static std::string own_words(const CLI::ParseError& error) {
    const std::string text = error.what();
    return shorten(text.substr(0, text.find('\n')), 200);
  }

  std::string help_of(const Command& command) {
    sub_->description(say_text(command.summary) + described(command));
    const std::string help = sub_->help(group_.empty() ? "gpusel" : "gpusel " + group_);
    return help + "\n" + say("Examples:") + "\n" + say_text(command.examples) + "\n";
  }

  Context& context_;
  CLI::App app_;
  CLI::App* sub_ = nullptr;
  const Command* chosen_ = nullptr;
  std::map<std::string, CLI::App*> groups_;
  std::string group_;  // of the words typed; empty where there is none
  Parsed parsed_;
  std::vector<const Flag*> typed_;  // of parsed_, each once
  bool positional_given_ = false;
  Errors problems_;
};

}  // namespace

ParseOutcome parse(const std::vector<std::string>& words, Context& context) { return Words(context).parse(words); }

}  // namespace gpusel::cli
