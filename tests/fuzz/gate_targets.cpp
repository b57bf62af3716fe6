// What is judged and what judges: rules, policies, saved answers, locks.
#include "answer/cost/cost.hpp"
#include "answer/gate/policy.hpp"
#include "answer/gate/saved.hpp"
#include "fuzz/ground.hpp"
#include "fuzz/readers.hpp"
#include "show/gate/check.hpp"
#include "show/gate/lock.hpp"
#include "show/gate/lock_diff.hpp"
#include "show/job/recommend.hpp"

namespace gpusel::fuzz {

namespace {

using show::Json;

Result<Document> read(std::string_view name, std::string_view bytes) {
  const std::string file = file_of(name, bytes);
  const auto text = read_text_file(file);
  if (!text) return std::unexpected(text.error());
  return parse_yaml(*text, file);
}

struct Asked {
  answer::Question question = question_of(R"({"task": "finetune", "model": "llama-7b", "method": "lora"})");
  answer::Advice advice;
  std::vector<answer::PolicySubject> subjects;
};

/// An answer to judge.
const Asked& asked() {
  static const Asked made = [] {
    Asked asked;
    auto advice = answer::recommend(asked.question, small().catalog, small().rules, small().coefficients);
    if (!advice) throw std::runtime_error(advice.error().message);
    asked.advice = std::move(*advice);
    for (const answer::Recommendation& one : asked.advice.recommendations)
      asked.subjects.push_back(
          answer::policy_subject(one, asked.advice, asked.question, small().catalog, small().coefficients));
    return asked;
  }();
  return made;
}

void judge(const std::vector<answer::Policy>& policies, std::span<const answer::PolicySubject> subjects) {
  const auto results = answer::judge(policies, subjects);
  must(results.size() == policies.size() * subjects.size(), "a policy was not judged");
  for (const answer::PolicyResult& result : results) {
    must(!result.is_finding() || !result.verdict.message.empty(), "a finding says nothing");
    must(!result.blocks() || result.is_finding(), "what is no finding blocks");
  }
  const show::CheckView view{.policies = policies,
                             .subjects = subjects,
                             .results = results,
                             .answer = "answer.json",
                             .saved = true,
                             .explains = true,
                             .today = kToday,
                             .version = "0",
                             .too_old = {},
                             .status = 0};
  show::dump(show::check_json(view));
  show::dump(show::check_sarif(view));
  show::check_junit(view);
  check_shown(show::check_page(view, false));
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
    for (const answer::PolicySubject& subject : asked().subjects) {
      rules::substituted(rule.when, subject.facts);
      if (rules::fires(rule, subject.facts)) rules::verdict(rule, subject.facts);
    }
  }
  std::vector<rules::Rule> all = small().rules;
  must(rules::add_rule_file(*document, all).empty(), "rules that read alone do not read beside others");
  const auto advice = answer::recommend(asked().question, small().catalog, all, small().coefficients);
  if (!advice) return check(advice.error());
  check_shown(show::recommend_page(*advice, small().catalog, {.explain = true, .show_rejected = true}));
}

void feed_policy(std::string_view bytes) {
  const auto document = read("policy.yaml", bytes);
  if (!document) return check(document.error());
  std::vector<answer::Policy> policies;
  if (const Errors errors = answer::add_policies(*document, small().catalog, policies); !errors.empty()) {
    must(policies.empty(), "policies of a file with errors are kept");
    return check(errors, true);
  }
  judge(policies, asked().subjects);
}

void feed_answer(std::string_view bytes) {
  const LoadedFacts& ground = small();
  const auto text = read_text_file(file_of("answer.json", bytes));
  if (!text) return check(text.error());
  const auto subjects = answer::saved_subjects(*text, "answer", kToday, ground.catalog, ground.coefficients);
  if (!subjects) check(subjects.error());
  static const std::vector<answer::Policy> policies = [] {
    std::vector<answer::Policy> read;
    const auto document = parse_yaml(
        "policies:\n"
        "  - {id: age, max_price_age: 30d}\n"
        "  - {id: where, allowed_countries: [US, DE]}\n"
        "rules:\n"
        "  - {id: full, effect: reject, when: {fact: memory_used_share, above: 0.9}, message: '{sku}', source: x}\n",
        "policy");
    const Errors errors = answer::add_policies(*document, small().catalog, read);
    if (!errors.empty()) throw std::runtime_error(errors.front().message);
    return read;
  }();
  if (subjects) judge(policies, *subjects);
  const auto advice = answer::saved_advice(*text, "answer", ground.catalog, ground.coefficients);
  if (!advice) return check(advice.error());
  check_shown(show::recommend_page(*advice, ground.catalog, {}));
}

namespace {

std::string own_lock() {
  Json lock = show::lock_json({.advice = asked().advice,
                               .catalog = small().catalog,
                               .coefficients = small().coefficients,
                               .words = {"--task", "finetune", "--model", "llama-7b", "--method", "lora"},
                               .files = {},
                               .rule_files = {},
                               .today = kToday,
                               .version = "0",
                               .rows = 2});
  show::seal(lock);
  return show::dump(lock, -1);
}

/// What `diff` does with two locks, but for asking again.
void compare(const Json& before, const Json& after) {
  (void)show::question_difference(before, after);
  const show::LockDifference difference = show::compare_locks(before, after);
  (void)difference.cost_change();
  const Json then = show::known_facts(before);
  const Json now = show::known_facts(after);
  for (const show::FactDifference& one : difference.facts) (void)show::set_back(one.fact, then, now);
  must(Json::accept(show::dump(show::lock_diff_json(difference, 0), -1)), "a difference is no JSON");
  check_shown(show::lock_diff_page(difference, false));
}

void use_lock(const std::string& file) {
  if (!show::says_lock(file)) return;
  const auto lock = show::read_lock(file, "fed.lock");
  if (!lock) return check(lock.error());
  check_shown(show::lock_page(*lock, {}));
  static const Json own = Json::parse(own_lock());
  compare(*lock, own);
  compare(own, *lock);
  const auto subjects = answer::saved_subjects(file, "fed.lock", kToday, small().catalog, small().coefficients);
  if (!subjects) check(subjects.error());
}

}  // namespace

/// As it is, and sealed anew: nobody would get past the checksum by chance.
void feed_lock(std::string_view bytes) {
  const auto text = read_text_file(file_of("fed.lock", bytes));
  if (!text) return check(text.error());
  use_lock(*text);
  if (Json lock = Json::parse(*text, nullptr, false); lock.is_object()) {
    show::seal(lock);
    use_lock(show::lock_file(lock));
  }
}

std::vector<std::string> made_answers() {
  return {show::dump(show::recommend_json(asked().advice, small().catalog, 3), -1)};
}

std::vector<std::string> made_locks() { return {own_lock()}; }

}  // namespace gpusel::fuzz
