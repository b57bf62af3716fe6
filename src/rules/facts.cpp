#include "rules/facts.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::rules {

namespace {

using enum FactType;

constexpr FactInfo kFacts[] = {
    {"task", text, "", Stage::job, "pretrain, finetune or inference"},
    {"profile", text, "", Stage::job, "standard or dev"},
    {"model", text, "", Stage::job, "id of the model"},
    {"model_kind", text, "", Stage::job, "decoder-llm, vlm, encoder, encoder-decoder"},
    {"model_family", text, "", Stage::job, "llama, qwen, bert …"},
    {"model_licence", text, "", Stage::job, "license of the weights"},
    {"model_params_b", number, "billions", Stage::job, "parameters of the model"},
    {"is_moe", boolean, "", Stage::job, "mixture of experts"},
    {"method", text, "", Stage::job, "full, lora, qlora, ptuning or prefix"},
    {"precision", text, "", Stage::plan, "training arithmetic of the plan: bf16, fp16, fp8 …"},
    {"weights_precision", text, "", Stage::plan, "format the weights are served in"},
    {"engine", text, "", Stage::job, "inference engine"},
    {"framework", text, "", Stage::job, "training framework"},
    {"accepts_unavailable", boolean, "", Stage::job, "--include-unavailable was given"},
    {"seq_len", number, "tokens", Stage::job, "tokens per training sequence"},
    {"context_tokens", number, "tokens", Stage::job, "prompt and answer of one request together"},
    {"work", text, "", Stage::job,
     "language, samples, diffusion, speech, recommender, render, session, simulation, transcode, analytics or "
     "preprocess"},
    {"render", text, "", Stage::job, "offline, realtime or cad"},
    {"renderer", text, "", Stage::job, "cycles, vray, octane …"},
    {"codec", text, "", Stage::job, "h264, hevc or av1, where video is encoded"},
    {"solver", text, "", Stage::job, "kind of simulation: lbm, fdtd, fea …"},
    {"preprocess", text, "", Stage::job, "kind of preprocessing: etl, tokenize, images …"},
    {"mode", text, "", Stage::job, "throughput, online or single-stream, of work not counted in tokens"},
    {"scene_vram_gib", number, "GiB", Stage::job, "memory of a scene or session"},
    {"demand", number, "", Stage::job,
     "throughput, sessions or streams to be held; of a language model requests per second"},
    {"needs_workstation", boolean, "", Stage::job, "needs a graphics driver with a workstation license"},
    {"guest", text, "", Stage::job, "what a session runs: desktop or android"},

    {"provider", text, "", Stage::instance, "id of the cloud"},
    {"provider_kind", text, "", Stage::instance, "hyperscaler, cloud, marketplace or community"},
    {"provider_country", text, "", Stage::instance, "ISO code of the cloud's home jurisdiction"},
    {"seller", text, "", Stage::instance,
     "hyperscaler, cloud, marketplace or community: who sells this instance, as the cloud's kind unless it differs"},
    {"third_party_hosts", boolean, "", Stage::instance,
     "runs on machines of others than the cloud, as on a marketplace"},
    {"sku", text, "", Stage::instance, "name of the instance type"},
    {"family", text, "", Stage::instance, "family of the instance type"},
    {"status", text, "", Stage::instance, "available, limited, invitation, preview or retired"},
    {"bare_metal", boolean, "", Stage::instance, "no hypervisor"},
    {"gpu", text, "", Stage::instance, "id of the GPU; unknown on CPU-only instances"},
    {"gpu_vendor", text, "", Stage::instance, "nvidia, amd, google …"},
    {"gpu_architecture", text, "", Stage::instance, "Volta, Turing, Ampere, Ada Lovelace, Hopper …"},
    {"gpu_year", number, "", Stage::instance, "year the GPU was launched"},
    {"form_factor", text, "", Stage::instance, "SXM5, PCIe, OAM …"},
    {"compute_capability", number, "major.minor", Stage::instance, "CUDA compute capability, 8.9 for example"},
    {"has_fp16", boolean, "", Stage::instance, "fp16 arithmetic in hardware"},
    {"has_bf16", boolean, "", Stage::instance, "bf16 arithmetic in hardware"},
    {"has_fp8", boolean, "", Stage::instance, "fp8 arithmetic in hardware"},
    {"fp16_tflops", number, "TFLOPS", Stage::instance, "dense fp16 peak of one GPU"},
    {"dense16_tflops", number, "TFLOPS", Stage::instance, "dense 16-bit matrix peak of one GPU, fp16 or bf16"},
    {"fp32_tflops", number, "TFLOPS", Stage::instance, "fp32 peak of one GPU outside its matrix units"},
    {"gpu_memory_gb", number, "GB", Stage::instance, "memory of one GPU (or slice) as marketed"},
    {"gpu_memory_usable_gib", number, "GiB", Stage::instance, "memory of one GPU that a process can have"},
    {"gpu_bandwidth_gbs", number, "GB/s", Stage::instance, "memory bandwidth of one GPU"},
    {"tdp_w", number, "W", Stage::instance, "board power of one GPU"},
    {"mig_max_instances", number, "", Stage::instance, "parts MIG can divide the GPU into"},
    {"vgpu", text, "", Stage::instance, "supported, unsupported, passthrough or sr-iov"},
    {"peer_link", text, "", Stage::instance, "what the GPU itself can be linked with: none, nvlink-bridge …"},
    {"last_cuda_major", number, "", Stage::instance, "newest CUDA that still compiles for it"},
    {"rt_cores", number, "", Stage::instance, "ray-tracing cores"},
    {"rt_generation", number, "", Stage::instance, "generation of the ray-tracing cores"},
    {"blender_score", number, "", Stage::instance, "median score in Blender Open Data"},
    {"nvenc_count", number, "", Stage::instance, "video encoders"},
    {"av1_encode", boolean, "", Stage::instance, "hardware AV1 encoding"},
    {"gpu_share", number, "", Stage::instance, "part of a GPU the instance has, 1 for a whole one"},
    {"gpus_per_node", number, "", Stage::instance, "GPUs in one instance, a slice counted as one"},
    {"gpu_count", number, "", Stage::instance, "GPUs in one instance, a slice as the part that it is"},
    {"total_gpu_memory_gb", number, "GB", Stage::instance, "GPU memory of one instance"},
    {"gpu_link", text, "", Stage::instance, "none, pcie, nvlink-pairs, nvlink-mesh, nvswitch, xgmi …"},
    {"has_nvlink", boolean, "", Stage::instance, "NVLink or NVSwitch between all GPUs of the instance"},
    {"link_gbs_per_gpu", number, "GB/s", Stage::instance, "link bandwidth per GPU, both directions"},
    {"vcpu", number, "", Stage::instance, "virtual CPUs"},
    {"vcpu_per_gpu", number, "", Stage::instance, "virtual CPUs per GPU"},
    {"host_memory_gib", number, "GiB", Stage::instance, "host memory"},
    {"host_memory_per_gpu_gib", number, "GiB", Stage::instance, "host memory per GPU"},
    {"local_ssd_gb", number, "GB", Stage::instance, "local SSD"},
    {"network_gbps", number, "Gbit/s", Stage::instance, "best network of the instance: fabric or NIC"},
    {"has_rdma", boolean, "", Stage::instance, "an RDMA fabric"},
    {"rdma", text, "", Stage::instance, "kind of fabric: efa, infiniband, roce …"},
    {"cpu_arch", text, "", Stage::instance, "x86_64 or arm64"},
    {"is_cpu", boolean, "", Stage::instance, "has no GPU"},
    {"cpu", text, "", Stage::instance, "id of the processor, where it is known"},
    {"cpu_turbo_ghz", number, "GHz", Stage::instance, "highest clock of one core"},
    {"graphics", text, "", Stage::instance,
     "none, display or workstation: what programs that draw can have of the GPU"},
    {"workstation_licence", text, "", Stage::instance, "included, surcharge, own or none"},
    {"fp64_tflops", number, "TFLOPS", Stage::instance, "fp64 peak of one GPU"},
    {"int8_tops", number, "TOPS", Stage::instance, "dense int8 peak of one GPU"},
    {"nvdec_count", number, "", Stage::instance, "hardware video decoders"},
    {"av1_decode", boolean, "", Stage::instance, "decodes AV1 in hardware"},

    {"nodes", number, "", Stage::plan, "instances the plan uses"},
    {"gpus", number, "", Stage::plan, "GPUs the plan uses"},
    {"tp", number, "", Stage::plan, "tensor parallel degree"},
    {"pp", number, "", Stage::plan, "pipeline stages"},
    {"replica_nodes", number, "", Stage::plan, "nodes that one copy of the model spans"},
    {"dp", number, "", Stage::plan, "data parallel degree or replicas"},
    {"memory_needed_gib", number, "GiB", Stage::plan,
     "without which it does not run, on the fullest GPU; of an engine that takes a share of the GPU, what the GPU must "
     "have for the asked load"},
    {"memory_usable_gib", number, "GiB", Stage::plan, "what a process can have of it"},
    {"memory_low_gib", number, "GiB", Stage::plan, "lower end of the 80 % interval of memory_needed_gib"},
    {"memory_high_gib", number, "GiB", Stage::plan, "upper end of it"},
    {"memory_free_gib", number, "GiB", Stage::plan, "what is left"},
    {"memory_used_share", number, "", Stage::plan, "needed over usable"},
    {"memory_required_gib", number, "GiB", Stage::plan, "the same as memory_needed_gib"},
    {"fit_probability", number, "", Stage::plan, "chance that memory_needed_gib is within memory_usable_gib, 0 to 1"},
    {"fit_asked", number, "", Stage::plan, "the chance that is asked for: --min-fit"},
    {"fit", text, "", Stage::plan, "fits, tight, may-not-fit or does-not-fit: what the rules with 'fit' say"},
    {"load_memory_gib", number, "GiB", Stage::plan, "host memory that loading the model takes on one node"},
    {"offloaded_gib", number, "GiB", Stage::plan, "host memory that offloaded weights and states take on one node"},
    {"flash_attention", boolean, "", Stage::plan, "fused attention is used"},
    {"native_arithmetic", boolean, "", Stage::plan, "the chosen format is computed in hardware"},
    {"assumed_tflops", number, "TFLOPS", Stage::plan,
     "16-bit rate of one GPU that serving assumes; known where none is published"},
    {"engine_until", text, "", Stage::plan,
     "last release of the engine that starts these weights on the GPU; known where today's does not"},
    {"quantised", boolean, "", Stage::plan, "weights are served in fewer bits than they were released in"},
    {"mfu", number, "", Stage::plan, "model FLOPS utilization"},
    {"bound_by", text, "", Stage::plan, "what limits the speed"},
    {"hours", number, "h", Stage::plan, "of the job's work at full speed; unknown for a service"},
    {"elapsed_hours", number, "h", Stage::plan, "from the job's start to its end, which a duty cycle makes later"},
    {"tokens_per_s", number, "tokens/s", Stage::plan, "speed of the whole plan"},
    {"batch", number, "", Stage::plan, "items per GPU and pass"},
    {"throughput", number, "", Stage::plan, "the most that can be done, in the unit of the demand"},
    {"latency_ms", number, "ms", Stage::plan, "of one batch or item"},
    {"slowdown", number, "", Stage::plan, "times longer than with enough memory, where work spills to the host's"},
    {"largest_table_share", number, "", Stage::plan,
     "largest embedding table with its optimizer's state over one GPU's memory"},
    {"loader_share", number, "", Stage::plan,
     "vCPUs there are over those that decode images as fast as the GPUs take them"},

    {"region", text, "", Stage::offer, "region of the price"},
    {"country", text, "", Stage::offer, "ISO code of the region's country"},
    {"term", text, "", Stage::offer, "on-demand, spot, reserved-1y …"},
    {"offer_status", text, "", Stage::offer, "available, unless something else is known of this region or term"},
    {"price_ended", boolean, "", Stage::offer, "the record itself says that the price held until a day that is over"},
    {"price_is_guess", boolean, "", Stage::offer, "a spot price without a day, or one that is older than two weeks"},
    {"price_note", text, "", Stage::offer, "what the record of the price says besides"},
    {"currency", text, "", Stage::offer, "currency of the published price"},
    {"price_per_hour", number, "", Stage::offer, "all nodes, in the answer's currency"},
    {"price_age_days", number, "days", Stage::offer,
     "age of the price; unknown when it has no date, or one that is to come"},
    {"price_days_ahead", number, "days", Stage::offer, "until the day that the price has; unknown when it has come"},
    {"price_to_published", number, "", Stage::offer,
     "a price of the user's own, as a multiple of the nearest published one; unknown for all others"},
    {"price_too_old", text, "", Stage::offer,
     "why nobody can rely on the price: undated, spot, marketplace, cloud, or no"},
    {"price_today", number, "", Stage::offer, "what is expected to be paid per hour today, all nodes"},
    {"price_today_low", number, "", Stage::offer, "the same, the lower end of 80 of 100"},
    {"price_today_high", number, "", Stage::offer, "the same, the upper end"},
    {"price_order", number, "", Stage::offer, "what the order takes the price for, as a multiple of the published one"},
    {"price_confidence", text, "", Stage::offer, "documented, api, press, recalled or derived"},
    {"cost", number, "", Stage::offer, "of the whole job, or of a month of service"},
    {"cost_per_million_tokens", number, "", Stage::offer, "trained on or generated"},
    {"cost_per_unit", number, "", Stage::offer, "cost of what the work is priced by"},
    {"targets_probability", number, "", Stage::offer,
     "of an answer: chance that all stated targets hold together, 0 to 1; unknown where none is stated"},
    {"budget_probability", number, "", Stage::offer,
     "of an answer: chance that the bill stays within --budget, 0 to 1; unknown without one"},
};
static_assert(std::size(kFacts) == kFactCount);

}  // namespace

std::span<const FactInfo> fact_table() { return kFacts; }

const FactInfo& info(Fact fact) { return kFacts[static_cast<std::size_t>(fact)]; }

std::optional<Fact> find_fact(std::string_view name) {
  for (std::size_t i = 0; i < kFactCount; ++i)
    if (kFacts[i].name == name) return static_cast<Fact>(i);
  return std::nullopt;
}

std::string shown_as(Fact fact, double value) {
  constexpr Fact kMoney[] = {Fact::price_per_hour,   Fact::price_today, Fact::price_today_low,
                             Fact::price_today_high, Fact::cost,        Fact::cost_per_million_tokens,
                             Fact::cost_per_unit};
  if (std::ranges::find(kMoney, fact) != std::end(kMoney)) return human_price(value);
  return info(fact).unit == "major.minor" ? format("{:.1f}", value) : human_number(value);
}

std::string Facts::shown(Fact fact) const {
  if (!known(fact)) return say("unknown");
  switch (info(fact).type) {
    case FactType::number: return shown_as(fact, this->number(fact));
    case FactType::text: return printable(this->text(fact));
    case FactType::boolean: return this->number(fact) != 0 ? say("yes") : say("no");
  }
  return {};
}

}  // namespace gpusel::rules
