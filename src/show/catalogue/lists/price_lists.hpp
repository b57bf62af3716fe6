// Price lists at their addresses: which there are, and what an update made of them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "catalog/update/update.hpp"
#include "show/catalogue/lists/changes.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// A list, or a part of one, with what is kept of it.
struct ListedSource {
  catalog::ListPart part;
  const catalog::KeptList* kept = nullptr;  // null: it was never read
  bool usual = true;                        // asked for without being named
  bool has_key = true;                      // where it wants one
};

Document sources_page(std::span<const ListedSource> sources);
Json sources_json(std::span<const ListedSource> sources, const std::string& folder);

/// `folder`: where it was kept; empty: nowhere. `answer`: how the last one changes.
Document updates_page(std::span<const catalog::ListUpdate> updates);
Json updates_json(std::span<const catalog::ListUpdate> updates, const std::string& folder,
                  const std::optional<AnswerChange>& answer);
/// "'azure': it is cut off".
std::string update_fault(const catalog::ListUpdate& update);

}  // namespace gpusel::show
