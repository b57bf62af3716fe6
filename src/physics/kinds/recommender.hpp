// Recommendation: its coefficients. Private to this room.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

struct RecommenderCoefficients {
  Coefficient step_ms;        // of a step or call, before and after its kernels
  Coefficient value_bytes;    // moved per value that the dense layers put out
  Coefficient row_accesses;   // times a table's row is read or written per lookup
  Coefficient imbalance;      // of the fullest GPU over the mean where tables are divided
  Coefficient replicated;     // share of a GPU's memory up to which tables are copied rather than divided
  Coefficient kept_copies;    // of the dense values, alive at once
  Coefficient workspace_gib;  // loader, buffers of exchanges
  Coefficient skew;           // how lookups gather on few rows
  Coefficient cached_share;   // of the tables that stays on the GPU where they lie in host memory
  Coefficient rate_low;
  Coefficient rate_high;
  Coefficient memory_low;
  Coefficient memory_high;
};

template <class Visitor>
void visit_coefficients(RecommenderCoefficients& r, Visitor&& v) {
  v("recommender.step_ms", r.step_ms);
  v("recommender.value_bytes", r.value_bytes);
  v("recommender.row_accesses", r.row_accesses);
  v("recommender.imbalance", r.imbalance);
  v("recommender.replicated", r.replicated);
  v("recommender.kept_copies", r.kept_copies);
  v("recommender.workspace_gib", r.workspace_gib);
  v("recommender.skew", r.skew);
  v("recommender.cached_share", r.cached_share);
  v("interval.recommender_rate_low", r.rate_low);
  v("interval.recommender_rate_high", r.rate_high);
  v("interval.recommender_memory_low", r.memory_low);
  v("interval.recommender_memory_high", r.memory_high);
}

}  // namespace gpusel::physics
