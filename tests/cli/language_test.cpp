// In what language a run speaks, and that programs do not notice.
#include <catch2/catch.hpp>

#include "cli/language.hpp"
#include "support/program.hpp"

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

TEST_CASE("bad input is told in the person's language") {
  const Run run = ask({"recommend", "--modle", "x"}, {.environment = {{"LANG", "zh_CN.UTF-8"}}});
  CHECK(run.status == 2);
  CHECK(run.err == "gpusel: 未知的参数 '--modle'; 是否指 '--mode' 或 '--model'？\n");
}

TEST_CASE("help is Chinese for every command, group and flag") {
  const auto command = GENERATE("recommend", "estimate", "compare", "cost", "fleet", "whatif", "verify", "gpus");
  const Run run = ask({command, "--help", "--lang", "zh"});
  REQUIRE(run.status == 0);
  for (const char* english : {"Usage", "Options:", "SUBCOMMAND", "this help", "Examples:", "Output and data"})
    CHECK(run.out.find(english) == std::string::npos);
}
