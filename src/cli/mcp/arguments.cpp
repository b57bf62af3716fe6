#include "cli/mcp/arguments.hpp"

#include <algorithm>
#include <map>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/hf/hf_config.hpp"
#include "cli/words/parser.hpp"

namespace gpusel::cli::mcp {

namespace {

using show::Json;
using Kind = job::ValueShape::Kind;

constexpr std::string_view kModel = "model";
constexpr std::string_view kPolicy = "policy";
constexpr std::string_view kLimit = "limit";
/// Of commands that write files: an assistant gets their text.
constexpr std::string_view kWriting[] = {"force", "dry_run"};
/// Of what every command has, these alone are part of the question.
constexpr std::string_view kOwnPrices[] = {"price", "discount"};
/// Rows that an answer shows unless more are asked for: an assistant's memory is short.
constexpr int kRows = 10;

/// "max_price" of "--max-price,--price-per-hour-max".
std::string key_of(const Flag& flag) {
  for (const std::string_view spelling : split(flag.names, ',')) {
    if (!spelling.starts_with("--")) continue;
    std::string key(spelling.substr(2));
    std::ranges::replace(key, '-', '_');
    return key;
  }
  return {};
}

/// What help calls a file; a flag may take either a name or a file.
bool names_file(const Flag& flag) {
  if (flag.value == "PROFILE") return false;  // "dev"
  return flag.value.find("FILE") != std::string::npos || flag.value.find("PATH") != std::string::npos;
}

/// What may be given as an object, in place of a file of its text.
bool is_inline(std::string_view key) { return key == kModel || key == kPolicy; }

/// Several values in one text, separated by commas.
bool takes_list(const Flag& flag) { return flag.value == "LIST" || flag.value == "KEYS"; }

/// A bare number, or a text with a currency or a period, where the flag reads one.
bool takes_money(const Flag& flag) { return flag.value == "MONEY" && flag.set.shape.kind == Kind::text; }

Json strings() { return {{"type", "array"}, {"items", {{"type", "string"}}}}; }

Json type_of(const Flag& flag) {
  if (flag.value.empty()) return {{"type", "boolean"}};
  if (flag.repeats || takes_list(flag)) return strings();
  if (takes_money(flag)) return {{"type", {"number", "string"}}};
  switch (flag.set.shape.kind) {
    case Kind::number: return {{"type", "number"}};
    case Kind::whole_number: return {{"type", "integer"}};
    case Kind::truth: return {{"type", "boolean"}};
    case Kind::one_of: {
      return {{"type", "string"}, {"enum", show::list_json(flag.set.shape.names)}};
    }
    case Kind::text: break;
  }
  return {{"type", "string"}};
}

/// What the first tool tells of a job holds for all: a list of tools is to be short.
bool is_of_job(std::string_view key) {
  static constexpr std::string_view kJob[] = {"task",        "model", "request_rate", "input_tokens", "output_tokens",
                                              "method",      "cloud", "region",       "gpu",          "dataset_size",
                                              "concurrency", "term",  "ttft",         "tpot",         "limit"};
  return std::ranges::find(kJob, key) != std::end(kJob);
}

std::string model_help() { return say("catalog name, Hugging Face id, or an object with the keys of a config.json"); }

Json property(const Flag& flag, const std::string& key) {
  Json schema = type_of(flag);
  if (key == kModel) schema = {{"type", {"string", "object"}}};
  if (key == kPolicy) schema = {{"type", "object"}};
  schema["description"] = key == kModel ? model_help() : flag.help;
  if (key == kLimit) schema["default"] = kRows;
  return schema;
}

std::unexpected<Refusal> refuse(std::string message) { return std::unexpected(Refusal{std::move(message), {}}); }

std::unexpected<Refusal> refuse(std::string_view key, const Error& error) {
  std::string message = std::string(key) + ": " + error.message;
  if (!error.hint.empty()) message += "; " + error.hint;
  return refuse(std::move(message));
}

/// An argument of that name with something in it.
const Node* given_value(const Node* given, std::string_view key) {
  if (given == nullptr) return nullptr;
  for (const Node& member : given->children) {
    const bool empty = member.kind == Node::Kind::null || (member.is_list() && member.children.empty());
    if (!empty && job::same_spelling(member.key, key)) return &member;
  }
  return nullptr;
}

}  // namespace

Json json_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return nullptr;
    case Node::Kind::scalar: {
      Json number = node.quoted ? Json(node.text) : Json::parse(node.text, nullptr, false);
      return number.is_discarded() ? Json(node.text) : number;  // more digits than any number here has
    }
    case Node::Kind::list: {
      return show::list_json(node.children, [&](const Node& child) { return json_of(child); });
    }
    case Node::Kind::map: {
      Json map = Json::object();
      for (const Node& child : node.children) map[child.key] = json_of(child);
      return map;
    }
  }
  return nullptr;
}

/// Collects the words of one call.
class Arguments::Reader {
 public:
  explicit Reader(const Arguments& arguments) : arguments_(arguments) {}

  std::expected<std::vector<std::string>, Refusal> read(const Node* given) {
    for (const std::string_view word : split(arguments_.tool_.command, ' ')) flags_.emplace_back(word);
    flags_.insert(flags_.end(), arguments_.tool_.words.begin(), arguments_.tool_.words.end());
    if (given != nullptr)
      for (const Node& member : given->children)
        if (auto done = take(member); !done) return std::unexpected(done.error());
    if (!limited_ && arguments_.takes(kLimit)) flags_.push_back("--limit=" + std::to_string(kRows));
    if (!subjects_.empty()) flags_.emplace_back("--");
    flags_.insert(flags_.end(), subjects_.begin(), subjects_.end());
    return std::move(flags_);
  }

 private:
  using Done = std::expected<void, Refusal>;

  Done take(const Node& member) {
    if (member.kind == Node::Kind::null || member.key == kFull) return {};  // null says: not given
    if (member.key == kFlags) return take_flags(member);
    if (!arguments_.tool_.subjects.empty() && member.key == arguments_.tool_.subjects) {
      auto texts = texts_of(member, !arguments_.tool_.one_subject);
      if (!texts) return std::unexpected(texts.error());
      subjects_ = std::move(*texts);
      return {};
    }
    const Flag* flag = find(arguments_.offered_, member.key);
    if (flag == nullptr) return unknown(member.key);
    const std::string key = key_of(*flag);
    if (const auto [before, is_new] = given_.try_emplace(flag, member.key); !is_new)
      return refuse(say("'{}' and '{}' are the same argument; give one of them", printable(shorten(before->second, 60)),
                        printable(shorten(member.key, 60))));
    if (key == kModel)
      if (auto allowed = check_model(member); !allowed) return allowed;
    if (key == kPolicy && !member.is_map())
      return refuse(kPolicy, {ErrorKind::usage, say("files are not read here"), {}, say("give an object")});
    limited_ = limited_ || key == kLimit;
    return flag->value.empty() ? take_switch(*flag, member) : take_value(*flag, member);
  }

  Done take_flags(const Node& member) {
    if (!member.is_map())
      return refuse(kFlags, {ErrorKind::usage, say("is an object: the other arguments by their names"), {}, {}});
    for (const Node& one : member.children)
      if (auto done = take(one); !done) return done;
    return {};
  }

  /// Files are not read because a model says so.
  static Done check_model(const Node& member) {
    if (!member.is_scalar() || !catalog::looks_like_path(member.text)) return {};
    return refuse(kModel, {ErrorKind::usage, say("files are not read here"), {}, model_help()});
  }

  Done take_switch(const Flag& flag, const Node& member) {
    std::optional<bool> on;
    if (!member.is_scalar() || !job::assign(member.text, on))
      return refuse(member.key, {ErrorKind::usage, say("is true or false"), {}, {}});
    if (*on) flags_.push_back(flag_name(flag));
    return {};
  }

  Done take_value(const Flag& flag, const Node& member) {
    auto texts = member.is_map() && is_inline(key_of(flag))
                     ? std::vector{json_of(member).dump(-1, ' ', false, Json::error_handler_t::replace)}
                     : texts_of(member, flag.repeats || takes_list(flag));
    if (!texts) return std::unexpected(texts.error());
    if (!flag.repeats) texts = {joined(*texts)};  // of a flag said twice the last would hold
    for (const std::string& text : *texts) flags_.push_back(flag_name(flag) + "=" + text);
    return {};
  }

  static std::string joined(const std::vector<std::string>& texts) { return join_texts(texts, ","); }

  static std::string flag_name(const Flag& flag) {
    std::string name = "--" + key_of(flag);
    std::ranges::replace(name, '_', '-');
    return name;
  }

  static std::expected<std::vector<std::string>, Refusal> texts_of(const Node& member, bool several) {
    const auto one = [&](const Node& node) -> std::expected<std::string, Refusal> {
      if (!node.is_scalar())
        return refuse(
            member.key,
            {ErrorKind::usage, say("takes a text, a number or true or false, found {}", node.describe()), {}, {}});
      if (node.text.empty()) return refuse(member.key, {ErrorKind::usage, say("an empty text says nothing"), {}, {}});
      return node.text;
    };
    if (member.is_list() && !several)
      return refuse(member.key, {ErrorKind::usage, say("takes one value, not a list"), {}, {}});
    if (member.is_list() && member.children.empty())
      return refuse(member.key,
                    {ErrorKind::usage, say("an empty list says nothing"), {}, say("remove it, or name some")});
    std::vector<std::string> texts;
    for (const Node& node : member.is_list() ? std::span(member.children) : std::span(&member, 1)) {
      auto text = one(node);
      if (!text) return std::unexpected(text.error());
      texts.push_back(std::move(*text));
    }
    return texts;
  }

  Done unknown(const std::string& key) const {
    const std::string shown = printable(shorten(key, 60));
    if (find(arguments_.withheld_, key) != nullptr)
      return refuse(say("'{}' cannot be set by an assistant, only by whoever starts the server", shown));
    std::vector<std::string> keys;
    for (const Flag& flag : arguments_.offered_) keys.push_back(key_of(flag));
    if (!arguments_.tool_.subjects.empty()) keys.emplace_back(arguments_.tool_.subjects);
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const Hint near = did_you_mean(key, views);
    return refuse(say("unknown argument '{}'", shown) + (near.empty() ? "" : "; " + near));
  }

  const Arguments& arguments_;
  std::vector<std::string> flags_;
  std::vector<std::string> subjects_;
  std::map<const Flag*, std::string> given_;  // as they were spelled
  bool limited_ = false;
};

Arguments::Arguments(const Tool& tool) : tool_(tool) {
  const auto all = commands();
  const auto command = std::ranges::find(all, tool.command, &Command::name);
  Parsed parsed = command->make();
  const std::size_t own = parsed.flags.size();
  CommonOptions common;
  add_common_flags(parsed, common);
  for (std::size_t i = 0; i < parsed.flags.size(); ++i) {
    Flag& flag = parsed.flags[i];
    const std::string key = key_of(flag);
    const bool asks = i < own ? std::ranges::find(kWriting, key) == std::end(kWriting)
                              : std::ranges::find(kOwnPrices, key) != std::end(kOwnPrices);
    flag.set.clear();
    (asks && (is_inline(key) || !names_file(flag)) ? offered_ : withheld_).push_back(std::move(flag));
  }
}

const Flag* Arguments::find(const std::vector<Flag>& flags, std::string_view key) {
  for (const Flag& flag : flags)
    for (const std::string_view spelling : split(flag.names, ','))
      if (spelling.starts_with("--") && job::same_spelling(spelling.substr(2), key)) return &flag;
  return nullptr;
}

Json Arguments::schema() const {
  Json properties = Json::object();
  if (!tool_.subjects.empty()) {
    Json subjects = tool_.one_subject ? Json{{"type", "string"}} : strings();
    subjects["description"] = say_text(tool_.subjects_help);
    properties[std::string(tool_.subjects)] = std::move(subjects);
  }
  for (const std::string_view key : tool_.usual) {
    const Flag* flag = find(offered_, key);
    if (flag == nullptr) continue;
    Json& one = properties[std::string(key)] = property(*flag, std::string(key));
    if (one.contains("enum") || (tool_.shares_job && is_of_job(key))) one.erase("description");
  }
  properties[std::string(kFlags)] = {{"type", "object"}};
  properties[std::string(kFull)] = {{"type", "boolean"}};
  Json schema{{"type", "object"}, {"properties", std::move(properties)}};
  Json required = Json::array();
  // Some tasks run no model, and are not to have one invented for them.
  for (const std::string_view key : tool_.needs)
    if (key != kModel && !tool_.subjects_suffice) required.push_back(key);
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json Arguments::described(std::string_view word) const {
  Json list = Json::array();
  for (const Flag& flag : offered_) {
    const std::string key = key_of(flag);
    const Json shape = property(flag, key);
    if (key.find(word) == std::string::npos && lower(flag.help).find(word) == std::string::npos) continue;
    Json one{{"name", key}};
    one.update(shape);
    list.push_back(std::move(one));
  }
  return list;
}

std::string_view Arguments::help_of(std::string_view key) const {
  const Flag* flag = find(offered_, key);
  return flag == nullptr ? tool_.subjects_help : std::string_view(flag->help);
}

std::expected<void, Refusal> Arguments::check_needs(const Node* given) const {
  if (tool_.subjects_suffice && given_value(given, tool_.subjects) != nullptr) return {};
  const Node* task = given_value(given, "task");
  const auto known = task == nullptr ? std::nullopt : job::spelled<job::Task>(task->text);
  Refusal refusal;
  std::string lines;
  const Node* flags = given == nullptr ? nullptr : given->find(kFlags);
  for (const std::string_view key : tool_.needs) {
    const bool needless = key == kModel && known && !job::runs_model(*known);
    if (needless || given_value(given, key) != nullptr || given_value(flags, key) != nullptr) continue;
    refusal.missing.emplace_back(key);
    lines += "\n" + std::string(key) + ": " + (key == kModel ? model_help() : say_text(help_of(key)));
  }
  if (refusal.missing.empty()) return {};
  const std::string list = join_texts(refusal.missing, say_name(", "));
  refusal.message =
      (tool_.subjects_suffice ? say("missing: {}; or name {}", list, tool_.subjects) : say("missing: {}", list)) +
      lines;
  return std::unexpected(std::move(refusal));
}

std::expected<std::vector<std::string>, Refusal> Arguments::words(const Node* given) const {
  auto words = Reader(*this).read(given);
  if (!words) return words;
  if (auto complete = check_needs(given); !complete) return std::unexpected(complete.error());
  return words;
}

}  // namespace gpusel::cli::mcp
