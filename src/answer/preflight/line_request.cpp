#include "answer/preflight/line_request.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/quantised_name.hpp"
#include "physics/formats.hpp"
#include "physics/serving/starts.hpp"

namespace gpusel::answer {

namespace {

constexpr std::string_view kConfigPrefix = "config.";
constexpr job::Limits kFromZero{{.low = 0, .high = 1e6}, 1000};

class LineRequestMaker {
 public:
  LineRequestMaker(const ReadLine& line, const job::Request& own, const catalog::Catalog& catalog,
                   const physics::EngineAbilities* engines)
      : line_(line), own_(own), catalog_(catalog), engines_(engines) {}

  Result<LineRequest> make() {
    out_.request = own_;
    for (const auto& [key, value] : line_.says)
      if (Status set = take(key, value); !set) return std::unexpected(set.error());
    out_.request.given = own_.given;  // defaults of a tool are no wishes
    if (!config_.empty() && !out_.request.names_model())
      if (Status set = set_option("model", "{" + config_text() + "}"); !set) return std::unexpected(set.error());
    if (!out_.request.names_model())
      return missing_error(say("the line names no model"), "model",
                           say("set --model before '--', for example --model llama-3.1-8b"));
    // A number of processes that is said wins over a tool's habit of taking all GPUs.
    if (line_.says_so("gpus") != nullptr && line_.says_so("gpus_per_node") == nullptr) out_.all_gpus = false;
    take_file_name();
    match_adapters();
    speculate();
    if (line_.said("has_adapters") == "true") out_.request.adapters.slots = adapters_.value_or(1);
    if (line_.said("rope_type") == "fixed") out_.stretch.reset();
    if (Status set = weights(); !set) return std::unexpected(set.error());
    return std::move(out_);
  }

 private:
  bool is_own(std::string_view key) const { return std::ranges::find(own_.given, key) != own_.given.end(); }

  Status set_option(std::string_view key, std::string_view value) {
    const auto* option = job::find_option(job::request_options(), key);
    if (option == nullptr || is_own(option->key)) return {};
    Status set = option->set(out_.request, value);
    if (!set) set.error().where = spelled_as(key);
    return set;
  }

  /// As the line has it.
  std::string spelled_as(std::string_view key) const {
    for (const Understood& one : line_.understood)
      if (one.key == key && !one.flag.empty()) return one.flag;
    return std::string(key);
  }

  Status take(const std::string& key, const std::string& value) {
    if (Count* const place = count_of(key); place != nullptr)
      return counted(key, value, *place, place == &out_.visible || place == &out_.at_once ? job::kCount : job::kLength);
    if (bool* const place = truth_of(key); place != nullptr) {
      *place = value == "true";
      return {};
    }
    job::LeftToHost& left = out_.request.left_to_host;
    if (key == "scheme")
      take_scheme(value);
    else if (key == "rope_factor")
      return counted(key, value, out_.stretch, job::Limits{{.low = 1, .high = 1e6}, 1000});
    else if (key == "host_gib")
      return host_gib(key, value);
    else if (key == "gpu_layers")
      return value == "all" ? Status{} : counted(key, value, left.gpu_layers, kFromZero);
    else if (key == "expert_layers")
      return counted(key, value == "all" ? "1000000" : value, left.expert_layers, kFromZero);
    else if (key == "adapter_rank")
      return adapter_rank(key, value);
    else if (key.starts_with(kConfigPrefix))
      config_[key.substr(kConfigPrefix.size())] = value;
    else if (key == "context" && value == "model")
      out_.context_of_model = !is_own("context");
    else if (key == "context" && value == "room")  // as long as the memory has room for
      return {};
    else if (key == "gpus_per_node" && value == "all")
      out_.all_gpus = !is_own("gpus_per_node");
    else if (key == "expert_ranks")
      out_.spreads_experts = value == "replicas";
    else if (key != "dtype" && key != "speculation" && key != "rope_type" && key != "has_adapters")
      return set_option(key, value);
    return {};
  }

  using Count = job::Count;

  Count* count_of(std::string_view key) {
    const std::pair<std::string_view, Count*> places[] = {
        {"visible", &out_.visible},     {"at_once", &out_.at_once},           {"longest_input", &out_.longest_input},
        {"positions", &out_.positions}, {"rope_original", &out_.unstretched}, {"adapters", &adapters_}};
    for (const auto& [name, place] : places)
      if (name == key) return place;
    return nullptr;
  }

  bool* truth_of(std::string_view key) {
    const std::pair<std::string_view, bool*> places[] = {{"longer_context", &out_.longer_context},
                                                         {"has_experts", &out_.has_experts},
                                                         {"dp_attention", &out_.dp_attention},
                                                         {"fits_layers", &out_.fits_memory}};
    for (const auto& [name, place] : places)
      if (name == key) return place;
    return nullptr;
  }

  template <class Place>
  Status counted(std::string_view key, const std::string& value, Place& place, job::Limits limits) const {
    Status set = job::assign(value, place, limits);
    if (!set) set.error().where = spelled_as(key);
    return set;
  }

  Status host_gib(std::string_view key, const std::string& value) {
    std::optional<double> gib;
    if (Status set = counted(key, value, gib, kFromZero); !set) return set;
    out_.request.left_to_host.weights_gib = gib.value_or(0);
    return {};
  }

  Status adapter_rank(std::string_view key, const std::string& value) {
    Count rank;
    if (Status set = counted(key, value, rank, job::kCount); !set) return set;
    out_.request.adapters.rank = rank.value_or(out_.request.adapters.rank);
    return {};
  }

  void take_scheme(const std::string& value) {
    out_.scheme = value;
    if (const Understood* said = line_.says_so("scheme"); said != nullptr) out_.typed_scheme = said->value;
  }

  /// "hidden_size*8/3%64": another value times a fraction, in steps of so many.
  std::string config_value(const std::string& value) const {
    const auto times = value.find('*');
    if (times == std::string::npos) return value;
    const auto other = config_.find(value.substr(0, times));
    const auto of = other == config_.end() ? std::nullopt : plain_number(other->second);
    const std::string rest = value.substr(times + 1);
    const auto step_at = rest.find('%');
    const auto parts = split(std::string_view(rest).substr(0, step_at), '/');
    const auto number = [](std::string_view text) { return plain_number(text).value_or(1); };
    if (!of) return {};
    const double exact = *of * number(parts.front()) / (parts.size() > 1 ? number(parts[1]) : 1);
    const double step = step_at == std::string::npos ? 1 : number(std::string_view(rest).substr(step_at + 1));
    return format("{:.0f}", std::floor(exact / step) * step);
  }

  /// The members of a config.json.
  std::string config_text() const {
    std::string out;
    for (const auto& [key, given] : config_) {
      const std::string value = config_value(given);
      if (value.empty()) continue;
      const bool number = value.find_first_not_of("0123456789.") == std::string::npos;
      out += format("{}\"{}\": {}{}{}", out.empty() ? "" : ", ", key, number ? "" : "\"", printable(value),
                    number ? "" : "\"");
    }
    return out;
  }

  /// Who drafts: `lookup` nobody, `own` layers of the model, `head` a part that is trained on it, `own-or-head` the
  /// latter where one is named, `draft` another model.
  void speculate() {
    const std::string how = line_.said("speculation");
    job::Request& request = out_.request;
    if (how.empty() || is_own("speculative")) return;
    const bool named = !request.speculative.empty();
    const Understood* said = line_.says_so("speculation");
    const std::string typed = said == nullptr ? how : said->value;
    const bool drafted = how == "draft" || how == "head" || (how == "own-or-head" && named);
    if (drafted && !named) out_.undrafted = typed;
    // Heads are in no catalog, but a model that is may be named for one.
    if (drafted && named && (how == "draft" || catalog_.model(request.speculative))) return;
    request.drafts_itself = !drafted && how != "lookup";
    if (drafted && named)
      out_.notes.push_back(say("'{}' is not in the catalog: memory and speed are without this draft head",
                               printable(shorten(request.speculative, 80))));
    else if (!drafted)
      out_.notes.push_back(say("the speed is without speculation by '{}'", printable(shorten(typed, 40))));
    request.speculative.clear();
    request.speculative_tokens.reset();
    request.acceptance_rate.reset();
  }

  /// A rank without a method is LoRA's; beside another method it has no bearing.
  void match_adapters() {
    job::Request& request = out_.request;
    const bool ranked = line_.says_so("lora_rank") != nullptr;
    if (!request.method && ranked) request.method = job::Method::lora;
    if (job::is_lora(request.method.value_or(job::Method::full))) return;
    if (!is_own("lora_rank")) request.lora_rank.reset();
    if (!is_own("lora_targets")) request.lora_targets.reset();
  }

  /// A file that is not here is taken by its name, where the catalogue knows that.
  void take_file_name() {
    std::string& model = out_.request.model;
    std::error_code failed;
    if (model.empty() || !catalog::looks_like_path(model) || std::filesystem::exists(model, failed)) return;
    const std::filesystem::path path(model);
    std::string name = path.filename().string();
    if (lower(name).ends_with(".gguf")) name.resize(name.size() - std::string_view(".gguf").size());
    if (name.empty() || !catalog_.model(name)) return;
    out_.notes.push_back(say("'{}' does not exist: using the model of that name", printable(shorten(model, 80))));
    model = name;
  }

  /// The format of the weights: by the scheme, else by the name of the model, else by the 16-bit type.
  Status weights() {
    if (!out_.request.engine) return {};
    if (is_own("weights_precision")) {
      const auto own = physics::weight_format(own_.weights_precision);
      if (own && (*own)->bits < 16) out_.computes_in = line_.said("dtype");
      return {};
    }
    const physics::EngineAbility* engine = engines_ == nullptr ? nullptr : engines_->find(*out_.request.engine);
    const bool named = catalog::quantised_name(out_.request.model).has_value();
    const std::string dtype = line_.said("dtype");
    if (!out_.scheme.empty() || named) out_.computes_in = dtype;
    if (!out_.scheme.empty() && engine != nullptr) {
      const auto row = std::ranges::find(engine->formats, out_.scheme, &physics::Ability::scheme);
      if (row != engine->formats.end() && row->format != "gguf" && !named) out_.request.weights_precision = row->format;
      return {};
    }
    if (named) {
      if (engine != nullptr) out_.scheme = physics::scheme_of_name(out_.request.model, *engine);
      return {};
    }
    return dtype.empty() ? Status{} : set_option("weights_precision", dtype);
  }

  const ReadLine& line_;
  const job::Request& own_;
  const catalog::Catalog& catalog_;
  const physics::EngineAbilities* engines_;
  LineRequest out_;
  Count adapters_;
  std::map<std::string, std::string, std::less<>> config_;
};

}  // namespace

catalog::Number LineRequest::longest(const catalog::Model& model) const {
  catalog::Number own = model.max_context;
  if (positions) own = static_cast<double>(*positions);
  if (!stretch) return own;
  if (unstretched) own = static_cast<double>(*unstretched);
  if (own) own = std::floor(*own * *stretch);
  return own;
}

Result<LineRequest> request_of(const ReadLine& line, const job::Request& own, const catalog::Catalog& catalog,
                               const physics::EngineAbilities* engines) {
  return LineRequestMaker(line, own, catalog, engines).make();
}

}  // namespace gpusel::answer
