#include "answer/gate/policy.hpp"

#include <algorithm>
#include <unordered_map>

#include "answer/facts/facts_of.hpp"
#include "answer/gate/policy_facts.hpp"
#include "answer/gate/policy_kinds.hpp"
#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

/// A demand as people read it: "aws, gcp", "40 USD", "gpus: h100; countries: CN".
std::string text_of(const Node& node) {
  if (node.is_scalar()) return node.text;
  std::string text;
  for (const Node& child : node.children) {
    if (!text.empty()) text += node.is_map() ? "; " : ", ";
    if (node.is_map()) text += child.key + ": ";
    text += text_of(child);
  }
  return text;
}

/// As a URI of its own, which is all that readers of findings open.
bool is_web_address(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) &&
         text.find_first_of(" \"<>\\^`{|}") == std::string_view::npos;
}

PolicySeverity severity_of(rules::Effect effect) {
  switch (effect) {
    case rules::Effect::warn: return PolicySeverity::warning;
    case rules::Effect::note: return PolicySeverity::note;
    default: return PolicySeverity::error;
  }
}

class PolicyReader {
 public:
  PolicyReader(const Document& file, const catalog::Catalog& catalog, std::vector<Policy>& policies)
      : file_(file), catalog_(catalog), policies_(policies), problems_{file.name, ErrorKind::usage, {}} {
    for (const Policy& policy : policies) places_.try_emplace(policy.id, policy.file, policy.line);
  }

  Errors read() {
    Fields fields(file_.root, problems_);
    mode_ = fields.one_of<PolicyMode>("mode").value_or(PolicyMode::enforce);
    unknown_ = fields.one_of<UnknownFact>("unknown").value_or(UnknownFact::fail);
    read_currency(fields);
    const Node* list = fields.find("policies");
    const Node* rules = fields.find("rules");
    fields.finish();
    if (list == nullptr && rules == nullptr && file_.root.is_map())
      fields.fail(file_.root, say("a policy file needs 'policies' or 'rules'"));
    if (list != nullptr && !list->is_list()) problems_.add(*list, say("'policies' must be a list"));
    for (const Node* of : {list, rules})
      if (of != nullptr && of->is_list() && of->children.empty())
        problems_.add_at_key(*of, say("'{}' is empty: such a gate is always open", of->key),
                             say("remove the key, or write the condition"));
    if (list != nullptr && list->is_list())
      for (const Node& node : list->children)
        if (!is_enough(problems_.errors)) add_policy(node);
    if (rules != nullptr) add_rules(*rules);
    if (problems_.errors.empty()) std::ranges::move(read_, std::back_inserter(policies_));
    return std::move(problems_.errors);
  }

 private:
  void read_currency(Fields& fields) {
    const Node* node = fields.find("currency");
    if (node == nullptr) return;
    const auto currency = Currency::parse(node->is_scalar() ? std::string_view(node->text) : std::string_view());
    const auto rates = currency ? money::Converter::into(*currency, catalog_) : usage_error({});
    if (rates)
      currency_ = *currency;
    else
      fields.fail(*node,
                  currency ? rates.error().message : say("'currency' must be a currency, found {}", node->describe()),
                  say("write it like USD"));
  }

  void add_policy(const Node& node) {
    Fields fields(node, problems_);
    Policy policy;
    fields.require("id");
    policy.id = fields.text("id");
    policy.severity = fields.one_of<PolicySeverity>("severity").value_or(PolicySeverity::error);
    policy.reason = fields.text("reason");
    policy.url = fields.text("url");
    if (const Node* url = fields.find("url"); url != nullptr && !is_web_address(policy.url))
      fields.fail(*url, say("'url' must be the address of a page, found {}", url->describe()),
                  say("write it like https://wiki.example.org/gpu-policy"));
    policy.unknown = fields.one_of<UnknownFact>("unknown").value_or(unknown_);
    const PolicyKind* chosen = nullptr;
    for (const PolicyKind& kind : all_policy_kinds()) {
      const Node* demand = fields.find(kind.key);
      if (demand == nullptr) continue;
      if (chosen != nullptr)
        problems_.add_at_key(*demand, say("a policy has one condition; this one already has '{}'", chosen->key),
                             say("give '{}' a policy of its own", kind.key));
      chosen = chosen == nullptr ? &kind : chosen;
    }
    const std::size_t before = problems_.errors.size();
    fields.finish();
    if (chosen == nullptr) {
      if (node.is_map() && problems_.errors.size() == before)
        fields.fail(node, say("the policy has no condition"), say("all kinds of policies are listed in docs/ci.md"));
      return;
    }
    const Node& demand = *fields.find(chosen->key);
    policy.kind = chosen->key;
    policy.limit = text_of(demand);
    PolicySource source{fields, catalog_};
    policy.judge = chosen->read(*chosen, source);
    for (const std::string& meant : source.meant) policy.meant.push_back(format("{}: {}", policy.kind, meant));
    add(std::move(policy), node);
  }

  void add_rules(const Node& list) {
    auto rules = rules::read_rules(std::span(&file_, 1));
    if (!rules) {
      for (Error& error : rules.error()) {
        error.kind = ErrorKind::usage;
        problems_.errors.push_back(std::move(error));
      }
      return;
    }
    for (std::size_t i = 0; i < rules->size(); ++i) {
      auto rule = std::make_shared<const rules::Rule>(std::move((*rules)[i]));
      const Node& node = list.children[i];
      if (rule->effect == rules::Effect::adjust) {
        problems_.add(node, say("an 'adjust' rule changes a ranking and is not a policy"),
                      say("use reject, warn or note"));
        continue;
      }
      check_values(node, catalog_, problems_);
      const bool of_money = compares_money(rule->when);
      if (of_money && !currency_)
        problems_.add(node, say("a rule that compares money needs the file's 'currency'"),
                      say("write currency: USD at the top of the file"));
      Policy policy;
      policy.id = rule->id;
      policy.kind = "rule";
      policy.limit = say_text(rule->message);
      policy.reason = rule->source;
      policy.severity = severity_of(rule->effect);
      policy.unknown = unknown_;
      policy.judge = judge_by(
          rule->when, [rule](const PolicySubject& subject) { return rules::verdict(*rule, subject.facts).message; });
      if (currency_) policy.judge = in_own_currency(std::move(policy.judge));
      add(std::move(policy), node);
    }
  }

  /// The answer's currency is for whoever asks to choose, and changes no verdict.
  PolicyJudge in_own_currency(PolicyJudge judge) const {
    return [judge = std::move(judge), currency = *currency_, &catalog = catalog_](const PolicySubject& subject) {
      PolicySubject converted = subject;
      converted.facts = in_currency(subject, currency, catalog);
      converted.currency = currency;
      return judge(converted);
    };
  }

  void add(Policy policy, const Node& node) {
    const auto [first, is_new] = places_.try_emplace(policy.id, file_.name, node.line);
    if (!is_new)
      problems_.add(node, say("policy '{}' is defined twice", shorten(printable(policy.id), 60)),
                    say("the first is at {}:{}", printable(first->second.first), first->second.second));
    policy.mode = mode_;
    policy.file = file_.name;
    policy.line = node.line;
    policy.column = node.column;
    read_.push_back(std::move(policy));
  }

  const Document& file_;
  const catalog::Catalog& catalog_;
  std::vector<Policy>& policies_;
  std::vector<Policy> read_;
  std::unordered_map<std::string, std::pair<std::string_view, std::uint32_t>> places_;  // of each id, file and line
  Problems problems_;
  PolicyMode mode_ = PolicyMode::enforce;
  UnknownFact unknown_ = UnknownFact::fail;
  std::optional<Currency> currency_;  // of money in rules
};

}  // namespace

Errors add_policies(const Document& file, const catalog::Catalog& catalog, std::vector<Policy>& policies) {
  return PolicyReader(file, catalog, policies).read();
}

bool PolicyResult::is_finding() const {
  return verdict.outcome == PolicyOutcome::fail ||
         (verdict.outcome == PolicyOutcome::unknown && policy->unknown == UnknownFact::fail);
}

bool PolicyResult::blocks() const {
  return is_finding() && policy->severity == PolicySeverity::error && policy->mode == PolicyMode::enforce;
}

std::vector<PolicyResult> judge(std::span<const Policy> policies, std::span<const PolicySubject> subjects) {
  std::vector<PolicyResult> results;
  results.reserve(policies.size() * subjects.size());
  for (const PolicySubject& subject : subjects)
    for (const Policy& policy : policies) results.push_back({&policy, &subject, policy.judge(subject)});
  return results;
}

PolicySubject policy_subject(const Recommendation& one, const Advice& advice, const Question& question,
                             const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  return {.rank = one.rank,
          .provider = std::string(one.instance->provider),
          .sku = std::string(one.instance->sku),
          .region = std::string(one.region->id),
          .currency = advice.currency,
          .facts = facts_of(one, advice.work, question, catalog, coefficients),
          .gpu = one.gpu,
          .priced = Date::from_packed(one.offer->as_of),
          .price_source = std::string(catalog.origin_of(*one.offer).source)};
}

}  // namespace gpusel::answer
