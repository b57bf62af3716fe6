// YAML into a catalogue: what is read, and that every mistake is told at its line and column.
#include <catch2/catch.hpp>

#include "listing.hpp"

namespace ingest_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

/// The small catalogue with `from` replaced must fail first with a message that says `message` at `at` in it.
void must_fail(const std::string& from, const std::string& to, const std::string& message, const std::string& at,
               const std::string& hint = {}) {
  const std::string text = with(kSmall, from, to);
  const std::string file = scratch_file("c.yaml", text);
  const auto loaded = catalog::load_directory(file);
  CAPTURE(from, to);
  REQUIRE_FALSE(loaded);
  const Error& error = loaded.error().front();
  CHECK_THAT(error.message, Catch::Contains(message));
  CHECK(error.where == file + ":" + place_of(text, at));
  CHECK(error.kind == ErrorKind::bad_catalogue);
  if (!hint.empty()) CHECK_THAT(error.hint, Catch::Contains(hint));
}

}  // namespace

TEST_CASE("every part of a catalogue file is read") {
  const auto c = from_text(kSmall);
  REQUIRE(c.gpus().size() == 1);
  const catalog::Gpu& gpu = c.gpus()[0];
  CHECK(gpu.id == "one-80gb");
  CHECK(gpu.memory_gb == 80.0);
  CHECK(gpu.memory_gib_usable == 72.0);
  CHECK(gpu.ecc == true);
  CHECK(gpu.fp16_dense_tflops == 300.0);
  CHECK(gpu.has_bf16);
  CHECK_FALSE(gpu.has_fp8);
  CHECK(gpu.figure_sources.joined() == "memory.usable_gib=acme-list");
  REQUIRE(c.models().size() == 1);
  CHECK(c.models()[0].kind == catalog::ModelKind::decoder_llm);
  CHECK(c.providers().size() == 2);
  CHECK(c.regions().size() == 3);
  CHECK(c.instances().size() == 3);
  CHECK(c.offers().size() == 5);  // two SKUs in two regions and one in one
}

TEST_CASE("unknown is unknown and zero is zero") {
  const auto c = from_text(kSmall);
  const catalog::Gpu& gpu = c.gpus()[0];
  CHECK(gpu.fp8_dense_tflops == 0.0);
  CHECK_FALSE(gpu.fp4_dense_tflops.has_value());
  CHECK_FALSE(gpu.tdp_w.has_value());
  CHECK_FALSE(gpu.av1_encode.has_value());
  CHECK_FALSE(gpu.interconnect.has_value());
}

TEST_CASE("a size has what its family states unless it says otherwise") {
  const auto c = from_text(kSmall);
  const catalog::Instance& eight = **c.instance("big.8x");
  const catalog::Instance& one = **c.instance("big.1x");
  CHECK(eight.link == catalog::NodeLink::nvlink_mesh);
  CHECK(eight.link_gbs_per_gpu == 300.0);
  CHECK(one.link == catalog::NodeLink::none);
  CHECK_FALSE(one.link_gbs_per_gpu.has_value());  // another link has not the family's rate
  CHECK(one.gpu == "one-80gb");
  CHECK(one.rdma == catalog::Rdma::none);
  CHECK(one.sources.joined() == "acme-sheet");
}

TEST_CASE("a price sheet gives a price per region and SKU with its origin") {
  const auto c = from_text(kSmall);
  const auto offers = c.offers_of(**c.instance("big.8x"));
  REQUIRE(offers.size() == 2);
  CHECK(c.region_of(offers[0]).id == "n1");
  CHECK(c.region_of(offers[1]).id == "n2");
  for (const catalog::Offer& offer : offers) {
    CHECK(offer.amount == 20);
    CHECK(offer.term == catalog::Term::on_demand);
    CHECK(c.currency_of(offer) == Currency::usd());
    CHECK(Date::from_packed(offer.as_of) == Date(2026, 7, 20));
    CHECK(c.origin_of(offer).confidence == catalog::Confidence::press);  // its source's
  }
  const catalog::Offer& box = c.offers_of(**c.instance("box"))[0];
  CHECK(c.region_of(box).provider == "south");
  CHECK(box.per_hour() == 0.5);  // 365 / 730
  CHECK(c.currency_of(box).code() == "EUR");
  CHECK(c.origin_of(box).confidence == catalog::Confidence::recalled);
  CHECK(c.origin_of(box).note == "by mail");
}

TEST_CASE("half a GPU and a hidden GPU are understood") {
  const auto c = from_text(kSmall);
  const catalog::Instance& box = **c.instance("box");
  CHECK(box.gpu_count == 0.5);
  CHECK(c.gpu_of(box) == nullptr);
  CHECK(c.gpu_memory_total_gb(box) == 40.0);
  CHECK(c.gpu_memory_total_gb(**c.instance("big.8x")) == 640.0);  // 8 × 80
}

TEST_CASE("a part may be used in a file that comes before it") {
  const auto c =
      opened(catalog::load_directory(folder({{"b.yaml", with(kSmall, kSmall.substr(0, kSmall.find("gpus:")), "")},
                                             {"z.yaml", kSmall.substr(0, kSmall.find("gpus:"))}})));
  CHECK(facts_of(c) == facts_of(from_text(kSmall)));
}

TEST_CASE("files in folders of folders are read and other files are not") {
  const auto c = opened(
      catalog::load_directory(folder({{"deep/er/c.yaml", kSmall}, {"notes.txt", "not: [yaml"}, {"empty.yaml", ""}})));
  CHECK(c.gpus().size() == 1);
}

TEST_CASE("an unknown section is told at its key") {
  must_fail("models:\n", "modles:\n", "unknown key 'modles'", "modles", "'models'");
}

TEST_CASE("an unknown key in a record is told at the key") {
  must_fail("usable_gib: 72", "usable_gb: 72", "unknown key 'memory.usable_gb'", "usable_gb: 72",
            "'memory.usable_gib'");
  must_fail("vcpu: 96", "vpcu: 96", "unknown key 'vpcu'", "vpcu: 96", "'vcpu'");
  must_fail("country: DE", "contry: DE", "unknown key 'contry'", "contry", "'country'");
  must_fail("note: by mail", "noted: by mail", "unknown key 'noted'", "noted", "'note'");
  must_fail("publisher: Acme, document: Sheet", "publisher: Acme, document: Sheet, uri: x", "unknown key 'uri'",
            "uri: x", "'url'");
}

TEST_CASE("a figure with a unit or a comma is told at the figure") {
  must_fail("marketed_gb: 80", "marketed_gb: 80GB", "must be a number", "80GB,");
  must_fail("vcpu: 96", "vcpu: '96'", "must be a number", "'96'");
  must_fail("fp16_tflops: 300", "fp16_tflops: 0300", "must be a number", "0300");
  must_fail("fp16_tflops: 300", "fp16_tflops: .nan", "must be a number", ".nan");
  must_fail("fp16_tflops: 300", "fp16_tflops: unknown", "must be a number", "unknown");
}

TEST_CASE("a figure that cannot be is told at the figure") {
  must_fail("bandwidth_gbs: 2000", "bandwidth_gbs: -1", "out of range", "-1, ecc");
  must_fail("marketed_gb: 80", "marketed_gb: 80000", "out of range", "80000");
  must_fail("gpus: 8", "gpus: -8", "out of range", "-8, vcpu");
  must_fail("fp16_tflops: 300", "fp16_tflops: 1e-310", "out of range", "1e-310");
  must_fail("per_usd: 0.9", "per_usd: 0", "out of range", "0, as_of");
}

TEST_CASE("a word that is not one of the known ones is told with those") {
  must_fail("kind: decoder-llm", "kind: decoder", "cannot be 'decoder'", "decoder", "decoder-llm");
  must_fail("rdma: none", "rdma: maybe", "cannot be 'maybe'", "maybe", "infiniband");
  must_fail("term: month", "term: monthly", "cannot be 'monthly'", "monthly", "on-demand");
  must_fail("confidence: press", "confidence: sure", "cannot be 'sure'", "sure", "documented");
}

TEST_CASE("a missing part of a record is told at the record") {
  must_fail("    vendor: acme\n", "", "'vendor' is missing", "id: one-80gb");
  must_fail("{sku: big.8x, ", "{", "'sku' is missing", "{gpus: 8");
  must_fail("    params_b: 1\n", "", "'params_b' is missing", "id: tiny");
}

TEST_CASE("an id with strange characters is refused") {
  must_fail("id: tiny", "id: Tiny", "'Tiny' is not an id", "id: Tiny", "lower case");
  must_fail("id: tiny", "id: \"ti/ny\"", "is not an id", "id: \"ti/ny\"");
}

TEST_CASE("a GPU that nobody defined is told at its name") {
  must_fail("gpu: one-80gb", "gpu: one-80bg", "unknown GPU 'one-80bg'", "one-80bg", "'one-80gb'");
}

TEST_CASE("an instance may name its GPU by an alias") {
  const auto c = from_text(with(kSmall, "gpu: one-80gb", "gpu: Acme One"));
  CHECK(c.gpu_of(**c.instance("big.8x")) == *c.gpu("one-80gb"));
}

TEST_CASE("a source that nobody defined is told at its key") {
  must_fail("source: acme-list", "source: acme-lits", "unknown source 'acme-lits'", "acme-lits", "'acme-list'");
  must_fail("{memory.usable_gib: acme-list}", "{memory.usable_gib: acme-lits}", "unknown source 'acme-lits'",
            "{memory.usable_gib: acme-lits}");
  must_fail("sources: [acme-list]", "sources: [acme-lits]", "unknown source 'acme-lits'", "[acme-lits]");
}

TEST_CASE("an empty list of sources is no source") {
  const auto sources = GENERATE("[]", "\"\"");
  const auto loaded =
      catalog::load_directory(scratch_file("c.yaml", with(kSmall, "    sources: [acme-sheet]\nproviders",
                                                          "    sources: " + std::string(sources) + "\nproviders")));
  REQUIRE_FALSE(loaded);
  CHECK_THAT(loaded.error().front().message, Catch::Contains("sources"));
}

TEST_CASE("a source for a figure that no GPU has is told at the figure") {
  must_fail("{memory.usable_gib: acme-list}", "{memory.usabel_gib: acme-list}", "memory.usabel_gib",
            "memory.usabel_gib: acme-list", "memory.usable_gib");
}

TEST_CASE("a provider or region or SKU that nobody defined is told") {
  must_fail("  - provider: south\n    region", "  - provider: suoth\n    region", "unknown provider 'suoth'", "suoth",
            "'south'");
  must_fail("big.1x: 3", "big.2x: 3", "'north' has no SKU 'big.2x'", "big.2x: 3", "'big.1x'");
  must_fail("region: n1", "region: n9", "'south' has no region 'n9'", "n9");
}

TEST_CASE("a spot market, a promise or a purchase of what nobody defined is told at the name") {
  const auto refused = [](const std::string& records, const std::string& message, const std::string& at,
                          const std::string& hint = {}) {
    must_fail("families:\n", records + "\nfamilies:\n", message, at, hint);
  };
  refused("spot_markets:\n  - {id: a, provider: nroth, source: acme-sheet}", "unknown provider 'nroth'", "nroth",
          "'north'");
  refused("spot_markets:\n  - {id: a, provider: north, families: [bgi], source: acme-sheet}",
          "'north' has no family 'bgi'", "[bgi]", "'big'");
  refused("service_levels:\n  - {id: a, provider: suoth, scope: one instance, percent: 99, source: acme-sheet}",
          "unknown provider 'suoth'", "suoth", "'south'");
  refused(
      "spot_markets:\n  - {id: a, provider: north, interrupted_low: 0.2, interrupted_high: 0.1, source: acme-sheet}",
      "'interrupted_low' is above", "{id: a, provider: north, inter");
  const std::string bought = "purchases:\n  - {id: a, kind: card, gpus: 1, price: 9, source: acme-sheet, ";
  refused(bought + "gpu: one-80bg, currency: USD}", "unknown GPU 'one-80bg'", "one-80bg", "'one-80gb'");
  refused(bought + "gpu: one-80gb, currency: XXX}", "no exchange rate for XXX", "XXX");
}

TEST_CASE("a record that is defined twice is refused") {
  must_fail("providers:\n", "  - {id: tiny, kind: cnn, params_b: 2, sources: [acme-sheet]}\nproviders:\n",
            "model 'tiny' is defined twice", "{id: tiny");
  must_fail("{sku: big.1x", "{sku: big.8x", "SKU 'big.8x' is defined twice", "{sku: big.8x, gpus: 1");
}

TEST_CASE("a record that is defined in two files is refused with both known") {
  const auto loaded = catalog::load_directory(
      folder({{"a.yaml", kSmall}, {"b.yaml", "providers:\n  - {id: north, name: Other, regions: {x: {}}}\n"}}));
  REQUIRE_FALSE(loaded);
  CHECK_THAT(loaded.error().front().message, Catch::Contains("provider 'north' is defined twice"));
  CHECK_THAT(loaded.error().front().where, Catch::EndsWith("b.yaml:2:5"));
}

TEST_CASE("a price that is given twice for one region term and date is refused") {
  must_fail("regions: [n1, n2]", "regions: [n1, n1]", "priced twice", "big.8x: 20");
}

TEST_CASE("a price must be a number above zero, and one that somebody may ask") {
  const auto price = GENERATE("0.0", "1e-310", "-3", "free", "'3'", "1e12", "$3", "3 USD");
  must_fail("{box: 365}", "{box: " + std::string(price) + "}", "a price must be a number from 1e-09 to 1e+09",
            price + std::string("}\n"));
}

TEST_CASE("a price in a currency without a rate is refused") {
  must_fail("currency: EUR\n", "currency: GBP\n", "no exchange rate for GBP", "GBP");
  must_fail("currency: EUR\n", "currency: euro\n", "'euro' is not a currency", "euro");
}

TEST_CASE("a price sheet says its period once") {
  must_fail("per_month: {box: 365}", "amount: 365", "needs 'per_hour'", "provider: south\n    region");
  must_fail("per_month: {box: 365}", "per_month: {box: 365}\n    per_year: {box: 4000}", "one of per_hour",
            "{box: 4000}");
}

TEST_CASE("an instance without any source is refused") {
  must_fail("    sources: [acme-list]\n", "", "neither 'box' nor its family has sources", "{sku: box");
}

TEST_CASE("a country is a code that a country has") {
  const auto country = GENERATE("Sweden", "se", "S1", "SWE", "XX", "ZZ", "UK");
  must_fail("country: SE", "country: " + std::string(country), "is not a country", country + std::string("}"));
}

TEST_CASE("a section of the wrong kind is told") {
  const auto c = catalog::load_directory(scratch_file("c.yaml", "gpus: {id: x}\n"));
  REQUIRE_FALSE(c);
  CHECK_THAT(c.error().front().message, Catch::Contains("'gpus' must be a list"));
}

TEST_CASE("the mistakes of all files are told together") {
  const auto loaded = catalog::load_directory(
      folder({{"a.yaml", with(with(kSmall, "rdma: none", "rdma: maybe"), "vcpu: 96", "vcpu: many")},
              {"b.yaml", "models:\n  - {id: m, kind: cnn, params_b: 2, sources: [nowhere]}\n"}}));
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().size() == 3);
}

TEST_CASE("files that cannot be parsed are all told") {
  const auto loaded =
      catalog::load_directory(folder({{"a.yaml", "a: [1\n"}, {"b.yaml", "x: 1\nx: 2\n"}, {"c.yaml", kSmall}}));
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().size() == 2);
  for (const Error& error : loaded.error()) CHECK(error.kind == ErrorKind::bad_catalogue);
}

TEST_CASE("one mistake is told once") {
  struct Case {
    const char* from;
    const char* to;
  };
  const auto mistake =
      GENERATE(Case{"vcpu: 96", "vcpu: x"}, Case{"vcpu: 96", "vpcu: 96"}, Case{"rdma: none", "rdma: x"},
               Case{"gpu: one-80gb", "gpu: two-80gb"}, Case{"box: 365", "bix: 365"},
               Case{"sources: [acme-list]", "sources: [x]"}, Case{"currency: EUR\n", "currency: GBP\n"});
  CAPTURE(mistake.from, mistake.to);
  const auto loaded = catalog::load_directory(scratch_file("c.yaml", with(kSmall, mistake.from, mistake.to)));
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().size() == 1);
}

TEST_CASE("a folder without yaml files is refused") {
  const auto loaded = catalog::load_directory(folder({{"readme.txt", "hello"}}));
  REQUIRE_FALSE(loaded);
  CHECK_THAT(loaded.error().front().message, Catch::Contains("has no .yaml file"));
}

TEST_CASE("a wrong price is told once however many regions it is for") {
  const auto loaded = catalog::load_directory(scratch_file("c.yaml", with(kSmall, "big.1x: 3", "big.1x: free")));
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().size() == 1);
}

TEST_CASE("an unknown SKU in a price sheet is told at its key") {
  const std::string text = with(kSmall, "box: 365", "bix: 365");
  const std::string file = scratch_file("c.yaml", text);
  const auto loaded = catalog::load_directory(file);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().front().where == file + ":" + place_of(text, "bix: 365"));
}

TEST_CASE("an unknown region is told where it is named") {
  const std::string text = with(kSmall, "region: n1\n", "region: n9\n");
  const std::string file = scratch_file("c.yaml", text);
  const auto loaded = catalog::load_directory(file);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().front().where == file + ":" + place_of(text, "n9"));
}

TEST_CASE("an overlay family with one mistake is told once") {
  const auto loaded = catalog::load(
      {.replacement = {},
       .overlays = {scratch_file("o.yaml", "families:\n  - {provider: lambda, id: gpu_a100, rdma: maybe}\n")}});
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().size() == 1);
}

TEST_CASE("a snapshot brings the GPUs and models that it has") {
  const std::string path = scratch_file("s.gpsl", catalog::write_snapshot(from_text(kSmall)));
  const auto c = opened(catalog::load({.replacement = path, .overlays = {}}));
  CHECK(c.gpu("one-80gb"));
  CHECK(c.model("tiny"));
  CHECK(c.gpu_of(**c.instance("big.8x")) != nullptr);
}

}  // namespace ingest_test
