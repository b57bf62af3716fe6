// HashiCorp's configuration language, as far as exports write it: blocks, attributes, strings and expressions.
// Syntax: https://developer.hashicorp.com/terraform/language/syntax/configuration
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpusel::show {

/// A quoted string that means exactly this text: no interpolation, no directive, no control character gets through.
std::string hcl_quoted(std::string_view text);

class HclBlock {
 public:
  explicit HclBlock(std::string type, std::vector<std::string> labels = {})
      : type_(std::move(type)), labels_(std::move(labels)) {}

  HclBlock& text(std::string name, std::string_view value);
  HclBlock& number(std::string name, double value);
  HclBlock& flag(std::string name, bool value);
  /// An expression such as var.image_id; written as it is, so never made of a name from the catalogue.
  HclBlock& expression(std::string name, std::string_view value);
  /// A text of several lines that means exactly this, readable: a heredoc without interpolation.
  HclBlock& lines(std::string name, std::string_view text);
  /// The block inside, to be filled in.
  HclBlock& block(std::string type, std::vector<std::string> labels = {});
  /// A map of strings, which is an attribute and no block.
  HclBlock& map(std::string name, std::vector<std::pair<std::string, std::string>> members);

  std::string written(std::size_t indent = 0) const;

 private:
  std::string type_;
  std::vector<std::string> labels_;
  std::vector<std::pair<std::string, std::string>> attributes_;  // name, as written
  std::vector<HclBlock> blocks_;
};

}  // namespace gpusel::show
