// What an import took and what it left out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/import/import.hpp"
#include "show/catalogue/lists/changes.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What was made of it, and where it went; an empty place: nowhere.
struct ImportResult {
  const catalog::ImportReport& report;
  std::size_t instances = 0;
  std::size_t offers = 0;
  std::string out;
  catalog::ProviderChanges changes = {};
  std::optional<AnswerChange> answer = {};
};

/// Tables of the files, of the providers' prices, and of the reasons for which rows were left out.
/// The same as write_import_json() writes.
Json import_json(const ImportResult& result);
Document import_page(const ImportResult& result);
/// The contract's object, piece by piece: it can have a million entries.
void write_import_json(const ImportResult& result, const std::function<void(std::string_view)>& write);
/// "'gcp.csv': … (12 rows, the first on line 7)".
std::string import_warning(const catalog::ImportReport& report, const catalog::ImportWarning& warning);

}  // namespace gpusel::show
