#include "support/ideal.hpp"

#include "support/job.hpp"

namespace gpusel::test {

const physics::Coefficients& ideal() {
  static const physics::Coefficients made = [] {
    physics::Coefficients c = coefficients();
    const auto set = [](double value, std::initializer_list<physics::Coefficient*> all) {
      for (physics::Coefficient* one : all) *one = {value, {}};
    };
    constexpr double kNoBound = 1e12;
    set(0.5, {&c.training_efficiency, &c.attention_efficiency});
    set(1, {&c.gemm_efficiency,
            &c.low_precision_efficiency,
            &c.eager_efficiency,
            &c.format_efficiency,
            &c.bandwidth_efficiency,
            &c.link_efficiency,
            &c.network_efficiency,
            &c.tensor_exposed,
            &c.decode_bandwidth_efficiency,
            &c.cache_efficiency,
            &c.prefill_efficiency,
            &c.half_rate_gain,
            &c.expert_efficiency,
            &c.prefill_attention_efficiency,
            &c.dequantise_efficiency,
            &c.serving_efficiency,
            &c.engine_memory_share,
            &c.reserved_output,
            &c.bandwidth_share,
            &c.fixed_scale});
    set(kNoBound, {&c.tflops_per_watt, &c.decode_attention_share, &c.multiprocessor_bytes, &c.chunk_layers});
    set(0, {&c.driver_reserve_gib,
            &c.context_gib,
            &c.collectives_gib,
            &c.allocator_slack,
            &c.logits_bytes,
            &c.step_bytes,
            &c.watts_per_tflops,
            &c.gemm_tokens_half,
            &c.gemm_width_half,
            &c.expert_bytes,
            &c.logit_traffic,
            &c.score_bytes,
            &c.dequantise_bytes,
            &c.pointwise_bytes,
            &c.adapter_bytes,
            &c.cast_bytes,
            &c.training_layer_us,
            &c.adapter_layer_us,
            &c.step_ms,
            &c.link_latency_us,
            &c.network_latency_us,
            &c.gradient_overlap,
            &c.least_exposed,
            &c.straggler,
            &c.collective_us,
            &c.cache_copies,
            &c.decode_layer_us,
            &c.expert_layer_us,
            &c.host_layer_us,
            &c.host_exposed,
            &c.host_expert_us,
            &c.decode_step_us,
            &c.decode_rows_half,
            &c.expert_rows_half,
            &c.prefill_bytes,
            &c.prefill_layer_us,
            &c.pipelines_prompts,
            &c.request_ms,
            &c.arrivals_together,
            &c.sequence_us,
            &c.prompt_interference,
            &c.engine_workspace_gib,
            &c.activation_copies,
            &c.sampler_bytes,
            &c.prompt_logits_bytes,
            &c.process_gib,
            &c.prompt_rows_half,
            &c.prompt_graph_tokens,
            &c.async_steps,
            &c.expert_format_us,
            &c.unpack_share,
            &c.prompt_expert_layer_us,
            &c.chain_share,
            &c.chain_hop,
            &c.arrival_ms,
            &c.launch_exposed,
            &c.fused_logits_bytes});
    set(8, {&c.gated_bytes});        // gate, up, activation and product in 16 bit
    set(2, {&c.unquantised_bytes});  // as loaded
    return c;
  }();
  return made;
}

}  // namespace gpusel::test
