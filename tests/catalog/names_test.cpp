// Names of GPUs, models, SKUs, providers and regions as people write them.
#include <catch2/catch.hpp>

#include <algorithm>

#include "catalog/places/places.hpp"
#include "listing.hpp"

namespace names_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

struct Written {
  const char* written;
  const char* id;
};

std::string gpu_id(const catalog::Catalog& c, const std::string& name) {
  const auto gpu = c.gpu(name);
  return gpu ? std::string((*gpu)->id) : gpu.error().message + " " + gpu.error().hint;
}

std::string model_id(const catalog::Catalog& c, const std::string& name) {
  const auto model = c.model(name);
  return model ? std::string((*model)->id) : model.error().message + " " + model.error().hint;
}

}  // namespace

TEST_CASE("a GPU is found by the ways people write it") {
  const auto c = embedded();
  const auto given = GENERATE(Written{"A100-80GB", "a100-sxm-80gb"}, Written{"NVIDIA-A100-SXM4-80GB", "a100-sxm-80gb"},
                              Written{"NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"}, Written{"a100", "a100-sxm-40gb"},
                              Written{"h100_sxm", "h100-sxm-80gb"}, Written{"H100", "h100-sxm-80gb"},
                              Written{"NVIDIA H100 80GB HBM3", "h100-sxm-80gb"}, Written{"h100 pcie", "h100-pcie-80gb"},
                              Written{"L40s", "l40s"}, Written{"l4", "l4"}, Written{"NVIDIA L4", "l4"},
                              Written{"rtx-a6000", "rtx-a6000-48gb"}, Written{"RTX A6000", "rtx-a6000-48gb"},
                              Written{"NVIDIA GeForce RTX 4090", "rtx-4090-24gb"}, Written{"rtx4090", "rtx-4090-24gb"},
                              Written{"4090", "rtx-4090-24gb"}, Written{"Tesla T4", "t4"}, Written{"  A10G ", "a10g"});
  CAPTURE(given.written);
  const catalog::Gpu* meant = nullptr;
  for (const catalog::Gpu& gpu : c.gpus())
    if (gpu.id == given.id || std::string(gpu.id) + "-24gb" == given.id) meant = &gpu;
  REQUIRE(meant != nullptr);
  CHECK(gpu_id(c, given.written) == meant->id);
}

TEST_CASE("a GPU is found by its full name, sizes written apart, and its maker") {
  const auto c = embedded();
  for (const catalog::Gpu& gpu : c.gpus()) CHECK(gpu_id(c, std::string(gpu.name)) == gpu.id);
  CHECK(gpu_id(c, "GeForce RTX 4060 Ti 16 GB") == "rtx-4060-ti-16gb");
  CHECK(gpu_id(c, "AWS Trainium3") == "trainium3");
}

TEST_CASE("a model is found by the ways people write it") {
  const auto c = embedded();
  const auto given =
      GENERATE(Written{"meta-llama/Llama-3.1-8B", "llama-3.1-8b"}, Written{"Llama-3.1-8B-Instruct", "llama-3.1-8b"},
               Written{"LLAMA_7B", "llama-7b"}, Written{"llama 7b", "llama-7b"},
               Written{"deepseek-ai/DeepSeek-R1", "deepseek-r1"}, Written{"mixtral", "mixtral-8x7b"},
               Written{"bert-base-uncased", "bert-base"}, Written{"gpt-3", "gpt3-175b"});
  CAPTURE(given.written);
  CHECK(model_id(c, given.written) == given.id);
}

TEST_CASE("a mistyped GPU or model is answered with the nearest name") {
  const auto c = embedded();
  CHECK_THAT(gpu_id(c, "h10"), Catch::Contains("unknown GPU 'h10' did you mean"));
  CHECK_THAT(gpu_id(c, "h100-smx"), Catch::Contains("'h100-sxm'"));
  CHECK_THAT(model_id(c, "lama-7b"), Catch::Contains("'llama-7b'"));
  CHECK_THAT(gpu_id(c, "zzzzzzzzzzzz"), Catch::Contains("all GPUs: gpusel gpus"));
  CHECK_THAT(model_id(c, ""), Catch::Contains("unknown model ''"));
}

TEST_CASE("every id and alias of the shipped catalogue finds its own record") {
  const auto c = embedded();
  for (const catalog::Gpu& gpu : c.gpus()) {
    CHECK(gpu_id(c, std::string(gpu.id)) == gpu.id);
    for (const std::string_view alias : gpu.aliases) {
      std::size_t called = 0;
      for (const catalog::Gpu& other : c.gpus())
        for (const std::string_view name : other.aliases) called += name == alias ? 1 : 0;
      if (called > 1)
        CHECK_THAT(gpu_id(c, std::string(alias)), Catch::Contains("could be"));
      else
        CHECK(gpu_id(c, std::string(alias)) == gpu.id);
    }
  }
  for (const catalog::Model& model : c.models()) {
    CHECK(model_id(c, std::string(model.id)) == model.id);
    for (const std::string_view alias : model.aliases) CHECK(model_id(c, std::string(alias)) == model.id);
  }
}

TEST_CASE("a model of an organisation is found without the organisation") {
  const auto c = from_text(kSmall);
  CHECK(model_id(c, "Tiny-1B") == "tiny");
  CHECK(model_id(c, "acme/tiny-1b") == "tiny");
}

TEST_CASE("a short name that two organisations share means neither") {
  const auto c = from_text(with(kSmall, "providers:\n",
                                "  - {id: other, aliases: [umbrella/Tiny-1B], kind: cnn, params_b: 2, sources: "
                                "[acme-sheet]}\nproviders:\n"));
  CHECK_FALSE(c.model("tiny-1b"));
  CHECK(model_id(c, "umbrella/tiny-1b") == "other");
  CHECK(model_id(c, "acme/tiny-1b") == "tiny");
}

TEST_CASE("a SKU of one provider is found alone or with its provider") {
  const auto c = from_text(kSmall);
  for (const char* name : {"big.8x", "BIG.8X", "north/big.8x", "North/Big.8x", "north:big.8x"}) {
    CAPTURE(name);
    REQUIRE(c.instance(name));
    CHECK((*c.instance(name))->sku == "big.8x");
  }
  CHECK_FALSE(c.instance("south/big.8x"));
}

TEST_CASE("a SKU of two providers is told with both full names") {
  const auto c = from_text(with(with(kSmall, "sku: box", "sku: big.8x"), "{box: 365}", "{big.8x: 365}"));
  const auto both = c.instance("big.8x");
  REQUIRE_FALSE(both);
  CHECK(both.error().kind == ErrorKind::usage);
  CHECK_THAT(both.error().message, Catch::Contains("two providers have 'big.8x'"));
  CHECK_THAT(both.error().hint, Catch::Contains("north/big.8x") && Catch::Contains("south/big.8x"));
  REQUIRE(c.instance("south/big.8x"));
  CHECK((*c.instance("south/big.8x"))->provider == "south");
}

TEST_CASE("a whole SKU is meant before one that is known without its prefix") {
  const auto c = from_text(with(with(kSmall, "sku: box", "sku: ecs.big.8x"), "{box: 365}", "{ecs.big.8x: 365}"));
  REQUIRE(c.instance("big.8x"));
  CHECK((*c.instance("big.8x"))->provider == "north");
  CHECK((*c.instance("ecs.big.8x"))->provider == "south");
}

TEST_CASE("all instances of a name are those of every provider") {
  const auto c = from_text(with(with(kSmall, "sku: box", "sku: big.8x"), "{box: 365}", "{big.8x: 365}"));
  CHECK(c.instances_called("Big.8x").size() == 2);
  REQUIRE(c.instances_called("south/big.8x").size() == 1);
  CHECK(c.instances_called("south/big.8x").front()->provider == "south");
  CHECK(c.instances_called("bigger.8x").empty());
}

TEST_CASE("every instance of the shipped catalogue is found by provider and SKU") {
  const auto c = embedded();
  for (const catalog::Instance& instance : c.instances()) {
    const auto found = c.instance(std::string(instance.provider) + "/" + std::string(instance.sku));
    CAPTURE(instance.provider, instance.sku);
    REQUIRE(found);
    CHECK(*found == &instance);
  }
}

TEST_CASE("the prefix of Alibaba Cloud SKUs may be left out") {
  const auto c = from_text(with(with(kSmall, "sku: box", "sku: ecs.gn7.large"), "{box: 365}", "{ecs.gn7.large: 365}"));
  REQUIRE(c.instance("gn7.large"));
  CHECK((*c.instance("gn7.large"))->sku == "ecs.gn7.large");
}

TEST_CASE("an unknown SKU or provider names the nearest") {
  const auto c = embedded();
  CHECK_THAT(c.instance("p5.48xlagre").error().hint, Catch::Contains("p5.48xlarge"));
  CHECK_THAT(c.provider("lamda").error().hint, Catch::Contains("lambda"));
}

TEST_CASE("providers are found whatever the case") {
  const auto c = embedded();
  CHECK((*c.provider("AWS"))->id == "aws");
  CHECK((*c.provider("Lambda-Labs"))->id == "lambda");
}

TEST_CASE("a country belongs to itself and to its groups") {
  const auto c = from_text(kSmall);
  const auto names = [&](std::string_view name, std::string_view country) {
    const auto codes = catalog::countries_called(name, c);
    return codes && std::ranges::find(*codes, country) != codes->end();
  };
  CHECK(names("SE", "SE"));
  CHECK(names("se", "SE"));
  CHECK(names("nordic", "NO"));
  CHECK(names("Nordic", "NO"));
  CHECK_FALSE(names("nordic", "DE"));
  CHECK_FALSE(names("SE", "DE"));
  CHECK_FALSE(names("SE", ""));
  CHECK_FALSE(catalog::countries_called("nrodic", c));
}

TEST_CASE("the newest of two prices for one region and term counts") {
  const auto c =
      from_text(kSmall +
                "  - {provider: north, region: n1, term: on-demand, currency: USD, as_of: 2026-08-01, source: "
                "acme-sheet, per_hour: {big.8x: 18}}\n"
                "  - {provider: north, region: n2, term: on-demand, currency: USD, as_of: 2026-01-01, source: "
                "acme-sheet, per_hour: {big.8x: 30}}\n");
  const auto offers = c.offers_of(**c.instance("big.8x"));
  REQUIRE(offers.size() == 2);
  CHECK(offers[0].amount == 18);
  CHECK(offers[1].amount == 20);
  CHECK(c.newest_price() == Date(2026, 8, 1));
}

TEST_CASE("prices of one SKU in two currencies stand side by side") {
  const auto c =
      from_text(kSmall +
                "  - {provider: north, region: n1, term: on-demand, currency: EUR, as_of: 2026-08-01, source: "
                "acme-sheet, per_hour: {big.8x: 18}}\n");
  CHECK(c.offers_of(**c.instance("big.8x")).size() == 3);
}

}  // namespace names_test
