// Where a target's inputs are: seeds, findings, and what else in the tree is good to begin with.
#pragma once

#include <string>
#include <vector>

#include "fuzz/target.hpp"

namespace gpusel::fuzz {

/// Folders with files to feed, and single files.
std::vector<std::string> folders_of(const Target& target);
/// Every file below those, sorted.
std::vector<std::string> files_of(const Target& target);
/// Seeds that only the program can write.
std::vector<std::string> texts_of(const Target& target);
/// Words of the target and of its files, as libFuzzer reads them.
std::string dictionary_of(const Target& target);

}  // namespace gpusel::fuzz
