// Tensors that a file has lost: a layer is compared with the others of its kind.
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/weights_file.hpp"

namespace gpusel::catalog {

namespace {

bool has_module(const LayerStack& stack, std::string_view ending) {
  return std::ranges::any_of(stack.modules, [&](const auto& module) { return module.first.ends_with(ending); });
}

/// Of "mlp.experts.7.up_proj" 7.
std::optional<std::string_view> expert_of(std::string_view module) {
  constexpr std::string_view kExperts = "experts.";
  const std::size_t at = module.find(kExperts);
  if (at == std::string_view::npos || (at > 0 && module[at - 1] != '.')) return std::nullopt;
  const std::string_view rest = module.substr(at + kExperts.size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits > 0 ? std::optional(rest.substr(0, digits)) : std::nullopt;
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

}  // namespace

std::optional<std::string> lost_tensors(const LayerStack& stack, std::span<const std::uint32_t> kinds) {
  return LayerCheck(stack, kinds).run();
}

double experts_in(const LayerStack& stack) {
  std::set<std::string_view> experts;
  for (const auto& [module, held] : stack.modules)
    if (const auto expert = expert_of(module)) experts.insert(*expert);
  return static_cast<double>(experts.size());
}

std::string_view lost_kind(const LayerStack& stack) {
  struct Pair {
    std::string_view there, due;
  };
  static constexpr Pair kPairs[] = {
      {"q_proj", "k_proj"}, {"q_proj", "v_proj"}, {"attn_q", "attn_k"}, {"attn_q", "attn_v"}};
  for (const Pair& pair : kPairs)
    if (has_module(stack, pair.there) && !has_module(stack, pair.due) && !has_module(stack, "kv_proj")) return pair.due;
  return {};
}

bool has_norms(const LayerStack& stack) {
  return std::ranges::any_of(stack.modules, [](const auto& module) { return is_norm(module.first); });
}

bool is_norm(std::string_view tensor) {
  return tensor.find("norm") != std::string_view::npos || tensor.find("ln_") != std::string_view::npos ||
         tensor.starts_with("ln");
}

}  // namespace gpusel::catalog
