// Lists: what filters, limits and sort keys leave, in which order.
#include "gpusel/advise/list.hpp"

#include <catch2/catch.hpp>

#include "support/market.hpp"

using namespace gpusel;
using advise::ListQuestion;
using test::Market;

namespace {

ListQuestion asked(const std::string& filter, std::vector<std::string> sort_by = {}) {
  ListQuestion question;
  question.filter = filter;
  question.sort_by = std::move(sort_by);
  question.today = Date(2026, 11, 20);
  return question;
}

using Names = std::vector<std::string>;

/// "sku@region/term" of what is listed.
Names instances(const ListQuestion& question, bool every_offer = false) {
  const Market& market = Market::small();
  const auto listed = advise::list_instances(question, every_offer, market.catalog(), market.coefficients());
  INFO((listed ? "" : listed.error().message));
  REQUIRE(listed.has_value());
  Names names;
  for (const auto& one : *listed) {
    std::string name(one.instance->sku);
    if (one.offer != nullptr)
      name +=
          "@" + std::string(market.catalog().region_of(*one.offer).id) + "/" + std::string(to_text(one.offer->term));
    names.push_back(std::move(name));
  }
  return names;
}

Names gpus(const ListQuestion& question) {
  const Market& market = Market::shipped();
  const auto listed = advise::list_gpus(question, nullptr, market.catalog(), market.coefficients());
  REQUIRE(listed.has_value());
  Names names;
  for (const auto& one : *listed) names.emplace_back(one.gpu->id);
  return names;
}

}  // namespace

TEST_CASE("a filter over offers lists an instance with its cheapest offer that passes") {
  CHECK(instances(asked("sku = n.h100.8")) == Names{"n.h100.8@us-1/on-demand"});
  CHECK(instances(asked("sku = n.h100.8 && price < 20")) == Names{"n.h100.8@us-1/spot"});
  CHECK(instances(asked("sku = n.h100.8 && region = eu-1")) == Names{"n.h100.8@eu-1/on-demand"});
  CHECK(instances(asked("sku = n.h100.8 && currency = EUR && price > 51")) == Names{"n.h100.8@eu-1/on-demand"});
  CHECK(instances(asked("sku = n.h100.8 && currency = EUR && price_per_hour > 51")).empty());
  CHECK(instances(asked("sku = n.h100.8 && price < 5")).empty());
  CHECK(instances(asked("as_of >= 2026-11 && cloud = south")).empty());
  CHECK(instances(asked("price_age_days <= 40 && cloud = south")).size() == 2);
}

TEST_CASE("filters reach the instance, its GPU and what follows from both") {
  CHECK(instances(asked("vram = 4")) == Names{"s.a10.6@cn-1/on-demand"});  // a slice's own memory
  CHECK(instances(asked("nvlink && vram >= 80 && capability >= 9")) == Names{"n.h100.8@us-1/on-demand"});
  CHECK(instances(asked("gpus >= 8 and not nvlink")) == Names{"8x-4090@any/on-demand"});
  CHECK(instances(asked("ram > 1TiB && gpu ~ a100")) == Names{"n.a100.8@us-1/on-demand"});
  CHECK(instances(asked("unknown(network) && total_vram = 96GB")) == Names{"2x-l40s@any/on-demand"});
  CHECK(instances(asked("vram > 0 && sku = n.cpu.16")).empty());  // no GPU: not known to have any
  CHECK(instances(asked("fp8 > 0 && price_per_gpu < 1", {"price_per_gpu"})) ==
        Names{"8x-4090@any/on-demand", "2x-l40s@any/on-demand"});
}

TEST_CASE("every offer is listed when that is asked") {
  CHECK(instances(asked("sku = n.t4.1"), true) ==
        Names{"n.t4.1@us-1/on-demand", "n.t4.1@us-1/spot", "n.t4.1@eu-1/on-demand"});
  CHECK(instances(asked("sku = n.t4.1 && term = spot"), true) == Names{"n.t4.1@us-1/spot"});
}

TEST_CASE("sorting goes by each key in turn, the unknown last either way") {
  const Names up = instances(asked("", {"price"}));
  CHECK(up.front() == "s.a10.6@cn-1/on-demand");
  Names down = instances(asked("", {"-price"}));
  CHECK(down.front() == "n.h100.8@us-1/on-demand");
  CHECK(instances(asked("gpus = 8", {"-vram", "price"})) == Names{"n.a100.8@us-1/on-demand", "n.h100.8@us-1/on-demand",
                                                                  "8x-4090@any/on-demand", "n.v100.8@us-1/on-demand"});
  CHECK(instances(asked("", {"network"})).back() == "8x-4090@any/on-demand");
  CHECK(instances(asked("", {"-network"})).back() == "8x-4090@any/on-demand");
  const Names capability = gpus(asked("vendor = nvidia && known(cc)", {"-cc"}));
  CHECK(capability.front().starts_with("rtx-"));  // 12.0 is above 9.0
}

TEST_CASE("limits on a GPU narrow the list of GPUs") {
  ListQuestion question = asked("");
  question.constraints.gpus.push_back(*workload::parse_gpu_spec("nvidia:A100,H100:80GB..100GB:8"));
  for (const auto& name : gpus(question)) CHECK((name.starts_with("a100-") || name.starts_with("h100-")));
  CHECK(gpus(question).size() >= 4);
  question = asked("");
  question.constraints.interconnect = "nvswitch";
  for (const auto& name : gpus(question)) CHECK(name.find("pcie") == std::string::npos);
  CHECK_FALSE(gpus(question).empty());
  question = asked("");
  question.constraints.min_capability = 10;
  for (const auto& name : gpus(question)) CHECK(name.find("h100") == std::string::npos);
}

TEST_CASE("the market of a GPU is its cheapest dated on-demand price per GPU") {
  const Market& market = Market::small();
  const auto markets = advise::gpu_markets(Currency::usd(), market.catalog());
  REQUIRE(markets.has_value());
  const auto of = [&](const char* gpu) {
    return (*markets)[static_cast<std::size_t>(*market.catalog().gpu(gpu) - market.catalog().gpus().data())];
  };
  CHECK(of("h100-sxm-80gb").per_gpu_hour == Approx(6));
  CHECK(of("t4").instances == 2);
  CHECK(of("t4").providers == 1);
  CHECK(of("t4").per_gpu_hour == Approx(0.5));
  CHECK(of("v100-sxm2-16gb").instances == 0);  // retired
  CHECK(of("l4").offer == nullptr);
}

TEST_CASE("models are narrowed by size, context, licence and family") {
  const auto models = [](const advise::ModelLimits& limits, const std::string& filter = {}) {
    return advise::list_models(asked(filter), limits, Market::shipped().catalog());
  };
  const auto small = models({.max_params = 13e9, .min_context = 131072});
  REQUIRE(small.has_value());
  REQUIRE_FALSE(small->empty());
  for (const auto* model : *small) {
    CHECK(*model->params_b <= 13);
    CHECK(*model->max_context >= 131072);
  }
  const auto free = models({.licence = "apache"});
  REQUIRE(free.has_value());
  for (const auto* model : *free) CHECK(model->licence.find("apache") != std::string_view::npos);
  CHECK(models({.family = "LLAMA"})->size() > 3);
  CHECK(models({}, "params < 1B && kind = encoder")->size() > 1);
  const auto wrong = models({.family = "lama"});
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().where == "--family");
  CHECK(wrong.error().hint.find("'llama'") != std::string::npos);
}

TEST_CASE("a wrong column is told with its flag") {
  const Market& market = Market::small();
  for (const auto& [question, flag] :
       {std::pair(asked("pirce < 1"), "--filter"), std::pair(asked("", {"pirce"}), "--sort-by")}) {
    const auto listed = advise::list_instances(question, false, market.catalog(), market.coefficients());
    REQUIRE_FALSE(listed.has_value());
    CHECK(listed.error().where == flag);
    CHECK(listed.error().hint.find("'price'") != std::string::npos);
  }
}
