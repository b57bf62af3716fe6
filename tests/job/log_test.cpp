// Logs of requests: what the field's kinds look like, which unit their times are in, and what is refused.
#include "job/traffic/log.hpp"

#include <catch2/catch.hpp>

#include "support/program.hpp"

namespace log_test {

using namespace gpusel;
using namespace gpusel::job;
using gpusel::test::scratch_file;

namespace {

RequestLog read(const std::string& text, const LogOptions& options = {}) {
  auto log = read_log(scratch_file("log.csv", text), options);
  INFO((log ? "" : log.error().where + ": " + log.error().message));
  REQUIRE(log);
  return *log;
}

Error refusal(const std::string& text, const LogOptions& options = {}) {
  const std::string path = scratch_file("bad-log.csv", text);
  auto log = read_log(path, options);
  REQUIRE_FALSE(log);
  Error error = log.error();
  if (error.where.starts_with(path)) error.where.erase(0, path.size());
  return error;
}

/// Requests at so many per unit of time, under that name.
std::string stream(const std::string& name, double gap, int count = 100, double begin = 0) {
  std::string text = name + ",isl,osl\n";
  for (int i = 0; i < count; ++i) text += std::to_string(begin + gap * i) + ",100,10\n";
  return text;
}

}  // namespace

TEST_CASE("Azure's times are dates") {
  const auto log = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 "
      "18:15:50.9951690,396,109\n");
  CHECK(log.unit_from == TimeUnitFrom::dates);
  CHECK(log.requests.all[0].arrival == 0);
  CHECK(log.requests.all[1].arrival == Approx(4.314579));
  CHECK(log.requests.all[1].input == 396);
}

TEST_CASE("Mooncake's times are milliseconds, and its blocks are shared prefixes") {
  const auto log = read(
      "{\"timestamp\":0,\"input_length\":1200,\"output_length\":6,\"hash_ids\":[0,1,2]}\n"
      "{\"timestamp\":27482,\"input_length\":1500,\"output_length\":4,\"hash_ids\":[0,1,7]}\n");
  CHECK(log.unit == TimeUnit::ms);
  CHECK(log.unit_from == TimeUnitFrom::format);
  CHECK(log.requests.all[1].arrival == Approx(27.482));
  std::vector<std::pair<std::uint64_t, std::uint32_t>> blocks;
  log.requests.for_each_block(log.requests.all[1], [&](std::uint64_t id, std::uint32_t tokens, bool grows) {
    blocks.emplace_back(id, tokens);
    CHECK_FALSE(grows);
    return true;
  });
  CHECK(blocks == std::vector<std::pair<std::uint64_t, std::uint32_t>>{{0, 512}, {1, 512}, {7, 476}});
}

TEST_CASE("BurstGPT's times are seconds, however whole they are") {
  const auto log = read(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,230,1317,Conversation log\n");
  CHECK(log.unit == TimeUnit::s);
  CHECK(log.unit_from == TimeUnitFrom::format);
  CHECK(log.requests.all[1].arrival == 40);
}

TEST_CASE("results of vLLM's and GuideLLM's benchmarks are logs") {
  const auto vllm = read(
      "{\"date\": \"20260101\", \"num_prompts\": 2, \"input_lens\": [10, 20], \"output_lens\": [5, 6], \"ttfts\": "
      "[0.1, NaN], "
      "\"start_times\": [100.5, 101.0]}");
  CHECK(vllm.requests.all.size() == 2);
  CHECK(vllm.requests.all[1].arrival == Approx(0.5));
  CHECK(vllm.unit_from == TimeUnitFrom::format);
  const auto untimed = read("{\"input_lens\": [10, 20], \"output_lens\": [5, 6]}");
  CHECK_FALSE(untimed.timed);
  const auto guidellm = read(
      "{\n \"benchmarks\": [{\"requests\": {\"successful\": [\n"
      "  {\"prompt_tokens\": 7, \"output_tokens\": 3, \"start_time\": 1760000000.25},\n"
      "  {\"prompt_tokens\": 8, \"output_tokens\": 4, \"start_time\": 1760000001.5}]}}]\n}");
  CHECK(guidellm.requests.all[1].arrival == Approx(1.25));
  CHECK(guidellm.requests.all[1].input == 8);
  CHECK(refusal("{\n \"benchmarks\": [{}, {}]\n}").message.starts_with("the file has 2 benchmarks"));
}

TEST_CASE("the unit of times is what the name says, what is stated, or what alone is plausible") {
  CHECK(read(stream("arrival_ms", 250)).requests.all[1].arrival == Approx(0.25));
  CHECK(read(stream("created_at_us", 250000)).unit == TimeUnit::us);
  CHECK(read(stream("start_time_ns", 25e6)).requests.all[1].arrival == Approx(0.025));
  CHECK(read(stream("arrival_s", 25)).unit_from == TimeUnitFrom::column);
  // 50 a second, or 50,000: nothing but seconds.
  const auto alone = read(stream("arrival", 0.02));
  CHECK(alone.unit == TimeUnit::s);
  CHECK(alone.unit_from == TimeUnitFrom::detection);
  CHECK(read(stream("time", 0.02), {.time_unit = TimeUnit::ms}).unit_from == TimeUnitFrom::option);
  // Since 1970.
  CHECK(read(stream("timestamp", 300, 50, 1.7e12)).unit == TimeUnit::ms);
  CHECK(read(stream("timestamp", 3, 50, 1.7e9)).unit == TimeUnit::s);
}

TEST_CASE("a clock that counts since it was started is none since 1970") {
  CHECK(refusal(stream("timestamp", 300, 100, 1.6e9)).message ==
        "the unit of its times is unclear: 0.0033/s as s, 3.3/s as ms");
  CHECK(read(stream("timestamp", 300, 100, 2.6e9), {.time_unit = TimeUnit::ms}).unit == TimeUnit::ms);
  CHECK(read(stream("created", 3, 50, 1.7e9)).unit == TimeUnit::s);  // OpenAI's name for it
}

TEST_CASE("a prompt of no token is refused with its line") {
  const Error none = refusal("arrival_s,isl,osl\n0,100,10\n1,0,10\n");
  CHECK(none.message == "a prompt of 0 tokens has no answer");
  CHECK(none.where == ":3:3");
}

TEST_CASE("where two units are plausible, none is taken") {
  const Error doubt = refusal(stream("timestamp", 300));
  CHECK(doubt.message == "the unit of its times is unclear: 0.0033/s as s, 3.3/s as ms");
  CHECK(doubt.hint == "use --time-unit s, ms, us or ns");
  CHECK(refusal(stream("timestamp", 0.6)).message.find("1.7/s as s, 1.7e+03/s as ms") != std::string::npos);
  CHECK(read(stream("timestamp", 300), {.time_unit = TimeUnit::ms}).requests.all[1].arrival == Approx(0.3));
}

TEST_CASE("times that fall are sorted and counted; kinds of times do not mix") {
  const auto log = read("arrival_s,isl,osl\n5,1,1\n3,2,2\n4,3,3\n");
  CHECK(log.unsorted == 1);
  CHECK(log.requests.all[0].input == 2);
  CHECK(log.requests.all[2].arrival == 2);
  CHECK(refusal("timestamp,isl,osl\n2024-05-10 08:30:00,1,1\n17,1,1\n").where == ":3:1");
  CHECK(refusal("arrival_s,isl,osl\n1,1,1\n-2,1,1\n").message == "'-2' is not a time");
  CHECK(refusal("arrival_s,isl,osl\n1,1,1\nsoon,1,1\n").where == ":3:1");
}

TEST_CASE("a file that is cut off says where") {
  CHECK(refusal("{\"isl\": 1, \"osl\": 2}\n{\"isl\": 3, \"os").where.starts_with(":2"));
  CHECK(refusal("{\"timestamp\": 1, \"input_length\": 1, \"output_length\": 2, \"hash_ids\": [1, \"x\"]}\n").message ==
        "'x' is not the id of a block");
}

TEST_CASE("sessions grow over their requests") {
  const auto log = read("arrival_s,isl,osl,session_id\n0,100,10,a\n1,50,5,b\n2,200,10,a\n");
  CHECK(log.requests.all[0].prefix == log.requests.all[2].prefix);
  CHECK(log.requests.all[0].prefix != log.requests.all[1].prefix);
  bool grew = false;
  log.requests.for_each_block(log.requests.all[2], [&](std::uint64_t, std::uint32_t tokens, bool grows) {
    grew = grows && tokens == 200;
    return true;
  });
  CHECK(grew);
}

}  // namespace log_test
