// Logs of lines: metrics and settings by their names, wherever they stand.
#include <algorithm>
#include <cctype>

#include "base/text/text.hpp"
#include "catalog/runs/training_metrics.hpp"

namespace gpusel::catalog {

namespace {

/// What a line says that is neither a metric nor a setting.
struct Phrase {
  std::string_view text;
  SettingName setting;
};
constexpr Phrase kPhrases[] = {
    {"QLoRA", {{}, "method", "qlora", true}},
    {".qlora_", {{}, "method", "qlora", true}},
    {"LoRAFinetuneRecipe", {{}, "method", "lora"}},
    {"FullFinetuneRecipe", {{}, "method", "full"}},
    {"selective activation checkpointing", {{}, "activation_checkpointing", "selective"}},
    {"full activation checkpointing", {{}, "activation_checkpointing", "full"}},
};

bool is_inside_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/' || c == '(';
}

/// Steps that do not train.
constexpr std::string_view kOtherSteps[] = {"validate step"};

/// What stands behind a name and its sign in a line or, of settings, behind dots or a blank; nothing where the name is
/// not there as a whole.
std::optional<std::string_view> behind(std::string_view line, std::string_view name, bool setting) {
  for (auto at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    if (at > 0 && is_inside_name(line[at - 1])) continue;
    std::string_view rest = line.substr(at + name.size());
    if (rest.starts_with('\'') || rest.starts_with('"')) rest.remove_prefix(1);
    const bool dotted = setting && rest.starts_with(" ..");
    const bool prose = setting && name.contains(' ') && rest.starts_with(' ');
    if (!dotted && !prose && !rest.starts_with(':') && !rest.starts_with('=')) continue;
    const auto value = rest.find_first_not_of(dotted ? " ." : " :='\"\t");
    return value == std::string_view::npos ? std::string_view() : rest.substr(value);
  }
  return std::nullopt;
}

/// Up to where a value ends; a name of a part may hold blanks.
std::string_view word_of(std::string_view text, const SettingName& setting) {
  const auto end = setting.key == "gpu" ? text.find_first_of("'\"") : text.find_first_of(" ,'\"|\t\r");
  return trim(text.substr(0, end));
}

/// Without what colours a terminal.
std::string plain_line(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\x1b') {
      out.push_back(line[at]);
      continue;
    }
    at = std::min(line.find('m', at), line.size() - 1);
  }
  return out;
}

class LogReader {
 public:
  LogReader(const RunFormat& format, RunReader& reader) : metrics_(format, reader) {}

  Status read(std::string_view text) {
    // A line that is still being written, or was cut, may end in the middle of a number.
    const auto end = text.find_last_of("\r\n");
    const auto lines = split(text.substr(0, end == std::string_view::npos ? 0 : end), '\n');
    for (const std::string_view line : lines) {
      ++line_;
      const std::string plain = line.contains('\x1b') ? plain_line(line) : std::string();
      // A bar of progress is written over itself.
      for (const std::string_view part : split(plain.empty() ? line : std::string_view(plain), '\r'))
        if (Status done = read_line(part); !done) return done;
    }
    return metrics_.finish(std::max<std::size_t>(1, line_));
  }

 private:
  Status read_metrics(std::string_view line) {
    const bool trains = std::ranges::none_of(kOtherSteps, [&](std::string_view one) { return line.contains(one); });
    if (!trains || line.find_first_of(":=") == std::string_view::npos) return {};
    bool any = false;
    for (const MetricName& name : metric_names()) {
      const auto value = behind(line, name.name, false);
      if (!value) continue;
      any = true;
      if (Status added = metrics_.add(name, value->substr(0, value->find_first_of(" '|}\t\r")), line_); !added)
        return added;
    }
    if (any) metrics_.end_row(line_);
    return {};
  }

  Status read_line(std::string_view line) {
    if (Status done = read_metrics(line); !done) return done;
    for (const SettingName& name : setting_names())
      if (!metrics_.is_set(name))
        if (const auto value = behind(line, name.name, true)) metrics_.set(name, word_of(*value, name), line_);
    for (const Phrase& phrase : kPhrases)
      if (line.contains(phrase.text)) metrics_.set(phrase.setting, phrase.setting.word, line_);
    return {};
  }

  TrainingMetrics metrics_;
  std::size_t line_ = 0;
};

}  // namespace

Status read_training_log(const RunFile& file, const RunFormat& format, RunReader& reader) {
  return LogReader(format, reader).read(file.text);
}

}  // namespace gpusel::catalog
