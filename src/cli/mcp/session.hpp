// One client's session in the Model Context Protocol: JSON-RPC 2.0 messages in, answers out.
// https://modelcontextprotocol.io/specification/2025-11-25
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/io/document.hpp"
#include "cli/mcp/prompts.hpp"
#include "cli/mcp/tools.hpp"
#include "show/json/json.hpp"

namespace gpusel::cli::mcp {

/// One published revision of the protocol, and what differs in it for a server of tools.
struct Revision {
  std::string_view name;
  bool batches;     // several messages in one array
  bool structured;  // structuredContent beside the text of an answer
};
/// Those spoken, the latest first.
std::span<const Revision> revisions();

/// An answer with more text or data than this is refused: no assistant reads it.
inline constexpr std::size_t kMaxAnswer = std::size_t{4} << 20U;

class Session {
 public:
  using Tell = std::function<void(const std::string& problem)>;

  /// `tell` hears of every message that is refused.
  Session(const Tools& tools, Tell tell) : tools_(tools), tell_(std::move(tell)) {}

  /// The line to write back, with its line feed; empty where a message wants no answer.
  std::string answer(std::string_view line);

 private:
  struct Failure {
    int code = 0;
    std::string message;
  };
  using Outcome = std::expected<show::Json, Failure>;
  struct Method {
    std::string_view name;
    bool at_once;  // may be called before initialize
    Outcome (Session::*run)(const Node* params);
  };
  static std::span<const Method> methods();

  std::optional<std::string> read(std::string_view line);
  std::optional<std::string> batch(const Node& messages);
  std::optional<std::string> message(const Node& node);
  Outcome request(const Node& node, const std::string& method);
  std::string failed(const std::optional<std::string>& id, const Failure& failure);

  Outcome initialize(const Node* params);
  Outcome ping(const Node* params);
  Outcome list_tools(const Node* params);
  Outcome call_tool(const Node* params);
  Outcome list_prompts(const Node* params);
  static std::expected<const Prompt*, Failure> named_prompt(const Node* params);
  Outcome get_prompt(const Node* params);
  Outcome complete_argument(const Node* params);

  const Tools& tools_;
  Tell tell_;
  const Revision* revision_ = nullptr;  // agreed on by initialize
};

}  // namespace gpusel::cli::mcp
