// Requests out of files and profiles: what is read, what is refused and where, and how lengths are put in buckets.
#include "job/traffic/traffic.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "support/job.hpp"
#include "support/program.hpp"

namespace traffic_test {

using namespace gpusel;
using namespace gpusel::job;
using gpusel::test::scratch_file;

namespace {

Traffic read(const std::string& text, const std::string& name = "traffic.csv") {
  const std::string path = scratch_file(name, text);
  auto traffic = read_traffic(path);
  INFO((traffic ? "" : traffic.error().where + ": " + traffic.error().message));
  REQUIRE(traffic);
  return *traffic;
}

/// "where: message" behind the file's name.
std::string refusal(const std::string& text) {
  const std::string path = scratch_file("bad-traffic.csv", text);
  const auto traffic = read_traffic(path);
  REQUIRE_FALSE(traffic);
  std::string where = traffic.error().where;
  if (where.starts_with(path)) where.erase(0, path.size());
  return where + " " + traffic.error().message;
}

bool starts(const std::string& text, std::string_view begin) {
  CAPTURE(text);
  return text.starts_with(begin);
}

const TrafficCatalog& profiles() {
  static const TrafficCatalog catalog = [] {
    auto documents = test::shipped().documents("traffic");
    for (auto& document : test::shipped().documents("daily")) documents.push_back(std::move(document));
    auto read = read_traffic_catalog(documents);
    REQUIRE(read);
    return *read;
  }();
  return catalog;
}

}  // namespace

TEST_CASE("lengths are found under the names the field gives them") {
  const char* headers[] = {
      "input_tokens,output_tokens",          "prompt_tokens,completion_tokens", "isl,osl",
      "ContextTokens,GeneratedTokens",       "Request tokens,Response tokens",  "input_length,output_length",
      "num_prefill_tokens,num_decode_tokens"};
  for (const std::string header : headers) {
    CAPTURE(header);
    const Traffic traffic = read(header + "\n100,10\n300,30\n");
    CHECK(traffic.requests == 2);
    CHECK(traffic.mean_input == 200);
    CHECK(traffic.mean_output == 20);
    CHECK_FALSE(traffic.requests_per_s);
  }
}

TEST_CASE("the Azure traces' times give the rate") {
  const Traffic traffic = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n2023-11-16 18:15:51.6805900,879,55\n");
  CHECK(*traffic.requests_per_s == Approx(2 / 5.0));
  CHECK(traffic.mean_input == Approx(549.67).margin(0.01));
  CHECK_FALSE(traffic.day);
}

TEST_CASE("JSON Lines are read, with usage records and times of other kinds") {
  const Traffic flat =
      read("{\"isl\": 5, \"osl\": 7, \"arrival_s\": 0.5}\n\n{\"isl\": 7, \"osl\": 9, \"arrival_s\": 2.5}");
  CHECK(flat.mean_input == 6);
  CHECK(*flat.requests_per_s == Approx(0.5));
  const Traffic nested = read(
      "{\"id\": \"a\", \"usage\": {\"prompt_tokens\": 12, \"completion_tokens\": 3}, \"timestamp\": "
      "\"2024-05-10T08:30:00Z\"}\n"
      "{\"id\": \"b\", \"usage\": {\"prompt_tokens\": 14, \"completion_tokens\": 5}, \"timestamp\": "
      "\"2024-05-10T10:30:10+02:00\"}\n");
  CHECK(nested.mean_output == 4);
  CHECK(*nested.requests_per_s == Approx(0.1));
  CHECK(*read("timestamp_ms,isl,osl\n0,1,1\n500,1,1\n").requests_per_s == Approx(2));
}

TEST_CASE("byte order marks, carriage returns, quotes and remarks are no matter") {
  const Traffic traffic = read(
      "\xEF\xBB\xBF# a trace\r\nprompt,input_tokens,\"output_tokens\"\r\n\"say "
      "\"\"hi\"\",\nplease\",\"12\",3\r\n,4,5\r\n");
  CHECK(traffic.requests == 2);
  CHECK(traffic.mean_input == 8);
}

TEST_CASE("what is wrong in a file is said with its line") {
  CHECK(starts(refusal("isl,osl\n10,20\n-5,3\n"), ":3:1 '-5' is not a number of tokens"));
  CHECK(starts(refusal("isl,osl\n10,2.5\n"), ":2:4 '2.5' is not a number of tokens"));
  CHECK(starts(refusal("isl,osl\n10,nan\n"), ":2:4 'nan' is not a number of tokens"));
  CHECK(starts(refusal("isl,osl\n10,\n"), ":2:1 no length of answers"));
  CHECK(starts(refusal("a,b\n1,2\n"), ":1:1 no length of prompts"));
  CHECK(starts(refusal("isl,other\n1,2\n"), ":1:1 no length of answers"));
  CHECK(starts(refusal("isl,input_tokens,osl\n1,2,3\n"), ":1:5 'input_tokens' is a second column"));
  CHECK(starts(refusal("isl,osl\n1,2,3\n"), ":2:5 the row has 3 cells"));
  CHECK(starts(refusal("isl,osl,time\n1,2,yesterday\n"), ":2:5 'yesterday' is not a time"));
  CHECK(starts(refusal("isl,osl,time\n1,2,5\n1,2,\n"), ":3:1 no time"));
  CHECK(starts(refusal("{\"isl\": 1, \"osl\": 2}\n{\"isl\": 1}\n"), ":2:"));
  CHECK(starts(refusal("{\"isl\": 1, \"osl\": 2}\n{\"isl\": \n"), ":2"));
  CHECK(starts(refusal("[{\"isl\": 1}]"), " it is a list"));
  CHECK(starts(refusal(""), " it has no request"));
  CHECK(starts(refusal("isl,osl\n"), " it has no request"));
  CHECK(starts(refusal("isl,osl\n5,0\n6,0\n"), " no request of it was answered"));
  CHECK_FALSE(read_traffic("/nowhere/requests.csv"));
  CHECK_FALSE(read_traffic("/tmp"));
}

TEST_CASE("a record without end is refused, not read into memory") {
  CHECK(starts(refusal("isl,osl\n1,2\n\"" + std::string(5 << 20, 'x')), ":"));
  const std::string line = "{\"isl\": 1, \"osl\": 2, \"text\": \"" + std::string(5 << 20, 'x') + "\"}\n";
  CHECK(starts(refusal(line + line), ":1 a record of more than 4 MiB"));
}

TEST_CASE("a file of many pieces keeps its lines and its sums") {
  std::string text = "isl,osl,time_s\n";
  constexpr int kRows = 60000;
  for (int i = 0; i < kRows; ++i) text += std::to_string(1 + i % 100) + ",10," + std::to_string(i) + "\n";
  const Traffic traffic = read(text);
  CHECK(traffic.requests == kRows);
  CHECK(traffic.mean_input == Approx(50.5));
  CHECK(*traffic.requests_per_s == Approx(1));
  CHECK(starts(refusal(text + "x,1,1\n"), ":60002:1 'x' is not a number of tokens"));
}

TEST_CASE("answers of no token are left out and counted") {
  const Traffic traffic = read("isl,osl\n10,20\n30,0\n");
  CHECK(traffic.unanswered == 1);
  CHECK(traffic.mean_input == 10);
}

TEST_CASE("times of a whole day give its course") {
  // One request each minute, and a second one in the hour from noon.
  std::string text = "time_s,isl,osl\n";
  for (int minute = 0; minute < 24 * 60; ++minute)
    for (int i = 0; i < (minute / 60 == 12 ? 2 : 1); ++i) text += std::to_string(minute * 60) + ",8,8\n";
  text += "86400,8,8\n";
  const Traffic traffic = read(text);
  REQUIRE(traffic.day);
  CHECK((*traffic.day)[12] / (*traffic.day)[11] == Approx(2));
  double sum = 0;
  for (const double hour : *traffic.day) sum += hour;
  CHECK(sum == Approx(24));
  CHECK(*traffic.busiest == Approx(2).margin(0.1));
}

TEST_CASE("buckets are geometric, few, and lose no request") {
  Histogram histogram;
  for (int i = 1; i <= 20000; ++i) histogram.add(i, 1 + (i * 7919) % 3000);
  const auto buckets = histogram.buckets();
  CHECK(buckets.size() <= 64);
  double share = 0;
  double input = 0;
  for (const Bucket& bucket : buckets) {
    share += bucket.share;
    input += bucket.share * bucket.input;
    CHECK(bucket.input <= bucket.input_up_to);
    CHECK(bucket.output <= bucket.output_up_to);
  }
  CHECK(share == Approx(1));
  CHECK(input == Approx(10000.5));
  CHECK(fixed_traffic(1000, 100).buckets.size() == 1);
}

TEST_CASE("a profile has the lengths that are published of it") {
  const auto& chat = *std::ranges::find(profiles().profiles, "chat", &TrafficProfile::id);
  CHECK(chat.input.median == 1730);
  CHECK(chat.input.at(0.9) == Approx(5696));
  const auto& code = *std::ranges::find(profiles().profiles, "code", &TrafficProfile::id);
  CHECK(code.input.at(0.5) == 1469);
  CHECK(code.input.mean() == Approx(2048).epsilon(0.03));
  CHECK(code.gap_cv > 5);
  for (const TrafficProfile& profile : profiles().profiles) {
    CAPTURE(profile.id);
    CHECK(test::shipped().source(profile.source) != nullptr);
    CHECK(traffic_of(profile).buckets.size() <= 64);
  }
}

TEST_CASE("a day of the shipped profiles has a mean of one") {
  for (const DailyProfile& day : profiles().days) {
    CAPTURE(day.id);
    double sum = 0;
    for (const double hour : day.multipliers) sum += hour;
    CHECK(sum == Approx(24).epsilon(0.002));
    CHECK((day.source.empty() || test::shipped().source(day.source) != nullptr));
  }
}

TEST_CASE("a day's file has 24 multipliers") {
  std::string text = "# from midnight\n";
  for (int i = 0; i < 24; ++i) text += std::to_string(i) + (i % 6 == 5 ? "\n" : ", ");
  const auto day = read_day(scratch_file("day.txt", text));
  REQUIRE(day);
  CHECK((*day)[23] == 23);
  CHECK_FALSE(read_day(scratch_file("day.txt", "1 2 3")));
  CHECK_FALSE(read_day(scratch_file("day.txt", text + " 1")));
  CHECK_FALSE(read_day(scratch_file("day.txt", "x" + text)));
}

TEST_CASE("times are read as they are written, and nothing else is one") {
  CHECK(*parse_time("1970-01-02 00:00:01.5") == Approx(86401.5));
  CHECK(*parse_time("2024-05-10T00:00:00.009930+00:00") == Approx(1715299200.00993));
  CHECK(*parse_time("2024-05-10T02:00:00+02:00") == *parse_time("2024-05-10 00:00:00Z"));
  for (const char* bad : {"", "2024", "2024-05-10", "2024-13-10 00:00:00", "2024-02-30 00:00:00", "2024-05-10 24:00:00",
                          "2024-05-10 00:00:00 x", "2024-05-10 00:00:00+2"})
    CHECK_FALSE(parse_time(bad));
}

}  // namespace traffic_test
