// Limits of an answer: the field's spellings for GPUs, bounds with units, weights.
#include "job/limits/constraints.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/job.hpp"

namespace constraints_test {

using namespace gpusel;
using namespace gpusel::job;

namespace {

GpuSpec spec(std::string_view text) {
  auto read = parse_gpu_spec(text);
  CAPTURE(text);
  REQUIRE(read);
  return *read;
}

Constraints with(std::string_view key, std::string_view text) {
  const auto* option = find_option(constraint_options(), key);
  REQUIRE(option != nullptr);
  Constraints made;
  CAPTURE(key, text);
  REQUIRE(option->set(made, text));
  return made;
}

bool refuses(std::string_view key, std::string_view text) {
  const auto* option = find_option(constraint_options(), key);
  REQUIRE(option != nullptr);
  Constraints made;
  return !option->set(made, text);
}

}  // namespace

TEST_CASE("a GPU with a count behind it is that GPU and that many of it") {
  const GpuSpec read = spec("H100:8");
  CHECK(read.names == std::vector<std::string>{"h100"});
  CHECK(read.count.low == 8);
  CHECK(read.count.high == 8);
  CHECK_FALSE(read.memory_gb.low);
  CHECK(read.text == "H100:8");
}

TEST_CASE("a memory with a plus behind it is any GPU with at least that") {
  const GpuSpec read = spec("80GB+");
  CHECK(read.names.empty());
  CHECK(read.memory_gb.low == 80);
  CHECK_FALSE(read.memory_gb.high);
  CHECK(read.names_gpu(test::gpu("h100-sxm-80gb")));
}

TEST_CASE("a full GPU specification says vendor and names and memory and count") {
  const GpuSpec read = spec("nvidia:A100,H100:24GB..80GB:1..8");
  CHECK(read.vendor == "nvidia");
  CHECK(read.names == std::vector<std::string>{"a100", "h100"});
  CHECK(read.memory_gb.low == 24);
  CHECK(read.memory_gb.high == 80);
  CHECK(read.count.low == 1);
  CHECK(read.count.high == 8);
}

TEST_CASE("a GPU query with operators is read as its bounds") {
  const GpuSpec read = spec("gpu_name=RTX_4090 num_gpus>=4");
  CHECK(read.names == std::vector<std::string>{"rtx-4090"});
  CHECK(read.count.low == 4);
  CHECK_FALSE(read.count.high);
  const GpuSpec exact = spec("num_gpus=4");
  CHECK(exact.count.low == 4);
  CHECK(exact.count.high == 4);
  const GpuSpec memory = spec("gpu_ram>=24 num_gpus<=2");
  CHECK(memory.memory_gb.low == 24);
  CHECK(memory.count.high == 2);
  CHECK_FALSE(memory.count.low);
}

TEST_CASE("a count in front of a GPU name is the count") {
  for (const std::string_view text : {"2x RTX 4090", "2 x RTX 4090", "2X rtx_4090"}) {
    CAPTURE(text);
    const GpuSpec read = spec(text);
    CHECK(read.names == std::vector<std::string>{"rtx-4090"});
    CHECK(read.count.low == 2);
    CHECK(read.count.high == 2);
  }
}

TEST_CASE("a number alone is the name of a GPU and no count") {
  const GpuSpec read = spec("4090:2");
  CHECK(read.names == std::vector<std::string>{"4090"});
  CHECK(read.count.low == 2);
  CHECK(read.names_gpu(test::gpu("rtx-4090")));
  CHECK_FALSE(read.names_gpu(test::gpu("rtx-5090")));
}

TEST_CASE("a GPU specification that cannot be meant is refused with an example") {
  for (const std::string_view text :
       {"", "   ", ":", "H100::8", "H100:eight:4", "80GB..40GB", "H100:8..4", "gpu_name>=H100", "num_gpus=many",
        "colour=red", "gpu_name=H100 num_gpus!4", "H100:-2"}) {
    CAPTURE(text);
    const auto read = parse_gpu_spec(text);
    REQUIRE_FALSE(read);
    CHECK_FALSE(read.error().message.empty());
  }
  CHECK(parse_gpu_spec("H100::8").error().hint.find("H100:8") != std::string::npos);
}

TEST_CASE("a GPU name means whole words of an id or a whole alias") {
  const GpuSpec a10 = spec("A10");
  CHECK(a10.names_gpu(test::gpu("a10")));
  CHECK_FALSE(a10.names_gpu(test::gpu("a10g")));
  CHECK_FALSE(a10.names_gpu(test::gpu("a100-sxm-80gb")));
  const GpuSpec l40 = spec("L40");
  CHECK_FALSE(l40.names_gpu(test::gpu("l40s")));
  const GpuSpec h100 = spec("H100");
  CHECK(h100.names_gpu(test::gpu("h100-sxm-80gb")));
  CHECK(h100.names_gpu(test::gpu("h100-pcie-80gb")));
  CHECK_FALSE(h100.names_gpu(test::gpu("h200-sxm-141gb")));
}

TEST_CASE("a vendor in front of a GPU name excludes the others") {
  CHECK_FALSE(spec("amd:H100").names_gpu(test::gpu("h100-sxm-80gb")));
  CHECK(spec("amd").names_gpu(test::gpu("mi300x-192gb")));
  CHECK_FALSE(spec("amd").names_gpu(test::gpu("t4")));
}

TEST_CASE("one number of a least bound leaves the upper end open") {
  for (const std::string_view text : {"8", "8+"}) {
    const Bounds vcpus = with("vcpus", text).vcpus;
    CHECK(vcpus.low == 8);
    CHECK_FALSE(vcpus.high);
  }
  const Bounds range = with("vcpus", "8..64").vcpus;
  CHECK(range.low == 8);
  CHECK(range.high == 64);
  CHECK(with("vcpus", "..64").vcpus.high == 64);
  CHECK(refuses("vcpus", "64..8"));
}

TEST_CASE("memory with a decimal unit is less than with a binary one") {
  CHECK(with("min_vram", "40GB").min_vram->amount().raw() == 40e9);
  CHECK(with("min_vram", "40GiB").min_vram->amount().raw() == 40.0 * 1024 * 1024 * 1024);
  CHECK(with("min_vram", "40").min_vram->amount().raw() == 40e9);
  // Host memory is meant in GiB; 64 GB are 64e9 / 2^30 = 59.6 GiB.
  CHECK(with("memory", "64").host_memory_gib.low == 64);
  CHECK(*with("memory", "64GB").host_memory_gib.low == Approx(59.6046));
}

TEST_CASE("times of constraints are read in hours and days") {
  CHECK(with("deadline", "3d").deadline_hours == 72);
  CHECK(with("deadline", "90m").deadline_hours == 1.5);
  CHECK(with("deadline", "12").deadline_hours == 12);
  CHECK(with("max_price_age", "2w").max_price_age_days == 14);
  CHECK(with("max_price_age", "30").max_price_age_days == 30);
  CHECK(refuses("deadline", "0"));
  CHECK(refuses("deadline", "soon"));
}

TEST_CASE("lists of constraints are split at commas and checked word by word") {
  CHECK(with("formats", "bf16,fp8").formats == std::vector<std::string>{"bf16", "fp8"});
  CHECK(with("cloud", "aws,gcp").clouds == std::vector<std::string>{"aws", "gcp"});
  CHECK(with("term", "spot,on-demand").terms == std::vector<std::string>{"spot", "on-demand"});
  // A kind alone is every length of it.
  const auto reserved = with("term", "reserved").terms;
  for (const char* term : {"reserved-1y", "reserved-3y"}) CHECK(std::ranges::find(reserved, term) != reserved.end());
  CHECK(std::ranges::all_of(reserved, [](const std::string& term) { return term.starts_with("reserved-"); }));
  CHECK(with("term", "reserved-1y").terms == std::vector<std::string>{"reserved-1y"});
  CHECK(with("vendor", "AMD").vendors == std::vector<std::string>{"amd"});
  CHECK(with("vendor", "any").vendors.size() == 7);
  CHECK(refuses("formats", "bf16,fp7"));
  CHECK(refuses("term", "sopt"));
  CHECK(refuses("vendor", "nvidai"));
  CHECK(refuses("cloud", ","));
}

TEST_CASE("cloud and region given together are both kept") {
  const Constraints made = with("infra", "aws/us-east-1");
  CHECK(made.named_clouds() == std::vector<std::string>{"aws"});
  CHECK(made.named_regions() == std::vector<std::string>{"us-east-1"});
  CHECK(with("infra", "gcp/*").named_regions().empty());
}

TEST_CASE("an option of a constraint that repeats adds to what was given") {
  const auto* option = find_option(constraint_options(), "gpu");
  REQUIRE(option->repeats);
  Constraints made;
  REQUIRE(option->set(made, "H100:8"));
  REQUIRE(option->set(made, "A100"));
  REQUIRE(made.gpus.size() == 2);
  CHECK(made.gpus[1].names == std::vector<std::string>{"a100"});
}

TEST_CASE("weights are names with numbers from nought") {
  Objective objective;
  REQUIRE(add_weights("cost=0.7,speed=0.3", objective));
  CHECK(objective.weights == std::map<std::string, double>{{"cost", 0.7}, {"speed", 0.3}});
  REQUIRE(add_weights(" Headroom = 2 ", objective));
  CHECK(objective.weights.at("headroom") == 2);
  REQUIRE(add_weights("cost=0", objective));
  CHECK(objective.weights.at("cost") == 0);
}

TEST_CASE("weights that are no weights are refused with the right form") {
  Objective objective;
  for (const std::string_view text :
       {"", "cost", "cost=", "cost=-1", "cost=nan", "cost=inf", "cost=1e9", "cost=much", "=1", "cost=1,,speed=1"}) {
    CAPTURE(text);
    const Status set = add_weights(text, objective);
    REQUIRE_FALSE(set);
    CHECK_FALSE(set.error().hint.empty());
  }
  const Status unknown = add_weights("sped=1", objective);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().hint.find("speed") != std::string::npos);
}

}  // namespace constraints_test
