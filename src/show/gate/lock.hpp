// An answer with everything it stands on, as a file that diffs well: one row or fact per line, in a fixed order.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/gate/saved.hpp"
#include "show/document/document.hpp"
#include "show/gate/lock_facts.hpp"

namespace gpusel::show {

using answer::kLockSchema;

/// A file that the question names or that is always read.
struct LockedFile {
  std::string path;
  std::string hash;  // empty: not a plain file
};

struct LockView {
  const answer::Advice& advice;
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  std::vector<std::string> words;  // of the question, as `recommend` takes them
  std::vector<LockedFile> files;
  std::span<const gpusel::Document> rule_files;  // beside the catalogue's rules
  Date today;
  std::string version;    // of the program
  std::size_t rows = 10;  // kept in full, with their facts
};

/// `also`: facts are kept of the instances of that lock's facts, too; null: of none but its own.
Json lock_json(const LockView& view, const Json* also = nullptr);
/// Puts the checksum of all else into a lock: what is edited afterwards is refused.
void seal(Json& lock);
std::string lock_file(const Json& lock);
/// A lock in words. `to`: where it was written; empty: nowhere.
Document lock_page(const Json& lock, const std::string& to);

/// Whether a text says that it is a lock of any gpusel.
bool says_lock(std::string_view content);
/// A lock out of its file. Errors: no JSON, no lock, one of a newer program, something missing, or another content than
/// was sealed; with the place.
Result<Json> read_lock(const std::string& content, const std::string& name);

}  // namespace gpusel::show
