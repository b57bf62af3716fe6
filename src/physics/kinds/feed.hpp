// What reaches the GPUs: host processors decode, storage is read, links carry. The least of it and of what the GPUs do
// is the speed of the work. Private to this room.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

struct CountedAsk;
struct Figures;
struct Machine;

struct FeedCoefficients {
  Coefficient decoder_rate;    // images that a GPU's own units decode in a second, by compute capability
  Coefficient decoding_share;  // of a vCPU's work on an image, what grows with the stored pixels
  Coefficient audio_rate;      // seconds of audio that one vCPU decodes in a second
  Coefficient cached_share;    // of host memory, that a data set may take to be read from storage once
  Coefficient interval_low;    // measured over predicted: the 80 % interval of decoding
  Coefficient interval_high;
};

template <class Visitor>
void visit_coefficients(FeedCoefficients& f, Visitor&& v) {
  v("feed.decoder_rate", f.decoder_rate);
  v("feed.decoding_share", f.decoding_share);
  v("feed.audio_rate", f.audio_rate);
  v("feed.cached_share", f.cached_share);
  v("feed.interval_low", f.interval_low);
  v("feed.interval_high", f.interval_high);
}

/// What the work reads, thing by thing; 0: nothing of it.
struct Fed {
  double per_vcpu = 0;      // things that one vCPU decodes in a second
  double by_gpu = 0;        // the same by the decoders of one GPU
  double stored_bytes = 0;  // read from storage for one
  double device_bytes = 0;  // carried to the GPU for one
  bool is_named = false;    // whether its vCPUs are told of where they are enough, too
};

/// Of images of so many pixels, as a network sees them, by who decodes them; nothing where nobody does.
Fed fed_images(const CountedAsk& ask, double pixels, double stored_bytes);
/// Of seconds of audio.
Fed fed_audio(const CountedAsk& ask, double stored_bytes);
/// Of what is read as it is stored.
Fed fed_bytes(const CountedAsk& ask, double stored_bytes);

/// Bytes of an image of so many pixels that is stored decoded.
double raw_image_bytes(double pixels);

/// What a machine lacks that this loader needs; empty: nothing.
std::string_view loader_lacks(const CountedAsk& ask);

/// What the loader means for the speed, where that is not all that the GPUs could do or not known.
void note_feed(const Machine& machine, const Figures& figures, std::vector<std::string>& notes);

/// Holds the figures to the least of what decodes, reads and carries.
void feed(Figures& figures, const Fed& fed, const CountedAsk& ask);

}  // namespace gpusel::physics
