// GuideLLM: one record per benchmark of the file.
#include "base/words/message.hpp"
#include "catalog/runs/run_format.hpp"

namespace gpusel::catalog {

namespace {

/// What was asked for; `served`: per second, `in_flight`: in the mean. Whether a rate was kept.
bool add_strategy(MeasuredRun& run, const Node* strategy, std::optional<double> served, std::optional<double> in_flight,
                  const Node& at, RunReader& reader) {
  const auto asked = [&](std::string_view key) {
    return strategy != nullptr ? number_at(strategy->find(key)) : std::nullopt;
  };
  const Node* kind = strategy != nullptr ? strategy->find("type_") : nullptr;
  const bool streams = kind != nullptr && (kind->text == "concurrent" || kind->text == "synchronous");
  if (const auto rate = asked("rate"); rate && !streams) {
    const bool kept = !in_flight || served.value_or(*rate) >= kRateKept * *rate;
    reader.add_rate(run, {*rate, served, kept, in_flight.value_or(0)}, at);
    return kept;
  }
  run.set_whole("concurrency", asked("streams").value_or(in_flight.value_or(1)), at);
  return true;
}

/// Its inter_token_latency_ms leaves the first token out, as time per output token does here.
Status add_guidellm(const Node& root, RunReader& reader) {
  const Node* all = root.find("benchmarks");
  if (!all->is_list() || all->children.empty())
    return usage_error(say("the file has no benchmark"), position(reader.file(), *all),
                       say("was the benchmark stopped before its end?"));
  for (const Node& one : all->children) {
    const Node* metrics = one.find("metrics");
    const auto metric = [&](std::string_view name, std::string_view figure) -> std::optional<double> {
      const Node* found = metrics != nullptr ? metrics->find(name) : nullptr;
      if (found == nullptr) return std::nullopt;
      const Node* good = found->find("successful");
      return number_at((good != nullptr ? *good : *found).find(figure));
    };
    const auto inputs = metric("prompt_token_count", "mean");
    const auto outputs = metric("output_token_count", "mean");
    if (!inputs || !outputs)
      return usage_error(say("the result lacks the lengths of prompts and answers"), position(reader.file(), one),
                         say("prompt_token_count and output_token_count of its metrics have that"));
    MeasuredRun run = reader.begin("inference", one);
    const Node* model = find_deep(one, "backend_model");
    if (model == nullptr) model = find_deep(one, "model");
    if (model == nullptr) model = find_deep(root, "model");
    reader.name_model(run, model);
    run.set("mode", "online", one);
    run.set_whole("input_tokens", *inputs, one);
    run.set_whole("output_tokens", *outputs, one);
    const bool kept = add_strategy(run, find_deep(one, "strategy"), metric("requests_per_second", "mean"),
                                   metric("request_concurrency", "mean"), one, reader);
    run.measure("tpot_ms", metric("inter_token_latency_ms", "mean"), one);
    if (kept) run.measure("ttft_ms", metric("time_to_first_token_ms", "median"), one);
    if (Status ended = reader.end(std::move(run), one); !ended) return ended;
  }
  return {};
}

}  // namespace

bool is_guidellm(const RunFile& file) { return file.has("benchmarks"); }

Status read_guidellm(const RunFile& file, const RunFormat&, RunReader& reader) {
  for (const Node& root : file.roots)
    if (Status added = add_guidellm(root, reader); !added) return added;
  return {};
}

}  // namespace gpusel::catalog
