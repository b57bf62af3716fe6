#include "cli/help/help.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/help/descriptions.hpp"
#include "cli/help/topics.hpp"
#include "job/limits/limits.hpp"
#include "job/request/request.hpp"
#include "money/duty.hpp"
#include "money/lines.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::cli {

namespace {

/// Flags that are used together, as people write them; those that a command lacks drop out of its line.
struct HelpLine {
  std::string_view label;
  std::string_view flags;  // separated by ';'
};
constexpr HelpLine kHelpLines[] = {
    {to_say("Job"), "-m, --model NAME|FILE;-t, --task inference|finetune|render|…"},
    {to_say("Load"), "--rps N;--rate N;--concurrency N;--isl N;--osl N;--ttft MS;--itl MS"},
    {to_say("Traffic"), "--traffic chat|code|rag|FILE;--daily office|consumer;--replicas N"},
    {to_say("Training"), "--method full|lora|qlora;--tokens N;--epochs N;--seq-len N"},
    {to_say("Weights"), "--quant fp8|int8|w4a16|q4_k_m;--engine vllm|sglang|…"},
    {to_say("Media"), "--frames N;--scene-vram 20GB;--sessions N;--codec av1"},
    {to_say("Where"), "--cloud aws,gcp;--not-cloud vast;--region eu;--market"},
    {to_say("Limits"), "--gpu H100:8;--max-price 5;--budget 200;--deadline 12h"},
    {to_say("Machine"), "--gpus N;--gpus-per-node N;--nodes N;--min-vram 40GB"},
    {to_say("Prices"), "--spot;--term reserved-1y|month;--price SKU=4.2;--currency EUR"},
    {to_say("Use"), "--hours TIME;--hours-per-day N;--days N;--storage-gb GB;--egress-gb GB"},
    {to_say("Rank by"), "--objective cost|speed|balanced;-n N"},
    {to_say("List"), "-n N;--filter 'vram>=48 && price<3';--sort price,-bandwidth"},
    {to_say("Output"), "-o json|csv|markdown|html;--json;--why;--rejected;--explain"},
};

/// Flags that the lines above stand for: of the question, and those that every command has.
bool is_shared(const Flag& flag) {
  static const std::vector<std::string> groups = [] {
    std::vector<std::string> all;
    for (const auto& option : job::request_options()) all.push_back(say_text(option.group));
    for (const auto& option : job::constraint_options()) all.push_back(say_text(option.group));
    for (const auto& option : money::duty_options()) all.push_back(say_text(option.group));
    for (const auto& option : money::extra_options()) all.push_back(say_text(option.group));
    all.push_back(say("Output and data"));
    all.push_back(say("Ranking and output"));
    return all;
  }();
  return std::ranges::find(groups, flag.group) != groups.end();
}

std::string_view first_flag(std::string_view piece) { return piece.substr(0, piece.find_first_of(", ")); }

const Flag* flag_of(std::string_view piece, const Parsed& parsed) { return parsed.find(first_flag(piece)); }

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t wide = display_width(text);
  if (wide < width) out.append(width - wide, ' ');
  return out;
}

/// Pieces beside a label, three spaces apart, in as many lines as they need.
std::string line_of(const std::string& label, const std::vector<std::string>& pieces, std::size_t label_width) {
  constexpr std::size_t kApart = 3;
  std::string out, line = padded(label, label_width);
  bool first = true;
  for (const std::string& piece : pieces) {
    if (!first && display_width(line) + kApart + display_width(piece) > kHelpWidth) {
      out += line + "\n";
      line = std::string(label_width, ' ');
      first = true;
    }
    line += (first ? "" : std::string(kApart, ' ')) + piece;
    first = false;
  }
  return out + line + "\n";
}

/// "-m, --model MODEL".
std::string term_in_help(const Flag& flag) {
  std::string term = join_texts(split(flag.names, ','), ", ");
  if (!flag.value.empty()) term += flag.optional_value ? " [" + flag.value + "]" : " " + flag.value;
  return term;
}

/// A term and its sentence beside it, or below where the term is long.
std::string entry(const std::string& term, const std::string& words, std::size_t column) {
  std::string head = "  " + term;
  if (display_width(head) + 2 > column) {
    head = show::wrap(head, kHelpWidth, 4);
    if (!head.ends_with('\n')) head += '\n';
    head += std::string(column, ' ');
  } else {
    head = padded(head, column);
  }
  const std::string body = show::wrap(words, kHelpWidth - column, 0);
  bool first = true;
  for (const std::string_view line : split(body, '\n')) {
    if (line.empty()) continue;
    head += (first ? "" : std::string(column, ' ')) + std::string(line) + "\n";
    first = false;
  }
  return head;
}

std::string page_name(const Command& command) {
  std::string page = "gpusel-" + std::string(command.name);
  std::ranges::replace(page, ' ', '-');
  return page;
}

/// Words in lines that end.
std::string wrapped(std::string_view words, std::size_t indent = 0) {
  std::string text = show::wrap(words, kHelpWidth, indent);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string heading(const Command& command) {
  return wrapped(format("gpusel {} - {}", command.name, say_text(command.summary)), 2);
}

/// Of a sentence that is too long for a line, what stands before its last comma or colon that fits.
std::string clause(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  static constexpr std::string_view kMarks[] = {",", ":", ";", "，", "：", "；", "、"};
  std::size_t end = 0;
  for (const std::string_view mark : kMarks)
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
      if (at > end && display_width(std::string_view(text).substr(0, at)) <= width) end = at;
  return end > 0 ? text.substr(0, end) : fit_width(text, width);
}

std::string examples_of(const Command& command) {
  std::string out;
  for (const std::string_view line : split(command.examples, '\n')) {
    const std::string_view words = trim(line);
    if (words.empty()) continue;
    std::string rest = "  " + std::string(words);
    // A line that a shell takes as one: broken at a flag.
    while (display_width(rest) > kHelpWidth) {
      const auto at = rest.rfind(" --", kHelpWidth - 2);
      if (at == std::string::npos || at < 4) break;
      out += rest.substr(0, at) + " \\\n";
      rest = "     " + rest.substr(at);
    }
    out += rest + "\n";
  }
  return out;
}

}  // namespace

bool is_help(std::string_view word) { return word == "-h" || word == "--help" || word == kHelpAll; }

std::string short_help(const Command& command, const Parsed& parsed) {
  std::string out = heading(command) + "\n" + examples_of(command) + "\n";
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  std::vector<const Flag*> told;
  for (const HelpLine& line : kHelpLines) {
    std::vector<std::string> pieces;
    for (const std::string_view piece : split(line.flags, ';'))
      if (const Flag* flag = flag_of(piece, parsed); flag != nullptr && std::ranges::find(told, flag) == told.end()) {
        pieces.emplace_back(piece);
        told.push_back(flag);
      }
    if (!pieces.empty()) lines.emplace_back(say_text(line.label), std::move(pieces));
  }
  std::size_t width = 0;
  for (const auto& [label, pieces] : lines) width = std::max(width, display_width(label));
  constexpr std::size_t kOwnColumn = 24;
  constexpr std::size_t kFew = 5;
  std::vector<const Flag*> own;
  for (const Flag& flag : parsed.flags)
    if (!is_shared(flag) && std::ranges::find(told, &flag) == told.end()) own.push_back(&flag);
  if (!parsed.positional.empty()) out += entry(parsed.positional, parsed.positional_help, kOwnColumn);
  const bool in_full = own.size() <= kFew || lines.size() <= kFew;
  if (in_full)
    for (const Flag* flag : own) out += entry(term_in_help(*flag), flag->help, kOwnColumn);
  if (!parsed.positional.empty() || (in_full && !own.empty())) out += "\n";
  if (!in_full) {
    std::vector<std::string> pieces;
    constexpr std::size_t kMostOwn = 10;
    for (std::size_t i = 0; i < std::min(kMostOwn, own.size()); ++i)
      pieces.push_back(own[i]->name() + (own[i]->value.empty() || own[i]->optional_value ? "" : " " + own[i]->value));
    lines.emplace_back(say("Also"), std::move(pieces));
    width = std::max(width, display_width(lines.back().first));
  }
  for (const auto& [label, pieces] : lines) out += line_of(label, pieces, width + 2);
  return out + "\n" + say("More: --help-all (every flag), man {}", page_name(command)) + "\n";
}

std::string full_help(const Command& command, const Parsed& parsed) {
  constexpr std::size_t kColumn = 30;
  std::string out = heading(command) + "\n";
  if (const std::string_view text = description_of(command.name); !text.empty()) out += wrapped(say_text(text)) + "\n";
  out += examples_of(command);
  if (!parsed.positional.empty()) out += "\n" + entry(parsed.positional, parsed.positional_help, kColumn);
  std::vector<std::string> groups;
  for (const Flag& flag : parsed.flags)
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  for (const std::string& group : groups) {
    out += "\n" + group + ":\n";
    for (const Flag& flag : parsed.flags)
      if (flag.group == group) out += entry(term_in_help(flag), flag.help, kColumn);
  }
  out += entry("-h, --help", say("the usual flags in one screen"), kColumn);
  return out + entry(std::string(kHelpAll), say("this help"), kColumn);
}

std::string commands_help(std::string_view group) {
  constexpr std::size_t kColumn = 14;
  std::string out =
      group.empty()
          ? wrapped(say("Chooses cloud GPU instances for a job: what fits, how fast, for how much, and why.")) +
                "\n  gpusel recommend llama-3.1-8b --rps 10\n"
          : wrapped(format("gpusel {} - {}", group, group_summary(group)), 2);
  out += "\n" + say("Commands") + ":\n";
  std::string_view told;
  const auto row = [](std::string_view name, const std::string& what) {
    return entry(std::string(name), clause(what, kHelpWidth - kColumn), kColumn);
  };
  for (const Command& command : commands()) {
    const std::string_view own = group_of(command);
    if (own == group && !group.empty()) {
      out += row(last_word(command), say_text(command.summary));
    } else if (group.empty() && own.empty()) {
      out += row(command.name, say_text(command.summary));
    } else if (group.empty() && own != told) {
      out += row(own, group_summary(own));
      told = own;
    }
  }
  if (!group.empty()) return out + "\n" + say("More: gpusel {} COMMAND --help", group) + "\n";
  return out + "\n" + wrapped(say("More: gpusel help COMMAND|slo|prices|ci|quantization|memory|training|spot|mig"));
}

namespace {

/// A command and its description in two columns; a description that is too wide wraps in its own.
std::string two_columns(std::string_view line) {
  constexpr std::string_view kGap = "   ";
  const auto gap = line.find(kGap, 2);
  if (gap == std::string_view::npos) return std::string(line) + "\n";
  const std::size_t begin = std::min(line.find_first_not_of(' ', gap), line.size());
  const std::size_t column = display_width(line.substr(0, begin));
  return entry(std::string(trim(line.substr(0, gap))), std::string(line.substr(begin)), column);
}

}  // namespace

std::string topic_help(std::string_view name) {
  const std::string text = topic(name);
  if (text.empty()) return {};
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with("  ") && display_width(line) > kHelpWidth)
      out += two_columns(line);
    else
      out += line.starts_with("  ") || line.empty() ? std::string(line) + "\n" : wrapped(line);
  }
  return out;
}

std::string first_lines(Context& context) {
  std::string out = say("gpusel chooses cloud GPU instances for a job. To begin with:") + "\n\n";
  struct First {
    std::string_view line;
    std::string_view what;
  };
  static constexpr First kFirst[] = {
      {"gpusel recommend llama-3.1-8b --rps 10", to_say("the cheapest machine that serves it")},
      {"gpusel recommend llama-3.1-8b --task lora", to_say("fine-tune it")},
      {"gpusel estimate qwen3-32b --gpu h100", to_say("does it fit, how fast")},
      {"gpusel compare h100 l40s a100", to_say("side by side")},
      {"gpusel instances --gpu h100:8", to_say("who sells it, and for how much")},
  };
  std::size_t width = 0;
  for (const First& first : kFirst) width = std::max(width, first.line.size());
  for (const First& first : kFirst) out += "  " + padded(first.line, width + 2) + say_text(first.what) + "\n";
  out += "\n";
  const auto catalog = context.load_catalog();
  const auto today = context.today();
  if (catalog && today) {
    std::vector<int> ages;
    for (const catalog::Offer& offer : catalog->offers())
      if (const auto age = days_between(Date::from_packed(offer.as_of), *today)) ages.push_back(std::max(0, *age));
    std::ranges::sort(ages);
    if (!ages.empty())
      out += wrapped(say("{} prices, {} to {} days old, half of them under {} days. Your own: gpusel help prices",
                         catalog->offers().size(), ages.front(), ages.back(), ages[ages.size() / 2]));
  }
  return out + say("All commands: gpusel help") + "\n";
}

int run_help(const std::vector<std::string>& words, Context& context) {
  if (words.empty()) {
    context.out.write(commands_help({}));
    return kOk;
  }
  const std::string name = words.size() > 1 ? words[0] + " " + words[1] : words[0];
  const Command* command = find_command(name);
  if (command == nullptr) command = find_command(words[0]);
  if (command != nullptr) {
    Context scratch;
    context.out.write(short_help(*command, set_up(*command, scratch)));
    return kOk;
  }
  const bool is_group = std::ranges::any_of(commands(), [&](const Command& one) { return group_of(one) == words[0]; });
  if (is_group) {
    context.out.write(commands_help(words[0]));
    return kOk;
  }
  if (const std::string text = topic_help(words[0]); !text.empty()) {
    context.out.write(text);
    return kOk;
  }
  std::vector<std::string_view> known = topics();
  for (const Command& one : commands()) known.push_back(one.name);
  return context.fail(Error{ErrorKind::usage,
                            say("no help on '{}'", printable(shorten(words[0], 40))),
                            {},
                            did_you_mean(words[0], known).or_else(say("topics: {}", joined_topics()))});
}

std::vector<std::string> named_in_help() {
  std::vector<std::string> all;
  for (const HelpLine& line : kHelpLines)
    for (const std::string_view piece : split(line.flags, ';')) all.emplace_back(first_flag(piece));
  return all;
}

}  // namespace gpusel::cli
