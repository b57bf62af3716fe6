// Short ways to parse a text and to look at what went wrong.
#pragma once

#include <catch2/catch.hpp>

#include <string>

#include "base/io/document.hpp"

namespace gpusel::test {

inline Node yaml(const std::string& text) {
  INFO(text);
  auto document = parse_yaml(text, "f.yaml");
  if (!document) FAIL(document.error().message);
  return std::move(document->root);
}

inline Node json(const std::string& text, JsonDialect dialect = JsonDialect::strict) {
  INFO(text);
  auto document = parse_json(text, "f.json", dialect);
  if (!document) FAIL(document.error().message);
  return std::move(document->root);
}

/// The error of a text that must be refused.
inline Error yaml_error(const std::string& text) {
  const auto document = parse_yaml(text, "f.yaml");
  INFO(text.substr(0, 200));
  REQUIRE_FALSE(document);
  CHECK_FALSE(document.error().message.empty());
  return document.error();
}

inline Error json_error(const std::string& text, JsonDialect dialect = JsonDialect::strict) {
  const auto document = parse_json(text, "f.json", dialect);
  INFO(text.substr(0, 200));
  REQUIRE_FALSE(document);
  CHECK_FALSE(document.error().message.empty());
  return document.error();
}

inline bool says(const Error& error, const std::string& part) { return error.message.find(part) != std::string::npos; }

/// "line:column" of a value, and of the key before it.
inline std::string at(const Node& node) { return position("", node).substr(1); }
inline std::string key_at(const Node& node) { return key_position("", node).substr(1); }

inline const Node& member(const Node& map, std::string_view name) {
  const Node* found = map.find(name);
  INFO("member " << name);
  REQUIRE(found != nullptr);
  return *found;
}

inline std::string repeat(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace gpusel::test
