// Every limit of a question, one row each: its flag, its default, the rule that rejects by it, what would let an
// instance pass, what it excludes, what `ask` asks. Whoever does anything with limits walks this table, and a new limit
// is a row of it: src/workload/README.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "job/job.hpp"
#include "job/limits/constraints.hpp"
#include "rules/rule.hpp"

namespace gpusel::job {

struct Limit;

/// What a limit is judged on: a command takes those of what it looks at.
enum class Subject : std::uint8_t {
  gpu,      // one GPU
  machine,  // one instance
  offer,    // whose price, where, on which terms and of which day
  price,    // how much, for all nodes
  search,   // what is tried at all
  job       // all of the job
};

/// An instance is rejected by the first limit that it fails: in this order, and within it in that of the table.
enum class Turn : std::uint8_t { place, kind, size, link, host, money };

/// The questions that a default is for.
enum class Usual : std::uint8_t { job, pretraining };

/// A limit that was given, on its way to become rules.
struct Judging {
  const Limit& limit;
  const Constraints& asked;
  const catalog::Catalog& catalog;
  std::vector<rules::Rule>& rules;  // to add to
};

/// A limit, and what is known of a candidate that it rejects.
struct Passing {
  const Limit& limit;
  const Constraints& asked;
  const rules::Facts& facts;
};

/// A flag as it would have to be given.
struct Needed {
  std::string flag;
  std::string value;  // empty: the question without the flag
  bool also = false;  // beside the values that were given, not in their place
};

/// A number that a limit states, with the unit it is compared in.
struct Stated {
  double value = 0;
  std::string_view unit = {};
};

/// How a limit is held, judged and relaxed.
struct Form {
  void (*copy)(Constraints& to, const Constraints& from) = nullptr;
  bool (*is_set)(const Constraints& limits) = nullptr;
  std::optional<Stated> (*stated)(const Constraints& limits) = nullptr;
  std::string (*written)(const Constraints& limits) = nullptr;  // the value, as it would be typed
  Status (*judge)(const Judging& judging) = nullptr;            // null: rejects nothing by itself
  Needed (*relax)(const Passing& passing) = nullptr;            // null: no value of it lets anything pass
  rules::Fact fact = rules::Fact::task;                         // that it bounds
  std::string_view words = {};                                  // what a rejection calls the fact
  std::string_view unit = {};                                   // of the flag's value
};

/// What is true of some limits only.
struct LimitTraits {
  // What holds when nothing is said, as the flag would say it.
  std::string_view usual = {};
  Usual usual_for = Usual::job;
  bool (*usual_unless)(const Constraints& limits) = nullptr;
  std::string_view assumed_as = {};  // a number under this key instead of the text under the limit's own
  bool tacit = false;                // what the default keeps out goes without saying, and is never offered
  // What excludes it, and what lifts it.
  std::string_view not_above = {};  // keys of limits that may not be below it
  std::string (*clash)(const Constraints& limits, const catalog::Catalog& catalog) = nullptr;  // empty: none
  std::string_view open = {};  // the value that lets everything pass, where leaving it out does not
  bool replaces = false;       // a list whose values go when others are set
  bool needs_gpu = false;      // keeps out what has no GPU
  bool trades = false;         // another plan may meet a number between that asked and that needed
  bool nearest_price = false;  // what it would take is told of the lowest price, not of the best score
  // How people meet it.
  std::string_view question = {};  // that `ask` asks
  std::string_view reason = {};    // why it leaves an instance out, in a sentence; empty: its help says it
  bool of_ending = false;          // says nothing of a service
  bool of_age = false;             // of prices: what falls by it is told as old
};

struct Limit {
  Option<Constraints> option;
  struct On {
    Subject subject;
    Turn turn;
  } on;
  Form form;
  LimitTraits also = {};

  /// Of its rule, and of rejections by it: the flag without dashes.
  std::string id() const;
  std::string flag() const { return "--" + id(); }
  /// The flag and its value: "--max-vram 40 GB".
  std::string typed(const Constraints& limits) const;
  /// By somebody, not by default.
  bool is_given(const Constraints& limits) const;
};

/// In the order of help.
std::span<const Limit> limits();
/// By its key or its rule; null: no limit.
const Limit* find_limit(std::string_view name);
/// Those that reject, in the order in which they are judged.
std::span<const Limit* const> judged_limits();

/// Fills in the default of one limit, or of all, where nothing is said.
void assume_usual(Constraints& limits, const Limit& limit);
void assume_usual(Constraints& limits, Usual question);
/// The time that work which ends may take where nobody says so, nor gives a number of nodes; beside what pretraining
/// has by assume_usual().
void assume_deadline(Constraints& limits, bool trains);
/// What assume_usual() and assume_deadline() filled in.
Assumptions assumed_limits(const Constraints& limits);
/// What names of places were taken for, where they name more than one region of one provider.
Assumptions taken_places(const Constraints& limits, const catalog::Catalog& catalog);
/// What lets everything pass.
const Constraints& open_limits();

/// The id of the provider that goes by that name. Error: none does; with the nearest one.
Result<std::vector<std::string>> provider_called(std::string_view name, const catalog::Catalog& catalog);

/// Whether a limit that was given leaves nothing without a GPU.
bool asks_for_gpu(const Constraints& limits);

/// Limits as rejecting rules, names resolved against the catalogue.
/// Errors: unknown provider, region, family, residency or GPU; an expression that cannot be read.
Result<std::vector<rules::Rule>> limit_rules(const Constraints& limits, const catalog::Catalog& catalog);
/// Why no instance can meet these limits together, by the flags' names; empty when they may.
std::string contradiction(const Constraints& limits, const catalog::Catalog& catalog);

/// Two flags with their values, as such a reason.
std::string exclude_each_other(std::string_view a, std::string_view b);

/// Of a positive number, in favour of what is to stay above or below: four digits, and as few as a person types.
std::string at_least(double value);
std::string at_most(double value);

}  // namespace gpusel::job
