// The one direction in which a question walks: no room includes a later one.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "support/program.hpp"

namespace rooms_test {

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

/// "gpusel::advise" of a line that opens a namespace, "" of an unnamed one's.
std::optional<std::string> opened_namespace(const std::string& line) {
  if (line == "namespace {") return "";
  if (!line.starts_with("namespace ") || !line.ends_with(" {")) return std::nullopt;
  return line.substr(10, line.size() - 12);
}

/// The name of a type that the line begins to define; clang-format lets no type of a namespace be indented.
std::optional<std::string> defined_type(const std::string& line) {
  static const std::regex definition(R"((struct|class|union|enum class|enum) (\w+)( final)?( :.*)? \{.*)");
  std::smatch parts;
  if (!std::regex_match(line, parts, definition)) return std::nullopt;
  return parts[2];
}

/// Where each type outside unnamed namespaces is defined, in the order of lines of one file.
void note_types(const fs::path& file, std::map<std::string, std::set<std::string>>& places) {
  std::vector<std::string> inside;
  std::istringstream text(gpusel::test::read_file(file.string()));
  for (std::string line; std::getline(text, line);) {
    if (const auto name = opened_namespace(line)) inside.push_back(*name);
    if (line.starts_with("}  // namespace") && !inside.empty()) inside.pop_back();
    const auto type = defined_type(line);
    if (!type || std::find(inside.begin(), inside.end(), "") != inside.end()) continue;
    std::string name;
    for (const std::string& each : inside) name += each + "::";
    places[name + *type].insert(file.string());
  }
}

}  // namespace

TEST_CASE("no room includes a later one") {
  const std::vector<std::string> rooms{"base",  "catalog", "rules",  "job",  "physics",
                                       "serve", "money",   "answer", "show", "cli"};
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

// Two of one name are one to the linker, which keeps the destructor of either for both: no error, but memory is lost.
TEST_CASE("no two types of a namespace have one name") {
  std::map<std::string, std::set<std::string>> places;
  for (const char* folder : {"src", "include"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(gpusel::test::kSource) / folder))
      if (const auto kind = entry.path().extension(); kind == ".cpp" || kind == ".hpp")
        note_types(entry.path(), places);
  for (const auto& [name, files] : places) {
    CAPTURE(name, files);
    CHECK(files.size() == 1);
  }
  CHECK(places.size() > 500);
  CHECK(places.contains("gpusel::answer::CompareAnswer"));
}

}  // namespace rooms_test
