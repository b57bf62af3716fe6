// What is judged and what judges: rules, policies, saved answers, locks.
#include "fuzz/ground.hpp"
#include "fuzz/readers.hpp"
#include "gpusel/advise/cost.hpp"
#include "gpusel/advise/policy.hpp"
#include "gpusel/advise/saved.hpp"
#include "report/gate/check.hpp"
#include "report/gate/lock.hpp"
#include "report/gate/lock_diff.hpp"
#include "report/job/recommend.hpp"

namespace gpusel::fuzz {

namespace {

using report::Json;

Result<Document> read(std::string_view name, std::string_view bytes) {
  const std::string file = file_of(name, bytes);
  const auto text = read_text_file(file);
  if (!text) return std::unexpected(text.error());
  return parse_yaml(*text, file);
}

struct Asked {
  advise::Question question = question_of(R"({"task": "finetune", "model": "llama-7b", "method": "lora"})");
  advise::Advice advice;
  std::vector<advise::PolicySubject> subjects;
};

/// An answer to judge.
const Asked& asked() {
  static const Asked made = [] {
    Asked asked;
    auto advice = advise::recommend(asked.question, small().catalog, small().rules, small().coefficients);
    if (!advice) throw std::runtime_error(advice.error().message);
    asked.advice = std::move(*advice);
    for (const advise::Recommendation& one : asked.advice.recommendations)
      asked.subjects.push_back(
          advise::policy_subject(one, asked.advice, asked.question, small().catalog, small().coefficients));
    return asked;
  }();
  return made;
}

void judge(const std::vector<advise::Policy>& policies, std::span<const advise::PolicySubject> subjects) {
  const auto results = advise::judge(policies, subjects);
  must(results.size() == policies.size() * subjects.size(), "a policy was not judged");
  for (const advise::PolicyResult& result : results) {
    must(!result.is_finding() || !result.verdict.message.empty(), "a finding says nothing");
    must(!result.blocks() || result.is_finding(), "what is no finding blocks");
  }
  const report::CheckView view{.policies = policies,
                               .subjects = subjects,
                               .results = results,
                               .answer = "answer.json",
                               .saved = true,
                               .explains = true,
                               .today = kToday,
                               .version = "0",
                               .too_old = {},
                               .status = 0};
  report::dump(report::check_json(view));
  report::dump(report::check_sarif(view));
  report::check_junit(view);
  check_shown(report::check_page(view, false));
}

}  // namespace

void feed_rules(std::string_view bytes) {
  const auto document = read("rules.yaml", bytes);
  if (!document) return check(document.error());
  std::vector<rules::Rule> rules;
  if (const Errors errors = rules::add_rule_file(*document, rules); !errors.empty()) {
    must(rules.empty(), "rules of a file with errors are kept");
    return check(errors, true);
  }
  for (const rules::Rule& rule : rules) {
    must(!rules::condition_text(rule.when).empty(), "a condition cannot be shown");
    for (const advise::PolicySubject& subject : asked().subjects) {
      rules::substituted(rule.when, subject.facts);
      if (rules::fires(rule, subject.facts)) rules::verdict(rule, subject.facts);
    }
  }
  std::vector<rules::Rule> all = small().rules;
  must(rules::add_rule_file(*document, all).empty(), "rules that read alone do not read beside others");
  const auto advice = advise::recommend(asked().question, small().catalog, all, small().coefficients);
  if (!advice) return check(advice.error());
  check_shown(report::recommend_page(*advice, small().catalog, {.explain = true, .show_rejected = true}));
}

void feed_policy(std::string_view bytes) {
  const auto document = read("policy.yaml", bytes);
  if (!document) return check(document.error());
  std::vector<advise::Policy> policies;
  if (const Errors errors = advise::add_policies(*document, small().catalog, policies); !errors.empty()) {
    must(policies.empty(), "policies of a file with errors are kept");
    return check(errors, true);
  }
  judge(policies, asked().subjects);
}

void feed_answer(std::string_view bytes) {
  const Ground& ground = small();
  const auto text = read_text_file(file_of("answer.json", bytes));
  if (!text) return check(text.error());
  const auto subjects = advise::saved_subjects(*text, "answer", kToday, ground.catalog, ground.coefficients);
  if (!subjects) check(subjects.error());
  static const std::vector<advise::Policy> policies = [] {
    std::vector<advise::Policy> read;
    const auto document = parse_yaml(
        "policies:\n"
        "  - {id: age, max_price_age: 30d}\n"
        "  - {id: where, allowed_countries: [US, DE]}\n"
        "rules:\n"
        "  - {id: full, effect: reject, when: {fact: memory_used_share, above: 0.9}, message: '{sku}', source: x}\n",
        "policy");
    const Errors errors = advise::add_policies(*document, small().catalog, read);
    if (!errors.empty()) throw std::runtime_error(errors.front().message);
    return read;
  }();
  if (subjects) judge(policies, *subjects);
  const auto advice = advise::saved_advice(*text, "answer", ground.catalog, ground.coefficients);
  if (!advice) return check(advice.error());
  check_shown(report::recommend_page(*advice, ground.catalog, {}));
}

namespace {

std::string own_lock() {
  Json lock = report::lock_json({.advice = asked().advice,
                                 .catalog = small().catalog,
                                 .coefficients = small().coefficients,
                                 .words = {"--task", "finetune", "--model", "llama-7b", "--method", "lora"},
                                 .files = {},
                                 .rule_files = {},
                                 .today = kToday,
                                 .version = "0",
                                 .rows = 2});
  report::seal(lock);
  return report::dump(lock, -1);
}

/// What `diff` does with two locks, but for asking again.
void compare(const Json& before, const Json& after) {
  (void)report::question_difference(before, after);
  const report::LockDifference difference = report::compare_locks(before, after);
  (void)difference.cost_change();
  const Json then = report::known_facts(before);
  const Json now = report::known_facts(after);
  for (const report::FactDifference& one : difference.facts) (void)report::set_back(one.fact, then, now);
  must(Json::accept(report::dump(report::lock_diff_json(difference, 0), -1)), "a difference is no JSON");
  check_shown(report::lock_diff_page(difference, false));
}

void use_lock(const std::string& file) {
  if (!report::says_lock(file)) return;
  const auto lock = report::read_lock(file, "fed.lock");
  if (!lock) return check(lock.error());
  check_shown(report::lock_page(*lock, {}));
  static const Json own = Json::parse(own_lock());
  compare(*lock, own);
  compare(own, *lock);
  const auto subjects = advise::saved_subjects(file, "fed.lock", kToday, small().catalog, small().coefficients);
  if (!subjects) check(subjects.error());
}

}  // namespace

/// As it is, and sealed anew: nobody would get past the checksum by chance.
void feed_lock(std::string_view bytes) {
  const auto text = read_text_file(file_of("fed.lock", bytes));
  if (!text) return check(text.error());
  use_lock(*text);
  if (Json lock = Json::parse(*text, nullptr, false); lock.is_object()) {
    report::seal(lock);
    use_lock(report::lock_file(lock));
  }
}

std::vector<std::string> made_answers() {
  return {report::dump(report::recommend_json(asked().advice, small().catalog, 3), -1)};
}

std::vector<std::string> made_locks() { return {own_lock()}; }

}  // namespace gpusel::fuzz
