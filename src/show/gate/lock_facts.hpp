// The facts that an answer stands on, as a lock keeps them: record by record, keyed by name, so that two locks can be
// compared and one fact at a time can be set back.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "answer/search/recommend.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What facts are kept of: instances with the term of their row, "aws/p4d.24xlarge".
struct LockedRow {
  const catalog::Instance* instance = nullptr;
  catalog::Term term = catalog::Term::on_demand;
};

struct LockSources {
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  const catalog::Model* model = nullptr;
  Currency currency;
  std::set<std::string> gpus;                    // beside those of the rows
  std::span<const gpusel::Document> rule_files;  // beside the catalogue's rules
  std::set<std::string> whole_rules;             // kept as they are written, so that they can be set back
};

/// {"gpus": {id: {…}}, "models", "instances", "prices", "exchange_rates", "coefficients", "rules": {id: {"hash",
/// "effect", "message"} and "rule"}}.
Json lock_facts(std::span<const LockedRow> rows, const LockSources& sources);
/// What a row of the ranking tells of its offer beside "price".
inline constexpr const char* kToldByRow[] = {"provider", "sku", "region", "term"};
/// One offer, as "prices" keeps it.
Json price_fact(const catalog::Offer& offer, const catalog::Catalog& catalog);
std::string price_key(const catalog::Offer& offer, const catalog::Catalog& catalog);

/// A fact that two locks have differently.
struct FactChange {
  std::string section;  // of the lock's facts
  std::string subject;  // the record's key
  std::string field;    // empty: the whole record
  Json before;          // null: unknown, or not there
  Json after;
};

/// Of facts that both have, and of prices that one of them has.
std::vector<FactChange> changed_facts(const Json& before, const Json& after);

/// An overlay that sets a fact back to what it was; nothing where an overlay cannot say it. `after` are the facts that
/// it is laid over.
std::optional<gpusel::Document> set_back(const FactChange& change, const Json& before, const Json& after);

}  // namespace gpusel::show
