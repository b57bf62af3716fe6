// Texts that have brought other readers down, fed to every target; and files beyond the documented limits, by every
// command that reads them.
#include <catch2/catch.hpp>

#include "fuzz/corpus.hpp"
#include "support/bounds.hpp"
#include "support/program.hpp"

namespace hostile_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

std::string times(const std::string& text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

/// Nine of the level before in each of eleven levels: ten thousand million texts.
std::string alias_bomb() {
  std::string text = "a0: &a0 lol\n";
  for (int level = 1; level <= 11; ++level) {
    const std::string before = "*a" + std::to_string(level - 1);
    text +=
        "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [" + times(before + ", ", 8) + before + "]\n";
  }
  return text;
}

std::string utf16(const std::string& text, bool little) {
  std::string out = little ? "\xFF\xFE" : "\xFE\xFF";
  for (const char c : text) {
    if (!little) out += '\0';
    out += c;
    if (little) out += '\0';
  }
  return out;
}

std::vector<std::string> hostile_texts() {
  constexpr std::size_t kDeep = 100'000;
  std::vector<std::string> texts{alias_bomb(),
                                 "",
                                 "\xEF\xBB\xBF",
                                 std::string(1, '\0'),
                                 "\xC0\x80\xFF\xFE",
                                 "\xED\xA0\x80",
                                 "\xF4\x90\x80\x80",
                                 utf16("gpus: []\n", true),
                                 utf16("{\"a\": 1}", false),
                                 times("9", kDeep),
                                 "1e400",
                                 "-1e400",
                                 "NaN",
                                 "inf",
                                 "1e-400",
                                 times("x", kDeep),
                                 times("\n", kDeep),
                                 times("\r\n", 1000),
                                 times(",", kDeep),
                                 times(" ", kDeep),
                                 "\x1B[31m",
                                 "# \x1B]0;title\x07"};
  for (const char* level : {"[", "{", "{\"a\":", "[{\"a\":[", "- ", "? ", "a: {", "(", "not (", "!", "((", "\"", "'",
                            "<!--", "&a ", "*a ", "!!a ", "--- ", "%A\n"})
    texts.push_back(times(level, kDeep));
  std::string steps;
  for (int i = 0; i < 400; ++i) steps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  texts.push_back(std::move(steps));
  return texts;
}

/// Its numbers replaced one and all.
std::string with_numbers(const std::string& text, const std::string& number) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find_first_not_of("0123456789.", at);
    const bool digit = text[at] >= '0' && text[at] <= '9';
    if (digit) out += number;
    if (!digit) out += text[at];
    at = digit ? std::min(end, text.size()) : at + 1;
  }
  return out;
}

std::string with_lines(const std::string& text, const std::string& end) {
  std::string out;
  for (const char c : text) out += c == '\n' ? end : std::string(1, c);
  return out;
}

/// What may become of a good text on its way.
std::vector<std::string> variants(const std::string& text) {
  const std::size_t half = text.size() / 2;
  std::vector<std::string> all{"\xEF\xBB\xBF" + text,
                               with_lines(text, "\r\n"),
                               utf16(text, true),
                               text.substr(0, half),
                               text.substr(0, half) + '\0' + text.substr(half),
                               text.substr(0, half) + '\xFF' + text.substr(half),
                               text + text};
  for (const char* number : {"1e400", "NaN", "-1", "0", "1e300", "1e-300", "0.5"})
    all.push_back(with_numbers(text, number));
  all.push_back(with_numbers(text, times("9", 5000)));
  return all;
}

/// Of its own seeds only: the others are many.
void feed_variants(std::size_t part, std::size_t parts) {
  const auto all = fuzz::targets();
  for (std::size_t i = part; i < all.size(); i += parts) {
    const fuzz::Target& target = all[i];
    INFO("target " << target.name);
    for (const std::string& file : fuzz::files_of(target)) {
      if (file.find("/fuzz/seeds/") == std::string::npos) continue;
      INFO(file);
      for (const std::string& text : variants(read_file(file))) {
        const test::Bounds bounds;
        CHECK_NOTHROW(target.run(text));
      }
    }
  }
}

/// How a file begins that the command begins to accept: what comes next belongs to the last value.
struct Reader {
  const char* words;  // of the command; FILE stands for the file
  std::string begin;
  int status;        // where that value has no end
  const char* says;  // on either stream
};

std::string first_line(const std::string& sample) {
  return lines_of(read_file(kSource + "/tests/catalog/import/" + sample))[0] + "\n";
}

constexpr const char* kTooLarge = "it is larger than 32 MiB";
constexpr const char* kLongRow = "a line of more than 1 MiB";
constexpr const char* kLongValue = "a value of more than 4 MiB";

std::vector<Reader> readers() {
  const std::string answer = R"({"schema": "gpusel.recommend/1", "id": ")", cell = "task,model,gpu,gpus\n\"";
  return {
      {"gpus l4 --overlay FILE", "gpus:\n  - id: ", 2, kTooLarge},
      {"recommend --model llama-7b --task finetune --rules FILE", "rules:\n  - id: ", 2, kTooLarge},
      {"check --model llama-7b --task finetune --policy FILE", "policies:\n  - id: ", 2, kTooLarge},
      {"check --policy tests/schema/files/policy.yaml FILE", answer, 2, kTooLarge},
      {"export skypilot FILE", answer, 2, kTooLarge},
      {"diff FILE", R"({"schema": "gpusel.lock/1", "id": ")", 2, kTooLarge},
      {"recommend --stages FILE", "stages:\n  - name: ", 2, kTooLarge},
      {"models show FILE", R"({"model_type": ")", 2, kTooLarge},
      {"verify FILE", cell, 2, kTooLarge},
      {"calibrate --dry-run FILE", cell, 2, kTooLarge},
      {"cost -", answer, 2, kTooLarge},
      {"fleet --model llama-3.1-8b --traffic FILE", R"({"timestamp": ")", 2, "a record of more than 4 MiB"},
      {"estimate --batch FILE", R"({"task": ")", 1, "a request of more than 4 MiB"},
      {"mcp", R"({"jsonrpc": "2.0", "method": ")", 0, "a message of more than 4 MiB"},
      {"catalog import --from skypilot --cloud gcp --dry-run FILE", first_line("sky/gcp.csv") + '"', 3, kLongRow},
      {"catalog import --from gpuhunt --cloud gcp --dry-run FILE", first_line("other/gcp_gpuhunt.csv") + '"', 3,
       kLongRow},
      {"catalog import --from generic-csv --dry-run FILE", first_line("other/prices.csv") + '"', 3, kLongRow},
      {"catalog import --from aws-pricing --dry-run FILE",
       R"({"formatVersion": "v1.0", "offerCode": "AmazonEC2", "products": {"A": {"sku": ")", 3, kLongValue},
      {"catalog import --from azure-retail --dry-run FILE", R"({"Items": [{"currencyCode": ")", 3, kLongValue},
      {"catalog import --from vast --dry-run FILE", R"([{"id": 1, "gpu_name": ")", 3, kLongValue},
  };
}

struct Fed : Run {
  bool whole = false;  // everything was taken in
};

/// The command, fed so many bytes behind that beginning through a pipe, in no more memory and processor time than it
/// may take.
Fed fed(const Reader& reader, std::size_t bytes) {
  std::string words = reader.words;
  if (const auto at = words.find("FILE"); at != std::string::npos) words.replace(at, 4, "/dev/stdin");
  std::string limit = "ulimit -t 120; ";
#ifndef __SANITIZE_ADDRESS__  // it keeps more address space than there is memory
  limit += "ulimit -v 400000; ";
#endif
  const std::string begin = scratch_file("begin", reader.begin), end = scratch_file("end", "");
  // A reader that ends before kills what writes to it.
  const Run run =
      shell("{ cat '" + begin + "'; head -c " + std::to_string(bytes) + " /dev/zero | tr '\\0' x && echo >'" + end +
            "'; } 2>/dev/null | { " + limit + "gpusel " + words + "; }");
  return {run, !read_file(end).empty()};
}

/// Of those a line that is too long is answered, and the next one is looked for.
bool reads_lines(const Reader& reader) {
  return std::string_view(reader.says) == kLongRow || std::string_view(reader.words).starts_with("estimate") ||
         std::string_view(reader.words) == "mcp";
}

}  // namespace

TEST_CASE("hostile texts are refused by every reader, or read", "[fuzz]") {
  const auto texts = hostile_texts();
  for (const fuzz::Target& target : fuzz::targets()) {
    INFO("target " << target.name);
    for (const std::string& text : texts) {
      INFO(text.substr(0, 60));
      const test::Bounds bounds;
      CHECK_NOTHROW(target.run(text));
    }
  }
}

TEST_CASE("good texts gone wrong are refused by every reader, or read: first part", "[fuzz]") { feed_variants(0, 2); }
TEST_CASE("good texts gone wrong are refused by every reader, or read: second part", "[fuzz]") { feed_variants(1, 2); }

TEST_CASE("a value without an end is refused at its limit", "[fuzz]") {
  for (const Reader& reader : readers()) {
    const std::size_t mebibytes = std::string_view(reader.says) == kTooLarge ? 33 : 5;
    const Run run = fed(reader, mebibytes << 20U);
    CAPTURE(reader.words, run.err.substr(0, 300), run.out.substr(0, 300));
    CHECK(run.status == reader.status);
    CHECK((run.err + run.out).find(reader.says) != std::string::npos);
    CHECK(run.err.size() + run.out.size() < 2000);
  }
}

TEST_CASE("a gigabyte without an end is refused long before it is read", "[bare][fuzz]") {
  for (const Reader& reader : readers()) {
    if (reads_lines(reader)) continue;
    const Fed run = fed(reader, std::size_t{1} << 30U);
    CAPTURE(reader.words, run.err.substr(0, 300), run.out.substr(0, 300));
    CHECK(run.status == reader.status);
    CHECK((run.err + run.out).find(reader.says) != std::string::npos);
    CHECK_FALSE(run.whole);
  }
}

TEST_CASE("of a long value that is wrong only the beginning is quoted", "[fuzz]") {
  constexpr std::size_t kWithinAll = 200'000;
  for (const Reader& reader : readers()) {
    const Run run = fed(reader, kWithinAll);
    CAPTURE(reader.words, run.err.substr(0, 300), run.out.substr(0, 300));
    CHECK(run.status < 128);
    CHECK((run.err + run.out).find(reader.says) == std::string::npos);
    CHECK(run.err.size() + run.out.size() < 2000);
  }
}

TEST_CASE("a snapshot without an end is refused", "[fuzz]") {
  const std::string path = scratch_directory() + "/market.snapshot";
  REQUIRE(
      ask({"catalog", "import", "--from", "generic-csv", "tests/catalog/import/other/prices.csv", "-q", "--out", path})
          .status == 0);
  const std::string whole = read_file(path);
  for (const std::string& begin : {whole.substr(0, whole.size() / 2), whole}) {
    const Run run = fed({"catalog diff embedded FILE", begin, 5, ""}, std::size_t{5} << 20U);
    CAPTURE(run.err);
    CHECK(run.status == 5);
    CHECK(run.err.starts_with("error: '/dev/stdin' is not a usable snapshot: "));
    CHECK(run.err.find("begin") == std::string::npos);
  }
}

TEST_CASE("lines beyond their limit are answered and the next ones read", "[fuzz]") {
  const std::string long_line = times("x", (std::size_t{4} << 20U) + 2);
  const Run batch = ask({"estimate", "--batch", "-"},
                        {.input = long_line + "\n{\"task\":\"inference\",\"model\":\"llama-7b\",\"gpu\":\"h100\"}\n"});
  const auto lines = lines_of(batch.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("a request of more than 4 MiB") != std::string::npos);
  CHECK(lines[1].find("\"error\"") == std::string::npos);
  const Run mcp = ask({"mcp"}, {.input = long_line + "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"});
  REQUIRE(lines_of(mcp.out).size() == 2);
  CHECK(lines_of(mcp.out)[0].find("a message of more than 4 MiB") != std::string::npos);
}

TEST_CASE("a small file of very many values is refused", "[fuzz]") {
  struct Case {
    const char* name;
    std::string text;
    const char* command;
    const char* says;
  };
  constexpr std::size_t kMany = 2'100'000;
  const Case cases[] = {
      {"lines.yaml", times("-\n", kMany), "gpus l4 --overlay FILE", "not plain YAML, of which at most 4 MiB are read"},
      {"line.yaml", times("[]", kMany), "gpus l4 --overlay FILE", "not plain YAML, of which at most 4 MiB are read"},
      {"list.json", "{\"a\": [" + times("1,", kMany) + "1]}", "models show FILE", "more than 2,000,000 values"},
      {"nan.json", "{\"a\": [" + times("NaN,", kMany) + "1]}", "models show FILE", "more than 2,000,000 values"},
      {"wide.csv", "task,gpu\n" + times(",", kMany) + "\n", "verify FILE", "more than 1000 columns"},
      {"long.csv", times("a", 10) + "," + times("b", 10) + "\n" + times("1,1\n", kMany / 2), "verify FILE",
       "more than 2,000,000 values"},
  };
  for (const Case& one : cases) {
    const std::string file = scratch_file(one.name, one.text);
    std::string line = one.command;
    line.replace(line.find("FILE"), 4, file);
    const Run run = ask(words_of(line));
    CAPTURE(one.name, run.err.substr(0, 300));
    CHECK((run.status == 2 || run.status == 5));
    CHECK(run.err.find(one.says) != std::string::npos);
  }
}

TEST_CASE("of very many problems the first are told, and reading ends", "[fuzz]") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const Run run = ask({"gpus", "l4", "--overlay", scratch_file("keys.yaml", text)});
  CHECK(run.status == 5);
  const auto is_error = [](const std::string& line) { return line.starts_with("error: "); };
  CHECK(std::ranges::count_if(lines_of(run.err), is_error) == 21);
  CHECK(run.err.find("and 80 more problems; reading stopped") != std::string::npos);
}

}  // namespace hostile_test
