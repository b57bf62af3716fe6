// Mixtures of experts: how many there are, how wide, and how many a token visits.
#include <algorithm>
#include <iterator>

#include "base/words/message.hpp"
#include "catalog/hf/shape.hpp"

namespace gpusel::catalog::hf {

namespace {

constexpr std::string_view kExperts[] = {"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"};
constexpr std::string_view kVisited[] = {"num_experts_per_tok",
                                         "num_experts_per_token",
                                         "experts_per_token",
                                         "top_k_experts",
                                         "moe_top_k",
                                         "moe_k",
                                         "moe_topk"};
constexpr std::string_view kWidths[] = {"moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size"};

/// From the classes' own code in transformers; 0: the default is the dense width.
struct MixtureDefaults {
  std::string_view type;
  double layers, hidden, experts, visited, width, shared = 0;
};
constexpr MixtureDefaults kDefaults[] = {
    {"deepseek_v3", 61, 7168, 256, 8, 2048}, {"gpt_oss", 36, 2880, 128, 4, 0},
    {"mixtral", 32, 4096, 8, 2, 0},          {"olmoe", 16, 2048, 64, 8, 0},
    {"phimoe", 32, 4096, 16, 2, 0},          {"qwen2_moe", 24, 2048, 60, 4, 1408, 5632},
    {"qwen3_moe", 24, 2048, 128, 8, 768},
};

class ExpertReader {
 public:
  ExpertReader(const Keys& keys, const ModelClass& model_class, Model& model, std::vector<std::string>& notes)
      : keys_(keys), own_(keys.map("ffn_config")), class_(model_class), m_(model), notes_(notes) {
    const auto* found = std::ranges::find(kDefaults, class_.type, &MixtureDefaults::type);
    if (found != std::end(kDefaults)) defaults_ = found;
  }

  void read() {
    Number experts = keys_.largest(kExperts);
    if (!experts && own_) experts = own_->count({"moe_num_experts"});
    m_.experts_per_token = visited();
    const Number width = keys_.largest(kWidths);
    const bool spoken_of = m_.experts_per_token.value_or(0) > 0 || width.value_or(0) > 0;
    // A dense model of a class that has both kinds says one expert that every token visits, or none and nothing else.
    const bool alone = experts == 1.0 && m_.experts_per_token.value_or(1) <= 1;
    const bool dense = alone || (experts.value_or(0) < 1 && !spoken_of);
    const bool may_be_dense = !class_.is(kMixture) || (class_.is(kOrDense) && experts);
    if ((dense && may_be_dense) || !keys_.truth("enable_moe_block", true)) {
      m_.experts_per_token = std::nullopt;
      const Number own = class_.is(kOrDense) ? keys_.count({"shared_intermediate_size"}) : Number();
      if (own.value_or(0) > 0) m_.ffn_size = own;  // what runs beside the experts is all there is
      return;
    }
    if (experts.value_or(0) < 2) experts = by_default(&MixtureDefaults::experts, key_of(kExperts), experts);
    if (!experts) return;
    m_.experts = experts;
    settle_visited();
    settle_width(width);
    m_.moe_latent_size = keys_.count({"moe_latent_size"}, 1);
    read_shared();
    m_.first_dense_layers = keys_.count({"first_k_dense_replace"});
  }

 private:
  Number visited() const {
    const Number stated = keys_.largest(kVisited);
    return stated || !own_ ? stated : own_->count({"moe_top_k"}, 1);
  }

  /// The spelling that the file has, else the first.
  std::string_view key_of(std::span<const std::string_view> keys) const {
    const auto found = std::ranges::find_if(keys, [&](std::string_view key) { return keys_.has(key); });
    return found == keys.end() ? keys.front() : *found;
  }

  /// The class's own number, where the rest of the shape is the class's own, too: another one leaves it open.
  Number by_default(double MixtureDefaults::* which, std::string_view key, Number stated) {
    const bool same = defaults_ != nullptr && m_.layers == defaults_->layers && m_.hidden_size == defaults_->hidden;
    if (same && !stated && defaults_->*which > 0) {
      notes_.push_back(
          say("'{}' is missing: {:g}, the published default of '{}', is taken", key, defaults_->*which, class_.type));
      return defaults_->*which;
    }
    const std::string what =
        stated ? say("the model's shape is not clear: '{}' is {:g} in a mixture of experts", key, *stated)
               : say("the model's shape is not clear: '{}' is missing in a mixture of experts", key);
    if (const Node* at = keys_.find(key); at != nullptr && stated) {
      keys_.fail(*at, what);
      return std::nullopt;
    }
    keys_.fail_reading({ErrorKind::usage, what, keys_.file(), say("use the config.json of the model's publisher")});
    return std::nullopt;
  }

  void settle_visited() {
    if (m_.experts_per_token && *m_.experts_per_token < 1)
      keys_.fail_reading({ErrorKind::usage, say("no experts per token"), keys_.file(), {}});
    if (m_.experts_per_token || keys_.has("active_params_b")) return;
    if (class_.type == "mixtral" || class_.type == "phimoe")  // sizes of these classes differ in all but this
      m_.experts_per_token = defaults_->visited;
    else
      m_.experts_per_token = by_default(&MixtureDefaults::visited, "num_experts_per_tok", {});
  }

  void settle_width(Number width) {
    const bool llama4 = class_.type.starts_with("llama4");
    m_.moe_ffn_size = llama4 && !width ? keys_.count({"intermediate_size"}) : width;
    if (width && *width < 1) m_.moe_ffn_size = by_default(&MixtureDefaults::width, "moe_intermediate_size", width);
    if (!m_.moe_ffn_size && class_.is(kExpertWidth))
      m_.moe_ffn_size = by_default(&MixtureDefaults::width, "moe_intermediate_size", {});
    if (!m_.moe_ffn_size) m_.moe_ffn_size = m_.ffn_size;
  }

  void read_shared() {
    m_.shared_experts =
        keys_.largest({"n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"});
    const Number shared = keys_.count({"shared_expert_intermediate_size", "shared_intermediate_size"});
    if (shared && *shared > 0) {
      m_.shared_experts = 1;
      m_.shared_ffn_size = shared;
    }
    if (const Number each = keys_.count({"moe_shared_expert_intermediate_size"}); each && *each > 0)
      m_.shared_ffn_size = each;
    if (class_.is(kSharedGate) && shared.value_or(0) < 1 && !keys_.has("params_b")) {
      m_.shared_experts = 1;
      m_.shared_ffn_size = by_default(&MixtureDefaults::shared, "shared_expert_intermediate_size", shared);
    }
    if (class_.type.starts_with("llama4")) m_.shared_experts = 1;
    if (class_.type == "gemma4_text") {  // the dense FFN runs beside the experts
      m_.shared_experts = 1;
      m_.shared_ffn_size = m_.ffn_size;
    }
  }

  const Keys& keys_;
  std::optional<Keys> own_;
  const ModelClass& class_;
  Model& m_;
  std::vector<std::string>& notes_;
  const MixtureDefaults* defaults_ = nullptr;
};

}  // namespace

void read_experts(const Keys& keys, const ModelClass& model_class, Model& model, std::vector<std::string>& notes) {
  ExpertReader(keys, model_class, model, notes).read();
}

}  // namespace gpusel::catalog::hf
