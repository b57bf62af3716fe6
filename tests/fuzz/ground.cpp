#include "fuzz/ground.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "answer/lists/like.hpp"
#include "answer/lists/list.hpp"
#include "answer/poc/poc.hpp"
#include "answer/preflight/command_lines.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/text/unicode.hpp"
#include "base/words/message.hpp"
#include "catalog/import/import.hpp"
#include "job/traffic/traffic.hpp"
#include "rules/fitness.hpp"
#include "show/job/recommend.hpp"
#include "show/json/json.hpp"
#include "show/render/csv.hpp"
#include "show/render/html/html.hpp"
#include "show/render/markdown.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::fuzz {

namespace {

namespace fs = std::filesystem;

template <class Value>
Value value_of(std::expected<Value, Errors> read) {
  if (!read) throw std::runtime_error(read.error().front().where + ": " + read.error().front().message);
  return std::move(*read);
}

LoadedFacts ground_of(const catalog::LoadOptions& options) {
  auto catalog = value_of(catalog::load(options));
  auto coefficients = value_of(physics::read_coefficients(catalog));
  auto rules = value_of(rules::read_rules(catalog.documents("rules")));
  return {std::move(catalog), std::move(coefficients), std::move(rules)};
}

/// A folder of this process, gone with it.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "gpusel-fuzz.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for files");
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code failed;
    fs::remove_all(path_, failed);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// A section that is read when it is needed: what is wrong with it is told then.
template <class Value>
bool reads(const std::expected<Value, Errors>& section) {
  if (!section) check(section.error());
  return section.has_value();
}

void read_sections(const catalog::Catalog& catalog) {
  reads(job::read_traffic_catalog(catalog.documents("traffic")));
  reads(job::read_traffic_catalog(catalog.documents("daily")));
  reads(rules::read_purposes(catalog.documents("verdicts")));
  reads(answer::read_similarity(catalog.documents("similarity")));
  for (const std::string_view tools : {"proofs", "launches"})
    reads(answer::read_proofs(catalog.documents(tools), tools));
  reads(answer::read_command_lines(catalog.documents("command_lines")));
  if (const Errors errors = catalog::check_dialects(catalog); !errors.empty()) check(errors);
}

void ask(const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
         const std::vector<rules::Rule>& rules) {
  static const answer::Question question =
      question_of(R"({"task": "finetune", "model": "llama-7b", "method": "lora"})");
  const auto advice = answer::recommend(question, catalog, rules, coefficients);
  if (!advice) return check(advice.error());
  show::dump(show::recommend_json(*advice, catalog, 10));
  check_shown(show::recommend_page(*advice, catalog, {}));
}

}  // namespace

void must(bool holds, const std::string& what) {
  if (!holds) throw Broken(what);
}

void check(const Error& error) {
  must(!error.message.empty(), "an error says nothing");
  check_shown(with_hint(error));
}

void check(const Errors& errors, bool placed) {
  must(!errors.empty(), "it was refused, and nothing is wrong");
  for (const Error& error : errors) {
    check(error);
    must(!placed || !error.where.empty(), "an error has no place: " + error.message);
  }
}

void check_shown(std::string_view text) {
  const std::string shown = visible(text, false);  // as every answer and error goes out
  for (const std::string_view line : split(shown, '\n'))
    must(printable(line) == line, "this is not for a terminal: " + printable(line));
}

void check_shown(const show::Document& document) {
  check_shown(show::terminal_text(document, {.width = 80}));
  check_shown(show::markdown_text(document));
  check_shown(show::csv_text(document));
  check_shown(show::html_page(document));
}

const LoadedFacts& shipped() {
  static const LoadedFacts ground = ground_of({});
  return ground;
}

const LoadedFacts& small() {
  static const LoadedFacts ground = ground_of(in_place(GPUSEL_SOURCE_DIR "/tests/data/market"));
  return ground;
}

std::string file_of(std::string_view name, std::string_view bytes) {
  static const Scratch scratch;
  const fs::path path = scratch.path() / name;
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

catalog::LoadOptions in_place(const std::string& replacement) {
  catalog::LoadOptions options;
  options.replacement = replacement;
  return options;
}

answer::Question question_of(std::string_view job) {
  const auto document = parse_json(job, "job");
  auto request = job::read_request(document->root);
  if (!request) throw std::runtime_error(request.error().message);
  answer::Question question;
  question.request = std::move(*request);
  question.today = kToday;
  return question;
}

void use(const catalog::Catalog& catalog) {
  read_sections(catalog);
  const auto coefficients = physics::read_coefficients(catalog);
  const auto rules = rules::read_rules(catalog.documents("rules"));
  if (!reads(coefficients) || !reads(rules)) return;
  answer::ListQuestion all;
  all.today = kToday;
  const auto listed = answer::list_instances(all, true, catalog, *coefficients);
  if (!listed) check(listed.error());
  ask(catalog, *coefficients, *rules);
}

}  // namespace gpusel::fuzz
