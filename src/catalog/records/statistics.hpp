// How much a catalogue knows, and how old it is.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::catalog {

struct ProviderCount {
  std::string_view provider;
  std::size_t instances = 0;
  std::size_t with_gpu = 0;
  std::size_t priced = 0;  // instances with an offer
  std::size_t regions = 0;
  std::size_t offers = 0;
  std::array<std::size_t, enum_names<Term>.size()> by_term{};
  Date oldest = {}, newest = {};  // of its prices; unknown where none has a date
};

/// Offers of an age from the bucket before it up to `days`.
struct AgeBucket {
  std::optional<int> days;  // none: older than all before it
  std::size_t offers = 0;
};

/// Records of a section in which a field is known.
struct FieldCoverage {
  std::string_view section;
  std::string_view field;  // JSON key
  std::size_t known = 0;
  std::size_t of = 0;
};

struct Statistics {
  std::vector<ProviderCount> providers;  // by id
  std::vector<AgeBucket> ages;
  std::size_t undated = 0;
  std::array<std::size_t, enum_names<Confidence>.size()> by_confidence{};
  std::vector<FieldCoverage> coverage;  // of GPUs and of instances with a GPU
  std::optional<int> median_age_days;
  Date oldest_rate;  // of exchange rates
};

/// `today`: from which ages are counted.
Statistics statistics(const Catalog& catalog, Date today);

}  // namespace gpusel::catalog
