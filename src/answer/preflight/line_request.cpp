#include "answer/preflight/line_request.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/quantised_name.hpp"
#include "physics/serving/starts.hpp"

namespace gpusel::answer {

namespace {

constexpr std::string_view kConfigPrefix = "config.";

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
      if (Status set = set_option("model", "{" + config_ + "}"); !set) return std::unexpected(set.error());
    if (!out_.request.names_model())
      return missing_error(say("the line names no model"), "model",
                           say("set --model before '--', for example --model llama-3.1-8b"));
    take_file_name();
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
    if (key == "scheme")
      out_.scheme = value;
    else if (key == "spreads_experts")
      out_.spreads_experts = value == "true";
    else if (key == "visible")
      return job::assign(value, out_.visible, job::kCount);
    else if (key == "at_once")
      return job::assign(value, out_.at_once, job::kCount);
    else if (key.starts_with(kConfigPrefix))
      add_config(key.substr(kConfigPrefix.size()), value);
    else if (key == "context" && value == "model")
      out_.context_of_model = !is_own("context");
    else if (key == "gpus_per_node" && value == "all")
      out_.all_gpus = !is_own("gpus_per_node");
    else if (key != "dtype")
      return set_option(key, value);
    return {};
  }

  void add_config(const std::string& key, const std::string& value) {
    const bool number = !value.empty() && value.find_first_not_of("0123456789.") == std::string::npos;
    config_ += format("{}\"{}\": {}{}{}", config_.empty() ? "" : ", ", key, number ? "" : "\"", printable(value),
                      number ? "" : "\"");
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
    if (is_own("weights_precision") || !out_.request.engine) return {};
    const physics::EngineAbility* engine = engines_ == nullptr ? nullptr : engines_->find(*out_.request.engine);
    const bool named = catalog::quantised_name(out_.request.model).has_value();
    if (!out_.scheme.empty() && engine != nullptr) {
      const auto row = std::ranges::find(engine->formats, out_.scheme, &physics::Ability::scheme);
      if (row != engine->formats.end() && row->format != "gguf" && !named) out_.request.weights_precision = row->format;
      return {};
    }
    if (named) {
      if (engine != nullptr) out_.scheme = physics::scheme_of_name(out_.request.model, *engine);
      return {};
    }
    const std::string dtype = line_.said("dtype");
    return dtype.empty() ? Status{} : set_option("weights_precision", dtype);
  }

  const ReadLine& line_;
  const job::Request& own_;
  const catalog::Catalog& catalog_;
  const physics::EngineAbilities* engines_;
  LineRequest out_;
  std::string config_;
};

}  // namespace

Result<LineRequest> request_of(const ReadLine& line, const job::Request& own, const catalog::Catalog& catalog,
                               const physics::EngineAbilities* engines) {
  return LineRequestMaker(line, own, catalog, engines).make();
}

}  // namespace gpusel::answer
