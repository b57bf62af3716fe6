#include "answer/facts/traffic.hpp"

#include <filesystem>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

Result<job::TrafficCatalog> traffic_catalog(const catalog::Catalog& catalog) {
  std::vector<Document> documents = catalog.documents("traffic");
  for (Document& document : catalog.documents("daily")) documents.push_back(std::move(document));
  auto read = job::read_traffic_catalog(documents);
  if (!read) return std::unexpected(read.error().front());
  return std::move(*read);
}

bool is_file(const std::string& name) {
  std::error_code failed;
  return std::filesystem::exists(name, failed);
}

std::unexpected<Error> unknown_traffic(std::string_view flag, std::string_view name,
                                       std::span<const std::string_view> known) {
  const std::string list = join_texts(known, say_name(", "));
  const Hint near = did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end()));
  return usage_error(say("'{}' is neither a file nor a profile", printable(shorten(name, 60))), std::string(flag),
                     near.empty() ? say("known: {}", list) : say("{} known: {}", near, list));
}

}  // namespace gpusel::answer
