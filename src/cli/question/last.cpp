#include "cli/question/last.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "answer/stages/launch.hpp"
#include "base/io/document.hpp"
#include "base/io/file.hpp"
#include "base/io/process.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/json/json.hpp"

namespace gpusel::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLastSchema = "gpusel.last/1";
/// Flags of every command that an answer depends on.
constexpr std::string_view kOfData[] = {"--catalog", "--overlay", "--price", "--discount", "--own"};
constexpr std::size_t kMostKept = std::size_t{64} << 10U;

/// $XDG_STATE_HOME, else ~/.local/state; empty without a home directory that is there.
fs::path state_home() {
  std::error_code failed;
  if (const auto given = environment("XDG_STATE_HOME"); given.starts_with('/')) {
    const fs::path path(given);
    return fs::is_directory(path.parent_path(), failed) ? path : fs::path();
  }
  const fs::path home(environment("HOME"));
  return !home.empty() && fs::is_directory(home, failed) ? home / ".local" / "state" : fs::path();
}

fs::path last_file() {
  const fs::path home = state_home();
  return home.empty() || environment("GPUSEL_STATE") == "off" ? fs::path() : home / "gpusel" / "last.json";
}

/// Whole or not at all, and for nobody else to read.
void write_private(const fs::path& path, std::string_view text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed) return;
  fs::permissions(path.parent_path(), fs::perms::owner_all, failed);
  const std::string unfinished = path.string() + "." + std::to_string(getpid());
  constexpr mode_t kOwnerOnly = 0600;
  const int file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwnerOnly);
  if (file < 0) return;
  const bool written = write_all(file, text);
  const bool closed = close(file) == 0;
  if (written && closed)
    fs::rename(unfinished, path, failed);
  else
    fs::remove(unfinished, failed);
}

/// Whether what was typed by this name is a part of the question.
bool belongs(const std::string& name, const std::vector<std::string>& flags) {
  return name == kWordsName || std::ranges::find(flags, name) != flags.end() ||
         std::ranges::find(kOfData, name) != std::end(kOfData);
}

LastQuestion asked_in(const std::vector<std::string>& flags, const Context& context) {
  LastQuestion asked;
  std::ranges::copy_if(context.typed, std::back_inserter(asked),
                       [&](const auto& one) { return belongs(one.first, flags); });
  return asked;
}

/// "llama-3.1-8b --request-rate 10": the question as it would be typed. A switch is "true" though nobody typed that.
std::string line_of(const LastQuestion& question, std::size_t longest = std::string::npos) {
  std::string line;
  for (const auto& [name, value] : question) {
    const bool is_word = name == kWordsName;
    if (!line.empty()) line += ' ';
    if (!is_word) line += name;
    if (!is_word && value == "true") continue;
    line += (is_word ? "" : " ") + answer::shell_word(shorten(value, longest));
  }
  return line;
}

}  // namespace

bool keeps_questions(const Context& context) {
  return environment("CI").empty() && !context.out.kept() && context.reads_files && !last_file().empty();
}

void keep_question(const std::vector<std::string>& flags, const Context& context) {
  if (!keeps_questions(context)) return;
  const fs::path path = last_file();
  show::Json asked = show::Json::array();
  for (const auto& [name, value] : asked_in(flags, context)) asked.push_back({name, value});
  const std::string text = show::dump({{"schema", kLastSchema}, {"asked", std::move(asked)}});
  if (text.size() <= kMostKept) write_private(path, text);
}

std::string question_line(const std::vector<std::string>& flags, const Context& context) {
  return line_of(asked_in(flags, context));
}

std::optional<LastQuestion> last_question() {
  const fs::path path = last_file();
  if (path.empty()) return std::nullopt;
  const auto text = read_text_file(path.string());
  if (!text || text->size() > kMostKept) return std::nullopt;
  const auto document = parse_json(*text, path.string());
  if (!document || !document->root.is_map()) return std::nullopt;
  const Node* schema = document->root.find("schema");
  const Node* asked = document->root.find("asked");
  if (schema == nullptr || schema->text != kLastSchema || asked == nullptr) return std::nullopt;
  LastQuestion question;
  for (const Node& pair : asked->children) {
    if (pair.children.size() != 2 || !pair.children[0].is_scalar() || !pair.children[1].is_scalar())
      return std::nullopt;
    question.emplace_back(pair.children[0].text, pair.children[1].text);
  }
  return question;
}

bool ask_again(std::vector<std::string>& words, const std::vector<Flag>& flags, Context& context) {
  const auto last = last_question();
  if (!last) return false;
  context.note(say("the last recommend was: gpusel recommend {}", line_of(*last, 60)));
  Parsed common;
  common.shows_prices = true;
  add_common_flags(common, context.common);
  for (const auto& [name, value] : *last) {
    for (const std::string_view typed :
         {name == kWordsName ? std::string_view() : std::string_view(name), std::string_view(value)})
      if (!typed.empty()) context.words.emplace_back(typed);  // what asks it again is the whole line
    context.typed.emplace_back(name, value);
    if (name == kWordsName) {
      words.push_back(value);
      continue;
    }
    context.settings.said.push_back(name);
    for (const std::vector<Flag>* list : {&flags, &std::as_const(common.flags)})
      if (const auto flag = std::ranges::find(*list, name, &Flag::name); flag != list->end()) {
        (void)flag->set(value);
        break;
      }
  }
  return true;
}

}  // namespace gpusel::cli
