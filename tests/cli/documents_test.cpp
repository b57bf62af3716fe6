// Every command that README.md and docs/ show is run, in a directory with the files they show. What is printed under a
// command must be what it prints; a line of "…" stands for any lines, and one that ends in "…" for how it begins. The
// market is tests/data/market-2026-11, so that the shipped prices can move. ./dev documents writes what is printed now
// into the pages.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <sstream>

#include "catalog/snapshot/load.hpp"
#include "support/program.hpp"

namespace documents_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

const std::string kMarket = "market-2026-11", kCut = "…";

/// As a snapshot, which is opened in no time.
const std::string& market() {
  static const std::string path = [] {
    const auto read = gpusel::catalog::load({.replacement = kSource + "/tests/data/" + kMarket, .overlays = {}});
    REQUIRE(read);
    return scratch_file(kMarket, gpusel::catalog::write_snapshot(*read));
  }();
  return path;
}

/// A directory to run a page's commands in.
std::string place_of_commands() {
  const std::string directory = scratch_directory();
  fs::create_symlink(market(), directory + "/" + kMarket);
  return directory;
}

/// What a command prints, on both outputs; that the market is set is the tests' own doing and not told.
Lines printed_by(const std::string& line, const std::string& directory, int status) {
  // A page's last question is one of its own.
  const Run run =
      shell(line, {.environment = {{"GPUSEL_CATALOG", kMarket}, {"XDG_STATE_HOME", directory + ".state"}, {"CI", ""}},
                   .directory = directory});
  CAPTURE(line, run.out, run.err);
  CHECK(run.status == status);
  const std::string setting = "catalog " + kMarket + " (GPUSEL_CATALOG)";
  Lines printed;
  for (std::string text : lines_of(run.out + run.err)) {
    const auto at = text.find(setting);
    if (at != std::string::npos) {
      text.erase(at, setting.size() + (text.compare(at + setting.size(), 2, ", ") == 0 ? 2 : 0));
      if (text.ends_with("settings: ")) continue;
    }
    printed.push_back(std::move(text));
  }
  while (!printed.empty() && printed.back().empty()) printed.pop_back();
  return printed;
}

void write_file(const Lines& block, const std::string& directory) {
  const std::string mark = "# file: ";
  if (block.empty() || !block.front().starts_with(mark)) return;
  const fs::path path = fs::path(directory) / block.front().substr(mark.size());
  fs::create_directories(path.parent_path());
  std::ofstream file(path);
  const bool takes_comments = path.extension() == ".yaml";
  for (const std::string& line : block)
    if (takes_comments || &line != &block.front()) file << line << '\n';
}

bool same_line(const std::string& shown, const std::string& printed) {
  if (!shown.ends_with(kCut)) return shown == printed;
  return printed.starts_with(shown.substr(0, shown.size() - kCut.size()));
}

bool matches(std::span<const std::string> shown, std::span<const std::string> printed) {
  if (shown.empty()) return printed.empty();
  if (shown.front() != kCut)
    return !printed.empty() && same_line(shown.front(), printed.front()) &&
           matches(shown.subspan(1), printed.subspan(1));
  for (std::size_t skip = 0; skip <= printed.size(); ++skip)
    if (matches(shown.subspan(1), printed.subspan(skip))) return true;
  return false;
}

/// How unlike two lines are, 0 to 1, by their words without figures.
double unlike(const std::string& a, const std::string& b) {
  const auto words = [](std::string text) {
    std::ranges::replace_if(text, [](char c) { return c >= '0' && c <= '9'; }, '0');
    std::istringstream stream(text);
    Lines split{std::istream_iterator<std::string>(stream), {}};
    std::ranges::sort(split);
    return split;
  };
  const Lines x = words(a), y = words(b);
  Lines both;
  std::ranges::set_intersection(x, y, std::back_inserter(both));
  return 1 - (2.0 * static_cast<double>(both.size()) + 1) / (static_cast<double>(x.size() + y.size()) + 1);
}

/// As much of a printed line as the page shows of the old one.
std::string cut_alike(const std::string& shown, const std::string& printed) {
  if (!shown.ends_with(kCut)) return printed;
  const auto starts_letter = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  const auto letters = std::ranges::count_if(shown, starts_letter) - 1;
  std::size_t end = 0;
  for (auto seen = 0; end < printed.size(); ++end)
    if (starts_letter(printed[end]) && seen++ == letters) break;
  return printed.substr(0, end) + kCut;
}

/// What a page shows of what is printed: as it is where that matches; all, or of the printed lines those that are most
/// like the shown ones, piece by piece between its "…".
Lines shown_of(const Lines& shown, const Lines& printed) {
  if (shown.empty() || matches(shown, printed)) return shown;
  if (std::ranges::find(shown, kCut) == shown.end()) {
    if (shown.size() != printed.size()) return printed;
    Lines all;
    std::ranges::transform(shown, printed, std::back_inserter(all), cut_alike);
    return all;
  }
  struct Piece {
    Lines lines;
    std::size_t at = 0;
  };
  std::vector<Piece> pieces(1);
  for (const std::string& line : shown)
    if (line == kCut)
      pieces.emplace_back();
    else
      pieces.back().lines.push_back(line);
  // cost[i]: of the pieces so far, when the last of them ends before line i; the first begins and the last ends all.
  const double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> cost(printed.size() + 1, kNever);
  cost[0] = 0;
  std::vector<std::vector<std::size_t>> chosen;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const Lines& lines = pieces[p].lines;
    std::vector<double> next(cost.size(), kNever);
    std::vector<std::size_t> from(cost.size(), 0);
    for (std::size_t at = 0, best = 0; at + lines.size() < cost.size(); ++at) {
      if (cost[at] < cost[best]) best = at;
      double all = p == 0 ? cost[at] : cost[best];
      for (std::size_t i = 0; i < lines.size(); ++i) all += unlike(lines[i], printed[at + i]);
      next[at + lines.size()] = all;
      from[at + lines.size()] = best;
    }
    cost = std::move(next);
    chosen.push_back(std::move(from));
  }
  auto end = pieces.back().lines.empty() ? static_cast<std::size_t>(std::ranges::min_element(cost) - cost.begin())
                                         : printed.size();
  for (std::size_t p = pieces.size(); p-- > 0;) {
    pieces[p].at = end - std::min(end, pieces[p].lines.size());
    end = chosen[p][end];
  }
  Lines out;
  for (const Piece& piece : pieces) {
    if (&piece != &pieces.front()) out.push_back(kCut);
    for (std::size_t i = 0; i < piece.lines.size() && piece.at + i < printed.size(); ++i)
      out.push_back(cut_alike(piece.lines[i], printed[piece.at + i]));
  }
  return out;
}

/// The page with what its commands print now, and how many it has.
struct Page {
  Lines lines;
  int commands = 0;
  bool has_console = false;
};

/// A command of a console block, with its status, and what the page shows under it.
void run_command(std::string line, const Lines& shown, const std::string& directory, Page& page) {
  page.lines.push_back("$ " + line);
  if (!line.starts_with("gpusel ")) {
    page.lines.insert(page.lines.end(), shown.begin(), shown.end());
    return;
  }
  int status = 0;
  const std::string mark = "  # status ";
  if (const auto at = line.find(mark); at != std::string::npos) {
    status = std::stoi(line.substr(at + mark.size()));
    line.erase(at);
  }
  ++page.commands;
  // A blank line before the next command belongs to the page.
  Lines output = shown;
  while (!output.empty() && output.back().empty()) output.pop_back();
  const Lines blank(shown.size() - output.size());
  output = shown_of(output, printed_by(line, directory, status));
  page.lines.insert(page.lines.end(), output.begin(), output.end());
  page.lines.insert(page.lines.end(), blank.begin(), blank.end());
}

Page page_of(const Lines& lines) {
  const std::string directory = place_of_commands();
  for (std::size_t i = 0; i < lines.size(); ++i) {  // files stand anywhere on the page
    if (!lines[i].starts_with("```")) continue;
    Lines block;
    while (++i < lines.size() && !lines[i].starts_with("```")) block.push_back(lines[i]);
    write_file(block, directory);
  }
  Page page;
  std::string language;
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("```")) {
      inside = !inside;
      language = lines[i].substr(3);
      page.has_console |= inside && language == "console";
    }
    if (!inside || language != "console" || !lines[i].starts_with("$ ")) {
      page.lines.push_back(lines[i]);
      continue;
    }
    Lines shown;
    while (!lines[i + 1 + shown.size()].starts_with("$ ") && !lines[i + 1 + shown.size()].starts_with("```"))
      shown.push_back(lines[i + 1 + shown.size()]);
    run_command(lines[i].substr(2), shown, directory, page);
    i += shown.size();
  }
  return page;
}

/// README.md and what lies in docs/, by name.
Lines documents() {
  Lines names{"README.md"};
  for (const auto& entry : fs::directory_iterator(fs::path(kSource) / "docs"))
    if (entry.path().extension() == ".md") names.push_back("docs/" + entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("every command in the documents runs and prints what they show") {
  const auto name = GENERATE(from_range(documents()));
  const std::string path = kSource + "/" + name;
  const Lines lines = lines_of(read_file(path));
  const Page page = page_of(lines);
  CHECK((page.commands > 0) == page.has_console);
  if (is_updating()) {
    std::ofstream file(path);
    for (const std::string& line : page.lines) file << line << '\n';
    return;
  }
  const auto [is, shows] = std::ranges::mismatch(page.lines, lines);
  if (is == page.lines.end() && shows == lines.end()) return;
  FAIL(name << ":" << shows - lines.begin() + 1 << ": '" << (shows == lines.end() ? "" : *shows) << "' is now '"
            << (is == page.lines.end() ? "" : *is) << "'; ./dev documents writes the page anew");
}

TEST_CASE("a page that shows parts of an output keeps to these parts") {
  const Lines shown{"a 1", "…", "total 3, as…", "…", "end"};
  CHECK(shown_of(shown, {"a 1", "b", "total 3, as said", "end"}) == shown);
  CHECK(shown_of(shown, {"a 2", "b 9", "b 8", "total 44, of them", "c", "end"}) ==
        Lines{"a 2", "…", "total 44, o…", "…", "end"});
  CHECK(shown_of({"…", "b 2", "…"}, {"a 1", "b 3", "c"}) == Lines{"…", "b 3", "…"});
  CHECK(shown_of({"x 1"}, {"x 2", "y"}) == Lines{"x 2", "y"});
}

TEST_CASE("docs/accuracy.md is what verify prints") {
  const Lines printed = printed_by("gpusel verify -q -o markdown --leave-out source", place_of_commands(), 0);
  std::string text;
  for (const std::string& line : printed) text += line + "\n";
  const std::string path = kSource + "/docs/accuracy.md";
  if (is_updating()) {
    std::ofstream(path) << text;
    return;
  }
  INFO("./dev documents writes it anew");
  CHECK(lines_of(read_file(path)) == printed);
}

TEST_CASE("docs/README.md lists every document") {
  const std::string index = read_file(kSource + "/docs/README.md");
  for (const std::string& name : documents()) {
    if (name == "README.md" || name == "docs/README.md") continue;
    CAPTURE(name);
    CHECK(index.find("](" + name.substr(5) + ")") != std::string::npos);
  }
}

TEST_CASE("the README names the two commands that a new user types") {
  const std::string readme = read_file(kSource + "/README.md");
  CHECK(readme.find("./dev run recommend --model llama-7b --task finetune") != std::string::npos);
  CHECK(readme.find("./dev test") != std::string::npos);
}

TEST_CASE("every document that a document links to exists") {
  std::size_t followed = 0;
  for (const std::string& name : documents()) {
    const fs::path path = fs::path(kSource) / name;
    const std::string text = read_file(path.string());
    for (auto at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      target = target.substr(0, target.find('#'));
      if (target.empty() || target.starts_with("http")) continue;
      CAPTURE(name, target);
      CHECK(fs::exists(path.parent_path() / target));
      ++followed;
    }
  }
  CHECK(followed > 100);
}

}  // namespace documents_test
