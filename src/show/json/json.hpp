// How answers become JSON. Keys and meanings follow the contracts; figures that are not finite are
// a bug and never written.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>

#include "answer/search/recommend.hpp"
#include "catalog/records/field.hpp"
#include "money/quote.hpp"

namespace gpusel::show {

using Json = nlohmann::ordered_json;

/// null for unknown; whole numbers without a fraction.
Json number(double value);
Json number(const catalog::Number& value);
Json text_or_null(std::string_view text);

/// What `of` makes of each of `values`, or the values themselves.
template <class Values, class Of = std::identity>
Json list_json(const Values& values, Of of = {}) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(std::invoke(of, value));
  return list;
}

// A member of a record, null where it is unknown.
inline Json as_json(const catalog::Number& member) { return number(member); }
inline Json as_json(std::string_view member) { return text_or_null(member); }
inline Json as_json(Date member) { return text_or_null(member.text()); }
inline Json as_json(const std::optional<bool>& member) { return member ? Json(*member) : Json(nullptr); }
inline Json as_json(const catalog::TextList& member) { return list_json(member); }
template <NamedEnum E>
Json as_json(E member) {
  return to_text(member);
}
template <NamedEnum E>
Json as_json(const std::optional<E>& member) {
  return member ? Json(to_text(*member)) : Json(nullptr);
}

Json assumptions(const job::Assumptions& assumed);
/// Valid UTF-8 whatever the texts held, ending in a line feed.
std::string dump(const Json& json, int indent = 2);

/// The job in the contract's keys.
Json workload_json(const job::Job& work);
/// With what was said of its use, by the keys of the options.
Json workload_json(const answer::Advice& advice);
Json plan_json(const physics::Plan& plan);
Json probability_json(const physics::Plan& plan, catalog::Number targets = {}, catalog::Number budget = {});
/// What rules say of a candidate, warnings first.
Json remarks_json(std::span<const answer::Remark> remarks);
Json memory_json(const physics::Plan& plan, Bytes usable);
/// The figures that only a class of counted work has.
Json more_json(const physics::Plan& plan);
/// Of language models; null where it is not known.
Json speed_json(const physics::Plan& plan);
/// [low, high].
Json interval_json(const physics::Interval& range);
Json explain_json(const physics::Trace& trace);
Json estimate_json(const answer::EstimateAnswer& answer);
Json error_json(const std::string& id, const Error& error);
/// gpusel.error/1: the first of `errors`, and the others below it. There is at least one.
Json errors_json(std::span<const Error> errors, int status);

}  // namespace gpusel::show
