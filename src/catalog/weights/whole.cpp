// Tensors that a file has lost: a layer is compared with the others of its kind.
#include <algorithm>
#include <array>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/weights_file.hpp"

namespace gpusel::catalog {

namespace {

/// Of "mlp.experts.7.up_proj" 7; early GGUF files have "ffn_up.7".
std::optional<std::string_view> expert_of(std::string_view module) {
  for (const std::string_view before : {"experts.", "ffn_up."}) {
    const std::size_t at = module.find(before);
    if (at == std::string_view::npos || (at > 0 && module[at - 1] != '.')) continue;
    const std::string_view rest = module.substr(at + before.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0) return rest.substr(0, digits);
  }
  return std::nullopt;
}

/// What most have; nothing where there is no such.
Number most_of(std::vector<double> values) {
  std::ranges::sort(values);
  const double middle = values.empty() ? 0 : values[values.size() / 2];
  const bool is_most = 2 * std::ranges::count(values, middle) > static_cast<std::ptrdiff_t>(values.size());
  return is_most ? Number(middle) : std::nullopt;
}

class LayerCheck {
 public:
  LayerCheck(const LayerStack& stack, std::span<const std::uint32_t> kinds) : stack_(stack), kinds_(kinds) {
    for (std::uint32_t layer = 0; layer < kinds.size(); ++layer) of_kind_[kinds[layer]].push_back(layer);
  }

  std::optional<std::string> run() {
    for (const auto& [module, held] : stack_.modules) {
      std::map<std::uint32_t, std::vector<double>> values;  // by kind
      for (const auto& [layer, count] : held)
        if (layer < kinds_.size()) values[kinds_[layer]].push_back(count);
      for (auto& [kind, some] : values) compare(module, held, of_kind_[kind], std::move(some));
    }
    if (lost_ == 1)
      return say("'{}' is missing from layer {}, and the other layers of its kind have it", name_, layer_);
    if (lost_ > 1)
      return say("{} tensors that other layers of their kind have are missing, '{}' of layer {} for one", lost_, name_,
                 layer_);
    return smaller_;
  }

 private:
  /// One tensor in the layers of one kind: what more than half of them have is due in all.
  void compare(const std::string& module, const std::map<std::uint32_t, double>& held,
               const std::vector<std::uint32_t>& layers, std::vector<double> values) {
    if (2 * values.size() <= layers.size()) return;
    const double usual = most_of(std::move(values)).value_or(0);
    for (const std::uint32_t layer : layers) {
      const auto found = held.find(layer);
      if (found == held.end() && lost_++ == 0) {
        name_ = printable(shorten(module, 80));
        layer_ = layer;
      }
      if (found != held.end() && found->second > 0 && found->second < usual && !smaller_)
        smaller_ = say("'{}' of layer {} has {:.0f} values, and {:.0f} in the other layers of its kind",
                       printable(shorten(module, 80)), layer, found->second, usual);
    }
  }

  const LayerStack& stack_;
  std::span<const std::uint32_t> kinds_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_kind_;
  std::size_t lost_ = 0;
  std::string name_;  // of the first that is lost
  std::uint32_t layer_ = 0;
  std::optional<std::string> smaller_;
};

/// When a matrix goes with another.
enum class When : std::uint8_t {
  always,
  somewhere,  // in another layer, too: layers that reuse keys and values have none of their own
  gated,      // in FFNs of three matrices
};

/// Beside the first there is one of the others.
struct Companion {
  std::string_view there;
  std::array<std::string_view, 4> due;  // the others are empty
  When when = When::always;
};
constexpr Companion kCompanions[] = {
    {"q_proj", {"k_proj", "kv_proj"}, When::somewhere},
    {"q_proj", {"v_proj", "kv_proj"}, When::somewhere},
    {"q_proj", {"o_proj", "out_proj", "dense"}},
    {"k_proj", {"q_proj"}},
    {"o_proj", {"q_proj", "q_b_proj", "qkv_proj", "W_pack"}},
    {"q_b_proj", {"o_proj"}},
    {"qkv_proj", {"o_proj", "out_proj"}},
    {"query_key_value", {"dense"}},
    {"wqkv", {"wo"}},
    {"Wqkv", {"out_proj"}},
    {"W_pack", {"o_proj"}},
    {"c_attn", {"c_proj"}},
    {"attn_q", {"attn_k"}, When::somewhere},
    {"attn_q", {"attn_v"}, When::somewhere},
    {"attn_q", {"attn_output"}},
    {"attn_k", {"attn_q"}},
    {"attn_qkv", {"attn_output"}},
    {"gate_proj", {"up_proj"}},
    {"up_proj", {"down_proj"}},
    {"up_proj", {"gate_proj"}, When::gated},
    {"down_proj", {"up_proj", "gate_up_proj"}},
    {"gate_up_proj", {"down_proj"}},
    {"w1", {"w2"}},
    {"w1", {"w3", "c_proj"}, When::gated},
    {"w2", {"w1"}},
    {"w3", {"w1"}},
    {"c_fc", {"c_proj"}},
    {"c_fc_0", {"c_fc_1"}},
    {"c_fc_0", {"c_proj"}},
    {"fc1", {"fc2", "fc0"}},
    {"fc2", {"fc1"}},
    {"fc_in", {"fc_out"}},
    {"fc_out", {"fc_in"}},
    {"dense_h_to_4h", {"dense_4h_to_h"}},
    {"dense_4h_to_h", {"dense_h_to_4h"}},
    {"input_linear", {"output_linear"}},
    {"output_linear", {"input_linear"}},
    {"ffn_gate", {"ffn_up"}},
    {"ffn_up", {"ffn_down"}},
    {"ffn_up", {"ffn_gate"}, When::gated},
    {"ffn_down", {"ffn_up"}},
    {"ffn_gate_exps", {"ffn_up_exps"}},
    {"ffn_up_exps", {"ffn_down_exps"}},
    {"ffn_up_exps", {"ffn_gate_exps"}, When::gated},
    {"ffn_down_exps", {"ffn_up_exps", "ffn_gate_up_exps"}},
};

class KindCheck {
 public:
  KindCheck(const LayerStack& stack, const LayerNeeds& needs, bool gated, bool latent)
      : stack_(stack), needs_(needs), gated_(gated), latent_(latent) {}

  /// What is missing: the name of a matrix in quotes, or what it is a part of.
  std::optional<std::string> run() const {
    bool attention = false, ffn = false;
    for (const auto& [module, layers] : stack_.modules) {
      if (!layers.contains(needs_.layer) || is_norm(std::string_view(module).substr(module.rfind('.') + 1))) continue;
      if (auto lost = lost_beside(module)) return lost;
      attention = attention || has_word(module, {"attn", "attention", "q_proj", "qkv", "o_proj"});
      ffn = ffn || has_word(module, {"mlp", "ffn", "feed_forward", "expert", "moe", "up_proj", "fc1", "w1"});
    }
    // Where neither is told by its name, the names are of another kind.
    if (needs_.attention && !attention && (ffn || !needs_.ffn)) return say("the attention");
    if (needs_.ffn && !ffn && (attention || !needs_.attention)) return say("the FFN");
    return std::nullopt;
  }

 private:
  static bool has_word(std::string_view module, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return module.find(word) != std::string_view::npos; });
  }

  bool applies(const Companion& rule, std::string_view parent, std::string_view name) const {
    if (rule.there != name) return false;
    if (rule.when == When::gated && !gated_) return false;
    if (rule.when == When::somewhere && latent_) return false;
    return name != "gate_proj" || parent.find("attn") == std::string_view::npos;  // else a gate on the queries
  }

  bool is_there(const std::string& module, When when) const {
    const auto found = stack_.modules.find(module);
    return found != stack_.modules.end() && (when == When::somewhere || found->second.contains(needs_.layer));
  }

  std::optional<std::string> lost_beside(std::string_view module) const {
    const std::size_t dot = module.rfind('.');
    const std::string_view parent = module.substr(0, dot == std::string_view::npos ? 0 : dot + 1);
    const std::string_view name = module.substr(parent.size());
    for (const Companion& rule : kCompanions)
      if (applies(rule, parent, name) && std::ranges::none_of(rule.due, [&](std::string_view due) {
            return !due.empty() && is_there(std::string(parent) + std::string(due), rule.when);
          }))
        return format("'{}{}'", printable(shorten(parent, 60)), rule.due.front());
    return std::nullopt;
  }

  const LayerStack& stack_;
  const LayerNeeds& needs_;
  bool gated_, latent_;
};

}  // namespace

std::optional<std::string> lost_tensors(const LayerStack& stack, std::span<const std::uint32_t> kinds) {
  return LayerCheck(stack, kinds).run();
}

double experts_in(const LayerStack& stack) {
  std::set<std::string_view> experts;
  for (const auto& [module, held] : stack.modules)
    if (const auto expert = expert_of(module)) experts.insert(*expert);
  return std::max(stack.experts, static_cast<double>(experts.size()));
}

std::optional<std::string> lost_kind(const LayerStack& stack, const LayerNeeds& needs, bool gated, bool latent) {
  return KindCheck(stack, needs, gated, latent).run();
}

std::optional<std::string> lost_scales(const LayerStack& stack) {
  double lost = 0;
  std::string first;
  for (const auto& [module, layers] : stack.packed) {
    const auto scaled = stack.scaled.find(module);
    for (const std::uint32_t layer : layers) {
      if (scaled != stack.scaled.end() && scaled->second.contains(layer)) continue;
      if (lost++ == 0) first = say("'{}' of layer {}", printable(shorten(module, 80)), layer);
    }
  }
  if (lost == 0) return std::nullopt;
  if (lost == 1) return say("{} is packed, and its scales are missing", first);
  return say("{:g} packed matrices have no scales, {} for one", lost, first);
}

bool has_norms(const LayerStack& stack) {
  return std::ranges::any_of(stack.modules, [](const auto& module) { return is_norm(module.first); });
}

bool is_norm(std::string_view tensor) {
  return tensor.find("norm") != std::string_view::npos || tensor.find("ln_") != std::string_view::npos ||
         tensor.starts_with("ln");
}

}  // namespace gpusel::catalog
