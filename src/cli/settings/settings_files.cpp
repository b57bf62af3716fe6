// Where settings are found, and how their files are read.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/io/document.hpp"
#include "base/io/file.hpp"
#include "base/io/process.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/command.hpp"
#include "cli/settings/settings.hpp"

extern char** environ;

namespace gpusel::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "GPUSEL_";
constexpr std::string_view kProjectFile = ".gpusel.yaml";
/// Variables of that prefix that are no flag's.
constexpr std::string_view kNoFlags[] = {"GPUSEL_TODAY", "GPUSEL_STATE"};

bool is_there(const fs::path& path) {
  struct stat state{};
  return lstat(path.c_str(), &state) == 0;
}

/// Also where somebody has a folder for settings and may not look into it.
bool is_user_file_there(const fs::path& path) {
  if (may_be_there(path)) return true;
  return errno != ENOENT && is_there(path.parent_path());
}

fs::path user_file() {
  const std::string folder = own_folder("XDG_CONFIG_HOME", ".config");
  return folder.empty() ? fs::path() : fs::path(folder) / "config.yaml";
}

/// The nearest in this folder or one above it, up to the root of a repository or the home directory.
fs::path project_file() {
  std::error_code failed;
  const fs::path home(environment("HOME"));
  for (fs::path folder = fs::current_path(failed); !failed && !folder.empty(); folder = folder.parent_path()) {
    if (may_be_there(folder / kProjectFile)) return folder / kProjectFile;
    if (folder == home || folder == folder.root_path() || is_there(folder / ".git")) break;
  }
  return {};
}

bool is_ours(uid_t owner) { return owner == geteuid() || owner == 0; }

/// A link says who chose the file that it leads to.
bool is_our_name(const fs::path& path) {
  struct stat state{};
  return lstat(path.c_str(), &state) == 0 && is_ours(state.st_uid);
}

/// As a person standing here would write it: from the working directory, or from the home directory.
std::string short_path(const std::string& path) {
  const auto below = [&](const std::string& folder) {
    return folder.size() > 1 && path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
  };
  std::error_code failed;
  const std::string here = fs::current_path(failed).string();
  const std::string home(environment("HOME"));
  if (below(here)) return path.substr(here.size() + 1);
  return below(home) ? "~" + path.substr(home.size()) : path;
}

class Reader {
 public:
  Reader(SettingSource source, std::string path, Settings& settings)
      : source_(source), path_(std::move(path)), settings_(settings) {}

  void read() {
    const auto text = text_of_file();
    if (!text) return settings_.unreadable.push_back(text.error());
    const auto document = parse_yaml(*text, path_);
    if (!document) return settings_.unreadable.push_back(document.error());
    const Node& root = document->root;
    if (root.kind == Node::Kind::null) return;
    if (!root.is_map()) return wrong(root, say("settings are a map, as in 'currency: EUR'"));
    // What a file says of one command is stronger than what it says of all.
    for (const Node& node : root.children)
      if (is_of_command(node))
        for (const Node& inner : node.children) add(node.key, inner);
    for (const Node& node : root.children)
      if (!is_of_command(node)) add({}, node);
  }

 private:
  /// Whoever can put a file into a folder above mine does not choose my prices.
  Result<std::string> text_of_file() const {
    const auto file = InputFile::open(path_);
    if (!file) return usage_error(say("cannot read '{}': {}", printable(path_), file.error()));
    if (source_ == SettingSource::project && !(is_our_name(path_) && is_ours(file->owner())))
      return usage_error(say("belongs to another user, who could then change your settings"), path_,
                         say("make it your own, or work elsewhere"));
    constexpr std::size_t kMostBytes = std::size_t{1} << 20U;  // every flag there is, many times over
    return read_text(*file, path_, kMostBytes);
  }

  void wrong(const Node& node, std::string message) {
    settings_.unreadable.push_back({ErrorKind::usage, std::move(message), position(path_, node), {}});
  }

  /// "recommend: {limit: 5}", told from "weight: {cost: 1}" by the name.
  static bool is_of_command(const Node& node) { return node.is_map() && find_command(node.key) != nullptr; }

  void add(const std::string& command, const Node& node) {
    Setting setting{command, node.key, {}, source_, path_, node.key_line, node.key_column};
    if (node.is_scalar()) {
      setting.values.push_back(node.text);
    } else {
      for (const Node& one : node.children) {
        if (!one.is_scalar()) return wrong(one, say("a setting is a value, a list of values or a map of values"));
        setting.values.push_back(node.is_map() ? one.key + "=" + one.text : one.text);
      }
    }
    if (setting.values.empty()) return wrong(node, say("'{}' has no value", printable(node.key)));
    settings_.all.push_back(std::move(setting));
  }

  SettingSource source_;
  std::string path_;
  Settings& settings_;
};

void read_environment(Settings& settings) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with(kPrefix)) continue;
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
    if (value.empty() || std::ranges::find(kNoFlags, name) != std::end(kNoFlags)) continue;
    Setting setting{
        {}, lower(name.substr(kPrefix.size())), {std::string(value)}, SettingSource::variable, std::string(name), 0, 0};
    settings.all.push_back(std::move(setting));
  }
  // Not in the order in which a shell happens to export them.
  std::ranges::sort(settings.all, {}, &Setting::name);
}

}  // namespace

std::string own_folder(const char* name, std::string_view below_home) {
  const std::string_view base = environment(name);
  if (base.starts_with('/')) return fs::path(base) / "gpusel";
  const std::string_view home = environment("HOME");
  return home.starts_with('/') ? std::string(fs::path(home) / below_home / "gpusel") : std::string();
}

std::string Setting::origin() const {
  if (source == SettingSource::variable) return from;
  return format("{}:{}", printable(short_path(from)), line);
}

std::string Setting::where() const {
  return source == SettingSource::variable ? from : format("{}:{}:{}", from, line, column);
}

std::optional<std::string> Settings::value(std::string_view name) const {
  for (const Setting& setting : all)
    if (setting.command.empty() && setting.name == name && setting.values.size() == 1) return setting.values.front();
  return std::nullopt;
}

Settings read_settings() {
  Settings settings;
  read_environment(settings);
  const fs::path project = project_file();
  const fs::path user = user_file();
  settings.files.push_back(
      {SettingSource::project, project.empty() ? std::string(kProjectFile) : project.string(), !project.empty()});
  if (!user.empty()) settings.files.push_back({SettingSource::user, user.string(), is_user_file_there(user)});
  for (const SettingFile& file : settings.files)
    if (file.found) Reader(file.source, file.path, settings).read();
  return settings;
}

}  // namespace gpusel::cli
