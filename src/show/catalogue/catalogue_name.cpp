#include "show/catalogue/catalogue_name.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

std::string catalogue_name(const catalog::Catalog& catalog) {
  std::string name = printable(catalog.origin_text());
  const auto end = std::min(name.find('+'), name.size());
  return say_name(name.substr(0, end)) + name.substr(end);
}

}  // namespace gpusel::show
