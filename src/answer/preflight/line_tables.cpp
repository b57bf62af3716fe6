// Tables of arguments out of data/command-lines.
#include <algorithm>

#include "answer/preflight/command_lines.hpp"
#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

/// Keys that are no option of a question: what preflight itself makes of them.
constexpr std::string_view kPreflightKeys[] = {
    "-",           "scheme",        "dtype",      "at_once",        "visible",       "speculation",  "expert_ranks",
    "has_experts", "dp_attention",  "gpu_layers", "expert_layers",  "fits_layers",   "host_gib",     "rope_factor",
    "rope_type",   "rope_original", "positions",  "longer_context", "longest_input", "has_adapters", "adapters",
    "adapter_rank"};
constexpr std::string_view kOfConfig = "config.";

bool is_key(std::string_view key) {
  return key.starts_with(kOfConfig) || std::ranges::find(kPreflightKeys, key) != std::end(kPreflightKeys) ||
         job::find_option(job::request_options(), key) != nullptr;
}

void check_line_key(std::string_view key, const Node& at, Fields& fields) {
  if (is_key(key)) return;
  std::vector<std::string_view> known(std::begin(kPreflightKeys), std::end(kPreflightKeys));
  for (const auto& option : job::request_options()) known.push_back(option.key);
  fields.fail(at, say("unknown key '{}'", shorten(key, 60)), did_you_mean(key, known));
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_at(std::string_view name, Fields& fields) {
  Pairs out;
  const Node* map = fields.find(name);
  if (map == nullptr) return out;
  if (!map->is_map()) fields.fail(*map, say("'{}' must be a map, found {}", name, map->describe()));
  for (const Node& member : map->children) out.emplace_back(member.key, member.text);
  return out;
}

/// The same, each of whose members is of a key.
Pairs keyed_at(std::string_view name, Fields& fields) {
  if (const Node* map = fields.find(name); map != nullptr)
    for (const Node& member : map->children) check_line_key(member.key, member, fields);
  return pairs_at(name, fields);
}

LineNeed read_line_need(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  for (const std::string_view key : {"values", "least", "says", "source"}) fields.require(key);
  LineNeed out;
  out.values = fields.texts("values");
  out.least = fields.number("least", {1, 50}).value_or(0);
  out.says = fields.text("says");
  out.would = fields.text("would");
  out.source = fields.text("source");
  fields.finish();
  return out;
}

LineAssertion read_line_assertion(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  for (const std::string_view key : {"check", "says"}) fields.require(key);
  LineAssertion out;
  out.check = fields.one_of<LineCheck>("check").value_or(LineCheck::positions);
  out.says = fields.text("says");
  out.would = fields.text("would");
  out.unless = fields.texts("unless");
  fields.finish();
  return out;
}

LineFlag read_line_flag(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  fields.require("flag");
  fields.require("key");
  LineFlag out;
  out.names = words_in(fields.text("flag"));
  out.key = fields.text("key");
  if (const Node* key = fields.find("key"); key != nullptr) check_line_key(out.key, *key, fields);
  out.values = pairs_at("values", fields);
  out.makes = fields.texts("makes");
  out.takes_any = fields.boolean("open").value_or(out.values.empty());
  out.leaves_other = fields.boolean("unread").value_or(false);
  out.is_switch = fields.boolean("switch").value_or(false);
  out.count = fields.text("count");
  out.as = fields.text("as");
  out.file = fields.text("file");
  out.object = fields.text("object");
  out.also = keyed_at("also", fields);
  out.gone = fields.text("gone");
  out.instead = fields.text("instead");
  if (const Node* needs = fields.find("needs"); needs != nullptr) out.needs = read_line_need(*needs, problems);
  fields.finish();
  return out;
}

LineTool read_line_tool(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  for (const std::string_view key : {"id", "tool", "release", "source", "flags"}) fields.require(key);
  LineTool out;
  out.id = fields.text("id");
  out.tool = fields.text("tool");
  out.release = fields.text("release");
  out.source = fields.text("source");
  out.launches = fields.boolean("launches").value_or(false);
  for (const std::string& start : fields.texts("starts")) out.starts.push_back(words_in(start));
  out.first = fields.text("first");
  out.sets = keyed_at("sets", fields);
  out.defaults = keyed_at("defaults", fields);
  out.includes = fields.texts("includes");
  if (const Node* flags = fields.find("flags"); flags != nullptr)
    for (const Node& flag : flags->children) out.flags.push_back(read_line_flag(flag, problems));
  for (const Node& assertion : fields.entries("asserts"))
    out.asserts.push_back(read_line_assertion(assertion, problems));
  fields.finish();
  return out;
}

/// A name without its dashes, '-' and '_' alike: files have no dashes, and people mix the others.
std::string bare_name(std::string_view name) {
  const bool is_short = name.starts_with('-') && !name.starts_with("--");
  if (is_short && name.size() <= 2) return std::string(name);
  while (name.starts_with('-')) name.remove_prefix(1);
  std::string out(name);
  std::ranges::replace(out, '-', '_');
  return out;
}

}  // namespace

const LineFlag* LineTool::flag(std::string_view word) const {
  const std::string name = bare_name(word);
  for (const LineFlag& one : flags)
    if (std::ranges::any_of(one.names, [&](const std::string& known) { return bare_name(known) == name; })) return &one;
  return nullptr;
}

std::expected<std::vector<LineTool>, Errors> read_command_lines(std::span<const Document> documents) {
  auto tools = read_section(documents, "command_lines", read_line_tool, &LineTool::id);
  if (!tools) return tools;
  // Own arguments come first, and are found before those of other tables.
  for (LineTool& tool : *tools)
    for (const std::string& id : tool.includes) {
      const auto other = std::ranges::find(*tools, id, &LineTool::id);
      if (other == tools->end() || &*other == &tool) continue;
      const std::vector<LineFlag> flags = other->flags;
      tool.flags.insert(tool.flags.end(), flags.begin(), flags.end());
    }
  return tools;
}

}  // namespace gpusel::answer
