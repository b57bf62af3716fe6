// A regular expression of a rule (RE2: linear time, whatever the pattern).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/values/error.hpp"

namespace re2 {
class RE2;
}

namespace gpusel::rules {

class Pattern {
 public:
  /// Error: what is no regular expression.
  static Result<std::shared_ptr<const Pattern>> compiled(const std::string& text);
  /// One that compiles, as was seen before: that is done when it is first asked.
  explicit Pattern(std::string text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  bool is_in(std::string_view text) const;
  const std::string& text() const { return text_; }

 private:
  const re2::RE2& expression() const;

  std::string text_;
  mutable std::unique_ptr<const re2::RE2> expression_;
};

}  // namespace gpusel::rules
