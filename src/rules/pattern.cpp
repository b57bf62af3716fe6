#include "rules/pattern.hpp"

#include <re2/re2.h>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::rules {

Pattern::Pattern(std::string text) : text_(std::move(text)) {}
Pattern::~Pattern() = default;

Result<std::shared_ptr<const Pattern>> Pattern::compiled(const std::string& text) {
  auto pattern = std::make_shared<const Pattern>(text);
  if (const re2::RE2& expression = pattern->expression(); !expression.ok())
    return usage_error(say("'{}' is not a regular expression: {}", shorten(text, 40), printable(expression.error())),
                       {}, say("write it like ^p5 or a100|h100; an instance alone: ^aws/p5\\.48xlarge$"));
  return pattern;
}

const re2::RE2& Pattern::expression() const {
  if (expression_ == nullptr) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(1 << 20);
    expression_ = std::make_unique<const re2::RE2>(text_, options);
  }
  return *expression_;
}

bool Pattern::is_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), expression());
}

}  // namespace gpusel::rules
