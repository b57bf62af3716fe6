// The plan of the measuring script, which itself needs a GPU: a table that verify could read.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "answer/truth/verify.hpp"
#include "support/job.hpp"
#include "support/program.hpp"

namespace train_test {

using namespace gpusel;

namespace {

const std::string kScript = test::kSource + "/tests/measure/train.py";

}  // namespace

TEST_CASE("every planned measurement is one that verify can use") {
  const test::Run run = test::command({"python3", kScript, "--dry-run", "--gpu", "NVIDIA H100 80GB HBM3"});
  REQUIRE(run.status == 0);
  auto csv = parse_csv(run.out, "plan.csv");
  REQUIRE(csv.has_value());
  CHECK(csv->rows.size() > 40);
  std::set<std::string> seen;
  for (Node& row : csv->rows) {
    CHECK(seen.insert(row.find("note")->text).second);  // no case twice
    Node ran;
    ran.kind = Node::Kind::scalar;
    ran.key = "fits";
    ran.text = "true";
    row.children.push_back(ran);
  }
  auto sheet = catalog::read_measurements(std::move(*csv), test::shipped(), false);
  REQUIRE(sheet.has_value());
  CHECK(sheet->unread.empty());
  CHECK(sheet->unusable.empty());
  for (const char* wanted : {"qwen2.5-0.5b", "llama-3.1-8b", "bert-large", "resnet-50"})
    CHECK(std::ranges::any_of(sheet->rows, [&](const auto& row) { return row.facts.model == wanted; }));
  std::vector<catalog::MeasurementSheet> sheets;
  sheets.push_back(std::move(*sheet));
  const auto out = answer::verify(std::move(sheets), {}, test::shipped(), test::coefficients());
  REQUIRE(out.has_value());
  for (const Error& error : out->unusable) UNSCOPED_INFO(error.where << ": " << error.message);
  CHECK(out->unusable.empty());
}

TEST_CASE("what the script cannot do is one clear sentence") {
  const auto says = [](const std::vector<std::string>& words, const std::string& sentence) {
    std::vector<std::string> all{"python3", kScript};
    all.insert(all.end(), words.begin(), words.end());
    const test::Run run = test::command(all);
    CAPTURE(run.err);
    CHECK(run.status == 1);
    CHECK(std::ranges::count(run.err, '\n') == 1);
    CHECK(run.err.find(sentence) != std::string::npos);
  };
  says({}, "say with --out where the table is to be written");
  says({"--dry-run", "--only", "("}, "is no regular expression");
  says({"--dry-run", "--only", "nothing-like-it"}, "no case has 'nothing-like-it' in its name");
}

}  // namespace train_test
