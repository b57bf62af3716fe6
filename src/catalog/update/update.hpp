// What providers publish, read anew: each list by itself, and all that was read put in place at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "catalog/import/import.hpp"
#include "catalog/update/kept_lists.hpp"
#include "catalog/update/price_lists.hpp"

namespace gpusel::catalog {

struct UpdateRequest {
  std::vector<ListPart> parts;
  bool named = false;              // by a person: what is missing for one of them is a fault
  std::vector<std::string> files;  // read in place of the network, of the one part
  Date as_of;                      // of those
  std::string folder;              // where lists are kept
  std::string work_folder;         // for pages
  std::string mirror;
  std::string program;  // this version
  Date today;
  bool trust = false;
  bool dry_run = false;
  std::function<std::string(const std::string& variable)> environment;
  /// Which of them is being asked, and how far that is; 0: nobody knows its size.
  std::function<void(std::size_t part, std::uint64_t got, std::uint64_t size)> progress;
};

enum class ListOutcome : std::uint8_t { updated, unchanged, no_key, kept_out, failed };

struct ListUpdate {
  std::string id;
  std::string address;
  ListOutcome outcome = ListOutcome::failed;
  std::string reason;  // why it was not updated
  Date as_of;          // of its prices, where all are of one day
  std::uint64_t bytes = 0;
  std::uint64_t rows = 0;
  std::uint64_t imported = 0;
  std::uint64_t kept_out = 0;
  PriceChanges changes;
  std::vector<std::string> remarks;
};

/// Errors: nothing could be asked, or what was read could not be kept.
/// `base`: the shipped catalogue, on which lists are laid; `all`: with those that are kept, and all else.
std::expected<std::vector<ListUpdate>, Errors> update_lists(const UpdateRequest& request, const Catalog& base,
                                                            const Catalog& all);

}  // namespace gpusel::catalog

namespace gpusel {

template <>
inline constexpr auto enum_names<catalog::ListOutcome> =
    std::to_array<std::string_view>({"updated", "unchanged", "no-key", "kept-out", "failed"});

}  // namespace gpusel
