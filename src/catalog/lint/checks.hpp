// How a check is made and what it works with. Private to this room.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/lint/lint.hpp"

namespace gpusel::catalog {

class Lint;

struct Check {
  std::string_view id;
  Severity severity = Severity::error;
  std::string_view what;
  void (*run)(Lint& lint) = nullptr;
  bool by_age = false;  // a warning when somebody asked for an age
};

/// What a finding is about.
struct Subject {
  std::string_view kind = {};            // "gpu", "price" …
  std::string id = {};                   // "h100-sxm-80gb", "aws/p5.48xlarge"
  std::string detail = {};               // "us-east-1 spot"; of prices a part of the record's name
  std::string_view path = {};            // the figure in the record
  std::vector<std::string> others = {};  // further records that it is about
  std::string place = {};                // where it stands, of what is no record

  std::string name() const { return detail.empty() ? id : id + " " + detail; }
  std::string record() const { return std::string(kind) + " " + (kind == "price" ? name() : id); }
};

/// A finding that somebody vouches for.
struct Acceptance {
  std::string finding;
  std::string of;  // "aws/g4dn", "h100-sxm-80gb", "aws/p5.48xlarge us-east-1 spot"; may hold '*'
  std::string reason;
  std::string source;
  std::string document;
  std::string place;
  bool used = false;

  bool covers(const Subject& subject) const;
};

class Acceptances {
 public:
  explicit Acceptances(std::span<const Document> documents);
  /// The first that covers it, marked as used; null when there is none.
  const Acceptance* cover(std::string_view check, const Subject& subject);
  std::span<const Acceptance> all() const { return all_; }

 private:
  std::vector<Acceptance> all_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_check_;
};

/// Whether `text` is `pattern`, in which '*' stands for anything.
bool matches_pattern(std::string_view pattern, std::string_view text);

/// One run of all checks over one catalogue.
class Lint {
 public:
  Lint(const Catalog& catalog, const Places& places, const LintOptions& options);

  void run(const Check& check);
  void found(Subject subject, std::string message, std::string hint = {});
  LintReport take() { return std::move(report_); }

  const Catalog& catalog() const { return catalog_; }
  const Places& places() const { return places_; }
  Date today() const { return options_.today; }
  int max_age() const { return options_.max_age_days.value_or(kUsualAge); }
  const Acceptances& acceptances() const { return acceptances_; }
  /// The catalogue as it is shipped; null where there is none.
  const Catalog* shipped() const { return options_.shipped; }
  /// Whether findings are wanted about what that file says.
  bool is_mine(std::string_view document) const { return places_.whole() || places_.has_file(document); }

 private:
  std::string place_of(const Subject& subject) const;

  const Catalog& catalog_;
  const Places& places_;
  const LintOptions& options_;
  Acceptances acceptances_;
  LintReport report_;
  const Check* check_ = nullptr;
  std::size_t listed_ = 0;  // of this check, and beside them the accepted ones
  std::size_t accepted_ = 0;
};

// Sections of which a check reads the entries themselves.

template <class Action>
void each_entry(std::span<const Document> documents, std::string_view section, Action action) {
  for (const Document& document : documents)
    if (const Node* list = document.root.find(section); list != nullptr)
      for (const Node& node : list->children) action(document, node);
}

/// Those of the files about which findings are wanted; one of them that has no list there is a finding.
template <class Action>
void each_own_entry(Lint& lint, std::string_view section, Action action) {
  const std::vector<Document> documents = lint.catalog().documents(section);
  for (const Document& document : documents)
    if (const Node* list = document.root.find(section);
        list != nullptr && !list->is_list() && lint.is_mine(document.name))
      lint.found({.kind = section, .place = position(document.name, *list)},
                 say("'{}' must be a list, found {}", section, list->describe()));
  each_entry(documents, section, [&](const Document& document, const Node& node) {
    if (lint.is_mine(document.name)) action(document, node);
  });
}

/// The first key of an entry that is none of `known`, as an error.
std::optional<Error> unknown_key(const Node& entry, std::span<const std::string_view> known);

// The tables of checks, one per kind of subject.
std::span<const Check> gpu_checks();
std::span<const Check> part_checks();
std::span<const Check> instance_checks();
std::span<const Check> family_checks();
std::span<const Check> price_checks();
std::span<const Check> model_checks();
std::span<const Check> place_checks();
std::span<const Check> source_checks();
std::span<const Check> acceptance_checks();

inline std::string sku_name(const Instance& instance) { return format("{}/{}", instance.provider, instance.sku); }
inline std::string family_name(const Instance& instance) { return format("{}/{}", instance.provider, instance.family); }
/// "4.2 times", "2,000 TFLOPS": a figure as messages show it.
inline std::string shown(double value) { return human_number(value); }

}  // namespace gpusel::catalog
