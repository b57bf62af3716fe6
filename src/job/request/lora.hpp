// The matrices that LoRA adds adapters to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/values/error.hpp"

namespace gpusel::job {

struct LoraTargets {
  bool q = false, k = false, v = false, o = false;
  bool gate = false, up = false, down = false;
  bool experts = false;  // the FFN targets, in every routed expert

  friend bool operator==(const LoraTargets&, const LoraTargets&) = default;
};

/// Attention, and the FFN of models that have one for all tokens.
inline constexpr LoraTargets kAttentionTargets{true, true, true, true, false, false, false, false};
inline constexpr LoraTargets kLinearTargets{true, true, true, true, true, true, true, false};

/// "attention", "all", or a list of matrices as PEFT names them: "q_proj,v_proj", "q,v".
Status assign(std::string_view text, std::optional<LoraTargets>& place);

/// "attention", "all" or the list.
std::string text_of(const LoraTargets& targets);

}  // namespace gpusel::job
