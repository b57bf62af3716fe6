// Files: their order changes no byte of an answer, and what is written is read again as it was.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/io/csv.hpp"
#include "base/words/message.hpp"
#include "catalog/import/import.hpp"
#include "catalog/snapshot/load.hpp"
#include "fuzz/same_market.hpp"
#include "support/program.hpp"
#include "support/property.hpp"

namespace files_property_test {

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

/// Every column that a table of one's own may have.
const std::vector<std::string> kOwnColumns{"provider",   "sku",          "family",          "region",
                                           "country",    "term",         "currency",        "price_per_hour",
                                           "gpu",        "gpu_count",    "gpu_memory_gb",   "vcpu",
                                           "memory_gib", "local_ssd_gb", "network_gbps",    "note",
                                           "cpu_arch",   "as_of",        "price_per_month", "price_per_year"};

/// Of which the same is said by 'gpusel instances --all-offers -o csv'.
const std::vector<std::string> kListedColumns{
    "provider", "sku",        "family",   "region", "country",      "term",         "gpu",      "gpu_count",
    "vcpu",     "memory_gib", "cpu_arch", "as_of",  "local_ssd_gb", "network_gbps", "currency", "price_per_hour"};

std::string cell(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string any_number_or_none(std::string_view name, double low, double high) {
  return any::coin(name) ? format("{}", any::number(name, low, high)) : "";
}

/// Of providers and instance types that the catalogue knows and of others; some say less than is needed.
std::map<std::string, std::string> any_own_row() {
  std::map<std::string, std::string> row;
  const bool known = any::coin("known");
  const std::string sold =
      known ? any::one_of("sold", {"aws p5.48xlarge us-east-1", "AWS g4dn.xlarge eu-central-1", "gcp a2-highgpu-1g r-1",
                                   "aws own.type us-east-1", "azure Standard_ND96isr_H100_v5 westeurope"})
            : any::one_of("sold", {"own a.1 r-1", "Our_Cloud b,2 r-1", "own \"c\"#:{x} r:2", "no '1 yes",
                                   "own 0x10 1e3", "Our_Cloud ~ Zürich", "own a.1 r:2"});
  const auto first = sold.find(' '), last = sold.rfind(' ');
  row["provider"] = sold.substr(0, first);
  row["sku"] = sold.substr(first + 1, last - first - 1);
  row["region"] = sold.substr(last + 1);
  row["family"] = any::one_of("family", {"", "f", "f: 1, {2}", "null"});
  row["country"] = any::one_of("country", {"", "DE", "CN"});
  row["term"] = any::one_of("term", {"", "on-demand", "spot", "reserved-1y", "month", "savings-3y"});
  row["currency"] = any::one_of("currency", {"USD", "EUR", "CNY", "XXX"});
  row[any::one_of("per", {"price_per_hour", "price_per_month", "price_per_year"})] =
      any_number_or_none("price", 0.001, 1000);
  row["gpu"] = any::one_of("gpu", {"", "l40s", "T4", "A100-80GB", "h100-sxm-80gb", "H100"});
  row["gpu_count"] = any::one_of("gpus", {"1", "2", "8", "1/6", ""});
  row["gpu_memory_gb"] = any::one_of("GPU memory", {"", "", "80"});
  row["vcpu"] = any_number_or_none("vcpu", 1, 256);
  row["memory_gib"] = any_number_or_none("memory", 1, 4096);
  row["local_ssd_gb"] = any_number_or_none("SSD", 1, 1e5);
  row["network_gbps"] = any_number_or_none("network", 1, 3200);
  row["cpu_arch"] = any::one_of("arch", {"", "x86_64", "arm64"});
  row["as_of"] = any::coin("dated") ? format("2026-10-{:02}", any::whole("day", 1, 28)) : "";
  row["note"] = any::one_of("note", {"", "depreciation, \"power\"", "two\nlines", "tab\there", "- a: {b} # c", "Straße",
                                     " spaces ", "\\x41", "%", "…\x7F"});
  return row;
}

std::string any_own_list() {
  std::string csv;
  for (const std::string& column : kOwnColumns) csv += (csv.empty() ? "" : ",") + column;
  for (auto left = any::whole("rows", 1, 12); left > 0; --left) {
    auto row = any_own_row();
    std::string line;
    for (const std::string& column : kOwnColumns) line += (line.empty() ? "" : ",") + cell(row[column]);
    csv += "\n" + line;
  }
  return csv + "\n";
}

catalog::Import imported(const fs::path& file, const catalog::Catalog& known) {
  auto import = catalog::import_market({catalog::ImportFormat::generic_csv, {file.string()}, {}, {}, {}}, known);
  must(import.has_value(), "not imported");
  must(import->report.rows() == import->report.imported() + import->report.skipped.size(), "rows are lost");
  return std::move(*import);
}

/// What a folder of YAML holds, in place of the shipped instances and prices.
catalog::Catalog read_back(const fs::path& folder, const std::vector<catalog::YamlFile>& files) {
  fs::remove_all(folder);
  must(catalog::write_market_yaml(folder.string(), files).has_value(), "not written");
  return loaded({.replacement = folder.string(), .overlays = {}});
}

/// Those of a market's files that say what `others` are about.
std::vector<catalog::YamlFile> of_the_same(const std::vector<catalog::YamlFile>& files,
                                           const std::vector<catalog::YamlFile>& others) {
  std::vector<catalog::YamlFile> same;
  for (const catalog::YamlFile& file : files)
    if (std::ranges::count(others, file.name, &catalog::YamlFile::name) != 0) same.push_back(file);
  return same;
}

bool is_same(const catalog::YamlFile& a, const catalog::YamlFile& b) { return a.name == b.name && a.text == b.text; }

/// What 'gpusel instances' lists of a market as CSV. A GPU that nobody discloses has no name to import it by.
std::string listed(const fs::path& folder) {
  const test::Run run = test::ask({"instances", "--all-offers", "-o", "csv", "-q", "--catalog", folder.string()});
  must(run.status == 0, run.err);
  std::string csv;
  for (const std::string& line : test::lines_of(run.out))
    if (line.find(format(",{},", catalog::kUndisclosed)) == std::string::npos) csv += line + "\n";
  return csv;
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

TEST_CASE("an imported price list is byte for byte the same when it was written and read again", "[property]") {
  const fs::path scratch = test::scratch_directory();
  const catalog::Catalog known = loaded({});
  holds(
      "import and export",
      [&] {
        write(scratch / "own.csv", any_own_list());
        const catalog::Import import = imported(scratch / "own.csv", known);
        test::given(!import.market.offers().empty());
        const auto once = catalog::market_yaml(import.market);
        const auto again = of_the_same(catalog::market_yaml(read_back(scratch / "once", once)), once);
        const std::string lost = fuzz::lost_between(once, again);
        must(lost.empty(), "not what was written: " + lost);
        const auto third = of_the_same(catalog::market_yaml(read_back(scratch / "again", again)), once);
        must(std::ranges::equal(again, third, is_same), "the third is another");
        const std::string bytes = catalog::write_snapshot(import.market);
        write(scratch / "market.snapshot", bytes);
        const auto opened = catalog::open_snapshot((scratch / "market.snapshot").string());
        must(opened && catalog::write_snapshot(*opened) == bytes, "another snapshot");
        must(std::ranges::equal(once, catalog::market_yaml(*opened), is_same), "another market out of the snapshot");
      },
      kCases * 3);
}

TEST_CASE("what is listed of an imported market as CSV can be imported, and is listed the same", "[property]") {
  const fs::path scratch = test::scratch_directory();
  const catalog::Catalog known = loaded({});
  const auto columns_of = [](const std::string& csv) {
    const auto table = parse_csv(csv, "listed");
    must(table.has_value(), "no CSV");
    std::string text;
    for (const auto& row : table->rows) {
      for (const std::string& column : kListedColumns) {
        const Node* cell = row.find(column);
        text += (cell == nullptr ? "" : cell->text) + "|";
      }
      text += "\n";
    }
    return text;
  };
  holds(
      "import, list and import",
      [&] {
        write(scratch / "own.csv", any_own_list());
        const catalog::Import import = imported(scratch / "own.csv", known);
        test::given(!import.market.offers().empty());
        read_back(scratch / "once", catalog::market_yaml(import.market));
        const std::string once = listed(scratch / "once");
        test::given(test::lines_of(once).size() > 1);
        write(scratch / "listed.csv", once);
        const catalog::Import second = imported(scratch / "listed.csv", known);
        for (const catalog::SkippedRow& row : second.report.skipped)
          must(false, format("line {} is left out: {}", row.line, second.report.texts[row.reason]));
        read_back(scratch / "again", catalog::market_yaml(second.market));
        must(columns_of(once) == columns_of(listed(scratch / "again")), "it is listed otherwise");
      },
      kCases);
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

}  // namespace files_property_test
