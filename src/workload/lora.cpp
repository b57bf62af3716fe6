#include "gpusel/workload/lora.hpp"

#include <array>
#include <vector>

#include "gpusel/base/text.hpp"
#include "gpusel/workload/option.hpp"

namespace gpusel::workload {

namespace {

struct Name {
  std::string_view text;
  std::array<bool LoraTargets::*, 7> members;  // empty places are null
};

using T = LoraTargets;
constexpr std::array kNames{
    Name{"q", {&T::q}},
    Name{"k", {&T::k}},
    Name{"v", {&T::v}},
    Name{"o", {&T::o}},
    Name{"gate", {&T::gate}},
    Name{"up", {&T::up}},
    Name{"down", {&T::down}},
    Name{"attention", {&T::q, &T::k, &T::v, &T::o}},
    Name{"ffn", {&T::gate, &T::up, &T::down}},
    Name{"mlp", {&T::gate, &T::up, &T::down}},
    Name{"experts", {&T::experts}},
    Name{"all", {&T::q, &T::k, &T::v, &T::o, &T::gate, &T::up, &T::down}},
    Name{"all-linear", {&T::q, &T::k, &T::v, &T::o, &T::gate, &T::up, &T::down}},
};

/// "q_proj" is "q".
std::string_view without_proj(std::string_view word) {
  for (const std::string_view ending : {"_proj", "-proj"})
    if (word.ends_with(ending)) return word.substr(0, word.size() - ending.size());
  return word;
}

const Name* find(std::string_view word) {
  for (const Name& name : kNames)
    if (same_spelling(name.text, word)) return &name;
  return nullptr;
}

}  // namespace

Status assign(std::string_view text, std::optional<LoraTargets>& place) {
  LoraTargets targets;
  for (const std::string_view part : split(text, ',')) {
    const Name* name = find(without_proj(trim(part)));
    if (name == nullptr) {
      std::vector<std::string_view> known;
      for (const Name& one : kNames) known.push_back(one.text);
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
  for (const Name& name : kNames)
    if (name.members[1] == nullptr && targets.*name.members[0])
      list += (list.empty() ? "" : ",") + std::string(name.text);
  return list;
}

}  // namespace gpusel::workload
