// Instance families by what people call them: "A2", "gn6v", "P4".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::job {

/// Families that a name stands for, and those they are taken for.
struct FamilyName {
  struct Family {
    std::string provider, id;
  };
  std::vector<Family> families;
  std::vector<Family> others;
};

/// By the ids of families, else by the names of the section "family_names". Error: nothing is called so, with the
/// nearest names of both.
Result<FamilyName> family_called(std::string_view name, const catalog::Catalog& catalog);

/// Families with GPUs whose names begin as that of an unknown one does ("gn8e": gn8is, gn8v), else those of the
/// provider that its SKU is written like ("ecs.gpu.large").
std::vector<FamilyName::Family> families_near(std::string_view name, const catalog::Catalog& catalog);

}  // namespace gpusel::job
