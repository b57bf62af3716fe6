// A list that was fetched, as the files that are kept of it. Private to this room.
#pragma once

#include <string>
#include <vector>

#include "catalog/import/import.hpp"
#include "catalog/update/price_lists.hpp"

namespace gpusel::catalog {

struct ListReading {
  const ListPart& part;
  const std::vector<std::string>& files;
  Date as_of;  // unknown: as the files say
  bool trust = false;
  const Catalog& base;
  const Catalog& all;
};

struct ReadList {
  std::vector<YamlFile> files;  // their names are endings
  Date as_of;
  std::uint64_t rows = 0;
  std::uint64_t imported = 0;
  std::uint64_t kept_out = 0;
  std::uint64_t offers = 0;
  double median = 0;         // USD per GPU and hour on demand; 0: there are none
  double against_known = 0;  // median of what its prices are to those of the catalogue; 0: too few to tell
  PriceChanges changes;
  std::vector<std::string> remarks;
};

/// Errors (ErrorKind::io): it is no list of its format, ends too early, or has nothing that is understood.
Result<ReadList> read_machines(const ListReading& reading);
Result<ReadList> read_tokens(const ListReading& reading);

}  // namespace gpusel::catalog
