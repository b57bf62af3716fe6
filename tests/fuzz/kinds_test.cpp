// A part of another kind than it should be, for every part of every seed that is JSON: mutated bytes seldom stay JSON
// and reach the end of their target, where kinds are relied on.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "fuzz/corpus.hpp"
#include "support/program.hpp"

namespace kinds_test {

using namespace gpusel;

namespace {

using Json = nlohmann::ordered_json;

const Json kKinds[] = {nullptr, true, -1, 1e300, "text", Json::array({1}), Json::object({{"k", 5}})};
/// Of a list further elements are of the first ones' kinds.
constexpr std::size_t kMostElements = 2;
constexpr std::size_t kLargestSeed = 65'536;
/// Of folders with a file per model.
constexpr std::size_t kMostSeeds = 40;
/// Of large seeds some parts are tried with some kinds, spread over all of both.
constexpr std::size_t kMostRuns = 150;

void each_part(Json& part, const auto& action) {
  action(part);
  std::size_t elements = 0;
  if (part.is_structured())
    for (Json& child : part)
      if (part.is_object() || elements++ < kMostElements) each_part(child, action);
}

std::size_t runs_of(Json& whole) {
  std::size_t runs = 0;
  each_part(whole, [&](const Json&) { runs += std::size(kKinds); });
  return runs;
}

void feed_kinds(const fuzz::Target& target, const std::string& seed) {
  Json whole = Json::parse(seed, nullptr, false);
  if (!whole.is_structured() || seed.size() > kLargestSeed) return;
  std::size_t stride = runs_of(whole) / kMostRuns + 1;
  if (stride % std::size(kKinds) == 0) ++stride;  // or one kind alone would be tried
  std::size_t run = 0;
  each_part(whole, [&](Json& part) {
    const Json right = part;
    for (const Json& kind : kKinds) {
      if (run++ % stride != 0) continue;
      part = kind;
      const std::string text = whole.dump();
      INFO("target " << target.name << ": " << text);
      CHECK_NOTHROW(target.run(text));
    }
    part = right;
  });
}

}  // namespace

TEST_CASE("a part of another kind is refused or done without, whichever it is", "[fuzz]") {
  for (const fuzz::Target& target : fuzz::targets()) {
    const auto files = fuzz::files_of(target);
    for (std::size_t i = 0; i < files.size() && i < kMostSeeds; ++i) feed_kinds(target, test::read_file(files[i]));
    for (const std::string& text : fuzz::texts_of(target)) feed_kinds(target, text);
  }
}

}  // namespace kinds_test
