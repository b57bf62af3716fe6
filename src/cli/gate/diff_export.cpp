#include "cli/gate/diff_export.hpp"

#include <algorithm>
#include <filesystem>

#include "base/io/own_file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/ask.hpp"
#include "cli/words/parser.hpp"
#include "show/gate/export_diff.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kStart = "gpusel export ";

/// Words as answer::shell_word() writes them: plain, or in single quotes with '\'' for one.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ' && !quoted) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == '\'')
      quoted = !quoted;
    else if (c == '\\' && !quoted && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += c;
  }
  return words;
}

/// Texts of a JSON file are lines of their own.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  // Not as a value of the library, which looks for each key among all before it.
  if (const auto document = text.starts_with('{') ? parse_json(text, {}) : usage_error({}))
    if (const Node* comment = document->root.find("_comment"))
      for (const Node& line : comment->children)
        if (line.quoted) lines.push_back(line.text);
  if (!lines.empty()) return lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

/// The answer of `gpusel export` to these words as data; the error is the exit status.
std::expected<show::Json, int> export_again(std::vector<std::string> words, Context& context) {
  std::string kept;
  Context inner;
  inner.out = Output(kept);
  inner.common = context.common;
  inner.words = words;
  words.insert(words.begin() + 1, "--output=json");
  const ParseOutcome outcome = parse(words, inner);
  const int status = outcome.finished ? std::max<int>(outcome.status, kUsage) : outcome.command.run(inner);
  const auto json = show::Json::parse(kept, nullptr, false);
  if (status != kOk || !json.is_object()) return std::unexpected(std::max<int>(status, kUsage));
  return json;
}

/// The file of that name; where none has it, the first that is used.
std::string content_of(const show::Json& files, const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  for (const show::Json& one : files)
    if (one["name"] == name) return one["content"];
  return files.front()["content"];
}

}  // namespace

std::optional<std::vector<std::string>> exported_question(std::string_view text) {
  for (const std::string& line : lines_of(text)) {
    std::string_view rest = line;
    while (!rest.empty() && (rest.front() == '#' || rest.front() == ' ' || rest.front() == '/')) rest.remove_prefix(1);
    if (!rest.starts_with(kStart)) continue;
    std::vector<std::string> words = shell_words(rest);
    words.erase(words.begin());
    return question_of(words);  // where it went is not asked again
  }
  return std::nullopt;
}

int diff_export(const std::string& file, const std::string& text, std::vector<std::string> question, bool exit_code,
                Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const std::string replay = command_line(question);
  const auto made = export_again(std::move(question), context);
  if (!made) return made.error();
  const std::string content = content_of((*made)["files"], file);
  const bool is_signed = author_of(text) != Author::other;  // as --to writes it
  const show::ExportDifference difference{file, (*made)["target"], replay, (*made)["plan"],
                                          show::line_changes(text, is_signed ? signed_text(content) : content)};
  const int status = exit_code && !difference.same() ? kPolicy : kOk;
  print({.data = [&] { return show::export_diff_json(difference, status); },
         .document = [&](bool all) { return show::export_diff_page(difference, all); },
         .csv = [&] { return show::export_diff_table(difference); }},
        *format, context);
  return status;
}

}  // namespace gpusel::cli
