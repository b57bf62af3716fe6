// Machines that are said on the command line, in no price list.
#pragma once

#include <span>
#include <string>

#include "base/io/document.hpp"
#include "base/values/date.hpp"
#include "catalog/catalog.hpp"

namespace gpusel::cli {

/// "8xH100@12/h": GPUs of one machine, and what it costs per hour.
struct OwnMachine {
  std::string gpu;  // as it was typed
  int count = 1;
  Money per_hour;
};
Result<OwnMachine> parse_own_machine(std::string_view text);

/// As a file of the provider "own" would have them; with the link that their GPUs usually have. Errors: a GPU that is
/// not known, two machines of one name.
Result<Document> own_machines_document(std::span<const OwnMachine> machines, const catalog::Catalog& catalog,
                                       Date today);

}  // namespace gpusel::cli
