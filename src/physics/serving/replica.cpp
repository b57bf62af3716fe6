#include "physics/serving/replica.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "physics/own.hpp"
#include "physics/record.hpp"
#include "physics/serving/engine_limits.hpp"
#include "physics/serving/half_rate.hpp"
#include "physics/serving/multiprocessors.hpp"

namespace gpusel::physics {

namespace {

/// What decoding reads per second: a share of the peak, unless too few multiprocessors ask for data.
BytesPerSecond reading_rate(const Device& device, double efficiency, double per_clock) {
  const BytesPerSecond memory = device.bandwidth * efficiency;
  const double clocks = multiprocessors(*device.gpu) * device.share * clock_ghz(*device.gpu);
  return clocks != 0 ? std::min(memory, gb_per_s(clocks * per_clock)) : memory;
}

/// A coefficient that belongs to the part: of an engine or a generation of software on it, else of the part itself.
double of_part(const Coefficient& c, std::string_view engine, std::string_view generation, std::string_view part) {
  return c.of(part, generation, engine);
}

/// Share of the 16-bit peak that large products sustain: what the kernels reach, or what the board's power allows.
double sustained(const Device& device, double half_rate_gain, const Coefficients& c) {
  if (device.processor != nullptr) return 1;  // its rate is what it reaches
  const catalog::Gpu& gpu = *device.gpu;
  const double peak = std::max(gpu.fp16_dense_tflops.value_or(0), gpu.bf16_dense_tflops.value_or(0));
  const double reached =
      c.gemm_efficiency.of(gpu.architecture, gpu.compute_capability) * (half_rate(gpu) ? half_rate_gain : 1.0);
  if (!gpu.tdp_w || peak == 0) return reached;
  return std::min(reached,
                  *gpu.tdp_w *
                      c.tflops_per_watt.of(gpu.compute_capability.empty() ? gpu.architecture : gpu.compute_capability) /
                      peak);
}

}  // namespace

Replica::Replica(const job::Job& work, const Machine& machine, const Layout& layout, const Coefficients& c,
                 ComputeRate rate)
    : m_(*work.model),
      p_(work.parameters),
      machine_(machine),
      layout_(layout),
      c_(c),
      engine_(to_text(job::kernels_of(work.inference.engine))),
      generation_(generation_on(work.inference, machine.device)),
      then_there_(generation_.empty() ? std::string()
                                      : std::string(generation_) + " " + std::string(machine.device.gpu->architecture)),
      head_(m_.is_generator() ? std::max(p_.head, p_.embedding) : 0),
      layers_in_turn_(lays_out_in_turn(work.inference.engine)) {
  const catalog::Gpu& gpu = *machine.device.gpu;
  const double gemm = sustained(machine.device, of(c.half_rate_gain), c) * of(c.prefill_efficiency) *
                      (rate.low_precision ? c.low_precision_efficiency.value : 1.0);
  const WeightFormat& format = *layout.weights;
  widened_ = !rate.native && format.bits < 16;
  const double together = layers_in_turn_ ? 1 : layout.tp;
  matmul_rate_ = rate.peak * (gemm * (widened_ ? of(c.dequantise_efficiency) : 1.0) * together);
  if (widened_ && gpu.fp32_tflops)
    unpack_rate_ = tflops(*gpu.fp32_tflops) * (machine.device.share * of(c.unpack_share) * together);
  const std::string then = std::string(format.name) + " " + std::string(generation_);  // kernels of their time
  const double reads = c.decode_bandwidth_efficiency.of(engine_, then, generation_, format.name) *
                       of_part(c.bandwidth_share, engine_, generation_, gpu.architecture);
  const double per_clock = c.multiprocessor_bytes.either(engine_, gpu.architecture);
  bandwidth_ = reading_rate(machine.device, reads, per_clock) * together;
  // Attention of single tokens runs on the ordinary cores, or is limited like them.
  if (gpu.fp32_tflops)
    attention_rate_ = tflops(*gpu.fp32_tflops) * (machine.device.share * of(c.decode_attention_share) * together);
  in_host_ = host_share(work, layout);
  if (in_host_ > 0) host_link_ = pcie_bandwidth(gpu) * (c.link_efficiency.of("pcie") * together);
  // An encoder-decoder reads the prompt with one stack and answers with the other.
  if (m_.decoder_layers) decoder_ = *m_.decoder_layers / p_.layers;
  expert_width_ = format.bits / 8;
  body_width_ = format.experts_only && p_.experts != 0 ? 2 : format.bits / 8;
  head_width_ = format.keeps_ends ? 2 : format.bits / 8;
  has_ = habits(engine_limits(work, machine, layout.tp * layout.pp, c).batched_tokens);
  if (layout.tp > 1 && !layers_in_turn_) tensor_way_ = way(layout.tp);
  if (layout.ep > layout.tp) expert_way_ = way(layout.ep);
  streaming_ = machine.device.bandwidth;
  if (const double times = step_scale(work, machine.device, layout, c); times != 1) slow_down(times);
}

/// Every part of a step takes so many times as long.
void Replica::slow_down(double times) {
  scale_ = times;
  for (FlopPerSecond* rate : {&matmul_rate_, &unpack_rate_, &attention_rate_}) *rate = *rate / times;
  for (BytesPerSecond* rate : {&bandwidth_, &streaming_, &tensor_way_.rate, &expert_way_.rate}) *rate = *rate / times;
  if (host_link_) *host_link_ = *host_link_ / times;
  for (Seconds* latency : {&tensor_way_.latency, &expert_way_.latency}) *latency = *latency * times;
  for (double* fixed :
       {&has_.step_us, &has_.launches_us, &has_.sequence_us, &has_.prefill_layer_us, &has_.prompt_expert_layer_us})
    *fixed *= times;
}

Replica::Habits Replica::habits(double batched_tokens) const {
  Habits out{};
  out.batched_tokens = batched_tokens;
  out.prefill_bytes = of(c_.prefill_bytes);
  out.prefill_attention = of(c_.prefill_attention_efficiency);
  out.prefill_layer_us = of(c_.prefill_layer_us);
  out.prompt_expert_layer_us = of(c_.prompt_expert_layer_us);
  out.prompt_graph_tokens = of(c_.prompt_graph_tokens);
  out.prompt_rows_half = of(c_.prompt_rows_half);
  out.decode_rows_half = of(c_.decode_rows_half);
  out.expert_efficiency = c_.expert_efficiency.of(engine_) * (widened_ ? c_.dequantise_efficiency.of("experts") : 1.0);
  out.pipelines_prompts = of(c_.pipelines_prompts);
  out.chain_share = of(c_.chain_share);
  out.chain_hop = of(c_.chain_hop);
  const catalog::Gpu& gpu = *machine_.device.gpu;
  const double scale = of_part(c_.fixed_scale, engine_, generation_, gpu.architecture);
  out.step_us = of(c_.decode_step_us) * scale;
  // What a step takes beside its large kernels: small ones, gaps, and the scheduler.
  const std::string_view format = layout_.weights->name;
  const double in_format =
      std::max(c_.expert_format_us.of(gpu.architecture, format), c_.expert_format_us.of(engine_, format));
  out.launches_us = (of(c_.decode_layer_us) * p_.layers + of(c_.expert_layer_us) * p_.moe_layers) * scale +
                    in_format * p_.moe_layers + out.step_us;
  out.sequence_us = of(c_.sequence_us) * scale;
  out.host_exposed = of(c_.host_exposed);
  out.graph_tokens = of(c_.graph_tokens);
  out.cache_copies = of(c_.cache_copies);
  out.cache_efficiency = of(c_.cache_efficiency);
  return out;
}

double Replica::of(const Coefficient& coefficient) const {
  return coefficient.of(engine_, then_there_, generation_, machine_.device.gpu->architecture);
}

double Replica::passes(double tokens) const { return std::ceil(tokens / has_.batched_tokens); }

double Replica::prompts_per_pass(double tokens, double batch) const {
  return std::clamp(std::floor(has_.batched_tokens / std::max(tokens, 1e-9)), 1.0, batch);
}

/// Of a pass over so many rows the rate that products reach: tiles of many rows, filled in part.
FlopPerSecond Replica::prompt_rate(double rows) const { return matmul_rate_ * (rows / (rows + has_.prompt_rows_half)); }

FlopPerSecond Replica::decode_rate(double rows) const {
  // A few sequences run on kernels for vectors, which waste less than the tiles that a batch fills in part, and widen
  // weights as they come from memory.
  constexpr double kWastedEach = 8;
  const double wasted = std::min(has_.decode_rows_half, kWastedEach * rows);
  const FlopPerSecond products = matmul_rate_ * (rows / (rows + wasted));
  // Formats of many small blocks take ordinary arithmetic to unpack, once a step however many the sequences are.
  return unpack_rate_ > FlopPerSecond{} ? std::min(products, unpack_rate_ * rows) : products;
}

Seconds Replica::prompt_products(double tokens, double rows) const {
  const Seconds dense = flop(2 * p_.body * tokens) / prompt_rate(rows);
  if (p_.routed_share == 0) return dense;
  const double routed = rows * p_.routed_share;  // tokens that one expert sees
  const FlopPerSecond expert_rate =
      matmul_rate_ * (has_.expert_efficiency * routed / (routed + c_.expert_rows_half.value));
  return dense + flop(2 * p_.experts * p_.routed_share * tokens) / expert_rate;
}

Seconds Replica::decode_products(double sequences, double rows) const {
  return flop(2 * (p_.active(0) * decoder_ + head_) * sequences) / decode_rate(rows);
}

Seconds Replica::head_products(double prompts, double rows) const {
  return flop(2 * head_ * prompts) / prompt_rate(rows);
}

Seconds Replica::prompt_attention(double tokens, double behind, double rows) const {
  const double heads = m_.heads.value_or(0) * m_.head_dim.value_or(0);
  // A causal prompt attends to what is cached at first, to all of it at the end.
  const bool causal = m_.is_generator() && !m_.is_encoder_decoder();
  const double pairs = causal ? attended_until(behind + tokens) - attended_until(behind) : attended(tokens) * tokens;
  return flop(4 * heads * pairs) / (prompt_rate(rows) * has_.prefill_attention);
}

Seconds Replica::between_products(double tokens) const {
  const double together = layers_in_turn_ ? 1 : layout_.tp;
  return bytes(has_.prefill_bytes * *m_.hidden_size * p_.layers * tokens / together) / streaming_;
}

/// The GPU's own time for prompts: products, attention and what streams through memory between them.
Replica::PromptParts Replica::pass_compute(double tokens, double prompts, double cached) const {
  const double all = tokens * prompts;
  const double pass = std::min(all, has_.batched_tokens);
  PromptParts parts;
  parts.products = prompt_products(all, pass) + head_products(prompts, pass);
  parts.attention = prompt_attention(tokens, cached, pass) * prompts;
  parts.between = between_products(all);
  return parts;
}

Seconds Replica::prefill(double tokens, double prompts, double cached) const {
  return prompt(tokens, prompts, cached).total;
}

Replica::PromptParts Replica::prompt(double tokens, double prompts, double cached, Trace* trace) const {
  if (tokens <= 0) return {};
  const double reader = decoder_ < 1 ? 1 - decoder_ : 1;
  const double all = tokens * prompts;
  const double count = passes(all);
  PromptParts parts = pass_compute(tokens, prompts, cached);
  parts.reading = reading(read_once(all / count)) * count;
  double stages = reader;
  // Several passes follow each other through the stages of a layout in turn.
  if (layers_in_turn_) {
    const double pipelined = (count + layout_.pp - 1) / (count * layout_.pp);
    const double ideal = 1 - has_.pipelines_prompts * (1 - pipelined);
    stages *= count > 1 && layout_.pp > 1 ? std::max(ideal, has_.chain_share + has_.chain_hop * layout_.pp) : ideal;
  }
  for (Seconds* part : {&parts.products, &parts.attention, &parts.between, &parts.reading}) *part = *part * stages;
  const bool launched = all / count > has_.prompt_graph_tokens;
  parts.host = launched ? prompt_launch() * count * reader : Seconds{};
  parts.fixed = microseconds(has_.step_us * count);
  parts.link = traffic(all) * reader;
  parts.total = record(trace, {"inference.prefill", "{:.2f}", "ms"}, [&](auto told) {
    return greatest(told("products", parts.products) + told("attention", parts.attention) +
                        told("between products", parts.between),
                    told("reading weights", parts.reading), told("host", parts.host)) +
           told("fixed", parts.fixed) + told("links", parts.link);
  });
  return parts;
}

Seconds Replica::burst(double tokens, double prompts, double cached) const {
  // Those of the first pass are done with it, the last with all of them.
  const double first = std::clamp(has_.batched_tokens / tokens, 1.0, prompts);
  const Seconds last = prefill(tokens, prompts, cached);
  return first == prompts ? last : (prefill(tokens, first, cached) + last) / 2;
}

Replica::Parts Replica::decode(double batch, Cached context, double checked) const {
  const auto& last = last_decoded_;
  const bool again = last && last->batch == batch && last->checked == checked &&
                     last->context.prompt == context.prompt && last->context.generated == context.generated;
  if (!again) last_decoded_ = {batch, context, checked, decoded(batch, context, checked)};
  return last_decoded_->parts;
}

Replica::Parts Replica::decoded(double batch, Cached context, double checked, Trace* trace) const {
  Parts parts;
  const double rows = batch * checked;
  const Seconds weights = reading_weights(rows);
  const Seconds caches = reading_cache(context) * batch;
  const Seconds attention = scores(context) * rows;
  const Seconds dense = decode_products(rows, rows);
  parts.memory = weights + caches;
  parts.caches = caches;
  parts.compute = dense + attention;
  parts.launch = microseconds(has_.launches_us) * decoder_;
  parts.host = host(context.total()) * decoder_;
  parts.sequences = microseconds(has_.sequence_us * batch);
  parts.link = traffic(rows) * decoder_;
  parts.device = record(trace, {"inference.decode_step.device", "{:.2f}", "ms"}, [&](auto told) {
    return greatest(told("weights", weights), told("products", dense)) +
           greatest(told([&] { return say("caches of {:g} tokens", context.total()); }, caches),
                    told("scores", attention)) +
           told("fixed", parts.launch) + told("links", parts.link);
  });
  parts.total = record(trace, {"inference.decode_step", "{:.2f}", "ms"}, [&](auto told) {
    const auto device = told("device", parts.device);
    const auto host = told("host", parts.host);
    return greatest(device, host) + least(device, host) * told("exposed host time", has_.host_exposed) +
           told([&] { return say("handling {:g} sequences", batch); }, parts.sequences);
  });
  return parts;
}

PassParts Replica::parts_of(double prompt_tokens, double prompts, double behind, double sequences,
                            Cached context) const {
  const double rows = prompt_tokens + sequences;
  PassParts parts;
  parts.weights = reading_weights(rows).raw();
  if (sequences > 0) {
    parts.products = decode_products(sequences, rows).raw();
    parts.caches = std::max(reading_cache(context), scores(context)).raw() * sequences;
    parts.host = host(context.total()).raw() * decoder_;
  }
  if (prompt_tokens > 0) {
    const double each = prompt_tokens / std::max(1.0, prompts);
    parts.products += prompt_products(prompt_tokens, rows).raw() + head_products(prompts, rows).raw();
    parts.attention = prompt_attention(each, behind, rows).raw() * std::max(1.0, prompts);
    parts.between = between_products(prompt_tokens).raw();
    if (rows > has_.prompt_graph_tokens) parts.launch = prompt_launch().raw();
  }
  parts.fixed = fixed().raw();
  parts.links = traffic(rows).raw() * decoder_;
  parts.host_exposed = has_.host_exposed;
  return parts;
}

Seconds Replica::added_by(double prompts, double tokens, double behind, double sequences, Cached context,
                          double steps) const {
  if (tokens <= 0) return {};
  const double all = prompts * tokens;
  // What decodes takes its rows of each pass.
  const double room = std::max(1.0, has_.batched_tokens - sequences);
  const double count = std::ceil(all / room);
  const double bare = sequences > 0 ? pass_time(parts_of(0, 0, 0, sequences, context)) : 0;
  // Parts of a prompt are read one behind the other; on average, in the middle of it.
  const double before = behind + (prompts <= 1 ? tokens * (1 - 1 / count) / 2 : 0);
  const double one = pass_time(parts_of(all / count, std::max(1.0, prompts / count), before, sequences, context));
  // No more steps are saved than there are.
  return seconds(one * count - bare * std::min(count, steps));
}

Seconds Replica::reading_weights(double rows) const { return reading(read_once(rows) * decoder_); }

Seconds Replica::reading_cache(Cached context) const { return bytes(cache_traffic(context)) / bandwidth_; }

Seconds Replica::scores(Cached context) const {
  if (attention_rate_ <= FlopPerSecond{}) return {};
  const double heads = m_.heads.value_or(0) * m_.head_dim.value_or(0);
  return flop(4 * heads * attended(context.total()) * decoder_) / attention_rate_;
}

Seconds Replica::handover(double tokens) const {
  const bool crosses = layout_.tp * layout_.pp >= machine_.gpus_per_node;
  const Bytes cache = kv_bytes(m_, {tokens, 0}, layout_);  // every GPU sends its part
  const int here = std::min(machine_.gpus_per_node, 2);
  return cache / group_bandwidth(machine_, here, crosses, c_) + group_latency(machine_, crosses, c_);
}

/// Launching every kernel of a step, where an engine has no graphs or none for a context this long.
Seconds Replica::host(double context) const {
  if (context <= has_.graph_tokens) return {};
  return microseconds(scale_ * (c_.host_layer_us.of(engine_, layout_.weights->name, generation_) * p_.layers +
                                of(c_.host_expert_us) * m_.experts.value_or(0) * p_.moe_layers));
}

/// Bytes read for one sequence's cache, copies that an engine makes of it in every step included.
double Replica::cache_traffic(Cached context) const {
  const double groups = m_.kv_heads ? m_.heads.value_or(1) / *m_.kv_heads : 1;
  const double copies = has_.cache_copies * (m_.is_mla() ? 1 : groups);
  return kv_bytes(m_, context, layout_).raw() * layout_.tp * layout_.pp * (1 / has_.cache_efficiency + copies);
}

/// Sum over layers of the tokens each attends to at `context`.
double Replica::attended(double context) const {
  if (m_.is_encoder_decoder()) return p_.layers * context;
  const double full = m_.kv_full_layers.value_or(p_.layers - m_.kv_window_layers.value_or(0));
  return full * context + m_.kv_window_layers.value_or(0) * std::min(context, m_.window_tokens.value_or(context));
}

/// The same, summed over every token of a prompt of so many.
double Replica::attended_until(double tokens) const {
  const double windowed = std::min(tokens, m_.window_tokens.value_or(tokens));
  const double full = m_.kv_full_layers.value_or(p_.layers - m_.kv_window_layers.value_or(0));
  return full * tokens * tokens / 2 +
         m_.kv_window_layers.value_or(0) * (windowed * windowed / 2 + (tokens - windowed) * windowed);
}

/// Weight bytes touched by `batch` tokens: of E experts, E (1 − (1 − k/E)^batch) are visited. Experts spread over
/// replicas are shared: each replica reads its part, for the tokens of all.
double Replica::read_once(double batch) const {
  const double sharing = std::max(1.0, static_cast<double>(layout_.ep) / layout_.tp);  // replicas
  const double visited = 1 - std::pow(1 - p_.routed_share, batch * sharing);
  return p_.body * body_width_ + p_.experts * visited * busiest_rank(visited) / sharing * expert_width_ +
         head_ * head_width_;
}

/// Whole experts on ranks of their own are not visited evenly: the busiest rank's over the mean.
double Replica::busiest_rank(double visited) const {
  if (visited <= 0) return 1;
  const double mean = m_.experts.value_or(layout_.ep) / layout_.ep * visited;
  return std::min(1 / visited, 1 + std::sqrt(2 * (1 - visited) * std::log(layout_.ep) / mean));
}

/// Weights read from the GPU's memory, or over PCIe where they are offloaded, whichever takes longer.
Seconds Replica::reading(double weight_bytes) const {
  const Seconds local = bytes(weight_bytes) / bandwidth_;
  return host_link_ ? std::max(local, bytes(weight_bytes * in_host_) / *host_link_) : local;
}

/// Between GPUs, for `tokens` rows: two all-reduces per layer with tensor parallelism, and a
/// dispatch and a combination per layer of experts with expert parallelism.
Seconds Replica::traffic(double tokens) const {
  Seconds total;
  const Bytes rows = bytes(2 * *m_.hidden_size * tokens);
  if (layout_.tp > 1 && !layers_in_turn_)
    total += (rows * (2.0 * (layout_.tp - 1) / layout_.tp) / tensor_way_.rate + tensor_way_.latency) * (2 * p_.layers);
  if (layout_.ep > layout_.tp) {
    const double sent = m_.experts_per_token.value_or(1) * (layout_.ep - 1) / layout_.ep / layout_.tp;
    total += (rows * sent / expert_way_.rate + expert_way_.latency) * (2 * p_.moe_layers);
  }
  return total;
}

Replica::Way Replica::way(int members) const {
  const bool crosses = members > machine_.gpus_per_node;
  const std::string_view link = link_case(machine_.link);
  const Seconds latency =
      crosses ? group_latency(machine_, crosses, c_)
              : microseconds(c_.collective_us.of(link) * std::pow(members / 2.0, c_.collective_growth.of(link)));
  return {group_bandwidth(machine_, std::min(members, machine_.gpus_per_node), crosses, c_), latency};
}

}  // namespace gpusel::physics
