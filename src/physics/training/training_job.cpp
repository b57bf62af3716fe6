#include "physics/training/training_job.hpp"

#include <algorithm>
#include <cmath>

#include "physics/serving/half_rate.hpp"
#include "physics/training/training_activations.hpp"

namespace gpusel::physics {

namespace {

using job::Job;

catalog::LayerCode code_of(const Job& work) {
  return work.training.framework_record->code_of(job::trains_adapter(work.training.method));
}

double slack_of(const Job& work, const Coefficients& c) {
  if (!work.model->is_generator()) return c.allocator_slack.of("encoder");
  const auto& unequal = work.training.variable_lengths;
  return unequal ? c.allocator_slack.of(*unequal ? "variable" : "fixed")
                 : c.allocator_slack.either(work.training.framework, to_text(code_of(work)));
}

/// No product exceeds this share of the dense peak, however cool the part stays.
constexpr double kMostOfTrainingPeak = 0.92;

/// Share of the dense peak that large 16-bit products reach: its architecture's, more or less as the
/// part has more or fewer watts per TFLOPS than the architecture's reference part.
double training_efficiency(const catalog::Gpu& gpu, const Coefficients& c) {
  const double share = c.training_efficiency.of(gpu.architecture);
  const double tflops = gpu.fp16_dense_tflops.value_or(0);
  const double usual = c.watts_per_tflops.of(gpu.architecture);
  if (!gpu.tdp_w || tflops == 0 || usual == 0) return share;
  const double headroom = *gpu.tdp_w / tflops / usual;
  return std::min(kMostOfTrainingPeak, share * std::pow(headroom, c.power_exponent.of(gpu.architecture)));
}

}  // namespace

TrainingJob::TrainingJob(const Job& of, const Coefficients& coefficients)
    : work(of),
      c(coefficients),
      framework(*of.training.framework_record),
      code(code_of(of)),
      sequence(sequence_shape(of)),
      widths(attention_widths(*of.model, 1)),
      trainable(trainable_parameters(of)),
      ffn_columns(physics::ffn_columns(of)),
      slack(slack_of(of, coefficients)) {
  const auto of_code = [&](const Coefficient& one) { return one.either(work.training.framework, to_text(code)); };
  chunk_layers = of_code(c.chunk_layers);
  gated_bytes = of_code(c.gated_bytes);
  logits_bytes = work.training.fused_loss ? std::min(c.fused_logits_bytes.value, of_code(c.logits_bytes))
                                          : of_code(c.logits_bytes);
  selective_share = of_code(c.selective_share);
  step_bytes = of_code(c.step_bytes);
  unquantised_bytes = of_code(c.unquantised_bytes);
  score_bytes = of_code(c.score_bytes);
  pointwise_bytes = of_code(c.pointwise_bytes);
  adapter_bytes = of_code(c.adapter_bytes);
  logit_traffic = of_code(c.logit_traffic);
  if (work.training.fused_loss) logit_traffic = std::min(logit_traffic, c.logit_traffic.of("fused"));
  launch_exposed = of_code(c.launch_exposed);
  layer_us =
      of_code(c.training_layer_us) + (job::trains_adapter(work.training.method) ? of_code(c.adapter_layer_us) : 0);
  tensor_exposed = of_code(c.tensor_exposed);
  collectives_gib = c.collectives_gib.of("training", to_text(code));
}

double TrainingJob::chunks(const Layout& layout) const {
  if (layout.pp <= 1) return 1;
  const double layers = work.parameters.layers / layout.pp;
  if (work.training.virtual_pipeline) return std::min(layers, static_cast<double>(*work.training.virtual_pipeline));
  return std::max(1.0, std::floor(layers / chunk_layers));
}

bool TrainingJob::trains_all() const {
  return !job::trains_adapter(work.training.method) && !job::adds_tokens(work.training.method);
}

bool TrainingJob::unfused_norms() const {
  const bool plain =
      code == catalog::LayerCode::eager || code == catalog::LayerCode::torchtune || code == catalog::LayerCode::litgpt;
  return plain && work.parameters.is_gated();
}

bool TrainingJob::stream_in_fp32(const Layout& layout) const {
  const bool whole =
      layout.sharding == job::Sharding::none || layout.sharding == job::Sharding::ddp || layout.dp * layout.cp == 1;
  return code == catalog::LayerCode::eager && work.parameters.is_gated() && trains_all() && whole &&
         work.training.recipe == job::Recipe::mixed && storage_bytes(layout.precision) == 2;
}

const TokenBytes& TrainingJob::token_bytes(const Layout& layout) const {
  const bool known = per_token_ && per_token_->tp == layout.tp && per_token_->precision == layout.precision &&
                     per_token_->flash_attention == layout.flash_attention &&
                     per_token_->in_fp32 == stream_in_fp32(layout);
  if (!known)
    per_token_ = PerToken{layout.tp, layout.precision, layout.flash_attention, stream_in_fp32(layout),
                          layer_bytes_per_token(*this, layout)};
  return per_token_->bytes;
}

TrainingRates::TrainingRates(const Machine& machine, job::Precision of, const Coefficients& c)
    : precision(of), peak(machine.device.peak(of)), groups(machine, c) {
  const FlopPerSecond usual = peak.value_or(FlopPerSecond{});
  attention_peak = std::min(usual, machine.device.peak(job::Precision::bf16).value_or(usual));
  const catalog::Gpu& gpu = *machine.device.gpu;
  const std::string_view format = to_text(machine.device.done_in(precision));
  products = training_efficiency(gpu, c) * c.format_efficiency.of(format);
  attention = c.attention_efficiency.of(gpu.architecture);
  eager = half_rate(gpu) ? 1 : c.eager_efficiency.of(gpu.architecture);
  cast_bytes = c.cast_bytes.of(format, to_text(catalog::LayerCode::megatron));
  loose_cast_bytes = c.cast_bytes.of(format);
}

double pipeline_chunks(const Job& work, const Layout& layout, const Coefficients& coefficients) {
  return TrainingJob(work, coefficients).chunks(layout);
}

}  // namespace gpusel::physics
