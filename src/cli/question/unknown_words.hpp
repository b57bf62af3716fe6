// What is said of words that set nothing: those whose meaning is known, and all others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/question/named.hpp"

namespace gpusel::cli {

/// What to say of the words from the unknown one on; nothing where no row is about them.
std::optional<Error> advised(std::span<const std::string> words);

/// "32k": of a language model a length, though of what is not said.
std::optional<Error> advised_length(std::string_view word, const Spoken& spoken, const catalog::Catalog& catalog);

/// "mistral large": models whose names begin with the two words.
Hint longer_name(std::string_view before, std::string_view word, const catalog::Catalog& catalog);

/// "a model, a GPU, an instance, a provider or a region": all that the word could have been.
Error unknown_word(std::string_view word, const Spoken& spoken, const catalog::Catalog& catalog);

}  // namespace gpusel::cli
