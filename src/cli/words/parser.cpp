#include "cli/words/parser.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "answer/stages/launch.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "cli/help/help.hpp"
#include "cli/help/synonyms.hpp"
#include "cli/question/named.hpp"
#include "cli/settings/settings.hpp"
#include "job/request/task_words.hpp"

namespace gpusel::cli {

namespace {

/// Collects what the setters object to: CLI11 would word it its own way.
class Words {
 public:
  explicit Words(Context& context) : context_(context) {}

  ParseOutcome parse(const std::vector<std::string>& words) {
    words_ = words;
    choose(words);
    ParseOutcome outcome;
    outcome.finished = true;
    // Behind "--" there are names only.
    const auto names = std::ranges::find(words, "--");
    if (const auto asked = std::find_if(words.begin(), names, is_help); asked != names) {
      context_.out.write(help_of(*asked == kHelpAll));
      return outcome;
    }
    const std::vector<std::string> ours = describe(words);
    try {
      std::vector<std::string> reversed = with_values(ours);
      std::ranges::reverse(reversed);
      app_.parse(reversed);
    } catch (const CLI::ParseError& error) {
      outcome.status = report(error);
      return outcome;
    }
    if (!problems_.empty()) {
      outcome.status = context_.fail(problems_.front());
      return outcome;
    }
    put_in_order();
    if (chosen_ == nullptr) {
      if (words.empty())
        context_.out.write(first_lines(context_));
      else
        context_.err.write(commands_help(group_));
      outcome.status = words.empty() ? kOk : kUsage;
      return outcome;
    }
    if (parsed_.positional_required && !positional_given_) {
      outcome.status =
          context_.fail(Error{ErrorKind::usage, say("{} is missing", parsed_.positional), {}, an_example(), true});
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
    home->set_help_flag();
    home->require_subcommand(0, 1);
    return home;
  }

  /// Names and summaries of all commands, but the options of the chosen one only: building the
  /// others would cost more than answering. Returns the line in the chosen command's own words.
  std::vector<std::string> describe(const std::vector<std::string>& words) {
    std::vector<std::string> ours = words;
    app_.name("gpusel");
    app_.set_help_flag();  // answered before anything is parsed, as is --version
    app_.require_subcommand(0, 1);
    for (const Command& command : commands()) {
      if (chosen_ != nullptr && &command != chosen_) continue;
      CLI::App* home = home_of(command);
      if (home != &app_ && group_of(command) != group_) continue;  // inside a group that was not asked for
      CLI::App* sub = home->add_subcommand(std::string(last_word(command)), say_text(command.summary));
      sub->set_help_flag();
      if (&command != chosen_) continue;
      parsed_ = cli::set_up(command, context_);
      ours = in_own_words(words);
      if (find_typed(ours))
        for (const Flag* flag : typed_) add(*sub, *flag);
      else
        for (const Flag& flag : parsed_.flags) add(*sub, flag);
      if (!parsed_.positional.empty()) add_positional(*sub);
      sub_ = sub;
    }
    return ours;
  }

  /// Flags of other tools that mean the same as one of ours, and where another program's line begins.
  std::vector<std::string> in_own_words(const std::vector<std::string>& words) const {
    std::vector<std::string> ours;
    const auto rest = [&](std::size_t from) {
      ours.insert(ours.end(), words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
      return std::move(ours);
    };
    const auto names = static_cast<std::size_t>(std::ranges::count(chosen_->name, ' ')) + 1;  // of the command
    std::size_t bare = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word == "--") return rest(i);
      const bool is_flag = word.starts_with("-") && !plain_number(word);
      if (!is_flag && ++bare > names && parsed_.takes_line && !is_whole_line(words, i)) {
        ours.emplace_back("--");
        return rest(i);
      }
      const Flag* known = is_flag ? parsed_.find(word) : nullptr;
      if (!is_flag || known != nullptr) {
        ours.push_back(word);
        const bool takes_next = known != nullptr && !known->value.empty() && !known->optional_value &&
                                word.find('=') == std::string::npos && i + 1 < words.size();
        const bool alone = i + 1 == words.size() || words[i + 1].starts_with("-");
        if (const std::string_view value = value_alone(word); alone && !value.empty())
          ours.back() += "=" + std::string(value);
        else if (takes_next)
          ours.push_back(words[++i]);
        continue;
      }
      add_translated(word, ours);
    }
    return ours;
  }

  /// Whether the word there is a line in quotes, behind which our own flags may follow.
  bool is_whole_line(const std::vector<std::string>& words, std::size_t at) const {
    const bool alone = at + 1 == words.size() || parsed_.find(words[at + 1]) != nullptr;
    return alone && words[at].find_first_of(" \t\n") != std::string::npos;
  }

  void add_translated(const std::string& word, std::vector<std::string>& ours) const {
    const auto equals = std::min(word.find('='), word.size());
    const auto same = same_flag(std::string_view(word).substr(0, equals),
                                [&](std::string_view name) { return parsed_.find(name) != nullptr; });
    const bool has_place = same && (same->place.empty() || takes_word(same->place));
    const bool has_own_value = same && (!same->value.empty() || (same->name.empty() && same->place.empty()));
    if (!has_place || (has_own_value && equals != word.size())) return ours.push_back(word);
    if (!same->place.empty()) {
      if (equals != word.size()) ours.push_back(word.substr(equals + 1));
      return;
    }
    if (!same->first.empty()) ours.emplace_back(same->first);
    if (!same->name.empty()) ours.push_back(std::string(same->name) + word.substr(equals));
    if (!same->value.empty()) ours.emplace_back(same->value);
  }

  /// Whether words of the line may be that: "SKU", "GPU".
  bool takes_word(std::string_view place) const {
    return std::ranges::any_of(parsed_.positional_places, [&](const Place& one) {
      const auto values = split(one.values, '|');
      return std::ranges::find(values, place) != values.end();
    });
  }

  /// Finds the flags that were typed. False where a word is none of them, as --help is not: setting up a flag costs as
  /// much as estimating a machine, so only then are all of them.
  bool find_typed(const std::vector<std::string>& words) {
    bool all_known = true;
    for (const std::string& word : words) {
      if (word == "--") break;  // behind it there are names only
      if (!word.starts_with("-")) continue;
      const Flag* flag = parsed_.find(word);
      if (flag == nullptr)
        all_known = all_known && plain_number(word);
      else if (std::ranges::find(typed_, flag) == typed_.end())
        typed_.push_back(flag);
    }
    std::ranges::sort(typed_);  // values are set in the order of the flags
    return all_known;
  }

  /// A switch that may have a value takes the next word only if it is one: what else follows is a word of its own.
  std::vector<std::string> with_values(const std::vector<std::string>& words) const {
    static constexpr std::string_view kTruths[] = {"true", "false", "yes", "no", "on", "off", "1", "0"};
    std::vector<std::string> out;
    for (std::size_t i = 0; i < words.size(); ++i) {
      out.push_back(words[i]);
      if (words[i] == "--") {
        out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
        break;
      }
      const bool is_switch = words[i].starts_with("--") && words[i].find('=') == std::string::npos &&
                             std::ranges::any_of(parsed_.flags, [&](const Flag& flag) {
                               return flag.optional_value && flag.spelled_by(words[i]);
                             });
      if (!is_switch) continue;
      const bool has_value = i + 1 < words.size() && std::ranges::find(kTruths, words[i + 1]) != std::end(kTruths);
      out.back() += "=" + (has_value ? words[++i] : "true");
    }
    return out;
  }

  void add(CLI::App& sub, const Flag& flag) {
    const std::string shown = flag.names.substr(flag.names.rfind(',') == std::string::npos ? 0 : flag.names.find("--"));
    const std::string name = shown.substr(0, shown.find(','));
    CLI::Option* option = nullptr;
    if (flag.value.empty()) {
      option = sub.add_flag_callback(flag.names, [this, &flag, name] { set(flag.set, "true", name); }, flag.help);
    } else {
      const auto each = [this, &flag, name](const std::vector<std::string>& values) {
        for (const std::string& value : values)
          set(flag.set, value.empty() && flag.optional_value ? "true" : value, name);
      };
      option = sub.add_option_function<std::vector<std::string>>(flag.names, each, flag.help);
      option->type_name(flag.value)->type_size(1);
      option->expected(1);  // each time; what follows its value is a positional
      option->multi_option_policy(flag.repeats ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::TakeLast);
      option->allow_extra_args(false);
    }
    if (!flag.group.empty()) option->group(flag.group);
    names_[option] = name;
  }

  void add_positional(CLI::App& sub) {
    CLI::Option* const option = sub.add_option_function<std::vector<std::string>>(
        parsed_.positional,
        [this](const std::vector<std::string>& values) {
          for (const std::string& value : values)
            if (value.empty())
              problems_.push_back({ErrorKind::usage, say("an empty text says nothing"), parsed_.positional, {}});
            else
              set(parsed_.positional_set, value, parsed_.positional);
          positional_given_ = true;
        },
        parsed_.positional_help);
    option->type_name("");
    names_[option] = parsed_.positional;
  }

  /// What was set flag by flag, in the order of the line.
  void put_in_order() const {
    auto& typed = context_.typed;
    auto next = typed.begin();
    for (const CLI::Option* option : sub_ != nullptr ? sub_->parse_order() : std::vector<CLI::Option*>()) {
      const auto name = names_.find(option);
      if (name == names_.end()) continue;
      const auto found = std::find_if(next, typed.end(), [&](const auto& one) { return one.first == name->second; });
      if (found == typed.end()) continue;
      std::rotate(next, found, found + 1);
      ++next;
    }
  }

  void set(const std::function<Status(std::string_view)>& setter, std::string_view value, const std::string& name) {
    context_.typed.emplace_back(name, value);
    if (Status done = setter(value); !done) {
      Error error = done.error();
      error.where = name;
      if (Hint each = each_of(setter, value, typed_as(value, name)); !each.empty()) error.hint = std::move(each);
      problems_.push_back(std::move(error));
    }
  }

  /// The flag as it was typed in front of its value.
  std::string typed_as(std::string_view value, const std::string& name) const {
    const auto at = std::ranges::find(words_, value);
    const bool behind_flag = at != words_.end() && at != words_.begin() && (at - 1)->starts_with("--");
    return behind_flag ? *(at - 1) : name;
  }

  /// "1,10,100" for a flag that takes one of them: where values can be varied, that is how.
  Hint each_of(const std::function<Status(std::string_view)>& setter, std::string_view value,
               const std::string& name) const {
    const auto parts = split(value, ',');
    const bool are_values = std::ranges::all_of(parts, [&](std::string_view part) { return setter(part).has_value(); });
    if (parts.size() < 2 || !are_values || !name.starts_with("--") || parsed_.find("--vary") == nullptr) return {};
    return one_of_these({format("--vary {}={}", name.substr(2), value)});
  }

  std::string see_help() const {
    if (chosen_ != nullptr) return say("all options: gpusel {} --help", chosen_->name);
    return group_.empty() ? say("all commands: gpusel --help") : say("all commands: gpusel {} --help", group_);
  }

  /// A line of the command that can be typed.
  std::string an_example() const {
    if (chosen_ == nullptr) return see_help();
    return say("for example: {}", trim(split(chosen_->examples, '\n').front()));
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
    // The marks in front are no letters of a name.
    const bool is_flag = name.starts_with("--");
    std::vector<std::string> known;
    if (chosen_ == nullptr) {
      for (const Command& command : commands())
        if (group_of(command) == group_)
          known.emplace_back(last_word(command));
        else if (group_.empty())
          known.emplace_back(group_of(command));
    } else {
      for (const CLI::Option* option : sub_->get_options())
        for (const std::string& spelling : option->get_lnames()) known.push_back(spelling);
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    Hint near = by_meaning(name);
    if (near.empty()) {
      std::vector<std::string> names = nearest_names(is_flag ? std::string_view(name).substr(2) : name, views);
      if (chosen_ != nullptr)
        for (std::string& one : names) one.insert(0, "--");
      near = one_of_these(std::move(names));
    }
    const std::string shown = shorten(group_.empty() || chosen_ != nullptr ? name : group_ + " " + name, 60);
    if (const std::string others = chosen_ != nullptr && is_flag ? who_take(name) : std::string(); !others.empty())
      return context_.fail(Error{ErrorKind::usage,
                                 say("gpusel {} does not take {}; commands that do: {}", chosen_->name, shown, others),
                                 {},
                                 near.or_else(see_help()),
                                 false,
                                 name});
    return context_.fail(Error{ErrorKind::usage,
                               chosen_ == nullptr && !name.starts_with("-") ? say("unknown command '{}'", shown)
                                                                            : say("unknown argument '{}'", shown),
                               {},
                               near.or_else(see_help()),
                               false,
                               name.starts_with("-") ? name : std::string()});
  }

  /// The commands that have this flag; empty: none.
  static std::string who_take(const std::string& flag) {
    std::string names;
    for (const Command& command : commands()) {
      if (const Parsed parsed = command.make(); parsed.find(flag) != nullptr) add_name(names, command.name);
    }
    return names;
  }

  /// "price h100", "h100 price": SkyPilot's first question.
  static Hint by_price(const std::vector<std::string>& words, const catalog::Catalog& catalog) {
    static constexpr std::string_view kPrice[] = {"price",     "prices", "pricing", "cheapest", "cost",
                                                  "show-gpus", "list",   "find",    "价格",     "报价"};
    const auto priced = [](const std::string& word) {
      return std::ranges::find(kPrice, lower(word)) != std::end(kPrice);
    };
    const auto gpu = std::ranges::find_if(words, [&](const std::string& word) { return names_gpus(word, catalog); });
    if (gpu == words.end() || std::ranges::none_of(words, priced)) return {};
    return {say("did you mean 'gpusel instances --gpu {}'?", shorten(*gpu, 40)), {"instances --gpu " + *gpu}};
  }

  /// The words from there on, as they would be typed.
  std::string line_from(std::size_t first) const {
    std::string line;
    for (std::size_t i = first; i < words_.size(); ++i)
      line += (i > first ? " " : "") + answer::shell_word(shorten(words_[i], 60));
    return line;
  }

  /// Models and machines behind the first word, also as the values of flags.
  LineNames names_on_line(const catalog::Catalog& catalog) const {
    LineNames names;
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const std::string& word = words_[i];
      const std::string value =
          word.starts_with("-") ? word.substr(std::min(word.find('='), word.size() - 1) + 1) : word;
      const bool gpus = names_gpus(value, catalog);
      if (value.empty() || (!gpus && !catalog.has_instance(value) && !catalog.model(value))) continue;
      names.all.push_back(answer::shell_word(shorten(value, 60)));
      (gpus ? names.gpus : names.others).push_back(names.all.back());
    }
    return names;
  }

  /// " --rps 10": flags on the line that the command of `line` has too, whose values are no names.
  std::string flags_on_line(const std::string& line, const LineNames& names) const {
    const auto parts = split(line, ' ');
    const Command* command = find_command(parts.size() > 1 ? format("{} {}", parts[0], parts[1]) : line);
    if (command == nullptr) command = find_command(parts.front());
    if (command == nullptr) return {};
    const Parsed parsed = command->make();
    std::string flags;
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const std::string& word = words_[i];
      const Flag* flag = word.starts_with("--") && word != "--" ? parsed.find(word.substr(0, word.find('='))) : nullptr;
      if (flag == nullptr) continue;
      const bool takes_next = !flag->value.empty() && !flag->optional_value && !word.contains('=');
      if (takes_next && i + 1 == words_.size()) continue;
      const std::string value = takes_next ? answer::shell_word(words_[i + 1]) : word.substr(word.find('=') + 1);
      if (std::ranges::find(names.all, value) != names.all.end()) continue;
      flags += " " + answer::shell_word(shorten(word, 60)) + (takes_next ? " " + shorten(value, 60) : std::string());
    }
    return flags;
  }

  /// What was typed as the value of an unknown flag.
  std::string value_behind(std::string_view name) const {
    const auto at =
        std::ranges::find_if(words_, [&](std::string_view word) { return word.substr(0, word.find('=')) == name; });
    if (at == words_.end()) return {};
    if (const auto equals = at->find('='); equals != std::string::npos) return shorten(at->substr(equals + 1), 40);
    const auto next = at + 1;
    return next == words_.end() || next->starts_with("-") ? std::string() : shorten(*next, 40);
  }

  /// The right word, where what was typed means one that is there.
  Hint by_meaning(const std::string& name) {
    if (chosen_ == nullptr && !name.starts_with("-")) {
      if (!group_.empty()) {
        const auto known = catalog::load({});
        const auto meant = meant_command(format("{} {}", group_, name), known ? names_on_line(*known) : LineNames{});
        return meant ? Hint(say("did you mean 'gpusel {}'?", *meant), {*meant}) : Hint();
      }
      const auto catalog = catalog::load({});
      if (catalog)
        if (Hint prices = by_price(words_, *catalog); !prices.empty()) return prices;
      // "list gpus": the verb is no command, what follows it is one.
      static constexpr std::string_view kVerbs[] = {"list", "ls", "get", "show", "describe"};
      if (words_.size() > 1 && std::ranges::find(kVerbs, name) != std::end(kVerbs) && find_command(words_[1])) {
        const std::string line = line_from(1);
        return {say("did you mean 'gpusel {}'?", line), {line}};
      }
      const LineNames names = catalog ? names_on_line(*catalog) : LineNames{};
      if (const auto meant = meant_command(name, names)) {
        const std::string line = *meant + flags_on_line(*meant, names);
        return {say("did you mean 'gpusel {}'?", line), {line}};
      }
      if (!catalog) return {};
      if (catalog->model(name) || job::is_task_word(name)) {
        const std::string line = "recommend " + line_from(0);
        return {say("did you mean 'gpusel {}'?", line), {line}};
      }
      if (catalog->has_gpu(name) || catalog->has_instance(name))
        return {say("did you mean 'gpusel catalog show {}'?", shorten(name, 60)), {"catalog show " + name}};
      return {};
    }
    const auto is_flag = [&](std::string_view flag) { return parsed_.find(flag) != nullptr; };
    if (chosen_ == nullptr) return {};
    if (std::string instead = instead_of_flag(name); !instead.empty()) return Hint(std::move(instead));
    auto meant = meant_flag(name, is_flag);
    if (!meant) return {};
    // "--where eu" is a place, "--where 'vram>=48'" a filter.
    if (name == "--where" && value_behind(name).find_first_of("<>=!~") != std::string::npos) meant = "--filter";
    if (const std::string value = value_behind(name); meant->contains('#'))
      meant->replace(meant->find('#'), 1, value.empty() ? "10" : value);
    else if (meant->contains('+'))
      meant->replace(meant->find('+'), value.empty() ? 1 : std::string::npos, value);
    else if (!value.empty() && !meant->contains(' '))
      *meant += " " + value;
    return Hint(say("did you mean '{}'?", *meant), {*meant});
  }

  std::string own_words(const CLI::ParseError& error) const {
    const std::string text = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && !words_.empty() &&
        words_.back().starts_with("-"))
      return say("the value of {} is missing", shorten(words_.back(), 60));
    return shorten(text.substr(0, text.find('\n')), 200);
  }

  std::string help_of(bool all) {
    if (chosen_ == nullptr) return commands_help(group_);
    const Parsed parsed = cli::set_up(*chosen_, context_);
    return all ? full_help(*chosen_, parsed) : short_help(*chosen_, parsed);
  }

  Context& context_;
  CLI::App app_;
  std::vector<std::string> words_;  // as they were typed
  CLI::App* sub_ = nullptr;
  const Command* chosen_ = nullptr;
  std::map<std::string, CLI::App*> groups_;
  std::string group_;  // of the words typed; empty where there is none
  Parsed parsed_;
  std::vector<const Flag*> typed_;  // of parsed_, each once
  std::map<const CLI::Option*, std::string> names_;
  bool positional_given_ = false;
  Errors problems_;
};

}  // namespace

ParseOutcome parse(const std::vector<std::string>& words, Context& context) { return Words(context).parse(words); }

}  // namespace gpusel::cli
