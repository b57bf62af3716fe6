// Which published repository a model's weights are taken from.
#pragma once

#include <string>
#include <string_view>

#include "catalog/records/model.hpp"

namespace gpusel::catalog {

/// How a repository was come to.
enum class RepositoryChoice : std::uint8_t {
  asked,     // it was named
  instruct,  // the model's instruction-tuned weights, which are served where only the model was named
  base,      // its base weights, which training starts from where only the model was named
  published  // the first that is known
};

struct Repository {
  std::string name;  // "organisation/name"; empty: none is known
  RepositoryChoice choice = RepositoryChoice::published;
};

/// `asked`: what the question calls the model; a repository is taken exactly so, in the letters it is published in
/// where the catalogue has it. `trains`: weights are trained from, not served.
Repository repository_of(const Model& model, std::string_view asked, bool trains);

}  // namespace gpusel::catalog
