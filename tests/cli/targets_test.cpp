// What other tools can order: the table of their sources, what it lets exports say, and answers made for one of them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace targets_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Run exported(const std::string& target, const std::string& flags) {
  std::vector<std::string> words{"export", target};
  for (const std::string& word : words_of(flags)) words.push_back(word);
  return ask(words);
}

}  // namespace

TEST_CASE("an answer for a tool ranks what it can order, and counts the rest", "[targets]") {
  const std::string job = "--model llama-3.1-8b --task inference --cloud aws,runpod,autodl";
  for (const std::string target : {"kubernetes", "skypilot", "runpod"}) {
    CAPTURE(target);
    const Run run = shell("gpusel recommend --for " + target + " " + job + " --json");
    INFO(run.err);
    REQUIRE(run.status == 0);
    const Json answer = Json::parse(run.out);
    CHECK(answer["target"] == target);
    REQUIRE(!answer["recommendations"].empty());
    CHECK(std::ranges::any_of(answer["rejected"], [](const Json& one) { return one["rule"] == "target"; }));
    for (const Json& one : answer["recommendations"]) CHECK(one["provider"] != "autodl");
    // Each rank of it can be exported, and the first is the one that the export takes unasked.
    const Run first = shell("gpusel export " + target + " --for " + target + " " + job + " --json");
    REQUIRE(first.status == 0);
    const Json plan = Json::parse(first.out)["plan"];
    CHECK(plan["rank"] == 1);
    CHECK(plan["sku"] == answer["recommendations"][0]["sku"]);
    const auto last = std::to_string(answer["recommendations"].size());
    CHECK(shell("gpusel export " + target + " --for " + target + " " + job + " --rank " + last).status == 0);
  }
}

TEST_CASE("a tool that nothing can be ordered for ends with status 3, an unknown one with the nearest name",
          "[targets]") {
  const Run none = shell("gpusel recommend --for karpenter --model llama-3.1-8b --task inference --cloud runpod");
  CHECK(none.status == 3);
  // One that cannot run the job names one that can, and no more than a few.
  const Run unfit = shell("gpusel recommend sdxl --for vllm");
  CHECK(unfit.status == 3);
  CHECK(has(unfit.out, "\n  --for skypilot "));
  CHECK(has(unfit.out, "also for: dstack"));
  CHECK(shell("gpusel recommend sdxl --for skypilot").status == 0);
  const Run many = shell("gpusel export sagemaker llama-3.1-8b --cloud gcp");
  CHECK(many.status == 3);
  CHECK(has(many.err, "\nhelp: targets that can: "));
  CHECK(has(many.err, "vllm"));
  CHECK(std::ranges::count(many.err, ',') <= 7);
  const Run wrong = shell("gpusel recommend --for skypilt --model llama-3.1-8b --task inference");
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "--for: unknown target 'skypilt'\nhelp: did you mean 'skypilot'?"));
}

TEST_CASE("SkyPilot's tasks name a card only where no type says it, and pin no region unless one is asked for",
          "[targets]") {
  const Run free = exported("skypilot", "--model llama-3.1-8b --task inference --cloud aws,gcp");
  REQUIRE(free.status == 0);
  CHECK(has(free.out, "- infra: aws\n"));
  CHECK_FALSE(has(free.out, "accelerators: "));
  CHECK(has(free.out, "regions are left to SkyPilot"));
  const Run pinned = exported("skypilot", "--model llama-3.1-8b --task inference --cloud aws --region us-east-1");
  REQUIRE(pinned.status == 0);
  CHECK(has(pinned.out, "- infra: aws/us-east-1\n"));
  const Run vast = exported("skypilot", "--model llama-3.1-8b --task inference --cloud vast --gpu rtx-4090:1");
  REQUIRE(vast.status == 0);
  CHECK(has(vast.out, "accelerators: RTX4090:1"));
  CHECK_FALSE(has(vast.out, "instance_type: "));
}

TEST_CASE("exports hold to what the tools' own sources take", "[targets]") {
  struct Case {
    std::string target, flags, reason;
  };
  const std::string serve = "--model llama-3.1-8b --task inference --market ";
  const std::vector<Case> refused{
      {"skypilot", serve + "--cloud azure --gpu mi300x:8 --nodes 1", "does not know the GPU of azure"},
      {"skypilot", serve + "--cloud gcp --allow-list g4-standard-6", "does not know the GPU of gcp g4-standard-6"},
      {"skypilot", "--task transcode --codec h264 --streams 200 --market --cloud vast",
       "cannot start several instances together on vast"},
      {"skypilot", serve + "--cloud digitalocean --gpu mi300x:1", "do not see mi300x-192gb"},
      {"dstack", serve + "--cloud azure --gpu mi300x:8 --nodes 1", "dstack offers no Standard_ND96"},
      {"dstack", serve + "--cloud oci --gpu mi300x:8 --nodes 1", "dstack offers no "},
      {"dstack", serve + "--cloud hyperstack", "dstack has no backend for hyperstack"},
  };
  for (const Case& one : refused) {
    const Run run = exported(one.target, one.flags);
    CAPTURE(one.target, one.flags, run.out.substr(0, 300), run.err);
    CHECK(run.status == 3);
    CHECK(has(run.err, one.reason));
  }
  const Run verda = exported("skypilot", serve + "--cloud verda");
  CHECK(verda.status == 0);
  CHECK_FALSE(has(verda.out, "ports:"));  // which SkyPilot opens none of there
  CHECK(has(verda.out, "ssh -L 8000:localhost:8000"));
  const Run image = exported("skypilot", serve + "--cloud oci --engine tgi --gpu a10:1");
  CHECK(image.status == 3);
  CHECK(has(image.err, "SkyPilot cannot start containers on oci"));
  CHECK(exported("dstack", serve + "--cloud verda").status == 0);
  const Run b300 = exported("dstack", serve + "--cloud runpod --gpu b300-288gb:1");
  REQUIRE(b300.status == 0);
  CHECK(has(b300.out, "270GB"));  // as gpuhunt has it, which compares to the gigabyte
}

TEST_CASE("doctor tells how old the table is", "[targets]") {
  const Run run = ask({"doctor", "--json"});
  const Json findings = Json::parse(run.out);
  CHECK(has(run.out, "skypilot data"));
  CHECK(has(run.out, "dstack data"));
  CHECK(has(run.out, "sources of 2026-04-23"));
}

TEST_CASE("an exported file carries its question, and diff makes it again", "[targets]") {
  const std::string directory = scratch_directory();
  const std::string job = " --model llama-7b --task finetune --method lora --cloud aws --gpus-max 1 ";
  for (const std::string target : {"kubernetes", "terraform", "deepspeed", "slurm"}) {
    CAPTURE(target);
    const Run made = shell("gpusel export " + target + job + "--to file." + target, {.directory = directory});
    REQUIRE(made.status == 0);
    const Run same = shell("gpusel diff --exit-code file." + target, {.directory = directory});
    CAPTURE(same.out, same.err);
    CHECK(same.status == 0);
    CHECK(has(same.out, "it is the same"));
  }
  std::string text = read_file(directory + "/file.kubernetes");
  const std::string was = "nvidia.com/gpu";
  REQUIRE(has(text, was));
  text.replace(text.find(was), was.size(), "amd.com/gpu");
  std::ofstream(directory + "/file.kubernetes") << text;
  const Run other = shell("gpusel diff --exit-code file.kubernetes --json", {.directory = directory});
  CHECK(other.status == 4);
  const Json difference = Json::parse(other.out);
  CHECK(difference["same"] == false);
  CHECK(difference["target"] == "kubernetes");
  REQUIRE(difference["lines"].size() == 2);
  CHECK(difference["lines"][0]["change"] == "removed");
  CHECK(has(difference["lines"][1]["text"].get<std::string>(), was));
  const Run page = shell("gpusel diff file.kubernetes", {.directory = directory});
  CHECK(page.status == 0);
  CHECK(has(page.out, "amd.com/gpu"));
}

TEST_CASE("tools/targets reads clouds, types and cards out of a checkout", "[targets]") {
  const std::string tree = scratch_directory();
  const auto file = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(tree + "/" + name).parent_path());
    std::ofstream(tree + "/" + name) << text;
  };
  file("sky/__init__.py", "__version__ = '9.8.7'\n");
  file("sky/clouds/__init__.py", "__all__ = ['AWS', 'GCP', 'Azure', 'RunPod']\n");
  file("sky/clouds/aws.py", "class AWS:\n    _REPR = 'AWS'\n");
  file("sky/clouds/gcp.py", "class GCP:\n    _REPR = 'GCP'\n");
  file("sky/clouds/azure.py", "class Azure:\n    _REPR = 'Azure'\n");
  file("sky/clouds/local.py", "class Local:\n    _REPR = 'Local'\n");
  file("sky/clouds/runpod.py",
       "class RunPod:\n    _REPR = 'RunPod'\n    _CLOUD_UNSUPPORTED_FEATURES = {\n"
       "        clouds.CloudImplementationFeatures.MULTI_NODE: 'no',\n    }\n");
  file("sky/catalog/gcp_catalog.py", "_ACC_INSTANCE_TYPE_DICTS = {'L4': {1: ['g2-standard-4']}}\n");
  file("sky/catalog/data_fetchers/fetch_aws.py", "ALL_REGIONS = ['us-east-1']\n");
  file("sky/catalog/data_fetchers/fetch_azure.py",
       "FAMILY_NAME_TO_SKYPILOT_GPU_NAME = {'StandardNCASv3_T4Family': 'T4'}\n");
  file("sky/provision/docker_utils.py", "OPTIONS = ['--gpus all']\n");
  const Run run = command({"/usr/bin/python3", kSource + "/tools/targets", "--print", tree});
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "version: '9.8.7'"));
  CHECK(has(run.out, "vendors: [nvidia]"));
  CHECK(has(run.out, "cloud: 'runpod', several_nodes: false, spot: true"));
  CHECK(has(run.out, "- 'g2-standard-4'"));
  CHECK(has(run.out, "- 'T4'"));
  CHECK(has(run.out, "- 'us-east-1'"));
  CHECK_FALSE(has(run.out, "local"));
  CHECK(command({"/usr/bin/python3", kSource + "/tools/targets", "--print", "/nonexistent"}).status != 0);
}

}  // namespace targets_test
