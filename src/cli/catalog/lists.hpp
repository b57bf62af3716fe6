// What gpus, instances and models have in common: words and flags, sorting, the formats, "show NAME".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer/lists/list.hpp"
#include "cli/commands.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::cli {

struct ListOptions {
  answer::ListQuestion question;  // its words: "show NAME", or what must occur
  std::optional<std::int64_t> limit;
  bool reversed = false;
  bool why = false;                  // every column
  std::vector<std::string> columns;  // of tables and CSV; empty: the usual ones

  bool shows_one() const { return !question.words.empty() && question.words.front() == "show"; }
};

/// One record of the catalogue.
struct Record {
  std::string_view schema;
  std::string name;  // a document's title
  std::function<show::Json()> json;
  std::function<show::Document()> card;
};
int show_record(const Record& record, Context& context);

/// Any record of that name, of the kind `of` where one is said; nothing where there is none.
std::optional<int> show_any(const catalog::Catalog& catalog, const std::string& name, Context& context,
                            std::string_view of = {});

/// Many of them.
struct Listing {
  std::string_view schema;
  std::string title;                  // a document's
  std::function<show::Json()> items;  // an object each, for programs
  std::function<show::Json()> rows;   // of flat figures, for CSV
  std::function<show::Table(bool wide)> table;
  std::string below = {};  // said of the table to people
};

/// One run of a list: its format, and how answers are printed.
class Lists {
 public:
  Lists(ListOptions& options, Context& context) : options_(options), context_(context) {}

  /// Settles format and day, loads the catalogue, and runs `action`.
  int with_catalog(const std::function<int(const catalog::Catalog&)>& action);

  /// `as_json` of each record for programs, `as_row` of each for CSV, one table for people.
  template <class Record, class AsJson, class AsRow, class MakeTable>
  int list(std::vector<Record> records, std::string_view schema, std::string title, AsJson as_json, AsRow as_row,
           MakeTable make_table, std::string below = {}) {
    const std::size_t all = records.size();
    if (options_.limit && all > static_cast<std::size_t>(*options_.limit))
      records.resize(static_cast<std::size_t>(*options_.limit));
    return print({schema, std::move(title), [&] { return show::list_json(records, as_json); },
                  [&] { return show::list_json(records, as_row); },
                  [&](bool wide) { return make_table(records, wide); }, std::move(below)},
                 records.size(), all);
  }

  void print_items(show::Json items, std::string_view schema);

  /// The NAME of "show NAME".
  const std::string& name() const { return options_.question.words[1]; }
  /// JSON or YAML.
  bool is_data() const;
  /// A table in the terminal, which may leave rows out.
  bool is_for_people() const { return format_ == "table" || format_ == "wide"; }

 private:
  int print(const Listing& listing, std::size_t shown, std::size_t all);
  int told(std::size_t shown, std::size_t all);
  int print_picked(const Listing& listing, std::size_t shown, std::size_t all);

  ListOptions& options_;
  Context& context_;
  std::string format_;
};

/// The words and flags that every list takes, into `options`, which must outlive the command.
Parsed list_command(ListOptions& options);

}  // namespace gpusel::cli
