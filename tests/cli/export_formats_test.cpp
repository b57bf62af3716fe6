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

TEST_CASE("scripts and the programs in them are read by their own parsers, and ask for no command", "[export]") {
  // Of each kind of work that has a program of its own.
  const std::vector<std::string> work{"--model wan2.1-t2v-1.3b --task inference",
                                      "--model flux.1-kontext-dev --task inference",
                                      "--model sdxl --task inference --gpu l40s:4 --nodes 2",
                                      "--model whisper-large-v3 --task transcribe",
                                      "--model parakeet-tdt-0.6b-v2 --task inference",
                                      "--model yolo11n --task inference",
                                      "--model vit-base-patch16-224 --task inference",
                                      "--model bge-m3 --task finetune",
                                      "--model bge-reranker-base --task finetune",
                                      "--task preprocess --preprocess tokenize",
                                      "--task transcode --streams 50",
                                      "--model llama-3.1-8b --task inference --engine llama.cpp --quant q4_k_m",
                                      "--model llama-3.1-8b --task inference --quant int8",
                                      "--model llama-3.1-70b --task finetune --method lora --sharding zero3"};
  const std::string folder = scratch_directory();
  std::size_t written = 0;
  for (std::size_t i = 0; i < work.size(); ++i)
    for (const char* target : {"slurm", "docker", "compose", "kubernetes", "dstack", "skypilot", "terraform"}) {
      const Run run = asked_export(target, work[i] + " --cloud aws");
      CAPTURE(target, work[i], run.err);
      CHECK(run.status == 0);
      for (const char* placeholder : {"$COMMAND", "$TRAIN_SCRIPT", "registry.invalid", "$CHECKPOINT"})
        CHECK_FALSE(has(run.out, placeholder));
      std::ofstream(folder + "/" + target + "." + std::to_string(i)) << run.out;
      ++written;
    }
  REQUIRE(written > 90);
  const Run run = command({"/usr/bin/python3", kSource + "/tests/export/check.py", folder});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
}

}  // namespace export_formats_test
