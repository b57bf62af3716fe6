// Image and video generation: its coefficients, and the size of one image's work. Private to this room.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

struct DiffusionCoefficients {
  Coefficient efficiency;          // of the dense peak at 1 W per TFLOPS, by architecture
  Coefficient power_exponent;      // how that share follows a part's own watts per TFLOPS
  Coefficient peak_share;          // of the dense peak, at most
  Coefficient core_share;          // of the fp32 rate of parts without matrix units for it
  Coefficient denoiser_gain;       // products of one kind of denoiser against those of a UNet
  Coefficient attention_gain;      // attention against other products, by kind of denoiser
  Coefficient engine_gain;         // products, by engine
  Coefficient half_rate_gain;      // of cards whose matrix units run at half rate, by engine
  Coefficient low_precision_gain;  // products in 8 bit against 16 bit
  Coefficient traffic;             // of reading and writing every layer's values once, by engine
  Coefficient score_traffic;       // moved values per attention score where attention is not fused
  Coefficient layer_us;            // host time to launch one layer, by engine
  Coefficient decoder_flop;        // per pixel and squared channel, where the decoder's own figure is not known
  Coefficient decoder_values;      // written per pixel and channel
  Coefficient decoder_held;        // bytes alive per pixel and channel
  Coefficient decoder_kept;        // what the allocator keeps of freed blocks, as a share of it, by format
  Coefficient tile_share;          // of the model's own picture that one tile covers, by kind of picture
  Coefficient denoiser_held;       // alive per position and channel, by kind of denoiser
  Coefficient score_copies;        // of one layer's attention scores alive at once
  Coefficient finest_layers;       // attention layers of a UNet at the finest level they reach
  Coefficient sliced_batch;        // images from which they are decoded one by one
  Coefficient offload_gbs;         // rate at which weights come from host memory
  Coefficient training_share;      // of the rate of inference that a training pass reaches
  Coefficient kept_bytes;          // per value written, kept for the backward pass
  Coefficient recomputed_share;    // of them kept with checkpointing, by kind of denoiser
  Coefficient interval_memory_low, interval_memory_high;
  Coefficient interval_speed_low, interval_speed_high;
};

template <class Visitor>
void visit_coefficients(DiffusionCoefficients& c, Visitor&& v) {
  v("diffusion.efficiency", c.efficiency);
  v("diffusion.power_exponent", c.power_exponent);
  v("diffusion.peak_share", c.peak_share);
  v("diffusion.core_share", c.core_share);
  v("diffusion.denoiser_gain", c.denoiser_gain);
  v("diffusion.attention_gain", c.attention_gain);
  v("diffusion.engine_gain", c.engine_gain);
  v("diffusion.half_rate_gain", c.half_rate_gain);
  v("diffusion.low_precision_gain", c.low_precision_gain);
  v("diffusion.traffic", c.traffic);
  v("diffusion.score_traffic", c.score_traffic);
  v("diffusion.layer_us", c.layer_us);
  v("diffusion.decoder_flop", c.decoder_flop);
  v("diffusion.decoder_values", c.decoder_values);
  v("diffusion.decoder_held", c.decoder_held);
  v("diffusion.decoder_kept", c.decoder_kept);
  v("diffusion.tile_share", c.tile_share);
  v("diffusion.denoiser_held", c.denoiser_held);
  v("diffusion.score_copies", c.score_copies);
  v("diffusion.finest_layers", c.finest_layers);
  v("diffusion.sliced_batch", c.sliced_batch);
  v("diffusion.offload_gbs", c.offload_gbs);
  v("diffusion.training_share", c.training_share);
  v("diffusion.kept_bytes", c.kept_bytes);
  v("diffusion.recomputed_share", c.recomputed_share);
  v("diffusion.interval_memory_low", c.interval_memory_low);
  v("diffusion.interval_memory_high", c.interval_memory_high);
  v("diffusion.interval_speed_low", c.interval_speed_low);
  v("diffusion.interval_speed_high", c.interval_speed_high);
}

}  // namespace gpusel::physics
