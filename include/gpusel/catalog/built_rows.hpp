// The shipped coefficients as the build has read and checked them, so that an answer need not walk their trees.
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include "gpusel/catalog/field.hpp"

namespace gpusel::catalog {

/// One value of a coefficient.
struct CoefficientRow {
  std::string_view id;
  std::string_view name;  // of the case; empty for the value of every other one
  Number value;
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, CoefficientRow>
void visit_fields(Record& row, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, row.id);
  v(Field{.path = "name", .json = "name"}, row.name);
  v(Field{.path = "value", .json = "value"}, row.value);
}

}  // namespace gpusel::catalog
