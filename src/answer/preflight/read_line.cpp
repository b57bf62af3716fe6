// From the words of a line to what they say.
#include <algorithm>
#include <cctype>
#include <utility>

#include "answer/preflight/command_lines.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

constexpr std::string_view kFileOf = "file:";
constexpr std::size_t kShownWord = 60;

bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

/// "NAME=value" in front of a command.
bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::ranges::all_of(word.substr(0, equals),
                             [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

/// "python" of /usr/bin/python3.12; a script's own name.
std::string program_name(std::string_view word) {
  const auto slash = word.rfind('/');
  std::string_view name = slash == std::string_view::npos ? word : word.substr(slash + 1);
  if (name.starts_with("python") && std::ranges::all_of(name.substr(6), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
      }))
    name = "python";
  return std::string(name);
}

/// "vllm/vllm-openai" of docker.io/vllm/vllm-openai.
std::string_view without_registry(std::string_view word) {
  const auto slash = word.find('/');
  const bool has_registry = slash != std::string_view::npos && slash > 0 &&
                            word.substr(0, slash).find_first_of(".:") != std::string_view::npos && word.front() != '.';
  return has_registry ? word.substr(slash + 1) : word;
}

bool matches_word(std::string_view pattern, std::string_view word) {
  const auto any = [](std::string_view one, std::string_view other) {
    if (one.starts_with('*')) return other.ends_with(one.substr(1));
    if (one.ends_with('*')) return other.starts_with(one.substr(0, one.size() - 1));
    return one == other;
  };
  return any(pattern, word) || any(pattern, program_name(word)) || any(pattern, without_registry(word));
}

bool starts_at(const std::vector<std::string>& start, std::span<const std::string> words) {
  if (start.size() > words.size()) return false;
  for (std::size_t i = 0; i < start.size(); ++i)
    if (!matches_word(start[i], words[i])) return false;
  return true;
}

bool is_exact(const std::vector<std::string>& start) {
  return std::ranges::none_of(start, [](const std::string& word) { return word.contains('*'); });
}

struct LineStart {
  const LineTool* tool = nullptr;
  std::size_t words = 0;
};

class LineReader {
 public:
  explicit LineReader(std::span<const LineTool> tools) : tools_(tools) {}

  Result<ReadLine> read(std::span<const std::string> words) {
    while (!words.empty() && (is_assignment(words.front()) || words.front() == "env")) {
      if (words.front() != "env")
        if (Status set = assignment(words.front()); !set) return std::unexpected(set.error());
      words = words.subspan(1);
    }
    if (words.empty()) return usage_error(say("there is no command in the line"));
    std::size_t at = 0;
    LineStart start;
    for (; at < words.size(); ++at) {
      start = find_start(words.subspan(at));
      if (start.tool != nullptr) break;
    }
    if (start.tool == nullptr) return nothing_known(words);
    if (Status read = before(words.first(at)); !read) return std::unexpected(read.error());
    image_release(words[at], *start.tool);
    if (Status read = tool(words.subspan(at), start); !read) return std::unexpected(read.error());
    settle();
    return std::move(out_);
  }

 private:
  /// What stands in front of the command: of a container its variables, GPUs and image are read, the rest is named.
  Status before(std::span<const std::string> words) {
    static constexpr std::string_view kContainers[] = {"docker", "podman", "nerdctl"};
    const bool contained = std::ranges::any_of(words, [](const std::string& word) {
      return std::ranges::find(kContainers, program_name(word)) != std::end(kContainers);
    });
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (program_name(word) == "python") continue;
      const auto equals = word.find('=');
      const std::string flag = word.substr(0, word.starts_with("--") ? equals : std::string::npos);
      const bool variable = flag == "-e" || flag == "--env";
      const bool whole = flag.size() < word.size();
      if (!contained || (!variable && flag != "--gpus") || (!whole && i + 1 == words.size())) {
        out_.before.push_back(word);
        continue;
      }
      const std::string value = whole ? word.substr(equals + 1) : words[++i];
      if (!variable)
        container_gpus(value);
      else if (!is_assignment(value))
        out_.left_out.push_back(value);  // its value is that of the surroundings
      else if (Status set = assignment(value); !set)
        return set;
    }
    return {};
  }

  /// "2", "device=0,1" or "\"device=0,1\""; "all" says nothing.
  void container_gpus(std::string value) {
    std::erase(value, '"');
    std::erase(value, '\'');
    constexpr std::string_view kDevices = "device=";
    if (const auto devices = value.find(kDevices); devices != std::string::npos) {
      const auto parts = split(std::string_view(value).substr(devices + kDevices.size()), ',');
      const auto other = std::ranges::find_if(parts, [](std::string_view part) { return part.contains('='); });
      value = format("{}", std::distance(parts.begin(), other));
    }
    if (plain_number(value).value_or(0) < 1) return;
    out_.understood.push_back({"--gpus", value, "visible", value});
  }

  /// "v0.8.5" of vllm/vllm-openai:v0.8.5, where the image starts the engine.
  void image_release(const std::string& image, const LineTool& tool) {
    const auto colon = image.rfind(':');
    if (image.find('/') == std::string::npos || colon == std::string::npos) return;
    std::string tag = image.substr(colon + 1);
    if (tag.starts_with('v')) tag.erase(0, 1);
    const std::string number = tag.substr(0, tag.find_first_not_of("0123456789."));
    const bool is_release = std::ranges::count(number, '.') >= 1 && number.front() != '.' && number.back() != '.';
    if (is_release && is_engine(tool)) out_.understood.push_back({image, tag, "engine_version", number});
  }

  static bool is_engine(const LineTool& tool) {
    return std::ranges::find(tool.sets, "engine", [](const auto& set) { return set.first; }) != tool.sets.end();
  }

  std::unexpected<Error> nothing_known(std::span<const std::string> words) const {
    std::string known;
    for (const LineTool& tool : tools_)
      if (!tool.starts.empty() && is_exact(tool.starts.front()))
        known += (known.empty() ? "" : ", ") + join_texts(tool.starts.front(), " ");
    return usage_error(
        say("'{}' does not start a known engine or trainer", shorten(printable(words.front()), kShownWord)), {},
        say("known: {}, or a training script", known));
  }

  /// What stands there word by word comes before what a '*' stands for, and more words before fewer.
  LineStart find_start(std::span<const std::string> words) const {
    LineStart best;
    bool exact = false;
    for (const LineTool& tool : tools_)
      for (const auto& start : tool.starts) {
        if (!starts_at(start, words)) continue;
        const bool better = is_exact(start) != exact ? is_exact(start) : start.size() > best.words;
        if (best.tool != nullptr && !better) continue;
        best = {&tool, start.size()};
        exact = is_exact(start);
      }
    return best;
  }

  const LineTool* table(std::string_view id) const {
    const auto found = std::ranges::find(tools_, id, &LineTool::id);
    return found == tools_.end() ? nullptr : &*found;
  }

  Status assignment(const std::string& word) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const LineTool* variables = table("environment");
    const LineFlag* flag = variables == nullptr ? nullptr : variables->flag(name);
    if (flag == nullptr) {
      out_.left_out.push_back(name);
      return {};
    }
    return take(*variables, *flag, name, word.substr(equals + 1));
  }

  Status tool(std::span<const std::string> words, const LineStart& start) {
    const LineTool& tool = *start.tool;
    out_.tools.push_back(&tool);
    bool has_first = tool.first.empty();
    for (std::size_t i = start.words; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (tool.launches && (!is_flag(word) || word == "-m" || word == "--module")) return launched(words.subspan(i));
      if (!is_flag(word)) {
        if (has_first) {
          out_.left_out.push_back(word);
          continue;
        }
        has_first = true;
        if (Status set = first(tool, word); !set) return set;
        continue;
      }
      const auto equals = word.find('=');
      const std::string name = word.substr(0, equals);
      const auto [holder, flag] = argument(tool, name);
      std::optional<std::string> value;
      if (equals != std::string::npos) value = word.substr(equals + 1);
      const bool has_next = i + 1 < words.size() && !is_flag(words[i + 1]);
      if (!value && has_next && takes_next(tool, flag, words[i + 1])) value = words[++i];
      if (flag == nullptr) {
        out_.left_out.push_back(name);
        continue;
      }
      if (!value && !flag->is_switch && flag->as.empty()) return no_value(name);
      if (Status set = take(*holder, *flag, name, value.value_or("true")); !set) return set;
    }
    if (tool.launches) return usage_error(say("{} launches nothing", tool.tool));
    return {};
  }

  struct Argument {
    const LineTool* holder;
    const LineFlag* flag;  // null: nobody knows it
  };

  /// "--speculative-config.method" is the key of an object that "--speculative-config" has.
  Argument argument(const LineTool& tool, const std::string& name) const {
    if (const LineFlag* flag = tool.flag(name); flag != nullptr) return {&tool, flag};
    const auto dot = name.find('.');
    const LineFlag* whole = dot == std::string::npos ? nullptr : tool.flag(name.substr(0, dot));
    const LineTool* keys = whole == nullptr || whole->object.empty() ? nullptr : table(whole->object);
    if (keys == nullptr) return {&tool, nullptr};
    return {keys, keys->flag(name.substr(dot + 1))};
  }

  static bool takes_next(const LineTool& tool, const LineFlag* flag, std::string_view next) {
    static constexpr std::string_view kTruths[] = {"true", "false", "yes", "no", "on", "off", "auto", "0", "1"};
    if (flag != nullptr && !flag->is_switch) return true;
    if (flag != nullptr) return std::ranges::find(kTruths, lower(next)) != std::end(kTruths);
    return !(tool.launches && next.ends_with(".py"));  // an unknown flag: what follows is taken for its value
  }

  static Status no_value(const std::string& name) {
    return usage_error(say("'{}' has no value", shorten(printable(name), kShownWord)));
  }

  Status launched(std::span<const std::string> words) {
    std::vector<std::string> line;
    if (is_flag(words.front())) {
      line = {"python", "-m"};
      words = words.subspan(1);
    }
    line.insert(line.end(), words.begin(), words.end());
    const LineStart start = find_start(line);
    if (start.tool == nullptr) return nothing_known(line);
    if (start.tool->launches) return usage_error(say("one launcher starts another"));
    return tool(line, start);
  }

  Status first(const LineTool& tool, const std::string& word) {
    if (tool.first.starts_with(kFileOf)) return file(word, tool.first.substr(kFileOf.size()));
    out_.understood.push_back({{}, word, tool.first, word});
    return {};
  }

  /// A YAML or JSON file with more arguments, nested ones as "a.b".
  Status file(const std::string& given, std::string_view id) {
    const std::string name(trim(given));
    const LineTool* tool = table(id);
    if (tool == nullptr) return {};
    const bool inline_json = name.starts_with('{');
    const auto text = inline_json ? Result<std::string>(name) : read_text_file(name);
    if (!text) return std::unexpected(text.error());
    auto document =
        inline_json || name.ends_with(".json") ? parse_json(*text, shorten(name, kShownWord)) : parse_yaml(*text, name);
    if (!document) return std::unexpected(document.error());
    if (!document->root.is_map())
      return usage_error(say("a file of arguments must be a map, found {}", document->root.describe()), name);
    return members(*tool, document->root, {}, *document, {});
  }

  /// `of`: the argument that they are the value of, with a space.
  Status members(const LineTool& tool, const Node& map, const std::string& within, const Document& document,
                 const std::string& of) {
    for (const Node& member : map.children) {
      const std::string key = within + member.key;
      const std::string name = of + key;
      const LineFlag* flag = tool.flag(key);
      if (flag == nullptr && member.is_map()) {
        if (Status read = members(tool, member, key + ".", document, of); !read) return read;
        continue;
      }
      if (flag == nullptr) {
        out_.left_out.push_back(name);
        continue;
      }
      if (const LineTool* keys = flag->object.empty() ? nullptr : table(flag->object);
          keys != nullptr && member.is_map()) {
        if (Status read = members(*keys, member, {}, document, name + " "); !read) return read;
        continue;
      }
      if (!member.is_scalar()) {
        out_.idle.push_back(name);
        continue;
      }
      if (Status set = take(tool, *flag, name, member.text); !set) {
        set.error().where = position(document.name, member);
        return set;
      }
    }
    return {};
  }

  Status take(const LineTool& tool, const LineFlag& flag, const std::string& name, std::string value) {
    if (!flag.gone.empty()) {
      out_.gone.push_back({name, flag.gone, flag.instead, &tool});
      return {};
    }
    if (!flag.object.empty()) return object(flag, name, value);
    if (!flag.file.empty() && flag.key == "-") return file(value, flag.file);
    if (flag.is_switch) value = lower(value);
    std::string meaning = value;
    const auto known = std::ranges::find(flag.values, value, &std::pair<std::string, std::string>::first);
    if (known != flag.values.end()) {
      meaning = known->second;
    } else if (flag.leaves_other) {
      out_.left_out.push_back(name + " " + value);
      return {};
    } else if (!flag.takes_any) {
      std::vector<std::string_view> names;
      for (const auto& [theirs, ours] : flag.values) names.push_back(theirs);
      return usage_error(say("{} does not support {} '{}'", tool.tool, name, shorten(printable(value), kShownWord)), {},
                         say("allowed: {}", join_texts(names, say_name(", "))));
    }
    if (flag.needs && std::ranges::find(flag.needs->values, value) != flag.needs->values.end())
      out_.needs.push_back(&*flag.needs);
    if (!flag.as.empty() && !meaning.empty()) meaning = flag.as;
    if (!flag.count.empty() && known == flag.values.end())
      meaning = format("{}", value.empty() ? 0 : split(value, flag.count.front()).size());
    if (flag.key == "-") {
      out_.idle.push_back(name);
      return {};
    }
    const std::size_t order = static_cast<std::size_t>(&flag - tool.flags.data()) + 1;
    out_.understood.push_back({name, value, flag.key, meaning, order});
    if (!meaning.empty())
      for (const auto& [key, other] : flag.also) out_.understood.push_back({name, value, key, other, order});
    return {};
  }

  Status object(const LineFlag& flag, const std::string& name, const std::string& value) {
    const LineTool* keys = table(flag.object);
    if (keys == nullptr) return {};
    const auto document = parse_json(value, name);
    if (!document) return std::unexpected(document.error());
    if (!document->root.is_map())
      return usage_error(say("'{}' takes a JSON object, found {}", name, document->root.describe()));
    return members(*keys, document->root, {}, *document, name + " ");
  }

  /// Defaults, then what was said in the order of the tables, then what always is so.
  void settle() {
    for (const LineTool* tool : out_.tools)
      for (const auto& [key, value] : tool->defaults) out_.says[key] = value;
    std::vector<const Understood*> in_order;
    for (const Understood& one : out_.understood) in_order.push_back(&one);
    std::ranges::stable_sort(in_order, {}, [](const Understood* one) { return one->order; });
    for (const Understood* one : in_order)
      if (!one->meaning.empty()) out_.says[one->key] = one->meaning;
    for (const LineTool* tool : out_.tools)
      for (const auto& [key, value] : tool->sets) out_.says[key] = value;
  }

  std::span<const LineTool> tools_;
  ReadLine out_;
};

}  // namespace

std::string ReadLine::said(std::string_view key) const {
  const auto found = says.find(key);
  return found == says.end() ? std::string() : found->second;
}

bool ReadLine::has(std::string_view flag) const {
  const auto is_it = [&](std::string_view given) { return given == flag; };
  return std::ranges::any_of(left_out, is_it) || std::ranges::any_of(idle, is_it) ||
         std::ranges::any_of(understood, is_it, &Understood::flag);
}

const Understood* ReadLine::says_so(std::string_view key) const {
  const Understood* out = nullptr;
  for (const Understood& one : understood)
    if (one.key == key && (out == nullptr || one.order >= out->order)) out = &one;
  return out;
}

std::vector<std::string> shell_words(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\n", kEscapedInQuotes = "\"\\$`";
  std::vector<std::string> words;
  std::string word;
  bool open = false;  // a word, which may be empty
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool escapes =
        c == '\\' && quote != '\'' && i + 1 < line.size() && (quote == '\0' || kEscapedInQuotes.contains(line[i + 1]));
    const bool is_quote = quote == '\0' ? c == '\'' || c == '"' : c == quote;
    if (escapes && line[i + 1] == '\n') {
      ++i;  // the line goes on
    } else if (escapes) {
      word += line[++i];
      open = true;
    } else if (is_quote) {
      quote = quote == '\0' ? c : '\0';
      open = true;
    } else if (quote == '\0' && kBlanks.contains(c)) {
      if (open) words.push_back(std::exchange(word, {}));
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

Result<ReadLine> read_line(std::span<const std::string> words, std::span<const LineTool> tools) {
  return LineReader(tools).read(words);
}

}  // namespace gpusel::answer
