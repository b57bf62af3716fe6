// Snapshots: the same catalogue comes back, and what is damaged or foreign is refused.
#include <catch2/catch.hpp>

#include <limits>

#include "catalog/snapshot/tables.hpp"
#include "catalog/weights_bytes.hpp"
#include "listing.hpp"

namespace snapshot_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

std::expected<catalog::Catalog, Errors> open_bytes(const std::string& bytes) {
  return catalog::open_snapshot(scratch_file("c.gpsl", bytes));
}

/// Changes one byte of a file in place.
void poke(const std::string& path, std::size_t at, char value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(value);
}

void must_refuse(const std::string& bytes, const std::string& reason) {
  const auto opened = open_bytes(bytes);
  REQUIRE_FALSE(opened);
  REQUIRE(opened.error().size() == 1);
  CHECK(opened.error().front().kind == ErrorKind::bad_catalogue);
  CHECK_THAT(opened.error().front().message, Catch::Contains(reason));
}

/// A node and all below it, with every part that a snapshot must keep.
void list_node(Lines& lines, const Node& node, int depth) {
  lines.push_back(format("{} {} {} {} '{}' '{}' {}:{}", depth, static_cast<int>(node.kind), node.quoted,
                         node.children.size(), node.key, node.text, node.line, node.column));
  for (const Node& child : node.children) list_node(lines, child, depth + 1);
}

Lines documents_of(const catalog::Catalog& c) {
  Lines lines;
  for (const Document& document : c.documents("")) {
    lines.push_back(document.name);
    list_node(lines, document.root, 0);
  }
  return lines;
}

}  // namespace

TEST_CASE("a catalogue comes back from a snapshot with every fact") {
  const auto before = from_text(kSmall);
  CHECK(facts_of(opened(open_bytes(catalog::write_snapshot(before)))) == facts_of(before));
}

TEST_CASE("the shipped catalogue comes back from a snapshot with every fact") {
  const auto before = opened(catalog::load_directory(kSource + "/data"));
  const auto after = opened(open_bytes(catalog::write_snapshot(before)));
  CHECK(facts_of(after) == facts_of(before));
  CHECK(documents_of(after) == documents_of(before));
  CHECK_FALSE(documents_of(after).empty());
}

TEST_CASE("the embedded catalogue is what the data folder says") {
  CHECK(facts_of(embedded()) == facts_of(opened(catalog::load_directory(kSource + "/data"))));
}

TEST_CASE("names are found in a snapshot as in the files it was made of") {
  const auto c = opened(open_bytes(catalog::write_snapshot(from_text(kSmall))));
  CHECK((*c.gpu("Acme One"))->id == "one-80gb");
  CHECK((*c.gpu("one"))->has_bf16);
  CHECK((*c.model("tiny-1b"))->id == "tiny");
  CHECK((*c.instance("north/big.1x"))->gpu_count == 1.0);
  CHECK(c.gpu_of(**c.instance("big.8x")) == *c.gpu("one"));
}

TEST_CASE("a snapshot of a snapshot is the same bytes") {
  const std::string bytes = catalog::write_snapshot(from_text(kSmall));
  CHECK(catalog::write_snapshot(opened(open_bytes(bytes))) == bytes);
}

TEST_CASE("the order in which files were made does not change a byte") {
  const auto cut = kSmall.find("gpus:");
  std::vector<std::pair<std::string, std::string>> files{
      {"a.yaml", kSmall.substr(cut)},
      {"b.yaml", kSmall.substr(0, cut)},
      {"c.yaml", "models:\n  - {id: big, kind: cnn, params_b: 2, sources: [acme-sheet]}\n"},
      {"rules/r.yaml", "rules:\n  - {id: r, effect: note}\n"}};
  std::vector<std::string> snapshots;
  std::sort(files.begin(), files.end());
  do snapshots.push_back(catalog::write_snapshot(opened(catalog::load_directory(folder(files)))));
  while (std::next_permutation(files.begin(), files.end()));
  CHECK(snapshots.size() == 24);
  for (const std::string& snapshot : snapshots) CHECK(snapshot == snapshots.front());
}

TEST_CASE("the order of files does not change what is known") {
  const auto cut = kSmall.find("gpus:");
  const std::string head = kSmall.substr(0, cut), tail = kSmall.substr(cut);
  CHECK(facts_of(opened(catalog::load_directory(folder({{"1.yaml", head}, {"2.yaml", tail}})))) ==
        facts_of(opened(catalog::load_directory(folder({{"1.yaml", tail}, {"2.yaml", head}})))));
}

TEST_CASE("sections of other rooms come back from a snapshot with their positions") {
  const std::string rules = "# heading\nrules:\n  - id: r\n    when: {above: '5', is: [a, b]}\n    nothing:\n";
  const auto before = opened(catalog::load_directory(folder({{"c.yaml", kSmall}, {"rules/r.yaml", rules}})));
  const auto after = opened(open_bytes(catalog::write_snapshot(before)));
  CHECK(documents_of(after) == documents_of(before));
  REQUIRE(after.documents("rules").size() == 1);
  CHECK(after.documents("calibration").empty());
  const Document document = after.documents("rules")[0];
  CHECK(document.name == "rules/r.yaml");
  const Node* list = document.root.find("rules");
  REQUIRE(list != nullptr);
  const Node* when = list->children[0].find("when");
  REQUIRE(when != nullptr);
  CHECK(position(document.name, *when->find("above")) == "rules/r.yaml:4:19");  // "    when: {above: '5'"
  CHECK(when->find("above")->quoted);
}

TEST_CASE("a truncated snapshot is refused at every length") {
  const std::string bytes = catalog::write_snapshot(from_text(kSmall));
  const std::string path = scratch_file("c.gpsl", bytes);
  REQUIRE(catalog::open_snapshot(path));
  for (std::size_t size = bytes.size() - 1; size > 0; size -= size < 100 ? 1 : 97) {
    std::filesystem::resize_file(path, size);
    CAPTURE(size);
    CHECK_FALSE(catalog::open_snapshot(path));
  }
}

TEST_CASE("a snapshot with one byte changed is refused wherever the byte is") {
  const std::string bytes = catalog::write_snapshot(from_text(kSmall));
  const std::string path = scratch_file("c.gpsl", bytes);
  const auto flip = GENERATE(0x01, 0x80, 0xFF);
  for (std::size_t at = 0; at < bytes.size(); at += 13) {
    poke(path, at, static_cast<char>(bytes[at] ^ flip));
    CAPTURE(at, flip);
    CHECK_FALSE(catalog::open_snapshot(path));
    poke(path, at, bytes[at]);
  }
  CHECK(catalog::open_snapshot(path));
}

TEST_CASE("a snapshot whose offers are of no day is refused, its checksum notwithstanding") {
  const auto catalog = from_text(kSmall);
  REQUIRE_FALSE(catalog.offers().empty());
  const std::string day = raw(catalog.offers().front().as_of);
  for (const std::int32_t odd : {-1, std::numeric_limits<std::int32_t>::min(), 100'000'000}) {
    std::string bytes = catalog::write_snapshot(catalog);
    bytes.resize(bytes.size() - sizeof(std::uint64_t));
    const auto at = bytes.find(day);
    REQUIRE(at != std::string::npos);
    CHECK(open_bytes(catalog::with_checksum(bytes)));
    bytes.replace(at, day.size(), raw(odd));
    CHECK_FALSE(open_bytes(catalog::with_checksum(bytes)));
  }
}

TEST_CASE("a snapshot with bytes behind it is refused") {
  must_refuse(catalog::write_snapshot(from_text(kSmall)) + "x", "checksum is wrong");
}

TEST_CASE("a snapshot of another catalogue's checksum is refused") {
  const std::string one = catalog::write_snapshot(from_text(kSmall));
  const std::string other = catalog::write_snapshot(from_text(with(kSmall, "params_b: 1", "params_b: 2")));
  REQUIRE(one != other);
  must_refuse(one.substr(0, one.size() - 8) + other.substr(other.size() - 8), "checksum is wrong");
}

TEST_CASE("an empty or foreign file is no snapshot") {
  must_refuse("", "too short");
  must_refuse("GPSL", "too short");
  must_refuse(std::string(1000, '\0'), "does not start like one");
  must_refuse(kSmall, "does not start like one");
  must_refuse(
      "\x7f"
      "ELF" +
          std::string(1000, 'x'),
      "does not start like one");
}

TEST_CASE("a missing snapshot and a folder are refused") {
  const auto missing = catalog::open_snapshot("/nonexistent/c.gpsl");
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().front().message, Catch::Contains("/nonexistent/c.gpsl"));
  CHECK_FALSE(catalog::open_snapshot("/tmp"));
}

TEST_CASE("a damaged snapshot cannot replace the catalogue") {
  std::string bytes = catalog::write_snapshot(from_text(kSmall));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  const auto loaded = catalog::load({.replacement = scratch_file("c.gpsl", bytes), .overlays = {}});
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().front().kind == ErrorKind::bad_catalogue);
}

}  // namespace snapshot_test
