#include "physics/serving/inference_load.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/words/message.hpp"

namespace gpusel::physics {

using job::Job;

Deployment::Deployment(const Job& work, const Machine& machine, const Layout& layout, const Coefficients& c) {
  const auto rate = compute_rate(*layout.weights, machine.device);
  if (!rate) return;
  native_ = rate->native || layout.weights->bits >= 16;
  if (!work.inference.draft) {
    server_.emplace(Server{Replica(work, machine, layout, c, *rate), std::nullopt});
    return;
  }
  const job::Draft& draft = *work.inference.draft;
  drafting_ = work;
  drafting_->model = draft.model;
  drafting_->parameters = draft.parameters;
  drafting_layout_ = draft_plan(*draft.model, layout);
  if (const auto half = compute_rate(*drafting_layout_->weights, machine.device))
    server_.emplace(
        Server{Replica(work, machine, layout, c, *rate), Replica(*drafting_, machine, *drafting_layout_, c, *half)});
}

Cached halfway(const job::Inference& job) {
  return {static_cast<double>(job.input_tokens), static_cast<double>(job.output_tokens) / 2};
}

double tokens_per_pass(const job::Draft& draft, Trace* trace) {
  const auto drafted = static_cast<double>(draft.tokens);
  if (draft.acceptance_rate >= 1) return drafted + 1;
  return record(trace, {"inference.speculation.tokens_per_pass", "{:.3f}", {}, "arXiv 2211.17192"}, [&](auto told) {
    const auto stand = told("share of drafted tokens that are accepted", draft.acceptance_rate);
    return (1 - power(stand, told("drafted tokens", drafted) + 1)) / (1 - stand);
  });
}

Seconds token_time(const job::Inference& job, const Server& server, double batch, Trace* trace) {
  const Replica& target = server.target;
  const double rows = std::max(1.0, batch / target.pipelining());  // fewer than stages go one by one
  if (!server.draft) return target.decode(rows, halfway(job)).total;
  return record(trace, {"inference.speculation", "{:.2f}", "ms", "arXiv 2211.17192"}, [&](auto told) {
    const auto drafted = told("drafted tokens", job.draft->tokens);
    return (told("pass over drafted tokens", target.decode(rows, halfway(job), bare(drafted) + 1).total) +
            told([&] { return say("step of {}", job.draft->model->id); },
                 server.draft->decode(rows, halfway(job)).total) *
                drafted) /
           told("tokens per pass", tokens_per_pass(*job.draft, trace));
  });
}

namespace {

/// Tokens of a prompt: those found in a cache, and those that are read.
struct Prompt {
  double cached, read;
};
Prompt prompt_of(const job::Inference& job) {
  const double cached = static_cast<double>(job.input_tokens) * job.prefix_cache_hit;
  return {cached, static_cast<double>(job.input_tokens) - cached};
}

/// How the others' prompts are felt: queued at once and read before anything is generated, or spread
/// over the time, when they come between a request's tokens and only now and then in front of it.
struct Mixing {
  double together;  // of the other requests, arrive with this one
  double stepping;  // of the prompts, come while a step is under way
};

Mixing mixing(const job::Inference& job, const Replica& replica, const Coefficients& c) {
  if (job.disaggregated_prefill) return {0, 0};
  if (job.request_rate) return {0, 1};
  const bool targets = job.ttft_ms || job.tpot_ms;
  if (job.mode == job::Mode::throughput && job.concurrency && !targets) return {1, 0};
  return {replica.of(c.arrivals_together), replica.of(c.prompt_interference)};
}

// What explanations call the parts of a service's speed.
constexpr Recorded kFirstToken{"inference.ttft.first_token", "{:.2f}", "ms"};
constexpr Recorded kBetween{"inference.itl", "{:.2f}", "ms"};
constexpr Recorded kPerToken{"inference.tpot", "{:.2f}", "ms"};
constexpr Recorded kOfReplica{"inference.requests_per_s.replica", "{:.5g}", "requests/s"};
constexpr Recorded kOfAll{"inference.requests_per_s", "{:.5g}", "requests/s"};

Steady encoder_state(const Replica& replica, double input, double batch, double efficiency, Trace* trace) {
  Steady steady;
  const Seconds each = record(trace, kFirstToken, [&](auto told) {
    return told([&] { return say("prefill of {:g} requests", batch); }, replica.prefill(input, batch)) /
           told("efficiency", efficiency);
  });
  steady.requests_per_s = record(trace, kOfReplica, [&](auto told) {
    return per_second(told("requests at once", batch), told("time of all together", each));
  });
  steady.ttft = steady.e2e = each;
  return steady;
}

/// One prompt's part of a pass that it shares with others, the draft model's included.
Seconds prompt_time(const Server& server, double input, double cached, double batch) {
  const double together = server.target.prompts_per_pass(input, batch);
  const Seconds all = server.target.prefill(input, together, cached);
  return (server.draft ? all + server.draft->prefill(input, together, cached) : all) / together;
}

/// Prompts that come while a step is under way, and are read together: at least the one in question.
double coming_together(const job::Inference& job, double batch) {
  return std::max(1.0, batch / std::max(1.0, static_cast<double>(job.output_tokens) - 1));
}

/// Batches of a pipeline that read prompts at once. What comes at random during a step fills one before the next; where
/// as many come as end, each batch has its own.
double reading_batches(const Replica& replica, double fills) { return std::clamp(fills, 1.0, replica.pipelining()); }

/// What a prompt adds to the steps of those that decode, where it is read in them together with as many others as come
/// meanwhile.
Seconds added_prompt_time(const job::Inference& job, const Server& server, double input, double cached, double batch) {
  const double steps = std::max(1.0, static_cast<double>(job.output_tokens) - 1);
  const double together = std::min(coming_together(job, batch), server.target.prompts_per_pass(input, batch));
  const double decoding = batch / server.target.pipelining();
  const Seconds all = server.target.added_by(together, input, cached, decoding, halfway(job), steps * together / batch);
  return (server.draft ? all + server.draft->prefill(input, together, cached) : all) / together;
}

/// In a closed loop a request stays as long as its share of the replica's time for all in flight (Little's law).
/// What the first token and the bare steps leave of that are other prompts. Part of it shows in the usual time between
/// tokens; the rest are stalls that a median does not see, and with a single token the wait for it.
void close_loop(Steady& steady, const Mixing& mix, double batch, double steps, Seconds step, Seconds pass,
                Trace* trace) {
  const Seconds bare = steady.ttft + step * steps;
  steady.e2e = record(trace, {"inference.requests_per_s.stay", "{:.2f}", "ms"}, [&](auto told) {
    const auto alone = told("first token", steady.ttft) + told("step", step) * told("output less the first", steps);
    return greatest(alone,
                    quantity<Seconds>(told("requests at once", batch) / told("capacity", steady.requests_per_s)));
  });
  steady.requests_per_s = record(trace, kOfReplica, [&](auto told) {
    return per_second(told("requests at once", batch), told("time that one request stays", steady.e2e));
  });
  // Together all wait in front of the first token, and for the last of the batch.
  if (steps > 0)
    steady.itl = record(trace, kBetween, [&](auto told) {
      const auto stalls = (told("time that one request stays", steady.e2e) - told("undisturbed", bare)) /
                          told("output less the first", steps) * told("share that a median shows", mix.stepping);
      const auto own = told("time of one token", step);
      return mix.together >= 1 ? own : own + least(stalls, told("a pass over prompts", pass));
    });
  else if (mix.together < 1)
    steady.ttft = steady.e2e;
}

/// With `arrivals_per_s` requests of one replica it is what those meet, else as many as are served are sent.
Steady steady_state(const Job& work, const Server& server, double batch, double arrivals_per_s, const Coefficients& c,
                    Trace* trace = nullptr) {
  const auto& job = work.inference;
  const Replica& replica = server.target;
  const auto [cached, input] = prompt_of(job);
  // What a lone request does not lose, nor a stream of them, and a full batch loses entirely.
  const bool targets = job.ttft_ms || job.tpot_ms;
  const bool stream = (job.mode == job::Mode::online || targets) && !job.request_rate;
  const double lost = stream && work.model->is_generator() ? 0 : 1 - replica.of(c.serving_efficiency);
  const double efficiency = 1 - lost * (1 - 1 / batch);
  if (!work.model->is_generator()) return encoder_state(replica, input, batch, efficiency, trace);
  const double steps = std::max(0.0, static_cast<double>(job.output_tokens) - 1);  // the prompt's pass gives the first
  const Seconds step = token_time(job, server, batch, trace);
  const Mixing mix = mixing(job, replica, c);
  // Where one token is all of an answer, nothing decodes.
  const bool in_steps = replica.of(c.prompts_first) == 0 && mix.stepping > 0 && batch > 1 && steps > 0;
  const Seconds share =
      in_steps ? added_prompt_time(job, server, input, cached, batch)
               : prompt_time(server, input, cached, job.request_rate ? coming_together(job, batch) : batch);
  const bool over_network = job.mode == job::Mode::online || job.request_rate;
  const Seconds request = over_network ? microseconds(1000 * replica.of(c.request_ms)) : Seconds{};
  const bool ahead = steps > 0 && replica.of(c.async_steps) > 0;
  const bool closed = !job.request_rate && !job.disaggregated_prefill;
  Steady steady;
  steady.ttft = record(trace, kFirstToken, [&](auto told) {
    const Seconds burst = input > 0 ? replica.burst(input, 1 + mix.together * (batch - 1), cached) : step;
    auto first = told.some("request handling", request) + told("reading the prompts that come at once", burst);
    // Those that come at once pass one front end, one after the other.
    const double before = over_network ? mix.together * (batch - 1) / 2 : 0;
    if (before > 0)
      first =
          first + told("front-end time of earlier requests", microseconds(1000 * replica.of(c.arrival_ms))) * before;
    if (over_network && ahead) first = first + told("step scheduled ahead", step);
    if (job.stream_interval > 1)
      first = first + told("step", step) * (told("tokens sent at once", static_cast<double>(job.stream_interval)) - 1);
    if (batch > 1 && steps > 0) first = first + told("step", step) * (0.5 * told("share in progress", mix.stepping));
    return first;
  });
  steady.itl = step;
  if (steps == 0)
    steady.itl = {};
  else if (!closed)
    steady.itl = steady.tpot = record(trace, kPerToken, [&](auto told) {
      // Others' prompts come at random, and the longer a token takes the more of them come.
      const double free = std::max(1 - kMostRead, 1 - share.raw() * arrivals_per_s);
      const double batches =
          reading_batches(replica, arrivals_per_s * step.raw() / free * input / replica.batched_tokens());
      const auto reading = told("part of a prompt in a pass", share) /
                           told("time between requests", seconds(1 / std::max(arrivals_per_s, 1e-9))) /
                           told("batches that read prompts at once", batches);
      const auto spared = greatest(1 - reading, 1 - kMostRead);
      // During a long step many come at once: when more are there, steps are longer.
      const auto crowded = 1 + power(reading / spared, 2.0) / (1 + reading) / told("requests at once", batch);
      return told("time of one token", step) / spared * crowded;
    });
  steady.e2e = steady.ttft + steady.itl * steps;
  if (batch == 1) {
    steady.requests_per_s = record(trace, kOfReplica, [&](auto told) {
      return per_second(1.0,
                        told("first token", steady.ttft) + told("step", step) * told("output less the first", steps));
    });
    if (closed && steps > 0) record(trace, kBetween, [&](auto told) { return told("time of one token", step); });
    return steady;
  }
  // Each request's prompt is processed while the others wait for their next token.
  const double batches = reading_batches(replica, coming_together(job, batch));
  const Seconds per_request = record(trace, {"inference.requests_per_s.replica_time", "{:.2f}", "ms"}, [&](auto told) {
    const auto requests = told("requests at once", batch);
    return told("step", step) * (told("output less the first", steps) / requests) +
           told("part of a prompt in a pass", share) / told("batches that read prompts at once", batches) +
           told.some("request handling", request) / requests;
  });
  constexpr Recorded kCapacity{"inference.requests_per_s.capacity", "{:.5g}", "requests/s"};
  steady.requests_per_s = record(trace, closed ? kCapacity : kOfReplica, [&](auto told) {
    return per_second(told("efficiency", efficiency), told("replica time per request", per_request));
  });
  const double prompts = std::min(batch, replica.batched_tokens() / std::max(input, 1e-9));  // of one pass
  if (closed) close_loop(steady, mix, batch, steps, step, share * prompts, trace);
  return steady;
}

/// Prompts of which a step reads hundreds come in bundles: what differs between so many changes no percentile.
LoadedSteps in_bundles(LoadedSteps steps) {
  constexpr double kMostOfStep = 60;
  const double size = steps.parts_of_step / steps.parts / kMostOfStep;
  if (size <= 1) return steps;
  steps.arrivals_per_s /= size;
  steps.first_part = steps.first_part + steps.further_part * (size - 1);
  steps.further_part = steps.further_part * size;
  steps.parts_of_step /= size;
  return steps;
}

/// The steps of one of `replicas` that read prompts and generate, with so many requests in flight and room for as many
/// as `room`.
LoadedSteps loaded_steps(const Job& work, const Server& server, const Load& load, double replicas, double room,
                         const Coefficients& c) {
  const auto& job = work.inference;
  const Replica& replica = server.target;
  const auto [cached, input] = prompt_of(job);
  const double batch = load.batch;
  LoadedSteps out;
  out.arrivals_per_s = *job.request_rate / replicas;
  out.stay = load.steady.e2e;
  out.in_flight = std::min(room, out.arrivals_per_s * out.stay.raw());
  out.room = room;
  out.per_token = load.steady.tpot;
  out.alone = input > 0 ? replica.prefill(input, 1, cached) : token_time(job, server, 1);
  if (!work.model->is_generator()) {
    out.first_part = out.alone;
    out.further_part = greatest(replica.prefill(input, 2) - out.alone, Seconds{});
    out.parts_of_step = std::max(1.0, room);
    return in_bundles(out);
  }
  const bool decodes = job.output_tokens > 1 && load.prefill_replicas == 0;
  out.steps = static_cast<double>(job.output_tokens) - 1;
  out.stages = replica.pipelining();
  out.overhead = microseconds(1000 * replica.of(c.request_ms));
  const Seconds token = token_time(job, server, batch);
  if (job.stream_interval > 1) out.overhead = out.overhead + token * (static_cast<double>(job.stream_interval) - 1);
  out.ahead = decodes && replica.of(c.async_steps) > 0;
  out.reads_alone = !decodes || replica.of(c.prompts_first) > 0;
  if (decodes) {
    out.tokens_of_step = job.draft ? tokens_per_pass(*job.draft) : 1;
    out.bare = token * out.tokens_of_step;
    out.spread = (token_time(job, server, batch + std::sqrt(batch)) - token) * out.tokens_of_step;
  }
  if (input <= 0) return out;
  // What decodes takes its rows of each step.
  const double rows = out.reads_alone ? 0 : batch / out.stages;
  const double free = std::max(1.0, replica.batched_tokens() - rows);
  constexpr double kPartsOfStep = 6;  // about
  constexpr double kMostParts = 12;   // more of a long prompt change nothing
  out.parts = std::clamp(std::round(kPartsOfStep * input / free), 1.0, std::max(kMostParts, std::ceil(input / free)));
  out.parts_of_step = out.parts * free / input * out.stages;
  const auto added = [&](double prompts) {
    Seconds all = out.reads_alone ? replica.prefill(input, prompts, cached)
                                  : replica.added_by(prompts, input, cached, rows, halfway(job), 1e9);
    if (server.draft) all = all + server.draft->prefill(input, prompts, cached);
    return all;
  };
  out.first_part = added(1) / out.parts;
  out.further_part = out.parts_of_step / out.stages > out.parts ? greatest(added(2) - added(1), Seconds{}) / out.parts
                                                                : out.first_part;
  return in_bundles(out);
}

/// What benchmarks print as time per output token: the stay less the first token, over the tokens after it.
Seconds per_token(const job::Inference& job, const Steady& steady, Trace* trace) {
  const double steps = static_cast<double>(job.output_tokens) - 1;
  if (steps <= 0) return {};
  return record(trace, kPerToken, [&](auto told) {
    return (told("time that one request stays", steady.e2e) - told("first token", steady.ttft)) /
           told("output less the first", steps);
  });
}

/// What a replica can serve with a full cache, or with fewer requests at once, where the prompts of so many take more
/// passes than they have steps: then no more of them decode. As soon as it is `enough`, that is told.
double capacity(const Job& work, const Server& server, double most, const Coefficients& c,
                double enough = std::numeric_limits<double>::infinity()) {
  constexpr double kFewer = 0.8;
  double best = 0;
  for (double batch = most; batch >= 1 && best < enough; batch *= kFewer) {
    const double served = steady_state(work, server, batch, 0, c).requests_per_s;
    if (served < best * kFewer) break;  // fewer at once serve less and less
    best = std::max(best, served);
  }
  return best;
}

/// Requests in flight that one of them meets, itself among them, where arrivals and departures balance (Little's law);
/// nothing beyond saturation. A router divides all of them evenly over the replicas.
std::optional<double> balance(const Job& work, const Server& server, double rate, double replicas, double most,
                              const Coefficients& c) {
  if (capacity(work, server, most, c, rate) < rate) return std::nullopt;
  double batch = 1;
  for (int i = 0; i < 40; ++i) {
    const Steady at = steady_state(work, server, batch, rate, c);
    const double next = std::clamp(1 / replicas + rate * at.e2e.raw(), 1.0, most);
    if (std::abs(next - batch) < 0.01 * batch) break;
    batch = std::midpoint(batch, next);
  }
  return batch;
}

double as_it_arrives(double rate, Trace* trace) {
  if (trace != nullptr) note(*trace, kOfAll, rate, say("arrivals, as they can be served"));
  return rate;
}

/// Of so many requests in flight of a closed loop, those that decode. A step reads as much of prompts as its tokens
/// leave room for; where the prompts of all take more steps than their answers, the others wait to be read.
double decoding_at_once(const job::Inference& job, const Server& server, double in_flight, const Coefficients& c) {
  const double steps = static_cast<double>(job.output_tokens) - 1;
  const double input = prompt_of(job).read;
  const Replica& replica = server.target;
  if (steps <= 0 || input <= 0 || replica.of(c.prompts_first) > 0) return in_flight;
  const double most = steps * replica.batched_tokens() * replica.pipelining() / (input + steps);
  return std::min(in_flight, std::max(1.0, most));
}

/// In a closed loop the requests that do not decode yet wait for those that do, and are then read one by one.
void wait_to_be_read(Steady& steady, double waiting, Seconds alone, Trace* trace) {
  const Seconds wait = record(trace, {"inference.ttft.wait", "{:.2f}", "ms"}, [&](auto told) {
    return told("requests that wait to be read", waiting) *
           told("replica time per request", seconds(1 / steady.requests_per_s));
  });
  steady.ttft = greatest(steady.ttft, wait + least(steady.ttft, alone));
  steady.e2e = steady.e2e + wait;
}

/// Every replica reads prompts and generates. Nothing where requests arrive faster than they can be served.
std::optional<Load> mixed(const Job& work, const Server& server, const Layout& layout, const InferenceMemory& memory,
                          const Coefficients& c, Trace* trace) {
  const auto& job = work.inference;
  Load load;
  // Fewer requests than replicas leave some idle.
  load.replicas = job.request_rate ? layout.dp : std::clamp(memory.concurrency, 1.0, static_cast<double>(layout.dp));
  const double room = std::max(1.0, std::min(memory.steady_concurrency / load.replicas, memory.sequences));
  load.batch = std::min(memory.concurrency / load.replicas, room);
  if (job.request_rate) {
    const auto level = balance(work, server, *job.request_rate / load.replicas, load.replicas, room, c);
    if (!level) return std::nullopt;
    load.batch = *level;
  }
  load.admitted = load.batch;
  if (!job.request_rate && work.model->is_generator()) load.batch = decoding_at_once(job, server, load.admitted, c);
  load.steady = steady_state(work, server, load.batch, job.request_rate.value_or(0) / load.replicas, c, trace);
  const auto [cached, input] = prompt_of(job);
  if (load.admitted > load.batch)
    wait_to_be_read(load.steady, load.admitted - load.batch,
                    server.target.burst(input, 1, cached) + token_time(job, server, load.batch), trace);
  if (!job.request_rate) load.steady.tpot = per_token(job, load.steady, trace);
  load.requests_per_s =
      job.request_rate ? as_it_arrives(*job.request_rate, trace) : record(trace, kOfAll, [&](auto told) {
        return told("requests per second of one replica", load.steady.requests_per_s) * told("replicas", load.replicas);
      });
  if (!job.request_rate) return load;
  load.most = capacity(work, server, room, c) * load.replicas;
  load.steps = loaded_steps(work, server, load, load.replicas, room, c);
  return load;
}

/// `readers` of the replicas read prompts and hand their caches to the others, which generate undisturbed.
std::optional<Load> apart(const Job& work, const Server& server, const Layout& layout, const InferenceMemory& memory,
                          int readers, const Coefficients& c, Trace* trace) {
  const auto& job = work.inference;
  const auto [cached, input] = prompt_of(job);
  Load load;
  load.prefill_replicas = readers;
  load.replicas = layout.dp - readers;
  const double room = std::max(1.0, std::min(memory.steady_concurrency / layout.dp, memory.sequences));
  const double read = per_second(static_cast<double>(readers), prompt_time(server, input, cached, room));  // prompts
  // Without prompts of its own a replica's step depends on its batch alone.
  const auto answered = [&](auto told, double batch) {
    const double tokens = std::max(1.0, static_cast<double>(job.output_tokens));
    return per_second(told("replicas", load.replicas) * told("requests at once", batch),
                      told("step", token_time(job, server, batch)) * told("output", tokens));
  };
  const auto answers = [&](double batch) { return answered(Untold{}, batch); };
  load.most = std::min(read, answers(room));
  if (job.request_rate && load.most < *job.request_rate) return std::nullopt;
  const double wanted = job.request_rate ? *job.request_rate : load.most;
  if (job.request_rate || answers(room) > wanted) {  // no more in flight than keeps up
    double low = 1;
    double high = room;
    while (high - low > 0.5) {
      const double middle = std::midpoint(low, high);
      (answers(middle) < wanted ? low : high) = middle;
    }
    load.batch = high;
  } else {
    load.batch = room;
  }
  if (!job.request_rate) load.batch = std::max(1.0, std::min(load.batch, memory.concurrency / load.replicas));
  load.admitted = load.batch;
  load.steady = steady_state(work, server, load.batch, 0, c);
  const Seconds step = token_time(job, server, load.batch, trace);
  load.steady.itl = job.output_tokens > 1
                        ? record(trace, kBetween, [&](auto told) { return told("time of one token", step); })
                        : Seconds{};
  load.steady.ttft = record(trace, kFirstToken, [&](auto told) {
    const Seconds over = server.target.handover(static_cast<double>(job.input_tokens));
    return told("reading its prompt", load.steady.ttft) + (told("handing over its cache", over) + told("step", step));
  });
  load.steady.e2e = load.steady.ttft + load.steady.itl * (static_cast<double>(job.output_tokens) - 1);
  load.steady.tpot = per_token(job, load.steady, trace);
  if (job.request_rate) {
    load.steps = loaded_steps(work, server, load, readers, room, c);
    load.steps.overhead = load.steps.overhead + server.target.handover(static_cast<double>(job.input_tokens)) +
                          step;  // and its first step
  }
  load.requests_per_s =
      job.request_rate ? as_it_arrives(*job.request_rate, trace) : record(trace, kOfAll, [&](auto told) {
        return least(told([&] { return say("prompts that {} replicas read", readers); }, read),
                     answered(told, load.batch));
      });
  return load;
}

/// The division of the replicas that serves most, or answers soonest at a given rate.
std::optional<Load> best_apart(const Job& work, const Server& server, const Layout& layout,
                               const InferenceMemory& memory, const Coefficients& c, Trace* trace) {
  const auto better = [&](const Load& a, const Load& b) {
    return work.inference.request_rate ? a.steady.e2e < b.steady.e2e : a.requests_per_s > b.requests_per_s;
  };
  std::optional<Load> best;
  int with = 0;
  for (int readers = 1; readers < layout.dp; ++readers) {
    const auto load = apart(work, server, layout, memory, readers, c, nullptr);
    if (!load || (best && !better(*load, *best))) continue;
    best = load;
    with = readers;
  }
  if (best && trace != nullptr) apart(work, server, layout, memory, with, c, trace);
  return best;
}

}  // namespace

std::optional<Load> steady_load(const Job& work, const Server& server, const Layout& layout,
                                const InferenceMemory& memory, const Coefficients& c, Trace* trace) {
  return work.inference.disaggregated_prefill ? best_apart(work, server, layout, memory, c, trace)
                                              : mixed(work, server, layout, memory, c, trace);
}

}  // namespace gpusel::physics
