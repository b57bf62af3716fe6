// What must hold of the catalogue that the program ships with.
#include <catch2/catch.hpp>

#include <set>

#include "catalog/places/places.hpp"
#include "listing.hpp"

namespace shipped_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const catalog::Catalog& shipped() {
  static const catalog::Catalog c = embedded();
  return c;
}

const catalog::Gpu& gpu(const std::string& name) {
  const auto found = shipped().gpu(name);
  if (!found) FAIL(found.error().message);
  return **found;
}

}  // namespace

TEST_CASE("the shipped catalogue is as large as it was") {
  CHECK(shipped().gpus().size() >= 90);
  CHECK(shipped().models().size() >= 270);
  CHECK(shipped().instances().size() >= 780);
  CHECK(shipped().providers().size() >= 30);
  CHECK(shipped().offers().size() >= 2800);
}

TEST_CASE("the GPU of every shipped instance is known or marked as undisclosed") {
  for (const catalog::Instance& i : shipped().instances()) {
    CAPTURE(i.provider, i.sku, i.gpu);
    if (i.gpu.empty() || i.gpu == catalog::kUndisclosed)
      CHECK(shipped().gpu_of(i) == nullptr);
    else if (const catalog::Gpu* part = shipped().gpu_of(i); part == nullptr)
      FAIL_CHECK("no such GPU");
    else
      CHECK(i.gpu == part->id);  // never an alias: others join on it
  }
}

TEST_CASE("an instance with a known GPU says how many or why not") {
  for (const catalog::Instance& i : shipped().instances()) {
    if (shipped().gpu_of(i) == nullptr) continue;
    CAPTURE(i.provider, i.sku);
    CHECK((i.gpu_count.has_value() || !i.notes.empty()));
    if (!i.gpu_count) continue;
    CHECK(*i.gpu_count > 0);
    CHECK(*i.gpu_count <= 72);
  }
}

TEST_CASE("every shipped instance has a source that is known") {
  for (const catalog::Instance& i : shipped().instances()) {
    CAPTURE(i.provider, i.sku);
    CHECK_FALSE(i.sources.empty());
    for (const std::string_view key : i.sources) CHECK(shipped().source(key) != nullptr);
  }
}

TEST_CASE("every shipped price has a source and a date unless its source is undated") {
  std::size_t undated = 0;
  for (const catalog::Offer& offer : shipped().offers()) {
    const catalog::Origin& origin = shipped().origin_of(offer);
    CAPTURE(origin.source, offer.amount);
    const catalog::Source* source = shipped().source(origin.source);
    REQUIRE(source != nullptr);
    const Date date = Date::from_packed(offer.as_of);
    if (date.known()) {
      CHECK(date.year() >= 2015);
      CHECK(date < Date(2026, 12, 31));
    } else {
      ++undated;
      CHECK_THAT(std::string(source->document), Catch::Contains("undated"));
    }
    CHECK(offer.amount > 0);
    CHECK(offer.per_hour() < 2000);
  }
  CHECK(undated * 20 < shipped().offers().size());  // one in twenty at most
}

TEST_CASE("no shipped source is one that obliges to share alike or that nobody can look up") {
  for (const catalog::Source& source : shipped().sources()) {
    std::string text;
    for (const std::string_view part : {source.publisher, source.document, source.url, source.licence})
      text.append(part).append(" ");
    CAPTURE(source.key);
    for (const char* word : {"BY-SA", "Spare Cores", "SpareCores", "sc-data-dumps", "store id", "awsdocs-neuron"})
      CHECK_THAT(text, !Catch::Contains(word, Catch::CaseSensitive::No));
  }
}

TEST_CASE("links and hosts of shipped instances fit their GPUs") {
  for (const catalog::Instance& i : shipped().instances()) {
    const catalog::Gpu* g = shipped().gpu_of(i);
    if (g == nullptr || !i.gpu_count) continue;
    CAPTURE(i.provider, i.sku);
    if (*i.gpu_count <= 1) CHECK(i.link.value_or(catalog::NodeLink::none) == catalog::NodeLink::none);
    const bool grace = g->id.starts_with("gb200") || g->id.starts_with("gb300") || g->id.starts_with("gh200");
    if (grace) CHECK(i.cpu_arch == catalog::CpuArch::arm64);
    if (i.fabric_gbps) CHECK(i.rdma.value_or(catalog::Rdma::none) != catalog::Rdma::none);
  }
}

TEST_CASE("every currency of a shipped price has a rate") {
  for (const catalog::Offer& offer : shipped().offers()) {
    const Currency currency = shipped().currency_of(offer);
    CAPTURE(currency.code());
    CHECK((currency == Currency::usd() || shipped().rate(currency) != nullptr));
  }
}

TEST_CASE("the region of every shipped price belongs to the provider of its instance") {
  for (const catalog::Instance& i : shipped().instances())
    for (const catalog::Offer& offer : shipped().offers_of(i)) CHECK(shipped().region_of(offer).provider == i.provider);
}

TEST_CASE("every shipped GPU has a source for its figures") {
  for (const catalog::Gpu& g : shipped().gpus()) {
    CAPTURE(g.id);
    CHECK_FALSE(g.sources.empty());
    for (const std::string_view key : g.sources) CHECK(shipped().source(key) != nullptr);
    std::set<std::string_view> paths;
    visit_fields(g, [&](const catalog::Field& field, const auto&) { paths.insert(field.path); });
    for (const std::string_view entry : g.figure_sources) {
      const auto equals = entry.find('=');
      REQUIRE(equals != std::string_view::npos);
      CAPTURE(entry);
      CHECK(paths.contains(entry.substr(0, equals)));
      CHECK(shipped().source(entry.substr(equals + 1)) != nullptr);
    }
  }
}

TEST_CASE("every shipped model has a source and a kind") {
  for (const catalog::Model& m : shipped().models()) {
    CAPTURE(m.id);
    CHECK_FALSE(m.sources.empty());
    for (const std::string_view key : m.sources) CHECK(shipped().source(key) != nullptr);
    for (const std::string_view key : m.params_sources) CHECK(shipped().source(key) != nullptr);
    CHECK(m.kind.has_value());
    CHECK(*m.params_b > 0);
  }
}

TEST_CASE("usable memory is never more than what is marketed") {
  for (const catalog::Gpu& g : shipped().gpus()) {
    if (!g.memory_gb || !g.memory_gib_usable) continue;
    CAPTURE(g.id, *g.memory_gb, *g.memory_gib_usable);
    // Vendors say GB and mean GiB of chips, so that number is the ceiling; a tenth is the most that is taken away.
    CHECK(*g.memory_gib_usable <= *g.memory_gb);
    CHECK(*g.memory_gib_usable >= *g.memory_gb * 0.85);
  }
}

TEST_CASE("peaks are dense") {
  CHECK(*gpu("h100-sxm-80gb").fp16_dense_tflops == Approx(989.4).epsilon(0.001));  // 1,979 is sparse
  CHECK(*gpu("h100-sxm-80gb").fp8_dense_tflops == Approx(1979).epsilon(0.001));
  CHECK(*gpu("a100-sxm-80gb").fp16_dense_tflops == 312.0);  // 624 is sparse
  CHECK(*gpu("a100-sxm-80gb").int8_dense_tops == 624.0);
  CHECK(*gpu("b200").fp16_dense_tflops == Approx(2250).epsilon(0.01));  // 4,500 is sparse
  CHECK(*gpu("l40s").fp16_dense_tflops == Approx(362).epsilon(0.001));  // 733 is sparse
  CHECK(*gpu("l4").fp16_dense_tflops == Approx(121).epsilon(0.01));     // 242 is sparse
  CHECK(*gpu("a10").fp16_dense_tflops == 125.0);
}

TEST_CASE("a narrower format is never slower on a GPU that has it") {
  for (const catalog::Gpu& g : shipped().gpus()) {
    CAPTURE(g.id);
    if (g.fp16_dense_tflops.value_or(0) > 0 && g.fp8_dense_tflops.value_or(0) > 0)
      CHECK(*g.fp8_dense_tflops >= *g.fp16_dense_tflops);
    if (g.fp8_dense_tflops.value_or(0) > 0 && g.fp4_dense_tflops.value_or(0) > 0)
      CHECK(*g.fp4_dense_tflops >= *g.fp8_dense_tflops);
    if (g.fp64_tflops.value_or(0) > 0 && g.fp32_tflops.value_or(0) > 0) CHECK(*g.fp64_tflops <= *g.fp32_tflops * 1.01);
  }
}

TEST_CASE("a GPU without a hardware path says zero and not unknown") {
  CHECK(gpu("v100-sxm2-16gb").bf16_dense_tflops == 0.0);
  CHECK(gpu("v100-sxm2-16gb").fp8_dense_tflops == 0.0);
  CHECK(gpu("t4").bf16_dense_tflops == 0.0);
  CHECK(gpu("a100-sxm-80gb").fp8_dense_tflops == 0.0);
  CHECK(gpu("h100-sxm-80gb").fp4_dense_tflops == 0.0);
}

TEST_CASE("native formats agree with compute capability") {
  for (const catalog::Gpu& g : shipped().gpus()) {
    if (g.vendor != "nvidia" || !g.capability) continue;
    CAPTURE(g.id);
    CHECK(g.has_bf16 == (*g.capability >= 8.0));  // Ampere and later
    CHECK(g.has_fp8 == (*g.capability >= 8.9));   // Ada and later
    if (g.bf16_dense_tflops) CHECK((*g.bf16_dense_tflops > 0) == g.has_bf16);
  }
}

TEST_CASE("figures of well-known GPUs are the published ones") {
  CHECK(gpu("a100-sxm-80gb").memory_bandwidth_gbs == 2039.0);
  CHECK(gpu("a100-sxm-40gb").memory_bandwidth_gbs == 1555.0);
  CHECK(gpu("h100-sxm-80gb").memory_bandwidth_gbs == 3350.0);
  CHECK(gpu("h100-sxm-80gb").interconnect_gbs_bidir == 900.0);
  CHECK(gpu("a100-sxm-80gb").interconnect_gbs_bidir == 600.0);
  CHECK(gpu("t4").memory_bandwidth_gbs == 320.0);
  CHECK(gpu("t4").tdp_w == 70.0);
  CHECK(gpu("h100-sxm-80gb").cuda_cores == 16896.0);
  CHECK(gpu("a100-sxm-80gb").mig_max_instances == 7.0);
  CHECK(gpu("l40s").compute_capability == "8.9");
}

TEST_CASE("the shape of every shipped model holds together") {
  for (const catalog::Model& m : shipped().models()) {
    CAPTURE(m.id);
    if (m.heads && m.kv_heads && !m.is_mla()) CHECK(*m.kv_heads <= *m.heads);
    if (m.active_params_b) CHECK(*m.active_params_b <= *m.params_b);
    if (m.experts && m.experts_per_token) CHECK(*m.experts_per_token <= *m.experts);
    const double cached = m.kv_full_layers.value_or(0) + m.kv_window_layers.value_or(0);
    if (m.layers && m.is_generator()) CHECK(cached <= *m.layers + m.decoder_layers.value_or(0));
    if (m.kv_window_layers.value_or(0) > 0) CHECK(m.window_tokens.has_value());
  }
}

TEST_CASE("the European Union has 27 members and is part of the economic area") {
  const auto in = [](std::string_view country, std::string_view group) {
    const auto countries = catalog::countries_called(group, shipped());
    REQUIRE(countries);
    return std::ranges::find(*countries, country) != countries->end();
  };
  CHECK(in("DE", "eu"));
  CHECK_FALSE(in("CH", "eu"));
  CHECK_FALSE(in("GB", "eu"));
  CHECK(in("NO", "eea"));
  CHECK_FALSE(in("NO", "eu"));
  const auto members = catalog::countries_called("eu", shipped());
  REQUIRE(members);
  for (const std::string& country : *members) CHECK(in(country, "eea"));
  CHECK(std::ranges::count_if(*members, [](const std::string& code) { return code != "EU"; }) == 27);
}

}  // namespace shipped_test
