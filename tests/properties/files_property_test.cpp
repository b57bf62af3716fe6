// Files: their order changes no byte of an answer, and what is written is read again as it was.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "gpusel/base/message.hpp"
#include "gpusel/catalog/import.hpp"
#include "gpusel/catalog/load.hpp"
#include "support/program.hpp"
#include "support/property.hpp"

using namespace gpusel;
using test::holds;
using test::must;
namespace any = test::any;
namespace fs = std::filesystem;

namespace {

constexpr int kCases = 12;  // each runs the program
constexpr std::size_t kFiles = 3;

/// An instance, its prices, and how both are written down.
struct Sold {
  std::string sku;
  std::string family;
  std::vector<std::string> prices;
};

const std::string kSources = "sources: {list: {publisher: P, document: D, date: 2026-11-01, confidence: documented}}\n";
const std::string kProviders =
    "providers: [{id: p, name: P, country: US, kind: cloud, regions: {r: {country: US}, s: {country: DE}}}]\n";

Sold any_sold(std::int64_t number) {
  Sold one;
  one.sku = format("sku-{}", number);
  const std::string gpu = any::one_of("gpu", {"l40s", "t4", "a100-sxm-80gb", "h100-sxm-80gb", "rtx-4090"});
  one.family = format(
      "  - {{provider: p, id: f{0}, interconnect: {{kind: pcie}}, sources: [list], sizes: [{{sku: {1}, "
      "gpu: {2}, gpus: {3}, vcpu: 32, memory_gib: 256}}]}}\n",
      number, one.sku, gpu, 1 << any::whole("log2 gpus", 0, 3));
  for (const char* term : {"on-demand", "spot"})
    one.prices.push_back(
        format("  - {{provider: p, region: {}, term: {}, currency: {}, as_of: 2026-11-{:02}, source: list, per_hour: "
               "{{{}: {}}}}}\n",
               any::one_of("region", {"r", "s"}), term, any::one_of("currency", {"USD", "EUR"}),
               any::whole("day", 1, 20), one.sku, any::number("price", 0.1, 100)));
  return one;
}

std::vector<Sold> any_market() {
  std::vector<Sold> market;
  const std::int64_t count = any::whole("instances", 1, 6);
  for (std::int64_t i = 0; i < count; ++i) market.push_back(any_sold(i));
  return market;
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// The market as files of a folder: rows in any order, in any of the files, sections in any order.
void write_market(const fs::path& folder, const std::vector<Sold>& market) {
  fs::create_directories(folder);
  std::string families[kFiles], prices[kFiles];
  const auto file = [] { return static_cast<std::size_t>(any::whole("file", 0, kFiles - 1)); };
  for (const std::size_t i : any::order("place of an instance", market.size())) {
    families[file()] += market[i].family;
    for (const std::size_t j : any::order("place of a price", market[i].prices.size()))
      prices[file()] += market[i].prices[j];
  }
  const std::size_t has_sources = file(), has_providers = file();
  for (std::size_t i = 0; i < kFiles; ++i) {
    std::vector<std::string> sections;
    if (i == has_sources) sections.push_back(kSources);
    if (i == has_providers) sections.push_back(kProviders);
    if (!families[i].empty()) sections.push_back("families:\n" + families[i]);
    if (!prices[i].empty()) sections.push_back("prices:\n" + prices[i]);
    std::string text;
    for (const std::size_t at : any::order("place of a section", sections.size())) text += sections[at];
    if (!text.empty()) write(folder / format("{}.yaml", i), text);
  }
}

const std::vector<std::string> kRules{
    "  - {id: ours-one, effect: note, when: {fact: gpu_count, above: 1}, message: several, source: us}\n",
    "  - {id: ours-two, effect: warn, when: {fact: gpu_count, at_most: 4}, message: few, source: us}\n",
    "  - {id: ours-three, effect: note, when: {fact: term, is: spot}, message: spot, source: us}\n"};

void write_rules(const fs::path& path) {
  std::string text = "rules:\n";
  for (const std::size_t i : any::order("place of a rule", kRules.size())) text += kRules[i];
  write(path, text);
}

/// Prices of one's own over two of them, in any order.
void write_overlay(const fs::path& path, const std::vector<Sold>& market) {
  std::vector<std::string> prices;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, market.size()); ++i)
    prices.push_back(
        format("  - {{provider: p, region: r, term: on-demand, currency: USD, as_of: 2026-11-19, source: "
               "own, per_hour: {{{}: {}}}}}\n",
               market[i].sku, 0.5 + static_cast<double>(i)));
  std::string text = "sources: {own: {publisher: We, document: invoice, confidence: recalled}}\nprices:\n";
  for (const std::size_t i : any::order("place of an own price", prices.size())) text += prices[i];
  write(path, text);
}

std::string answers_in(const fs::path& directory) {
  std::string said;
  const std::vector<std::string> files{"--catalog", "market", "--overlay", "own.yaml"};
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{"recommend", "--model", "llama-7b", "--task", "finetune", "--method", "lora",
                                 "--rules", "rules.yaml", "-o", "wide", "--explain", "--show-rejected"},
        {"recommend", "--model", "llama-3.1-8b", "--task", "inference", "--rules", "rules.yaml", "--json"},
        {"instances", "--json", "--sort-by", "sku"}}) {
    std::vector<std::string> words = question;
    words.insert(words.end(), files.begin(), files.end());
    const test::Run run = test::ask(words, {.directory = directory.string()});
    must(run.status == 0 || run.status == 3, format("status {}: {}", run.status, run.err));
    said += run.out + run.err;
  }
  return said;
}

catalog::Catalog loaded(const catalog::LoadOptions& options) {
  auto catalog = catalog::load(options);
  must(catalog.has_value(), catalog ? "" : catalog.error().front().message);
  return std::move(*catalog);
}

/// What is said of one provider, as it is written to a file of its own.
std::string of_own(const std::vector<catalog::YamlFile>& files) {
  const auto file = std::ranges::find_if(files, [](const auto& one) { return one.name.ends_with("-own.yaml"); });
  must(file != files.end(), "nothing of 'own'");
  return file->text;
}

}  // namespace

TEST_CASE("the order of files, sections, rows and rules changes no byte of an answer", "[property]") {
  const fs::path scratch = test::scratch_directory();
  holds(
      "order of files",
      [&] {
        const std::vector<Sold> market = any_market();
        std::string said[2];
        for (const int side : {0, 1}) {
          fs::remove_all(scratch / "market");
          write_market(scratch / "market", market);
          write_rules(scratch / "rules.yaml");
          write_overlay(scratch / "own.yaml", market);
          said[side] = answers_in(scratch);
        }
        const auto differs = std::ranges::mismatch(said[0], said[1]).in1 - said[0].begin();
        must(said[0] == said[1], format("from '{}' on", said[0].substr(static_cast<std::size_t>(differs), 80)));
      },
      kCases);
}

TEST_CASE("an imported price list is the same market when it was written and read again", "[property]") {
  const fs::path scratch = test::scratch_directory();
  const catalog::Catalog known = loaded({});
  holds(
      "import and export",
      [&] {
        const std::vector<std::string> skus{"a.1", "\"b,2\"", "\"c \"\"3\"\" #: {x}\"", "'1", "no", "0x10"};
        std::string csv = "provider,sku,gpu,gpu_count,vcpu,memory_gib,region,term,price_per_hour,currency,as_of\n";
        const std::int64_t rows = any::whole("rows", 1, 12);
        for (std::int64_t i = 0; i < rows; ++i)
          csv += format("own,{},{},{},{},{},{},{},{},{},2026-10-{:02}\n", any::one_of("sku", skus),
                        any::one_of("gpu", {"H100", "L40S", "T4"}), 1 << any::whole("log2 gpus", 0, 3),
                        any::whole("vcpu", 1, 256), any::size("memory", 1, 4096), any::one_of("region", {"r-1", "r-2"}),
                        any::one_of("term", {"on-demand", "spot"}), any::number("price", 0.001, 1000),
                        any::one_of("currency", {"USD", "EUR", "CNY"}), any::whole("day", 1, 28));
        write(scratch / "own.csv", csv);
        catalog::ImportRequest request{
            catalog::ImportFormat::generic_csv, {(scratch / "own.csv").string()}, {}, {}, {}};
        const auto imported = catalog::import_market(request, known);
        must(imported.has_value(), "not imported");
        must(imported->report.rows() == imported->report.imported() + imported->report.skipped.size(), "rows are lost");
        test::given(!imported->market.offers().empty());
        const auto once = catalog::market_yaml(imported->market);
        fs::remove_all(scratch / "once");
        must(catalog::write_market_yaml((scratch / "once").string(), once).has_value(), "not written");
        const catalog::Catalog read = loaded({.replacement = (scratch / "once").string(), .overlays = {}});
        must(of_own(catalog::market_yaml(read)) == of_own(once), "another market came back from YAML");
        write(scratch / "market.snapshot", catalog::write_snapshot(imported->market));
        const auto opened = catalog::open_snapshot((scratch / "market.snapshot").string());
        must(opened && of_own(catalog::market_yaml(*opened)) == of_own(once),
             "another market came back from the snapshot");
      },
      kCases * 2);
}

TEST_CASE("a market comes back from a snapshot byte for byte", "[property]") {
  const fs::path scratch = test::scratch_directory();
  holds(
      "snapshot",
      [&] {
        fs::remove_all(scratch / "market");
        write_market(scratch / "market", any_market());
        const catalog::Catalog read = loaded({.replacement = (scratch / "market").string(), .overlays = {}});
        const std::string bytes = catalog::write_snapshot(read);
        write(scratch / "market.snapshot", bytes);
        const auto opened = catalog::open_snapshot((scratch / "market.snapshot").string());
        must(opened.has_value(), "not opened");
        must(catalog::write_snapshot(*opened) == bytes, "other bytes");
      },
      kCases);
}
