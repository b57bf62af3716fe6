// Findings as SARIF and as JUnit's XML, which the services that run pipelines show beside the code.
#include <algorithm>
#include <map>

#include "base/text/unicode.hpp"
#include "base/words/message.hpp"
#include "show/gate/check.hpp"

namespace gpusel::show {

namespace {

using answer::Policy;
using answer::PolicyOutcome;
using answer::PolicyResult;

/// A path as a relative or file URI (RFC 3986): everything but what may stand for itself is encoded.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  while (path.starts_with("./")) path.remove_prefix(2);
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path)
    uri += kPlain.find(c) != std::string_view::npos
               ? std::string(1, c)
               : format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return uri;
}

std::string subject_text(const answer::PolicySubject& subject) {
  return say("rank {}, {}/{} in {}", subject.rank, subject.provider, subject.sku,
             subject.region.empty() ? "?" : subject.region);
}

/// What came in by standard input lies at no address: then only the instance is a place.
Json location_of(const Policy& policy, const answer::PolicySubject& subject) {
  Json location{
      {"logicalLocations",
       Json::array({{{"name", subject.sku},
                     {"fullyQualifiedName", format("{}/{}/{}", subject.provider, subject.sku, subject.region)},
                     {"kind", "resource"}}})}};
  if (policy.has_path)
    location["physicalLocation"] = {{"artifactLocation", {{"uri", uri_of(policy.file)}}},
                                    {"region", {{"startLine", policy.line}, {"startColumn", policy.column}}}};
  return location;
}

/// As a code span, which nothing ends early.
std::string code(std::string_view text) {
  std::string out = "`";
  for (const char c : text) out += c == '`' ? '\'' : c == '\n' ? ' ' : c;
  return out + "`";
}

/// What services show beside a finding.
std::string help_markdown(const Policy& policy, std::string_view demand) {
  std::string out = say("{} demands {}, stated at {}.", code(policy.id), code(demand),
                        code(format("{}:{}", policy.file, policy.line)));
  if (!policy.reason.empty()) out += "\n\n" + say("Reason: {}", code(policy.reason));
  return out + "\n\n" +
         say("{} says how each rank came about; {} lists all policies and their keys.", code("gpusel why 1"),
             code("docs/ci.md"));
}

/// `helpUri` is there where the policy names a page: SARIF takes only whole addresses.
Json sarif_rule(const Policy& policy) {
  const std::string demand = policy.kind == "rule" ? policy.limit : format("{}: {}", policy.kind, policy.limit);
  const std::string full = policy.reason.empty() ? demand : format("{} ({})", demand, policy.reason);
  Json rule{{"id", policy.id},
            {"shortDescription", {{"text", demand}}},
            {"fullDescription", {{"text", full}}},
            {"help",
             {{"text", say("{}; stated at {}:{}", full, policy.file, policy.line)},
              {"markdown", help_markdown(policy, demand)}}},
            {"defaultConfiguration", {{"level", to_text(policy.severity)}}}};
  if (!policy.url.empty()) rule["helpUri"] = policy.url;
  return rule;
}

Json sarif_result(const PolicyResult& result, std::size_t rule) {
  const Policy& policy = *result.policy;
  std::string message = say("{}: {}", subject_text(*result.subject), result.verdict.message);
  if (!policy.reason.empty()) message += "; " + policy.reason;
  return {{"ruleId", policy.id},
          {"ruleIndex", rule},
          {"level", to_text(policy.severity)},
          {"message", {{"text", message}}},
          {"locations", Json::array({location_of(policy, *result.subject)})},
          // The same finding, whichever instance is first that day.
          {"partialFingerprints",
           {{"policy/v1", format("{}#{}@{}", uri_of(policy.file), policy.id, result.subject->rank)}}},
          {"properties", {{"outcome", to_text(result.verdict.outcome)}, {"mode", to_text(policy.mode)}}}};
}

/// XML 1.0 text and attribute values. What may not stand in them at all, or is not seen, is made visible.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : visible(text, false)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += c;
    }
  }
  for (const std::string_view noncharacter : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (auto at = out.find(noncharacter); at != std::string::npos; at = out.find(noncharacter, at))
      out.erase(at, noncharacter.size());
  return out;
}

std::string attribute(std::string_view name, std::string_view value) { return format(" {}=\"{}\"", name, xml(value)); }

/// A blocking demand that is not met fails the case; what only warns is told beside a case that passes. It is called
/// alike, whichever instance is first that day.
std::string junit_case(const PolicyResult& result) {
  const Policy& policy = *result.policy;
  const std::string what = say("{}: {}", subject_text(*result.subject), result.verdict.message);
  std::string body;
  if (result.is_finding() && policy.severity == answer::PolicySeverity::error)
    body = format("      <failure{}{}>{}</failure>\n", attribute("type", policy.kind),
                  attribute("message", result.verdict.message),
                  xml(policy.reason.empty() ? what : what + "\n" + policy.reason));
  else if (result.is_finding())
    body = format("      <system-out>{}</system-out>\n", xml(format("{}: {}", to_text(policy.severity), what)));
  else if (result.verdict.outcome == PolicyOutcome::unknown)
    body = format("      <skipped{}>{}</skipped>\n", attribute("message", result.verdict.message), xml(what));
  else
    body = format("      <system-out>{}</system-out>\n", xml(subject_text(*result.subject)));
  const std::string head = format("    <testcase{}{}{} line=\"{}\" time=\"0\"", attribute("classname", policy.file),
                                  attribute("name", format("{} #{}", policy.id, result.subject->rank)),
                                  attribute("file", policy.file), policy.line);
  return head + ">\n" + body + "    </testcase>\n";
}

struct Suite {
  std::string cases;
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;

  std::string counts() const {
    return format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"", tests, failures, errors,
                  skipped);
  }
  void count(const Suite& part) {
    tests += part.tests;
    failures += part.failures;
    errors += part.errors;
    skipped += part.skipped;
  }
  void add(const PolicyResult& result) {
    const bool fails = result.is_finding() && result.policy->severity == answer::PolicySeverity::error;
    ++tests;
    failures += fails ? 1 : 0;
    skipped += !result.is_finding() && result.verdict.outcome == PolicyOutcome::unknown ? 1 : 0;
    cases += junit_case(result);
  }
};

/// What closes the gate though no policy does.
std::string beside_policies(const CheckView& view) {
  return view.subjects.empty() ? say("no instance meets the job: there is nothing to judge") : view.too_old;
}

}  // namespace

/// https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
Json check_sarif(const CheckView& view) {
  Json rules = Json::array();
  std::map<const Policy*, std::size_t> index;
  for (const Policy& policy : view.policies) {
    index[&policy] = rules.size();
    rules.push_back(sarif_rule(policy));
  }
  Json results = Json::array();
  for (const PolicyResult& result : view.results)
    if (result.is_finding()) results.push_back(sarif_result(result, index[result.policy]));
  Json invocation{{"executionSuccessful", !view.subjects.empty()}, {"exitCode", view.status}};
  if (const std::string wrong = beside_policies(view); !wrong.empty())
    invocation["toolExecutionNotifications"] = Json::array({{{"level", "error"}, {"message", {{"text", wrong}}}}});
  return {{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs",
           Json::array(
               {{{"tool",
                  {{"driver", {{"name", "gpusel"}, {"semanticVersion", view.version}, {"rules", std::move(rules)}}}}},
                 {"invocations", Json::array({std::move(invocation)})},
                 {"results", std::move(results)},
                 {"properties", {{"answer", view.answer}, {"today", view.today.text()}}}}})}};
}

/// What GitLab reads of it: https://docs.gitlab.com/ci/testing/unit_test_reports/
std::string check_junit(const CheckView& view) {
  std::map<std::string, Suite> suites;
  for (const PolicyResult& result : view.results) suites[result.policy->file].add(result);
  if (const std::string wrong = beside_policies(view); !wrong.empty()) {
    Suite& none = suites[view.answer];
    none.tests = none.errors = 1;
    none.cases = format(
        "    <testcase classname=\"gpusel\" name=\"recommendation\" time=\"0\">\n"
        "      <error type=\"{0}\" message=\"{1}\">{1}</error>\n    </testcase>\n",
        view.subjects.empty() ? "nothing" : "price-age", xml(wrong));
  }
  Suite all;
  std::string text;
  for (const auto& [name, suite] : suites) {
    all.count(suite);
    text += format("  <testsuite{}{}>\n{}  </testsuite>\n", attribute("name", name), suite.counts(), suite.cases);
  }
  return format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpusel\"{}>\n{}</testsuites>\n",
                all.counts(), text);
}

}  // namespace gpusel::show
