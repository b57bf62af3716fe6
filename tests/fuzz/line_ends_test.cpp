// Files as other systems write them: a byte order mark in front, carriage returns at the ends of lines. What is read is
// the same, and so is every answer.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "support/program.hpp"

namespace line_ends_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

/// A command and a file that it reads, some with something wrong, whose place is told.
struct Sample {
  std::string name;  // in the folder that the command runs in
  std::string text;
  std::string command;
};

std::vector<Sample> samples() {
  const std::string job = "--model llama-7b --task finetune --cloud aws", schema = kSource + "/tests/schema/files/",
                    lists = kSource + "/tests/catalog/import/", into = " --as-of 2026-05-20 --dry-run --json ";
  const std::string rules =
      "rules:\n  - {id: ours, effect: note, when: {fact: gpu_count, above: 1}, message: several, source: us}\n";
  const std::string requests =
      "{\"input_tokens\": 200, \"output_tokens\": 50}\n"
      "{\"input_tokens\": 900, \"output_tokens\": 80}\n";
  return {
      {"market/market.yaml", read_file(kSource + "/tests/data/market/market.yaml"),
       "instances --all-offers --json --catalog market"},
      {"gpu.yaml", read_file(schema + "gpu.yaml"), "gpus --json --overlay gpu.yaml"},
      {"doubtful.yaml", read_file(schema + "doubtful.yaml"), "catalog lint doubtful.yaml --json"},
      {"bad.yaml", "# prices\nprices:\n  - provider: \"a\n      b\"\n    per_hour: {x: 1,\n y: -2}\n",
       "gpus --overlay bad.yaml"},
      {"unclosed.yaml", "gpus:\n  - id: \"x\n", "gpus --overlay unclosed.yaml"},
      {"text.yaml", "gpus:\n  - id: x\n    caution: |\n      one\n      two\n    notes: >\n      a\n      b\n",
       "gpus --overlay text.yaml"},
      {"rules.yaml", rules, "recommend " + job + " --json --rules rules.yaml"},
      {"rules.yaml", rules + "  - {id: ours, effect: noet}\n", "recommend " + job + " --rules rules.yaml"},
      {"policy.yaml", read_file(schema + "policy.yaml"), "check " + job + " --json --policy policy.yaml"},
      {"policy.yaml", read_file(schema + "policy.yaml"), "check " + job + " -o sarif --policy policy.yaml"},
      {"policy.yaml", read_file(schema + "gpu.yaml"), "check " + job + " --policy policy.yaml"},
      {"stages.yaml", read_file(schema + "stages.yaml"), "recommend --cloud aws --json --stages stages.yaml"},
      {"gpusel/config.yaml", "currency: EUR\noutput: json\n", "recommend " + job},
      {"gpusel/config.yaml", "currency: EUR\ncolour: none\n", "gpus"},
      {"requests.jsonl", read_file(schema + "requests.jsonl"), "estimate --batch requests.jsonl"},
      {"traffic.jsonl", requests,
       "fleet --model llama-3.1-8b --rate 20 --ttft 1000 --tpot 60 --cloud aws --json --traffic traffic.jsonl"},
      {"traffic.csv", "input_tokens,output_tokens\n200,50\n900,80\n",
       "fleet --model llama-3.1-8b --rate 20 --ttft 1000 --tpot 60 --cloud aws --json --traffic traffic.csv"},
      {"traffic.csv", "input_tokens,output_tokens\n200,50\n900,many\n",
       "fleet --model llama-3.1-8b --rate 20 --ttft 1000 --tpot 60 --cloud aws --traffic traffic.csv"},
      {"config.json", read_file(schema + "config.json"), "models show ./config.json --json"},
      {"config.json", "{\n \"model_type\": \"llama\",\n \"hidden_size\": \"wide\",\n}\n", "models show ./config.json"},
      {"runs.csv", read_file(kSource + "/tests/data/runs/runs.csv"), "calibrate --dry-run --json runs.csv"},
      {"runs.jsonl", read_file(kSource + "/tests/data/runs/runs.jsonl"), "verify --json runs.jsonl"},
      {"bad.csv", read_file(schema + "bad.csv"), "verify bad.csv"},
      {"prices.csv", read_file(lists + "other/prices.csv"), "catalog import --from generic-csv" + into + "prices.csv"},
      {"prices.csv", "sku,region,currency\na,r,USD\n", "catalog import --from generic-csv" + into + "prices.csv"},
      {"gcp.csv", read_file(lists + "sky/gcp.csv"), "catalog import --from skypilot" + into + "gcp.csv"},
      {"gcp.csv", read_file(lists + "other/gcp_gpuhunt.csv"), "catalog import --from gpuhunt" + into + "gcp.csv"},
      {"aws.csv", read_file(lists + "other/aws_offer.csv"), "catalog import --from aws-pricing" + into + "aws.csv"},
      {"aws.json", read_file(lists + "other/aws_offer.json"), "catalog import --from aws-pricing" + into + "aws.json"},
      {"azure.json", read_file(lists + "other/azure_page.json"),
       "catalog import --from azure-retail" + into + "azure.json"},
      {"vast.json", read_file(lists + "other/vast_offers.json"), "catalog import --from vast" + into + "vast.json"},
  };
}

/// However they end now.
std::string with_line_ends(const std::string& text, const std::string& end) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += line.substr(0, line.find_last_not_of('\r') + 1) + end;
  return out;
}

Run answer(const Sample& sample, const std::string& text, const fs::path& folder) {
  fs::create_directories((folder / sample.name).parent_path());
  std::ofstream(folder / sample.name, std::ios::binary) << text;
  return ask(words_of(sample.command), {.environment = {{"XDG_CONFIG_HOME", folder.string()}, {"GPUSEL_STATE", "off"}},
                                        .directory = folder.string()});
}

}  // namespace

TEST_CASE("a byte order mark and carriage returns change no answer and no place of an error", "[fuzz]") {
  const std::string mark = "\xEF\xBB\xBF";
  for (const Sample& sample : samples()) {
    const fs::path folder = scratch_directory();
    const std::string lines = with_line_ends(sample.text, "\n"), returns = with_line_ends(sample.text, "\r\n");
    const Run plain = answer(sample, lines, folder);
    CHECK(plain.status < 6);
    CHECK_FALSE((plain.out + plain.err).empty());
    for (const std::string& text : {mark + lines, returns, mark + returns}) {
      const Run run = answer(sample, text, folder);
      CAPTURE(sample.command, text.substr(0, 30));
      CHECK(run.status == plain.status);
      CHECK(run.out == plain.out);
      CHECK(run.err == plain.err);
    }
  }
}

}  // namespace line_ends_test
