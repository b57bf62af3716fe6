// Which processor an instance's own words for it mean.
#include <algorithm>
#include <cctype>

#include "base/text/text.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

/// Whole words of `name` inside `text`, both folded: where they begin.
std::size_t find_words(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const auto splits = [](unsigned char c) { return std::isalnum(c) == 0; };
    const bool begins = at == 0 || splits(text[at - 1]);
    const bool ends = end == text.size() || splits(text[end]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

struct Match {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int32_t cpu = kNoGpu;
};

double speed(const Cpu& cpu) { return cpu.release_year.value_or(0) * 100 + cpu.all_core_ghz.value_or(0); }

}  // namespace

std::int32_t find_cpu(std::string_view words, std::span<const Cpu> cpus) {
  const std::string text = fold_name(words);
  std::vector<Match> matches;
  for (std::size_t i = 0; i < cpus.size(); ++i)
    for (const std::string_view name : cpus[i].names) {
      const std::string folded = fold_name(name);
      const std::size_t at = find_words(text, folded);
      if (at != std::string_view::npos) matches.push_back({at, at + folded.size(), static_cast<std::int32_t>(i)});
    }
  // "Sapphire Rapids" inside a longer name that matches means that one.
  const auto inside = [&](const Match& m) {
    return std::any_of(matches.begin(), matches.end(), [&](const Match& other) {
      return other.begin <= m.begin && other.end >= m.end && other.end - other.begin > m.end - m.begin;
    });
  };
  std::int32_t slowest = kNoGpu;
  for (const Match& match : matches) {
    if (inside(match)) continue;
    if (slowest == kNoGpu ||
        speed(cpus[static_cast<std::size_t>(match.cpu)]) < speed(cpus[static_cast<std::size_t>(slowest)]))
      slowest = match.cpu;
  }
  return slowest;
}

}  // namespace gpusel::catalog
