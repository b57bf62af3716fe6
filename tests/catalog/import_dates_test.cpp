// Which day an imported price is of, what a folder is read for, and which prices are kept out.
#include <cstdlib>
#include <filesystem>

#include "imports.hpp"

namespace import_dates_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const std::string kOwn =
    "provider,sku,region,country,term,currency,price_per_hour,gpu,gpu_count\n"
    "north,x-1,here,DE,on-demand,USD,3,h100-sxm-80gb,1\n";

Import undated(const std::vector<std::string>& files, bool trust = false,
               ImportFormat format = ImportFormat::generic_csv) {
  static const catalog::Catalog known = embedded();
  catalog::ImportRequest request;
  request.format = format;
  request.files = files;
  request.trust = trust;
  auto done = catalog::import_market(request, known);
  if (!done) throw std::runtime_error(done.error().front().message);
  return std::move(*done);
}

int git(const std::string& folder, const std::string& words) {
  const std::string command = "cd '" + folder +
                              "' && GIT_CONFIG_GLOBAL=/dev/null GIT_COMMITTER_DATE=2025-03-04T12:00:00Z "
                              "GIT_AUTHOR_DATE=2025-03-04T12:00:00Z git -c user.name=t -c user.email=t@example.org " +
                              words + " >/dev/null 2>&1";
  return std::system(command.c_str());
}

}  // namespace

TEST_CASE("import: a list that says no day has none, whenever its file was written", "[import]") {
  const std::string path = scratch_file("own-list.csv", kOwn);
  const Import result = undated({path});
  REQUIRE(result.market.offers().size() == 1);
  CHECK(result.market.offers()[0].as_of == 0);
  REQUIRE(result.report.warnings.size() == 1);
  CHECK(result.report.warnings[0].text.starts_with("prices without a date: 1"));
  CHECK(imported(ImportFormat::generic_csv, {path}).market.offers()[0].as_of == 20260520);  // --as-of
}

TEST_CASE("import: a list in a Git repository is of the day of its last commit, if it is as committed", "[import]") {
  const std::string place = folder({{"north.csv", kOwn}});
  if (git(place, "init") != 0) return;  // no git here
  REQUIRE(git(place, "add north.csv") == 0);
  CHECK(undated({place + "/north.csv"}).market.offers()[0].as_of == 0);  // not committed yet
  REQUIRE(git(place, "commit -m list") == 0);
  const Import committed = undated({place + "/north.csv"});
  CHECK(committed.market.offers()[0].as_of == 20250304);
  CHECK(committed.report.files[0].as_of.text() == "2025-03-04");
  CHECK(committed.report.warnings.empty());
  std::filesystem::resize_file(place + "/north.csv", kOwn.size() - 1);
  CHECK(undated({place + "/north.csv"}).market.offers()[0].as_of == 0);  // changed since
}

TEST_CASE("import: a folder is walked for the lists of the format", "[import]") {
  const std::string place = folder({{"list.csv", kOwn}, {"notes.txt", "no list"}});
  std::filesystem::create_directories(place + "/gcp");
  std::filesystem::copy_file(kFixtures + "sky/gcp.csv", place + "/gcp/vms.csv");
  const Import own = undated({place});
  CHECK(own.report.files.size() == 2);  // all tables
  const Import sky = undated({place}, false, ImportFormat::skypilot);
  REQUIRE(sky.report.files.size() == 1);
  CHECK(sky.report.files[0].cloud == "gcp");
  CHECK(sky.report.imported() > 0);
}

TEST_CASE("import: a price that nobody asks is kept out until it is trusted", "[import]") {
  const std::string low = scratch_file("low.csv",
                                       "provider,sku,region,country,term,currency,price_per_hour,gpu,gpu_count\n"
                                       "north,x-1,here,DE,on-demand,USD,0.01,b200-180gb,1\n"
                                       "north,x-8,here,DE,on-demand,USD,24,h100-sxm-80gb,8\n");
  const Import doubted = undated({low});
  REQUIRE(doubted.report.skipped.size() == 1);
  CHECK(doubted.report.skipped[0].line == 2);
  CHECK(doubted.report.texts[doubted.report.skipped[0].reason].find("--trust includes it") != std::string::npos);
  CHECK(doubted.report.imported() + doubted.report.skipped.size() == doubted.report.rows());
  CHECK(undated({low}, true).report.skipped.empty());
}

}  // namespace import_dates_test
