// gpus, instances and models as they are typed: every spelling, every format, every bad word.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.hpp"

namespace lists_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

Json items(const std::string& command) {
  std::vector<std::string> words = words_of(command);
  words.emplace_back("--json");
  const Run run = ask(words);
  INFO(command << ": " << run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out)["items"];
}

/// As RFC 4180 splits it.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

}  // namespace

TEST_CASE("every spelling of a limit that people know narrows instances") {
  struct Case {
    const char* limit;
    bool (*holds)(const Json&);
  };
  static constexpr Case kCases[] = {
      {"--gpu H100:8",
       [](const Json& i) { return i["gpu"].get<std::string>().starts_with("h100") && i["gpu_count"] == 8; }},
      {"--gpu 80GB+ --filter 'known(gpus)'", [](const Json& i) { return i["gpu_memory_total_gb"] >= 80; }},
      {"--gpu nvidia:80GB+:8", [](const Json& i) { return i["gpu_count"] == 8; }},
      {"--gpu nvidia:A100,H100:40GB..80GB:1..8", [](const Json& i) { return i["gpu_count"] <= 8; }},
      {"--gpu 'gpu_name=RTX_4090 num_gpus>=4'",
       [](const Json& i) { return i["gpu"] == "rtx-4090" && i["gpu_count"] >= 4; }},
      {"--gpu '4x T4'",
       [](const Json& i) { return i["gpu"].get<std::string>().starts_with("t4") && i["gpu_count"] == 4; }},
      {"--min-vram 40GB --gpus-min 2 --gpus-max 4",
       [](const Json& i) { return i["gpu_count"] >= 2 && i["gpu_count"] <= 4; }},
      {"--gpu-memory-total-min 320GB", [](const Json& i) { return i["gpu_memory_total_gb"] >= 320; }},
      {"--vcpus-min 4+ --memory-min '64 GiB'", [](const Json& i) { return i["vcpu"] >= 4 && i["memory_gib"] >= 64; }},
      {"--price-per-hour-max 1", [](const Json& i) { return i["best_offer"]["price"] <= 1; }},
      {"--max-price 1 --term on-demand", [](const Json& i) { return i["best_offer"]["term"] == "on-demand"; }},
      {"--cloud aws,gcp -r us-east-1", [](const Json& i) { return i["best_offer"]["region"] == "us-east-1"; }},
      {"--infra aws/us-east-1", [](const Json& i) { return i["provider"] == "aws"; }},
      {"--use-spot", [](const Json& i) { return i["best_offer"]["term"] == "spot"; }},
      {"--usage-class spot", [](const Json& i) { return i["best_offer"]["term"] == "spot"; }},
      {"--interconnect nvswitch", [](const Json& i) { return i["intra_node_interconnect"] == "nvswitch"; }},
      {"--socket sxm --min-capability 9.0", [](const Json& i) { return i["gpu"] != "a100-sxm-80gb"; }},
      {"--allow-list '^p[45]' --deny-list 'en'",
       [](const Json& i) { return i["sku"].get<std::string>().starts_with("p"); }},
      {"--max-price-age 60d", [](const Json& i) { return i["best_offer"]["as_of"] >= "2026-09"; }},
      {"--filter 'vram>=48 && price<3'", [](const Json& i) { return i["best_offer"]["price"] < 3; }}};
  for (const Case& one : kCases) {
    const Json found = items(std::string("instances ") + one.limit);
    CAPTURE(one.limit);
    CHECK_FALSE(found.empty());
    CHECK(found.size() < 650);
    for (const Json& item : found) {
      CAPTURE(item["sku"]);
      CHECK(one.holds(item));
    }
  }
}

TEST_CASE("where only older prices are left, status and sentence say so") {
  const Run run = ask(words_of("instances --cloud south --max-price-age 3d --catalog tests/data/market"));
  CHECK(run.status == 6);
  CHECK(run.out.empty());
  CHECK(run.err == "error: 2 prices are older than 3 days; the newest is from 2026-10-15\n");
  CHECK(ask(words_of("instances --cloud south --max-price-age 3d --max-price 0.001 --catalog tests/data/market"))
            .status == 3);
  const Run json = ask(words_of("instances --cloud south --max-price-age 3d --json --catalog tests/data/market"));
  CHECK(json.status == 6);
  CHECK(Json::parse(json.out)["items"].empty());
}

TEST_CASE("what has no price comes after what has one") {
  bool unpriced = false;
  for (const Json& one : items("instances g5")) {
    if (unpriced) CHECK(one["best_offer"].is_null());
    unpriced = one["best_offer"].is_null();
  }
}

TEST_CASE("a published price is shown with the digits that it has") {
  const std::string prices = scratch_file("prices.csv", "instance,price\ns.a10.1,0.5264\nn.t4.4,8.1\n");
  const auto card = [&](const std::string& sku) {
    return ask({"instances", "show", sku, "--overlay", prices, "--catalog", "tests/data/market"}).out;
  };
  CHECK(card("s.a10.1").find(" 0.5264 ") != std::string::npos);
  CHECK(card("n.t4.4").find(" 8.10 ") != std::string::npos);
}

TEST_CASE("what another term would add is said once") {
  const std::string asked = "instances --gpu h100-sxm-80gb --max-price 20 --catalog tests/data/market";
  const Run run = ask(words_of(asked));
  CHECK(run.status == 3);
  CHECK(run.err.find("(--term any)") != std::string::npos);
  const Run any = ask(words_of(asked + " --term any"));
  CHECK(any.status == 0);
  CHECK(any.out.find("spot") != std::string::npos);
  CHECK(any.err.empty());
  for (const char* every : {"", " --json"}) {
    const Run all = ask(words_of(asked + " --all-offers" + every));
    CHECK(all.status == 0);
    CHECK(all.out.find("spot") != std::string::npos);
  }
}

TEST_CASE("a name in --gpu that means several parts is remarked on") {
  for (const char* command : {"gpus --gpu A100", "instances --gpu A100,T4 -n 1",
                              "recommend --model llama-7b --task finetune --method lora --gpu a100 -n 1"}) {
    const std::string err = ask(words_of(command)).err;
    CAPTURE(command, err);
    const auto at = err.find("--gpu a100 means any of a100-");
    CHECK(at != std::string::npos);
    CHECK(err.find(" means any of ", at + 30) == std::string::npos);
    CHECK(ask(words_of(std::string(command) + " -q")).err.find("means") == std::string::npos);
  }
  CHECK(ask(words_of("gpus --gpu a100-sxm-40gb")).err.empty());
}

TEST_CASE("a family in --like stands for its smallest") {
  const Run run = ask(words_of("instances --like n.t4 --catalog tests/data/market"));
  CHECK(run.status == 0);
  CHECK(run.err.find("n.t4 is a family: compared with its smallest, north/n.t4.1") != std::string::npos);
}

TEST_CASE("lists are fit to be read") {
  CHECK(ask(words_of("models -o markdown")).out.find("e+") == std::string::npos);
  for (const char* width : {"80", "100"}) {
    Setting setting;
    setting.environment["COLUMNS"] = width;
    const std::string out = ask(words_of("instances --cloud aws --filter 'region ~ us-east'"), setting).out;
    CHECK(out.find("us-eas…") == std::string::npos);
    CHECK(out.find("us-east…") == std::string::npos);
  }
  const std::string card = ask(words_of("models show mixtral-8x7b")).out;
  for (const char* no_case : {"cross attention", "vision", "window heads", "MTP", "per layer"})
    CHECK(card.find(no_case) == std::string::npos);
  const std::string gpu = ask(words_of("gpus show l4")).out;
  for (const char* label : {"memory gb", "tdp w", "vgpu supported"}) CHECK(gpu.find(label) == std::string::npos);
  CHECK(gpu.find("\nTDP ") != std::string::npos);
  CHECK(gpu.find("\nvGPU ") != std::string::npos);
}

TEST_CASE("limits on GPUs and models are flags of their lists") {
  for (const Json& gpu : items("gpus --min-vram 40GB --vendor nvidia --min-capability 9 --socket sxm"))
    CHECK(gpu["memory_gb"] >= 40);
  CHECK(items("gpus --gpu H100:8").size() >= 3);
  CHECK(items("gpus -n 3 hopper").size() == 3);
  for (const Json& model : items("models --max-params 13B --min-context 128k --license mit --sort-by -params"))
    CHECK(model["params_b"] <= 13);
}

TEST_CASE("sorting takes short names, several keys and a direction") {
  const auto prices = [](const Json& list) {
    std::vector<double> out;
    for (const Json& item : list) out.push_back(item["best_offer"]["price"]);
    return out;
  };
  auto up = prices(items("instances --gpu T4 --max-price 100 --sort-by price,-bandwidth"));
  CHECK(std::is_sorted(up.begin(), up.end()));
  auto down = prices(items("instances --gpu T4 --max-price 100 --sort-by price --sort-direction desc"));
  CHECK(std::is_sorted(down.rbegin(), down.rend()));
}

TEST_CASE("csv of a list has a row per instance, full numbers and empty unknowns") {
  const auto lines = lines_of(ask(words_of("instances -o csv --catalog tests/data/market")).out);
  const auto head = cells_of(lines.front());
  CHECK(lines.size() == 1 + 10);
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
  };
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = cells_of(lines[i]);
    REQUIRE(cells.size() == head.size());
    if (cells[column("sku")] == "s.a10.6")
      CHECK(std::stod(cells[column("gpu_count")]) == Approx(1.0 / 6).epsilon(1e-15));
    for (const std::string& cell : cells) CHECK((cell != "?" && cell != "unknown"));
    CHECK(cells[column("local_ssd_gb")].empty());
  }
  const auto every = lines_of(ask(words_of("instances -o csv --all-offers --catalog tests/data/market")).out);
  CHECK(every.size() == 1 + 14);
  CHECK(cells_of(every.front()) == head);
}

TEST_CASE("csv disarms formulas in texts and leaves numbers alone") {
  const std::string file = scratch_file(
      "evil.yaml",
      "gpus:\n  - {id: l4, name: \"=cmd()\", notes: \"+1+1\", architecture: \"@SUM(A1)\", form_factor: \"-x\"}\n");
  const auto lines = lines_of(ask({"gpus", "l4", "-n", "1", "-o", "csv", "--overlay", file}).out);
  REQUIRE(lines.size() == 2);
  for (const std::string& cell : cells_of(lines[1])) {
    if (cell.empty()) continue;
    CAPTURE(cell);
    CHECK(std::string("=+@-").find(cell.front()) == std::string::npos);
  }
}

TEST_CASE("a GPU's card says which instances have it and what it is for") {
  const Run run = ask(words_of("gpus show h100-sxm-80gb --catalog tests/data/market"));
  CHECK(run.out.find("one instance of the catalog has it; from 6.00 USD per GPU and hour on demand: north n.h100.8") !=
        std::string::npos);
  CHECK(run.out.find("no RT cores") != std::string::npos);
  CHECK(run.out.find("[1]") != std::string::npos);
  const Json item = Json::parse(ask(words_of("gpus show h100-sxm-80gb --json")).out)["item"];
  CHECK(item["verdicts"]["rendering"]["verdict"] == "usable");
  CHECK(item["verdicts"]["training"]["verdict"] == "good");
  for (const char* key : {"instances", "providers", "price_per_gpu_hour", "price_as_of", "source_documents"})
    CHECK_FALSE(item[key].is_null());
}

TEST_CASE("verdicts come with reasons, the fittest first") {
  const Json list = items("gpus --for rendering");
  std::vector<std::string> order;
  for (const Json& gpu : list) {
    CHECK_FALSE(gpu["reason"].get<std::string>().empty());
    CHECK(gpu["reason"].get<std::string>().find("unknown") == std::string::npos);
    if (order.empty() || order.back() != gpu["verdict"]) order.push_back(gpu["verdict"]);
  }
  CHECK(order == std::vector<std::string>{"good", "usable", "poor", "no", "unknown"});
}

TEST_CASE("equivalents elsewhere come with ratios, JSON with all of them") {
  const Json list = items("instances --like g5.xlarge --cloud aliyun,gcp");
  CHECK(list[0]["sku"] == "g5.xlarge");
  CHECK(list[0]["similarity"] == 100);
  CHECK(list.size() > 20);
  for (const Json& one : list) {
    CHECK(one["similarity"] <= 100);
    CHECK(one["differences"].is_array());
  }
  const Run table = ask(words_of("instances --base-instance-type g5.xlarge"));
  CHECK(lines_of(table.out).size() <= 13);
}

TEST_CASE("names that are not known get the nearest") {
  for (const auto& [command, says] : std::initializer_list<std::pair<const char*, const char*>>{
           {"gpus show l40x", "'l40"},
           {"gpus --gpu H1000", "--gpu: unknown GPU"},
           {"gpus --for rendring", "--for: no verdicts on 'rendring'\nhelp: did you mean 'rendering'"},
           {"gpus --filter 'vrm>1'", "'vram'"},
           {"gpus --sort-by bandwith", "--sort-by: there is no column 'bandwith'\nhelp: did you mean 'bandwidth'"},
           {"gpus --sort-direction up", "--sort-direction"},
           {"instances --like g5.xlarg", "--like: unknown instance 'g5.xlarg'\nhelp: did you mean 'g5.xlarge'"},
           {"instances --cloud amazn", "'amazon'"},
           {"instances -r us-east-11", "'us-east-1'"},
           {"instances --filter 'price<3 && '", "--filter: character 12: a column was expected"},
           {"instances --filter ''", "--filter"},
           {"models --family lama", "'llama'"},
           {"models --min-context long", "--min-context"},
           {"models show lama-3", "did you mean"}}) {
    const Run run = ask(words_of(command));
    CAPTURE(command, run.err);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK(run.err.find(says) != std::string::npos);
  }
  CHECK(ask(words_of("instances --filter 'price<0'")).status == 3);
  CHECK(ask(words_of("instances --min-vram 80GB --max-vram 24GB")).status == 3);
}

TEST_CASE("strict turns old prices of a list into a status of their own") {
  const std::string market = " --catalog tests/data/market";
  CHECK(ask(words_of("instances --max-price-age 30d" + market)).status == 0);
  CHECK(ask(words_of("instances --max-price-age 30d --strict" + market)).status == 6);
  CHECK(ask(words_of("instances --cloud north --max-price-age 30d --strict" + market)).status == 0);
  CHECK(ask(words_of("instances --strict" + market)).status == 2);
}

}  // namespace lists_test
