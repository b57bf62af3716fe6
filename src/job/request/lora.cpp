#include "job/request/lora.hpp"

#include <array>
#include <vector>

#include "base/text/text.hpp"
#include "job/request/option.hpp"

namespace gpusel::job {

namespace {

struct TargetName {
  std::string_view text;
  std::array<bool LoraTargets::*, 7> members;  // empty places are null
};

using T = LoraTargets;
constexpr std::array kTargetNames{
    TargetName{"q", {&T::q}},
    TargetName{"k", {&T::k}},
    TargetName{"v", {&T::v}},
    TargetName{"o", {&T::o}},
    TargetName{"gate", {&T::gate}},
    TargetName{"up", {&T::up}},
    TargetName{"down", {&T::down}},
    TargetName{"attention", {&T::q, &T::k, &T::v, &T::o}},
    TargetName{"ffn", {&T::gate, &T::up, &T::down}},
    TargetName{"mlp", {&T::gate, &T::up, &T::down}},
    TargetName{"experts", {&T::experts}},
    TargetName{"all", {&T::q, &T::k, &T::v, &T::o, &T::gate, &T::up, &T::down}},
    TargetName{"all-linear", {&T::q, &T::k, &T::v, &T::o, &T::gate, &T::up, &T::down}},
};

/// "q_proj" is "q".
std::string_view without_proj(std::string_view word) {
  for (const std::string_view ending : {"_proj", "-proj"})
    if (word.ends_with(ending)) return word.substr(0, word.size() - ending.size());
  return word;
}

const TargetName* find(std::string_view word) {
  for (const TargetName& name : kTargetNames)
    if (same_spelling(name.text, word)) return &name;
  return nullptr;
}

}  // namespace

Status assign(std::string_view text, std::optional<LoraTargets>& place) {
  LoraTargets targets;
  for (const std::string_view part : split(text, ',')) {
    const TargetName* name = find(without_proj(trim(part)));
    if (name == nullptr) {
      std::vector<std::string_view> known;
      for (const TargetName& one : kTargetNames) known.push_back(one.text);
      return not_one_of(trim(part), known);
    }
    for (const auto member : name->members)
      if (member != nullptr) targets.*member = true;
  }
  // Adapters of experts go to whichever FFN matrices are named, or to all of them.
  if (targets.experts && !targets.gate && !targets.up && !targets.down) targets.gate = targets.up = targets.down = true;
  place = targets;
  return {};
}

std::string text_of(const LoraTargets& targets) {
  if (targets == kLinearTargets) return "all";
  if (targets == kAttentionTargets) return "attention";
  std::string list;
  for (const TargetName& name : kTargetNames)
    if (name.members[1] == nullptr && targets.*name.members[0])
      list += (list.empty() ? "" : ",") + std::string(name.text);
  return list;
}

}  // namespace gpusel::job
