// What may stand for the value of a flag or a positional: read from the word that help shows for it. One
// vocabulary: "MODEL", "GPU|SKU", "pcie|nvlink", "SKU=PRICE". Words in small letters stand for themselves.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace gpusel::cli {

struct Candidate {
  std::string value;
  std::string words = {};       // about it; may be empty
  bool other_spelling = false;  // offered where nothing else begins like that
};

/// What can be completed at one place.
struct Offered {
  std::vector<Candidate> candidates;
  bool files = false;    // names of files too
  bool goes_on = false;  // what is offered is not the end of the word
};

using Lookup = std::function<const catalog::Catalog&()>;

/// Whether nothing but a path is meant by this word.
bool names_path(std::string_view word);
/// For the value of a flag of which `typed` stands there already. The catalogue is asked for only where it has a say.
Offered values_of(const Flag& flag, std::string_view typed, const Lookup& catalog);
/// The same for a positional's word.
Offered values_of_word(std::string_view word, std::string_view typed, const Lookup& catalog);
/// Whether the catalogue knows the names in a flag's value; `word` is what help shows for it. Words that name nothing
/// of the catalogue are not judged. Errors: the name, with the nearest.
Status judge(std::string_view word, std::string_view value, const Lookup& catalog);
/// Keeps what begins like `typed`, in whatever case, each value once.
void keep_beginning(std::vector<Candidate>& candidates, std::string_view typed);

}  // namespace gpusel::cli
