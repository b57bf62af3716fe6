// gpusel diff FILE of an export: the question in it asked again, and what is different now.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/io/document.hpp"
#include "support/program.hpp"

namespace export_diff_test {

using namespace gpusel;
using test::ask;
using Json = nlohmann::json;

TEST_CASE("an export that was not touched is the same, one that was edited shows its lines") {
  const std::string file = test::scratch_directory() + "/serve.sh";
  REQUIRE(ask({"export", "vllm", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "aws", "--gpu", "l4:1",
               "--to", file, "-q"})
              .status == 0);
  CHECK(ask({"diff", file, "--exit-code"}).status == 0);
  const Json same = Json::parse(ask({"diff", file, "--json"}).out);
  CHECK(same["same"] == true);
  CHECK(same["lines"].empty());

  std::string text = test::read_file(file);
  const std::string flag = "--tensor-parallel-size 1";
  const auto at = text.find(flag);
  REQUIRE(at != std::string::npos);
  text.replace(at, flag.size(), "--tensor-parallel-size 2");
  std::ofstream(file) << text;
  CHECK(ask({"diff", file, "--exit-code"}).status == 4);
  const Json edited = Json::parse(ask({"diff", file, "--json"}).out);
  CHECK(edited["same"] == false);
  REQUIRE(edited["lines"].size() == 2);
  CHECK(edited["lines"][0]["change"] == "removed");
  CHECK(edited["lines"][0]["text"].get<std::string>().find("--tensor-parallel-size 2") != std::string::npos);
  CHECK(edited["lines"][1]["change"] == "added");
  CHECK(edited["lines"][1]["text"].get<std::string>().find(flag) != std::string::npos);

  // More lines than can be compared each with each.
  constexpr std::size_t kMore = 400'000;
  for (std::size_t i = 0; i < kMore; ++i) text += "#\n";
  std::ofstream(file) << text;
  const Json longer = Json::parse(ask({"diff", file, "--json"}).out);
  CHECK(longer["same"] == false);
  CHECK(longer["lines"].size() >= kMore + 2);
}

TEST_CASE("what an exported file asks again writes nothing, whatever its line says") {
  const std::string folder = test::scratch_directory();
  for (const std::string& to :
       {"--to " + folder + "/made --force", "--to=" + folder + "/made", "--force --to " + folder + "/"}) {
    const std::string file = folder + "/e.sh";
    std::ofstream(file) << "# gpusel export vllm --model llama-3.1-8b --task inference --cloud aws --gpu l4:1 " << to
                        << "\n";
    CHECK(ask({"diff", file, "--exit-code"}).status == 4);
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
  }
}

}  // namespace export_diff_test
