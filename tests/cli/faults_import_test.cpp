// Imports that are broken off, come two at a time, or whose result is damaged afterwards: what is read later is one
// whole import or a refusal, never a mixture.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/words/message.hpp"
#include "support/program.hpp"
#include "support/traced.hpp"

namespace faults_import_test {

using namespace gpusel::test;
using gpusel::format;
namespace fs = std::filesystem;

namespace {

/// A price list of our own of that many instance types, all at the same price. The first is of provider p0, the next of
/// p1, and so on.
std::string price_list(std::size_t types, const std::string& price, std::size_t first = 0) {
  std::string text = "provider,sku,region,country,term,currency,price_per_hour,gpu,gpu_count,vcpu,memory_gib,as_of\n";
  for (std::size_t i = first; i < first + types; ++i)
    text += format("p{}-cloud,type-{},r1,DE,on-demand,EUR,{},l40s,4,64,512,2026-10-01\n", i % 7, i, price);
  return scratch_file("prices.csv", text);
}

std::string import_line(const std::string& list, const std::string& out) {
  return "gpusel catalog import --from generic-csv " + list + " -q --out " + out;
}

/// Every price that is found there, once.
std::vector<std::string> prices_in(const std::string& catalog) {
  const Run run = ask({"instances", "--catalog", catalog, "--term", "any", "-o", "csv", "--currency", "EUR"});
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  const auto lines = lines_of(run.out);
  const auto columns = gpusel::test::words_of(lines[0]);
  std::vector<std::string> prices;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const bool dear = lines[i].find(",2.5") != std::string::npos;
    prices.emplace_back(dear ? "2.5" : lines[i].find(",1.5") != std::string::npos ? "1.5" : lines[i]);
  }
  std::sort(prices.begin(), prices.end());
  prices.erase(std::unique(prices.begin(), prices.end()), prices.end());
  return prices;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

/// All files below it with what is in them.
std::map<std::string, std::string> content_of(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) all[entry.path().string()] = read_file(entry.path().string());
  return all;
}

int nothing(const Call&) { return 0; }

}  // namespace

TEST_CASE("an import that is broken off leaves the old catalogue or the new one whole, and nothing beside it") {
  if (!can_trace()) return;
  // Of the providers one is new, and the files of one have to go.
  const std::string cheap = price_list(3, "1.5"), dear = price_list(3, "2.5", 1);
  for (const std::string target : {"market.snapshot", "market/"}) {
    const std::string folder = scratch_directory(), out = folder + "/" + target;
    const std::string inside = target.ends_with('/') ? out : folder;
    const auto import_of = [&](const std::string& list, const AtCall& at_call = nothing) {
      return traced({"catalog", "import", "--from", "generic-csv", list, "-q", "--out", out}, at_call);
    };
    REQUIRE(import_of(cheap).status == 0);
    const auto names = names_in(inside);
    const auto before = content_of(folder);
    std::vector<std::vector<std::string>> seen;  // at each call
    const Run undisturbed = import_of(dear, [&](const Call&) {
      seen.push_back(names_in(inside));
      return 0;
    });
    REQUIRE(undisturbed.status == 0);
    const auto after = content_of(folder);
    const auto names_after = names_in(inside);
    REQUIRE(before != after);
    const auto differs_from = [](const auto& whole) { return [&](const auto& now) { return now != whole; }; };
    const int first_within = static_cast<int>(std::ranges::find_if(seen, differs_from(names)) - seen.begin());
    const auto last = std::find_if(seen.rbegin(), seen.rend(), differs_from(names_after));
    const int last_within = static_cast<int>(seen.rend() - last) - 1;
    REQUIRE(first_within > 0);  // from here on there is more than the catalogue
    REQUIRE(last_within > first_within);
    REQUIRE(import_of(cheap).status == 0);
    for (const int signal : {SIGINT, SIGTERM}) {
      std::vector<int> points;
      for (int call = 0; call < first_within; call += std::max(1, first_within / 8)) points.push_back(call);
      // Every call from the first file that is made to the last that is put in its place; a few for the other signal.
      for (int call = first_within - 1; call <= last_within + 1; call += signal == SIGINT ? 1 : 5)
        points.push_back(call);
      if (signal != SIGINT) points.insert(points.end(), {first_within, last_within});  // which may lie between those
      int kept = 0, within = 0, replaced = 0;
      for (const int point : points) {
        // How many calls come before the first file is made differs from run to run.
        int begun = -1;
        const Run run = import_of(dear, [&](const Call& call) {
          if (point >= first_within && begun < 0 && names_in(inside) != names) begun = call.index;
          const bool here =
              point < first_within ? call.index == point : begun >= 0 && call.index - begun == point - first_within;
          if (!here) return 0;
          const auto now = names_in(inside);
          within += now == names || now == names_after ? 0 : 1;
          return signal;
        });
        CAPTURE(target, signal, point, seen.size(), run.err);
        CHECK(run.status == 128 + signal);
        const auto now = content_of(folder);
        kept += now == before ? 1 : 0;
        replaced += now == after ? 1 : 0;
        CHECK((now == before || now == after));
        if (now == before) continue;
        REQUIRE(import_of(cheap).status == 0);
        REQUIRE(content_of(folder) == before);
      }
      CAPTURE(target, signal, kept, within, replaced);
      CHECK(kept >= 5);     // before anything is written
      CHECK(within > 0);    // beside what is there, half of what shall be
      CHECK(replaced > 0);  // what was held back until the new one was whole
    }
  }
}

TEST_CASE("of two imports at once one wins whole, or the other is told") {
  const std::string cheap = price_list(500, "1.5"), dear = price_list(500, "2.5");
  for (const std::string target : {"market.snapshot", "market/"}) {
    const std::string folder = scratch_directory(), out = folder + "/" + target;
    REQUIRE(shell(import_line(cheap, out)).status == 0);
    const auto names = names_in(target.ends_with('/') ? out : folder);
    for (int turn = 0; turn < 6; ++turn) {
      const Run run = shell("{ " + import_line(cheap, out) + "; echo $? >&2; } >/dev/null & " + import_line(dear, out) +
                            " >/dev/null; echo $? >&2; wait");
      CAPTURE(target, turn, run.err);
      const auto prices = prices_in(out);
      CHECK(prices.size() == 1);
      CHECK((prices.front() == "1.5" || prices.front() == "2.5"));
      CHECK(names_in(target.ends_with('/') ? out : folder) == names);
      for (const std::string& line : lines_of(run.err))
        CHECK((line == "0" || line == "1" || line.ends_with("by another gpusel") || line == "help: try again"));
    }
  }
}

TEST_CASE("who writes into a folder is alone in it, who reads one meanwhile is told") {
  const std::string list = price_list(5, "1.5"), folder = scratch_directory();
  REQUIRE(shell(import_line(list, folder)).status == 0);
  const int held = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(held >= 0);
  REQUIRE(flock(held, LOCK_EX) == 0);
  const Run writer = shell(import_line(list, folder));
  CHECK(writer.status == 1);
  CHECK(writer.err == "error: '" + folder + "' is being read or written by another gpusel\nhelp: try again\n");
  const Run reader = ask({"instances", "--catalog", folder});
  CHECK(reader.status == 1);
  CHECK(reader.err == "error: an import is writing into '" + folder + "'\nhelp: try again\n");
  REQUIRE(flock(held, LOCK_SH) == 0);
  CHECK(ask({"instances", "--catalog", folder}).status == 0);
  CHECK(shell(import_line(list, folder)).status == 1);
  close(held);
  CHECK(shell(import_line(list, folder)).status == 0);
}

TEST_CASE("a folder that a loss of power left halfway is refused, until it is imported again") {
  const std::string list = price_list(5, "1.5"), folder = scratch_directory();
  REQUIRE(shell(import_line(list, folder)).status == 0);
  const auto names = names_in(folder);
  const std::string first = folder + "/imported-_sources.yaml";
  const std::string mark = lines_of(read_file(first))[0] + "\n";
  std::ofstream(first) << mark << "unfinished_import: true\n";
  std::ofstream(folder + "/.gpusel.aB3xYz") << mark << "half a fi";  // not yet in its place
  for (const char* how : {"--catalog", "--overlay"}) {
    const Run run = ask({"instances", how, folder});
    CHECK(run.status == 5);
    CHECK(run.err == "error: " + first +
                         ": an import into this folder was broken off halfway\nhelp: import again, or remove " +
                         "its imported-*.yaml\n");
  }
  CHECK(shell(import_line(list, folder)).status == 0);
  CHECK(names_in(folder) == names);
  CHECK(prices_in(folder) == std::vector<std::string>{"1.5"});
}

TEST_CASE("a calibration that somebody else has changed meanwhile is not written over") {
  const std::string folder = scratch_directory();
  const std::string line = "gpusel calibrate tests/data/runs/runs.csv -q --to " + folder + "/own.yaml";
  REQUIRE(shell(line).status == 0);
  const std::string before = read_file(folder + "/own.yaml");
  const int held = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(flock(held, LOCK_EX) == 0);
  const Run run = shell(line);
  CHECK(run.status == 1);
  CHECK(run.err.find("by another gpusel\nhelp: try again\n") != std::string::npos);
  CHECK(read_file(folder + "/own.yaml") == before);
  close(held);
}

TEST_CASE("a snapshot cut off or with a bit turned is refused by whoever asks, wherever it is damaged") {
  const std::string path = scratch_directory() + "/market.snapshot";
  REQUIRE(shell(import_line(price_list(40, "1.5"), path)).status == 0);
  const std::string bytes = read_file(path);
  const auto must_refuse = [&](const std::string& damaged) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    const Run run = ask({"instances", "--catalog", path});
    CAPTURE(run.err);
    CHECK(run.status == 5);
    CHECK(run.out.empty());
    CHECK(run.err.starts_with("error: '" + path + "' is not a usable snapshot: "));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  };
  constexpr std::size_t kPlaces = 40;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    // The beginning byte by byte, then all over the file.
    const std::size_t at = i < kPlaces / 2 ? i : (bytes.size() - 1) * (i - kPlaces / 2) / (kPlaces / 2 - 1);
    CAPTURE(at);
    must_refuse(bytes.substr(0, at));
    std::string turned = bytes;
    turned[at] = static_cast<char>(turned[at] ^ (1 << (i % 8)));
    must_refuse(turned);
  }
  must_refuse(bytes + bytes);
  must_refuse(bytes.substr(bytes.size() / 2));
}

}  // namespace faults_import_test
