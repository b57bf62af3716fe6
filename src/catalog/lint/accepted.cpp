// The section "accepted": findings that are true, each with its reason.
#include <algorithm>

#include "base/words/message.hpp"
#include "catalog/lint/checks.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::string_view kAccepted = "accepted";
constexpr std::string_view kAcceptedKeys[] = {"finding", "of", "reason", "source"};

/// Whether there is such a check, and its findings can be accepted.
bool is_check(std::string_view id) {
  const std::vector<CheckInfo> checks = lint_checks();
  return id != "schema" && std::any_of(checks.begin(), checks.end(), [&](const CheckInfo& c) { return c.id == id; });
}

/// A pattern must say at least so much before its first '*' that it cannot cover a whole provider.
bool too_wide(std::string_view of) {
  const auto star = of.find('*');
  if (star == std::string_view::npos) return false;
  const std::string_view start = of.substr(0, star);
  const auto slash = start.rfind('/');
  return slash == std::string_view::npos ? start.size() < 3 : start.size() - slash - 1 < 2;
}

/// What is wrong with an acceptance, and what would be right; nothing when it is well formed.
std::optional<Error> fault_of(const Acceptance& one, const Node& node, const Catalog& catalog) {
  const auto fault = [](std::string message, std::string hint = {}) {
    return Error{ErrorKind::bad_catalogue, std::move(message), {}, std::move(hint)};
  };
  std::vector<std::string_view> ids;
  for (const CheckInfo& check : lint_checks()) ids.push_back(check.id);
  if (!node.is_map()) return fault(say("an acceptance must be a map, found {}", node.describe()));
  if (auto unknown = unknown_key(node, kAcceptedKeys)) return unknown;
  if (std::find(ids.begin(), ids.end(), one.finding) == ids.end())
    return fault(say("there is no check '{}'", shorten(one.finding, 60)), did_you_mean(one.finding, ids));
  if (one.finding == "schema") return fault(say("unreadable records cannot be accepted"));
  if (one.of.empty()) return fault(say("'of' does not say whose finding is accepted"));
  if (trim(one.reason).empty()) return fault(say("the finding is accepted without a reason"));
  if (too_wide(one.of))
    return fault(say("'{}' accepts too much", shorten(one.of, 60)), say("name the family, SKU, GPU, model or source"));
  if (one.source.empty())
    return fault(say("the finding is accepted without a source"), say("cite the source that says so"));
  if (catalog.source(one.source) == nullptr) return fault(say("unknown source '{}'", shorten(one.source, 60)));
  return std::nullopt;
}

Acceptance read(const Document& document, const Node& node) {
  Acceptance one;
  one.finding = node.text_at("finding");
  one.of = node.text_at("of");
  one.reason = node.text_at("reason");
  one.source = node.text_at("source");
  one.document = document.name;
  one.place = position(document.name, node);
  return one;
}

Subject about(const Acceptance& one) {
  const std::string name = one.finding + (one.finding.empty() || one.of.empty() ? "" : " of ") + one.of;
  return {.kind = kAccepted, .id = name, .place = one.place};
}

void invalid_acceptances(Lint& lint) {
  each_own_entry(lint, kAccepted, [&](const Document& document, const Node& node) {
    const Acceptance one = read(document, node);
    if (const auto fault = fault_of(one, node, lint.catalog())) lint.found(about(one), fault->message, fault->hint);
  });
}

void unused(Lint& lint) {
  constexpr std::string_view kComesWithTime = "price.old";
  for (const Acceptance& one : lint.acceptances().all())
    if (!one.used && one.finding != kComesWithTime && lint.is_mine(one.document))
      lint.found(about(one), say("it no longer finds anything"), say("remove the acceptance"));
}

constexpr Check kAcceptedChecks[] = {
    {"accepted.invalid", Severity::error,
     to_say("an acceptance without a reason or a source, of no known check, or too wide"), invalid_acceptances},
    {"accepted.unused", Severity::warning, to_say("an acceptance of a finding that no longer exists"), unused},
};

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool Acceptance::covers(const Subject& subject) const {
  if (matches_pattern(of, subject.id) || (!subject.detail.empty() && matches_pattern(of, subject.name()))) return true;
  // Of two records that contradict each other, either may be named.
  return std::any_of(subject.others.begin(), subject.others.end(),
                     [&](std::string_view record) { return matches_pattern(of, record.substr(record.find(' ') + 1)); });
}

Acceptances::Acceptances(std::span<const Document> documents) {
  each_entry(documents, kAccepted, [&](const Document& document, const Node& node) {
    Acceptance one = read(document, node);
    if (!is_check(one.finding) || one.of.empty() || trim(one.reason).empty() || one.source.empty() || too_wide(one.of))
      return;
    by_check_[one.finding].push_back(all_.size());
    all_.push_back(std::move(one));
  });
}

const Acceptance* Acceptances::cover(std::string_view check, const Subject& subject) {
  const auto of_check = by_check_.find(std::string(check));
  if (of_check == by_check_.end()) return nullptr;
  const Acceptance* first = nullptr;
  for (const std::size_t i : of_check->second) {
    if (!all_[i].covers(subject)) continue;
    all_[i].used = true;
    if (first == nullptr) first = &all_[i];
  }
  return first;
}

std::span<const Check> acceptance_checks() { return kAcceptedChecks; }

}  // namespace gpusel::catalog
