#include "serve/engine/step_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/serving/pass.hpp"

namespace gpusel::serve {

namespace {

/// Sequences of one batch of a pipeline: fewer sequences than stages go one by one.
double in_one_batch(const StepTimes& t, const Pass& pass) {
  return std::max(pass.sequences / t.stages, std::min(1.0, pass.sequences));
}

/// One batch of a pipeline: its part of the sequences, and of the prompts.
double batch_time(const StepTimes& t, const Pass& pass) {
  const double sequences = in_one_batch(t, pass);
  const double prompt_tokens = pass.fullest * pass.prompt_tokens;
  const double rows = sequences * t.rows_per_sequence + prompt_tokens;
  const double prompt_share = prompt_tokens / rows;
  physics::PassParts parts;
  parts.weights = t.weights(rows);
  if (prompt_share > 0) parts.products = prompt_share * t.prompt_products(rows) + t.head * pass.fullest * pass.prompts;
  if (prompt_share < 1) parts.products += (1 - prompt_share) * t.decode_products(rows);
  parts.attention = pass.fullest * pass.prompt_attention;
  parts.between = t.between * prompt_tokens;
  parts.fixed = t.fixed;
  parts.links = t.link_row * rows;
  parts.host_exposed = t.host_exposed;
  if (sequences > 0) {
    const double each = pass.cached / pass.sequences;
    parts.caches = sequences * t.cache(each);
    if (t.rows_per_sequence > 1) parts.fixed += t.draft(sequences) + sequences * t.draft_cache(each);
    if (each > t.graph_context) parts.host = t.host;
  }
  if (prompt_share > 0 && rows > t.graph_rows) parts.launch = t.prompt_launch;
  return physics::pass_time(parts);
}

}  // namespace

double StepTimes::of(const Pass& pass) const { return batch_time(*this, pass) + sequence * pass.sequences; }

StepTimes::Run StepTimes::run(double sequences, double cached, std::uint64_t most, double seconds) const {
  Run out;
  const double grows = tokens_per_sequence;
  double each = cached / sequences;
  while (true) {
    // Within a piece of the cache's curve every step is longer than the one before by the same.
    const Curve::Piece& piece = cache.piece(each);
    std::uint64_t steps = most - out.steps;
    if (!cache.is_last(piece)) {
      const auto left = static_cast<std::uint64_t>(std::max(1.0, std::ceil((piece.end - each) / grows)));
      steps = std::min(steps, left);
    }
    const double first = of({sequences, sequences * each, 0, 0, 0});
    const double beyond = of({sequences, sequences * (each + static_cast<double>(steps) * grows), 0, 0, 0});
    const double more = (beyond - first) / static_cast<double>(steps);
    const double wanted = seconds - out.seconds;
    const double base = first - more / 2;  // k steps take k × base + k² × more / 2
    double enough = std::numeric_limits<double>::infinity();
    if (std::isfinite(wanted))
      enough = more > 1e-12 * first ? 2 * wanted / (base + std::sqrt(base * base + 2 * more * wanted)) : wanted / first;
    const bool done = enough <= static_cast<double>(steps);
    if (done) steps = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(enough)));
    const auto count = static_cast<double>(steps);
    if (out.steps == 0) out.first = first;
    out.last = first + more * (count - 1);
    out.seconds += count * base + count * count * more / 2;
    out.steps += steps;
    each += count * grows;
    if (done || out.steps >= most) return out;
  }
}

StepTimes StepTimes::scaled(double memory, double compute) const {
  StepTimes out = *this;
  out.weights = weights.scaled(memory);
  out.decode_products = decode_products.scaled(compute);
  out.prompt_products = prompt_products.scaled(compute);
  out.cache = cache.scaled(memory);
  out.prompt = prompt.scaled(compute);
  out.draft = draft.scaled(memory);
  out.draft_cache = draft_cache.scaled(memory);
  out.head *= compute;
  for (double* part : {&out.between, &out.link_row, &out.fixed, &out.sequence, &out.prompt_launch, &out.host})
    *part *= memory;
  return out;
}

}  // namespace gpusel::serve
