// What runs cost besides the rate of the hardware: failures, restarts, loading and power. Each figure stands with its
// source in data/calibration/economy.yaml.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

struct EconomyCoefficients {
  Coefficient node_mtbf_hours;  // of a node of eight GPUs under training, between failures that end the job

  // Loading.
  Coefficient start_engine_s;            // of an engine between loaded weights and the first answer, by engine
  Coefficient start_loader_gbs;          // that one process of an engine loads weights at, by where they are kept
  Coefficient start_loader_growth;       // exponent: how that grows with the processes of a node
  Coefficient storage_usual_gbs;         // of one instance, where its provider's storage is not known, by kind
  Coefficient storage_local_gbs_per_tb;  // read from an instance's own disks
  Coefficient node_mtbf_hours_low, node_mtbf_hours_high;  // where nodes fail most, and least
  Coefficient gpu_failure_share;                          // of those failures, which grow with the GPUs
  Coefficient restart_minutes;
  Coefficient checkpoint_node_write_gbs;

  // Spot that was taken away.
  Coefficient spot_regain_hours;                  // until one node is there again, by class of GPU
  Coefficient spot_regain_growth;                 // exponent of the nodes
  Coefficient spot_regain_low, spot_regain_high;  // of that, where it comes soonest and latest
  Coefficient spot_open_mid, spot_open_high;      // share taken within a month, where the published band is open

  Coefficient pue;
  Coefficient power_usd_per_kwh;
  Coefficient hosting_usd_per_kw_month;
  Coefficient purchase_years;

  Coefficient storage_least_gb;  // that is sold, by the storage's id

  // What data weigh as they are stored.
  Coefficient data_token_bytes;        // by size of the vocabulary
  Coefficient data_input_pixel_bytes;  // of an image, by pixel of a network's input, by kind of network
  Coefficient data_audio_s_bytes;
  Coefficient data_row_bytes;  // of a sample of a recommender
  Coefficient data_frame_mb;   // of a rendered frame
};

/// Lists each coefficient with its id once.
template <class Visitor>
void visit_coefficients(EconomyCoefficients& c, Visitor&& v) {
  v("failure.node_mtbf_hours", c.node_mtbf_hours);
  v("start.engine_s", c.start_engine_s);
  v("start.loader_gbs", c.start_loader_gbs);
  v("start.loader_growth", c.start_loader_growth);
  v("storage.usual_gbs", c.storage_usual_gbs);
  v("storage.local_gbs_per_tb", c.storage_local_gbs_per_tb);
  v("failure.node_mtbf_hours_low", c.node_mtbf_hours_low);
  v("failure.node_mtbf_hours_high", c.node_mtbf_hours_high);
  v("failure.gpu_share", c.gpu_failure_share);
  v("failure.restart_minutes", c.restart_minutes);
  v("checkpoint.node_write_gbs", c.checkpoint_node_write_gbs);
  v("spot.regain_hours", c.spot_regain_hours);
  v("spot.regain_growth", c.spot_regain_growth);
  v("spot.regain_low", c.spot_regain_low);
  v("spot.regain_high", c.spot_regain_high);
  v("spot.open_mid", c.spot_open_mid);
  v("spot.open_high", c.spot_open_high);
  v("purchase.pue", c.pue);
  v("purchase.power_usd_per_kwh", c.power_usd_per_kwh);
  v("purchase.hosting_usd_per_kw_month", c.hosting_usd_per_kw_month);
  v("purchase.years", c.purchase_years);
  v("storage.least_gb", c.storage_least_gb);
  v("data.token_bytes", c.data_token_bytes);
  v("data.input_pixel_bytes", c.data_input_pixel_bytes);
  v("data.audio_s_bytes", c.data_audio_s_bytes);
  v("data.row_bytes", c.data_row_bytes);
  v("data.frame_mb", c.data_frame_mb);
}

}  // namespace gpusel::physics
