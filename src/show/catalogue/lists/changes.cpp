#include "show/catalogue/lists/changes.hpp"

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

std::string in_words(const Json& row, const std::string& currency) {
  if (row.is_null()) return say("no instance");
  const auto text = [&](const char* key) { return printable(row[key].get<std::string>()); };
  const auto nodes = row["nodes"].get<double>();
  const std::string machine = format("{} {}", text("provider"), text("sku"));
  return say("{} in {}, {} {} per hour ({})", nodes > 1 ? format("{:g} × {}", nodes, machine) : machine, text("region"),
             human_price(row["hourly"].get<double>()), currency, text("term"));
}

Json best_json(const Json& row) {
  if (row.is_null()) return row;
  Json best = Json::object();
  for (const char* key : {"provider", "sku", "region", "term", "gpu", "nodes", "hourly", "total", "unit_cost"})
    best[key] = row[key];
  return best;
}

}  // namespace

std::vector<Column> change_columns() {
  return {right(say("new")), right(say("younger")), right(say("moved"), 1), right(say("older")),
          right(say("kept out"))};
}

std::vector<Cell> change_cells(const catalog::PriceChanges& changes, std::uint64_t kept_out) {
  std::vector<Cell> cells;
  for (const std::uint64_t count : {changes.fresh, changes.younger, changes.moved, changes.older, kept_out})
    cells.emplace_back(human_number(static_cast<double>(count)), std::to_string(count));
  return cells;
}

void add_changes(Json& row, const catalog::PriceChanges& changes, std::uint64_t kept_out) {
  row["new"] = changes.fresh;
  row["younger"] = changes.younger;
  row["moved"] = changes.moved;
  row["older"] = changes.older;
  row["same"] = changes.same;
  row["kept_out"] = kept_out;
}

std::string answer_change_text(const AnswerChange& change) {
  const std::string before = in_words(change.before, change.currency);
  const std::string after = in_words(change.after, change.currency);
  if (before != after)
    return say("{}: the best was {}; with these prices it is {}", printable(change.question), before, after);
  return change.effect == FactEffect::nothing
             ? say("{}: the answer is still {}", printable(change.question), before)
             : say("{}: the best stays {}; other ranks change", printable(change.question), before);
}

Json answer_change_json(const std::optional<AnswerChange>& change) {
  if (!change) return nullptr;
  return {{"question", change->question},
          {"currency", change->currency},
          {"effect", to_text(change->effect)},
          {"before", best_json(change->before)},
          {"after", best_json(change->after)}};
}

}  // namespace gpusel::show
