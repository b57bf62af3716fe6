// Kinds of scenes by name. Private to this room.
#pragma once

#include <algorithm>
#include <span>

#include "base/text/text.hpp"
#include "job/kinds/filling.hpp"

namespace gpusel::job {

/// What is drawn, and the memory it usually takes.
struct SceneClass {
  std::string_view name;
  double gib;
  bool needs_rt = false;
};

/// The class that the request names, else the first; its memory unless the request says another.
/// Errors: a name that no class has.
inline Result<const SceneClass*> scene_of(std::span<const SceneClass> classes, Filling& f, double& memory_gib) {
  const Request& r = f.request;
  const std::string asked = r.scene.empty() ? std::string(classes.front().name) : lower(trim(r.scene));
  const auto found = std::ranges::find(classes, std::string_view(asked), &SceneClass::name);
  if (found == classes.end()) {
    std::vector<std::string_view> names;
    for (const SceneClass& one : classes) names.push_back(one.name);
    const Hint near = did_you_mean(asked, names);
    return usage_error(say("'{}' is not a kind of scene", shorten(r.scene, 40)), "scene",
                       near.or_else(say("known: {}", join_texts(names, say_name(", ")))));
  }
  const bool matters = r.scene.empty() && !r.scene_vram_gib;
  if (matters) f.defaults.assume("scene", found->name);
  memory_gib = f.or_assume(r.scene_vram_gib, "scene_vram_gib", found->gib);
  return &*found;
}

}  // namespace gpusel::job
