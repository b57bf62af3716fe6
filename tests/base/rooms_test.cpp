// The one direction in which a question walks: no room includes a later one.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "support/program.hpp"

namespace fs = std::filesystem;

TEST_CASE("no room includes a later one") {
  const std::vector<std::string> rooms{"base", "catalog", "workload", "estimate", "plan",
                                       "cost", "rules",   "advise",   "report",   "cli"};
  const std::regex include(R"re(#include "(?:gpusel/)?(\w+)/)re");
  int files = 0;
  for (std::size_t room = 0; room < rooms.size(); ++room)
    for (const std::string& folder : {"src/" + rooms[room], "include/gpusel/" + rooms[room]}) {
      const fs::path path = fs::path(gpusel::test::kSource) / folder;
      if (!fs::exists(path)) continue;  // report and cli have no public headers
      for (const auto& entry : fs::recursive_directory_iterator(path)) {
        ++files;
        const std::string text = gpusel::test::read_file(entry.path().string());
        for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at) {
          const auto other = std::find(rooms.begin(), rooms.end(), (*at)[1].str());
          if (other == rooms.end()) continue;
          CAPTURE(entry.path().string(), at->str());
          CHECK(static_cast<std::size_t>(other - rooms.begin()) <= room);
        }
      }
    }
  CHECK(files > 80);
}
