#include "catalog/records/benchmark_results.hpp"

#include <algorithm>
#include <cmath>

#include "base/io/csv.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog {

namespace {

/// What a result calls itself; the first that is there is taken.
constexpr std::string_view kModels[] = {"model_id", "model_path", "model"};

/// A kind of result by keys that it alone has together.
bool is_serving(const Node& root) {
  const auto has = [&](std::string_view key) { return root.find(key) != nullptr; };
  return root.is_map() && has("output_throughput") && (has("mean_ttft_ms") || has("median_ttft_ms"));
}
bool is_guidellm(const Node& root) { return root.is_map() && root.find("benchmarks") != nullptr; }
bool is_llama_bench(const Node& root) {
  return root.is_map() && root.find("avg_ts") != nullptr && root.find("n_gen") != nullptr;
}
bool is_result(const Node& root) { return is_serving(root) || is_guidellm(root) || is_llama_bench(root); }

/// Names that only results have, for text that cannot be read to its end.
bool looks_like_result(std::string_view text) {
  return std::ranges::any_of(std::to_array<std::string_view>({"\"output_throughput\"", "\"benchmarks\"", "\"n_gen\"",
                                                              "\"model_id\"", "\"max_concurrency\""}),
                             [&](std::string_view name) { return text.contains(name); });
}

std::optional<double> number_at(const Node* node) {
  if (node == nullptr || !node->is_scalar()) return std::nullopt;
  const auto value = plain_number(node->text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// The first map or scalar of that name, however deep.
const Node* find_deep(const Node& root, std::string_view key, int depth = 6) {
  if (const Node* found = root.find(key); found != nullptr && found->kind != Node::Kind::null) return found;
  if (depth == 0) return nullptr;
  for (const Node& child : root.children)
    if (child.is_map())
      if (const Node* found = find_deep(child, key, depth - 1); found != nullptr) return found;
  return nullptr;
}

class ResultReader {
 public:
  ResultReader(const std::string& file, const SaidCells& said, const Catalog& catalog)
      : file_(file), said_(said), catalog_(catalog) {}

  Status add(const Node& root) {
    if (root.is_list()) {
      for (const Node& item : root.children)
        if (Status added = add(item); !added) return added;
      return {};
    }
    if (is_llama_bench(root)) return add_llama_bench(root);
    if (is_serving(root)) return add_serving(root);
    if (is_guidellm(root)) return add_guidellm(root);
    return usage_error(say("{} is not a known benchmark result", root.describe()), position(file_, root),
                       say("vLLM's, SGLang's, GuideLLM's and llama-bench's are read"));
  }

  Result<std::vector<Node>> finish() {
    if (records_.empty())
      return usage_error(say("the file has no result of a benchmark"), file_,
                         say("was the benchmark stopped before its end?"));
    return std::move(records_);
  }

 private:
  static Node cell(std::string_view key, std::string text, const Node& at) {
    Node out;
    out.kind = Node::Kind::scalar;
    out.key = key;
    out.text = std::move(text);
    out.line = out.key_line = at.line;
    out.column = out.key_column = at.column;
    return out;
  }
  static Node cell(std::string_view key, double value, const Node& at) {
    return cell(key, format("{:.6g}", value), at);
  }
  static Node whole(std::string_view key, double value, const Node& at) {
    return cell(key, format("{:.0f}", std::max(1.0, std::round(value))), at);
  }

  /// A record in the making.
  struct Record {
    Node request, measured;
  };
  static Record begin(const Node& at) {
    Record out;
    for (Node* map : {&out.request, &out.measured}) {
      map->kind = Node::Kind::map;
      map->line = at.line;
      map->column = at.column;
    }
    out.measured.key = "measured";
    out.request.children.push_back(cell("task", "inference", at));
    return out;
  }
  static void measure(Record& record, std::string_view key, std::optional<double> value, const Node& at) {
    if (value && *value > 0) record.measured.children.push_back(cell(key, *value, at));
  }

  /// What was said stands above what the result says; a record must know its GPU and its model.
  Status end(Record record, const Node& at) {
    for (const Node& each : said_) {
      // A load is either of the two.
      const bool load = each.key == "request_rate" || each.key == "concurrency";
      std::erase_if(record.request.children, [&](const Node& there) {
        return there.key == each.key || (load && (there.key == "request_rate" || there.key == "concurrency"));
      });
    }
    record.request.children.insert(record.request.children.end(), said_.begin(), said_.end());
    if (record.measured.children.empty())
      return usage_error(say("the result has no time and no speed that was measured"), position(file_, at),
                         say("was the benchmark stopped before its end?"));
    if (record.request.find("gpu") == nullptr)
      return usage_error(say("the result lacks the GPU it was measured on"), position(file_, at),
                         say("add --gpu l40s, for example"));
    if (record.request.find("model") == nullptr)
      return usage_error(say("the result lacks the served model"), position(file_, at),
                         say("add --model llama-3.1-8b, for example"));
    record.request.children.push_back(std::move(record.measured));
    records_.push_back(std::move(record.request));
    return {};
  }

  /// A model as the catalogue has it: by its whole name, else without its publisher or folder.
  void name_model(Record& record, const Node* name) const {
    if (name == nullptr || !name->is_scalar() || name->text.empty()) return;
    std::string_view text = name->text;
    while (text.ends_with('/')) text.remove_suffix(1);
    const std::string last(text.substr(text.rfind('/') + 1));
    // The last part first: it also says the format of quantised weights.
    for (const std::string& spelled : {last, name->text})
      if (const auto model = catalog_.model(spelled))
        return record.request.children.push_back(
            cell("model", spelled == last ? last : std::string((*model)->id), *name));
    if (!is_said("model")) record.request.children.push_back(cell("model", last, *name));
  }

  bool is_said(std::string_view key) const {
    return std::ranges::any_of(said_, [&](const Node& each) { return each.key == key; });
  }

  static void name_engine(Record& record, const Node* backend) {
    constexpr std::pair<std::string_view, std::string_view> kEngines[] = {
        {"vllm", "vllm"},         {"sglang", "sglang"},       {"trt", "trt-llm"}, {"tensorrt", "trt-llm"},
        {"lmdeploy", "lmdeploy"}, {"llama.cpp", "llama.cpp"}, {"tgi", "tgi"}};
    if (backend == nullptr || !backend->is_scalar()) return;
    const std::string folded = lower(backend->text);
    for (const auto& [begins, engine] : kEngines)
      if (folded.starts_with(begins))
        return record.request.children.push_back(cell("engine", std::string(engine), *backend));
  }

  /// vLLM's `bench serve --save-result` and SGLang's bench_serving have the same names.
  Status add_serving(const Node& root) {
    const auto at = [&](std::string_view key) { return number_at(root.find(key)); };
    Record record = begin(root);
    auto& request = record.request.children;
    const Node* server = root.find("server_info");
    for (const std::string_view key : kModels) {
      const Node* named = root.find(key);
      if ((named == nullptr || named->kind == Node::Kind::null) && server != nullptr) named = server->find(key);
      if (named == nullptr || named->kind == Node::Kind::null) continue;
      name_model(record, named);
      break;
    }
    const Node* backend = root.find("backend");
    name_engine(record, backend != nullptr ? backend : root.find("endpoint_type"));
    request.push_back(cell("mode", "online", root));
    if (server != nullptr)
      if (const auto tp = number_at(server->find("tp_size"))) request.push_back(whole("gpus", *tp, root));
    const auto done = at("completed").value_or(0);
    if (done < 1)
      return usage_error(say("none of its requests completed"), position(file_, root),
                         say("was the benchmark stopped before its end?"));
    const auto inputs = at("total_input_tokens");
    const auto outputs = at("total_output_tokens");
    if (!inputs || !outputs || *outputs < done)
      return usage_error(say("the result lacks the lengths of prompts and answers"), position(file_, root),
                         say("total_input_tokens and total_output_tokens have that"));
    request.push_back(whole("input_tokens", *inputs / done, root));
    request.push_back(whole("output_tokens", *outputs / done, root));
    const auto rate = at("request_rate");
    const auto most = at("max_concurrency");
    const bool all_at_once = !rate && !most;
    // A rate that is held back by the most in flight is no rate any more.
    const bool held_back = rate && most && at("request_throughput").value_or(*rate) < 0.9 * *rate;
    if (rate && !held_back)
      request.push_back(cell("request_rate", *rate, root));
    else
      request.push_back(whole("concurrency", most.value_or(done), root));
    const auto either = [&](std::string_view first, std::string_view second) {
      const auto value = at(first);
      return value && *value > 0 ? value : at(second);
    };
    measure(record, "itl_ms", either("median_itl_ms", "mean_itl_ms"), root);
    measure(record, "tpot_ms", either("mean_tpot_ms", "median_tpot_ms"), root);
    if (!all_at_once) measure(record, "ttft_ms", either("median_ttft_ms", "mean_ttft_ms"), root);
    if (record.measured.children.empty()) measure(record, "output_tokens_per_s", at("output_throughput"), root);
    return end(std::move(record), root);
  }

  /// Its inter_token_latency_ms leaves the first token out, as time per output token does here.
  Status add_guidellm(const Node& root) {
    const Node* all = root.find("benchmarks");
    if (!all->is_list() || all->children.empty())
      return usage_error(say("the file has no benchmark"), position(file_, *all),
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
        return usage_error(say("the result lacks the lengths of prompts and answers"), position(file_, one),
                           say("prompt_token_count and output_token_count of its metrics have that"));
      Record record = begin(one);
      auto& request = record.request.children;
      const Node* model = find_deep(one, "backend_model");
      if (model == nullptr) model = find_deep(one, "model");
      if (model == nullptr) model = find_deep(root, "model");
      name_model(record, model);
      request.push_back(cell("mode", "online", one));
      request.push_back(whole("input_tokens", *inputs, one));
      request.push_back(whole("output_tokens", *outputs, one));
      add_strategy(record, find_deep(one, "strategy"), metric("request_concurrency", "mean"), one);
      measure(record, "tpot_ms", metric("inter_token_latency_ms", "mean"), one);
      measure(record, "ttft_ms", metric("time_to_first_token_ms", "median"), one);
      if (Status ended = end(std::move(record), one); !ended) return ended;
    }
    return {};
  }

  static void add_strategy(Record& record, const Node* strategy, std::optional<double> in_flight, const Node& at) {
    const auto asked = [&](std::string_view key) {
      return strategy != nullptr ? number_at(strategy->find(key)) : std::nullopt;
    };
    const Node* kind = strategy != nullptr ? strategy->find("type_") : nullptr;
    const bool streams = kind != nullptr && (kind->text == "concurrent" || kind->text == "synchronous");
    auto& request = record.request.children;
    if (const auto rate = asked("rate"); rate && !streams)
      request.push_back(cell("request_rate", *rate, at));
    else if (const auto many = asked("streams"))
      request.push_back(whole("concurrency", *many, at));
    else
      request.push_back(whole("concurrency", in_flight.value_or(1), at));
  }

  /// Prompts of one test, or tokens of another; tests of both together are left out.
  Status add_llama_bench(const Node& root) {
    const auto at = [&](std::string_view key) { return number_at(root.find(key)).value_or(0); };
    const double prompt = at("n_prompt");
    const double generated = at("n_gen");
    const double speed = at("avg_ts");
    if (speed <= 0 || (prompt <= 0) == (generated <= 0)) return {};
    Record record = begin(root);
    auto& request = record.request.children;
    if (const Node* name = root.find("gpu_info"); name != nullptr && name->is_scalar())
      if (const auto gpu = catalog_.gpu(name->text)) request.push_back(cell("gpu", std::string((*gpu)->id), *name));
    name_gguf(record, root);
    request.push_back(cell("engine", "llama.cpp", root));
    if (at("build_number") > 0) request.push_back(cell("engine_version", format("b{:.0f}", at("build_number")), root));
    request.push_back(cell("mode", "single-stream", root));
    request.push_back(whole("concurrency", 1, root));
    request.push_back(whole("input_tokens", prompt > 0 ? prompt : at("n_depth"), root));
    request.push_back(whole("output_tokens", std::max(1.0, generated), root));
    if (generated > 0)
      measure(record, "output_tokens_per_s", speed, root);
    else
      measure(record, "ttft_ms", 1000 * prompt / speed, root);
    return end(std::move(record), root);
  }

  /// "llama 8B Q4_K - Medium": the format is read out of it; the model's name in the catalogue is that of its file.
  void name_gguf(Record& record, const Node& root) const {
    if (const Node* type = root.find("model_type"); type != nullptr && type->is_scalar()) {
      constexpr std::pair<std::string_view, std::string_view> kFormats[] = {{"q4_k - medium", "q4_k_m"},
                                                                            {"q4_k - small", "q4_k_s"},
                                                                            {"q5_k - medium", "q5_k_m"},
                                                                            {"q5_k - small", "q5_k_s"},
                                                                            {"q6_k", "q6_k"},
                                                                            {"q8_0", "q8_0"},
                                                                            {"q4_0", "q4_0"},
                                                                            {"q5_0", "q5_0"},
                                                                            {"q5_1", "q5_1"},
                                                                            {"bf16", "bf16"},
                                                                            {"f16", "fp16"}};
      const std::string folded = lower(type->text);
      for (const auto& [spelled, name] : kFormats)
        if (folded.contains(spelled)) {
          record.request.children.push_back(cell("weights_precision", std::string(name), *type));
          break;
        }
    }
    const Node* file = root.find("model_filename");
    if (file == nullptr || !file->is_scalar() || is_said("model")) return;
    std::string stem = file->text.substr(file->text.find_last_of("/\\") + 1);
    if (stem.ends_with(".gguf")) stem.resize(stem.size() - 5);
    // What stands behind the name is the format: "Meta-Llama-3.1-8B-Instruct-Q4_K_M".
    for (auto end = stem.size(); end != std::string::npos && end > 0; end = stem.find_last_of("-.", end - 1))
      if (const auto model = catalog_.model(stem.substr(0, end)))
        return record.request.children.push_back(cell("model", std::string((*model)->id), *file));
  }

  const std::string& file_;
  const SaidCells& said_;
  const Catalog& catalog_;
  std::vector<Node> records_;
};

void move_down(Node& node, std::uint32_t by) {
  node.line += by;
  for (Node& child : node.children) move_down(child, by);
}

/// One object or list, or an object per line.
Result<std::vector<Node>> read_roots(std::string_view text, const std::string& file) {
  auto whole = parse_json(text, file, JsonDialect::python);
  if (whole) return std::vector{std::move(whole->root)};
  const auto first_end = std::min(text.find('\n'), text.size());
  if (!parse_json(trim(text.substr(0, first_end)), file, JsonDialect::python)) return std::unexpected(whole.error());
  std::vector<Node> roots;
  std::uint32_t above = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (!trim(line).empty()) {
      auto one = parse_json(line, file, JsonDialect::python);
      if (!one) {
        const std::string column = one.error().where.substr(one.error().where.rfind(':') + 1);
        one.error().where = format("{}:{}:{}", file, above + 1, column);
        return std::unexpected(one.error());
      }
      move_down(one->root, above);
      roots.push_back(std::move(one->root));
    }
    ++above;
  }
  return roots;
}

}  // namespace

std::optional<Result<std::vector<Node>>> read_benchmark_results(std::string_view text, const std::string& file,
                                                                const SaidCells& said, const Catalog& catalog) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return std::nullopt;
  ResultReader reader(file, said, catalog);
  const auto read = [&](std::span<const Node> roots) -> Result<std::vector<Node>> {
    for (const Node& root : roots)
      if (Status added = reader.add(root); !added) return std::unexpected(added.error());
    return reader.finish();
  };
  if (text[first] != '{' && text[first] != '[') {
    const std::string_view header = text.substr(first, text.find('\n', first) - first);
    if (!header.contains("avg_ts") || !header.contains("n_gen")) return std::nullopt;
    auto csv = parse_csv(text, file);
    if (!csv) return std::unexpected(csv.error());
    return read(csv->rows);
  }
  auto roots = read_roots(text, file);
  if (!roots) {
    if (text[first] == '[' || looks_like_result(text)) return std::unexpected(roots.error());
    return std::nullopt;
  }
  const bool listed = roots->size() == 1 && roots->front().is_list();
  if (!listed && (roots->empty() || !is_result(roots->front()))) return std::nullopt;
  return read(*roots);
}

}  // namespace gpusel::catalog
