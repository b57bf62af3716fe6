// The last question asked again: how its answer changes with other prices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.hpp"
#include "show/catalogue/lists/changes.hpp"

namespace gpusel::cli {

class LastAnswer {
 public:
  /// Asks it now.
  explicit LastAnswer(Context& context);
  /// Whether a question was kept and can be asked.
  bool is_there() const { return !before_.is_null(); }
  /// Asks it once more, under what holds by then and with `documents` laid on top. Nothing where that cannot be.
  std::optional<show::AnswerChange> again(std::vector<Document> documents) const;

 private:
  Context& context_;
  std::vector<std::string> words_;
  show::Json before_;  // a lock
};

}  // namespace gpusel::cli
