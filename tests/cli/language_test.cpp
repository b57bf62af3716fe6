// In what language a run speaks, and that programs do not notice.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/text/text.hpp"
#include "cli/settings/language.hpp"
#include "support/job.hpp"
#include "support/program.hpp"

namespace language_test {

using gpusel::cli::language_of_locale;
using gpusel::test::ask;
using gpusel::test::Run;

namespace {

const std::vector<std::string> kJob = {"recommend", "--model", "llama-7b", "--task", "finetune", "-n", "3"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool is_chinese(const std::string& text) {
  return text.find("显存") != std::string::npos || text.find("价格") != std::string::npos;
}

/// What the catalogue's own records say: notes, titles and names of documents. They are data, in the language of their
/// sources.
const std::vector<std::string>& words_of_data() {
  static const std::vector<std::string> all = [] {
    const gpusel::catalog::Catalog& catalog = gpusel::test::shipped();
    std::vector<std::string> found;
    const auto add = [&](std::string_view text) {
      if (!text.empty()) found.emplace_back(text);
    };
    for (const auto& gpu : catalog.gpus()) (add(gpu.caution), add(gpu.notes), add(gpu.name));
    for (const auto& model : catalog.models()) (add(model.notes), add(model.licence));
    for (const auto& instance : catalog.instances()) (add(instance.caution), add(instance.notes), add(instance.cpu));
    for (const auto& offer : catalog.offers()) add(catalog.origin_of(offer).note);
    for (const auto& source : catalog.sources()) (add(source.document), add(source.publisher));
    for (const auto& state : catalog.offer_states()) add(state.note);
    for (const auto& market : catalog.spot_markets()) add(market.note);
    for (const auto& purchase : catalog.purchases()) add(purchase.note);
    for (const auto& storage : catalog.storage()) (add(storage.name), add(storage.note));
    for (const auto& service : catalog.services()) add(service.name);
    for (const auto& provider : catalog.providers()) add(provider.name);
    for (const auto& region : catalog.regions()) add(region.name);
    std::ranges::sort(found, std::greater{}, &std::string::size);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }();
  return all;
}

void erase_all(std::string& text, const std::string& part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.replace(at, part.size(), "|");
}

/// What stands in quotes is somebody's own words, or to be typed.
void erase_quoted(std::string& line) {
  for (const char quote : {'\'', '"', '`'})
    for (auto from = line.find(quote); from != std::string::npos; from = line.find(quote, from + 1)) {
      const auto to = line.find(quote, from + 1);
      if (to == std::string::npos) break;
      line.replace(from, to - from + 1, "|");
    }
}

bool is_plain_word(std::string_view word) {
  if (word.ends_with(',') || word.ends_with(';') || word.ends_with(':') || word.ends_with('.')) word.remove_suffix(1);
  if (word.empty()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto letter = static_cast<unsigned char>(word[i]);
    if (std::islower(letter) == 0 && !(i == 0 && std::isupper(letter) != 0 && word.size() > 1)) return false;
  }
  return true;
}

/// Three plain English words one after the other: a sentence that was not translated.
std::vector<std::string> leaks(std::string text) {
  for (const std::string& data : words_of_data()) erase_all(text, data);
  std::vector<std::string> found;
  for (const std::string_view one : gpusel::split(text, '\n')) {
    std::string line(one);
    // Ids of assumptions with their values, documents that a rule or a trace cites, and commands.
    const std::string_view start = gpusel::trim(one);
    const auto begins = [&](std::string_view with) { return start.starts_with(with); };
    if (begins("假定") || begins("以上假定") || begins("来源：") || begins("[") || begins("gpusel ") || begins("$ "))
      continue;
    erase_quoted(line);
    std::size_t run = 0;
    for (const std::string_view word : gpusel::split(line, ' ')) {
      run = is_plain_word(word) ? run + 1 : 0;
      if (run == 3) found.emplace_back(one);
      if (word.ends_with(',')) run = 0;  // a list of ids
    }
  }
  return found;
}

}  // namespace

TEST_CASE("a locale has the language that its texts can be shown in") {
  CHECK(language_of_locale("zh_CN.UTF-8") == "zh");
  CHECK(language_of_locale("zh_SG.utf8") == "zh");
  CHECK(language_of_locale("zh") == "zh");
  CHECK(language_of_locale("zh_CN.UTF-8@pinyin") == "zh");
  CHECK(language_of_locale("en_GB.UTF-8") == "en");
  CHECK(language_of_locale("zh_CN.GB18030").empty());  // these bytes would be read as others
  CHECK(language_of_locale("zh_TW.UTF-8").empty());    // other characters
  CHECK(language_of_locale("de_DE.UTF-8").empty());
  CHECK(language_of_locale("").empty());
}

TEST_CASE("the flag comes before the variable, and that before the locale") {
  const auto chinese = [](const std::vector<std::string>& words,
                          const std::map<std::string, std::string>& environment) {
    return is_chinese(ask(with(kJob, words), {.environment = environment}).out);
  };
  CHECK_FALSE(chinese({}, {}));
  CHECK(chinese({}, {{"LANG", "zh_CN.UTF-8"}}));
  CHECK(chinese({}, {{"LC_ALL", "zh_CN.UTF-8"}, {"LANG", "en_US.UTF-8"}}));
  CHECK_FALSE(chinese({}, {{"LC_ALL", "C"}, {"LANG", "zh_CN.UTF-8"}}));
  CHECK(chinese({}, {{"LANG", "en_US.UTF-8"}, {"LANGUAGE", "zh_CN:en"}}));
  CHECK_FALSE(chinese({}, {{"LANG", "C.UTF-8"}, {"LANGUAGE", "zh_CN:en"}}));
  CHECK(chinese({}, {{"GPUSEL_LANG", "zh"}, {"LANG", "en_US.UTF-8"}}));
  CHECK_FALSE(chinese({"--lang", "en"}, {{"GPUSEL_LANG", "zh"}}));
  CHECK(chinese({"--lang=zh"}, {{"LANG", "en_US.UTF-8"}}));
}

TEST_CASE("a language that is not spoken is told") {
  const Run run = ask(with(kJob, {"--lang", "fr"}));
  CHECK(run.status == 2);
  CHECK(run.err.find("--lang") != std::string::npos);
}

TEST_CASE("a program gets the same bytes under every locale") {
  const auto format = GENERATE("json", "yaml", "csv");
  const auto words = with(kJob, {"-o", format});
  const Run plain = ask(words);
  CHECK(ask(words, {.environment = {{"LANG", "zh_CN.UTF-8"}}}).out == plain.out);
  CHECK(plain.status == 0);
}

TEST_CASE("CSV keeps its column names in every language") {
  CHECK(ask(with(kJob, {"-o", "csv", "--lang", "zh"})).out == ask(with(kJob, {"-o", "csv"})).out);
}

TEST_CASE("values and inputs are said in Chinese too, with its own marks between them") {
  const auto says = [](const std::string& line) { return ask(gpusel::test::words_of(line + " --lang zh")).out; };
  const std::string estimate = says("estimate sdxl --gpu l4");
  CHECK(estimate.find("模式 吞吐") != std::string::npos);
  CHECK(estimate.find("单步时间 ") != std::string::npos);
  CHECK(estimate.find("step_s") == std::string::npos);
  CHECK(says("whatif llama-3.1-8b --vary rps=1..8 --cloud aws").find("request_rate") == std::string::npos);
  CHECK(says("models show llama-3.1-8b").find("官方权重格式、官方仓库") != std::string::npos);
  CHECK(says("recommend llama-3.1-8b --rps 10 --cloud aws --poc").find("按量付费，每小时") != std::string::npos);
}

TEST_CASE("bad input is told in the person's language") {
  const Run run = ask({"recommend", "--modle", "x"}, {.environment = {{"LANG", "zh_CN.UTF-8"}}});
  CHECK(run.status == 2);
  CHECK(run.err == "错误：未知的参数“--modle”\n提示：是否指“--mode”或“--model”？\n");
}

TEST_CASE("help is Chinese for every command, group and flag") {
  const auto command = GENERATE("recommend", "estimate", "compare", "cost", "fleet", "whatif", "verify", "gpus");
  const Run run = ask({command, "--help", "--lang", "zh"});
  REQUIRE(run.status == 0);
  for (const char* english : {"Usage", "Options:", "SUBCOMMAND", "this help", "Examples:", "Output and data"})
    CHECK(run.out.find(english) == std::string::npos);
}

TEST_CASE("no English sentence is left in Chinese answers") {
  const char* const line = GENERATE(
      "recommend --model llama-7b --task finetune -n 3 --explain", "recommend --model llama-7b --task inference -n 3",
      "recommend --model llama-7b --task inference --request-rate 5 --ttft 500 -n 2",
      "recommend --model sdxl --task inference -n 2 --show-rejected",
      "recommend --model resnet-50 --task inference -n 2",
      "recommend --task render --render offline --renderer cycles --scene-vram 10 --frames 1000 -n 2",
      "recommend --task render --render realtime --sessions 20 -n 2",
      "recommend --task transcode --streams 50 --resolution 1080p -n 2",
      "recommend --task simulate --solver fvm --cells 1e7 -n 2", "recommend --task preprocess --preprocess etl -n 2",
      "recommend --model llama-7b --task pretrain --max-price 1",
      "estimate --model llama-7b --task inference --gpu "
      "a100-80gb-sxm --explain",
      "estimate --model llama-7b --task finetune --gpu t4", "cost aws/p4d.24xlarge", "cost aws/p4d.24xlarge --explain",
      "compare a100-80gb-sxm l40s", "gpus show t4", "models show llama-7b", "instances show aws/p4d.24xlarge",
      "instances --like aws/g4dn.xlarge -n 4", "gpus", "doctor", "catalog stats",
      "whatif --model llama-7b --task "
      "finetune --gpu a100-80gb-sxm");
  const Run run = ask(gpusel::test::words_of(line), {.environment = {{"LANG", "zh_CN.UTF-8"}, {"COLUMNS", "2000"}}});
  CAPTURE(line, run.err);
  const std::vector<std::string> none;
  CHECK(leaks(run.out) == none);
  CHECK(leaks(run.err) == none);
  CHECK(leaks("nothing in this is Chinese").size() == 1);
}

TEST_CASE("no English sentence is left in Chinese errors") {
  const char* const line =
      GENERATE("recommend", "recommend --task finetune --model nothing-like-it",
               "recommend --task finetune --model llama-7b --gpus x", "recommend -f absent.yaml", "recommend -f src",
               "estimate --model llama-7b --task inference --gpu h1000", "cost aws/none", "compare one",
               "gpus show none", "nothing", "recommend --task", "catalog lint /none",
               "recommend --task finetune --model llama-7b --max-price 0.0001 --gpus 8");
  const Run run = ask(gpusel::test::words_of(line), {.environment = {{"LANG", "zh_CN.UTF-8"}, {"COLUMNS", "2000"}}});
  CAPTURE(line);
  CHECK(run.status != 0);
  const std::vector<std::string> none;
  CHECK(leaks(run.err) == none);
}

namespace {

/// The members that hold sentences for people; all others are the same in every language.
bool holds_sentences(std::string_view key) {
  static constexpr std::string_view kKeys[] = {
      "decision", "formula", "hint",  "passed_over", "message",     "notes", "note",
      "reason",   "reasons", "words", "source",      "substituted", "value", "subject",
      "advice",   "text",    "plan",  "what",        "problem",     "risk",  "load"};
  return std::ranges::find(kKeys, key) != std::end(kKeys);
}

/// Where two documents differ in what is no sentence.
void differences(const nlohmann::json& a, const nlohmann::json& b, const std::string& at,
                 std::vector<std::string>& found) {
  if (a.type() != b.type() || a.size() != b.size()) {
    found.push_back(at);
  } else if (a.is_object()) {
    for (const auto& [key, value] : a.items()) {
      if (!b.contains(key))
        found.push_back(at + "/" + key);
      else if (!(holds_sentences(key) && (value.is_string() || value.is_array())))
        differences(value, b[key], at + "/" + key, found);
    }
  } else if (a.is_array()) {
    for (std::size_t i = 0; i < a.size(); ++i) differences(a[i], b[i], at + "/" + std::to_string(i), found);
  } else if (a != b) {
    found.push_back(at + ": " + a.dump() + " and " + b.dump());
  }
}

}  // namespace

TEST_CASE("JSON differs between languages in sentences only") {
  const char* const line = GENERATE(
      "recommend --model llama-7b --task finetune -n 3", "recommend --model sdxl --task inference -n 2",
      "estimate --model llama-7b --task inference --gpu a100-80gb-sxm", "cost aws/p4d.24xlarge",
      "compare a100-80gb-sxm l40s", "gpus show t4", "instances show aws/p4d.24xlarge",
      "recommend --task render --render offline --renderer cycles --scene-vram 10 -n 2", "doctor", "catalog stats");
  const auto words = with(gpusel::test::words_of(line), {"-o", "json"});
  const Run english = ask(words);
  const Run chinese = ask(with(words, {"--lang", "zh"}));
  CAPTURE(line);
  std::vector<std::string> found;
  differences(nlohmann::json::parse(english.out), nlohmann::json::parse(chinese.out), {}, found);
  CHECK(found == std::vector<std::string>());
}

TEST_CASE("a flag of every command may stand alone, before help or before the version") {
  CHECK(is_chinese(ask({"--lang", "zh"}).out));
  CHECK(ask({"--lang", "zh"}).out.find("gpusel recommend") != std::string::npos);
  CHECK(ask({"help", "--lang", "zh"}).out == ask({"--lang=zh", "help"}).out);
  CHECK(ask({"help", "--lang", "zh"}).status == 0);
  CHECK(ask({"--lang", "zh", "--version"}).out == ask({"--version"}).out);
  CHECK(ask({"--lang", "fr"}).status == 2);
  CHECK(ask({"--lang"}).status == 2);
}

TEST_CASE("questions in Chinese are understood") {
  struct Asked {
    const char* line;
    const char* taken;
  };
  constexpr Asked kAsked[] = {
      {"gpus 昇腾910B --lang zh", "ascend-910b3"},
      {"instances 阿里云 杭州 -n 3 --lang zh", "cn-hangzhou"},
      {"recommend 千问2-7b --cloud 阿里云 --region 国内 --lang zh", "aliyun"},
      {"recommend 智谱glm4-9b --lang zh", "glm-4-9b"},
      {"estimate deepseek-r1 满血版 --gpu h200:8 --lang zh", "deepseek-r1"},
      {"recommend 混元 --lang zh", "hunyuan-a13b"},
      {"estimate llama-3.1-8b --gpu 显卡4090 --lang zh", "RTX 4090"},
      {"recommend llama-3.1-8b --max-price 每月3000元以内 --lang zh", "¥"},
      {"recommend llama-3.1-8b --task lora --budget 3千元 --lang zh", "¥3,000"},
      {"help 显存 --lang zh", "--kv-cache-dtype"},
  };
  for (const Asked& asked : kAsked) {
    const Run run = ask(gpusel::test::words_of(asked.line));
    CAPTURE(asked.line, run.out.substr(0, 600), run.err);
    CHECK(run.status == 0);
    CHECK(run.out.find(asked.taken) != std::string::npos);
  }
  CHECK(ask({"recommend", "豆包", "--lang", "zh"}).err.find("权重") != std::string::npos);
}

TEST_CASE("money is in CNY in Chinese where every cloud or place is Chinese, in lists too") {
  const auto words = with({"recommend", "qwen2-7b", "--lang", "zh", "--cloud"}, {});
  CHECK(ask(with(words, {"aliyun"})).out.find("¥") != std::string::npos);
  CHECK(ask(with(words, {"aliyun,aws"})).out.find("¥") == std::string::npos);
  CHECK(ask(with(words, {"aliyun", "--currency", "USD"})).out.find("¥") == std::string::npos);
  CHECK(ask({"cost", "ecs.gn7i-c8g1.2xlarge", "--lang", "zh"}).out.find("¥") != std::string::npos);
  CHECK(ask({"cost", "ecs.gn7i-c8g1.2xlarge"}).out.find("¥") == std::string::npos);
  const Run list = ask({"instances", "--cloud", "tencent", "--lang", "zh"});
  CHECK(list.out.find("CNY/小时") != std::string::npos);
  CHECK(list.out.find("$") == std::string::npos);
  for (const char* place : {"上海", "北京", "华东", "华北", "杭州"})
    CHECK(ask({"recommend", "qwen2-7b", place, "--lang", "zh"}).out.find("CNY") != std::string::npos);
  CHECK(ask({"recommend", "qwen2-7b", "东京", "--lang", "zh"}).out.find("CNY") == std::string::npos);
}

TEST_CASE("a term that is sold at no recorded price excludes no cloud, in every language") {
  const std::vector<std::string> spot = {"recommend", "qwen2-7b", "--cloud", "aliyun", "--term", "spot"};
  const Run english = ask(spot);
  CHECK(english.out.find("\naliyun also sells spot, but no prices are recorded") != std::string::npos);
  CHECK(english.out.find("exclude each other") == std::string::npos);
  const Run chinese = ask(with(spot, {"--lang", "zh"}));
  CHECK(chinese.out.find("抢占式") != std::string::npos);
  CHECK(chinese.out.find("[term]") == std::string::npos);
  CHECK(chinese.out.find("互相排斥") == std::string::npos);
}

TEST_CASE("Chinese puts a space between a character and a letter, and none between characters") {
  const Run spaced = ask({"explain", "limited-here", "--lang", "zh"});
  CHECK(spaced.out.find("该实例在该地域") != std::string::npos);
  const Run month = ask({"cost", "ecs.gn7i-c8g1.2xlarge", "--term", "month", "--lang", "zh"});
  CHECK(month.out.find("包月") != std::string::npos);
}

}  // namespace language_test
