// What price lists call things, and how they split them: data/import, read into tables.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog/import/import.hpp"

namespace gpusel::catalog::import {

/// Accelerators sold apart from their hosts, with one count.
struct JoinedAccelerator {
  std::string folded_name;
  double count = 0;
  std::vector<std::string> hosts;  // fixed sizes; or else any host of the attached family within limits
  std::uint32_t gpu = 0;
  double max_vcpu = 0;
  double max_memory_gib = 0;
};

struct SliceName {
  std::string prefix;
  std::uint32_t gpu = 0;
  double per_chip = 1;
};

struct Filler {
  std::string prefix;
  double price = 0;
};

/// A product by its number, and the sizes that are billed by it; the word that its name has.
struct ListedProduct {
  std::string part;
  std::string word;
  std::vector<std::string> sizes;
};

/// Sizes that are billed by their parts, by how the names of those begin.
struct ComposedSize {
  std::string prefix;  // of the sizes
  std::string core, ram;
  std::vector<std::string> gpu;  // one of these
};

struct Dialects {
  std::vector<ListedProduct> products;
  std::vector<ComposedSize> composed;
  std::map<std::string, std::string> clouds;                       // folded name → provider id
  std::map<std::string, std::vector<std::uint32_t>> accelerators;  // "format/folded name", or "/folded name"
  std::string joined_cloud;
  std::vector<std::string> host_families;
  std::vector<JoinedAccelerator> joined;
  std::string attached_family;
  std::vector<SliceName> slices;
  std::vector<Filler> fillers;
  std::map<std::string, std::vector<std::string>> accelerated;  // provider → prefixes of SKUs
  std::vector<std::string> places;
  std::vector<std::string> countries;
  std::vector<std::string> zoned;
  std::vector<std::string> counted;
  std::vector<std::string> other_products;
};

std::expected<Dialects, Errors> read_dialects(const Catalog& catalog);

/// What an accelerator of a price list can be.
class GpuNames {
 public:
  GpuNames(const Catalog& catalog, const Dialects& dialects, ImportFormat format);

  /// All GPUs of the catalogue that `name` may mean; empty: it knows none of that name.
  const std::vector<std::uint32_t>& meant_by(std::string_view name);
  /// Every part of its series, where the name itself says nothing of memory.
  const std::vector<std::uint32_t>& series_of(std::string_view name);

 private:
  std::vector<std::uint32_t> find(std::string_view name) const;
  /// Every part whose id has all the words, and besides them only form and memory.
  std::set<std::uint32_t> with_words(const std::set<std::string>& words) const;

  const Catalog& catalog_;
  const Dialects& dialects_;
  ImportFormat format_;
  std::vector<std::set<std::string>> words_;  // of the ids, in the catalogue's order
  std::unordered_map<std::string, std::vector<std::uint32_t>> with_word_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> seen_;  // lists have few names, each many times
  std::unordered_map<std::string, std::vector<std::uint32_t>> series_;
};

/// The name with what the SKU has right behind it: "rtx3060ti" for RTX3060 in 1x-RTX_3060_Ti. Empty where
/// the SKU says no more than the name.
std::string fuller_name(std::string_view sku, std::string_view name);

/// Those of `gpus` of the form that "sxm", "pcie" or "nvl" among the words tells; all where that leaves none.
std::vector<std::uint32_t> of_form(const std::vector<std::uint32_t>& gpus, std::string_view folded_words,
                                   const Catalog& catalog);
/// Those of `gpus` with the kind of memory that stands among the words, as the driver's names have it ("80GB-HBM3");
/// all where none does.
std::vector<std::uint32_t> of_memory_type(const std::vector<std::uint32_t>& gpus, std::string_view folded_words,
                                          const Catalog& catalog);
/// Those of `gpus` that have one of these amounts of memory.
std::vector<std::uint32_t> of_memory(const std::vector<std::uint32_t>& gpus, std::span<const double> memory_gb,
                                     const Catalog& catalog);

/// Memory of one GPU that a printed dictionary may mean; its units differ from cloud to cloud.
std::vector<double> hinted_memory_gb(std::string_view gpu_info, double count);

}  // namespace gpusel::catalog::import
