#include "base/words/name.hpp"

#include "base/words/message.hpp"

namespace gpusel {

std::string say_name(std::string_view name) {
  constexpr std::string_view kContext = "name\x04";  // as gettext keeps the same text in two meanings apart
  const std::string key = std::string(kContext) + std::string(name);
  std::string text = say_text(key);
  return text == key ? std::string(name) : text;
}

}  // namespace gpusel
