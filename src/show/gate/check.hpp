// What policies say of an answer, for people and for the machines that run pipelines.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "answer/gate/policy.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

struct CheckView {
  std::span<const answer::Policy> policies;
  std::span<const answer::PolicySubject> subjects;
  std::span<const answer::PolicyResult> results;
  std::string answer;  // the command line that asked, or the file's name
  bool saved = false;
  bool explains = false;  // whether findings say what was compared
  Date today;
  std::string version;  // of the program
  std::string too_old;  // what --strict has to say of prices; empty: nothing
  int status = 0;       // that the program ends with
};

struct CheckCounts {
  std::size_t passed = 0, failed = 0, unknown = 0;  // of results
  std::size_t findings = 0, blocking = 0;
};
CheckCounts check_counts(std::span<const answer::PolicyResult> results);

Json check_json(const CheckView& view);
/// Every judgement, with all that is known of it.
Table check_results(const CheckView& view, bool all_columns);
Document check_page(const CheckView& view, bool all);
/// SARIF 2.1.0, findings alone.
Json check_sarif(const CheckView& view);
/// JUnit's XML, a test case for every policy and recommendation.
std::string check_junit(const CheckView& view);

}  // namespace gpusel::show
