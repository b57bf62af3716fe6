// Exports of many kinds of plans, each read by the format's own parser or checked against what its vendor documents.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/exports.hpp"

namespace export_formats_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

TEST_CASE("each plan is exported to the tools that can say it, and refused by the others", "[export]") {
  for (const ExportJob& job : export_jobs())
    for (const std::string& target : export_targets()) {
      INFO(job.name << " for " << target);
      const bool able = std::ranges::find(job.targets, target) != job.targets.end();
      CHECK(fs::exists(all_exports() + "/" + target + "." + job.name) == able);
    }
}

TEST_CASE("exports hold to what their vendors document", "[export]") {
  std::ofstream(all_exports() + "/answer.export")
      << ask({"export", "dstack", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "aws", "--json"}).out;
  std::ofstream(all_exports() + "/answer.list") << ask({"export", "--json"}).out;
  const Run run = command({"/usr/bin/python3", kSource + "/tests/export/check.py", all_exports()});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
}

TEST_CASE("Terraform files are read by HashiCorp's own parser", "[export]") {
  std::vector<std::string> words{"go", "run", kSource + "/tests/export/terraform.go",
                                 kSource + "/tests/schema/export/terraform.json"};
  for (const auto& file : fs::directory_iterator(all_exports()))
    if (file.path().filename().string().starts_with("terraform.")) words.push_back(file.path());
  REQUIRE(words.size() > 8);
  // Packaged libraries lie in GOPATH and are no modules.
  const Run run = command(words, {.environment = {{"GO111MODULE", "off"},
                                                  {"GOPATH", "/usr/share/gocode"},
                                                  {"GOCACHE", std::string(GPUSEL_SCRATCH_DIR) + "/go-cache"},
                                                  {"GOFLAGS", ""}}});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
}

}  // namespace export_formats_test
