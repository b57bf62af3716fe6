// Every seed, and every input that once broke something, is fed again.
#include <catch2/catch.hpp>

#include "fuzz/corpus.hpp"
#include "support/program.hpp"

namespace corpus_test {

using namespace gpusel;

namespace {

/// A shard of the targets, so that the parts can run beside each other.
void feed_all(std::size_t part, std::size_t parts) {
  const auto all = fuzz::targets();
  for (std::size_t i = part; i < all.size(); i += parts) {
    const fuzz::Target& target = all[i];
    INFO("target " << target.name);
    const auto files = fuzz::files_of(target);
    const auto texts = fuzz::texts_of(target);
    CHECK(files.size() + texts.size() > 0);
    for (const std::string& file : files) {
      INFO(file);
      CHECK_NOTHROW(target.run(test::read_file(file)));
    }
    for (const std::string& text : texts) CHECK_NOTHROW(target.run(text));
  }
}

}  // namespace

TEST_CASE("seeds and findings of fuzzing are survived: first part", "[fuzz]") { feed_all(0, 3); }
TEST_CASE("seeds and findings of fuzzing are survived: second part", "[fuzz]") { feed_all(1, 3); }
TEST_CASE("seeds and findings of fuzzing are survived: third part", "[fuzz]") { feed_all(2, 3); }

}  // namespace corpus_test
