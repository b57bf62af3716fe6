// What is handed on: the program, an image of it alone, its bill of materials, checksums; the same bytes each time.
#include <catch2/catch.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace release_test {

using namespace gpusel::test;

namespace {

Run made(const std::string& folder) {
  return shell("/usr/bin/python3 " + kSource + "/tools/release \"$(command -v gpusel)\" " + folder + " libc6-dev",
               {.environment = {{"SOURCE_DATE_EPOCH", "1700000000"}}});
}

}  // namespace

TEST_CASE("a release is complete, verifies, and comes out alike twice", "[release]") {
  const std::string directory = scratch_directory();
  const Run first = made(directory + "/1");
  CAPTURE(first.out, first.err);
  REQUIRE(first.status == 0);
  REQUIRE(made(directory + "/2").status == 0);
  CHECK(shell("diff -r " + directory + "/1 " + directory + "/2").status == 0);
  CHECK(shell("cd " + directory + "/1 && sha256sum --check --strict SHA256SUMS").status == 0);
  const Run image = shell(
      "cd " + directory +
      "/1 && mkdir image root && tar xzf gpusel-image-*.tar.gz -C image && "
      "layer=$(jq -r '.[0].Layers[0]' image/manifest.json) && tar xf image/$layer -C root && ls root && "
      "./root/gpusel --version && jq -r '.config.Entrypoint[0]' image/$(jq -r '.[0].Config' image/manifest.json)");
  CAPTURE(image.err);
  CHECK(image.status == 0);
  const auto lines = lines_of(image.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "gpusel");  // and nothing else
  CHECK(lines[1].starts_with("gpusel "));
  CHECK(lines[2] == "/gpusel");
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/1"))
    if (entry.path().filename().string().ends_with(".spdx.json")) {
      const auto materials = nlohmann::json::parse(read_file(entry.path()));
      CHECK(materials["spdxVersion"] == "SPDX-2.3");
      REQUIRE(materials["packages"].size() == 2);
      CHECK(materials["packages"][0]["licenseDeclared"] == "Apache-2.0");
      CHECK(materials["packages"][1]["name"] == "libc6-dev");
      CHECK(materials["packages"][1]["licenseDeclared"] == "LGPL-2.1-or-later");
      CHECK(materials["relationships"].size() == 2);
    }
}

}  // namespace release_test
