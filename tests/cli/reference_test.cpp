// The reference pages are complete: docs/catalog.md names every field that a catalogue file may have, docs/explain.md
// every figure that --explain takes apart.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/io/document.hpp"
#include "catalog/catalog.hpp"
#include "support/program.hpp"

namespace reference_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

/// Everything between backquotes.
std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> words;
  for (auto at = text.find('`'); at != std::string::npos;) {
    const auto end = text.find('`', at + 1);
    if (end == std::string::npos) break;
    words.push_back(text.substr(at + 1, end - at - 1));
    at = text.find('`', end + 1);
  }
  return words;
}

/// The text of the section with that heading, up to the next of the same level.
std::string section(const std::string& page, const std::string& heading) {
  const auto begin = page.find("\n## " + heading + "\n");
  REQUIRE(begin != std::string::npos);
  const auto end = page.find("\n## ", begin + 1);
  return page.substr(begin, end - begin);
}

/// Whether a table names the field: in full, or as ".last" behind a sibling.
bool names(const std::vector<std::string>& words, const std::string& path) {
  if (std::ranges::find(words, path) != words.end()) return true;
  const auto dot = path.rfind('.');
  return dot != std::string::npos && std::ranges::find(words, path.substr(dot)) != words.end();
}

template <class Record>
void check_fields(const std::string& page, const std::string& heading) {
  const auto words = quoted(section(page, heading));
  Record record;
  visit_fields(record, [&](const catalog::Field& field, auto&) {
    CAPTURE(heading, field.path);
    CHECK(names(words, std::string(field.path)));
  });
}

/// "TERM.hour" against "reserved-1y.hour": words in capitals stand for anything.
bool stands_for(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  std::size_t capitals = 0;
  while (capitals < pattern.size() && pattern[capitals] >= 'A' && pattern[capitals] <= 'Z') ++capitals;
  if (capitals == 0)
    return !text.empty() && pattern.front() == text.front() && stands_for(pattern.substr(1), text.substr(1));
  for (std::size_t taken = 1; taken <= text.size(); ++taken)
    if (stands_for(pattern.substr(capitals), text.substr(taken))) return true;
  return false;
}

void gather(const Node& node, std::set<std::string>& quantities) {
  if (node.key == "quantity" && node.is_scalar()) quantities.insert(node.text);
  for (const Node& child : node.children) gather(child, quantities);
}

}  // namespace

TEST_CASE("docs/catalog.md names every field of every record") {
  const std::string page = read_file(kSource + "/docs/catalog.md");
  check_fields<catalog::Source>(page, "sources");
  check_fields<catalog::Gpu>(page, "gpus");
  check_fields<catalog::Model>(page, "models");
  check_fields<catalog::Provider>(page, "providers and regions");
  check_fields<catalog::Instance>(page, "families and sizes");
  check_fields<catalog::RenderScore>(page, "render_scores");
  check_fields<catalog::Cpu>(page, "cpus");
  check_fields<catalog::RendererInfo>(page, "renderers");
  check_fields<catalog::SolverInfo>(page, "solvers");
  check_fields<catalog::Framework>(page, "frameworks");
  check_fields<catalog::Egress>(page, "egress");
  check_fields<catalog::Storage>(page, "storage, services");
  check_fields<catalog::Service>(page, "storage, services");
  check_fields<catalog::ServiceLevel>(page, "service_levels, spot_markets, purchases");
  check_fields<catalog::SpotMarket>(page, "service_levels, spot_markets, purchases");
  check_fields<catalog::Purchase>(page, "service_levels, spot_markets, purchases");
  check_fields<catalog::ExchangeRate>(page, "exchange_rates");
  check_fields<catalog::Region>(page, "places, regions");
  check_fields<catalog::Place>(page, "places, regions");
  check_fields<catalog::BillingRule>(page, "billing");
}

TEST_CASE("docs/explain.md names every figure of --explain") {
  const auto patterns = quoted(section(read_file(kSource + "/docs/explain.md"), "What `--explain` names"));
  const auto line =
      GENERATE(Catch::Generators::as<std::string>{},
               "estimate --model llama-3.1-70b --task pretrain --gpu h100 --gpus 64 --tp 4 --pp 2 --tokens 1B",
               "estimate --model llama-7b --task finetune --method qlora --gpu rtx-4090",
               "recommend --model llama-7b --task finetune --cloud aws -n 1",
               "estimate --model llama-3.1-8b --task inference --gpu l4",
               "estimate --model resnet-50 --task pretrain --gpu a100 --gpus 8 --dataset-size 1M --epochs 1",
               "estimate --model sdxl --task inference --gpu l40s",
               "estimate --model sdxl --task finetune --method lora --gpu l40s --dataset-size 100 --epochs 9",
               "estimate --model whisper-large-v3 --task inference --gpu l4",
               "estimate --model dlrm --task pretrain --gpu a100 --gpus 8",
               "estimate --task render --gpu l40s --seconds-per-frame 60 --on rtx-3090 --frames 1000",
               "estimate --task render --render realtime --gpu l40s",
               "estimate --task simulate --solver lbm --cells 100M --gpu a100 --gpus 2",
               "estimate --model yolo11m --task inference --stream-fps 10 --gpu l4",
               "compare c7i.4xlarge g6.xlarge --task transcode", "compare c7i.4xlarge g6.xlarge --task preprocess",
               "cost p4d.24xlarge --model llama-7b --task finetune --storage-gb 500",
               "cost p4d.24xlarge --model llama-3.1-8b --task inference --api-price 0.6",
               "fleet --model llama-3.1-8b --traffic chat --rate 20 --daily office --cloud aws",
               "whatif --model llama-7b --task finetune --vary deadline=1h..48h --tornado --pareto",
               "recommend --model resnet-50 --task pretrain --cloud aws -n 1 --data-path");
  const Run run = shell("gpusel " + line + " --explain -q -o json");
  CAPTURE(line, run.err);
  REQUIRE(run.status == 0);
  const auto answer = parse_json(run.out, "answer");
  REQUIRE(answer);
  std::set<std::string> quantities;
  gather(answer->root, quantities);
  CHECK(!quantities.empty());
  for (const std::string& quantity : quantities) {
    CAPTURE(quantity);
    CHECK(std::ranges::any_of(patterns, [&](const std::string& pattern) { return stands_for(pattern, quantity); }));
  }
}

}  // namespace reference_test
