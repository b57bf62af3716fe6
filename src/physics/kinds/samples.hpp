// Networks that read samples: its coefficients. Private to this room.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

/// Cases are named after the engine ("pytorch", "training") and the kind of network ("tensorrt encoder").
struct SampleCoefficients {
  Coefficient reach;              // share of the dense peak that products sustain, by compute capability
  Coefficient training_reach;     // the same in training
  Coefficient power_exponent;     // how that share follows a part's own watts per TFLOPS
  Coefficient arithmetic_gain;    // of other arithmetic, relative to 16 bit
  Coefficient copies;             // times that what a layer puts out passes through memory
  Coefficient cached;             // share of that traffic which large caches leave
  Coefficient clocks;             // of a multiprocessor for each value a layer puts out
  Coefficient layer_us;           // host time to launch a layer
  Coefficient host_exposed;       // of the shorter of launching and computing, what the other does not hide
  Coefficient launches;           // layers with weights in one block, by kind
  Coefficient usual_layers;       // where a model's are not known
  Coefficient usual_activations;  // millions per GFLOP, where a model's are not known
  Coefficient saved_copies;       // of what layers put out, kept for the backward pass
  Coefficient live_share;         // of it, alive at once without a backward pass
  Coefficient workspace_gib;
  Coefficient recomputed_share;  // of the saved copies that recomputing all leaves
  Coefficient online_share;      // of the steady rate that arrivals one by one reach in time
  Coefficient doubling_loss;     // share lost to waiting for each other, per doubling of GPUs
  Coefficient loader_rate;       // images that one vCPU decodes and augments in a second
  Coefficient rate_low;          // measured over predicted: the 80 % interval
  Coefficient rate_high;
  Coefficient memory_low;
  Coefficient memory_high;
};

template <class Visitor>
void visit_coefficients(SampleCoefficients& s, Visitor&& v) {
  v("samples.reach", s.reach);
  v("samples.training_reach", s.training_reach);
  v("samples.power_exponent", s.power_exponent);
  v("samples.arithmetic_gain", s.arithmetic_gain);
  v("samples.copies", s.copies);
  v("samples.cached", s.cached);
  v("samples.clocks", s.clocks);
  v("samples.layer_us", s.layer_us);
  v("samples.host_exposed", s.host_exposed);
  v("samples.launches", s.launches);
  v("samples.usual_layers", s.usual_layers);
  v("samples.usual_activations", s.usual_activations);
  v("samples.saved_copies", s.saved_copies);
  v("samples.live_share", s.live_share);
  v("samples.workspace_gib", s.workspace_gib);
  v("samples.recomputed_share", s.recomputed_share);
  v("samples.online_share", s.online_share);
  v("samples.doubling_loss", s.doubling_loss);
  v("samples.loader_rate", s.loader_rate);
  v("samples.rate_low", s.rate_low);
  v("samples.rate_high", s.rate_high);
  v("samples.memory_low", s.memory_low);
  v("samples.memory_high", s.memory_high);
}

}  // namespace gpusel::physics
