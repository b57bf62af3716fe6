// JSON as text.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "show/json/json_out.hpp"

namespace gpusel::show {

/// Text that grows: what a value becomes is written where it will stand, without a text of its own.
class JsonText {
 public:
  void clear() { used_ = 0; }
  std::string_view text() const { return {text_.get(), used_}; }

  void put(char c) {
    *room(1) = c;
    ++used_;
  }
  void put_blanks(std::size_t count);
  /// As it stands.
  void put_raw(std::string_view text);
  /// In quotes, and valid UTF-8 whatever it holds.
  void put_quoted(std::string_view text);
  void put_number(double value);
  void put_number(std::int64_t value);
  void put_number(std::uint64_t value);

 private:
  char* room(std::size_t bytes) {
    if (room_ - used_ < bytes) grow(bytes);
    return text_.get() + used_;
  }
  void grow(std::size_t bytes);

  struct Free {
    void operator()(char* text) const { std::free(text); }  // NOLINT(*-no-malloc,*-owning-memory)
  };
  std::unique_ptr<char, Free> text_;  // not a string, whose room is filled before it is written and moves as it grows
  std::size_t room_ = 0;
  std::size_t used_ = 0;
};

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
  JsonText out_;
  std::string closing_;  // brackets of what is open
  bool is_first_ = true;
};

}  // namespace gpusel::show
