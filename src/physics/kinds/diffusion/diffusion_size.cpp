#include "physics/kinds/diffusion/diffusion_size.hpp"

#include <algorithm>
#include <cmath>

#include "physics/formats.hpp"
#include "physics/serving/half_rate.hpp"

namespace gpusel::physics {

namespace {

using job::Precision;

constexpr double kBillion = 1e9;
constexpr double kMillion = 1e6;
constexpr double kUsualHeadDim = 64;

/// Frames a causal video VAE keeps: the first one, then one of so many.
double latent_frames(double frames, double compression) { return (frames - 1) / compression + 1; }

/// A decoder whose work is not published: a video's convolutions also reach over three frames.
double decode_flop(const catalog::Model& m, double pixels, double default_pixels, const DiffusionCoefficients& c) {
  if (m.vae_decode_gflops) return *m.vae_decode_gflops * kBillion * pixels / default_pixels;
  const double channels = m.vae_channels.value_or(0);
  const double depth = m.default_frames.value_or(1) > 1 ? 3 : 1;
  return c.decoder_flop.value * channels * channels * pixels * depth;
}

/// fp32 runs on matrix units as TF32 where there are any: PyTorch's own choice for convolutions.
Precision on_matrix_units(Precision precision, const Device& device) {
  const bool wide = precision == Precision::fp32 || precision == Precision::tf32;
  if (wide) return device.native(Precision::tf32) ? Precision::tf32 : Precision::fp32;
  return precision == Precision::fp8 || precision == Precision::int8 ? Precision::fp16 : precision;
}

/// Boards with more power for each TFLOPS come closer to their peak.
double share_of_peak(const CountedAsk& ask, Precision done) {
  const auto& gpu = *ask.machine.device.gpu;
  const DiffusionCoefficients& c = ask.c.diffusion;
  if (done == Precision::fp32) return c.core_share.value;
  const double watts = gpu.tdp_w && gpu.fp16_dense_tflops.value_or(0) != 0 ? *gpu.tdp_w / *gpu.fp16_dense_tflops : 1;
  return c.efficiency.of(gpu.architecture) * std::pow(watts, c.power_exponent.value);
}

}  // namespace

std::string_view denoiser_kind(const catalog::Model& model) {
  return model.denoiser.empty() ? std::string_view("dit") : model.denoiser;
}

double denoiser_parameters(const catalog::Model& model) {
  return (*model.params_b - model.text_encoder_params_b.value_or(0) - model.vae_params_b.value_or(0)) * kBillion;
}

DiffusionSize diffusion_size(const catalog::Model& m, const job::DiffusionJob& job, const DiffusionCoefficients& c) {
  const auto frames = static_cast<double>(job.frames);
  const double compression = m.frame_compression.value_or(1);
  const double default_frames = m.default_frames.value_or(1);
  const double default_pixels = *m.default_width * *m.default_height;
  const double text = m.joint_text.value_or(false) ? m.text_tokens.value_or(0) : 0;
  const double image = *m.image_tokens * (job.resolution.pixels() / default_pixels) *
                       (latent_frames(frames, compression) / latent_frames(default_frames, compression));
  const double growth = (image + text) / (*m.image_tokens + text);
  const double attention = m.attention_gflops.value_or(0) * kBillion;

  DiffusionSize size;
  size.positions = image + text;
  size.products = (*m.gflops_per_sample * kBillion - attention) * growth;
  size.attention = attention * growth * growth;
  size.values = m.activations_m.value_or(0) * kMillion * growth;
  size.all_scores = size.attention / (4 * m.head_dim.value_or(kUsualHeadDim));
  const bool unet = denoiser_kind(m) == "unet";
  size.scores = size.all_scores / (unet ? c.finest_layers.value : m.layers.value_or(1));
  size.passes = m.guidance_passes.value_or(1);
  size.pixels = job.resolution.pixels() * frames;
  const double channels = m.vae_channels.value_or(0);
  const double tile = default_pixels * c.tile_share.of(frames > 1 ? "video" : "image");
  size.decoded_at_once = (job.tiles ? std::min(tile, job.resolution.pixels()) : job.resolution.pixels()) *
                         std::min(frames, m.vae_chunk_frames.value_or(frames));
  size.decode_flop = decode_flop(m, size.pixels, default_pixels * default_frames, c);
  size.decode_values = c.decoder_values.value * channels * size.pixels;
  return size;
}

double decoder_bytes(const CountedAsk& ask) {
  return ask.work.model->vae_dtype == "fp32" ? 4 : storage_bytes(ask.layout.precision);
}

DiffusionWeights diffusion_weights(const CountedAsk& ask, double width) {
  const auto& m = *ask.work.model;
  const std::string_view asked = ask.work.inference.weights_precision;
  const bool eight_bit = ask.layout.precision == Precision::fp8 || ask.layout.precision == Precision::int8;
  const std::string_view name = !asked.empty() ? asked : eight_bit ? to_text(ask.layout.precision) : "";
  double stored = width;
  if (!name.empty())
    if (const auto format = weight_format(name)) stored = (*format)->bits / 8;
  const double all = denoiser_parameters(m);
  DiffusionWeights weights;
  weights.text = bytes(m.text_encoder_params_b.value_or(0) * kBillion * std::min(stored, width));
  weights.denoisers = bytes(all * stored);
  weights.denoiser = bytes((m.active_params_b ? std::min(all, *m.active_params_b * kBillion) : all) * stored);
  weights.vae = bytes(m.vae_params_b.value_or(0) * kBillion * std::max(width, m.vae_dtype == "fp32" ? 4.0 : 2.0));
  return weights;
}

std::optional<DiffusionRate> diffusion_rate(const CountedAsk& ask) {
  const Device& device = ask.machine.device;
  const DiffusionCoefficients& c = ask.c.diffusion;
  const Precision asked = ask.layout.precision;
  const Precision done = device.done_in(on_matrix_units(asked, device));
  const Precision decoding = ask.work.model->vae_dtype == "fp32" ? on_matrix_units(Precision::fp32, device) : done;
  const auto peak = device.peak(done);
  const auto decoder = device.peak(decoding);
  if (!peak || !decoder) return std::nullopt;
  const bool on_cores = done == Precision::fp32;
  const std::string_view engine = to_text(ask.counted.engine);
  // Where an engine lets fp16 add up in fp16, cards of half rate run at their full one.
  const double full_rate = half_rate(*device.gpu) ? c.half_rate_gain.of(engine) : 1;
  const double kernels = c.engine_gain.of(engine) * full_rate;
  const double gain = kernels * c.denoiser_gain.of(denoiser_kind(*ask.work.model));
  const double most = c.peak_share.value * full_rate;
  DiffusionRate rate;
  rate.peak = *peak;
  rate.share = on_cores ? c.core_share.value : std::min(most, share_of_peak(ask, done) * gain);
  rate.attention = c.attention_gain.of(denoiser_kind(*ask.work.model));
  const bool narrow = asked == Precision::fp8 || asked == Precision::int8;
  const auto narrow_peak = narrow ? device.peak(asked) : std::nullopt;
  if (narrow_peak && *narrow_peak > *peak) rate.low_gain = c.low_precision_gain.of(engine);
  // Where the denoiser runs on the ordinary cores, its decoder does.
  rate.decoder = *decoder * (on_cores ? c.core_share.value : std::min(most, share_of_peak(ask, decoding) * kernels));
  return rate;
}

std::string_view lacking(const CountedAsk& ask) {
  const Device& device = ask.machine.device;
  if (ask.counted.engine == job::Engine::tensorrt && device.gpu->vendor != "nvidia") return "TensorRT";
  if (ask.layout.precision == Precision::fp8 && !device.native(Precision::fp8)) return "fp8 arithmetic";
  if (ask.layout.precision == Precision::int8 && !device.native(Precision::int8)) return "int8 arithmetic";
  return {};
}

Seconds traffic_time(const CountedAsk& ask, double values, double width) {
  const double times = ask.c.diffusion.traffic.of(to_text(ask.counted.engine));
  return bytes(2 * values * width * times) / ask.machine.device.bandwidth;  // read and written
}

}  // namespace gpusel::physics
