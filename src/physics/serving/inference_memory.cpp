#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "physics/serving/engine_limits.hpp"
#include "physics/serving/inference.hpp"

namespace gpusel::physics {

namespace {

using job::Job;
using job::KvPrecision;

double kv_width(KvPrecision precision) {
  return precision == KvPrecision::fp16 || precision == KvPrecision::bf16 ? 2 : 1;
}

/// Share of the layers that the fullest pipeline stage holds.
double fullest_stage(double layers, int stages) { return std::ceil(layers / stages) / layers; }

double blocks(double tokens) { return std::ceil(tokens / kBlockTokens) * kBlockTokens; }

/// Values cached per layer of `heads` K/V heads on one rank: at least one head each.
double layer_values(double heads, double head_dim, int tp) { return 2 * std::max(1.0, heads / tp) * head_dim; }

/// The cache of one model under one plan, for sequences of any length.
class KvCache {
 public:
  /// `share`: of the layers of a stage, those whose caches lie on the GPU.
  KvCache(const catalog::Model& m, const Layout& layout, double share = 1) : m_(m), crossed_(m.is_encoder_decoder()) {
    if (!m.is_generator()) return;
    const double layers = crossed_ ? m.decoder_layers.value_or(*m.layers) : *m.layers;
    const double heads = m.kv_heads.value_or(m.heads.value_or(1));
    const double d = m.head_dim.value_or(0);
    full_ = m.is_mla() ? *m.mla_kv_lora_rank + m.mla_rope_dim.value_or(0)  // each rank holds the latent
                       : layer_values(m.kv_full_heads.value_or(heads), m.kv_full_head_dim.value_or(d), layout.tp);
    full_layers_ = m.kv_full_layers.value_or(layers);
    window_ = m.kv_window_layers.value_or(0) * layer_values(m.kv_window_heads.value_or(heads), d, layout.tp);
    crossing_ = m.cross_layers.value_or(crossed_ ? layers : 0) * layer_values(heads, d, layout.tp);
    width_ = kv_width(layout.kv);
    state_ = m.linear_state_bytes.value_or(0) / layout.tp;
    stage_ = fullest_stage(layers, layout.pp) * share;
  }

  Bytes bytes_of(Cached tokens) const {
    if (!m_.is_generator()) return {};
    const double own = crossed_ ? tokens.generated : tokens.total();
    const double windowed = std::min(own, m_.window_tokens.value_or(own));
    const double cross = crossing_ * m_.cross_tokens.value_or(tokens.prompt);
    const double values = full_layers_ * full_ * blocks(own) + window_ * blocks(windowed) +
                          m_.kv_extra_elements.value_or(0) * blocks(own) + cross;
    return bytes((values * width_ + state_) * stage_);
  }

 private:
  const catalog::Model& m_;
  bool crossed_;
  double full_ = 0;  // values of a layer and token
  double full_layers_ = 0;
  double window_ = 0;    // values of a token in all layers with a window
  double crossing_ = 0;  // in all that attend to a prompt read apart
  double width_ = 0;
  double state_ = 0;  // bytes that do not grow
  double stage_ = 0;
};

/// Largest forward pass or the sampler, whichever is larger: both are profiled, never alive together.
struct ActivationPeak {
  Bytes forward, sampler, prompt_logits;
  double rows = 0;    // requests
  double tokens = 0;  // of the pass

  Bytes largest(Trace* trace = nullptr) const {
    return record(trace, {"memory.activations", "{:.2f}", "GiB"}, [&](auto told) {
      return greatest(told([&] { return say("a pass over {:g} tokens", tokens); }, forward),
                      told([&] { return say("the sampler's logits of {:g} requests", rows); }, sampler),
                      told("all logits of their prompts", prompt_logits));
    });
  }
};

ActivationPeak activation_peaks(const Job& work, const Layout& layout, double rows, double batched_tokens,
                                const Coefficients& c) {
  const auto& m = *work.model;
  const auto& job = work.inference;
  const std::string_view engine = to_text(job::kernels_of(job.engine));
  const auto prompt = static_cast<double>(job.input_tokens);
  const double whole = std::min(prompt, c.whole_prompt_tokens.of(engine, job.generation));
  const double pass = std::max(batched_tokens, whole);
  const double tokens = m.is_generator() ? std::max(std::min(pass, rows * prompt), rows) : rows * prompt;
  const double h = *m.hidden_size;
  const double kv = m.kv_heads.value_or(m.heads.value_or(0));
  const double qkv = (m.heads.value_or(0) + 2 * kv) * m.head_dim.value_or(0);
  const double ffn =
      2 * (m.is_moe() ? m.moe_ffn_size.value_or(0) * m.experts_per_token.value_or(1) : m.ffn_size.value_or(0));
  const double width = 2 * h + std::max(qkv, ffn) / layout.tp;
  const double scratch = m.is_moe() ? m.experts_per_token.value_or(1) * h * 2 / layout.ep : 0;
  const double forward = tokens * 2 * (width * c.activation_copies.of(engine, job.generation) + scratch);
  if (!m.is_generator()) return {bytes(forward), {}, {}, rows, tokens};
  const double vocabulary = m.vocab_size.value_or(0);
  const double sampler = rows * vocabulary * c.sampler_bytes.of(engine, job.generation);
  const double all_logits = rows * prompt * vocabulary * c.prompt_logits_bytes.of(engine, job.generation);
  return {bytes(forward), bytes(sampler), bytes(all_logits), rows, tokens};
}

/// A draft model runs on the ranks of the model it drafts for, or whole where they do not divide its heads.
int draft_ranks(const catalog::Model& draft, const Layout& layout) {
  return std::fmod(draft.heads.value_or(1), layout.tp) == 0 ? layout.tp : 1;
}

Bytes draft_weights(const job::Draft& draft, const Layout& layout) {
  return bytes(draft.parameters.loaded() * 2 / draft_ranks(*draft.model, layout));
}

struct Fixed {
  Bytes weights;
  Bytes workspace;
  Bytes framework;
};

/// Of all weights, those of the fullest stage. llama.cpp leaves the embedding with the host and lays out the head like
/// a layer.
double stage_share(const Job& work, const Layout& layout) {
  const auto& p = work.parameters;
  if (job::kernels_of(work.inference.engine) != job::Engine::llama_cpp || layout.pp == 1)
    return fullest_stage(p.layers, layout.pp);
  return (1 - p.embedding / std::max(p.loaded(), 1e-9)) * fullest_stage(p.layers + 1, layout.pp);
}

/// Of the layers, the output counted as one, those that GPUs hold.
double layers_on_gpus(const Job& work) {
  const auto& layers = work.inference.left_to_host.gpu_layers;
  if (!layers) return 1;
  return std::min(1.0, static_cast<double>(*layers) / (work.parameters.layers + 1));
}

/// Of all weights, experts that the processor computes for layers that GPUs hold. The first layers are the ones that a
/// GPU is short of, and are dense where some are.
double experts_on_host(const Job& work) {
  const auto& p = work.parameters;
  const double asked = static_cast<double>(work.inference.left_to_host.expert_layers.value_or(0));
  if (p.moe_layers <= 0 || asked <= 0) return 0;
  const double first = std::max(p.layers - p.moe_layers, std::round((p.layers + 1) * (1 - layers_on_gpus(work))));
  const double moved = std::max(0.0, std::min(asked, p.layers) - first);
  return p.experts / std::max(p.loaded(), 1e-9) * moved / p.moe_layers;
}

/// Matrices of adapters, which a server keeps room for in 16 bit. The half that reads a layer's input is whole on every
/// rank where the layer's output is divided.
Bytes adapters_of_gpu(const Job& work, const Layout& layout) {
  const job::ServedAdapters& served = work.inference.adapters;
  if (served.slots <= 0) return {};
  const auto& m = *work.model;
  const double h = m.hidden_size.value_or(0);
  const double d = m.head_dim.value_or(0);
  const double q = m.heads.value_or(0) * d;
  const double kv = m.kv_heads.value_or(m.heads.value_or(0)) * d;
  const double ffn = m.ffn_size.value_or(0);
  const double tp = layout.tp;
  const auto column = [&](double out) { return h + out / tp; };
  const auto row = [&](double in) { return in / tp + h; };
  const double ffn_in = work.parameters.ffn_matrices - 1;
  const double layer = column(q) + 2 * column(kv) + row(q) + ffn_in * column(ffn) + row(ffn);
  return bytes(2 * static_cast<double>(served.slots * served.rank) * work.parameters.layers * layer / layout.pp);
}

/// Layers for multi-token prediction: mostly experts, where the model has some.
Bytes own_draft_weights(const Job& work, const Layout& layout) {
  const double ranks = work.model->is_moe() ? std::max(layout.tp, layout.ep) : layout.tp;
  return bytes(work.parameters.mtp * layout.weights->bits / 8 / ranks);
}

Bytes weights_of_gpu(const Job& work, const Layout& layout, Trace* trace) {
  const Bytes stored = stored_weights(work, *layout.weights, trace);
  return record(trace, {"memory.weights", "{:.2f}", "GiB"}, [&](auto told) {
    auto weights = told("stored weights", stored) * told("share of the fullest stage", stage_share(work, layout)) /
                   told("tp", layout.tp);
    if (layout.ep > layout.tp) {  // experts over the replicas too; within one, tensor parallelism divides them
      const auto experts =
          told("share of the experts", work.parameters.experts / std::max(work.parameters.loaded(), 1e-9));
      weights = weights * (1 - experts + experts * told("tp", layout.tp) / told("ep", layout.ep));
    }
    if (work.inference.offload != job::Offload::none) weights = weights * told("share in flight", kInFlight);
    if (work.inference.left_to_host.any())
      weights = weights * (1 - told("share in the memory of the host", host_share(work, layout)));
    if (work.inference.drafts_itself)
      weights = weights + told("multi-token prediction", own_draft_weights(work, layout));
    if (work.inference.adapters.slots > 0) weights = weights + told("adapters", adapters_of_gpu(work, layout));
    if (const auto& draft = work.inference.draft)
      weights = weights + told("draft model", draft_weights(*draft, layout));
    return weights;
  });
}

/// Of an engine's newest generation, where it has a case of its own.
double collectives_gib(const job::Inference& job, const Coefficients& c) {
  const std::string_view engine = to_text(job::kernels_of(job.engine));
  return c.collectives_gib.of("inference", job.generation.empty() ? engine : std::string_view{});
}

Fixed fixed_memory(const Job& work, const Device& device, const Layout& layout, const Coefficients& c, Trace* trace) {
  const std::string_view engine = to_text(job::kernels_of(work.inference.engine));
  const int group = layout.tp * layout.pp;
  Fixed fixed;
  fixed.weights = weights_of_gpu(work, layout, trace);
  const bool talks = group > 1 && !lays_out_in_turn(work.inference.engine);
  fixed.workspace = gib(c.engine_workspace_gib.of(engine, work.inference.generation));
  if (trace != nullptr)
    note(*trace, {"memory.workspace", "{:.2f}", "GiB", "calibration"}, in_gib(fixed.workspace),
         say("graphs and buffers of {}", engine));
  fixed.framework = record(trace, {"memory.framework", "{:.2f}", "GiB", "calibration"}, [&](auto told) {
    const bool on_cpu = device.processor != nullptr;
    const double process =
        c.process_gib.of(engine, on_cpu ? generation_on(work.inference, device) : std::string_view());
    return told(on_cpu ? to_say("process") : to_say("CUDA context"), gib(process)) +
           told.some("communication library", gib(talks ? collectives_gib(work.inference, c) : 0));
  });
  return fixed;
}

/// The longest sequence whose cache fits into `room`, behind a prompt that an encoder has read.
double longest_sequence(const catalog::Model& model, double prompt, const KvCache& kv, Bytes room) {
  const double read = model.is_encoder_decoder() ? prompt : 0;
  const auto cache = [&](double tokens) { return kv.bytes_of({read, tokens}); };
  // Beyond the window only the full layers grow: a fixed part, then so many bytes per token.
  const double window = model.window_tokens.value_or(0);
  const double none = cache(0).raw();
  const double start = cache(window).raw();
  const double slope = (cache(window + kLongCache).raw() - start) / kLongCache;
  if (room.raw() < none) return 0;
  if (room.raw() < start) return std::floor(window * (room.raw() - none) / (start - none));
  constexpr double kUnbounded = 1e9;  // a cache that does not grow
  return std::min(kUnbounded, std::floor(window + (room.raw() - start) / slope));
}

/// Parameters that a format stores in its own width, and those that it keeps at 16 bit.
struct Kept {
  double narrow;
  double wide;
};

Kept kept_in(const WeightFormat& format, const catalog::Parameters& p) {
  if (format.experts_only && p.experts != 0) return {p.experts, p.loaded() - p.experts};
  if (format.keeps_ends) return {p.body + p.experts + p.layer_embeddings, p.embedding + p.head + p.vision};
  return {p.loaded(), 0};
}

/// Asked about in the format of its files, whose size is known.
bool is_as_released(const catalog::Model& model, const WeightFormat& format) {
  return model.native_weights_gib && model.native_dtype.starts_with(format.name);
}

/// Of one GPU, before anything is left to the host.
Bytes whole_weights(const Job& work, const Layout& layout) {
  Bytes weights = stored_weights(work, *layout.weights) * (stage_share(work, layout) / layout.tp);
  const double experts = work.parameters.experts / std::max(work.parameters.loaded(), 1e-9);
  if (layout.ep > layout.tp) weights = weights * (1 - experts + experts * layout.tp / layout.ep);
  return weights;
}

}  // namespace

double host_share(const Job& work, const Layout& layout) {
  const job::LeftToHost& left = work.inference.left_to_host;
  if (work.inference.offload != job::Offload::none) return 1 - kInFlight;
  if (!left.any()) return 0;
  const double moved = left.weights_gib / std::max(1e-9, in_gib(whole_weights(work, layout)));
  return std::min(1.0, moved + 1 - layers_on_gpus(work) + experts_on_host(work));
}

Layout draft_plan(const catalog::Model& draft, const Layout& layout) {
  static const WeightFormat* const half = *weight_format("fp16");
  Layout out = layout;
  out.weights = half;
  out.tp = draft_ranks(draft, layout);
  out.pp = 1;
  out.ep = 1;
  return out;
}

Bytes stored_weights(const Job& work, const WeightFormat& format, Trace* trace) {
  constexpr Recorded kStored{"memory.weights.stored", "{:.2f}", "GiB"};
  if (is_as_released(*work.model, format)) {
    const double files = *work.model->native_weights_gib;
    if (trace != nullptr) note(*trace, kStored, files, say("size of the files as released, in {}", format.name));
    return gib(files);
  }
  return record<Bytes>(trace, kStored, [&, kept = kept_in(format, work.parameters)](auto told) {
    return told([&] { return say("parameters as {}", format.name); }, kept.narrow) *
               told("bytes of each", format.bits / 8, "B") +
           told.some("parameters kept at 16 bits", kept.wide) * told("bytes of each", 2, "B");
  });
}

bool lays_out_in_turn(job::Engine engine) {
  return job::kernels_of(engine) == job::Engine::llama_cpp || engine == job::Engine::hf;
}

Bytes kv_bytes(const catalog::Model& m, Cached tokens, const Layout& layout) {
  return KvCache(m, layout).bytes_of(tokens);
}

namespace {

constexpr double kMostConfigured = 1024;

}  // namespace

double serving_deviation(const Job& work, Bytes counted, Bytes all, const Coefficients& c, Trace* trace) {
  if (all <= Bytes{}) return 0;
  const auto& job = work.inference;
  const auto of_engine = [&](const Coefficient& one) {
    return one.of(to_text(job::kernels_of(job.engine)), job.generation);
  };
  return record(trace, {"fit.deviation", "{:.3f}", {}, "calibration"}, [&](auto told) {
    const auto certain = told("deviation of weights and caches", of_engine(c.counted_deviation)) *
                         told("weights and caches", in_gib(counted));
    const auto rest =
        told("deviation of the rest", of_engine(c.memory_deviation)) * told("the rest", in_gib(all - counted));
    return power(power(certain, 2.0) + power(rest, 2.0), 0.5) / told("needed", in_gib(all));
  });
}

double serving_deviation(const Job& work, const CacheRoom& room, const Coefficients& c, Trace* trace) {
  return serving_deviation(work, room.counted, room.needed * room.share, c, trace);
}

InferenceMemory inference_memory(const Job& work, const Machine& machine, const Layout& layout, const Coefficients& c,
                                 Trace* trace) {
  const auto& job = work.inference;
  const std::string_view engine = to_text(job::kernels_of(job.engine));
  const Fixed fixed = fixed_memory(work, machine.device, layout, c, trace);
  const Cached length{static_cast<double>(job.input_tokens), static_cast<double>(job.output_tokens)};
  // An engine is configured for the requests it is to serve; without a number it keeps its default.
  const EngineLimits limits = engine_limits(work, machine, layout.tp * layout.pp, c);
  const double usual = limits.sequences;
  const double asked = job.concurrency ? std::ceil(static_cast<double>(*job.concurrency) / layout.dp) : usual;
  const double most = std::max(usual, std::min(asked, kMostConfigured));
  const bool apart = limits.fixed_pool;
  const Bytes taken = apart ? fixed.weights : fixed.weights + fixed.workspace + fixed.framework;

  InferenceMemory memory;
  memory.sequences = most;
  const double share = limits.memory_share;
  memory.share = share;
  memory.pool = (apart ? machine.device.usable - fixed.framework : machine.device.usable) * share;
  const auto room_after = [&](const ActivationPeak& peak) {
    return memory.pool - taken - (apart ? Bytes{} : peak.largest());
  };
  const KvCache kv(*work.model, layout, layers_on_gpus(work));
  Bytes each = kv.bytes_of(length);
  if (job.draft) each += kv_bytes(*job.draft->model, length, draft_plan(*job.draft->model, layout));
  // Of requests that come all at once, those that find no room wait: one must find it.
  const bool at_once = job.concurrency && job.mode != job::Mode::throughput;
  const double load = at_once ? std::clamp(asked, 1.0, most) : 1;
  double rows = std::max(1.0, std::min(asked, most));
  double caches = 0;
  ActivationPeak peak = activation_peaks(work, layout, rows, limits.batched_tokens, c);
  Bytes room = room_after(peak);
  if (!work.model->is_generator()) {
    // An encoder's requests need no cache: as many as its activations leave room for.
    const Bytes one = activation_peaks(work, layout, 1, limits.batched_tokens, c).largest();
    const double fits = std::floor((memory.pool - taken).raw() / std::max(1.0, one.raw()));
    rows = std::max(1.0, std::min(rows, fits));
    peak = activation_peaks(work, layout, rows, limits.batched_tokens, c);
    memory.max_concurrency = std::max(0.0, fits) * layout.dp;
    memory.steady_concurrency = memory.max_concurrency;
  } else {
    // An engine told to decode fewer sequences together needs smaller buffers: halve until one fits.
    const auto fitting = [&] { return each > Bytes{} ? std::floor(room / each) : most; };
    while (!job.concurrency && rows > 1 && fitting() < 1) {
      rows = std::max(1.0, std::floor(rows / 2));
      peak = activation_peaks(work, layout, rows, limits.batched_tokens, c);
      room = room_after(peak);
    }
    const double fits = fitting();
    memory.max_concurrency = std::max(0.0, std::min(fits, 1e7)) * layout.dp;
    const double grown = static_cast<double>(job.output_tokens) * c.reserved_output.of(engine, job.generation);
    const Bytes half_way = kv.bytes_of({length.prompt, grown});
    const double growing = half_way > Bytes{} ? std::floor(room / half_way) : most;
    memory.steady_concurrency = std::max(fits, std::min(growing, 1e7)) * layout.dp;
    if (!job.concurrency) rows = std::max(1.0, std::min(rows, memory.steady_concurrency / layout.dp));
    memory.longest_context = longest_sequence(*work.model, length.prompt, kv, room);
    const Bytes long_one = kv.bytes_of({0, kLongCache});
    memory.kv_tokens = long_one > Bytes{} ? std::max(0.0, room / long_one * kLongCache) : 0;
    memory.cache_room = std::max(room, Bytes{});
    // What the engine does not decode together waits in its queue and needs no cache yet.
    caches = at_once ? load : std::min(rows, std::max(1.0, memory.max_concurrency / layout.dp));
  }
  memory.counted = fixed.weights + each * load;
  const Bytes passes = activation_peaks(work, layout, load, limits.batched_tokens, c).largest();
  const Bytes whole = fixed.weights + each * load + fixed.workspace + passes;
  const bool share_decides = (fixed.weights + each * load) / share > whole;
  memory.needed = record(trace, {"memory.needed", "{:.2f}", "GiB"}, [&](auto told) {
    const auto requests = [&] { return say("caches of {:g} requests", load); };
    if (apart && share_decides)
      return told("framework", fixed.framework) + (told("weights", fixed.weights) + told(requests, each * load)) /
                                                      told("share of the rest that weights and caches get", share);
    const auto held = told("weights", fixed.weights) + told("workspace", fixed.workspace) +
                      told("framework", fixed.framework) + told("activations", passes);
    if (apart) return held + told(requests, each * load);
    return (held + told(requests, each * load)) / told("share of the GPU that the engine takes", share);
  });
  // A share that is asked for may leave too little for all else.
  if (const Bytes all = fixed.framework + memory.pool + fixed.workspace + passes;
      apart && job.mem_utilization && all > machine.device.usable)
    memory.needed = std::max(memory.needed, all);
  memory.concurrency = job.concurrency ? static_cast<double>(*job.concurrency) : rows * layout.dp;
  memory.per_gpu.weights = fixed.weights;
  memory.per_gpu.kv_cache = record(trace, {"memory.kv_cache", "{:.2f}", "GiB"}, [&](auto told) {
    const auto cache = [&] {
      return say("cache of one request of {:g} + {:g} tokens", length.prompt, length.generated);
    };
    return told("requests of one replica", caches) * told(cache, each);
  });
  memory.per_gpu.activations = peak.largest(trace);
  memory.per_gpu.workspace = fixed.workspace;
  memory.per_gpu.framework = fixed.framework;
  return memory;
}

}  // namespace gpusel::physics
