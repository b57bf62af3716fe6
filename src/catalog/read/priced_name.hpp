// What a name means whose prices are changed: the same in a discount and in a sweep.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/error.hpp"
#include "catalog/catalog.hpp"

namespace gpusel::catalog {

/// Whether people call a GPU that: an alias, or words of its id. `folded`: by fold_gpu_name().
bool goes_by(const Gpu& gpu, std::string_view folded);

/// From the widest to the narrowest.
enum class Priced : std::uint8_t { provider, gpu, family, instance };

struct PricedName {
  Priced kind = Priced::provider;
  std::vector<bool> instances;  // by their place in the catalogue
  std::optional<Term> term;     // of "aws:spot"
  std::string also;             // what else goes by that name and is not meant: "scaleway/L40S"

  bool has(std::size_t instance) const { return instances[instance]; }
};

struct NameOnTerm {
  std::string_view name;
  std::optional<Term> term;
};
/// The term behind the last colon, and the name before it; a name may have colons of its own. Errors: no such term.
Result<NameOnTerm> name_on_term(std::string_view subject, const Catalog& catalog);

/// "aws", "h100", "aws/p4d", "p4d.24xlarge", each with ":spot" or another term behind it. A name that a GPU goes by
/// means all instances with that GPU; a family or an instance that is called the same is written with its provider.
/// Errors: no term, or nothing, is called that, naming the nearest; two providers have it.
Result<PricedName> priced_name(std::string_view subject, const Catalog& catalog);

/// "214 prices of instances with that GPU".
std::string in_words(const PricedName& name, std::size_t prices);

}  // namespace gpusel::catalog
