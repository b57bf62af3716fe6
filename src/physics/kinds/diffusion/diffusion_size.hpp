// How much work one image or video is for each part of a pipeline: text encoders, denoiser, decoder. Private to this
// room.
#pragma once

#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

/// One pass of the denoiser over one sample, and decoding it, at the size asked for.
struct DiffusionSize {
  double products = 0;   // FLOP that grow with the positions
  double attention = 0;  // FLOP that grow with their square
  double values = 0;     // that the layers write
  double positions = 0;  // the image's or video's and, in joint attention, the prompt's
  double scores = 0;     // of the layer with the most
  double all_scores = 0;
  double passes = 0;  // per step and sample
  double pixels = 0;  // of all frames
  double decoded_at_once = 0;
  double decode_flop = 0;
  double decode_values = 0;

  double flop() const { return products + attention; }
};

DiffusionSize diffusion_size(const catalog::Model& model, const job::DiffusionJob& job, const DiffusionCoefficients& c);

/// What the parts of a pipeline store.
struct DiffusionWeights {
  Bytes text;
  Bytes denoisers;  // all that are stored
  Bytes denoiser;   // that runs at a time
  Bytes vae;

  template <class Tell>
  auto sum(const Tell& told) const {
    return told("text encoders", text) + told("denoiser", denoisers) + told("VAE", vae);
  }
  Bytes all() const { return sum(Untold{}); }
};

/// `width`: bytes per value of what is not quantised.
DiffusionWeights diffusion_weights(const CountedAsk& ask, double width);
double denoiser_parameters(const catalog::Model& model);

/// Of the decoder: fp32 where the model asks for it.
double decoder_bytes(const CountedAsk& ask);

/// What products run at on that device, for the denoiser of that model.
struct DiffusionRate {
  FlopPerSecond peak;     // of the arithmetic that does the work
  double share = 0;       // of it that products reach
  double low_gain = 1;    // of those that 8 bit speeds up
  double attention = 0;   // of the share, that attention reaches
  FlopPerSecond decoder;  // what the VAE's products reach
  FlopPerSecond reached() const { return peak * share; }
  /// A pass of the denoiser.
  template <class Tell>
  auto pass(const Tell& told, const DiffusionSize& size) const {
    return (told("products", flop(size.products)) / told("gain of 8 bit", low_gain) +
            told("attention", flop(size.attention)) / told("share that attention reaches", attention)) /
           (told("peak", peak) * told("share reached", share));
  }
};

/// Nothing where the peak is not published.
std::optional<DiffusionRate> diffusion_rate(const CountedAsk& ask);

/// What the engine or the arithmetic needs and the device has not; nothing where all is there.
std::string_view lacking(const CountedAsk& ask);

/// The kind of denoiser, as cases of coefficients name it.
std::string_view denoiser_kind(const catalog::Model& model);

/// Moving the values that layers write through memory, each by the engine's habits.
Seconds traffic_time(const CountedAsk& ask, double values, double width);

}  // namespace gpusel::physics
