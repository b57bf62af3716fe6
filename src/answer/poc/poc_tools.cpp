// Tools and their command lines out of data/proofs.
#include <algorithm>
#include <iterator>

#include "answer/poc/poc.hpp"
#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

std::map<std::string, std::string> map_at(const Node& map, Fields& fields) {
  std::map<std::string, std::string> out;
  if (!map.is_map()) fields.fail(map, say("'{}' must be a map, found {}", map.key, map.describe()));
  for (const Node& member : map.children) out[member.key] = member.text;
  return out;
}

using Conditions = std::map<std::string, std::vector<std::string>>;

Conditions conditions_at(Fields& fields) {
  Conditions out;
  if (const Node* when = fields.find("when"); when != nullptr)
    for (auto& [key, values] : map_at(*when, fields)) out[key] = words_in(values);
  return out;
}

bool holds(const Conditions::value_type& condition, const ProofValues& values) {
  const auto value = values.find(condition.first);
  return std::ranges::find(condition.second, value == values.end() ? "-" : value->second) != condition.second.end();
}

bool hold(const Conditions& conditions, const ProofValues& values) {
  return std::ranges::all_of(conditions, [&](const auto& condition) { return holds(condition, values); });
}

/// Whether the tool has a word for a value that it must spell.
bool can_spell(const ProofTool& tool, const std::string& name, const ProofValues& values) {
  const auto value = values.find(name);
  const auto words = tool.words.find(name);
  return value == values.end() || (words != tool.words.end() && words->second.contains(value->second));
}

ProofTool::Step read_step(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  ProofTool::Step step;
  fields.require("what");
  step.when = conditions_at(fields);
  step.what = fields.text("what");
  step.run = fields.texts("run");
  step.read = fields.text("read");
  step.each = fields.text("each") == "gpus";
  fields.finish();
  return step;
}

ProofTool read_tool(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  ProofTool out;
  for (const std::string_view key : {"id", "tool", "version", "source", "steps"}) fields.require(key);
  out.id = fields.text("id");
  out.tool = fields.text("tool");
  out.version = fields.text("version");
  out.source = fields.text("source");
  out.when = conditions_at(fields);
  out.spells = words_in(fields.text("spells"));
  out.memory = fields.text("memory");
  if (const Node* words = fields.find("words"); words != nullptr)
    for (const Node& name : words->children) out.words[name.key] = map_at(name, fields);
  if (const Node* steps = fields.find("steps"); steps != nullptr)
    for (const Node& step : steps->children) out.steps.push_back(read_step(step, problems));
  out.setup = fields.text("setup");
  out.port = fields.text("port");
  out.health = fields.text("health");
  if (const Node* image = fields.find("image"); image != nullptr) out.image = map_at(*image, fields);
  if (const Node* cuda = fields.find("cuda"); cuda != nullptr) out.cuda = map_at(*cuda, fields);
  if (const Node* env = fields.find("env"); env != nullptr) out.env = map_at(*env, fields);
  fields.finish();
  return out;
}

/// Fills in one piece of a line; says whether every name in it has a value.
class Filler {
 public:
  Filler(const ProofTool& tool, const ProofValues& values) : tool_(tool), values_(values) {}

  bool fill(std::string_view piece, std::string& out) const {
    bool all = true;
    while (!piece.empty()) {
      const auto open = piece.find('{');
      const auto close = open == std::string_view::npos ? open : piece.find('}', open);
      if (close == std::string_view::npos) break;
      out += piece.substr(0, open);
      std::string_view name = piece.substr(open + 1, close - open - 1);
      const bool asks = name.starts_with('?');  // only whether there is a value
      if (asks) name.remove_prefix(1);
      const std::string text = value(name);
      if (text.empty()) all = false;
      if (!asks) out += text;
      piece.remove_prefix(close + 1);
    }
    out += piece;
    return all;
  }

 private:
  std::string value(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return {};
    const auto own = tool_.words.find(std::string(name));
    if (own == tool_.words.end()) return found->second;
    const auto word = own->second.find(found->second);
    return word == own->second.end() ? std::string() : word->second;
  }

  const ProofTool& tool_;
  const ProofValues& values_;
};

}  // namespace

std::expected<std::vector<ProofTool>, Errors> read_proofs(std::span<const Document> documents,
                                                          std::string_view section) {
  std::vector<ProofTool> out;
  Errors errors;
  for (const Document& document : documents) {
    std::vector<ProofTool> tools;
    read_section(document, section, read_tool, &ProofTool::id, tools, errors);
    std::erase_if(out, [&](const ProofTool& earlier) {
      return std::ranges::find(tools, earlier.id, &ProofTool::id) != tools.end();
    });
    // What is said for more special work comes first, and a later document before an earlier one.
    std::ranges::stable_sort(tools, std::greater(), [](const ProofTool& tool) { return tool.when.size(); });
    out.insert(out.begin(), std::make_move_iterator(tools.begin()), std::make_move_iterator(tools.end()));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return out;
}

std::vector<std::string> unmet(const ProofTool& tool, const ProofValues& values) {
  std::vector<std::string> out;
  for (const auto& condition : tool.when)
    if (!holds(condition, values)) out.push_back(condition.first);
  for (const std::string& name : tool.spells)
    if (!can_spell(tool, name, values)) out.push_back(name);
  return out;
}

const ProofTool* proof_tool(std::span<const ProofTool> tools, const ProofValues& values) {
  for (const ProofTool& tool : tools)
    if (hold(tool.when, values) &&
        std::ranges::all_of(tool.spells, [&](const std::string& name) { return can_spell(tool, name, values); }))
      return &tool;
  return nullptr;
}

bool applies(const ProofTool::Step& step, const ProofValues& values) { return hold(step.when, values); }

std::string filled(const ProofTool& tool, std::string_view line, const ProofValues& values) {
  const Filler filler(tool, values);
  std::string out;
  while (!line.empty()) {
    const auto open = line.find("[[");
    const auto close = open == std::string_view::npos ? open : line.find("]]", open);
    if (close == std::string_view::npos) break;
    filler.fill(line.substr(0, open), out);
    std::string part;
    if (filler.fill(line.substr(open + 2, close - open - 2), part)) out += part;
    line.remove_prefix(close + 2);
  }
  filler.fill(line, out);
  return std::string(trim(out));
}

std::string tool_name(const ProofTool& tool, const ProofValues& values) {
  const std::string version = filled(tool, say_text(tool.version), values);
  return version.empty() ? tool.tool : format("{} {}", tool.tool, version);
}

}  // namespace gpusel::answer
