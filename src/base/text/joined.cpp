#include "base/text/joined.hpp"

#include <algorithm>

#include "base/values/error.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

void add(std::string& line, std::string_view mark, std::string_view part) {
  if (part.empty()) return;
  if (!line.empty()) line += say_text(mark);
  line += part;
}

}  // namespace

void add_clause(std::string& line, std::string_view clause) { add(line, to_say("; "), clause); }
void add_item(std::string& line, std::string_view item) { add(line, to_say(", "), item); }

std::string clauses(std::span<const std::string> all) {
  std::string line;
  for (const std::string& one : all) add_clause(line, one);
  return line;
}

std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 6;
  std::string list;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) add_item(list, names[i]);
  return names.size() > kNamed ? list + say(" and {} more", names.size() - kNamed) : list;
}

std::string with_hint(const Error& error) {
  std::string line = error.message;
  add_clause(line, error.hint);
  return line;
}

}  // namespace gpusel
