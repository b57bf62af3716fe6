#include "physics/kinds/networks/network.hpp"

#include <algorithm>
#include <cmath>

#include "base/values/enum.hpp"
#include "base/values/number.hpp"

namespace gpusel::physics {

namespace {

using catalog::Model;
using catalog::ModelKind;

/// Published counts of activations hold attention's scores or do not: what is left without them is at least so much.
constexpr double kLeastWithoutScores = 0.2;

/// Blocks of attention and feed-forward whose shape is known.
struct Blocks {
  double layers = 0;
  double width = 0;
  double ffn = 0;
  double heads = 0;
  double weights = 0;  // of all blocks

  explicit Blocks(const Model& m) {
    if (!m.layers || !m.hidden_size || !m.ffn_size || m.kind == ModelKind::cnn) return;
    layers = *m.layers;
    width = *m.hidden_size;
    ffn = *m.ffn_size;
    heads = m.heads.value_or(0);
    weights = layers * (4 * width * width + (m.gated_ffn.value_or(true) ? 3 : 2) * width * ffn);
  }
  bool known() const { return layers != 0; }
  double flops(double tokens) const { return 2 * weights * tokens + 4 * layers * width * tokens * tokens; }
  double scores(double tokens) const { return layers * heads * tokens * tokens; }
  /// Queries, keys, values, context, output and the way back from the feed-forward, and its own width.
  double activations(double tokens) const { return layers * tokens * (6 * width + ffn); }
  /// Tokens of a pass of so much arithmetic: the root of the square that `flops` is.
  double tokens_of(double flops) const {
    const double a = 4 * layers * width, b = 2 * weights;
    return (std::sqrt(b * b + 4 * a * flops) - b) / (2 * a);
  }
};

/// Pixels, or tokens and the like, of the model's default input; 0 where it states none.
double usual_size(const Model& model, bool of_pixels) {
  const std::string_view first = model.default_input.substr(0, model.default_input.find_first_of(" ,"));
  if (!of_pixels) return plain_number(first).value_or(0);
  std::optional<job::Resolution> size;
  return job::assign(first, size) ? size->pixels() : 0;
}

/// How many times its default input a network is asked to read.
double growth(const Model& model, const job::SampleJob& job) {
  const bool of_pixels = job.seq_len == 0;
  const double asked = of_pixels ? job.resolution.pixels() : static_cast<double>(job.seq_len);
  const double usual = usual_size(model, of_pixels);
  return asked != 0 && usual != 0 ? asked / usual : 1;
}

}  // namespace

std::string_view kind_of(const Model& model) { return to_text(model.kind.value_or(ModelKind::cnn)); }

NetworkCost cost_of(const Model& model, const job::SampleJob& job, const SampleCoefficients& c) {
  NetworkCost cost;
  const std::string_view kind = kind_of(model);
  cost.launches = model.layers.value_or(c.usual_layers.of(kind)) * c.launches.of(kind);
  const double times = growth(model, job);
  const double flops = model.gflops_per_sample.value_or(0) * 1e9;
  const double stated =
      model.activations_m.value_or(model.gflops_per_sample.value_or(0) * c.usual_activations.of(kind));
  cost.flops = flops * times;
  cost.activations = stated * 1e6 * times;

  const Blocks blocks(model);
  // Segments of a network with a memory of the last one: as published, whatever the shape says.
  if (!blocks.known() || model.kind == ModelKind::sequence) return cost;
  if (model.kind == ModelKind::encoder) {
    const double tokens = static_cast<double>(job.seq_len);
    cost.flops = blocks.flops(tokens);
    cost.activations = blocks.activations(tokens);
    cost.scores = blocks.scores(tokens);
    return cost;
  }
  const double usual = blocks.tokens_of(flops), tokens = usual * times;
  cost.flops = blocks.flops(tokens);
  cost.scores = blocks.scores(tokens);
  cost.activations = std::max(kLeastWithoutScores * stated * 1e6, stated * 1e6 - blocks.scores(usual)) * times;
  return cost;
}

}  // namespace gpusel::physics
