// Each kind of fault, planted alone in a catalogue that has none: it is found, and nothing else is.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "catalog/lint/lint.hpp"
#include "linting.hpp"

namespace lint_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

struct Plant {
  const char* from;
  const char* to;
  const char* finds;  // "check subject"
};

constexpr Plant kPlants[] = {
    // What the reader refuses.
    {"vcpu: 192, memory_gib: 2048}", "vcpu: 192, memory_gibs: 2048}", "schema"},
    {"gpu: x9-sxm", "gpu: x9-smx", "schema"},
    {"sources: our-config", "sources: our-confgi", "schema"},
    {"id: our-8b", "id: our_8b", "schema"},
    {"x4.one: 0.5", "x4.one: 0", "price.zero"},
    // Physics.
    {"fp16_tflops: 989.4", "fp16_tflops: 1978.9", "gpu.sparse gpu x9-sxm"},
    {"fp8_tflops: 1978.9", "fp8_tflops: 3957.8", "gpu.sparse gpu x9-sxm"},
    {"tf32_tflops: 494.7", "tf32_tflops: 247", "gpu.ratio gpu x9-sxm"},
    {"int8_tops: 130", "int8_tops: 65", "gpu.ratio gpu x4-pcie"},
    {"int8_tops: 130", "int8_tops: 260", "gpu.sparse gpu x4-pcie"},
    {"fp8_tflops: 2600", "fp8_tflops: 1700", "gpu.eight-bit gpu r2-oam"},
    {"tensor_generation: 4, rt: 0", "tensor_generation: 4, rt: 132", "gpu.features gpu x9-sxm"},
    {"media: {av1_encode", "media: {nvenc: 3, av1_encode", "gpu.features gpu x9-sxm"},
    {"clock_mhz: 1980", "clock_mhz: 1980\n    release_year: 2012", "gpu.year gpu x9-sxm"},
    {"name: AMD R1", "name: AMD R1\n    tdp_w: 1600", "gpu.power gpu r1-oam"},
    {"fp32_tflops: 66.9", "fp32_tflops: 133.8", "gpu.fp32 gpu x9-sxm"},
    {"fp32_tflops: 8.1", "fp32_tflops: 16.2", "gpu.fp32 gpu x4-pcie"},
    {"fp32_tflops: 8.1", "fp32_tflops: 10", "gpu.fp32 gpu x4-pcie"},
    {"int8_tops: 130", "int8_tops: 145", "gpu.ratio gpu x4-pcie"},
    {"name: NVIDIA X4", "name: NVIDIA X4 24GB", "gpu.name-memory gpu x4-pcie"},
    {"fp64_tflops: 34", "fp64_tflops: 68", "gpu.fp64 gpu x9-sxm"},
    {"tensor: 528", "tensor: 544", "gpu.cores gpu x9-sxm"},
    {"mig_max_instances: 0", "mig_max_instances: 7", "gpu.features gpu x4-pcie"},
    {"native: [fp16, bf16, fp8]", "native: [fp16, bf16]", "gpu.formats gpu x9-sxm"},
    {"usable_gib: 79.6", "usable_gib: 81", "gpu.memory gpu x9-sxm"},
    {"usable_gib: 15,", "usable_gib: 8,", "gpu.memory gpu x4-pcie"},
    {"bandwidth_gbs: 3350", "bandwidth_gbs: 3900", "gpu.bandwidth gpu x9-sxm"},
    {"{kind: none, bidir_gbs: 0}", "{kind: none, bidir_gbs: 300}", "gpu.link gpu x4-pcie"},
    {"name: AMD R2", "name: AMD R2\n    aliases: [the-r1]", "gpu.names gpu r2-oam"},
    // Instances.
    {"gpu_memory_gb: 640", "gpu_memory_gb: 320", "instance.memory-sum instance north/x9_8x"},
    {"gpu_memory_gb: 8", "gpu_memory_gb: 16", "instance.memory-sum instance north/x4.half"},
    {"sku: x9_1x, gpus: 1", "sku: x9_1x, gpus: 0", "instance.count instance north/x9_1x"},
    {"vcpu: 16, memory_gib: 64", "vcpu: 0, memory_gib: 64", "instance.host instance north/cpu.16"},
    {"vcpu: 16, memory_gib: 64", "vcpu: 16, memory_gib: 0", "instance.host instance north/cpu.16"},
    {"{sku: x4.four,", "{sku: x4.four, interconnect: {kind: none},", "instance.no-link instance north/x4.four"},
    {"{sku: x4.four,", "{sku: x4.four, interconnect: {kind: nvswitch},", "instance.link instance north/x4.four"},
    {"gbs_per_gpu: 896}", "gbs_per_gpu: 1792}", "instance.link instance north/r1.8"},
    {"rdma: roce", "rdma: none", "instance.fabric instance north/x9_8x"},
    // Prices.
    {"per_hour: {x9_8x: 30}", "per_hour: {x9_8x: 81}", "price.spot-above-on-demand price north/x9_8x us-1 spot"},
    {"per_hour: {x9_8x: 60}", "per_hour: {x9_8x: 81}", "price.commitment-dearer price north/x9_8x us-1 reserved-1y"},
    {"per_hour: {x9_8x: 50}", "per_hour: {x9_8x: 61}", "price.longer-dearer price north/x9_8x us-1 reserved-3y"},
    {"per_month: {x9_8x: 40000}", "per_hour: {x9_8x: 90}", "price.commitment-dearer price north/x9_8x us-1 month"},
    {"x9_8x: 96", "x9_8x: 161", "price.regions-apart price north/x9_8x eu-1 on-demand"},
    {"as_of: 2026-11-01\n    source: north-list\n    per_hour: {x9_8x: 96",
     "source: north-list\n    per_hour: {x9_8x: 96", "price.undated prices north/north-list"},
    {"as_of: 2026-11-01\n    source: north-list\n    per_hour: {x9_8x: 96",
     "as_of: 2027-01-01\n    source: north-list\n    per_hour: {x9_8x: 96",
     "price.future prices north/north-list 2027-01-01"},
    {"as_of: 2026-11-01\n    source: north-list\n    per_hour: {x9_8x: 96",
     "as_of: 2025-11-01\n    source: north-list\n    per_hour: {x9_8x: 96",
     "price.old prices north/north-list 2025-11-01"},
    {"source: north-list\n    per_hour: {x9_8x: 96",
     "source: north-list\n    confidence: recalled\n    per_hour: {x9_8x: 96",
     "price.recalled prices north/north-list 2026-11-01"},
    // Models.
    {"params_b: 8.03", "params_b: 9.03", "model.size model our-8b"},
    {"params_b: 46.7", "params_b: 87", "model.size model our-moe"},
    {"active_params_b: 12.9", "active_params_b: 129", "model.active model our-moe"},
    {"{kind: gqa, heads: 32, kv_heads: 8, head_dim: 128}", "{kind: gqa, heads: 32, kv_heads: 7, head_dim: 128}",
     "model.heads model our-8b"},
    {"{kind: gqa, heads: 32, kv_heads: 8, head_dim: 128}", "{kind: mha, heads: 32, kv_heads: 8, head_dim: 128}",
     "model.attention model our-8b"},
    {"kv_cache: {full_layers: 32}", "kv_cache: {full_layers: 33}", "model.cache model our-8b"},
    {"experts_per_token: 2", "experts_per_token: 9", "model.experts model our-moe"},
    {"[our-lab/Our-Moe]", "[our-8b]", "model.names model our-moe"},
    {"[our-lab/Our-Moe]", "[our-lab/Our-Moe]\n    base: our-lab/Other", "model.repositories model our-moe"},
    // Sources.
    {"document: datasheets, date: 2026-03", "document: datasheets", "source.unfindable source acme-datasheet"},
    {"licence: MIT", "licence: CC BY-SA 4.0", "source.share-alike source north-list"},
    {"document: datasheets, date: 2026-03", "document: datasheets, date: 2027-03",
     "source.future source acme-datasheet"},
    {"sources:\n", "sources:\n  spare: {publisher: A, document: B, date: 2026, confidence: press}\n",
     "source.unused source spare"},
};

}  // namespace

TEST_CASE("a catalogue in which nothing is wrong is silent") {
  const Linted linted = lint({kSource + "/tests/data/lint"});
  CHECK(linted.found().empty());
  CHECK(linted.status == 0);
  CHECK(lint({kSource + "/tests/data/lint/clean.yaml"}).found().empty());
  CHECK(lint({kSource + "/tests/data/market"}).found().empty());
}

TEST_CASE("every planted fault is found, and nothing else") {
  for (const Plant& plant : kPlants) {
    CAPTURE(plant.to, plant.finds);
    const std::string wanted = plant.finds;
    const Linted linted = lint({catalogue(with(clean(), plant.from, plant.to))});
    const Lines found = linted.found();
    CAPTURE(found);
    REQUIRE(found.size() == 1);
    CHECK(found[0].starts_with(wanted));
    const Json& finding = linted.json["findings"][0];
    CHECK(linted.status == (finding["severity"] == "info" ? 0 : 5));
    CHECK_THAT(finding["place"].get<std::string>(), Catch::Contains("all.yaml:"));
    CHECK(finding["accepted"].is_null());
  }
}

TEST_CASE("faults of a whole column, a whole family or several records are found where they show") {
  const auto finds = [](const std::string& from, const std::string& to, Lines wanted) {
    const Linted linted = lint({catalogue(with(clean(), from, to))});
    CAPTURE(to);
    CHECK(linted.found() == wanted);
  };
  finds("rt: 0}\n    media: {av1_encode: false, av1_decode: false}",
        "rt: 0}\n    media: {av1_encode: true, av1_decode: true}", {});
  finds("fp16_tflops: 1280", "fp16_tflops: 2560", {"gpu.siblings gpu r1-oam", "gpu.eight-bit gpu r1-oam"});
  finds("mig_max_instances: 0", "media: {av1_encode: true, av1_decode: true}",
        {"gpu.features gpu x4-pcie", "gpu.features gpu x4-pcie"});
  finds("cpu_arch: arm64", "cpu_arch: x86_64",
        {"instance.cpu-arch instance north/x4.half", "instance.cpu-arch instance north/x4.one",
         "instance.cpu-arch instance north/x4.four"});
  finds("bf16_tflops: 0, fp8_tflops: 0", "bf16_tflops: 65, fp8_tflops: 0",
        {"gpu.features gpu x4-pcie", "gpu.formats gpu x4-pcie"});
  finds("tf32_tflops: 494.7, fp16_tflops: 989.4, bf16_tflops: 989.4, fp8_tflops: 1978.9, int8_tops: 1978.9",
        "tf32_tflops: 989.4, fp16_tflops: 1978.9, bf16_tflops: 1978.9, fp8_tflops: 3957.8, int8_tops: 3957.8",
        Lines(5, "gpu.sparse gpu x9-sxm"));
  finds("{sku: x9_8x, gpus: 8, gpu_memory_gb: 640,", "{sku: x9_8x, gpus: 4, gpu_memory_gb: 320,",
        {"instance.name-count instance north/x9_8x", "price.sizes-apart family north/x9 us-1 on-demand",
         "price.sizes-apart family north/x9 us-2 on-demand"});
  finds("x4.one: 0.5, x4.four: 2", "x4.one: 0.5, x4.four: 0.5",
        {"price.flat price north/x4.four us-1 on-demand", "price.flat price north/x4.four us-2 on-demand"});
  finds(
      "x4.one: 0.5, x4.four: 2", "x4.one: 0.5, x4.four: 3.2",
      {"price.sizes-apart price north/x4.four us-1 on-demand", "price.sizes-apart price north/x4.four us-2 on-demand"});
}

TEST_CASE("a flat price does not hide sizes that are apart") {
  const std::string sizes = with(clean(), "      - {sku: x4.four,",
                                 "      - {sku: x4.two, gpus: 2, vcpu: 16, memory_gib: 64}\n      - {sku: x4.four,");
  const Linted linted =
      lint({catalogue(with(sizes, "x4.one: 0.5, x4.four: 2", "x4.one: 0.5, x4.two: 0.5, x4.four: 3.2"))});
  const Lines found = linted.found();
  CHECK(std::ranges::count(found, "price.flat price north/x4.two us-1 on-demand") == 1);
  CHECK(std::ranges::count(found, "price.sizes-apart price north/x4.four us-1 on-demand") == 1);
}

TEST_CASE("a bandwidth that parts of the same chip do not have is found") {
  const auto found = [](const std::string& figures) {
    return lint({scratch_file("rate.yaml", "gpus:\n  - " + figures + "\n")}).found();
  };
  CHECK(found("{id: gh200-96gb, memory: {bandwidth_gbs: 1500}}") == Lines{"gpu.bandwidth-siblings gpu gh200-96gb"});
  CHECK(found("{id: gh200-96gb, memory: {bandwidth_gbs: 3700}}").empty());
  CHECK(found("{id: a100-sxm-80gb, memory: {bandwidth_gbs: 4078}}") == Lines{"gpu.bandwidth gpu a100-sxm-80gb"});
  CHECK(found("{id: v100-sxm2-32gb, memory: {bandwidth_gbs: 880}}").empty());
}

TEST_CASE("a price that no other provider of the GPU comes near is found") {
  const std::string bazaar = with(clean(), "families:\n", R"(families:
  - {provider: north, id: odd, gpu: x9-sxm, sources: north-list, sizes: [{sku: odd.1, gpus: 1, vcpu: 8, memory_gib: 32}]}
)");
  CHECK(lint({catalogue(with(bazaar, "cpu.16: 0.8", "cpu.16: 0.8, odd.1: 90"))}).found().empty());
  CHECK(lint({catalogue(with(bazaar, "cpu.16: 0.8", "cpu.16: 0.8, odd.1: 101"))}).found() ==
        Lines{"price.far-off price north/odd.1 us-1 on-demand", "price.far-off price north/odd.1 us-2 on-demand"});
}

TEST_CASE("a name that says another GPU or a price of what is not offered is found") {
  const std::string renamed = with(with(clean(), "sku: r1.8", "sku: h100.8"), "r1.8: 60", "h100.8: 60");
  CHECK(lint({catalogue(renamed)}).found() == Lines{"instance.name-gpu instance north/h100.8"});
  const std::string not_sold = clean() + R"(availability:
  - {provider: north, skus: [x9_8x], region: eu-1, state: not-offered, as_of: 2026-11-01, source: north-list}
)";
  CHECK(lint({catalogue(not_sold)}).found() == Lines{"price.not-offered price north/x9_8x eu-1 on-demand"});
}

TEST_CASE("a sparse rate alone among dense ones is told from parts without a known clock") {
  const std::string text =
      with(clean(), "clock_mhz: 1980\n    cores: {cuda: 16896, tensor: 528, tensor_generation: 4, rt: 0}",
           "sparsity: '2:4'");
  CHECK(lint({catalogue(text)}).found().empty());
  CHECK(lint({catalogue(with(text, "fp16_tflops: 989.4", "fp16_tflops: 1978.9"))}).found() ==
        Lines{"gpu.ratio gpu x9-sxm"});
}

TEST_CASE("an acceptance takes its finding out, and says why when asked") {
  const std::string fault = with(clean(), "x9_8x: 96", "x9_8x: 161");
  const auto accepted = [](const std::string& of, const std::string& reason) {
    return "accepted:\n  - {finding: price.regions-apart, of: " + of + ", reason: " + reason +
           ", source: north-list}\n";
  };
  for (const char* of : {"north/x9_8x", "north/x9_8x eu-1 on-demand", "'north/x9_*'", "'north/x9_8x eu-1 *'"}) {
    CAPTURE(of);
    const std::string path = catalogue(fault + accepted(of, "Europe is dear"));
    const Linted quiet = lint({path});
    CHECK(quiet.found().empty());
    CHECK(quiet.status == 0);
    CHECK(quiet.json["counts"]["accepted"] == 1);
    const Linted all = lint({path, "--all"});
    REQUIRE(all.found().size() == 1);
    CHECK(all.json["findings"][0]["accepted"] == "Europe is dear");
    CHECK(all.status == 0);
  }
}

TEST_CASE("an acceptance must have a reason, name a check and be narrow") {
  const std::string fault = with(clean(), "x9_8x: 96", "x9_8x: 161");
  const std::string finding = "price.regions-apart price north/x9_8x eu-1 on-demand";
  for (const char* entry :
       {"{finding: price.regions-apart, of: north/x9_8x, source: north-list}",
        "{finding: price.regions-apart, of: north/x9_8x, reason: ' ', source: north-list}",
        "{finding: price.regions-apart, reason: because, source: north-list}",
        "{finding: price.regions-appart, of: north/x9_8x, reason: because, source: north-list}",
        "{finding: price.regions-apart, of: 'north/*', reason: because, source: north-list}",
        "{finding: price.regions-apart, of: '*', reason: because, source: north-list}", "just words", "[a, list]",
        "{finding: schema, of: north/x9_8x, reason: because, source: north-list}",
        "{finding: price.regions-apart, of: north/x9_8x, reason: because}",
        "{finding: price.regions-apart, of: north/x9_8x, source: north-list, because: yes}"}) {
    CAPTURE(entry);
    const Linted linted = lint({catalogue(fault + "accepted:\n  - " + entry + "\n")});
    const Lines found = linted.found();
    REQUIRE(found.size() >= 2);
    CHECK(found[0] == finding);
    CHECK(std::any_of(found.begin(), found.end(), [](const auto& f) { return f.starts_with("accepted.invalid"); }));
    CHECK(linted.status == 5);
  }
  const Linted unknown_source = lint({catalogue(
      fault + "accepted:\n  - {finding: price.regions-apart, of: north/x9_8x, reason: because, source: nobody}\n")});
  REQUIRE(unknown_source.found().size() == 1);
  CHECK(unknown_source.found()[0].starts_with("accepted.invalid"));
  CHECK(lint({catalogue(clean() + "accepted: 3\n")}).found().size() == 1);
}

TEST_CASE("an acceptance that is needed no more is a finding itself") {
  const Linted linted = lint({catalogue(
      clean() +
      "accepted:\n  - {finding: price.regions-apart, of: north/x9_8x, reason: Europe is dear, source: north-list}\n")});
  REQUIRE(linted.found().size() == 1);
  CHECK(linted.found()[0].starts_with("accepted.unused"));
  CHECK_THAT(linted.json["findings"][0]["place"].get<std::string>(), Catch::Contains("all.yaml:"));
  CHECK(linted.status == 5);
}

TEST_CASE("acceptances travel in a snapshot") {
  const std::string text =
      with(clean(), "x9_8x: 96", "x9_8x: 161") +
      "accepted:\n  - {finding: price.regions-apart, of: north/x9_8x, reason: Europe is dear, source: north-list}\n";
  const std::string path = scratch_file("market.snapshot", catalog::write_snapshot(from_text(text)));
  const Linted linted = lint({path});
  CHECK(linted.found().empty());
  CHECK(linted.json["counts"]["accepted"] == 1);
}

TEST_CASE("a snapshot is looked at like the files it was made of") {
  const std::string path =
      scratch_file("market.snapshot", catalog::write_snapshot(from_text(with(clean(), "x9_8x: 96", "x9_8x: 161"))));
  const Linted linted = lint({path});
  CHECK(linted.found() == Lines{"price.regions-apart price north/x9_8x eu-1 on-demand"});
  CHECK(linted.json["findings"][0]["place"] == "north/x9_8x");
  CHECK(lint({"--catalog", path}).found() == linted.found());
}

TEST_CASE("of an overlay only what it says is looked at, beside what it is laid over") {
  const std::string own = R"(sources:
  quote: {publisher: A, document: B, date: 2026-11, confidence: documented}
prices:
  - {provider: lambda, region: all, term: reserved-1y, currency: USD, as_of: 2026-11, source: quote, per_hour: {gpu_1x_a6000: 50}}
)";
  const Linted linted = lint({scratch_file("own.yaml", own)});
  REQUIRE(linted.found() == Lines{"price.commitment-dearer price lambda/gpu_1x_a6000 all reserved-1y"});
  CHECK_THAT(linted.json["findings"][0]["place"].get<std::string>(),
             Catch::Contains("own.yaml:" + place_of(own, "gpu_1x_a6000")));
}

TEST_CASE("every problem of reading is listed, not the first twenty") {
  std::string text = clean();
  for (int i = 0; i < 60; ++i) text += format("  - {{provider: north, region: nowhere-{}}}\n", i);
  const Linted linted = lint({catalogue(text)});
  CHECK(linted.json["counts"]["error"].get<int>() > 60);
  CHECK(linted.status == 5);
}

TEST_CASE("an age that is asked for is a warning") {
  const std::string path = kSource + "/tests/data/lint";
  CHECK(lint({path, "--max-age", "15d"}).json["counts"]["warning"] == 1);
  CHECK(lint({path, "--max-age", "15d"}).status == 5);
  CHECK(lint({path, "--max-age", "4w"}).status == 0);
}

TEST_CASE("any bytes are a finding and no crash") {
  std::string noise;
  for (unsigned i = 0; i < 5000; ++i) noise += static_cast<char>((i * 2654435761U) >> 13U);
  for (const char* name : {"noise.yaml", "noise.snapshot"})
    for (const std::string& bytes :
         {noise, std::string(), std::string("prices: 3\ngpus: {a: [}"), std::string("accepted: 3")}) {
      const Run run = ask({"catalog", "lint", "--json", scratch_file(name, bytes)});
      CAPTURE(name, run.err, run.out);
      CHECK((run.status == 5 || (bytes.empty() && run.status == 0)));
    }
}

/// What a price that is added may lead to, without a fault of the catalogue: ./dev release refuses it.
bool is_about_prices(const Json& finding) {
  const auto id = finding["id"].get<std::string>();
  const auto subject = finding["subject"].get<std::string>();
  if (id == "price.future") return true;  // tests have a day of their own
  return finding["severity"] != "error" &&
         (id.starts_with("price.") || (id == "accepted.unused" && subject.starts_with("accepted price.")));
}

TEST_CASE("the shipped catalogue is silent, and what is accepted has reasons") {
  const Linted linted = lint({"--all"});
  for (const Json& finding : linted.json["findings"]) {
    CAPTURE(finding.dump(1));
    CHECK((!finding["accepted"].is_null() || is_about_prices(finding)));
  }
  CHECK(linted.json["counts"]["accepted"].get<int>() > 20);
}

TEST_CASE("the shipped files are silent too, with places") {
  const Linted linted = lint({kSource + "/data", "--all"});
  for (const Json& finding : linted.json["findings"]) {
    CAPTURE(finding.dump(1));
    CHECK((!finding["accepted"].is_null() || is_about_prices(finding)));
    CHECK_THAT(finding["place"].get<std::string>(),
               Catch::Contains("/data/") && (Catch::Contains(".yaml:") || Catch::Contains(".csv:")));
  }
}

TEST_CASE("every check is in the documents and in --list, once") {
  const std::string page = read_file(kSource + "/docs/catalog.md");
  const std::string list = ask({"catalog", "lint", "--list", "-o", "csv"}).out;
  std::set<std::string_view> ids;
  for (const catalog::CheckInfo& check : catalog::lint_checks()) {
    CAPTURE(check.id);
    CHECK(ids.insert(check.id).second);
    CHECK(page.find(format("| `{}` | {} |", check.id, to_text(check.severity))) != std::string::npos);
    CHECK(list.find("\n" + std::string(check.id) + ",") != std::string::npos);
  }
}

TEST_CASE("findings are printed under their checks with place, figures and advice") {
  const Run run =
      ask({"catalog", "lint", scratch_file("all.yaml", with(clean(), "x9_8x: 96", "x9_8x: 161")), "-o", "wide"});
  CHECK(run.status == 5);
  CHECK_THAT(run.out, Catch::Contains("price.regions-apart (warning): ") && Catch::Contains("all.yaml:") &&
                          Catch::Contains("161.00 USD per hour, but 80.00 USD in us-1: 2.01×") &&
                          Catch::Contains("0 errors, 1 warning, 0 infos"));
  const Run quiet = ask({"catalog", "lint", kSource + "/tests/data/lint", "-q"});
  CHECK(quiet.out.empty());
}

}  // namespace lint_test
