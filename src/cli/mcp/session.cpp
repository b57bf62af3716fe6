#include "cli/mcp/session.hpp"

#include <algorithm>
#include <new>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "cli/words/lines.hpp"
#include "gpusel/version.hpp"

namespace gpusel::cli::mcp {

namespace {

using show::Json;

// Codes of JSON-RPC 2.0, section 5.1: https://www.jsonrpc.org/specification
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;
constexpr int kOutOfMemory = -32000;  // the first of those that are left to servers

// https://modelcontextprotocol.io/specification/versioning
constexpr Revision kRevisions[] = {{"2025-11-25", false, true},
                                   {"2025-06-18", false, true},
                                   {"2025-03-26", true, false},
                                   {"2024-11-05", false, false}};

std::string trimmed(const std::string& text) { return std::string(trim(text)); }

/// The id of a request as it is written back, a text or a number of any length; nothing where it is neither.
std::optional<std::string> id_of(const Node& node) {
  const Node* id = node.find("id");
  if (id == nullptr || !id->is_scalar()) return std::nullopt;
  if (id->quoted) return trimmed(show::dump(Json(id->text), -1));
  const bool number = !id->text.empty() && (id->text[0] == '-' || (id->text[0] >= '0' && id->text[0] <= '9'));
  return number ? std::optional(id->text) : std::nullopt;
}

/// A message around its id: a tree would make a floating point number of one that is longer than 64 bits.
std::string reply_of(const std::string& id, std::string_view kind, const Json& body) {
  return R"({"jsonrpc":"2.0","id":)" + id + ",\"" + std::string(kind) + "\":" + trimmed(show::dump(body, -1)) + "}";
}

const Node* text_of(const Node* params, std::string_view key) {
  const Node* found = params == nullptr ? nullptr : params->find(key);
  return found != nullptr && found->is_scalar() && found->quoted ? found : nullptr;
}

std::string in_quotes(std::string_view text) { return "'" + printable(shorten(text, 60)) + "'"; }

std::string instructions() {
  return say(
      "gpusel says which cloud GPU instances suit a job, how fast it runs there and what it costs, from its own "
      "catalog of dated, sourced facts. Start with 'recommend'. Where an input is missing, the answer lists it: ask "
      "the person rather than guess. Prices have dates; what is unknown is null, never zero. Flags named in messages "
      "are arguments with _ for -: --max-price is max_price, and -o json is the structured answer that comes with each "
      "text. "
      "Commands named in messages that are not tools here are for the person's terminal. Nothing is written, fetched, "
      "or read from files on request. Structured answers are brief; full: true gives all of one. Arguments that a tool "
      "does not list go into flags: describe_flags lists them.");
}

}  // namespace

std::span<const Revision> revisions() { return kRevisions; }

std::span<const Session::Method> Session::methods() {
  static constexpr Method kMethods[] = {{"initialize", true, &Session::initialize},
                                        {"ping", true, &Session::ping},
                                        {"tools/list", false, &Session::list_tools},
                                        {"tools/call", false, &Session::call_tool},
                                        {"prompts/list", false, &Session::list_prompts},
                                        {"prompts/get", false, &Session::get_prompt},
                                        {"completion/complete", false, &Session::complete_argument}};
  return kMethods;
}

std::string Session::answer(std::string_view line) {
  if (trim(line).empty()) return {};
  const auto reply = read(line);
  return reply ? *reply + "\n" : std::string();
}

std::optional<std::string> Session::read(std::string_view line) {
  if (line.size() > kMaxLine)
    return failed({}, {kInvalidRequest, say("a message of more than {} MiB", kMaxLine >> 20U)});
  const auto document = parse_json(line, "message");
  if (!document) return failed({}, {kParseError, document.error().where + ": " + document.error().message});
  return document->root.is_list() ? batch(document->root) : message(document->root);
}

std::optional<std::string> Session::batch(const Node& messages) {
  if (revision_ == nullptr || !revision_->batches)
    return failed({}, {kInvalidRequest, say("one message a line: this revision of the protocol has no batches")});
  if (messages.children.empty()) return failed({}, {kInvalidRequest, say("an empty batch")});
  std::string replies;
  for (const Node& one : messages.children)
    if (const auto reply = message(one)) replies += (replies.empty() ? "" : ",") + *reply;
  return replies.empty() ? std::nullopt : std::optional("[" + replies + "]");
}

std::optional<std::string> Session::message(const Node& node) {
  const auto id = node.is_map() ? id_of(node) : std::nullopt;
  const auto invalid = [&](std::string why) { return failed(id, {kInvalidRequest, std::move(why)}); };
  if (!node.is_map()) return invalid(say("a message must be a JSON object, found {}", node.describe()));
  if (const Node* version = text_of(&node, "jsonrpc"); version == nullptr || version->text != "2.0")
    return invalid(say("\"jsonrpc\" must be \"2.0\""));
  if (node.find("method") == nullptr && (node.find("result") != nullptr || node.find("error") != nullptr))
    return std::nullopt;  // an answer, though nothing was asked
  const Node* method = text_of(&node, "method");
  if (method == nullptr) return invalid(say("\"{}\" must be a text", "method"));
  if (node.find("id") == nullptr) return std::nullopt;  // initialized, cancelled: nothing is under way between lines
  if (!id) return invalid(say("\"id\" must be a text or a number"));
  try {
    const auto outcome = request(node, method->text);
    if (!outcome) return failed(id, outcome.error());
    return reply_of(*id, "result", *outcome);
  } catch (const std::bad_alloc&) {
    return failed(id, {kOutOfMemory, say("not enough memory for this answer")});
  } catch (const std::exception& error) {
    return failed(id, {kInternalError, say("internal error: {}; this is a bug, please report it with the message",
                                           printable(error.what()))});
  }
}

Session::Outcome Session::request(const Node& node, const std::string& name) {
  const auto all = methods();
  const auto method = std::ranges::find(all, name, &Method::name);
  if (method == all.end())
    return std::unexpected(Failure{kMethodNotFound, say("method not found: {}", in_quotes(name))});
  if (revision_ == nullptr && !method->at_once)
    return std::unexpected(Failure{kInvalidRequest, say("{} comes before {}", "initialize", name)});
  const Node* params = node.find("params");
  if (params != nullptr && !params->is_map())
    return std::unexpected(
        Failure{kInvalidParams, say("\"{}\" must be an object, found {}", "params", params->describe())});
  return (this->*method->run)(params);
}

/// What the client ought to be told is told the person too. An id that cannot be read is null: JSON-RPC 2.0, section 5.
std::string Session::failed(const std::optional<std::string>& id, const Failure& failure) {
  tell_(failure.message);
  return reply_of(id.value_or("null"), "error", {{"code", failure.code}, {"message", failure.message}});
}

/// https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
Session::Outcome Session::initialize(const Node* params) {
  if (revision_ != nullptr) return std::unexpected(Failure{kInvalidRequest, say("the session is initialized already")});
  const Node* wanted = text_of(params, "protocolVersion");
  if (wanted == nullptr)
    return std::unexpected(Failure{kInvalidParams, say("\"{}\" must be a text", "protocolVersion")});
  const auto known = std::ranges::find(kRevisions, wanted->text, &Revision::name);
  revision_ = known == std::end(kRevisions) ? &kRevisions[0] : known;
  return Json{
      {"protocolVersion", revision_->name},
      {"capabilities",
       {{"tools", {{"listChanged", false}}}, {"prompts", {{"listChanged", false}}}, {"completions", Json::object()}}},
      {"serverInfo", {{"name", "gpusel"}, {"title", "gpusel"}, {"version", kVersion}}},
      {"instructions", instructions()}};
}

Session::Outcome Session::ping(const Node*) { return Json::object(); }

/// All tools are one page, so that no cursor was ever given out.
Session::Outcome Session::list_tools(const Node* params) {
  if (const Node* cursor = params == nullptr ? nullptr : params->find("cursor"); cursor != nullptr)
    return std::unexpected(Failure{kInvalidParams, say("unknown cursor {}", in_quotes(cursor->text))});
  return Json{{"tools", tools_.list()}};
}

Session::Outcome Session::list_prompts(const Node*) {
  return Json{{"prompts", show::list_json(prompts(), prompt_json)}};
}

/// The prompt that `params` names.
std::expected<const Prompt*, Session::Failure> Session::named_prompt(const Node* params) {
  const Node* name = text_of(params, "name");
  if (name == nullptr) return std::unexpected(Failure{kInvalidParams, say("\"{}\" must be a text", "name")});
  const Prompt* prompt = find_prompt(name->text);
  if (prompt != nullptr) return prompt;
  std::vector<std::string_view> known;
  for (const Prompt& one : prompts()) known.push_back(one.name);
  const Hint near = did_you_mean(name->text, known);
  return std::unexpected(
      Failure{kInvalidParams, say("unknown prompt {}", in_quotes(name->text)) + (near.empty() ? "" : "; " + near)});
}

Session::Outcome Session::get_prompt(const Node* params) {
  const auto prompt = named_prompt(params);
  if (!prompt) return std::unexpected(prompt.error());
  auto message = prompt_message(**prompt, params->find("arguments"));
  if (!message) return std::unexpected(Failure{kInvalidParams, message.error().message});
  return std::move(*message);
}

/// Of a prompt's argument: there are no resources whose names could be.
Session::Outcome Session::complete_argument(const Node* params) {
  const auto prompt = named_prompt(params == nullptr ? nullptr : params->find("ref"));
  if (!prompt) return std::unexpected(prompt.error());
  const Node* argument = params->find("argument");
  const Node* name = text_of(argument, "name");
  const Node* value = text_of(argument, "value");
  if (name == nullptr || value == nullptr)
    return std::unexpected(Failure{kInvalidParams, say("\"{}\" must be a text", name == nullptr ? "name" : "value")});
  return Json{{"completion", completed(**prompt, name->text, value->text)}};
}

Session::Outcome Session::call_tool(const Node* params) {
  const Node* name = text_of(params, "name");
  if (name == nullptr) return std::unexpected(Failure{kInvalidParams, say("\"{}\" must be a text", "name")});
  if (!tools_.has(name->text)) {
    const auto known = tools_.names();
    const Hint near = did_you_mean(name->text, known);
    return std::unexpected(
        Failure{kInvalidParams, say("unknown tool {}", in_quotes(name->text)) + (near.empty() ? "" : "; " + near)});
  }
  const Node* arguments = params->find("arguments");
  if (arguments != nullptr && arguments->kind == Node::Kind::null) arguments = nullptr;
  if (arguments != nullptr && !arguments->is_map())
    return std::unexpected(
        Failure{kInvalidParams, say("\"{}\" must be an object, found {}", "arguments", arguments->describe())});
  Answer answer = tools_.call(name->text, arguments);
  if (answer.text.size() > kMaxAnswer || show::dump(answer.data, -1).size() > kMaxAnswer) {
    answer.text = say("the answer has more than {} MiB; ask for less of it, with limit or with limits of the question",
                      kMaxAnswer >> 20U);
    answer.data = {{"error", {{"status", int{kUsage}}, {"message", answer.text}}}};
    answer.is_error = true;
  }
  Json content = Json::array({{{"type", "text"}, {"text", std::move(answer.text)}}});
  Json result{{"content", std::move(content)}};
  if (revision_->structured)
    result["structuredContent"] = std::move(answer.data);
  else if (!answer.is_error)
    result["content"].push_back({{"type", "text"}, {"text", show::dump(answer.data, -1)}});
  result["isError"] = answer.is_error;
  return result;
}

}  // namespace gpusel::cli::mcp
