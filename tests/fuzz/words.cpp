// Words of inputs, out of the tables that the readers themselves go by.
#include "answer/gate/policy_kinds.hpp"
#include "answer/lists/list.hpp"
#include "base/text/text.hpp"
#include "catalog/records/measurement.hpp"
#include "catalog/snapshot/tables.hpp"
#include "cli/mcp/session.hpp"
#include "fuzz/ground.hpp"
#include "fuzz/readers.hpp"

namespace gpusel::fuzz {

namespace {

void add(Words& words, std::string_view word) {
  if (!word.empty()) words.emplace(word);
}

template <NamedEnum E>
void add_names(Words& words) {
  for (const std::string_view name : enum_names<E>) add(words, name);
}

/// Keys of a record, and what its members may be called.
struct FieldWords {
  Words& words;

  template <class Member>
  void operator()(const catalog::Field& field, const Member&) {
    for (const std::string_view key : split(field.path, '.')) add(words, key);
    add_values(static_cast<const Member*>(nullptr));
  }
  void add_values(const void*) {}
  template <NamedEnum E>
  void add_values(const E*) {
    add_names<E>(words);
  }
  template <NamedEnum E>
  void add_values(const std::optional<E>*) {
    add_names<E>(words);
  }
};

template <class... Records>
void add_records(Words& words) {
  (visit_fields(Records{}, FieldWords{words}), ...);
}

template <class Target>
void add_options(Words& words, std::span<const job::Option<Target>> options) {
  for (const auto& option : options) {
    add(words, option.key);
    for (const std::string_view name : option.set.shape.names) add(words, name);
  }
}

void add_signs(Words& words, std::initializer_list<std::string_view> signs) {
  for (const std::string_view sign : signs) add(words, sign);
}

}  // namespace

void catalogue_words(Words& words) {
  add_records<const catalog::Gpu, const catalog::Model, const catalog::Provider, const catalog::Region,
              const catalog::Instance, const catalog::Source, const catalog::ExchangeRate, const catalog::Place,
              const catalog::OfferState, const catalog::RenderScore>(words);
  catalog::visit_parts(shipped().catalog.tables(),
                       [&](std::string_view section, const auto& records, std::string_view) {
                         add(words, section);
                         using Record = std::remove_cvref_t<decltype(records.front())>;
                         visit_fields(static_cast<const Record&>(Record{}), FieldWords{words});
                       });
  for (const std::string_view section : catalog::kForeignSections) add(words, section);
  add_names<catalog::Term>(words);
}

void request_words(Words& words) {
  add_options(words, job::request_options());
  add_options(words, job::constraint_options());
}

void rule_words(Words& words) {
  for (const rules::FactInfo& fact : rules::fact_table()) add(words, fact.name);
  add_names<rules::Operator>(words);
  add_names<rules::Effect>(words);
}

void policy_words(Words& words) {
  rule_words(words);
  for (const auto& kind : answer::all_policy_kinds()) add(words, kind.key);
  add_names<answer::PolicySeverity>(words);
  add_names<answer::PolicyMode>(words);
}

void filter_words(Words& words) {
  for (const rules::ColumnAlias& alias : answer::column_aliases()) {
    add(words, alias.name);
    for (const std::string_view column : split(alias.columns, ' ')) add(words, column);
  }
  add_signs(words, {" && ",  " || ", " and ", " or ",   " not ",   " in (",  " !in ",    ">=",  "<=",
                    "==",    "!=",   "=~",    "!~",     "..",      "known(", "unknown(", "GiB", "GB/s",
                    "80GB+", "2x ",  ":8",    "..80GB", "nvidia:", "1e400",  "1/6"});
  for (const catalog::Gpu& gpu : small().catalog.gpus()) add(words, gpu.id);
}

void mcp_words(Words& words) {
  request_words(words);
  for (const cli::mcp::Revision& revision : cli::mcp::revisions()) add(words, revision.name);
  const cli::mcp::Tools tools({});
  for (const std::string_view name : tools.names()) add(words, name);
  add_signs(words, {"\"jsonrpc\":\"2.0\"", "\"method\":", "\"params\":", "\"id\":", "tools/call", "tools/list",
                    "initialize", "ping", "\"arguments\":", "\"name\":"});
}

void measurement_words(Words& words) {
  add_records<const catalog::Measurement>(words);
  add_options(words, job::request_options());
}

}  // namespace gpusel::fuzz
