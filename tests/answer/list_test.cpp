// Lists: what filters, limits and sort keys leave, in which order.
#include "answer/lists/list.hpp"

#include <catch2/catch.hpp>

#include "support/market.hpp"

namespace list_test {

using namespace gpusel;
using answer::ListQuestion;
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
  const auto listed = answer::list_instances(question, every_offer, market.catalog(), market.coefficients());
  INFO((listed ? "" : listed.error().message));
  REQUIRE(listed.has_value());
  Names names;
  for (const auto& one : listed->listed) {
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
  const auto listed = answer::list_gpus(question, nullptr, market.catalog(), market.coefficients());
  REQUIRE(listed.has_value());
  Names names;
  for (const auto& one : *listed) names.emplace_back(one.gpu->id);
  return names;
}

}  // namespace

TEST_CASE("a filter over offers lists an instance with its cheapest offer that passes") {
  CHECK(instances(asked("sku = n.h100.8")) == Names{"n.h100.8@us-1/on-demand"});
  CHECK(instances(asked("sku = n.h100.8 && price < 20 && term in (spot, on-demand)")) == Names{"n.h100.8@us-1/spot"});
  CHECK(instances(asked("sku = n.h100.8 && region = eu-1")) == Names{"n.h100.8@eu-1/on-demand"});
  CHECK(instances(asked("sku = n.h100.8 && currency = EUR && price > 51")) == Names{"n.h100.8@eu-1/on-demand"});
  CHECK(instances(asked("sku = n.h100.8 && currency = EUR && price_per_hour > 51")).empty());
  CHECK(instances(asked("sku = n.h100.8 && price < 5")).empty());
  CHECK(instances(asked("as_of >= 2026-11 && cloud = south")).empty());
  CHECK(instances(asked("price_age_days <= 40 && cloud = south")).size() == 2);
}

TEST_CASE("prices are on demand unless a term is asked for, and what that leaves out is counted") {
  const Market& market = Market::small();
  const auto list = [&](const ListQuestion& question) {
    auto listed = answer::list_instances(question, false, market.catalog(), market.coefficients());
    REQUIRE(listed.has_value());
    return *listed;
  };
  ListQuestion cheap = asked("sku = n.h100.8");
  cheap.constraints.max_price = 20;
  CHECK(list(cheap).listed.empty());
  CHECK(list(cheap).on_other_terms == 1);
  CHECK(list(asked("sku = n.h100.8 && price < 20")).on_other_terms == 1);
  CHECK(list(asked("sku = n.h100.8")).on_other_terms == 0);
  for (const char* term : {"any", "spot"}) {
    cheap.constraints.terms = {term};
    CHECK(instances(cheap) == Names{"n.h100.8@us-1/spot"});
    CHECK(list(cheap).on_other_terms == 0);
  }
}

TEST_CASE("only an instance without a price has an unknown one") {
  const Market& market = Market::shipped();
  const auto count = [&](const std::string& filter) {
    const auto listed = answer::list_instances(asked(filter), false, market.catalog(), market.coefficients());
    REQUIRE(listed.has_value());
    return listed->listed.size();
  };
  const auto without = count("price = unknown");
  CHECK(without > 0);
  CHECK(without == count("unknown(price)"));
  CHECK(without == count("not known(price)"));
  CHECK(without + count("known(price)") == count(""));
  const auto undated = answer::list_instances(asked("age = unknown"), false, market.catalog(), market.coefficients());
  for (const auto& one : undated->listed) CHECK((one.offer == nullptr || one.offer->as_of == 0));
}

TEST_CASE("prices that only their age leaves out are counted") {
  const Market& market = Market::small();
  ListQuestion question = asked("cloud = south");
  question.constraints.max_price_age_days = 3;
  const auto listed = answer::list_instances(question, false, market.catalog(), market.coefficients());
  REQUIRE(listed.has_value());
  CHECK(listed->listed.empty());
  CHECK(listed->too_old == 2);
  CHECK(listed->newest_too_old.known());
  question.constraints.max_price = 0.001;
  CHECK(answer::list_instances(question, false, market.catalog(), market.coefficients())->too_old == 0);
}

TEST_CASE("where the share of a GPU is not known, neither is its memory") {
  const Market market(R"(
providers:
  - {id: west, name: West, kind: marketplace, regions: {any: {name: anywhere}}}
families:
  - provider: west
    id: w
    gpu: l40s
    sources: [west-list]
    sizes: [{sku: w.part}, {sku: w.half, gpus: 1/2}, {sku: w.one, gpus: 1}]
sources:
  west-list: {publisher: West, document: list, date: 2026-06-01, confidence: documented}
)");
  const auto skus = [&](const ListQuestion& question) {
    const auto listed = answer::list_instances(question, false, market.catalog(), market.coefficients());
    REQUIRE(listed.has_value());
    Names names;
    for (const auto& one : listed->listed)
      if (one.instance->provider == "west") names.emplace_back(one.instance->sku);
    return names;
  };
  CHECK(skus(asked("cloud = west && vram >= 40")) == Names{"w.one"});
  CHECK(skus(asked("cloud = west && unknown(vram)")) == Names{"w.part"});
  CHECK(skus(asked("cloud = west && unknown(usable) && unknown(bandwidth)")) == Names{"w.part"});
  ListQuestion question = asked("");
  question.constraints.min_vram = MemorySize{40, false};
  CHECK(skus(question) == Names{"w.one"});
  question = asked("");
  question.constraints.gpus.push_back(*job::parse_gpu_spec("40GB+"));
  CHECK(skus(question) == Names{"w.one"});
  // A count may be a fraction, and then a whole GPU is more.
  for (const char* spec : {"L40S:1/2", "L40S:0.5", "L40S:0.25..0.5"}) {
    question.constraints.gpus = {*job::parse_gpu_spec(spec)};
    CHECK(skus(question) == Names{"w.half"});
  }
  question.constraints.gpus = {*job::parse_gpu_spec("L40S:1")};
  CHECK(skus(question) == Names{"w.one"});
  question = asked("gpus = 1/2");
  CHECK(skus(question) == Names{"w.half"});
  question = asked("");
  question.constraints.gpus_per_instance.high = 0.5;
  CHECK(skus(question) == Names{"w.half"});
}

TEST_CASE("names in a filter are found as everywhere, and one that nothing has is an error") {
  const Market& market = Market::shipped();
  const auto count = [&](const std::string& filter) {
    const auto listed = answer::list_instances(asked(filter), false, market.catalog(), market.coefficients());
    INFO(filter << ": " << (listed ? "" : listed.error().message));
    REQUIRE(listed.has_value());
    return listed->listed.size();
  };
  CHECK(count("gpu = a100") == count("gpu ~ '^a100-'"));
  CHECK(count("gpu in (A100-80GB-PCIe)") == count("gpu = a100-pcie-80gb"));
  CHECK(count("gpu = a100") > count("gpu = a100-pcie-80gb"));
  CHECK(count("cloud = amazon") == count("cloud = aws"));
  CHECK(count("region = frankfurt") >= count("region = eu-central-1"));
  CHECK(count("cloud != amazon") + count("cloud = aws") == count(""));
  for (const auto& [filter, hint] :
       {std::pair("vendor = nvdia", "'nvidia'"), std::pair("country = Germany", ""), std::pair("gpu = h1000", "'h100"),
        std::pair("cloud in (aws, gpc)", "'gcp'"), std::pair("term != sport", "'spot'")}) {
    const auto listed = answer::list_instances(asked(filter), false, market.catalog(), market.coefficients());
    CAPTURE(filter);
    REQUIRE_FALSE(listed.has_value());
    CHECK(listed.error().kind == ErrorKind::usage);
    CHECK(listed.error().where == "--filter");
    CHECK_FALSE(listed.error().hint.empty());
    CHECK(listed.error().hint.find(hint) != std::string::npos);
  }
  const Names hundred = gpus(asked("gpu = a100"));
  CHECK(hundred.size() > 2);
  CHECK(hundred == gpus(asked("id = A100")));
}

TEST_CASE("GPUs are listed by how many providers sell them, then newest first, those of an unknown year last") {
  const Market& market = Market::shipped();
  const auto listed = answer::list_gpus(asked(""), nullptr, market.catalog(), market.coefficients());
  REQUIRE(listed.has_value());
  REQUIRE(listed->size() > 2);
  for (std::size_t i = 1; i < listed->size(); ++i) {
    const answer::ListedGpu& before = (*listed)[i - 1];
    const answer::ListedGpu& now = (*listed)[i];
    CHECK(now.market.providers <= before.market.providers);
    if (now.market.providers != before.market.providers) continue;
    const double year = now.gpu->release_year.value_or(0), year_before = before.gpu->release_year.value_or(0);
    CHECK(year <= year_before);
    if (year == year_before) CHECK(before.gpu->id < now.gpu->id);
  }
}

TEST_CASE("a region is also found by its place") {
  ListQuestion question = asked("");
  question.constraints.regions = {"Frankfurt"};
  const Market& market = Market::shipped();
  const auto listed = answer::list_instances(question, false, market.catalog(), market.coefficients());
  REQUIRE(listed.has_value());
  CHECK_FALSE(listed->listed.empty());
  for (const auto& one : listed->listed) CHECK(market.catalog().region_of(*one.offer).country == "DE");
  question.constraints.regions.clear();
  for (const auto& option : job::constraint_options())
    if (option.key == "infra") REQUIRE(option.set(question.constraints, "aws/us-eest-1").has_value());
  const auto wrong = answer::list_instances(question, false, market.catalog(), market.coefficients());
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().where == "--infra");
  CHECK(wrong.error().hint.find("us-east-1") != std::string::npos);
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
  const auto highest = Market::small().catalog().gpu(capability.front());
  REQUIRE(highest);
  CHECK((*highest)->capability.value_or(0) >= 12.0);  // which is above 9.0
}

TEST_CASE("limits on a GPU narrow the list of GPUs") {
  ListQuestion question = asked("");
  question.constraints.gpus.push_back(*job::parse_gpu_spec("nvidia:A100,H100:80GB..100GB:8"));
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
  const auto markets = answer::gpu_markets(Currency::usd(), market.catalog());
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
  const auto models = [](const answer::ModelLimits& limits, const std::string& filter = {}) {
    return answer::list_models(asked(filter), limits, Market::shipped().catalog());
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
    const auto listed = answer::list_instances(question, false, market.catalog(), market.coefficients());
    REQUIRE_FALSE(listed.has_value());
    CHECK(listed.error().where == flag);
    CHECK(listed.error().hint.find("'price'") != std::string::npos);
  }
}

}  // namespace list_test
