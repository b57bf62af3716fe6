// The nearest equivalents of an instance, at other clouds first: what users of one cloud's machine want to
// know of the others'. Figures and weights come from data/rules/similarity.yaml.
#pragma once

#include <string>
#include <vector>

#include "answer/lists/list.hpp"

namespace gpusel::answer {

/// One figure of the comparison.
struct SimilarityFigure {
  rules::Fact fact = rules::Fact::gpu;
  double weight = 1;
  std::string label;  // for people
};

struct SimilarityScale {
  std::vector<SimilarityFigure> figures;
  double unlike_ratio = 2;
  double largest_ratio = 16;
};

/// Out of the documents that have a `similarity` section: the last one counts.
std::expected<SimilarityScale, Errors> read_similarity(std::span<const Document> documents);

/// Of the whole instance over the base's; nothing where either is not known.
struct Ratios {
  std::optional<double> price;
  std::optional<double> gpu_memory;
  std::optional<double> bandwidth;
  std::optional<double> dense16;
};

struct Difference {
  rules::Fact fact = rules::Fact::gpu;
  std::string label;
  std::string base;  // as shown; "unknown" where it is
  std::string other;
  std::optional<double> ratio;  // of numbers
};

struct Alike {
  Listed listed;
  double similarity = 100;  // 0…100
  Ratios ratios;
  std::vector<Difference> differences;  // another GPU first, then what counts most
};

/// The instance of that name, or the smallest of the family of that name: fewest GPUs, then vCPUs.
/// Errors, about --like: neither.
Result<const catalog::Instance*> base_called(std::string_view name, const catalog::Catalog& catalog);

struct AlikeList {
  std::vector<Alike> alike;
  std::size_t on_other_terms = 0;  // see InstanceList
};

/// The base, then the others: of the same vendor first, of these of other providers first, the most alike
/// first; in the question's own order if it has one. What is retired, and what has GPUs where the base has none, is no
/// equivalent.
Result<AlikeList> instances_like(const catalog::Instance& base, const ListQuestion& question,
                                 const SimilarityScale& scale, const catalog::Catalog& catalog,
                                 const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
