#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/runs/run_format.hpp"

namespace gpusel::catalog {

namespace {

/// What a record must have, how it is called, and the flag that says it.
struct Needed {
  std::string_view key;
  std::string_view what;
  std::string_view flag;
};
constexpr Needed kAlways[] = {{"gpu", to_say("the GPU it was measured on"), "--gpu l40s"},
                              {"model", to_say("the model"), "--model llama-3.1-8b"}};
constexpr Needed kTraining[] = {{"gpus", to_say("the number of GPUs"), "--gpus 8"},
                                {"seq_len", to_say("the sequence length"), "--seq-len 4096"}};
constexpr Needed kMethod{"method", to_say("the method"), "--method lora"};
constexpr Needed kBatch{"global_batch", to_say("the sequences of a step"), "--global-batch 64"};

Node cell(std::string_view key, std::string text, const Node& at) {
  Node out;
  out.kind = Node::Kind::scalar;
  out.key = key;
  out.text = std::move(text);
  out.line = out.key_line = at.line;
  out.column = out.key_column = at.column;
  return out;
}

bool is_load(std::string_view key) { return key == "request_rate" || key == "concurrency"; }

bool is_training(const MeasuredRun& run) {
  const Node* task = run.request.find("task");
  return task != nullptr && task->text != "inference";
}

/// Serving engines that hold what they need; others take what they may at their start, whatever they need.
constexpr std::string_view kHoldTheirNeed[] = {"llama.cpp", "ollama", "hf"};

bool shows_need(const MeasuredRun& run) {
  const Node* engine = run.request.find("engine");
  return is_training(run) ||
         (engine != nullptr && std::ranges::find(kHoldTheirNeed, engine->text) != std::end(kHoldTheirNeed));
}

/// Sequences of a step where their parts are known.
void fill_batch(MeasuredRun& run, const Node& at) {
  const auto micro = run.number("micro_batch");
  const auto passes = run.number("grad_accum");
  const auto gpus = run.number("gpus");
  if (run.number("global_batch") || !micro || !passes || !gpus) return;
  double ranks = *gpus;
  for (const std::string_view degree : {"tp", "pp", "cp"}) ranks /= run.number(degree).value_or(1);
  run.set_whole("global_batch", *micro * *passes * ranks, at);
}

/// One figure for all: tokens per second of one GPU.
void fill_speed(MeasuredRun& run, const Node& at) {
  const double gpus = run.number("gpus").value_or(1);
  const double tokens = run.number("seq_len").value_or(0);
  std::optional<double> all = run.tokens_per_s;
  if (run.samples_per_s) all = *run.samples_per_s * tokens;
  if (run.step_time_s) all = run.number("global_batch").value_or(0) * tokens / *run.step_time_s;
  if (all) run.measure("tokens_per_s_per_gpu", *all / gpus, at);
}

}  // namespace

void MeasuredRun::set(std::string_view key, std::string text, const Node& at) {
  request.children.push_back(cell(key, std::move(text), at));
}
void MeasuredRun::set(std::string_view key, double value, const Node& at) { set(key, format("{:.6g}", value), at); }
void MeasuredRun::set_whole(std::string_view key, double value, const Node& at) {
  set(key, format("{:.0f}", std::max(1.0, std::round(value))), at);
}
void MeasuredRun::measure(std::string_view key, std::optional<double> value, const Node& at) {
  if (value && *value > 0) measured.children.push_back(cell(key, format("{:.6g}", *value), at));
}
std::optional<double> MeasuredRun::number(std::string_view key) const { return number_at(request.find(key)); }

std::optional<double> number_at(const Node* node) {
  if (node == nullptr || !node->is_scalar()) return std::nullopt;
  const auto value = plain_number(node->text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

const Node* find_deep(const Node& root, std::string_view key, int depth) {
  if (const Node* found = root.find(key); found != nullptr && found->kind != Node::Kind::null) return found;
  if (depth == 0) return nullptr;
  for (const Node& child : root.children)
    if (child.is_map())
      if (const Node* found = find_deep(child, key, depth - 1); found != nullptr) return found;
  return nullptr;
}

Node at_line(std::size_t line) {
  Node at;
  at.line = static_cast<std::uint32_t>(line);
  at.column = 1;
  return at;
}

MeasuredRun RunReader::begin(std::string_view task, const Node& at) const {
  MeasuredRun out;
  for (Node* map : {&out.request, &out.measured}) {
    map->kind = Node::Kind::map;
    map->line = at.line;
    map->column = at.column;
  }
  out.measured.key = "measured";
  out.set("task", std::string(task), at);
  return out;
}

void RunReader::name_model(MeasuredRun& run, const Node* name) const {
  if (name == nullptr || !name->is_scalar() || name->text.empty()) return;
  std::string_view text = name->text;
  while (text.ends_with('/')) text.remove_suffix(1);
  const std::string last(text.substr(text.rfind('/') + 1));
  // The last part first: it also says the format of quantised weights.
  for (const std::string& spelled : {last, name->text})
    if (const auto model = catalog_.model(spelled))
      return run.set("model", spelled == last ? last : std::string((*model)->id), *name);
  if (!is_said("model")) run.set("model", last, *name);
}

void RunReader::name_gpu(MeasuredRun& run, std::string_view name, const Node& at) const {
  if (run.request.find("gpu") != nullptr) return;
  if (const auto gpu = catalog_.gpu(name)) run.set("gpu", std::string((*gpu)->id), at);
}

const Node* RunReader::said(std::string_view key) const {
  const auto found = std::ranges::find(said_, key, &Node::key);
  return found == said_.end() ? nullptr : &*found;
}

void RunReader::add_rate(MeasuredRun& run, const SentAt& sent, const Node& at) {
  if (sent.kept) return run.set("request_rate", sent.rate, at);
  run.set_whole("concurrency", sent.in_flight, at);
  remark(say("{}: of {:.3g} requests per second {:.3g} were served: it counts as {:.0f} requests in flight",
             printable(file_), sent.rate, sent.served.value_or(0), sent.in_flight));
}

/// What logs of the GPUs say, where the run does not.
void RunReader::add_beside(MeasuredRun& run, const Node& at) {
  double gpus = 0;
  double memory = 0;
  for (const GpuLog& log : beside_) {
    gpus += log.gpus;
    memory = std::max(memory, log.memory_gib);
    if (run.request.find("gpu") == nullptr && !log.gpu.empty()) run.set("gpu", log.gpu, at);
  }
  if (gpus > 0 && run.request.find("gpus") == nullptr) run.set_whole("gpus", gpus, at);
  if (memory <= 0 || run.measured.find("memory_gib") != nullptr) return;
  if (!shows_need(run))
    return remark(
        say("{}: the memory of the GPU log is left out: the engine reserves it, needed or not", printable(file_)));
  run.measure("memory_gib", memory, at);
  run.measured.children.push_back(cell("memory_kind", "process", at));
}

/// GPUs of a serving run by the degrees of its plan, else one.
void RunReader::count_gpus(MeasuredRun& run, const Node& at) {
  if (run.request.find("gpus") != nullptr) return;
  double gpus = 1;
  bool named = false;
  for (const std::string_view degree : {"tp", "pp", "dp"})
    if (const auto ways = run.number(degree)) {
      gpus *= *ways;
      named = true;
    }
  if (named) return run.set_whole("gpus", gpus, at);
  remark(say("{}: the number of GPUs is not named: one is assumed; add --gpus 8, for example", printable(file_)));
}

/// Models of the catalogue with the shape that a log tells.
std::string RunReader::alike_models(const MeasuredRun& run) const {
  const auto layers = run.number("layers");
  const auto hidden = run.number("hidden");
  if (!layers || !hidden) return {};
  std::vector<std::string_view> alike;
  for (const Model& model : catalog_.models())
    if (model.layers == *layers && model.hidden_size == *hidden &&
        (!run.number("ffn") || model.ffn_size == run.number("ffn")))
      alike.push_back(model.id);
  constexpr std::size_t kNamed = 3;
  if (alike.size() > kNamed) alike.resize(kNamed);
  return join_texts(alike, say_name(", "));
}

Status RunReader::check_known(const MeasuredRun& run, const Node& at) const {
  std::vector<Needed> missing;
  const auto need = [&](const Needed& one) {
    if (run.request.find(one.key) == nullptr) missing.push_back(one);
  };
  std::ranges::for_each(kAlways, need);
  if (is_training(run)) {
    std::ranges::for_each(kTraining, need);
    if (run.request.find("task")->text == "finetune") need(kMethod);
    if (run.step_time_s) need(kBatch);
  }
  if (missing.empty()) return {};
  const std::string alike = alike_models(run);
  const std::string flags = join_texts(missing, " ", [](const Needed& one) { return std::string(one.flag); });
  return usage_error(say("the result lacks {}",
                         join_texts(missing, say_name(", "), [](const Needed& one) { return say_text(one.what); })),
                     position(file_, at),
                     alike.empty() || run.request.find("model") != nullptr
                         ? say("add {}, for example", flags)
                         : say("add {}, for example; models of its shape are {}", flags, alike));
}

/// The planner would take the largest batch that fits, and its memory is no estimate of another's.
void RunReader::drop_memory_of_unknown_batch(MeasuredRun& run) {
  if (run.number("micro_batch") || run.measured.find("memory_gib") == nullptr) return;
  std::erase_if(run.measured.children,
                [](const Node& one) { return one.key == "memory_gib" || one.key == "memory_kind"; });
  remark(say("{}: the memory is left out, because its batch is not named; add --micro-batch 4, for example",
             printable(file_)));
}

Status RunReader::end(MeasuredRun run, const Node& at) {
  for (const Node& each : said_)
    std::erase_if(run.request.children, [&](const Node& there) {
      return there.key == each.key || (is_load(each.key) && is_load(there.key));  // a load is either of the two
    });
  run.request.children.insert(run.request.children.end(), said_.begin(), said_.end());
  const bool timed = run.tokens_per_s || run.samples_per_s || run.step_time_s || !run.measured.children.empty();
  if (!timed)
    return usage_error(say("the result has no time and no speed that was measured"), position(file_, at),
                       say("was the benchmark stopped before its end?"));
  add_beside(run, at);
  if (is_training(run)) fill_batch(run, at);
  if (Status known = check_known(run, at); !known) return known;
  if (!is_training(run)) count_gpus(run, at);
  if (is_training(run)) {
    fill_speed(run, at);
    drop_memory_of_unknown_batch(run);
  }
  run.request.children.push_back(std::move(run.measured));
  out_.records.push_back(std::move(run.request));
  return {};
}

Result<RunRecords> RunReader::finish() {
  if (out_.records.empty())
    return usage_error(say("the file has no result of a benchmark"), file_,
                       say("was the benchmark stopped before its end?"));
  return std::move(out_);
}

}  // namespace gpusel::catalog
