// Price lists of every format with all their traps: each row is taken or named, and nothing is guessed.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <random>

#include "imports.hpp"

namespace import_test {

using namespace gpusel;
using namespace gpusel::test;

TEST_CASE("import: SkyPilot's hosts and accelerators of a zone are one price", "[import]") {
  const Import result = skypilot("gcp.csv");
  check_accounts(result);
  const auto& market = result.market;
  CHECK(prices_of(market, "a2-highgpu-1g") ==
        Lines{"on-demand 3.67339 USD us-central1", "spot 1.83671 USD us-central1"});
  // The accelerators' row is the price of all eight.
  CHECK(prices_of(market, "a2-highgpu-8g")[0] == "on-demand 29.3871 USD us-central1");
  CHECK(gpus_of(market, "a2-highgpu-8g") == "8 a100-sxm-40gb");
  CHECK(prices_of(market, "a4-highgpu-8g") == Lines{"on-demand 90.216 USD us-central1", "spot 36 USD us-central1"});
  CHECK(prices_of(market, "n1-standard-8+1xT4") ==
        Lines{"on-demand 0.73 USD us-central1", "spot 0.22 USD us-central1"});
  CHECK(gpus_of(market, "n1-standard-64+1xT4") == "no such SKU");  // more than one T4 takes
  CHECK(prices_of(market, "n1-standard-64") == Lines{"on-demand 3.04 USD us-central1", "spot 0.64 USD us-central1"});
  CHECK(gpus_of(market, "n1-standard-64") == "0 none");
  CHECK(gpus_of(market, "a2-highgpu-1g+1xA100") == "no such SKU");
}

TEST_CASE("import: TPU rows are slices, and their names say how many chips", "[import]") {
  const Import result = skypilot("gcp.csv");
  CHECK(gpus_of(result.market, "tpu-v5litepod-8") == "8 tpu-v5e");
  CHECK(gpus_of(result.market, "tpu-v5p-8") == "4 tpu-v5p");
  CHECK(prices_of(result.market, "tpu-v6e-128") == Lines{"on-demand 345.6 USD southamerica-west1"});
  CHECK(reason_on(result, 27) == "a price of 700 means an unknown one");
  CHECK(reason_on(result, 28) == "'tpu7x-8': how many chips that is, is not known");
}

TEST_CASE("import: what belongs to nothing in its zone is named", "[import]") {
  const Import result = skypilot("gcp.csv");
  CHECK(reason_on(result, 9) == "'g2-standard-24' has no accelerator in its zone");
  CHECK(reason_on(result, 22) == "'H100-MEGA' x 8 has no host in its zone");
  CHECK(reason_on(result, 23) == "'K80' x 3: which host it belongs to is not known");
  CHECK(reason_on(result, 29) == "neither an instance type nor an accelerator");
}

TEST_CASE("import: prices that cannot be right are said", "[import]") {
  const Import result = skypilot("gcp.csv");
  CHECK(warns(result, 16, "spot above on demand"));
  CHECK(prices_of(result.market, "a2-ultragpu-1g") == Lines{"on-demand 2.94582 USD us-central1"});
  CHECK(warns(result, 17, "'gcp/a3-highgpu-8g' costs 43.07 USD per hour in us-central1 and 101.89 in europe-west9"));
}

TEST_CASE("import: byte order mark, carriage returns, commas without quotes, wrong rows", "[import]") {
  const Import result = skypilot("azure_v6_sample.csv");
  check_accounts(result);
  CHECK(result.report.files[0].cloud == "azure");
  CHECK(prices_of(result.market, "Standard_D16s_v5") ==
        Lines{"on-demand 0.768 USD eastus"});  // spot as on demand: none
  CHECK(gpus_of(result.market, "Standard_NC24ads_A100_v4") == "1 a100-pcie-80gb");
  CHECK(gpus_of(result.market, "Standard_ND96isr_H100_v5") == "8 h100-sxm-80gb");
  CHECK(warns(result, 5, "'Standard_ND96isr_H100_v5' with 12 GPUs: the catalog's 8 are kept"));
  CHECK(gpus_of(result.market, "Standard_ND96isr_MI300X_v5") == "8 mi300x-192gb");  // its row names none
  CHECK(gpus_of(result.market, "Standard_NV6ads_A10_v5") == format("{} a10", 1.0 / 6));
  CHECK(gpus_of(result.market, "Standard_NV99_Future_v9") == "? undisclosed");
  CHECK(reason_on(result, 9) == "no price");
  CHECK(reason_on(result, 10) == "the catalog has no accelerator 'RTX9999'");
  CHECK(reason_on(result, 11) == "1.5 GPUs");
  CHECK(reason_on(result, 12) == "'AcceleratorCount' is not a number: 'one'");
  CHECK(reason_on(result, 13) == "3 fields where the header has 10");
  CHECK(reason_on(result, 14) == "text behind a closing quote");
  CHECK(reason_on(result, 15) == "no price");
}

TEST_CASE("import: hosts of one instance type keep the least they all have", "[import]") {
  const Import result = skypilot("vast/vms.csv");
  const auto instance = result.market.instance("1x-A100_PCIE-32-65536");
  REQUIRE(instance.has_value());
  CHECK((*instance)->vcpu.value_or(0) == 24);
  CHECK((*instance)->memory_gib.value_or(0) == 48);
}

TEST_CASE("import: gpuhunt has a row per term, and memory of one GPU", "[import]") {
  const Import result = other(ImportFormat::gpuhunt, "gcp_gpuhunt.csv");
  check_accounts(result);
  CHECK(prices_of(result.market, "a2-ultragpu-1g") ==
        Lines{"on-demand 5.02 USD us-central1", "spot 2.9 USD us-central1"});
  CHECK(gpus_of(result.market, "a2-ultragpu-1g") == "1 a100-sxm-80gb");
  CHECK(gpus_of(result.market, "x1-mystery-1g") == "1 a100-sxm-80gb");  // Google has no other one of 80 GB
  CHECK(gpus_of(result.market, "x1-pcie-1g") == "1 a100-pcie-80gb");
  CHECK(gpus_of(result.market, "x1-h100-1g") == "1 h100-nvl-94gb");
  CHECK(warns(result, 8, "spot is not below on demand"));
  CHECK(reason_on(result, 10) == "'spot' is 'maybe', neither True nor False");
  CHECK(reason_on(result, 11) == "'price' is empty");
  CHECK(reason_on(result, 12) == "the catalog has no 'A100' of 60 GB");
}

TEST_CASE("import: AWS price lists in each of their forms", "[import]") {
  const Import json = other(ImportFormat::aws_pricing, "aws_offer.json");
  check_accounts(json);
  CHECK(prices_of(json.market, "p5.48xlarge") ==
        Lines{"on-demand 55.04 USD us-east-1", "reserved-1y 34.6752 USD us-east-1"});
  CHECK(gpus_of(json.market, "g99.xlarge") == "1 undisclosed");
  CHECK(json.report.rows() == 10);
  CHECK(reason_on(json, 16) == "not for plain Linux");
  CHECK(reason_on(json, 18) == "a capacity reservation");
  CHECK(reason_on(json, 19) == "no instance: Storage");
  CHECK(reason_on(json, 20) == "a price of a product that is not described");
  CHECK(reason_on(json, 25) == "a reservation with upfront payment");
  const Import csv = other(ImportFormat::aws_pricing, "aws_offer.csv");
  check_accounts(csv);
  CHECK(prices_of(csv.market, "p5.48xlarge") == Lines{"on-demand 55.04 USD us-east-1"});
  CHECK(prices_of(csv.market, "g5.xlarge") == Lines{"reserved-1y 0.633 USD eu-central-1"});
  CHECK(reason_on(csv, 8) == "sold as a capacity block");
  CHECK(reason_on(csv, 10) == "not of shared tenancy");
  const Import query = other(ImportFormat::aws_pricing, "aws_query.json");
  check_accounts(query);
  CHECK(prices_of(query.market, "g5.xlarge") == Lines{"on-demand 1.123 USD eu-west-1"});
  CHECK(query.report.skipped.size() == 1);
}

TEST_CASE("import: the price of an Azure reservation is that of its term", "[import]") {
  const Import result = other(ImportFormat::azure_retail, "azure_page.json");
  check_accounts(result);
  CHECK(prices_of(result.market, "Standard_NC24ads_A100_v4") ==
        Lines{"on-demand 3.673 USD eastus", "reserved-1y 2.351 USD eastus", "reserved-3y 1.46935 USD eastus",
              "savings-1y 3.0853 USD eastus", "savings-3y 2.2772 USD eastus", "spot 0.679 USD eastus"});
  CHECK(gpus_of(result.market, "Standard_NX77_v1") == "? undisclosed");
  CHECK(prices_of(result.market, "Standard_Q4_v1") == Lines{"on-demand 0.2 EUR eastus"});
  CHECK(result.report.rows() == 13);
}

TEST_CASE("import: offers of Vast.ai, the cheapest of a kind and country", "[import]") {
  const Import result = other(ImportFormat::vast, "vast_offers.json");
  check_accounts(result);
  CHECK(prices_of(result.market, "4x-RTX_4090-24GB") ==
        Lines{"on-demand 1.25 USD se", "on-demand 1.6 USD us", "spot 0.8 USD se"});
  CHECK(gpus_of(result.market, "1x-A100_SXM4-80GB") == "1 a100-sxm-80gb");
  CHECK(gpus_of(result.market, "1x-A100_SXM4-40GB") == "1 a100-sxm-40gb");
  CHECK(prices_of(result.market, "2x-H100_NVL-94GB") == Lines{"on-demand 4.5 USD unknown", "spot 0.8 USD unknown"});
}

TEST_CASE("import: a table of one's own", "[import]") {
  const Import result = other(ImportFormat::generic_csv, "prices.csv");
  check_accounts(result);
  CHECK(prices_of(result.market, "node-l40s-4") == Lines{"month 1.64384 EUR frankfurt", "on-demand 2.1 EUR frankfurt"});
  CHECK(prices_of(result.market, "p5.48xlarge") == Lines{"reserved-1y 33 USD us-east-1"});
  CHECK(reason_on(result, 11) == "no provider; name it in a column 'provider' or with --cloud");
  const auto node = result.market.instance("node-cpu");
  REQUIRE(node.has_value());
  CHECK((*node)->cpu_arch == catalog::CpuArch::arm64);
  for (const catalog::Region& region : result.market.regions())
    if (region.provider == "on-prem") CHECK(region.country == "DE");
}

TEST_CASE("import: a spot price that fills a gap is left out, and that is said", "[import]") {
  const Import result = import_text(ImportFormat::skypilot, "gcp.csv",
                                    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,"
                                    "Region,AvailabilityZone\n,tpu-v6e-8,1,,,21.6,700.0,us-east1,us-east1-d\n");
  check_accounts(result);
  CHECK(prices_of(result.market, "tpu-v6e-8") == Lines{"on-demand 21.6 USD us-east1"});
  CHECK(warns(result, 2, "means unknown"));
}

TEST_CASE("import: a share of a GPU, and money that nobody can convert", "[import]") {
  const std::string header = "provider,sku,region,currency,price_per_hour,gpu,gpu_count\n";
  const Import result = import_text(ImportFormat::generic_csv, "own.csv",
                                    header +
                                        "p,sixth,r,USD,0.5,a10,1/6\np,nine,r,USD,0.5,a10,9/6\n"
                                        "p,foreign,r,XYZ,0.5,,\n");
  check_accounts(result);
  CHECK((**result.market.instance("sixth")).gpu_count.value_or(0) == Approx(1.0 / 6));
  CHECK(reason_on(result, 3) == "'gpu_count' is not a number: '9/6'");
  CHECK(reason_on(result, 4) == "no exchange rate for XYZ; an overlay can give it");
}

TEST_CASE("import: a figure that no catalogue takes is a reason against its row", "[import]") {
  const std::string header =
      "provider,sku,region,currency,price_per_hour,gpu,gpu_count,gpu_memory_gb,vcpu,memory_gib\n";
  const Import result =
      import_text(ImportFormat::generic_csv, "own.csv",
                  header +
                      "p,much,r,USD,0.5,,,,4,1e12\np,many,r,USD,0.5,a10,1e6,24,4,16\np,cores,r,USD,0.5,,,,1e9,16\n"
                      "p,much,r2,USD,0.5,,,,4,16\np,total,r,USD,0.5,strange,1000,1e6,4,16\n");
  check_accounts(result);
  CHECK(reason_on(result, 2) == "memory_gib of 1000000000000, out of range");
  CHECK(reason_on(result, 3) == "gpu_count of 1000000, out of range");
  CHECK(reason_on(result, 4) == "vcpu of 1000000000, out of range");
  CHECK(prices_of(result.market, "much") == Lines{"on-demand 0.5 USD r2"});
  const auto kept = catalog::open_snapshot(scratch_file("kept.snapshot", catalog::write_snapshot(result.market)));
  CHECK(kept.has_value());
}

TEST_CASE("import: a name written in two ways is one instance type", "[import]") {
  const Import result = import_text(ImportFormat::generic_csv, "own.csv",
                                    "provider,sku,region,currency,price_per_hour,gpu,gpu_count\n"
                                    "aws,p5.48xLarge,us-east-1,USD,33,,\naws,p5.48xlarge,us-west-2,USD,34,,\n"
                                    "mine,Box_One,r,USD,1,l4,1\nmine,box-one,r2,USD,2,l4,1\n");
  check_accounts(result);
  CHECK(result.market.instances().size() == 2);
  CHECK(prices_of(result.market, "p5.48xlarge") == Lines{"on-demand 33 USD us-east-1", "on-demand 34 USD us-west-2"});
  CHECK(prices_of(result.market, "Box_One").size() == 2);
}

TEST_CASE("import: what is broken off is named, what stood before it is taken", "[import]") {
  const std::string header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n";
  const Import cut = import_text(ImportFormat::skypilot, "lambda.csv", header + "one,,,4,16,1.5,,r1\ntwo,,,4,1");
  check_accounts(cut);
  CHECK(prices_of(cut.market, "one").size() == 1);
  CHECK(reason_on(cut, 3) == "5 fields where the header has 8");
  CHECK(warns(cut, 3, "no line end"));
  const Import open_quote =
      import_text(ImportFormat::skypilot, "lambda.csv", header + "one,,,4,16,1.5,,\"r1\ntwo,,,4,16,1.5,,r2\n");
  check_accounts(open_quote);
  CHECK(reason_on(open_quote, 2) == "a quote is not closed");
  CHECK(prices_of(open_quote.market, "two").size() == 1);
  const Import json =
      import_text(ImportFormat::vast, "offers.json",
                  "[{\"gpu_name\": \"L40S\", \"num_gpus\": 1, \"dph_total\": 0.5},\n{\"gpu_name\": \"L4");
  check_accounts(json);
  CHECK(json.report.imported() == 1);
  CHECK(reason_on(json, 2).starts_with("the JSON breaks off here"));
}

TEST_CASE("import: a line of a mebibyte and more is refused, not kept", "[import]") {
  const std::string header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n";
  const Import result = import_text(ImportFormat::skypilot, "lambda.csv",
                                    header + std::string(5'000'000, 'x') + "\none,,,4,16,1.5,,r1\n");
  check_accounts(result);
  CHECK(reason_on(result, 2) == "a line of more than 1 MiB");
  CHECK(prices_of(result.market, "one").size() == 1);
}

TEST_CASE("import: rows are imported or skipped, whatever the file holds", "[import]") {
  std::ifstream file(kFixtures + "sky/azure_v6_sample.csv", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  std::mt19937 random(11);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same bytes every time
  for (int round = 0; round < 200; ++round) {
    std::string bad = good;
    for (int change = 0; change < 1 + round % 40; ++change)
      bad[random() % bad.size()] = "\",\n\r{}'\xff 0-\x01"[random() % 13];
    bad.resize(bad.size() - random() % bad.size() / 2);
    const Import result = import_text(ImportFormat::skypilot, "azure.csv", bad);
    check_accounts(result);
    for (const catalog::Offer& offer : result.market.offers()) CHECK(offer.amount > 0);
  }
}

TEST_CASE("import: the cloud comes from the name, then from the folder", "[import]") {
  const std::string text =
      "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\none,,,4,16,1.5,,r1\n";
  const auto cloud_of = [&](const std::string& name) {
    return imported(ImportFormat::skypilot, {folder({{name, text}}) + "/" + name}).report.files[0].cloud;
  };
  CHECK(cloud_of("gcp.csv") == "gcp");
  CHECK(cloud_of("azure_v6_sample.csv") == "azure");
  CHECK(cloud_of("runpod_2023.csv") == "runpod");
  CHECK(cloud_of("do/vms.csv") == "digitalocean");
  CHECK(cloud_of("fluidstack/vms.csv") == "fluidstack");
  CHECK_THROWS_WITH(cloud_of("somewhere/vms.csv"), Catch::Matchers::Contains("neither its name nor its folder"));
  CHECK(imported(ImportFormat::skypilot, {scratch_file("x.csv", text)}, "My Cloud").report.files[0].cloud ==
        "my-cloud");
}

TEST_CASE("import: files of another format are told from broken rows", "[import]") {
  const auto failure = [](ImportFormat format, const std::string& text) {
    return import_text(format, "gcp.csv", text).report.files[0].failure;
  };
  CHECK_THAT(failure(ImportFormat::skypilot, "a,b,c\n1,2,3\n"), Catch::Matchers::Contains("no column 'InstanceType'"));
  CHECK_THAT(failure(ImportFormat::generic_csv, "sku;region;currency;price_per_hour\nx;r;EUR;1,2\n"),
             Catch::Matchers::Contains("not separated by commas"));
  CHECK_THAT(failure(ImportFormat::gpuhunt, ""), Catch::Matchers::Contains("no header"));
  CHECK_THAT(failure(ImportFormat::azure_retail, "{\"Rows\": []}"), Catch::Matchers::Contains("no list 'Items'"));
  CHECK_THAT(failure(ImportFormat::skypilot, "\x1f\x8b\x08gz"), Catch::Matchers::Contains("gzip"));
  CHECK_THAT(failure(ImportFormat::skypilot, "\xff\xfe" + std::string("I\0n\0", 4)),
             Catch::Matchers::Contains("UTF-16"));
  CHECK_THAT(imported(ImportFormat::vast, {"/nonexistent.json"}).report.files[0].failure,
             Catch::Matchers::Contains("/nonexistent.json"));
}

TEST_CASE("import: snapshot, folder of YAML and what they were made of are the same market", "[import]") {
  const Import result =
      imported(ImportFormat::skypilot, {kFixtures + "sky/gcp.csv", kFixtures + "sky/azure_v6_sample.csv",
                                        kFixtures + "sky/vast/vms.csv", kFixtures + "sky/runpod/vms.csv"});
  const std::string snapshot = scratch_file("market.snapshot", catalog::write_snapshot(result.market));
  const std::string yaml = std::filesystem::path(snapshot).parent_path() / "market";
  REQUIRE(catalog::write_market_yaml(yaml, catalog::market_yaml(result.market)).has_value());
  const auto of_snapshot = opened(catalog::load({.replacement = snapshot, .overlays = {}}));
  const auto of_yaml = opened(catalog::load({.replacement = yaml, .overlays = {}}));
  CHECK(offer_lines(of_snapshot) == offer_lines(of_yaml));
  Lines one, other;
  const auto id = [](const auto& i) { return format("{}/{}", i.provider, i.sku); };
  list_facts(one, "instance", of_snapshot.instances(), id);
  list_facts(other, "instance", of_yaml.instances(), id);
  CHECK(one == other);
  for (const catalog::Instance& instance : of_snapshot.instances())
    if (!instance.gpu.empty() && instance.gpu != catalog::kUndisclosed) CHECK(of_snapshot.gpu_of(instance) != nullptr);
  // As an overlay it changes nothing of the catalogue but prices and the sizes it adds.
  const auto over = opened(catalog::load({.replacement = {}, .overlays = {yaml}}));
  CHECK(over.instances().size() >= embedded().instances().size());
}

TEST_CASE("import: a folder of YAML holds the last import and what others put there", "[import]") {
  const Import first = skypilot("gcp.csv");
  const Import second = skypilot("azure_v6_sample.csv");
  const std::string yaml = std::filesystem::path(scratch_file("keep", "")).parent_path() / "twice";
  REQUIRE(catalog::write_market_yaml(yaml, catalog::market_yaml(first.market)).has_value());
  std::ofstream(yaml + "/imported-mine.yaml") << "# of my own\n";
  REQUIRE(catalog::write_market_yaml(yaml, catalog::market_yaml(second.market)).has_value());
  CHECK(!std::filesystem::exists(yaml + "/imported-gcp.yaml"));
  CHECK(std::filesystem::exists(yaml + "/imported-azure.yaml"));
  CHECK(std::filesystem::exists(yaml + "/imported-mine.yaml"));
}

TEST_CASE("import: prices carry the date of their file and a source of its name", "[import]") {
  const Import result = other(ImportFormat::aws_pricing, "aws_offer.json");
  for (const catalog::Offer& offer : result.market.offers()) CHECK(offer.as_of == 20260520);  // as asked
  REQUIRE(result.market.sources().size() == 1);
  CHECK(result.market.sources()[0].publisher == "Amazon Web Services");
  CHECK(result.market.sources()[0].confidence == catalog::Confidence::api);
  const catalog::Catalog known = embedded();
  const auto dated =
      catalog::import_market({ImportFormat::aws_pricing, {kFixtures + "other/aws_offer.json"}, {}, {}, {}}, known);
  REQUIRE(dated.has_value());
  CHECK(dated->market.offers()[0].as_of == 20260720);  // its publicationDate
}

}  // namespace import_test
