#include "catalog/weights/repository.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace gpusel::catalog {

namespace {

/// "organisation/name" as hubs spell it; what else a name may hold belongs in no command line.
bool is_repository(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return std::ranges::count(name, '/') == 1 && is_plain(name.front()) && !name.ends_with('/') &&
         std::ranges::all_of(name, [&](char c) { return is_plain(c) || std::string_view("-_./").contains(c); });
}

/// "llama3.1-8b" and "Llama-3.1:8B" are one name.
std::string letters_of(std::string_view name) {
  std::string letters = lower(name);
  std::erase_if(letters, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
  return letters;
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

/// The repository that `asked` names; empty where it names the model alone.
std::string named_repository(const Model& model, std::string_view asked) {
  const std::string_view name = trim(asked);
  if (name.empty()) return {};
  if (name.find('/') != std::string_view::npos) {
    for (const std::string_view alias : model.aliases)
      if (is_repository(alias) && lower(alias) == lower(name)) return std::string(alias);
    return is_repository(name) ? std::string(name) : std::string();
  }
  const std::string letters = letters_of(name);
  if (letters == letters_of(model.id)) return {};
  for (const std::string_view alias : model.aliases)
    if (is_repository(alias) && letters_of(last_part(alias)) == letters) return std::string(alias);
  // "mixtral-8x7b-instruct" is not the base, whatever its version is called.
  constexpr std::string_view kTuned[] = {"instruct", "chat", "it"};
  const auto says = [](std::string_view text, std::string_view word) {
    const std::string folded = fold_name(text);
    const auto words = split(folded, '-');
    return std::ranges::find(words, word) != words.end();
  };
  for (const std::string_view word : kTuned)
    if (says(name, word) && says(last_part(model.instruct), word) && !says(last_part(model.base), word))
      return std::string(model.instruct);
  return {};
}

}  // namespace

Repository repository_of(const Model& model, std::string_view asked, bool trains) {
  if (std::string named = named_repository(model, asked); !named.empty())
    return {std::move(named), RepositoryChoice::asked};
  const std::string_view known = trains ? model.base : model.instruct;
  if (is_repository(known)) return {std::string(known), trains ? RepositoryChoice::base : RepositoryChoice::instruct};
  for (const std::string_view alias : model.aliases)
    if (is_repository(alias)) return {std::string(alias), RepositoryChoice::published};
  return {};
}

}  // namespace gpusel::catalog
