// What the name of a repository of quantised weights says: of which model it is, and in which format.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpusel::catalog {

struct QuantisedName {
  std::string base;          // the name without what says the format; publisher as given
  std::string format;        // as weight formats are named: "w4a16", "fp8", "q4_k_m"
  bool format_open = false;  // the repository holds several, and the usual one is taken
  std::string packing;       // "gguf", "awq", "gptq": what not every engine unpacks; else empty
};

/// "Qwen/Qwen3-32B-AWQ" is Qwen/Qwen3-32B in w4a16. Nothing of a name that says no format.
std::optional<QuantisedName> quantised_name(std::string_view name);

/// Spellings of the base as catalogues have it, the likeliest first: with its publisher, without, and as Meta's.
std::vector<std::string> base_spellings(const QuantisedName& name);

/// Whether the catalogue has the model under that very name; it may be found by that of its base otherwise.
bool is_called(std::span<const std::string_view> names, std::string_view name);

}  // namespace gpusel::catalog
