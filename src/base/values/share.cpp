#include "base/values/share.hpp"

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel {

Result<double> parse_share(std::string_view given) {
  const std::string_view text = trim(given);
  const bool percent = text.ends_with('%');
  const auto value = plain_number(percent ? trim(text.substr(0, text.size() - 1)) : text);
  const double share = value ? *value / (percent ? 100 : 1) : -1;
  if (share < 0 || share > 1)
    return usage_error(say("'{}' is not a share", shorten(text, 32)), {}, say("write it like 0.32 or 32%"));
  return share;
}

}  // namespace gpusel
