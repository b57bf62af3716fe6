// What a command may touch of the outside world: streams, environment, catalogue. Everything it
// depends on comes in here, so that the rest stays pure.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/date.hpp"
#include "catalog/snapshot/load.hpp"
#include "cli/own_machines.hpp"
#include "cli/settings/settings.hpp"
#include "physics/coefficients.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::cli {

/// Exit statuses, as documented in docs/cli.md.
enum Exit : int {
  kOk = 0,
  kRuntime = 1,
  kUsage = 2,
  kNothing = 3,
  kPolicy = 4,
  kBadCatalogue = 5,
  kStale = 6,
  kBug = 70,
};

/// What an answer can be printed as.
inline constexpr std::string_view kEveryFormat[] = {"table", "wide", "json", "yaml", "csv", "markdown", "html"};

/// A stream that remembers whether everything written has arrived.
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) {}
  /// Keeps what is written, for whoever wraps an answer.
  explicit Output(std::string& kept) : kept_(&kept) {}
  void write(std::string_view text);
  void flush();
  /// The reader went away; what is left need not be written.
  bool closed() const { return closed_; }
  bool failed() const { return why_ != 0; }
  /// Why it failed, as errno says it.
  int why() const { return why_; }
  bool kept() const { return kept_ != nullptr; }
  bool wrote() const { return wrote_; }

 private:
  std::FILE* file_ = nullptr;
  std::string* kept_ = nullptr;
  void fail();

  int why_ = 0;
  bool closed_ = false;
  bool wrote_ = false;
};

/// Options every command has.
struct CommonOptions {
  std::string output;  // empty: table
  bool json = false;
  bool quiet = false;
  bool no_pager = false;
  std::string color;    // auto, always or never
  std::string catalog;  // replaces the embedded instances and offers
  std::vector<std::string> overlays;
  catalog::OwnPrices own_prices;
  std::vector<OwnMachine> own_machines;
};

struct JobOptions;

/// What a command that is run inside another is to do otherwise.
struct Replay {
  Date today;                       // unknown: as ever
  std::vector<Document> documents;  // laid on top of every file
  /// In place of answering.
  std::function<int(JobOptions&, struct Context&)> instead;
};

struct Context {
  Output out{stdout};
  Output err{stderr};
  CommonOptions common;
  std::vector<std::string> words;  // of the command line, without the program's name
  /// Flags by their first long name with their values, and positionals by theirs, as the line gave them.
  std::vector<std::pair<std::string, std::string>> typed;
  Settings settings;
  bool reads_files = true;  // whether a name in a question may be that of a file
  Replay replay;

  /// As it was asked for, whether there is such a format or not.
  std::string wanted_format() const;
  /// json or yaml where the line asks for it, even if it could not be read to its end; else empty.
  std::string data_format() const;
  /// What was asked for: one of `offered`.
  Result<std::string> format(std::span<const std::string_view> offered = kEveryFormat) const;
  /// Where the answer is shown; what is kept is shown nowhere yet, and has neither width nor colour.
  show::Terminal terminal() const;
  /// What a person reads: in the pager where it is longer than the screen, and one is wanted.
  void show(std::string_view text);
  /// GPUSEL_TODAY, else the system's date.
  Result<Date> today() const;
  /// The user's own files that are always laid on top, and the folder they are looked for in.
  static std::vector<std::string> user_overlays();
  static std::string user_folder();
  /// Where `catalog update` keeps what it read.
  static std::string lists_folder();
  /// What load_catalog() puts together, lowest first, below it the embedded catalogue.
  catalog::LoadOptions layers() const;
  /// The embedded catalogue with --catalog, the user's own overlays, --overlay and own prices laid on top.
  /// Tells of own prices: whoever reads the answer must know that not all of its prices are published.
  std::expected<catalog::Catalog, Errors> load_catalog();

  /// Whether a person can be asked: standard input and error are a terminal.
  static bool can_ask();
  /// Shows a question and reads a line; nothing at the end of the input.
  std::optional<std::string> ask(const std::string& question);

  /// Prints an error and returns its exit status. Where data were asked for and none were written yet, it is an object
  /// on standard output, too.
  int fail(const Error& error);
  int fail(const Errors& errors);
  /// What makes a status other than 0 and has no hint; Error has the rest.
  void complain(std::string_view text);
  /// A remark to the person; silent with -q.
  void note(std::string_view text);
  /// The first errors of a list under a heading; nothing where there are none.
  void note(std::string_view heading, const Errors& errors);

 private:
  void say_sentence(const Error& error);
  /// Its own line of standard error, wrapped where that is a terminal.
  void write_remark(std::string_view label, std::string_view text);
  void tell(std::span<const Error> errors, int status);
};

/// Coefficients of the catalogue's calibration and of overlays.
std::expected<physics::Coefficients, Errors> load_coefficients(const catalog::Catalog& catalog);

}  // namespace gpusel::cli
