// Numbers are read and written the same whatever the locale: a stream, or a call of C, that takes the global one would
// show.
#include <catch2/catch.hpp>

#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <sstream>

#include "base/io/csv.hpp"
#include "base/io/document.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/imports.hpp"
#include "show/job/recommend.hpp"
#include "show/json/yaml.hpp"
#include "show/render/csv.hpp"
#include "show/render/html/html.hpp"
#include "show/render/markdown.hpp"
#include "show/render/terminal/terminal.hpp"
#include "support/cannot_run.hpp"
#include "support/market.hpp"
#include "support/program.hpp"

namespace locale_test {

using namespace gpusel;

namespace {

/// Decimal comma and thousands dots, as in German, for C++ alone.
struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// "de_DE.UTF-8" for all of C and C++, made here because few machines have it.
class GermanMachine {
 public:
  GermanMachine() {
    const std::string made = folder_ + "/" + kName;
    // It ends with 1 where all it has to say is a warning.
    if (test::command({"localedef", "-i", "de_DE", "-f", "UTF-8", made}).status > 1 ||
        !std::filesystem::exists(made + "/LC_NUMERIC"))
      return;
    if (const char* path = std::getenv("LOCPATH")) path_before_ = path;
    setenv("LOCPATH", folder_.c_str(), 1);
    in_force_ = std::setlocale(LC_ALL, kName) != nullptr;
  }
  ~GermanMachine() {
    std::setlocale(LC_ALL, before_.c_str());
    path_before_ ? setenv("LOCPATH", path_before_->c_str(), 1) : unsetenv("LOCPATH");
  }
  GermanMachine(const GermanMachine&) = delete;
  GermanMachine& operator=(const GermanMachine&) = delete;

  static constexpr const char* kName = "de_DE.UTF-8";
  bool in_force() const { return in_force_; }
  std::map<std::string, std::string> environment() const { return {{"LOCPATH", folder_}, {"LC_ALL", kName}}; }

 private:
  std::string folder_ = test::scratch_directory();
  std::string before_ = std::setlocale(LC_ALL, nullptr);
  std::optional<std::string> path_before_;
  bool in_force_ = false;
};

std::string half_by_c() {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%.1f", 0.5);
  return text.data();
}

/// What becomes of numbers of each kind of text, in full.
std::string read() {
  const auto yaml = parse_yaml("a: 0.5\nb: [1.25e3, 1234567.5]\n", "f.yaml");
  const auto json = parse_json(R"({"a": 0.5, "b": [1.25e3, 1234567.5]})", "f.json");
  const auto csv = parse_csv("a,b\n0.5,\"1,5\"\n", "f.csv");
  REQUIRE((yaml && json && csv));
  std::string text;
  for (const Node* node : {yaml->root.find("a"), &yaml->root.find("b")->children[0], &yaml->root.find("b")->children[1],
                           json->root.find("a"), &json->root.find("b")->children[0], &json->root.find("b")->children[1],
                           csv->rows[0].find("a"), csv->rows[0].find("b")})
    text += format("{} ", plain_number(node->text).value_or(-1));
  text += format("{} {} {} {}\n", *parse_count("1.5k", {}), *parse_fraction("0.25", {}),
                 parse_memory("80.5GB", true)->amount().raw(), parse_duration("1.5h", seconds(1))->raw());
  using catalog::ImportFormat;
  for (const auto& [list, name] : {std::pair(ImportFormat::vast, "vast_offers.json"),
                                   {ImportFormat::azure_retail, "azure_page.json"},
                                   {ImportFormat::generic_csv, "prices.csv"}}) {
    const auto import = test::other(list, name);
    REQUIRE(import.market.offers().size() > 2);
    for (const catalog::Offer& offer : import.market.offers()) text += format("{} ", offer.amount);
  }
  text += "\n";
  for (const double number : {0.5, 1234.5, 1234567.5})
    text += human_number(number) + " " + human_count(number) + " " + human_price(number) + " " +
            human_duration(seconds(number)) + "\n";
  return text;
}

/// An answer in every format, from a catalogue that was read just now.
std::string printed() {
  const auto market = test::Market::own_small();
  const auto advice = market.recommend(
      R"({"model": "llama-7b", "task": "finetune", "tokens": "1.5e9", "method": "lora"})", {{"max_price", "1234.5"}});
  const auto json = show::recommend_json(advice, market.catalog(), 0);
  const auto page =
      show::recommend_page(advice, market.catalog(), {.wide = true, .explain = true, .show_rejected = true});
  return show::terminal_text(page, {}) + show::markdown_text(page) + show::html_page(page) + show::dump(json) +
         show::yaml(json) + show::csv_text(show::recommend_table(advice, market.catalog(), 0));
}

}  // namespace

TEST_CASE("a German locale of C++ changes no number") {
  const std::string plain = read() + printed();
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new German));
  std::ostringstream shows;
  shows << 1234.5;
  const std::string german = read() + printed();
  std::locale::global(before);
  REQUIRE(shows.str() == "1.234,5");  // the locale is in force
  CHECK(german == plain);
}

TEST_CASE("a German machine changes no number") {
  const auto words =
      test::words_of("recommend --model llama-7b --task finetune --cloud aws --max-price 12.5 --explain");
  const std::string plain = read() + printed();
  REQUIRE(read().starts_with("0.5 1250 1234567.5 0.5 1250 1234567.5 0.5 -1 1500 0.25 80500000000 5400\n"));
  const test::Run usual = test::ask(words, {.environment = {{"LC_ALL", "C"}}});
  std::string half, german;
  test::Run run;
  {
    const GermanMachine machine;
    if (!machine.in_force()) {
      test::cannot_run("no German locale could be made: localedef and Debian's package locales are needed");
      return;
    }
    half = half_by_c();
    german = read() + printed();
    run = test::ask(words, {.environment = machine.environment()});
  }
  REQUIRE(half == "0,5");  // the locale is in force
  CHECK(half_by_c() == "0.5");
  CHECK(german == plain);
  REQUIRE(usual.status == 0);
  CHECK(run.out == usual.out);
  CHECK(run.err == usual.err);
}

}  // namespace locale_test
