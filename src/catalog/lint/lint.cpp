// Runs the tables of checks and gathers what they find.
#include "catalog/lint/lint.hpp"
#include "base/words/message.hpp"

#include <algorithm>

#include "catalog/lint/checks.hpp"

namespace gpusel::catalog {

namespace {

/// More of one kind is counted and not listed: a million prices may all be wrong in one way.
constexpr std::size_t kListed = 10'000;

constexpr Check kSchema{"schema", Severity::error,
                        to_say("what the strict reader rejects: keys, values, ids, joins, syntax")};

/// In the order of their work: acceptances last, when it is known which were needed.
std::vector<const Check*> all_checks() {
  std::vector<const Check*> all;
  for (const auto table : {gpu_checks(), part_checks(), instance_checks(), family_checks(), price_checks(),
                           model_checks(), place_checks(), source_checks(), acceptance_checks()})
    for (const Check& check : table) all.push_back(&check);
  return all;
}

/// Amounts of 0 in price sheets: the reader refuses them, and says so of every other wrong amount too.
std::vector<std::string> places_of_zero(const Places& places) {
  std::vector<std::string> zeros;
  for (const auto& documents : places.files())
    for (const Document& document : documents) {
      const Node* sheets = document.root.find("prices");
      if (sheets == nullptr) continue;
      for (const Node& sheet : sheets->children)
        for (const Node& amounts : sheet.children)
          for (const Node& amount : amounts.children)
            if (amounts.key.starts_with("per_") && amount.is_scalar() && plain_number(amount.text) == 0.0)
              zeros.push_back(position(document.name, amount));
    }
  std::sort(zeros.begin(), zeros.end());
  return zeros;
}

}  // namespace

std::optional<Error> unknown_key(const Node& entry, std::span<const std::string_view> known) {
  for (const Node& member : entry.children)
    if (std::ranges::find(known, member.key) == known.end())
      return Error{ErrorKind::bad_catalogue,
                   say("unknown key '{}'", shorten(member.key, 60)),
                   {},
                   did_you_mean(member.key, known)};
  return std::nullopt;
}

std::vector<CheckInfo> lint_checks() {
  std::vector<CheckInfo> infos{{kSchema.id, kSchema.severity, kSchema.what}};
  for (const Check* check : all_checks()) infos.push_back({check->id, check->severity, check->what});
  return infos;
}

void LintReport::count(const Finding& finding) {
  if (!finding.accepted.empty())
    ++accepted;
  else
    ++(finding.severity == Severity::error ? errors : finding.severity == Severity::warning ? warnings : infos);
}

void LintReport::add(Finding finding) {
  count(finding);
  findings.push_back(std::move(finding));
}

void add_problems(LintReport& report, const Errors& errors, const Places& places) {
  const std::vector<std::string> zeros = places_of_zero(places);
  for (const Error& error : errors) {
    const bool zero = std::binary_search(zeros.begin(), zeros.end(), error.where);
    report.add({zero ? "price.zero" : kSchema.id,
                Severity::error,
                error.where.substr(0, error.where.find(':')),
                error.where,
                error.message,
                error.hint,
                {}});
  }
}

Lint::Lint(const Catalog& catalog, const Places& places, const LintOptions& options)
    : catalog_(catalog), places_(places), options_(options), acceptances_(catalog.documents("accepted")) {}

void Lint::run(const Check& check) {
  check_ = &check;
  listed_ = accepted_ = 0;
  check.run(*this);
}

/// Where the first of the records stands that stands in a file; else the name of what it is about.
std::string Lint::place_of(const Subject& subject) const {
  if (!subject.place.empty()) return subject.place;
  std::string place = places_.find(subject.record(), subject.path);
  for (const std::string& other : subject.others)
    if (place.empty()) place = places_.find(other);
  return place.empty() ? subject.id : place;
}

void Lint::found(Subject subject, std::string message, std::string hint) {
  const bool mine =
      !subject.place.empty() || places_.holds(subject.record()) ||
      std::any_of(subject.others.begin(), subject.others.end(), [&](const auto& r) { return places_.holds(r); });
  if (!mine) return;
  Finding finding;
  finding.check = check_->id;
  finding.severity = check_->by_age && options_.max_age_days ? Severity::warning : check_->severity;
  const Acceptance* accepted = acceptances_.cover(check_->id, subject);
  if (accepted != nullptr) finding.accepted = accepted->reason;
  if (++(accepted != nullptr ? accepted_ : listed_) > kListed) {
    report_.count(finding);
    ++report_.left_out;
    return;
  }
  finding.subject = trim(format("{} {}", subject.kind, subject.name()));
  finding.place = place_of(subject);
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  report_.add(std::move(finding));
}

LintReport lint(const Catalog& catalog, const Places& places, const LintOptions& options) {
  Lint run(catalog, places, options);
  for (const Check* check : all_checks()) run.run(*check);
  return run.take();
}

}  // namespace gpusel::catalog
