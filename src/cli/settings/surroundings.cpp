#include "cli/settings/surroundings.hpp"

#include <filesystem>

#include "base/io/process.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::cli {

namespace {

namespace fs = std::filesystem;

struct CompletionPlace {
  std::string_view shell;
  std::string_view below_share;
};
constexpr CompletionPlace kCompletions[] = {{"bash", "bash-completion/completions/gpusel"},
                                            {"zsh", "zsh/vendor-completions/_gpusel"},
                                            {"zsh", "zsh/site-functions/_gpusel"},
                                            {"fish", "fish/vendor_completions.d/gpusel.fish"}};

/// Folders that hold a "share" of this program or this person: beside the program, and where its own data lies.
std::vector<fs::path> share_folders() {
  std::vector<fs::path> folders;
  std::error_code failed;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", failed); !failed)
    folders.push_back(program.parent_path().parent_path() / "share");
  if (const std::string own = Context::user_folder(); !own.empty()) folders.push_back(fs::path(own).parent_path());
  folders.emplace_back("/usr/local/share");
  folders.emplace_back("/usr/share");
  return folders;
}

std::string first_of(std::string_view below_share) {
  std::error_code ignored;
  for (const fs::path& folder : share_folders())
    if (const fs::path file = folder / below_share; fs::exists(file, ignored)) return file.string();
  return {};
}

Finding environment_finding() {
  std::string set;
  for (const char* name : {"GPUSEL_TODAY", "GPUSEL_STATE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
                           "COLUMNS", "NO_COLOR", "CLICOLOR_FORCE"})
    if (const std::string_view value = environment(name); !value.empty())
      set += format("{}{}={}", set.empty() ? "" : ", ", name, printable(shorten(value, 60)));
  return {say("environment"), Health::ok, set.empty() ? say("nothing set") : set};
}

void add_settings(const Context& context, std::vector<Finding>& findings) {
  const Errors problems = check_settings(context);
  std::string found;
  for (const SettingFile& file : context.settings.files)
    if (file.found) found += (found.empty() ? "" : ", ") + printable(file.path);
  std::size_t variables = 0;
  for (const Setting& setting : context.settings.all) variables += setting.source == SettingSource::variable ? 1 : 0;
  findings.push_back({say("settings"), Health::ok,
                      say("{} total, {} from variables; files: {}", context.settings.all.size(), variables,
                          found.empty() ? say("none") : found)});
  for (const Error& error : problems) {
    // A variable that nobody knows may be another program's; what a file says keeps commands from running.
    const bool of_file = error.where.find(':') != std::string::npos || error.where.find('/') != std::string::npos;
    findings.push_back({say("setting"), of_file ? Health::fail : Health::warn,
                        say("{}: {}", printable(error.where), with_hint(error))});
  }
}

Finding terminal(const Context& context) {
  const show::Terminal terminal = context.terminal();
  return {say("terminal"), Health::ok,
          say("{}, {}", terminal.width == 0 ? say("width unknown") : say("{} columns", std::size_t(terminal.width)),
              terminal.color ? say("color on") : say("color off"))};
}

/// For the shell of this person, where it is one that can be served.
void add_completion(std::vector<Finding>& findings) {
  const std::string shell = fs::path(environment("SHELL")).filename().string();
  std::string file;
  bool known = false;
  for (const CompletionPlace& place : kCompletions) {
    if (place.shell != shell) continue;
    known = true;
    if (file.empty()) file = first_of(place.below_share);
  }
  if (!known) return;
  findings.push_back({say("completion"), Health::ok,
                      file.empty() ? say("{}: not installed; 'gpusel completion {}' prints it", shell, shell)
                                   : format("{}: {}", shell, printable(file))});
}

}  // namespace

std::vector<Finding> surroundings(const Context& context, Date today) {
  std::vector<Finding> findings;
  add_settings(context, findings);
  findings.push_back(environment_finding());
  findings.push_back({say("today"), Health::ok, today.text()});
  findings.push_back({say("language"), Health::ok, std::string(spoken())});
  findings.push_back(terminal(context));
  add_completion(findings);
  const std::string manual = first_of("man/man1/gpusel.1");
  findings.push_back({say("manual"), Health::ok, manual.empty() ? say("not installed") : printable(manual)});
  const std::string folder = Context::user_folder();
  findings.push_back({say("own files"), Health::ok,
                      folder.empty()
                          ? say("no home directory")
                          : say("*.yaml in {}, {} found", printable(folder), Context::user_overlays().size())});
  return findings;
}

}  // namespace gpusel::cli
