#include "base/text/joined.hpp"

#include <algorithm>

#include "base/values/error.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

void add(std::string& line, const std::string& mark, std::string_view part) {
  if (part.empty()) return;
  if (!line.empty()) line += mark;
  line += part;
}

}  // namespace

void add_clause(std::string& line, std::string_view clause) { add(line, say("; "), clause); }
void add_item(std::string& line, std::string_view item) { add(line, say(", "), item); }
void add_name(std::string& line, std::string_view name) { add(line, say_name(to_name(", ")), name); }

std::string clauses(std::span<const std::string> all) {
  std::string line;
  for (const std::string& one : all) add_clause(line, one);
  return line;
}

std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 6;
  std::string list;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) add_name(list, names[i]);
  return names.size() > kNamed ? list + say(" and {} more", names.size() - kNamed) : list;
}

std::string with_hint(const Error& error) {
  std::string line = error.message;
  add_clause(line, error.hint);
  return line;
}

}  // namespace gpusel
