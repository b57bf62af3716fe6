#include "fuzz/same_market.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text/text.hpp"

namespace gpusel::fuzz {

namespace {

/// Lines of a list whose last one ends otherwise.
std::set<std::string_view> lines_without_ends(std::string_view text) {
  std::set<std::string_view> lines;
  for (const std::string_view line : split(text, '\n')) lines.insert(line.substr(0, line.find_last_not_of(",}") + 1));
  return lines;
}

}  // namespace

std::string lost_between(const std::vector<catalog::YamlFile>& once, const std::vector<catalog::YamlFile>& again) {
  for (const catalog::YamlFile& file : once) {
    const auto same = std::ranges::find(again, file.name, &catalog::YamlFile::name);
    if (same == again.end()) return file.name;
    const std::string_view text = file.text, other = same->text;
    const auto rent = std::min(text.find("families:\n"), text.find("prices:\n"));
    const auto other_rent = std::min(other.find("families:\n"), other.find("prices:\n"));
    if (text.substr(std::min(rent, text.size())) != other.substr(std::min(other_rent, other.size())))
      return "what is for rent in " + file.name;
    if (!std::ranges::includes(lines_without_ends(other.substr(0, other_rent)),
                               lines_without_ends(text.substr(0, rent))))
      return "a source or a region in " + file.name;
  }
  return {};
}

}  // namespace gpusel::fuzz
