#include "fuzz/ground.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpusel/advise/like.hpp"
#include "gpusel/advise/list.hpp"
#include "gpusel/advise/poc.hpp"
#include "gpusel/base/joined.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/base/unseen.hpp"
#include "gpusel/catalog/import.hpp"
#include "gpusel/rules/fitness.hpp"
#include "gpusel/workload/traffic.hpp"
#include "report/job/recommend.hpp"
#include "report/json/json.hpp"
#include "report/render/csv.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"
#include "report/render/terminal.hpp"

namespace gpusel::fuzz {

namespace {

namespace fs = std::filesystem;

template <class Value>
Value value_of(std::expected<Value, Errors> read) {
  if (!read) throw std::runtime_error(read.error().front().where + ": " + read.error().front().message);
  return std::move(*read);
}

Ground ground_of(const catalog::LoadOptions& options) {
  auto catalog = value_of(catalog::load(options));
  auto coefficients = value_of(estimate::read_coefficients(catalog.documents("calibration")));
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
  reads(workload::read_traffic_catalog(catalog.documents("traffic")));
  reads(workload::read_traffic_catalog(catalog.documents("daily")));
  reads(rules::read_purposes(catalog.documents("verdicts")));
  reads(advise::read_similarity(catalog.documents("similarity")));
  for (const std::string_view tools : {"proofs", "launches"})
    reads(advise::read_proofs(catalog.documents(tools), tools));
  if (const Errors errors = catalog::check_dialects(catalog); !errors.empty()) check(errors);
}

void ask(const catalog::Catalog& catalog, const estimate::Coefficients& coefficients,
         const std::vector<rules::Rule>& rules) {
  static const advise::Question question =
      question_of(R"({"task": "finetune", "model": "llama-7b", "method": "lora"})");
  const auto advice = advise::recommend(question, catalog, rules, coefficients);
  if (!advice) return check(advice.error());
  report::dump(report::recommend_json(*advice, catalog, 10));
  check_shown(report::recommend_page(*advice, catalog, {}));
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

void check_shown(const report::Document& document) {
  check_shown(report::terminal_text(document, {.width = 80}));
  check_shown(report::markdown_text(document));
  check_shown(report::csv_text(document));
  check_shown(report::html_page(document));
}

const Ground& shipped() {
  static const Ground ground = ground_of({});
  return ground;
}

const Ground& small() {
  static const Ground ground = ground_of(in_place(GPUSEL_SOURCE_DIR "/tests/data/market"));
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

advise::Question question_of(std::string_view job) {
  const auto document = parse_json(job, "job");
  auto request = workload::read_request(document->root);
  if (!request) throw std::runtime_error(request.error().message);
  advise::Question question;
  question.request = std::move(*request);
  question.today = kToday;
  return question;
}

void use(const catalog::Catalog& catalog) {
  read_sections(catalog);
  const auto coefficients = estimate::read_coefficients(catalog.documents("calibration"));
  const auto rules = rules::read_rules(catalog.documents("rules"));
  if (!reads(coefficients) || !reads(rules)) return;
  advise::ListQuestion all;
  all.today = kToday;
  const auto listed = advise::list_instances(all, true, catalog, *coefficients);
  if (!listed) check(listed.error());
  ask(catalog, *coefficients, *rules);
}

}  // namespace gpusel::fuzz
