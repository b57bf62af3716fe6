// What lists are filtered and sorted by: one column per key of a record's JSON item, and what people ask
// of it beside those (price, NVLink). A column reads a row's member directly; no JSON is made.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "catalog/catalog.hpp"
#include "physics/coefficients.hpp"
#include "rules/filter/filter.hpp"

namespace gpusel::answer {

/// Short names that every list understands: vram, bandwidth, price, gpus …
std::span<const rules::ColumnAlias> column_aliases();

/// The text itself if it is one of these, or if none are known.
/// Errors: it is none, with the nearest.
Result<std::vector<std::string>> one_of_texts(std::string_view column, std::string_view text,
                                              const std::set<std::string, std::less<>>& known);

template <class Record>
class Columns {
 public:
  using Get = std::function<rules::Value(const Record&)>;
  using EachRow = std::function<void(const std::function<void(const Record&)>&)>;
  /// The texts that a name means. Errors: it is no name.
  using Meaning = std::function<Result<std::vector<std::string>>(std::string_view)>;

  /// A later column of an earlier one's name is left out.
  void add(rules::ColumnInfo info, Get get) {
    if (std::any_of(infos_.begin(), infos_.end(), [&](const auto& one) { return one.name == info.name; })) return;
    infos_.push_back(info);
    gets_.push_back(std::move(get));
  }

  /// All rows there can be: a text that a column has in none of them is an error in a filter.
  void of_rows(EachRow each) { each_ = std::move(each); }
  /// What people write for the texts of a column, if there is such a column.
  void named_by(std::string_view column, Meaning meaning) { meanings_.emplace_back(column, std::move(meaning)); }

  Result<std::size_t> find(std::string_view name) const { return rules::find_column(name, infos_, column_aliases()); }
  const rules::ColumnInfo& info(std::size_t column) const { return infos_[column]; }
  rules::Value value(std::size_t column, const Record& record) const { return gets_[column](record); }

  /// Errors, about --filter: see rules::Filter.
  Result<rules::Filter> filter(std::string_view text) const {
    const ColumnNames names(*this);
    auto filter = rules::Filter::read(text, infos_, column_aliases(), &names);
    if (!filter) filter.error().where = "--filter";
    return filter;
  }
  bool passes(const rules::Filter& filter, const Record& record) const {
    return filter.passes(RecordRow(*this, record));
  }

  /// By each of `keys` ("-" in front: largest first), the first before all; what is unknown comes last.
  Status sort(std::vector<Record>& records, const std::vector<std::string>& keys) const;

 private:
  struct RecordRow final : rules::Row {
    RecordRow(const Columns& columns, const Record& record) : columns_(columns), record_(record) {}
    rules::Value value(std::size_t column) const override { return columns_.value(column, record_); }
    const Columns& columns_;
    const Record& record_;
  };

  struct ColumnNames final : rules::Names {
    explicit ColumnNames(const Columns& columns) : columns_(columns) {}
    Result<std::vector<std::string>> meant(std::size_t column, std::string_view text) const override {
      const std::string_view name = columns_.info(column).name;
      auto own = one_of_texts(name, text, columns_.texts_of(column));
      for (const auto& [named, meaning] : columns_.meanings_) {
        if (named != name) continue;
        auto texts = meaning(text);
        return texts || !own ? texts : own;
      }
      return own;
    }
    const Columns& columns_;
  };

  std::set<std::string, std::less<>> texts_of(std::size_t column) const {
    std::set<std::string, std::less<>> texts;
    if (!each_) return texts;
    each_([&](const Record& record) {
      for (const std::string_view text : split(value(column, record).text, '\n'))
        if (!text.empty() && !texts.contains(text)) texts.emplace(text);
    });
    return texts;
  }

  std::vector<rules::ColumnInfo> infos_;
  std::vector<Get> gets_;
  std::vector<std::pair<std::string_view, Meaning>> meanings_;
  EachRow each_;
};

/// Smaller first, or larger; the unknown after what is known.
bool comes_before(const rules::Value& a, const rules::Value& b, rules::ColumnType type, bool descending);

template <class Record>
Status Columns<Record>::sort(std::vector<Record>& records, const std::vector<std::string>& keys) const {
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    const bool descending = key->starts_with('-');
    auto column = find(std::string_view(*key).substr(descending ? 1 : 0));
    if (!column) {
      column.error().where = "--sort-by";
      return std::unexpected(column.error());
    }
    std::vector<std::pair<rules::Value, Record>> keyed;
    keyed.reserve(records.size());
    for (Record& record : records) {
      const rules::Value by = value(*column, record);
      keyed.emplace_back(by, std::move(record));
    }
    const rules::ColumnType type = info(*column).type;
    std::stable_sort(keyed.begin(), keyed.end(),
                     [&](const auto& a, const auto& b) { return comes_before(a.first, b.first, type, descending); });
    std::transform(keyed.begin(), keyed.end(), records.begin(), [](auto& entry) { return std::move(entry.second); });
  }
  return {};
}

}  // namespace gpusel::answer
