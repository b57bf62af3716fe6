// Questions and what they name: models, requests, stages, settings, messages of assistants.
#include <cstdlib>
#include <utility>

#include "answer/stages/stages.hpp"
#include "base/io/file.hpp"
#include "base/text/joined.hpp"
#include "catalog/weights_bytes.hpp"
#include "cli/mcp/session.hpp"
#include "cli/words/lines.hpp"
#include "cli/words/parser.hpp"
#include "fuzz/ground.hpp"
#include "fuzz/readers.hpp"
#include "show/catalogue/own_model.hpp"
#include "show/job/estimate.hpp"
#include "show/job/stages.hpp"

namespace gpusel::fuzz {

namespace {

using show::Json;

/// What a command prints of an estimate; every figure in it is finite, or the writer of JSON would have none.
void check_answer(const Result<answer::EstimateAnswer>& answer) {
  if (!answer) return check(answer.error());
  const std::string line = show::dump(show::estimate_json(*answer), -1);
  must(Json::accept(line), "an estimate is no JSON");
  check_shown(show::estimate_page(*answer, {}, true));
  check_shown(show::estimate_page(*answer, {}, false));
}

void estimate(const job::Request& request) {
  check_answer(answer::answer_estimate(request, shipped().catalog, shipped().coefficients, true));
}

/// The jobs that a model out of a file is asked about.
void use_model(const std::string& path) {
  for (const char* job : {R"({"task": "inference", "gpu": "h100", "gpus": 8})",
                          R"({"task": "finetune", "method": "lora", "gpu": "a100", "gpus": 4})"}) {
    job::Request request = question_of(job).request;
    request.model = path;
    estimate(request);
  }
}

void feed_model(const std::string& path) {
  const auto model = catalog::read_model_file(path);
  if (!model) return check(model.error());
  for (const std::string& note : (*model)->notes) check_shown(note);
  use_model(path);
}

/// The lines of a stream, as commands read them.
template <class Action>
void each_line(std::string_view bytes, Action action) {
  constexpr int kMost = 64;
  auto file = InputFile::open(file_of("lines", bytes));
  must(file.has_value(), "a file that was just written cannot be read");
  cli::Lines in(std::move(*file));
  std::string line;
  for (int lines = 0; lines < kMost && in.next(line); ++lines) action(line);
}

}  // namespace

void feed_config(std::string_view bytes) { feed_model(file_of("config.json", bytes)); }

/// GGUF says so in its first bytes; safetensors begins with the length of its header.
void feed_weights(std::string_view bytes) {
  if (bytes.starts_with("GGUF")) return feed_model(file_of("model.gguf", bytes));
  const auto stored = catalog::read_safetensors_parts(file_of("model.safetensors", bytes));
  if (!stored) return check(stored.error());
  must(stored->bytes >= 0 && stored->elements >= 0, "a file holds less than nothing");
}

std::vector<std::string> made_weights() {
  test::Gguf model;
  model.data = 0;  // its tensors lie outside of it, which is found late
  return {test::Gguf{}.bytes().substr(0, 4096), model.bytes(),
          test::safetensors("{" + test::tensor("model.layers.0.a", "BF16", "[2, 4]", 0, 16) + ", " +
                                test::tensor("lm_head.weight", "F8_E4M3", "[16]", 16, 32) + "}",
                            32)};
}

void feed_requests(std::string_view bytes) {
  each_line(bytes, [](const std::string& line) {
    const auto document = parse_json(line, "request");
    if (!document) return check(document.error());
    const auto request = job::read_request(document->root);
    if (!request) return check(request.error());
    if (catalog::looks_like_path(request->model) || catalog::looks_like_path(request->speculative)) return;
    estimate(*request);
  });
}

void feed_mcp(std::string_view bytes) {
  static const cli::mcp::Tools tools = [] {
    cli::mcp::Given given;
    given.common.catalog = GPUSEL_SOURCE_DIR "/tests/data/market";
    return cli::mcp::Tools(std::move(given));
  }();
  static const std::string opening =
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})";
  cli::mcp::Session session(tools,
                            [](const std::string& problem) { must(!problem.empty(), "a refusal says nothing"); });
  if (!bytes.starts_with("{\"jsonrpc\":\"2.0\",\"id\":0")) session.answer(opening);
  each_line(bytes, [&](const std::string& line) {
    const std::string answer = session.answer(line);
    if (answer.empty()) return;
    // An id may be a number beyond every double.
    must(answer.ends_with('\n') && parse_json(answer, "answer").has_value(), "an answer is no line of JSON");
    must(!answer.contains("\"code\":-32603"), "an answer reports a bug: " + answer);
  });
}

void feed_stages(std::string_view bytes) {
  const std::string file = file_of("stages.yaml", bytes);
  const auto text = read_text_file(file);
  if (!text) return check(text.error());
  const auto document = parse_yaml(*text, file);
  if (!document) return check(document.error());
  answer::Question base;
  base.today = kToday;
  base.alternatives = false;
  base.detailed = 1;
  const auto plan = answer::read_stages(*document, base);
  if (!plan) return check(plan.error());
  for (const answer::Stage& stage : plan->stages)
    if (catalog::looks_like_path(stage.question.request.model)) return;
  const auto answer = answer::answer_stages(*plan, small().catalog, small().rules, small().coefficients, true);
  if (!answer) return check(answer.error());
  show::dump(show::stages_json(*answer, *plan));
  check_shown(show::stages_page(*answer, *plan));
}

void feed_settings(std::string_view bytes) {
  const std::string file = file_of("settings/gpusel/config.yaml", bytes);
  const char* before = std::getenv("XDG_CONFIG_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("XDG_CONFIG_HOME", file.substr(0, file.find("/gpusel/config.yaml")).c_str(), 1);
  std::string said;
  cli::Context context;
  context.out = cli::Output(said);
  context.err = cli::Output(said);
  context.settings = cli::read_settings();
  before == nullptr ? unsetenv("XDG_CONFIG_HOME") : setenv("XDG_CONFIG_HOME", kept.c_str(), 1);
  for (const cli::Setting& setting : context.settings.all) must(!setting.origin().empty(), "a setting has no origin");
  for (const Error& error : cli::check_settings(context)) check(error);
  context.words = {"recommend", "--task", "finetune"};
  (void)cli::parse(context.words, context);
  check_shown(said);
}

}  // namespace gpusel::fuzz
