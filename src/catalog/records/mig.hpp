// The slices that Multi-Instance GPU cuts a GPU into, as NVIDIA publishes them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::catalog {

struct MigProfile {
  std::string name;    // "1g.5gb"
  double compute = 1;  // share of the SMs
  double memory = 1;   // share of the memory and of its bandwidth
  int most = 1;        // of one GPU
};

/// What is wrong with the section of these files that they stand in.
Errors check_mig(std::span<const Document> documents);
/// As published, smallest first; none where nothing is.
std::vector<MigProfile> mig_profiles(const Gpu& gpu, const Catalog& catalog);
/// The largest profile of which one GPU has `parts`.
std::optional<MigProfile> mig_slice(const Gpu& gpu, int parts, const Catalog& catalog);

/// The profile whose name says the memory nearest to that of `name`; nothing where the GPU has none.
std::optional<MigProfile> mig_profile_like(std::string_view name, const Gpu& gpu, const Catalog& catalog);

/// How a slice is asked for, where the name has a profile's ("a100:1g.10gb"); empty elsewhere.
Hint mig_spelling(std::string_view name);

}  // namespace gpusel::catalog
