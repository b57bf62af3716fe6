// The user's own files over the embedded catalogue: each changes what it says and nothing else.
#include <catch2/catch.hpp>

#include "listing.hpp"

namespace overlay_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const std::string kMySource = "sources:\n  mine: {publisher: Me, document: A quote, confidence: recalled}\n";

bool mentions_only(const Lines& lines, const std::string& start) {
  return std::all_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(start); });
}

/// Lines about anything but sources: every overlay here brings its own source along.
Lines without_sources(Lines lines) {
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("source mine "); });
  return lines;
}

/// The first price of the catalogue that no other price shares region, term and SKU with.
struct Sheet {
  const catalog::Instance* instance;
  const catalog::Offer* offer;
  std::string yaml(const catalog::Catalog& c, const std::string& date, const std::string& amount) const {
    return kMySource + "prices:\n  - provider: " + std::string(instance->provider) +
           "\n    region: " + std::string(c.region_of(*offer).id) + "\n    term: " + std::string(to_text(offer->term)) +
           "\n    currency: " + std::string(c.currency_of(*offer).code()) + "\n    as_of: " + date +
           "\n    source: mine\n    per_" + std::string(to_text(offer->period)) + ":\n      '" +
           std::string(instance->sku) + "': " + amount + "\n";
  }
};

Sheet first_price(const catalog::Catalog& c) {
  for (const catalog::Instance& instance : c.instances())
    if (const auto offers = c.offers_of(instance); offers.size() == 1) return {&instance, &offers[0]};
  throw std::runtime_error("no instance has one price");
}

}  // namespace

TEST_CASE("an overlay that says nothing changes nothing") {
  const auto before = embedded();
  const Change c = change(before, overlaid("# nothing yet\n"));
  CHECK(c.lost.empty());
  CHECK(c.gained.empty());
}

TEST_CASE("an overlay changes exactly one price") {
  const auto before = embedded();
  const Sheet sheet = first_price(before);
  const auto date = GENERATE("2026-11-01", "2019-01-01");  // mine counts even where it is the older one
  const Change c = change(before, overlaid(sheet.yaml(before, date, "0.125")));
  REQUIRE(c.lost.size() == 1);
  CHECK(mentions_only(c.lost, format("offer {}/{} ", sheet.instance->provider, sheet.instance->sku)));
  const Lines gained = without_sources(c.gained);
  REQUIRE(gained.size() == 1);
  CHECK(mentions_only(gained, format("offer {}/{} ", sheet.instance->provider, sheet.instance->sku)));
  CHECK_THAT(gained[0], Catch::Contains(" 0.125 per ") && Catch::Contains(date) && Catch::Contains("from mine"));
}

TEST_CASE("an overlay adds a price for another term") {
  const auto before = embedded();
  Sheet sheet = first_price(before);
  const auto other = sheet.offer->term == catalog::Term::spot ? "on-demand" : "spot";
  const Change c =
      change(before, overlaid(with(sheet.yaml(before, "2026-11-01", "0.125"),
                                   "term: " + std::string(to_text(sheet.offer->term)), "term: " + std::string(other))));
  CHECK(c.lost.empty());
  CHECK(without_sources(c.gained).size() == 1);
}

TEST_CASE("an overlay changes one figure of a GPU") {
  const Change c = change(embedded(), overlaid("gpus:\n  - {id: h100-sxm-80gb, memory: {bandwidth_gbs: 1234}}\n"));
  REQUIRE(c.lost.size() == 1);
  CHECK(mentions_only(c.lost, "gpu h100-sxm-80gb memory_bandwidth_gbs="));
  CHECK(c.gained == Lines{"gpu h100-sxm-80gb memory_bandwidth_gbs=1234"});
}

TEST_CASE("an overlay adds a SKU to a provider") {
  const auto before = embedded();
  const auto after = overlaid(kMySource + R"(families:
  - provider: lambda
    id: my-family
    gpu: H100 SXM5
    sources: [mine]
    sizes:
      - {sku: my_4x_h100, gpus: 4, vcpu: 50}
)");
  const Change c = change(before, after);
  CHECK(c.lost.empty());
  CHECK(after.instances().size() == before.instances().size() + 1);
  const Lines gained = without_sources(c.gained);
  CHECK(std::all_of(gained.begin(), gained.end(),
                    [](const std::string& line) { return line.find(" lambda/my_4x_h100 ") != std::string::npos; }));
  const catalog::Instance& added = **after.instance("my_4x_h100");
  CHECK(after.gpu_of(added)->id == "h100-sxm-80gb");
  CHECK(added.gpu == "h100-sxm-80gb");  // whatever name the file has for it
  CHECK(after.offers_of(added).empty());
}

TEST_CASE("a SKU that an overlay adds to a family has what its sizes agree on") {
  const auto c = opened(
      catalog::load({.replacement = folder({{"c.yaml", kSmall}}),
                     .overlays = {scratch_file(
                         "o.yaml", "families:\n  - {provider: north, id: big, sizes: [{sku: big.2x, gpus: 2}]}\n")}}));
  const catalog::Instance& added = **c.instance("big.2x");
  CHECK(added.gpu == "one-80gb");
  CHECK(added.rdma == catalog::Rdma::none);
  CHECK(added.sources.joined() == "acme-sheet");
  CHECK(added.gpu_count == 2.0);
  CHECK_FALSE(added.vcpu.has_value());
  CHECK((*c.instance("big.8x"))->gpu_count == 8.0);
}

TEST_CASE("what an overlay says of a family holds for a SKU that it added to it before") {
  const auto c = opened(catalog::load(
      {.replacement = folder({{"c.yaml", kSmall}}),
       .overlays = {scratch_file("o.yaml",
                                 "families:\n  - {provider: north, id: big, sizes: [{sku: big.2x, gpus: 2}]}\n"
                                 "  - {provider: north, id: big, notes: mine}\n")}}));
  CHECK((*c.instance("big.2x"))->notes == "mine");
  CHECK((*c.instance("big.8x"))->notes == "mine");
}

TEST_CASE("an overlay changes one fact of a SKU") {
  const auto before = embedded();
  const catalog::Instance& i = before.instances()[0];
  const Change c = change(
      before, overlaid(format("families:\n  - provider: {}\n    id: {}\n    sizes:\n      - {{sku: '{}', vcpu: 7}}\n",
                              i.provider, i.family, i.sku)));
  CHECK(c.lost.size() == 1);
  CHECK(c.gained == Lines{format("instance {}/{} vcpu=7", i.provider, i.sku)});
}

TEST_CASE("an overlay adds a model") {
  const auto after =
      overlaid(kMySource +
               "models:\n  - {id: my-model, aliases: [me/My-Model], kind: decoder-llm, params_b: 7, layers: 4, "
               "sources: [mine]}\n");
  const Change c = change(embedded(), after);
  CHECK(c.lost.empty());
  CHECK(mentions_only(without_sources(c.gained), "model my-model "));
  CHECK((*after.model("me/my_model"))->params_b == 7.0);
}

TEST_CASE("an overlay changes an exchange rate") {
  const Change c =
      change(embedded(), overlaid(kMySource + "exchange_rates:\n  - {currency: EUR, per_usd: 0.5, as_of: 2026-11-01, "
                                              "source: mine}\n"));
  CHECK(mentions_only(c.lost, "rate EUR "));
  CHECK(c.lost.size() == 3);  // the rate, its date and its source
  CHECK(mentions_only(without_sources(c.gained), "rate EUR "));
}

TEST_CASE("what an overlay defines anew must be complete") {
  const auto loaded = catalog::load(
      {.replacement = {}, .overlays = {scratch_file("o.yaml", "models:\n  - {id: my-model, kind: decoder-llm}\n")}});
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().size() == 2);  // params_b and sources
  CHECK(loaded.error().front().kind == ErrorKind::bad_catalogue);
}

TEST_CASE("an overlay may not say one thing twice") {
  const auto loaded = catalog::load(
      {.replacement = {},
       .overlays = {scratch_file("o.yaml", "gpus:\n  - {id: l4, tdp_w: 70}\n  - {id: l4, tdp_w: 75}\n")}});
  REQUIRE_FALSE(loaded);
  CHECK_THAT(loaded.error().front().message, Catch::Contains("GPU 'l4' is defined twice"));
  CHECK_THAT(loaded.error().front().where, Catch::EndsWith("o.yaml:3:5"));
}

TEST_CASE("an overlay that cannot be read is an error") {
  const auto missing = catalog::load({.replacement = {}, .overlays = {"/nonexistent/o.yaml"}});
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().front().message, Catch::Contains("/nonexistent/o.yaml"));
}

TEST_CASE("later overlays win over earlier ones") {
  const auto c =
      opened(catalog::load({.replacement = {},
                            .overlays = {scratch_file("a.yaml", "gpus:\n  - {id: l4, tdp_w: 70, l2_cache_mb: 11}\n"),
                                         scratch_file("b.yaml", "gpus:\n  - {id: l4, tdp_w: 75}\n")}}));
  CHECK((*c.gpu("l4"))->tdp_w == 75.0);
  CHECK((*c.gpu("l4"))->l2_cache_mb == 11.0);
}

TEST_CASE("an overlay may be a folder") {
  const auto c = opened(catalog::load(
      {.replacement = {},
       .overlays = {folder({{"a.yaml", kMySource}, {"b.yaml", "gpus:\n  - {id: l4, sources: [mine]}\n"}})}}));
  CHECK((*c.gpu("l4"))->sources.joined() == "mine");
}

TEST_CASE("a catalogue folder replaces instances and prices and nothing else") {
  const auto before = embedded();
  const std::string yaml = kMySource + R"(providers:
  - {id: own-cloud, name: Own cloud, regions: {here: {country: DE}}}
families:
  - {provider: own-cloud, id: f, gpu: l4, sources: [mine], sizes: [{sku: s1, gpus: 1}]}
prices:
  - {provider: own-cloud, region: here, term: on-demand, currency: EUR, as_of: 2026-11-01, source: mine, per_hour: {s1: 1}}
)";
  const auto after = opened(catalog::load({.replacement = folder({{"c.yaml", yaml}}), .overlays = {}}));
  REQUIRE(after.instances().size() == 1);
  REQUIRE(after.offers().size() == 1);
  CHECK(after.instances()[0].sku == "s1");
  CHECK(after.gpu_of(after.instances()[0])->id == "l4");
  CHECK(after.currency_of(after.offers()[0]).code() == "EUR");
  const Change c = change(before, after);
  CHECK(std::all_of(c.lost.begin(), c.lost.end(), [](const std::string& line) {
    return line.starts_with("offer ") || line.starts_with("instance ") || line.starts_with("link ");
  }));
  CHECK(after.documents("rules").size() == before.documents("rules").size());
}

TEST_CASE("a catalogue snapshot replaces instances and prices and leaves GPUs and models") {
  const auto before = embedded();
  const std::string snapshot = catalog::write_snapshot(from_text(with(kSmall, "gpu: one-80gb", "gpu: undisclosed")));
  const auto after = opened(catalog::load({.replacement = scratch_file("c.gpsl", snapshot), .overlays = {}}));
  CHECK(after.instances().size() == 3);
  CHECK(after.offers().size() == 5);
  const Change c = change(before, after);
  // Its own exchange rate takes the place of the embedded one.
  CHECK(std::none_of(c.lost.begin(), c.lost.end(), [](const std::string& line) {
    return line.starts_with("gpu ") || line.starts_with("model ") || line.starts_with("group ") ||
           line.starts_with("source ");
  }));
}

TEST_CASE("an overlay lies over a replaced catalogue") {
  const std::string snapshot = catalog::write_snapshot(from_text(kSmall));
  const auto c = opened(catalog::load(
      {.replacement = scratch_file("c.gpsl", snapshot),
       .overlays = {scratch_file("o.yaml", kMySource + "prices:\n  - {provider: north, region: n1, term: on-demand, "
                                                       "currency: USD, as_of: 2026-11-01, source: mine, "
                                                       "per_hour: {big.8x: 17}}\n")}}));
  CHECK(c.offers().size() == 5);
  const auto offers = c.offers_of(**c.instance("big.8x"));
  REQUIRE(offers.size() == 2);
  CHECK(offers[0].amount == 17);
  CHECK(offers[1].amount == 20);
}

TEST_CASE("the answer says what the catalogue was made of") {
  CHECK(embedded().origin_text() == "embedded");
  const std::string overlay = scratch_file("o.yaml", "");
  CHECK(opened(catalog::load({.replacement = {}, .overlays = {overlay}})).origin_text() == "embedded+" + overlay);
}

}  // namespace overlay_test
