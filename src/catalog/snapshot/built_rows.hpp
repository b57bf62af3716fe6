// What the build has read of the documents that other rooms own, and checked, so that an answer need not walk their
// trees. Only what is linked into the program has it.
#pragma once

#include <concepts>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "catalog/records/field.hpp"

namespace gpusel::catalog {

/// One value of a coefficient.
struct CoefficientRow {
  std::string_view id;
  std::string_view name;  // of the case; empty for the value of every other one
  Number value;
};

/// A rule without its condition. What is chosen from a list is the number of its place there.
struct RuleRow {
  std::string_view id;
  std::string_view message;
  std::string_view source;
  Number effect;
  Number points;
  Number stage;
  Number fit;
};

/// A part of a condition, before its own parts; those of a rule behind those of the rule before it.
struct ConditionRow {
  Number kind;
  Number parts;
  Number fact;
  Number op;
  Number number;
  Number other_fact;  // unknown: compared with the number or the texts
  Number times;
  Number or_unknown;
  TextList texts;
};

/// All of them. Moved, never copied: texts lie in `lists`.
struct BuiltRows {
  BuiltRows() = default;
  ~BuiltRows() = default;
  BuiltRows(const BuiltRows&) = delete;
  BuiltRows& operator=(const BuiltRows&) = delete;
  BuiltRows(BuiltRows&&) noexcept = default;
  BuiltRows& operator=(BuiltRows&&) noexcept = default;

  std::vector<CoefficientRow> coefficients;
  std::vector<RuleRow> rules;
  std::vector<ConditionRow> conditions;
  std::deque<std::string> lists;

  /// A list that lies here.
  TextList list(std::span<const std::string> texts);
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, CoefficientRow>
void visit_fields(Record& row, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, row.id);
  v(Field{.path = "name", .json = "name"}, row.name);
  v(Field{.path = "value", .json = "value"}, row.value);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, RuleRow>
void visit_fields(Record& row, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, row.id);
  v(Field{.path = "message", .json = "message"}, row.message);
  v(Field{.path = "source", .json = "source"}, row.source);
  v(Field{.path = "effect", .json = "effect"}, row.effect);
  v(Field{.path = "points", .json = "points"}, row.points);
  v(Field{.path = "stage", .json = "stage"}, row.stage);
  v(Field{.path = "fit", .json = "fit"}, row.fit);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, ConditionRow>
void visit_fields(Record& row, Visitor&& v) {
  v(Field{.path = "kind", .json = "kind", .required = true}, row.kind);
  v(Field{.path = "parts", .json = "parts"}, row.parts);
  v(Field{.path = "fact", .json = "fact"}, row.fact);
  v(Field{.path = "op", .json = "op"}, row.op);
  v(Field{.path = "number", .json = "number"}, row.number);
  v(Field{.path = "other_fact", .json = "other_fact"}, row.other_fact);
  v(Field{.path = "times", .json = "times"}, row.times);
  v(Field{.path = "or_unknown", .json = "or_unknown"}, row.or_unknown);
  v(Field{.path = "texts", .json = "texts"}, row.texts);
}

}  // namespace gpusel::catalog
