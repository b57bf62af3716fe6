// The one direction in which a question walks: no room includes a later one.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "support/program.hpp"

namespace fs = std::filesystem;

namespace {

/// "advise" of `#include "gpusel/advise/x.hpp"` or `#include "advise/x.hpp"`; empty for other lines.
std::string included_room(const std::string& line) {
  const std::string lead = "#include \"";
  if (!line.starts_with(lead)) return {};
  std::string path = line.substr(lead.size());
  if (path.starts_with("gpusel/")) path.erase(0, 7);
  return path.substr(0, path.find('/'));
}

}  // namespace

TEST_CASE("no room includes a later one") {
  const std::vector<std::string> rooms{"base", "catalog", "workload", "estimate", "plan",
                                       "cost", "rules",   "advise",   "report",   "cli"};
  int files = 0;
  for (std::size_t room = 0; room < rooms.size(); ++room)
    for (const std::string& folder : {"src/" + rooms[room], "include/gpusel/" + rooms[room]}) {
      const fs::path path = fs::path(gpusel::test::kSource) / folder;
      if (!fs::exists(path)) continue;  // report and cli have no public headers
      for (const auto& entry : fs::recursive_directory_iterator(path)) {
        ++files;
        std::istringstream text(gpusel::test::read_file(entry.path().string()));
        for (std::string line; std::getline(text, line);) {
          const auto other = std::find(rooms.begin(), rooms.end(), included_room(line));
          if (other == rooms.end()) continue;
          CAPTURE(entry.path().string(), line);
          CHECK(static_cast<std::size_t>(other - rooms.begin()) <= room);
        }
      }
    }
  CHECK(files > 80);
}
