// A list from its address: one page, or a chain in which each tells of the next.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/values/date.hpp"
#include "catalog/update/fetch.hpp"
#include "catalog/update/price_lists.hpp"

namespace gpusel::catalog {

struct PagesOrder {
  const ListPart& part;
  std::string mirror;  // asked in place of every address; empty: none
  std::string key;
  PageState had;       // of its first page
  std::string folder;  // for the files
  std::function<void(std::uint64_t got, std::uint64_t size)> progress = {};
};

struct Pages {
  bool unchanged = false;
  std::vector<std::string> files;
  PageState state;
  std::uint64_t bytes = 0;
  Date day;  // of its last change, where an address tells it
};

/// Errors (ErrorKind::io): why the list is not there, or not to its end. No file is left then, but what can be gone on
/// with.
Result<Pages> fetch_pages(const PagesOrder& order);

/// Where a mirror has an address: MIRROR/prices.azure.com/api/… for https://prices.azure.com/api/….
std::string mirrored(std::string_view mirror, const std::string& address);

}  // namespace gpusel::catalog
