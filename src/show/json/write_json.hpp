// JSON as text.
#pragma once

#include <string>
#include <string_view>

#include "show/json/json_out.hpp"

namespace gpusel::show {

/// Writes what is told as dump() would write its tree.
class JsonWriter final : public JsonOut {
 public:
  /// Each member on a line of its own, `indent` blanks in for each level; below 0: all on one line.
  explicit JsonWriter(int indent) : indent_(indent) {}
  void clear();
  /// The text, with all that was begun ended, and its line.
  std::string_view finish();

  void begin_object(std::string_view key) override;
  void begin_list(std::string_view key) override;
  void end() override;
  void null(std::string_view key) override;
  void truth(std::string_view key, bool value) override;
  void whole(std::string_view key, std::int64_t value) override;
  void text(std::string_view key, std::string_view value) override;

 private:
  void fraction(std::string_view key, double value) override;
  void natural(std::string_view key, std::uint64_t value) override;
  void begin(std::string_view key, char bracket, char closing);
  void member(std::string_view key);
  void break_line();

  int indent_;
  std::string out_;
  std::string closing_;  // brackets of what is open
  bool is_first_ = true;
};

}  // namespace gpusel::show
