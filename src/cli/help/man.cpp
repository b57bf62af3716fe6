#include "cli/help/man.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/io/file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/command.hpp"
#include "cli/help/descriptions.hpp"
#include "cli/words/values.hpp"
#include "gpusel/version.hpp"
#include "job/limits/allowed.hpp"

namespace gpusel::cli {

namespace {

struct Row {
  std::string_view name;
  std::string_view text;
};

constexpr Row kStatuses[] = {
    {"0", to_say("An answer.")},
    {"1", to_say("The answer could not be written, a line of a batch failed, or a file to import could not be read.")},
    {"2", to_say("Wrong input: a flag, value, name, file or setting.")},
    {"3", to_say("Nothing satisfies the constraints.")},
    {"4", to_say("A policy is not met.")},
    {"5", to_say("The catalog, an overlay or a snapshot is invalid, or lint found something.")},
    {"6", to_say("Only prices older than --max-price-age are left, or with --strict a price of the answer is.")},
    {"70", to_say("A defect of gpusel itself.")}};

constexpr Row kVariables[] = {
    {"GPUSEL_FLAG", to_say("Default of the flag of that name, as GPUSEL_CURRENCY=EUR, GPUSEL_OUTPUT=json or "
                           "GPUSEL_MAX_PRICE=3. Paths of GPUSEL_OVERLAY and GPUSEL_RULES are separated by ':'. An "
                           "empty variable is not set.")},
    {"GPUSEL_TODAY", to_say("The day to measure price ages from, such as 2026-11-20; default: the system's date.")},
    {"GPUSEL_STATE", to_say("off: the last question is not kept for gpusel why. Nor is it where CI is set.")},
    {"XDG_CONFIG_HOME", to_say("Folder of gpusel/config.yaml; default ~/.config.")},
    {"XDG_DATA_HOME", to_say("Folder of gpusel/*.yaml; default ~/.local/share.")},
    {"XDG_STATE_HOME", to_say("Folder of gpusel/last.json; default ~/.local/state.")},
    {"COLUMNS", to_say("Width of tables if the terminal does not report one.")},
    {"NO_COLOR, CLICOLOR_FORCE, TERM", to_say("Color.")}};

constexpr Row kFiles[] = {
    {".gpusel.yaml", to_say("Settings of a project: the nearest in the working directory or one above it, up to the "
                            "root of a repository or the home directory.")},
    {"~/.config/gpusel/config.yaml", to_say("Settings of a person, below those of the project.")},
    {"~/.local/share/gpusel/*.yaml", to_say("Overlays that are always applied, and what calibrate keeps.")},
    {"~/.local/state/gpusel/last.json", to_say("The last question of recommend, never its answer, for gpusel why.")}};

constexpr std::string_view kProgramDescription = to_say(
    "Chooses cloud GPU instances for a machine-learning, rendering or video job: what fits, how fast, for how "
    "much, and why. Facts come from a catalog that is built in; each has a source and a date.");

/// Text as troff reads it back: no character of it is a request or an escape.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (line_begins && (byte == '.' || byte == '\'')) out += "\\&";
    line_begins = byte == '\n';
    if (byte == '\\') {
      out += "\\e";
    } else if (byte == '-') {
      out += "\\-";
    } else if (byte == '\'') {
      out += "\\(aq";
    } else if (byte == '`' || byte == '^' || byte == '~') {
      out += byte == '`' ? "\\(ga" : byte == '^' ? "\\(ha" : "\\(ti";
    } else if (byte < 0x80) {
      out += text[i];
    } else {
      const int more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
      std::uint32_t code = byte & (0x3FU >> more);
      for (int k = 0; k < more; ++k) code = code << 6U | (static_cast<unsigned char>(text[++i]) & 0x3FU);
      out += format("\\[u{:04X}]", code);
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string slanted(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string page_of(std::string_view command) {
  std::string page = "gpusel";
  for (const std::string_view word : split(command, ' '))
    if (!word.empty()) page += "-" + std::string(word);
  return page;
}

class Page {
 public:
  Page(std::string_view command, std::string_view summary) : name_(page_of(command)) {
    text_ = ".TH " + roff(upper(name_)) + " 1 \"\" \"gpusel " + roff(kVersion) + "\" \"" + roff(say("gpusel manual")) +
            "\"\n";
    text_ += ".nh\n.ad l\n";  // words of a command line are not to be broken or spread
    section(say("NAME"));
    line(roff(name_) + " \\- " + roff(summary));
  }

  void section(std::string_view title) { text_ += ".SH \"" + roff(title) + "\"\n"; }
  void subsection(std::string_view title) { text_ += ".SS \"" + roff(title) + "\"\n"; }
  void line(std::string_view roffed) { text_ += std::string(roffed) + "\n"; }
  void paragraph(std::string_view words) { text_ += ".PP\n" + roff(words) + "\n"; }
  /// A term and what it means; `term` is troff already.
  void item(std::string_view term, std::string_view words) {
    text_ += ".TP\n" + std::string(term) + "\n" + roff(words) + "\n";
  }
  void rows(std::string_view title, std::span<const Row> rows) {
    section(title);
    for (const Row& row : rows) item(bold(row.name), say_text(row.text));
  }
  void example(std::string_view lines) {
    text_ += ".PP\n.nf\n.RS 2\n";
    for (const std::string_view one : split(lines, '\n'))
      if (!trim(one).empty()) text_ += roff(trim(one)) + "\n";
    text_ += ".RE\n.fi\n";
  }

  /// What is the same on every page.
  void surroundings() {
    rows(say("EXIT STATUS"), kStatuses);
    rows(say("ENVIRONMENT"), kVariables);
    rows(say("FILES"), kFiles);
  }
  Status write(const std::string& folder) const { return write_whole(folder + "/" + name_ + ".1", text_); }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::string text_;
};

void see_also(Page& page) {
  page.section(say("SEE ALSO"));
  std::vector<std::string> pages{page_of({})};
  for (const Command& command : commands()) pages.push_back(page_of(command.name));
  std::erase(pages, page.name());
  for (const std::string& other : pages) page.line(".BR " + roff(other) + (other == pages.back() ? " (1)" : " (1),"));
}

/// "-m, --model MODEL".
std::string term_of(const Flag& flag) {
  std::string term = join_texts(split(flag.names, ','), ", ", bold);
  if (flag.value.empty()) return term;
  return term + (flag.optional_value ? " [" + slanted(flag.value) + "]" : " " + slanted(flag.value));
}

std::string words_of(const Flag& flag) {
  std::string words = flag.help;
  const std::vector<std::string> values =
      flag.value.empty() || names_path(flag.value) ? std::vector<std::string>() : job::allowed_values(flag.set);
  const bool told =
      std::ranges::all_of(values, [&](const auto& value) { return words.find(value) != std::string::npos; });
  if (!told) {
    std::string list = join_texts(values, say_name(", "));
    words += ".\n" + say("Values: {}", list);
  }
  if (flag.repeats) words += ".\n" + say("May be given several times");
  return words.ends_with("…") ? words : words + ".";
}

void options(Page& page, const Parsed& parsed) {
  page.section(say("OPTIONS"));
  std::vector<std::string> groups;
  for (const Flag& flag : parsed.flags)
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  for (const std::string& group : groups) {
    if (!group.empty()) page.subsection(group);
    for (const Flag& flag : parsed.flags)
      if (flag.group == group) page.item(term_of(flag), words_of(flag));
  }
  page.item(bold("-h") + ", " + bold("--help"), say("the usual flags in one screen"));
  page.item(bold("--help-all"), say("every flag"));
}

Page page_of_command(const Command& command, Context& context) {
  const Parsed parsed = set_up(command, context);
  Page page(command.name, say_text(command.summary));
  page.section(say("SYNOPSIS"));
  std::string synopsis = bold("gpusel " + std::string(command.name));
  if (!parsed.positional.empty())
    synopsis += parsed.positional_required ? " " + slanted(parsed.positional) : " [" + slanted(parsed.positional) + "]";
  page.line(synopsis + " [" + slanted("OPTIONS") + "]");
  page.section(say("DESCRIPTION"));
  const std::string_view described = description_of(command.name);
  page.paragraph(described.empty() ? say_text(command.summary) : say_text(described));
  if (!parsed.positional.empty()) page.item(slanted(parsed.positional), parsed.positional_help);
  options(page, parsed);
  page.surroundings();
  page.section(say("EXAMPLES"));
  page.example(say_text(command.examples));
  see_also(page);
  return page;
}

Page page_of_program() {
  Page page({}, say("chooses cloud GPU instances for a job"));
  page.section(say("SYNOPSIS"));
  page.line(bold("gpusel") + " " + slanted("COMMAND") + " [" + slanted("OPTIONS") + "]");
  page.section(say("DESCRIPTION"));
  page.paragraph(say_text(kProgramDescription));
  page.section(say("COMMANDS"));
  for (const Command& command : commands()) page.item(bold(command.name), say_text(command.summary) + ".");
  page.section(say("OPTIONS"));
  page.item(bold("-h") + ", " + bold("--help"), say("all commands; 'gpusel COMMAND --help' for one"));
  page.item(bold("--version"), say("print the version"));
  page.item(bold("--licenses"), say("print the licenses of all that is linked"));
  page.surroundings();
  page.section(say("EXAMPLES"));
  page.example(commands().front().examples);
  see_also(page);
  return page;
}

/// "gpusel config": its commands, each with a page of its own.
Page page_of_group(std::string_view group) {
  Page page(group, group_summary(group));
  page.section(say("SYNOPSIS"));
  page.line(bold("gpusel " + std::string(group)) + " " + slanted("COMMAND") + " [" + slanted("OPTIONS") + "]");
  page.section(say("COMMANDS"));
  for (const Command& command : commands())
    if (group_of(command) == group) page.item(bold(command.name), say_text(command.summary) + ".");
  page.surroundings();
  see_also(page);
  return page;
}

/// Every group once.
std::set<std::string_view> groups() {
  std::set<std::string_view> names;
  for (const Command& command : commands())
    if (!group_of(command).empty()) names.insert(group_of(command));
  return names;
}

}  // namespace

int write_manual(const std::vector<std::string>& words, Context& context) {
  if (words.size() != 2) return context.fail(Error{ErrorKind::usage, say("one folder is needed"), {}, {}});
  speak(languages().front());  // whatever the builder's own settings say
  std::error_code failed;
  std::filesystem::create_directories(words[1], failed);
  if (Status done = page_of_program().write(words[1]); !done) return context.fail(done.error());
  for (const std::string_view group : groups())
    if (Status done = page_of_group(group).write(words[1]); !done) return context.fail(done.error());
  for (const Command& command : commands()) {
    Context scratch;  // asking a flag for its values sets it
    if (Status done = page_of_command(command, scratch).write(words[1]); !done) return context.fail(done.error());
  }
  return kOk;
}

}  // namespace gpusel::cli
