// Where things stand: regions of providers, and the places that people name.
#pragma once

#include <array>

#include "base/values/enum.hpp"
#include "catalog/records/field.hpp"

namespace gpusel {

namespace catalog {

/// locality: a city, a state or any other area inside one country; group: countries that are spoken of together.
enum class PlaceKind : std::uint8_t { locality, country, continent, group };

/// Where instances of a provider stand. It is known without any price in it.
struct Region {
  std::string_view provider;
  std::string_view id;
  std::string_view country;  // ISO 3166; empty for a price that holds in several countries
  std::string_view name;
  std::string_view place = {};    // id of the locality; empty where the country says it all or it is not known
  TextList names = {};            // that its provider gives it besides: "West US 3", "华东1"
  std::string_view account = {};  // "AWS China": sold to accounts of that partition alone; empty: the usual one
  std::string_view source = {};
};

/// A place as a question names it: "frankfurt", "germany", "europe", "eu".
struct Place {
  std::string_view id;
  std::optional<PlaceKind> kind;
  TextList names;            // other spellings
  std::string_view country;  // ISO 3166, of a country and of a locality
  TextList countries;        // of a continent and of a group
  TextList places;           // of a locality: ids of those inside it
  std::string_view note;     // what it is easily mistaken for
  std::string_view source;
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Region>
void visit_fields(Record& r, Visitor&& v) {
  v(Field{.path = "provider", .json = "provider"}, r.provider);
  v(Field{.path = "id", .json = "id"}, r.id);
  v(Field{.path = "country", .json = "country"}, r.country);
  v(Field{.path = "place", .json = "place"}, r.place);
  v(Field{.path = "name", .json = "name"}, r.name);
  v(Field{.path = "names", .json = "names"}, r.names);
  v(Field{.path = "account", .json = "account"}, r.account);
  v(Field{.path = "source", .json = "source"}, r.source);
}

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Place>
void visit_fields(Record& p, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, p.id);
  v(Field{.path = "kind", .json = "kind"}, p.kind);
  v(Field{.path = "names", .json = "names"}, p.names);
  v(Field{.path = "country", .json = "country"}, p.country);
  v(Field{.path = "countries", .json = "countries"}, p.countries);
  v(Field{.path = "places", .json = "places"}, p.places);
  v(Field{.path = "note", .json = "note"}, p.note);
  v(Field{.path = "source", .json = "source", .required = true}, p.source);
}

}  // namespace catalog

template <>
inline constexpr auto enum_names<catalog::PlaceKind> =
    std::to_array<std::string_view>({"locality", "country", "continent", "group"});

}  // namespace gpusel
