// A neural network as its configuration describes it: the shape that memory and speed follow from.
#pragma once

#include <array>

#include "base/values/enum.hpp"
#include "catalog/records/field.hpp"

namespace gpusel {

namespace catalog {

enum class ModelKind : std::uint8_t {
  decoder_llm,
  vlm,
  encoder,
  encoder_decoder,
  diffusion,
  cnn,
  vit,
  speech,
  recommender,
  sequence  // small networks over sequences, not used as generators: Transformer-XL, vocoders
};

struct Model {
  std::string_view id;
  TextList aliases;
  std::string_view family;
  std::optional<ModelKind> kind;
  Number release_year;
  std::string_view licence;
  std::string_view native_dtype;
  TextList official_formats;       // of fewer bits, in which its own publisher ships it too
  TextList official_repositories;  // of these formats
  Number fp8_block;                // side of the blocks that share a scale in its publisher's FP8 weights
  std::string_view instruct;       // repository that is served where only the model is named
  std::string_view base;           // repository that training starts from then

  Number params_b;         // all that is stored; mtp_params_b says what of it is not used for inference
  Number active_params_b;  // per token, for mixtures of experts
  Number layers;
  Number hidden_size;
  Number ffn_size;
  Number vocab_size;
  std::optional<bool> tied_embeddings;
  Number max_context;
  Number repository_context;      // tokens in config.json of some of its repositories, where it is another
  TextList context_repositories;  // these
  std::string_view model_type;    // of config.json, where an engine treats it apart

  std::string_view attention;  // mha gqa mqa mla, with +linear, +mamba2 … for hybrids
  Number heads;
  Number kv_heads;
  Number head_dim;
  std::optional<bool> qk_norm;  // queries and keys are normalized before their products
  Number kv_full_layers;        // layers whose K/V cache grows with the context
  Number kv_window_layers;      // layers whose cache stops at window_tokens
  Number window_tokens;
  Number mla_kv_lora_rank;
  Number mla_rope_dim;
  Number linear_state_bytes;  // fixed state per sequence of linear-attention or Mamba layers, at 16 bit

  Number experts;
  Number experts_per_token;
  Number shared_experts;
  Number moe_ffn_size;
  Number shared_ffn_size;  // of one shared expert, where it differs from moe_ffn_size
  Number first_dense_layers;
  Number moe_layer_step;  // 2: every second layer has experts

  Number moe_layers;       // layers with experts, where first_dense_layers and layer_step do not say it
  Number moe_latent_size;  // experts work on this width instead of hidden_size

  // Departures from the plain decoder.
  Number norms_per_layer;         // of the width of the hidden state; absent: two
  std::optional<bool> gated_ffn;  // false: two FFN matrices, not three; absent: gated
  Number ffn_layers;              // dense FFN layers of a hybrid
  Number decoder_layers;          // encoder-decoders: layers is then the encoder's
  Number cross_layers;            // layers with a cross-attention cache
  Number cross_tokens;            // tokens it holds; absent: the input's length
  Number linear_layers;           // layers with a fixed state instead of a cache
  Number v_head_dim;
  Number window_heads;
  Number kv_full_heads;     // K/V heads of the full layers, where they differ from kv_heads
  Number kv_full_head_dim;  // width of their heads, where it differs from head_dim
  Number kv_window_heads;
  Number kv_extra_elements;  // cached values per token beyond the plain formula, whole model
  Number mla_q_lora_rank;    // 0: none
  Number mla_v_head_dim;

  // Parts of params_b.
  Number vision_params_b;
  Number mtp_params_b;                  // multi-token prediction, not loaded for plain inference
  Number per_layer_embedding_params_b;  // may stay in host memory
  Number native_weights_gib;            // the released files, where formats of several widths are mixed

  // Networks that read samples.
  Number activations_m;  // millions of values that its layers put out per sample at the default input

  // Recommendation.
  Number embedding_tables;
  Number embedding_dim;
  Number embedding_params_b;  // all tables; the rest of params_b is dense
  Number largest_table_params_b;
  Number lookups_per_sample;  // rows read over all tables
  Number embedding_optimizer_elements;
  Number activation_elements;  // dense, per sample, that the backward pass keeps

  // Diffusion and speech.
  std::string_view denoiser;  // unet or dit
  Number default_steps;
  Number default_width;
  Number default_height;
  Number default_frames;
  Number frames_per_second;
  Number image_tokens;  // positions of the denoiser's finest level at the default input
  Number text_tokens;
  std::optional<bool> joint_text;  // text goes through the layers beside the image
  Number attention_gflops;         // of gflops_per_sample, what grows with the square of the tokens
  Number frame_compression;
  Number vae_channels;  // of the decoder's last level
  Number vae_chunk_frames;
  std::string_view vae_dtype;
  Number decoder_steps_per_s;  // sequential steps per second of audio
  Number decoder_params_b;     // read by each of them
  Number frames_per_s;         // positions of the encoder per second of audio
  Number widest_elements_per_s;
  std::optional<bool> speech_synthesis;
  Number text_encoder_params_b;
  Number vae_params_b;
  Number vae_decode_gflops;
  Number guidance_passes;  // 2: classifier-free guidance
  Number window_s;
  Number encoder_gflops;
  Number decoder_gflops_per_token;
  Number gflops_per_sample;
  std::string_view default_input;

  std::string_view file_layout;  // "gguf" or "safetensors", of a model out of such files; not a catalogue field

  TextList sources;
  TextList params_sources;
  std::string_view notes;

  bool is_moe() const { return experts.value_or(0) > 1; }
  bool is_language_model() const {
    return kind && (*kind == ModelKind::decoder_llm || *kind == ModelKind::vlm || *kind == ModelKind::encoder ||
                    *kind == ModelKind::encoder_decoder);
  }
  /// Generates text token by token.
  bool is_generator() const { return kind && *kind != ModelKind::encoder && is_language_model(); }
  bool is_encoder_decoder() const { return kind == ModelKind::encoder_decoder; }
  bool is_mla() const { return mla_kv_lora_rank.has_value(); }
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Model>
void visit_fields(Record& m, Visitor&& v) {
  constexpr Range kCount{0, 1e9};
  constexpr Range kBillions{0, 1e6};
  v(Field{.path = "id", .json = "id", .required = true}, m.id);
  v(Field{.path = "aliases", .json = "aliases"}, m.aliases);
  v(Field{.path = "family", .json = "family"}, m.family);
  v(Field{.path = "kind", .json = "kind", .required = true}, m.kind);
  v(Field{.path = "params_b", .json = "params_b", .unit = "B", .range = kBillions, .required = true}, m.params_b);
  v(Field{.path = "active_params_b", .json = "active_params_b", .unit = "B", .range = kBillions}, m.active_params_b);
  v(Field{.path = "layers", .json = "layers", .range = {1, 1e5}}, m.layers);
  v(Field{.path = "hidden_size", .json = "hidden_size", .range = {1, 1e7}}, m.hidden_size);
  v(Field{.path = "attention.heads", .json = "heads", .range = {1, 1e5}}, m.heads);
  v(Field{.path = "attention.kv_heads", .json = "kv_heads", .range = {1, 1e5}}, m.kv_heads);
  v(Field{.path = "attention.head_dim", .json = "head_dim", .range = {1, 1e5}}, m.head_dim);
  v(Field{.path = "attention.qk_norm", .json = "qk_norm"}, m.qk_norm);
  v(Field{.path = "ffn_size", .json = "ffn_size", .range = {1, 1e7}}, m.ffn_size);
  v(Field{.path = "vocab_size", .json = "vocab_size", .range = {1, 1e8}}, m.vocab_size);
  v(Field{.path = "tied_embeddings", .json = "tied_embeddings"}, m.tied_embeddings);
  v(Field{.path = "max_context", .json = "max_context", .unit = "tokens", .range = kCount}, m.max_context);
  v(Field{.path = "repository_context.tokens", .json = "repository_context", .unit = "tokens", .range = kCount},
    m.repository_context);
  v(Field{.path = "repository_context.repositories", .json = "context_repositories"}, m.context_repositories);
  v(Field{.path = "model_type", .json = "model_type"}, m.model_type);
  v(Field{.path = "attention.kind", .json = "attention"}, m.attention);
  v(Field{.path = "kv_cache.full_layers", .json = "kv_full_layers", .range = {0, 1e5}}, m.kv_full_layers);
  v(Field{.path = "kv_cache.window_layers", .json = "kv_window_layers", .range = {0, 1e5}}, m.kv_window_layers);
  v(Field{.path = "kv_cache.window_tokens", .json = "window_tokens", .range = kCount}, m.window_tokens);
  v(Field{.path = "mla.kv_lora_rank", .json = "kv_lora_rank", .range = {1, 1e6}}, m.mla_kv_lora_rank);
  v(Field{.path = "mla.rope_dim", .json = "qk_rope_head_dim", .range = {0, 1e6}}, m.mla_rope_dim);
  v(Field{.path = "linear_attention.state_bytes_per_sequence_fp16",
          .json = "linear_state_bytes",
          .unit = "B",
          .range = {0, 1e12}},
    m.linear_state_bytes);
  v(Field{.path = "moe.experts", .json = "experts", .range = {1, 1e5}}, m.experts);
  v(Field{.path = "moe.experts_per_token", .json = "experts_per_token", .range = {1, 1e5}}, m.experts_per_token);
  v(Field{.path = "moe.shared_experts", .json = "shared_experts", .range = {0, 1e4}}, m.shared_experts);
  v(Field{.path = "moe.ffn_size", .json = "moe_ffn_size", .range = {1, 1e7}}, m.moe_ffn_size);
  v(Field{.path = "moe.shared_ffn_size", .json = "shared_ffn_size", .range = {1, 1e7}}, m.shared_ffn_size);
  v(Field{.path = "moe.first_dense_layers", .json = "first_dense_layers", .range = {0, 1e5}}, m.first_dense_layers);
  v(Field{.path = "moe.layer_step", .json = "moe_layer_step", .range = {1, 100}}, m.moe_layer_step);
  v(Field{.path = "moe.layers", .json = "moe_layers", .range = {1, 1e5}}, m.moe_layers);
  v(Field{.path = "moe.latent_size", .json = "moe_latent_size", .range = {1, 1e7}}, m.moe_latent_size);
  v(Field{.path = "norms_per_layer", .json = "norms_per_layer", .range = {1, 8}}, m.norms_per_layer);
  v(Field{.path = "gated_ffn", .json = "gated_ffn"}, m.gated_ffn);
  v(Field{.path = "ffn_layers", .json = "ffn_layers", .range = {0, 1e5}}, m.ffn_layers);
  v(Field{.path = "decoder_layers", .json = "decoder_layers", .range = {1, 1e5}}, m.decoder_layers);
  v(Field{.path = "cross_attention.layers", .json = "cross_attention_layers", .range = {1, 1e5}}, m.cross_layers);
  v(Field{.path = "cross_attention.tokens", .json = "cross_attention_tokens", .range = kCount}, m.cross_tokens);
  v(Field{.path = "linear_attention.layers", .json = "linear_layers", .range = {1, 1e5}}, m.linear_layers);
  v(Field{.path = "attention.v_head_dim", .json = "v_head_dim", .range = {1, 1e5}}, m.v_head_dim);
  v(Field{.path = "attention.window_heads", .json = "window_heads", .range = {1, 1e5}}, m.window_heads);
  v(Field{.path = "kv_cache.full_kv_heads", .json = "kv_full_heads", .range = {1, 1e5}}, m.kv_full_heads);
  v(Field{.path = "kv_cache.full_head_dim", .json = "kv_full_head_dim", .range = {1, 1e5}}, m.kv_full_head_dim);
  v(Field{.path = "kv_cache.window_kv_heads", .json = "kv_window_heads", .range = {1, 1e5}}, m.kv_window_heads);
  v(Field{.path = "kv_cache.extra_elements_per_token", .json = "kv_extra_elements_per_token", .range = kCount},
    m.kv_extra_elements);
  v(Field{.path = "mla.q_lora_rank", .json = "q_lora_rank", .range = {0, 1e6}}, m.mla_q_lora_rank);
  v(Field{.path = "mla.v_head_dim", .json = "mla_v_head_dim", .range = {1, 1e6}}, m.mla_v_head_dim);
  v(Field{.path = "mtp_params_b", .json = "mtp_params_b", .unit = "B", .range = kBillions}, m.mtp_params_b);
  v(Field{.path = "per_layer_embedding_params_b",
          .json = "per_layer_embedding_params_b",
          .unit = "B",
          .range = kBillions},
    m.per_layer_embedding_params_b);
  v(Field{.path = "native_weights_gib", .json = "native_weights_gib", .unit = "GiB", .range = {0, 1e6}},
    m.native_weights_gib);
  v(Field{.path = "activations_m", .json = "activations_m", .unit = "M", .range = {0, 1e9}}, m.activations_m);
  v(Field{.path = "recommender.tables", .json = "embedding_tables", .range = {1, 1e6}}, m.embedding_tables);
  v(Field{.path = "recommender.embedding_dim", .json = "embedding_dim", .range = {1, 1e6}}, m.embedding_dim);
  v(Field{.path = "recommender.embedding_params_b", .json = "embedding_params_b", .unit = "B", .range = kBillions},
    m.embedding_params_b);
  v(Field{.path = "recommender.largest_table_params_b",
          .json = "largest_table_params_b",
          .unit = "B",
          .range = kBillions},
    m.largest_table_params_b);
  v(Field{.path = "recommender.lookups_per_sample", .json = "lookups_per_sample", .range = {1, 1e7}},
    m.lookups_per_sample);
  v(Field{.path = "recommender.optimizer_elements", .json = "embedding_optimizer_elements", .range = {0, 4}},
    m.embedding_optimizer_elements);
  v(Field{.path = "recommender.activation_elements", .json = "activation_elements", .range = kCount},
    m.activation_elements);
  v(Field{.path = "diffusion.denoiser", .json = "denoiser"}, m.denoiser);
  v(Field{.path = "diffusion.default_steps", .json = "default_steps", .range = {1, 1000}}, m.default_steps);
  v(Field{.path = "diffusion.default_width", .json = "default_width", .unit = "px", .range = {8, 16384}},
    m.default_width);
  v(Field{.path = "diffusion.default_height", .json = "default_height", .unit = "px", .range = {8, 16384}},
    m.default_height);
  v(Field{.path = "diffusion.default_frames", .json = "default_frames", .range = {1, 1e4}}, m.default_frames);
  v(Field{.path = "diffusion.frames_per_second", .json = "frames_per_second", .range = {1, 240}}, m.frames_per_second);
  v(Field{.path = "diffusion.image_tokens", .json = "image_tokens", .range = {1, 1e8}}, m.image_tokens);
  v(Field{.path = "diffusion.text_tokens", .json = "text_tokens", .range = {0, 1e5}}, m.text_tokens);
  v(Field{.path = "diffusion.joint_text", .json = "joint_text"}, m.joint_text);
  v(Field{.path = "diffusion.attention_gflops", .json = "attention_gflops", .unit = "GFLOP"}, m.attention_gflops);
  v(Field{.path = "diffusion.frame_compression", .json = "frame_compression", .range = {1, 64}}, m.frame_compression);
  v(Field{.path = "diffusion.vae_channels", .json = "vae_channels", .range = {1, 4096}}, m.vae_channels);
  v(Field{.path = "diffusion.vae_chunk_frames", .json = "vae_chunk_frames", .range = {1, 1e4}}, m.vae_chunk_frames);
  v(Field{.path = "diffusion.vae_dtype", .json = "vae_dtype"}, m.vae_dtype);
  v(Field{.path = "speech.decoder_steps_per_s", .json = "decoder_steps_per_s", .range = {0, 1e5}},
    m.decoder_steps_per_s);
  v(Field{.path = "speech.decoder_params_b", .json = "decoder_params_b", .unit = "B", .range = kBillions},
    m.decoder_params_b);
  v(Field{.path = "speech.frames_per_s", .json = "frames_per_s", .range = {0, 1e6}}, m.frames_per_s);
  v(Field{.path = "speech.widest_elements_per_s", .json = "widest_elements_per_s", .range = {0, 1e9}},
    m.widest_elements_per_s);
  v(Field{.path = "speech.synthesis", .json = "speech_synthesis"}, m.speech_synthesis);
  v(Field{.path = "diffusion.text_encoder_params_b", .json = "text_encoder_params_b", .unit = "B", .range = kBillions},
    m.text_encoder_params_b);
  v(Field{.path = "diffusion.vae_params_b", .json = "vae_params_b", .unit = "B", .range = kBillions}, m.vae_params_b);
  v(Field{.path = "diffusion.vae_decode_gflops", .json = "vae_decode_gflops", .unit = "GFLOP"}, m.vae_decode_gflops);
  v(Field{.path = "diffusion.guidance_passes", .json = "guidance_passes", .range = {1, 10}}, m.guidance_passes);
  v(Field{.path = "speech.window_s", .json = "window_s", .unit = "s", .range = {0, 1e5}}, m.window_s);
  v(Field{.path = "speech.encoder_gflops", .json = "encoder_gflops", .unit = "GFLOP"}, m.encoder_gflops);
  v(Field{.path = "speech.decoder_gflops_per_token", .json = "decoder_gflops_per_token", .unit = "GFLOP"},
    m.decoder_gflops_per_token);
  v(Field{.path = "vision_params_b", .json = "vision_params_b", .unit = "B", .range = kBillions}, m.vision_params_b);
  v(Field{.path = "native_dtype", .json = "native_dtype"}, m.native_dtype);
  v(Field{.path = "official_formats", .json = "official_formats"}, m.official_formats);
  v(Field{.path = "official_repositories", .json = "official_repositories"}, m.official_repositories);
  v(Field{.path = "fp8_block", .json = "fp8_block", .range = {1, 4096}}, m.fp8_block);
  v(Field{.path = "instruct", .json = "instruct"}, m.instruct);
  v(Field{.path = "base", .json = "base"}, m.base);
  v(Field{.path = "gflops_per_sample", .json = "gflops_per_sample", .unit = "GFLOP", .range = {0, 1e12}},
    m.gflops_per_sample);
  v(Field{.path = "default_input", .json = "default_input"}, m.default_input);
  v(Field{.path = "release_year", .json = "release_year", .range = {2005, 2100}}, m.release_year);
  v(Field{.path = "licence", .json = "licence"}, m.licence);
  v(Field{.path = "sources", .json = "sources", .required = true}, m.sources);
  v(Field{.path = "params_sources", .json = "params_sources"}, m.params_sources);
  v(Field{.path = "notes", .json = "notes"}, m.notes);
}

/// Bytes that one more token adds to the K/V cache at 16 bit while every layer still grows:
/// 2 × layers × kv_heads × head_dim × 2, or layers × (latent + rope) × 2 with MLA. Layers that keep a
/// fixed state (linear attention, Mamba) add none; encoders keep no cache: 0. Nothing when the shape
/// is not known.
Number kv_bytes_per_token_fp16(const Model& model);

}  // namespace catalog

template <>
inline constexpr auto enum_names<catalog::ModelKind> =
    std::to_array<std::string_view>({"decoder-llm", "vlm", "encoder", "encoder-decoder", "diffusion", "cnn", "vit",
                                     "speech", "recommender", "sequence"});

}  // namespace gpusel
