// What lists change: prices, counted, and the answer to the last question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/import/import.hpp"
#include "show/document/table.hpp"
#include "show/gate/lock_diff.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// Of a row per list or provider, behind its own columns.
std::vector<Column> change_columns();
std::vector<Cell> change_cells(const catalog::PriceChanges& changes, std::uint64_t kept_out);
void add_changes(Json& row, const catalog::PriceChanges& changes, std::uint64_t kept_out);

/// The best rows of an answer before and with other prices, as a lock has them; null: nothing meets the question.
struct AnswerChange {
  std::string question;  // a command line
  std::string currency;
  Json before;
  Json after;
  FactEffect effect = FactEffect::nothing;
};

std::string answer_change_text(const AnswerChange& change);
/// null: there was no question, or it cannot be asked any more.
Json answer_change_json(const std::optional<AnswerChange>& change);

}  // namespace gpusel::show
