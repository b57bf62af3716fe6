#include "catalog/records/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog {

namespace {

/// Of a mixture whose description says nothing: the commonest choice.
constexpr double kExpertsPerToken = 2;

double ffn_matrices(const Model& model) { return model.gated_ffn.value_or(true) ? 3 : 2; }

/// Encoders share one table unless they say otherwise.
bool ties_embeddings(const Model& model) { return model.tied_embeddings.value_or(!model.is_generator()); }

double moe_layer_count(const Model& model) {
  if (!model.is_moe()) return 0;
  if (model.moe_layers) return *model.moe_layers;
  const double candidates = *model.layers - model.first_dense_layers.value_or(0);
  return std::max(0.0, candidates / model.moe_layer_step.value_or(1));
}

double expert_parameters(const Model& model) {
  if (!model.is_moe()) return 0;
  const double width = model.moe_latent_size.value_or(*model.hidden_size);
  const double ffn = model.moe_ffn_size ? *model.moe_ffn_size : model.ffn_size.value_or(0);
  return moe_layer_count(model) * *model.experts * ffn_matrices(model) * width * ffn;
}

/// Body and tables of a dense model with so many FFN matrices per layer.
double dense_total(const Model& model, double matrices, double tables) {
  const double h = *model.hidden_size;
  return *model.layers * (attention_parameters(model) + matrices * h * model.ffn_size.value_or(0)) +
         tables * model.vocab_size.value_or(0) * h;
}

struct OpenShape {
  double matrices;
  bool tied;
};

/// What is not stated of FFN and output head: with a stated size, whatever comes closest to it.
OpenShape open_shape(const Model& model) {
  const OpenShape usual{ffn_matrices(model), ties_embeddings(model)};
  const bool plain = !model.is_moe() && !model.is_mla() && !model.decoder_layers && !model.vision_params_b;
  if (!model.params_b || !model.heads || !model.ffn_size || !plain) return usual;
  OpenShape best = usual;
  double nearest = std::numeric_limits<double>::infinity();
  for (const double matrices : {3.0, 2.0})
    for (const bool tied : {false, true}) {
      if (model.gated_ffn && matrices != usual.matrices) continue;
      if (model.tied_embeddings && tied != usual.tied) continue;
      const double off = std::abs(dense_total(model, matrices, tied ? 1 : 2) - *model.params_b * 1e9);
      if (off < nearest) {
        nearest = off;
        best = {matrices, tied};
      }
    }
  return best;
}

/// Where only totals are known: what is not attention or embedding is experts, and the active count
/// says which share of them a token visits.
void split_by_active(Parameters& p, const Model& model, double total) {
  const double attention = attention_parameters(model) * p.layers;
  p.experts = std::max(0.0, total - p.embedding - p.head - attention);
  if (p.experts > 0)
    p.routed_share = std::clamp((*model.active_params_b * 1e9 - attention - p.head) / p.experts, 0.0, 1.0);
}

bool shape_known(const Model& model) { return model.layers && model.hidden_size; }

}  // namespace

double attention_parameters(const Model& model) {
  const double h = model.hidden_size.value_or(0);
  const double heads = model.heads.value_or(0);
  const double d = model.head_dim.value_or(heads > 0 ? h / heads : 0);
  if (model.is_mla()) {
    const double latent = *model.mla_kv_lora_rank;
    const double rope = model.mla_rope_dim.value_or(0);
    const double v = model.mla_v_head_dim.value_or(d - rope);
    const double q_rank = model.mla_q_lora_rank.value_or(0);
    const double query = q_rank > 0 ? h * q_rank + q_rank * heads * d : h * heads * d;
    return query + h * (latent + rope) + latent * heads * (d - rope + v) + heads * v * h;
  }
  const double kv = model.kv_heads.value_or(heads);
  return h * d * (heads + 2 * kv) + heads * d * h;
}

Number parameters_from_shape(const Model& model) {
  if (!shape_known(model) || !model.heads || !model.vocab_size) return std::nullopt;
  const double h = *model.hidden_size;
  const double layers = *model.layers + model.decoder_layers.value_or(0);
  const double moe = moe_layer_count(model);
  const double dense = model.ffn_layers.value_or(layers - moe) * ffn_matrices(model) * h * model.ffn_size.value_or(0);
  const double shared_width = model.shared_ffn_size ? *model.shared_ffn_size : model.moe_ffn_size.value_or(0);
  const double shared = moe * model.shared_experts.value_or(0) * ffn_matrices(model) * h * shared_width;
  const double router = moe * h * model.experts.value_or(0);
  const double cross = model.decoder_layers.value_or(0) * attention_parameters(model);
  const double tables = *model.vocab_size * h * (ties_embeddings(model) ? 1 : 2);
  const double total = tables + layers * (attention_parameters(model) + 2 * h) + cross + dense +
                       expert_parameters(model) + shared + router + h;
  return total / 1e9;
}

void complete_experts(Model& model) {
  if (!model.is_moe() || !shape_known(model)) return;
  const double total = model.params_b.value_or(0) * 1e9;
  const double active = model.active_params_b.value_or(0) * 1e9;
  const bool dense_width = !model.moe_ffn_size || model.moe_ffn_size == model.ffn_size;
  if (total > 0 && dense_width && (!model.moe_ffn_size || expert_parameters(model) > total)) {
    const double tables = *model.hidden_size * model.vocab_size.value_or(0) * (ties_embeddings(model) ? 1 : 2);
    const double others = tables + attention_parameters(model) * *model.layers;
    const double column = moe_layer_count(model) * *model.experts * ffn_matrices(model) * *model.hidden_size;
    if (total > others && column > 0) model.moe_ffn_size = std::floor((total - others) / column);
  }
  if (model.experts_per_token) return;
  const double all = expert_parameters(model);
  model.experts_per_token = kExpertsPerToken;
  if (total > 0 && active > 0 && all > 0)
    model.experts_per_token =
        std::clamp(std::round((1 - (total - active) / all) * *model.experts), 1.0, *model.experts);
}

double parts_billions(const Model& m) {
  return m.vision_params_b.value_or(0) + m.mtp_params_b.value_or(0) + m.per_layer_embedding_params_b.value_or(0) +
         m.text_encoder_params_b.value_or(0) + m.vae_params_b.value_or(0);
}

Number size_from_shape(const Model& m) {
  const bool of_one_kind = m.is_language_model() && !m.linear_layers && !m.ffn_layers &&
                           m.attention.find('+') == std::string_view::npos && !m.moe_latent_size &&
                           !m.kv_full_head_dim && !m.window_heads;
  const Number shape = of_one_kind && (m.ffn_size || m.moe_ffn_size) ? parameters_from_shape(m) : Number();
  return shape ? Number(*shape + parts_billions(m)) : shape;
}

std::string size_words(const Model& model, double from_shape) {
  return say("{} B parameters, but its layers, heads and vocabulary add up to {} B", human_number(*model.params_b),
             human_number(from_shape));
}

Result<Parameters> parameters_of(const Model& model) {
  if (!shape_known(model))
    return usage_error(say("the shape of '{}' is not known well enough to estimate it", model.id), "model");
  constexpr double kMostTimes = 2;  // a record's rounding, or widths that differ by layer, are less
  if (const Number shape = size_from_shape(model); shape && model.params_b &&
      (*model.params_b > kMostTimes * *shape || kMostTimes * *model.params_b < *shape))
    return usage_error(say("'{}': {}", model.id, size_words(model, *shape)), "model");
  const Number total_b = model.params_b ? model.params_b : parameters_from_shape(model);
  if (!total_b) return usage_error(say("the size of '{}' is not known", model.id), "model");

  Parameters p;
  p.layers = *model.layers + model.decoder_layers.value_or(0);
  p.moe_layers = moe_layer_count(model);
  const OpenShape shape = open_shape(model);
  p.ffn_matrices = shape.matrices;
  p.embedding = model.vocab_size.value_or(0) * *model.hidden_size;
  p.head = shape.tied ? 0 : p.embedding;
  p.experts = expert_parameters(model);
  p.routed_share = model.is_moe() ? model.experts_per_token.value_or(1) / *model.experts : 0;
  p.vision = model.vision_params_b.value_or(0) * 1e9;
  p.mtp = model.mtp_params_b.value_or(0) * 1e9;
  p.layer_embeddings = model.per_layer_embedding_params_b.value_or(0) * 1e9;
  const bool expert_shape = model.moe_ffn_size || model.ffn_size;
  if (model.is_moe() && model.active_params_b && (!expert_shape || p.total() > *total_b * 1e9))
    split_by_active(p, model, *total_b * 1e9);
  p.body = *total_b * 1e9 - p.total();
  if (p.body > 0) return p;
  // A stated size below what the shape needs: keep the size and scale the parts to it.
  const double scale = *total_b * 1e9 / (*total_b * 1e9 - p.body + attention_parameters(model) * p.layers);
  p.embedding *= scale;
  p.head *= scale;
  p.experts *= scale;
  p.vision *= scale;
  p.mtp *= scale;
  p.layer_embeddings *= scale;
  p.body = 0;
  p.body = *total_b * 1e9 - p.total();
  return p;
}

}  // namespace gpusel::catalog
