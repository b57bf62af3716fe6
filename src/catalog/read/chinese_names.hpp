// What families of models are called in Chinese.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpusel::catalog {

/// Spellings in the catalog's letters of a name whose family is written in Chinese, the likeliest first: "qwen2-7b" of
/// "千问2-7b". None where it is not.
std::vector<std::string> in_letters(std::string_view name);

}  // namespace gpusel::catalog
