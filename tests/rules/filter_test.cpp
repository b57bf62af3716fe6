// The filter language: precedence, units, unknowns, and input of every bad kind.
#include "rules/filter/filter.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace filter_test {

using namespace gpusel;
using rules::ColumnType;
using rules::Filter;
using rules::Value;

namespace {

constexpr rules::ColumnInfo kColumns[] = {{"memory_gb", ColumnType::number, "GB"},
                                          {"price", ColumnType::number},
                                          {"provider", ColumnType::text},
                                          {"nvlink", ColumnType::boolean},
                                          {"aliases", ColumnType::text},
                                          {"capability", ColumnType::version},
                                          {"as_of", ColumnType::date},
                                          {"missing", ColumnType::number}};
constexpr rules::ColumnAlias kAliases[] = {
    {"vram", "gpu_memory_gb memory_gb"}, {"cloud", "provider"}, {"gone", "nowhere"}};

struct Machine final : rules::Row {
  Value value(std::size_t column) const override {
    switch (column) {
      case 0: return 48.0;
      case 1: return 2.5;
      case 2: return std::string_view("Aws_East");
      case 3: return 1.0;
      case 4: return std::string_view("l40s\nL40S-48GB");
      case 5: return std::string_view("8.9");
      case 6: return 20260720.0;
      default: return {};
    }
  }
};

bool passes(const std::string& text) {
  const auto filter = Filter::read(text, kColumns, kAliases);
  INFO(text << ": " << (filter ? "" : filter.error().message));
  REQUIRE(filter.has_value());
  return filter->passes(Machine());
}

std::string complaint(const std::string& text) {
  const auto filter = Filter::read(text, kColumns, kAliases);
  if (filter) return {};
  return filter.error().message + (filter.error().hint.empty() ? "" : "; " + filter.error().hint);
}

}  // namespace

TEST_CASE("a column by itself asks for some of a figure, for a text that is known, for what is true") {
  for (const char* yes : {"vram", "price && vram", "cloud", "nvlink", "as_of", "capability", "not missing or vram"})
    CHECK(passes(yes));
  for (const char* no : {"missing", "vram && missing", "!vram", "not cloud"}) CHECK_FALSE(passes(no));
}

TEST_CASE("comparisons of numbers, with units and ranges") {
  for (const char* yes : {"memory_gb>=48", "memory_gb >= 48GB", "vram<49 GB", "memory_gb=48", "memory_gb==48.0",
                          "price<3", "price != 3", "vram>40GiB", "vram=40..80", "vram = 24+", "vram=..48", "price<=2.5",
                          "VRAM>0.04TB", "memory-gb > 0", "vram in (24, 48)", "price in (1..2, 2.4..2.6)"})
    CHECK(passes(yes));
  for (const char* no :
       {"memory_gb>48", "vram<48", "price>=3", "memory_gb=47.9", "vram!=48", "vram=80+", "vram in (24,80)"})
    CHECK_FALSE(passes(no));
}

TEST_CASE("a space stands only between a number and its unit, and a share is a number") {
  for (const char* text : {"price<3 4", "price<3 .5", "vram>4 8GB", "price in (1 2, 3)", "price<3 e5"})
    CHECK(complaint(text).starts_with("character "));
  CHECK(complaint("price<3 4").starts_with("character 9: "));
  CHECK(passes("vram<49 GB && price<3"));
  CHECK(passes("price = 5/2"));
  CHECK(passes("price > 1/8"));
  CHECK_FALSE(complaint("price > 1/0").empty());
  CHECK_FALSE(complaint("vram > 96/2").empty());
}

TEST_CASE("texts are alike whatever their case, patterns find, lists hold") {
  for (const char* yes :
       {"provider=aws_east", "provider == 'AWS-EAST'", "cloud ~ ^aws", "cloud =~ 'EAST$'", "cloud !~ gcp",
        "cloud in (gcp, \"aws east\")", "cloud not in (gcp)", "aliases = L40S", "aliases ~ 48gb$", "cloud != gcp"})
    CHECK(passes(yes));
  for (const char* no : {"provider=aws", "cloud in (gcp,azure)", "cloud not in (aws_east)", "aliases=l40",
                         "cloud !~ aws", "aliases != l40s"})
    CHECK_FALSE(passes(no));
}

TEST_CASE("versions go by their figures and dates by the calendar") {
  for (const char* yes :
       {"capability>=8.9", "capability < 10.0", "capability = 8.9", "as_of>=2026-07-01", "as_of = 2026-07",
        "as_of < 2026-08", "as_of <= 2026-07", "as_of > 2025", "as_of=2026-07-20", "as_of in (2025, 2026)"})
    CHECK(passes(yes));
  for (const char* no : {"capability>8.9", "as_of > 2026-07", "as_of>2026-07-20", "as_of=2026-06"})
    CHECK_FALSE(passes(no));
}

TEST_CASE("and binds before or, not before and, parentheses before all") {
  CHECK(passes("vram>1 || vram>1 && vram<1"));
  CHECK_FALSE(passes("(vram>1 || vram>1) && vram<1"));
  CHECK(passes("not vram<1 and price<3"));
  CHECK_FALSE(passes("not (vram<1 or price<3)"));
  CHECK(passes("!vram<1 && !!nvlink"));
  CHECK(passes("vram<1 or price<1 OR nvlink"));
  CHECK(passes("nvlink && nvlink=true && nvlink != no"));
  CHECK_FALSE(passes("!nvlink"));
}

TEST_CASE("what is not known passes neither a comparison nor its opposite") {
  CHECK_FALSE(passes("missing>1"));
  CHECK_FALSE(passes("!(missing>1)"));
  CHECK_FALSE(passes("missing != 1"));
  CHECK(passes("missing>1 || vram>1"));
  CHECK_FALSE(passes("missing>1 && vram>1"));
  CHECK_FALSE(passes("!(missing>1 && vram>1)"));
  CHECK(passes("!(missing>1 && vram<1)"));
  CHECK(passes("unknown(missing) && known(price)"));
  CHECK(passes("missing == unknown && price != unknown"));
  CHECK_FALSE(passes("known(missing)"));
}

TEST_CASE("bad filters are told what is wrong and where") {
  const std::map<std::string, std::string> wrong{
      {"vrm>4", "character 1: there is no column 'vrm'; did you mean 'vram'?"},
      {"price<3 && gpu>1", "character 12: there is no column 'gpu'"},
      {"gone>1", "there is no column 'gone'"},
      {"vram>", "character 6: a value was expected, found 'the end'"},
      {"vram>4GB/s", "memory_gb: '4GB/s' is not an amount in GB"},
      {"vram>lots", "'lots' is not an amount in GB"},
      {"vram ~ 4", "'memory_gb' is not text"},
      {"cloud>aws", "'provider' is text and has no >"},
      {"nvlink>1", "'nvlink' is true or false and has no >"},
      {"nvlink=maybe", "'nvlink' is true or false"},
      {"cloud ~ '('", "is not a regular expression"},
      {"cloud='aws", "this quote is never closed"},
      {"(vram>1", "')' was expected, found 'the end'"},
      {"vram>1)", "'&&' or '||' was expected, found ')'"},
      {"vram>1 price<3", "'&&' or '||' was expected, found 'price'"},
      {"vram>1 & price<3", "write && or and"},
      {"vram>1 | price<3", "write || or or"},
      {"", "a column was expected"},
      {"&&", "a column was expected"},
      {"cloud in aws", "'(' was expected"},
      {"cloud in ()", "a value was expected"},
      {"cloud in (aws", "')' or ',' was expected"},
      {"known(", "a column was expected"},
      {"known(vram", "')' was expected"},
      {"as_of>soon", "'as_of' is a date; write it like"},
      {"capability>new", "'capability' is compared with a number"},
      {"vram=..", "an empty range says nothing"},
      {"vram>1\x01", "unexpected "}};
  for (const auto& [text, says] : wrong) {
    CAPTURE(text, complaint(text));
    CHECK(complaint(text).find(says) != std::string::npos);
  }
}

TEST_CASE("long and deep filters end in an answer or an error") {
  std::string chain = "vram>1";
  for (int i = 0; i < 1000; ++i) chain += " && vram>1";
  CHECK(passes(chain));
  CHECK(complaint(std::string(5000, '(') + "vram>1").find("nested more than") != std::string::npos);
  CHECK(complaint(std::string(5000, '!') + "nvlink").find("nested more than") != std::string::npos);
  CHECK(passes(std::string(60, '(') + "vram>1" + std::string(60, ')')));
  CHECK(complaint(std::string(100000, 'a')).find("more than") != std::string::npos);
}

TEST_CASE("a filter knows which columns it speaks of") {
  const auto filter = Filter::read("vram>1 && !(known(price) || cloud=aws)", kColumns, kAliases);
  REQUIRE(filter.has_value());
  CHECK(filter->uses(0));
  CHECK(filter->uses(1));
  CHECK(filter->uses(2));
  CHECK_FALSE(filter->uses(3));
}

}  // namespace filter_test
