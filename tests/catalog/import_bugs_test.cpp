// Faults that public price lists have had: each is left out or said, and good rows are not.
#include <catch2/catch.hpp>

#include <utility>

#include "imports.hpp"

namespace import_bugs_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const catalog::Catalog& known() {
  static const catalog::Catalog all = embedded();
  return all;
}

/// A row of one's own list, right in every cell.
struct Good {
  std::string provider, sku, region, gpu;
  double price = 0, count = 0, vcpu = 0, memory = 0;

  std::string row(const std::string& term = "on-demand") const {
    return format("{},{},{},{},USD,{},{},{},{},{}\n", provider, sku, region, term, price, gpu, count, vcpu, memory);
  }
};
const std::string kHeader = "provider,sku,region,term,currency,price_per_hour,gpu,gpu_count,vcpu,memory_gib\n";

/// Machines of eight GPUs that the catalogue prices on demand in USD: of hyperscalers, whose prices differ little.
std::vector<Good> machines() {
  std::vector<Good> out;
  for (const catalog::Instance& instance : known().instances()) {
    if (instance.gpu_count != 8.0 || instance.gpu.empty() || !instance.vcpu || !instance.memory_gib) continue;
    if (instance.provider != "aws" && instance.provider != "azure" && instance.provider != "gcp") continue;
    for (const catalog::Offer& offer : known().offers_of(instance))
      if (offer.term == catalog::Term::on_demand && known().currency_of(offer) == Currency::usd()) {
        out.push_back({std::string(instance.provider), std::string(instance.sku),
                       std::string(known().region_of(offer).id), std::string(instance.gpu), offer.per_hour(), 8,
                       *instance.vcpu, *instance.memory_gib});
        break;
      }
  }
  return out;
}

/// What is changed of a good row.
struct Bug {
  const char* cause;
  void (*change)(Good& r);
};

const Bug kBugs[] = {
    {"a price of zero", [](Good& r) { r.price = 0; }},
    {"a price of minus zero", [](Good& r) { r.price = -0.0; }},
    {"a negative price", [](Good& r) { r.price = -r.price; }},
    {"a price without bound", [](Good& r) { r.price = 1e308; }},
    {"of one GPU, for the node", [](Good& r) { r.price /= 8; }},
    {"of eight nodes", [](Good& r) { r.price *= 8; }},
    {"the accelerator without its host", [](Good& r) { r.price *= 0.8; }},
    {"with a Windows license", [](Good& r) { r.price += 0.046 * r.vcpu; }},
    {"in cents", [](Good& r) { r.price *= 100; }},
    {"in dollars, of an amount in cents", [](Good& r) { r.price /= 100; }},
    {"CNY as USD", [](Good& r) { r.price *= 7.1; }},
    {"JPY as USD", [](Good& r) { r.price *= 150; }},
    {"INR as USD", [](Good& r) { r.price *= 84; }},
    {"of a month", [](Good& r) { r.price *= 730; }},
    {"of a year", [](Good& r) { r.price *= 8760; }},
    {"of a minute", [](Good& r) { r.price /= 60; }},
    {"of a second", [](Good& r) { r.price /= 3600; }},
    {"of spot, as on demand", [](Good& r) { r.price *= 0.3; }},
    {"of three years reserved, as on demand", [](Good& r) { r.price *= 0.45; }},
    {"of the next smaller size", [](Good& r) { r.price /= 2; }},
    {"of the next larger size", [](Good& r) { r.price *= 2; }},
    {"of before a cut", [](Good& r) { r.price *= 1.78; }},
    {"with VAT", [](Good& r) { r.price *= 1.19; }},
    {"vCPUs and memory swapped",
     [](Good& r) { r = {r.provider, r.sku + "-x", r.region, r.gpu, r.price, 8, 2048, 192}; }},
    {"vCPUs and memory swapped, of a known size", [](Good& r) { std::swap(r.vcpu, r.memory); }},
    {"memory in MiB, of a known size", [](Good& r) { r.memory *= 1024; }},
    {"vCPUs of one GPU, of a known size", [](Good& r) { r.vcpu /= 8; }},
    {"GPUs and vCPUs swapped", [](Good& r) { std::swap(r.count, r.vcpu); }},
    {"price and memory swapped", [](Good& r) { std::swap(r.price, r.memory); }},
    {"price and vCPUs swapped", [](Good& r) { std::swap(r.price, r.vcpu); }},
    {"no GPUs", [](Good& r) { r.count = 0; }},
    {"minus no GPUs", [](Good& r) { r.count = -0.0; }},
    {"no GPUs and none named",
     [](Good& r) {
       r.count = 0;
       r.gpu.clear();
     }},
    {"no vCPUs", [](Good& r) { r.vcpu = 0; }},
    {"no memory", [](Good& r) { r.memory = 0; }},
    {"memory in MiB",
     [](Good& r) {
       r.sku += "-x";
       r.memory *= 1024;
     }},
    {"memory in TiB",
     [](Good& r) {
       r.sku += "-x";
       r.memory /= 1024;
     }},
    {"another GPU", [](Good& r) { r.gpu = r.gpu == "t4" ? "l4" : "t4"; }},
    {"a GPU that nobody knows",
     [](Good& r) {
       r.gpu = "h9000";
       r.sku += "-x";
     }},
    {"another number of GPUs", [](Good& r) { r.count = 4; }},
    {"an unknown size in cents",
     [](Good& r) {
       r.sku += "-x";
       r.price *= 100;
     }},
    {"an unknown size at a price of a second",
     [](Good& r) {
       r.sku += "-x";
       r.price /= 3600;
     }},
    {"a machine without a GPU in cents", [](Good& r) { r = {r.provider, "plain", r.region, "", 38.4, 0, 8, 32}; }},
};

/// Rows that are left out or remarked on.
std::uint64_t alarms(const Import& result) {
  std::uint64_t rows = result.report.skipped.size();
  for (const catalog::ImportWarning& warning : result.report.warnings) rows += warning.rows;
  return rows;
}

Import own(const std::string& rows) { return import_text(ImportFormat::generic_csv, "own.csv", kHeader + rows); }

const std::string kSky =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone\n";

}  // namespace

TEST_CASE("import: faults that price lists have had are caught in every machine", "[import][bugs]") {
  const auto all = machines();
  REQUIRE(all.size() >= 5);
  for (const Good& good : all) {
    CAPTURE(good.sku, good.row());
    CHECK(alarms(own(good.row())) == 0);
    for (const Bug& bug : kBugs) {
      Good bad = good;
      bug.change(bad);
      const std::string row = bad.row();
      CAPTURE(bug.cause, row);
      CHECK(alarms(own(row)) > 0);
    }
  }
}

TEST_CASE("import: prices that contradict each other are caught", "[import][bugs]") {
  const Good good = machines().front();
  const auto priced = [&](const std::string& term, double share) {
    Good other = good;
    other.price *= share;
    return other.row(term);
  };
  CHECK(alarms(own(good.row() + priced("spot", 0.35))) == 0);
  CHECK(alarms(own(good.row() + priced("spot", 1.2))) > 0);
  CHECK(alarms(own(good.row() + priced("spot", 0.01))) > 0);
  CHECK(alarms(own(good.row() + priced("reserved-1y", 1.5))) > 0);
  CHECK(alarms(own(good.row() + priced("reserved-1y", 0.001))) > 0);
  for (const std::string cell : {"free", "$3.93", "\"3,93\"", "NaN", "1e999", "0x10"}) {
    CAPTURE(cell);
    CHECK(own("own,some,r,on-demand,USD," + cell + ",l4,1,8,32\n").report.skipped.size() == 1);
  }
  CHECK(own("own,some,r,on-demand,,1,l4,1,8,32\n").report.skipped.size() == 1);
}

TEST_CASE("import: a spot price that cannot be one leaves its row out, and a gap does not", "[import][bugs]") {
  const auto rows = [](const std::string& spot) {
    return import_text(ImportFormat::skypilot, "aws.csv", kSky + "x.large,,,4,16,0.2," + spot + ",r1,r1a\n");
  };
  for (const std::string spot : {"-1", "-0.5", "1e308", "1e-12"}) {
    CAPTURE(spot);
    const Import result = rows(spot);
    REQUIRE(result.report.skipped.size() == 1);
    CHECK_THAT(reason_on(result, 2), Catch::Contains("a spot price of"));
  }
  for (const std::string spot : {"", "0", "0.0", "0.05"}) CHECK(rows(spot).report.skipped.empty());
  const Import tpu =
      import_text(ImportFormat::skypilot, "gcp.csv", kSky + ",tpu-v6e-8,1,,,700.0,,us-east1,us-east1-d\n");
  CHECK(tpu.report.skipped.size() == 1);
}

TEST_CASE("import: of good rows at most one in a hundred is remarked on", "[import][bugs]") {
  // The catalogue's own rows, and as many of unknown names at prices a fifth around them.
  std::string rows;
  std::size_t count = 0;
  for (const catalog::Instance& instance : known().instances()) {
    const bool described = instance.vcpu && instance.memory_gib && instance.gpu != catalog::kUndisclosed;
    if (!described || (!instance.gpu.empty() && !instance.gpu_count)) continue;
    for (const catalog::Offer& offer : known().offers_of(instance)) {
      if (known().currency_of(offer) != Currency::usd() || offer.term != catalog::Term::on_demand) continue;
      Good good{std::string(instance.provider),
                std::string(instance.sku),
                std::string(known().region_of(offer).id),
                std::string(instance.gpu),
                offer.per_hour(),
                instance.gpu_count.value_or(0),
                *instance.vcpu,
                *instance.memory_gib};
      if (good.sku.find_first_of(",\"") != std::string::npos || good.region.find_first_of(",\"") != std::string::npos)
        continue;
      rows += good.row();
      good.sku += "-like";
      good.price *= count % 2 == 0 ? 0.8 : 1.25;
      rows += good.row();
      count += 2;
    }
  }
  REQUIRE(count > 1000);
  const Import result = own(rows);
  std::string first;
  for (const catalog::ImportWarning& warning : result.report.warnings) first += warning.text + "\n";
  CAPTURE(count, first.substr(0, 4000));
  CHECK(static_cast<double>(alarms(result)) <= 0.01 * static_cast<double>(count));
}

}  // namespace import_bugs_test
