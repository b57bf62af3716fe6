#include "cli/words/complete.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "base/text/text.hpp"
#include "cli/settings/settings.hpp"
#include "cli/words/values.hpp"

namespace gpusel::cli {

namespace {

using TypedWords = std::span<const std::string>;

bool is_flag(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

/// The first line of a help text that would not fit beside the word.
std::string brief(std::string_view help) {
  constexpr std::size_t kLongest = 90;
  return shorten(help, kLongest);
}

class Completion {
 public:
  Completion(Context& context, std::string cursor) : context_(context), cursor_(std::move(cursor)) {}

  /// `words`: those before the cursor.
  void look(TypedWords words) {
    const auto first = std::ranges::find_if_not(words, is_flag);
    const std::size_t at = static_cast<std::size_t>(first - words.begin());
    if (at == words.size()) return offer_commands({});
    const std::string& name = words[at];
    const bool is_group =
        std::ranges::any_of(commands(), [&](const Command& command) { return group_of(command) == name; });
    if (is_group && at + 1 == words.size()) return offer_commands(name);
    const Command* command = find_command(is_group ? name + " " + words[at + 1] : name);
    if (command != nullptr) offer_of(*command, words.subspan(at + (is_group ? 2 : 1)));
  }

  void print() {
    keep_beginning(offered_.candidates, cursor_);
    std::string text;
    for (const Candidate& one : offered_.candidates) {
      text += printable(one.value);
      if (!one.words.empty()) text += "\t" + printable(brief(one.words));
      text += "\n";
    }
    if (offered_.files) text += ":files\n";
    if (offered_.goes_on) text += ":nospace\n";
    context_.out.write(text);
  }

 private:
  void offer(std::string value, std::string words, bool other = false) {
    offered_.candidates.push_back({std::move(value), std::move(words), other});
  }

  void offer_commands(std::string_view group) {
    if (is_flag(cursor_) || cursor_ == "-") {
      offer("--help", say("this help"));
      if (group.empty()) offer("--version", say("print the version"));
      if (group.empty()) offer("--licenses", say("print the licenses of all that is linked"));
      return;
    }
    for (const Command& command : commands()) {
      if (group_of(command) == group) offer(std::string(last_word(command)), say_text(command.summary));
      if (group.empty() && !group_of(command).empty())
        offer(std::string(group_of(command)), group_summary(group_of(command)));
    }
  }

  void offer_of(const Command& command, TypedWords words) {
    parsed_ = set_up(command, context_);
    const Flag* open = read(words);
    (void)apply_settings(command, parsed_, context_);
    const Lookup lookup = [this]() -> const catalog::Catalog& { return catalog(); };
    if (open != nullptr && !(open->optional_value && is_flag(cursor_))) {
      offered_ = values_of(*open, cursor_, lookup);
    } else if (const auto equals = cursor_.find('='); cursor_.starts_with("--") && equals != std::string::npos) {
      const Flag* flag = parsed_.find(cursor_);
      if (flag == nullptr || flag->value.empty()) return;
      offered_ = values_of(*flag, cursor_.substr(equals + 1), lookup);
      for (Candidate& one : offered_.candidates) one.value.insert(0, cursor_, 0, equals + 1);
    } else if (cursor_.starts_with('-') && !only_positionals_) {
      offer_flags();
    } else {
      offer_positionals(lookup);
    }
  }

  /// Takes the words before the cursor; the flag that still waits for its value, if one does.
  const Flag* read(TypedWords words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word == "--") only_positionals_ = true;
      if (only_positionals_ || !is_flag(word)) {
        if (word != "--") positionals_.push_back(word);
        continue;
      }
      const Flag* flag = parsed_.find(word);
      if (flag == nullptr) continue;
      context_.settings.said.push_back(flag->name());
      const auto equals = word.starts_with("--") ? word.find('=') : std::string::npos;
      if (equals != std::string::npos) {
        (void)flag->set(word.substr(equals + 1));
      } else if (!flag->value.empty()) {
        if (i + 1 == words.size()) return flag;
        // A value that may be left out is one where the flag takes it.
        if (!flag->optional_value || flag->set(words[i + 1]).has_value()) (void)flag->set(words[++i]);
      }
    }
    return nullptr;
  }

  /// What the line has not said yet; other spellings where the first one is not what is being typed.
  void offer_flags() {
    for (const Flag& flag : parsed_.flags) {
      if (!flag.repeats && std::ranges::find(context_.settings.said, flag.name()) != context_.settings.said.end())
        continue;
      for (const std::string_view spelling : split(flag.names, ','))
        offer(std::string(spelling), flag.help, spelling != flag.name());
    }
    offer("--help", say("this help"));
  }

  void offer_positionals(const Lookup& lookup) {
    const bool none = parsed_.positional_places.empty();
    if (none && cursor_.empty()) return offer_flags();
    const auto& places = parsed_.positional_places;
    const auto behind = std::ranges::find_if(places, [&](const Place& place) {
      return !place.after.empty() && !positionals_.empty() && positionals_.front() == place.after;
    });
    if (behind != places.end()) {
      if (positionals_.size() == 1) offered_ = values_of_word(behind->values, cursor_, lookup);
      return;
    }
    for (const Place& place : places) {
      if (place.after.empty()) {
        Offered more = values_of_word(place.values, cursor_, lookup);
        offered_.files = offered_.files || more.files;
        offered_.candidates.insert(offered_.candidates.end(), more.candidates.begin(), more.candidates.end());
      } else if (positionals_.empty()) {
        offer(std::string(place.after), {});
      }
    }
  }

  /// With the files that the line and the settings name; without them where they cannot be read.
  const catalog::Catalog& catalog() {
    if (catalog_) return *catalog_;
    auto all = catalog::load(context_.layers());
    if (!all) all = catalog::load({});
    catalog_.emplace(std::move(*all));
    return *catalog_;
  }

  Context& context_;
  std::string cursor_;
  Parsed parsed_;
  std::vector<std::string> positionals_;
  bool only_positionals_ = false;
  std::optional<catalog::Catalog> catalog_;
  Offered offered_;
};

}  // namespace

void complete(const std::vector<std::string>& words, Context& context) {
  const std::size_t first = words.size() > 1 && words[1] == "--" ? 2 : 1;
  if (words.size() <= first) return;
  context.common.quiet = true;
  const TypedWords before = TypedWords(words).subspan(first, words.size() - first - 1);
  Completion completion(context, words.back());
  completion.look(before);
  completion.print();
}

}  // namespace gpusel::cli
