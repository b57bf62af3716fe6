// Sentences and their parts put together, with the marks between them that the person's language has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpusel {

struct Error;

/// Behind what `line` says already, after a semicolon; nothing for an empty clause.
void add_clause(std::string& line, std::string_view clause);
/// Behind what `line` lists already, after a comma; nothing for an empty item.
void add_item(std::string& line, std::string_view item);
/// As "aws, gcp": names alone, which other languages separate by another mark than parts of a sentence.
void add_name(std::string& line, std::string_view name);

std::string clauses(std::span<const std::string> all);

/// "a, b, c, d, e, f and 3 more".
std::string first_few(const std::vector<std::string>& names);

/// What is wrong, and what would be right: "message; hint".
std::string with_hint(const Error& error);

}  // namespace gpusel
