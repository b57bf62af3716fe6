// GenAI-Perf and its successor AIPerf: one object of a run, with the statistics of each metric.
#include "base/words/message.hpp"
#include "catalog/runs/run_format.hpp"

namespace gpusel::catalog {

namespace {

/// A statistic of a metric; times in ms.
std::optional<double> metric(const Node& root, std::string_view name, std::string_view figure) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"s", 1e3}, {"sec", 1e3}, {"us", 1e-3}, {"ns", 1e-6}};
  const Node* found = root.find(name);
  auto value = found != nullptr ? number_at(found->find(figure)) : std::nullopt;
  const Node* unit = value ? found->find("unit") : nullptr;
  for (const auto& [spelled, factor] : kUnits)
    if (unit != nullptr && unit->text == spelled) value = *value * factor;
  return value;
}

/// "model_names": ["…"], which older ones call "model".
const Node* model_of(const Node& input) {
  for (const std::string_view key : {"model_names", "model"})
    if (const Node* named = find_deep(input, key); named != nullptr)
      return named->is_list() && !named->children.empty() ? &named->children.front() : named;
  return nullptr;
}

/// Whether first tokens waited in a queue of the server.
bool add_load(MeasuredRun& run, const Node& root, const Node& input, RunReader& reader) {
  const auto rate = number_at(find_deep(input, "request_rate"));
  const auto most = number_at(find_deep(input, "concurrency"));
  const auto served = metric(root, "request_throughput", "avg");
  const auto took_ms = metric(root, "request_latency", "avg");
  const bool kept = !rate || served.value_or(*rate) >= kRateKept * *rate || !took_ms;
  if (rate && (kept || !most)) {
    reader.add_rate(run, {*rate, served, kept, served.value_or(0) * took_ms.value_or(0) / 1000}, root);
    return !kept;
  }
  if (most) run.set_whole("concurrency", *most, root);
  return false;
}

/// Its inter_token_latency is that of a request in the mean, without the first token: time per output token.
Status add_genai_perf(const Node& root, RunReader& reader) {
  const auto inputs = metric(root, "input_sequence_length", "avg");
  const auto outputs = metric(root, "output_sequence_length", "avg");
  if (!inputs || !outputs)
    return usage_error(say("the result lacks the lengths of prompts and answers"), position(reader.file(), root),
                       say("input_sequence_length and output_sequence_length have that"));
  MeasuredRun run = reader.begin("inference", root);
  const Node* config = root.find("input_config");
  const Node& input = config != nullptr ? *config : root;
  reader.name_model(run, model_of(input));
  run.set("mode", "online", root);
  run.set_whole("input_tokens", *inputs, root);
  run.set_whole("output_tokens", *outputs, root);
  const bool queued = add_load(run, root, input, reader);
  const bool loaded = run.number("request_rate") || run.number("concurrency");
  if (!loaded && !reader.is_said("request_rate") && !reader.is_said("concurrency"))
    return usage_error(say("the result lacks the requests in flight"), position(reader.file(), root),
                       say("add {}, for example", "--concurrency 16"));
  run.measure("tpot_ms", metric(root, "inter_token_latency", "avg"), root);
  if (!queued) run.measure("ttft_ms", metric(root, "time_to_first_token", "p50"), root);
  return reader.end(std::move(run), root);
}

}  // namespace

bool is_genai_perf(const RunFile& file) {
  return file.has("time_to_first_token") && file.has("inter_token_latency") && file.has("output_sequence_length");
}

Status read_genai_perf(const RunFile& file, const RunFormat&, RunReader& reader) {
  for (const Node& root : file.roots)
    if (Status added = add_genai_perf(root, reader); !added) return added;
  return {};
}

}  // namespace gpusel::catalog
