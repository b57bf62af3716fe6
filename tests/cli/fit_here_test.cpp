// gpusel fit: what the drivers of a machine say, broken ones included, and what runs there.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace fit_here_test {

using gpusel::test::ask;
using gpusel::test::Run;
using gpusel::test::scratch_directory;
using Json = nlohmann::json;

namespace {

/// A folder with a tool of that name in it, which is that script.
class Tools {
 public:
  void add(const std::string& name, const std::string& script) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0755);
  }
  Run fit(std::vector<std::string> words) const {
    words.insert(words.begin(), "fit");
    return ask(words, {.environment = {{"PATH", folder_ + ":/usr/bin:/bin"}}});
  }
  Json fit_json(std::vector<std::string> words = {}) const {
    words.emplace_back("--json");
    const Run run = fit(std::move(words));
    INFO(run.err);
    REQUIRE(run.status == 0);
    return Json::parse(run.out);
  }

 private:
  std::string folder_ = scratch_directory();
};

std::string prints(const std::string& text) { return "cat <<'END'\n" + text + "\nEND"; }

}  // namespace

TEST_CASE("the GPUs that nvidia-smi names are the catalogue's") {
  const auto [line, gpu] = GENERATE(table<std::string, std::string>({
      {"NVIDIA H100 80GB HBM3, 81559, 4", "h100-sxm-80gb"},
      {"NVIDIA H100 PCIe, 81559, 4", "h100-pcie-80gb"},
      {"NVIDIA A100-SXM4-40GB, 40960, 0", "a100-sxm-40gb"},
      {"NVIDIA A100-SXM4-80GB, 81920, 0", "a100-sxm-80gb"},
      {"Tesla V100-SXM2-16GB, 16160, 0", "v100-sxm2-16gb"},
      {"Tesla T4, 15360, 0", "t4"},
      {"NVIDIA GeForce RTX 4090, 24564, 1203", "rtx-4090"},
      {"NVIDIA L40S, 46068, 0", "l40s"},
      {"NVIDIA RTX A6000, 49140, 12", "rtx-a6000-48gb"},
      {"NVIDIA H200, 143771, 0", "h200-sxm-141gb"},
      {"NVIDIA A10G, 23028, 0", "a10g"},
  }));
  Tools tools;
  tools.add("nvidia-smi", prints(line));
  const Json answer = tools.fit_json();
  CHECK(answer["schema"] == "gpusel.fit/1");
  CHECK(answer["machine"]["gpu"] == gpu);
  CHECK(answer["machine"]["source"] == "nvidia-smi");
  CHECK_FALSE(answer["models"].empty());
}

TEST_CASE("a mobile GPU is taken as the desktop one nearest in memory, and memory is what the driver reports") {
  const auto [line, gpu, usable] = GENERATE(table<std::string, std::string, double>({
      {"NVIDIA GeForce RTX 4060 Laptop GPU, 8188, 0", "rtx-4060", 8},
      {"NVIDIA GeForce RTX 4090 Laptop GPU, 16376, 0", "rtx-4080", 16},
      {"NVIDIA GeForce RTX 3080 Laptop GPU, 8192, 0", "rtx-3070", 8},
      {"NVIDIA GeForce RTX 5090 Laptop GPU, 24463, 0", "rtx-5090", 24},
      {"NVIDIA GeForce RTX 4090, 49140, 0", "rtx-4090", 48},
  }));
  Tools tools;
  tools.add("nvidia-smi", prints(line));
  const Json answer = tools.fit_json();
  CAPTURE(line, answer["machine"].dump());
  CHECK(answer["machine"]["gpu"] == gpu);
  CHECK(answer["machine"]["usable_gib"].get<double>() == Approx(usable).margin(0.7));
  CHECK(answer["machine"]["notes"].empty() == false);
}

TEST_CASE("several equal GPUs are one machine, and of mixed ones those with the most memory") {
  Tools tools;
  tools.add("nvidia-smi",
            prints("NVIDIA GeForce RTX 3090, 24576, 0\nTesla T4, 15360, 0\nNVIDIA GeForce RTX 3090, 24576, 0"));
  const Json answer = tools.fit_json({"llama-3.1-8b"});
  CHECK(answer["machine"]["gpu"] == "rtx-3090");
  CHECK(answer["machine"]["gpus"] == 2);
  CHECK(answer["machine"]["found"].size() == 3);
  const Run page = tools.fit({});
  CHECK_THAT(page.out, Catch::Contains("not counting 1 other GPU"));
}

TEST_CASE("a MIG slice has its own memory, and a job takes one") {
  Tools tools;
  tools.add("nvidia-smi", "if [ \"$1\" = -L ]; then\n" + prints(R"X(GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5c89852c)
  MIG 3g.20gb     Device  0: (UUID: MIG-1)
  MIG 1g.5gb      Device  1: (UUID: MIG-2)
GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-5c89852d)
  MIG 9g.99gb     Device  0: (UUID: MIG-3))X") +
                              "\nelse\n" +
                              prints("NVIDIA A100-SXM4-40GB, 40960, 500\nNVIDIA A100-SXM4-40GB, 40960, 0") + "\nfi");
  const Json machine = tools.fit_json({"llama-3.1-8b"})["machine"];
  CHECK(machine["gpu"] == "a100-sxm-40gb");
  CHECK(machine["gpus"] == 1);
  CHECK(machine["usable_gib"].get<double>() == Approx(20).margin(0.5));
  REQUIRE(machine["found"].size() == 3);
  CHECK(machine["found"][0]["slice"] == "3g.20gb");
  CHECK(machine["found"][1]["memory_gib"] == Approx(5));  // 1/8 of 40
  CHECK(machine["found"][2]["gpu"].is_null());
  CHECK_THAT(machine["notes"].dump(), Catch::Contains("'9g.99gb' is not a known MIG profile"));
  CHECK_THAT(tools.fit({}).out, Catch::Contains("MIG slice 3g.20gb") && Catch::Contains("--gpu a100-sxm-40gb:1/2"));
}

TEST_CASE("other slices are slices, and an unknown one is met by a line that works") {
  const auto cut = [](const std::string& slices) {
    Tools tools;
    tools.add("nvidia-smi", "if [ \"$1\" = -L ]; then\n" +
                                prints("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n" + slices) + "\nelse\n" +
                                prints("NVIDIA A100-SXM4-80GB, 81920, 0") + "\nfi");
    return tools.fit({"llama-3.2-1b"});
  };
  const Run known = cut("  MIG 3g.40gb Device 0: (UUID: 1)\n  MIG 2g.20gb Device 1: (UUID: 2)");
  CHECK_THAT(known.out, Catch::Contains("1 other MIG slice is excluded") && !Catch::Contains("other GPU"));
  const Run unknown = cut("  MIG 9g.40gb Device 0: (UUID: 1)");
  CHECK(unknown.status == 3);
  CHECK(unknown.err ==
        "error: '9g.40gb' is not a known MIG profile of a100-sxm-80gb\n"
        "help: use one like it: gpusel fit --gpu a100-sxm-80gb:1/2\n");
  CHECK(ask({"fit", "--gpu", "a100-sxm-80gb:1/2", "llama-3.2-1b"}).status == 0);
  const Run many = ask({"fit", "--gpu", "a100-sxm-80gb:1/9", "llama-3.2-1b"});
  CHECK(many.err.ends_with("help: the smallest is --gpu a100-sxm-80gb:1/7\n"));
}

TEST_CASE("an unknown card is met by one of its maker and size, and a wrong name by the list") {
  Tools odd;
  odd.add("nvidia-smi", prints("NVIDIA Imaginary 9000, 24576, 0"));
  const Run unknown = odd.fit({});
  const std::string like = unknown.err.substr(unknown.err.find("--gpu ") + 6);
  REQUIRE(like.ends_with('\n'));
  const Run found = ask({"fit", "--gpu", like.substr(0, like.size() - 1), "--json"});
  REQUIRE(found.status == 0);
  CHECK(Json::parse(found.out)["machine"]["usable_gib"].get<double>() == Approx(22).margin(2));
  CHECK(ask({"fit", "--gpu", "nosuch"}).err == "error: --gpu: unknown GPU 'nosuch'\nhelp: all GPUs: gpusel gpus\n");
}

TEST_CASE("another GPU that would do comes in the number that was asked for") {
  const Run run = ask({"fit", "llama-3.1-70b", "--gpu", "l4:2"});
  CHECK(run.status == 3);
  const auto at = run.out.find("  --gpu ");
  REQUIRE(at != std::string::npos);
  const std::string gpu = run.out.substr(at + 8, run.out.find(' ', at + 8) - at - 8);
  CAPTURE(gpu);
  CHECK(gpu.ends_with(":2"));
  CHECK(ask({"fit", "llama-3.1-70b", "--gpu", gpu}).status == 0);
}

TEST_CASE("what other processes use of a GPU is said and left out") {
  const auto usable = [](const std::string& used) {
    Tools tools;
    tools.add("nvidia-smi", prints("NVIDIA GeForce RTX 4090, 24564, " + used));
    return tools.fit_json({"llama-3.2-1b"})["machine"]["usable_gib"].get<double>();
  };
  CHECK(usable("8192") == Approx(usable("0") - 8));  // 8192 MiB
  Tools busy;
  busy.add("nvidia-smi", prints("NVIDIA GeForce RTX 4090, 24564, 8192"));
  const Run run = busy.fit({"llama-3.1-8b"});
  CHECK_THAT(run.out, Catch::Contains("other processes use 8.0 of 24.0 GiB"));
  CHECK_THAT(run.out, Catch::Contains("of 15.5 GiB"));
  Tools full;
  full.add("nvidia-smi", prints("NVIDIA GeForce RTX 4090, 24564, 24564"));
  const Run none = full.fit({"llama-3.2-1b"});
  CHECK(none.status == 3);
  CHECK_THAT(none.out, Catch::Contains("\nNO "));
}

TEST_CASE("a busy GPU is left out where an idle one like it has more room alone") {
  const auto machine = [](const std::string& first, const std::string& second) {
    Tools tools;
    const std::string card = "NVIDIA GeForce RTX 4090, 24564, ";
    tools.add("nvidia-smi", prints(card + first + "\n" + card + second));
    return tools.fit_json({"llama-3.1-8b"})["machine"];
  };
  const Json one = machine("20000", "0"), two = machine("8192", "0"), idle = machine("0", "0");
  CHECK(one["gpus"] == 1);
  CHECK(one["usable_gib"] == idle["usable_gib"]);
  // Twice what the busier one has left is more than one alone.
  CHECK(two["gpus"] == 2);
  CHECK(two["usable_gib"].get<double>() == Approx(idle["usable_gib"].get<double>() - 8));
}

TEST_CASE("rocm-smi is asked where there is no nvidia-smi") {
  Tools tools;
  tools.add("nvidia-smi", "exit 9");
  tools.add("rocm-smi", prints(R"X(WARNING: something
{"card0": {"Card Series": "AMD Instinct MI300X", "VRAM Total Memory (B)": "206141652992", "VRAM Total Used Memory (B)": "9"},
 "card1": {"Card Series": "AMD Instinct MI300X", "VRAM Total Memory (B)": "206141652992", "VRAM Total Used Memory (B)": "0"},
 "system": {"Driver version": "6.7"}})X"));
  const Json answer = tools.fit_json({"llama-3.1-70b"});
  CHECK(answer["machine"]["gpu"] == "mi300x-192gb");
  CHECK(answer["machine"]["gpus"] == 2);
  CHECK(answer["machine"]["source"] == "rocm-smi");
}

TEST_CASE("a tool that hangs is given two seconds, garbage is named, and then the next one is asked") {
  const std::string rocm =
      prints(R"X({"card0": {"Card Series": "AMD Instinct MI210", "VRAM Total Memory (B)": "68702699520"}})X");
  const auto [script, note] = GENERATE(table<std::string, std::string>({
      {"sleep 30", "nvidia-smi failed: timed out"},
      {"echo 'Failed to initialize NVML: Driver/library version mismatch'", "nvidia-smi failed: Failed to initialize"},
      {"echo 'NVIDIA L4, lots, 0'", "'NVIDIA L4, lots, 0' is not a known GPU"},
      {"echo 'NVIDIA L4, -5, 0'", "is not a known GPU"},
      {"printf '\\000\\377\\001, 1'", "is not a known GPU"},
      {"yes x", "it prints more than"},
      {"exit 12", "nvidia-smi failed (status 12)"},
      {"kill -9 $$", "nvidia-smi failed (status 137)"},
  }));
  CAPTURE(script);
  Tools tools;
  tools.add("nvidia-smi", script);
  tools.add("rocm-smi", rocm);
  const Json answer = tools.fit_json({"llama-3.1-8b"});
  CHECK(answer["machine"]["gpu"] == "mi210-64gb");
  CHECK_THAT(answer["machine"]["notes"].dump(), Catch::Contains(note));
}

TEST_CASE("without a GPU, or with one that the catalog does not know, the way out is said") {
  Tools tools;
  tools.add("nvidia-smi", "exit 1");
  tools.add("rocm-smi", "exit 1");
  const Run none = tools.fit({});
  CHECK(none.status == 3);
  CHECK_THAT(none.err, Catch::Contains("no GPU was found") && Catch::Contains("--gpu"));
  Tools odd;
  odd.add("nvidia-smi", prints("NVIDIA Imaginary 9000, 24576, 0"));
  const Run unknown = odd.fit({});
  CHECK(unknown.status == 3);
  CHECK_THAT(unknown.err, Catch::Contains("'NVIDIA Imaginary 9000' (24 GiB): its bandwidth and speed are missing"));
}

TEST_CASE("a model that fits says in which format, and one that does not what would do") {
  Tools none;
  const Json tight = none.fit_json({"qwen3-32b", "--gpu", "rtx-4090"});
  REQUIRE(tight["models"].size() > 1);
  CHECK(tight["models"].front()["room"] == "no");
  CHECK(tight["format"] != tight["models"].front()["format"]);
  CHECK(tight["cloud"].is_null());
  const Run large = none.fit({"llama-3.1-405b", "--gpu", "rtx-4090"});
  CHECK(large.status == 3);
  CHECK_THAT(large.out, Catch::Contains("NO") && Catch::Contains("Cheapest cloud machine"));
  const Run with_json = none.fit({"llama-3.1-405b", "--gpu", "rtx-4090", "--json"});
  CHECK(Json::parse(with_json.out)["cloud"]["hourly"] > 0);
}

TEST_CASE("a GPU that vLLM has no kernels for runs what llama.cpp has, and it is said") {
  const Run run = ask({"fit", "--gpu", "gtx-1080-ti", "--json"});
  CHECK(run.err.find("vLLM has no kernels for gtx-1080-ti; assuming --engine llama.cpp") != std::string::npos);
  CHECK(Json::parse(run.out)["models"].size() > 20);
  CHECK(ask({"fit", "qwen3-8b", "--gpu", "p40"}).status == 0);
  // An engine that was named stays.
  CHECK(ask({"fit", "qwen3-8b", "--gpu", "p40", "--engine", "vllm"}).status == 3);
  CHECK(ask({"fit", "qwen3-8b", "--gpu", "l4"}).err.find("llama.cpp") == std::string::npos);
}

TEST_CASE("more memory never makes less of a model's room") {
  Tools none;
  const std::vector<std::string> words = {"comfortable", "fits", "tight", "no"};
  const auto rank = [&](const std::string& gpu, const std::string& model) {
    const Run run = none.fit({model, "--gpu", gpu, "--quant", "bf16", "--json"});
    const Json answer = Json::parse(run.out);
    return std::ranges::find(words, answer["models"].front()["room"].get<std::string>()) - words.begin();
  };
  for (const char* model : {"llama-3.1-8b", "qwen3-32b", "llama-3.1-70b"}) {
    CAPTURE(model);
    CHECK(rank("a100-sxm-80gb", model) <= rank("a100-sxm-40gb", model));
    CHECK(rank("h200-sxm-141gb", model) <= rank("a100-sxm-80gb", model));
  }
}

}  // namespace fit_here_test
