// Preprocessing: its coefficients. Private to this room.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

struct PreprocessCoefficients {
  Coefficient rate;          // per unit of a processor's speed, by kind: GB/s, millions of pixels per second of images
  Coefficient working_set;   // memory over data, by kind
  Coefficient spill;         // of the time where the data do not fit into memory
  Coefficient trees;         // grown on the data
  Coefficient tree_loss;     // exponent of the threads that growing trees together costs
  Coefficient gpu_tree_gbs;  // of data per GB/s of memory bandwidth, all trees of one pass
  Coefficient gpu_tree_ms;   // launching a tree's levels
  Coefficient gpu_tree_memory;              // of a table, on a GPU
  Coefficient kept_free;                    // of host memory, where the data are larger than it
  Coefficient scale_share;                  // of decoding video in software that shrinking its frames adds
  Coefficient interval_low, interval_high;  // measured over predicted, by kind
};

template <class Visitor>
void visit_coefficients(PreprocessCoefficients& c, Visitor&& v) {
  v("preprocess.rate", c.rate);
  v("preprocess.working_set", c.working_set);
  v("preprocess.spill", c.spill);
  v("preprocess.trees", c.trees);
  v("preprocess.tree_loss", c.tree_loss);
  v("preprocess.gpu_tree_gbs", c.gpu_tree_gbs);
  v("preprocess.gpu_tree_ms", c.gpu_tree_ms);
  v("preprocess.gpu_tree_memory", c.gpu_tree_memory);
  v("preprocess.kept_free", c.kept_free);
  v("preprocess.scale_share", c.scale_share);
  v("preprocess.interval_low", c.interval_low);
  v("preprocess.interval_high", c.interval_high);
}

}  // namespace gpusel::physics
