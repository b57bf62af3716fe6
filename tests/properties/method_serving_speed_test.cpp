// Section 7 of docs/method.md, worked out as the page writes it, against what is computed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/estimate/inference_bound.hpp"
#include "properties/page_service.hpp"

namespace method_serving_speed_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
using workload::Mode;
namespace any = test::any;

namespace {

/// What is in flight on one replica, and how it goes.
class Flow {
 public:
  explicit Flow(const Service& service, const Service* small = nullptr) : s(service), draft(small), job(s.job) {}

  double cached() const { return s.in() * job.prefix_cache_hit; }
  double fresh() const { return s.in() - cached(); }
  double step(double B) const {
    const double rows = B / s.pipelining();
    if (draft == nullptr) return s.step(rows, s.in(), s.out() / 2, 1);
    const auto n = static_cast<double>(job.draft->tokens);
    const double a = job.draft->acceptance_rate;
    const double brings = a < 1 ? (1 - std::pow(a, n + 1)) / (1 - a) : n + 1;
    return (s.step(rows, s.in(), s.out() / 2, n + 1) + n * draft->step(rows, s.in(), s.out() / 2, 1)) / brings;
  }
  double per_pass(double B) const {
    return std::clamp(std::floor(s.of(s.c.batched_tokens) / std::max(1.0, fresh())), 1.0, std::max(1.0, B));
  }
  double share(double B) const {
    const double m = per_pass(B);
    const double all = s.prefill(fresh(), m, cached()) + (draft != nullptr ? draft->prefill(fresh(), m, cached()) : 0);
    return all / m;
  }
  double burst(double x) const {
    const double first = std::clamp(s.of(s.c.batched_tokens) / std::max(1.0, fresh()), 1.0, x);
    return (s.prefill(fresh(), first, cached()) + s.prefill(fresh(), x, cached())) / 2;
  }
  bool targets() const { return job.ttft_ms || job.tpot_ms; }
  double together() const {
    if (job.request_rate || job.disaggregated_prefill) return 0;
    return at_once() ? 1 : s.of(s.c.arrivals_together);
  }
  double stepping() const {
    if (job.disaggregated_prefill) return 0;
    if (job.request_rate) return 1;
    return at_once() ? 0 : s.of(s.c.prompt_interference);
  }
  bool at_once() const { return job.mode == Mode::throughput && job.concurrency && !targets(); }
  double request() const { return job.mode == Mode::online || job.request_rate ? s.of(s.c.request_ms) * 1e-3 : 0; }
  double steps() const { return std::max(0.0, s.out() - 1); }
  double first(double B) const {
    const double read = fresh() > 0 ? burst(1 + together() * (B - 1)) : step(B);
    return request() + read + (B > 1 && steps() > 0 ? stepping() * step(B) / 2 : 0);
  }
  double efficiency(double B) const {
    const bool stream = (job.mode == Mode::online || targets()) && !job.request_rate;
    const double lost = stream && !s.encodes() ? 0 : 1 - s.of(s.c.serving_efficiency);
    return 1 - lost * (1 - 1 / B);
  }

  struct Figures {
    double requests_per_s = 0, ttft = 0, itl = 0, e2e = 0;
  };
  Figures at(double B) const {
    Figures out;
    if (s.encodes()) {
      const double all = s.prefill(fresh(), B, 0);
      out.requests_per_s = efficiency(B) * B / all;
      out.ttft = out.e2e = all / efficiency(B);
      return out;
    }
    out.ttft = first(B);
    const double bare = out.ttft + steps() * step(B);
    out.itl = steps() > 0 ? step(B) : 0;
    const bool closed = !job.request_rate && !job.disaggregated_prefill;
    if (!closed && steps() > 0) out.itl += share(B) * (B - 1) / s.out();
    out.e2e = out.ttft + out.itl * steps();
    if (B == 1) {
      out.requests_per_s = 1 / bare;
      return out;
    }
    const double each = steps() * step(B) / B + share(B) / s.pipelining() + request() / B;
    out.requests_per_s = efficiency(B) / each;
    if (!closed) return out;
    out.e2e = std::max(bare, B * each / efficiency(B));
    out.requests_per_s = B / out.e2e;
    if (at_once()) return out;
    const double pass = share(B) * std::min(B, s.of(s.c.batched_tokens) / std::max(1.0, fresh()));
    if (steps() > 0)
      out.itl += std::min(stepping() * ((out.e2e - out.ttft) / steps() - step(B)), pass);
    else
      out.ttft = out.e2e;
    return out;
  }

  const Service& s;
  const Service* draft;
  const workload::Inference& job;
};

}  // namespace

TEST_CASE("serving speed is what docs/method.md says", "[property]") {
  agrees("section 7", [] {
    auto [work, plan, machine] = any_service();
    const bool drafts = work.model->is_generator() && any::coin("drafts");
    if (drafts) add_draft(work);
    const InferenceMemory memory = inference_memory(work, machine, plan, test::coefficients());
    Trace trace;
    const auto is = inference_speed(work, machine, plan, memory, test::coefficients(), &trace);
    test::given(is.has_value());
    const Service page(work, plan, machine);
    workload::Workload small = work;
    InferencePlan small_plan = plan;
    if (drafts) {
      small.model = work.inference.draft->model;
      small.parameters = work.inference.draft->parameters;
      small_plan.weights = *weight_format("fp16");
      small_plan.tp = static_cast<int>(page.draft_ranks());
      small_plan.pp = small_plan.ep = 1;
    }
    const Service drafting(small, small_plan, machine);
    const Flow flow(page, drafts ? &drafting : nullptr);
    const double replicas = std::clamp(memory.concurrency, 1.0, static_cast<double>(plan.dp));
    const double room = std::max(1.0, std::min(memory.steady_concurrency / replicas, memory.sequences));
    const double B = std::max(1.0, std::min(memory.concurrency / replicas, room));
    const auto at = flow.at(B);
    const double waiting = work.inference.concurrency ? std::max(0.0, memory.concurrency / replicas - B) : 0;
    must_be_near(is->in_flight, B * replicas, "requests in flight");
    must_be_near(is->requests_per_s, at.requests_per_s * replicas, "requests per second");
    must_be_near(is->itl.raw(), at.itl, "time between tokens");
    must_be_near(is->ttft.raw(), at.ttft + waiting / at.requests_per_s, "time to the first token");
    must_be_near(is->e2e.raw(), at.e2e + waiting / at.requests_per_s, "time of a request");
    must(is->weights_native == !page.widened(), "widened");
    const auto parts = page.parts(B / page.pipelining(), page.in(), page.out() / 2, 1);
    const double prompts = page.prefill(flow.fresh(), 1, flow.cached()) * B;
    const bool reads = page.encodes() || prompts > parts.total() * std::max(1.0, page.out());
    must(is->bound_by == (reads ? "compute" : waiting > 0.5 ? "kv-cache" : parts.bound_by()), "bound by another");
    const auto told = std::ranges::find(trace, "inference.prefill", &TraceLine::quantity);
    must_be_near(*told->value.number, page.prefill(flow.fresh(), 1, flow.cached()) * 1e3, "one prompt");
    const bool tells = std::ranges::find(trace, "inference.itl", &TraceLine::quantity) != trace.end();
    must(tells == (is->itl.raw() > 0), "the time between tokens in the explanation");
    const auto step = std::ranges::find(trace, "inference.decode_step", &TraceLine::quantity);
    if (step != trace.end()) must_be_near(*step->value.number, parts.total() * 1e3, "a step in the explanation");
    if (work.model->is_generator() && !drafts)
      must_be_near(decode_step(work, machine, plan, B, page.in(), test::coefficients()).raw(),
                   page.step(B, page.in(), 0, 1), "a step");
  });
}

TEST_CASE("a service under a request rate is what docs/method.md says", "[property]") {
  agrees("request rate", [] {
    auto [work, plan, machine] = any_service();
    test::given(work.inference.mode != Mode::single_stream);
    work.inference.concurrency.reset();
    const double rate = any::number("rate", 0.001, 100);
    work.inference.request_rate = rate;
    const InferenceMemory memory = inference_memory(work, machine, plan, test::coefficients());
    const auto is = inference_speed(work, machine, plan, memory, test::coefficients());
    const Service page(work, plan, machine);
    const Flow flow(page);
    test::given(compute_rate(*plan.weights, machine.device).has_value());
    const double room = std::max(1.0, std::min(memory.steady_concurrency / plan.dp, memory.sequences));
    const double most = flow.at(room).requests_per_s * plan.dp;
    must(is.has_value() == (rate <= most), format("{} per second of {}", rate, most));
    if (!is) return;
    must_be_near(is->requests_per_s, rate, "requests per second");
    const double B = is->in_flight / plan.dp;
    const auto at = flow.at(B);
    // Arrivals and departures balance: from one request on half of the way at a time, to the hundredth.
    double balanced = 1;
    for (int i = 0; i < 40; ++i) {
      const double next = std::clamp(rate / plan.dp * flow.at(balanced).e2e, 1.0, room);
      if (std::abs(next - balanced) < balanced / 100) break;
      balanced = (balanced + next) / 2;
    }
    must_be_near(B, balanced, "requests in flight");
    const double u = std::min(0.99, rate / most);
    const auto percentile = [&](double q) { return at.ttft * (1 + u / (2 * (1 - u)) * -std::log(1 - q)); };
    must_be_near(is->ttft.raw(), percentile(0.5), "median of the time to the first token");
    must_be_near(is->itl.raw(), at.itl, "time between tokens");
    must_be_near(is->e2e.raw(), percentile(0.5) + at.itl * flow.steps(), "time of a request");
    const auto& p = *is->percentiles;
    must_be_near(p.ttft_p95.raw(), percentile(0.95), "TTFT p95");
    must_be_near(p.ttft_p99.raw(), percentile(0.99), "TTFT p99");
    must_be_near(p.itl_p95.raw(), at.itl * (1 + u / 2), "ITL p95");
    must_be_near(p.itl_p99.raw(), at.itl * (1 + u), "ITL p99");
    must_be_near(p.e2e_p95.raw(), percentile(0.95) + at.itl * (1 + u / 2) * flow.steps(), "E2E p95");
    must_be_near(p.e2e_p99.raw(), percentile(0.99) + at.itl * (1 + u) * flow.steps(), "E2E p99");
  });
}

TEST_CASE("no more is promised than products, caches and the host allow on a GPU that nothing else keeps waiting",
          "[property]") {
  agrees("bound", [] {
    auto [work, plan, machine] = any_service();
    if (any::coin("cached whole")) work.inference.prefix_cache_hit = 1;
    plan.tp = plan.pp = plan.dp = plan.ep = 1;
    const auto& job = work.inference;
    plan.kv = job.engine == Engine::trt_llm ? workload::KvPrecision::fp8 : workload::KvPrecision::bf16;
    const double is = most_tokens_per_s(work, machine, *plan.weights, test::coefficients());
    if (!compute_rate(*plan.weights, machine.device)) return must(is == 0, "a rate of nothing");
    const Service page(work, plan, machine);
    const Flow flow(page);
    if (page.encodes() || page.crosses_stacks() || page.m.decoder_layers || page.in_turn() || page.out() < 1)
      return must(std::isinf(is), "a bound of other work");
    const double rate = page.F() * page.eta(), T = flow.fresh(), E = page.P.experts * page.P.routed_share;
    double prompt = (2 * page.P.body * T + 2 * page.head()) / rate +
                    2 * E * T / (rate * page.c.expert_efficiency.of(page.engine())) +
                    page.of(page.c.prefill_bytes) * page.h() * page.L() * T / machine.device.bandwidth.raw();
    if (T <= 0) prompt = 0;
    const double token = 2 * (page.P.body + E + page.head()) / rate +
                         page.parts(1, page.in(), page.out() / 2, 1).caches + page.of(page.c.sequence_us) * 1e-6;
    const double busy = prompt + token * (page.out() - 1);
    if (busy <= 0) return must(std::isinf(is), "a bound of nothing to do");
    must_be_near(is, std::max(1.0, page.of(page.c.serving_efficiency)) * page.out() / busy, "bound");
  });
}

TEST_CASE("prompts and answers apart are what docs/method.md says", "[property]") {
  agrees("prompts apart", [] {
    auto [work, plan, machine] = any_service();
    test::given(work.model->is_generator() && plan.dp > 1 && work.inference.mode != Mode::single_stream);
    work.inference.concurrency.reset();
    work.inference.disaggregated_prefill = true;
    const bool at_rate = any::coin("at a rate");
    if (at_rate) work.inference.request_rate = any::number("rate", 0.001, 20);
    const InferenceMemory memory = inference_memory(work, machine, plan, test::coefficients());
    const auto is = inference_speed(work, machine, plan, memory, test::coefficients());
    test::given(compute_rate(*plan.weights, machine.device).has_value());
    const Service page(work, plan, machine);
    const Flow flow(page);
    const double room = std::max(1.0, std::min(memory.steady_concurrency / plan.dp, memory.sequences));
    const auto reads = [&](double readers) { return readers / std::max(flow.share(room), 1e-9); };
    const auto answers = [&](double readers, double B) {
      return (plan.dp - readers) * B / (flow.step(B) * std::max(1.0, page.out()));
    };
    const auto held = [&](double readers) {
      return at_rate ? room : std::max(1.0, std::min(room, memory.concurrency / (plan.dp - readers)));
    };
    double best = 0;
    for (int readers = 1; readers < plan.dp; ++readers)
      best = std::max(best, std::min(reads(readers), answers(readers, held(readers))));
    if (at_rate) must(is.has_value() == (best >= *work.inference.request_rate), "more than is served");
    if (!is) return;
    const double readers = is->prefill_replicas;
    must(readers >= 1 && readers < plan.dp, "nobody reads or nobody answers");
    const double B = is->in_flight / (plan.dp - readers);
    const double wanted = at_rate ? *work.inference.request_rate : best;
    must_be_near(is->requests_per_s, wanted, "requests per second");
    // No more in flight than keeps up, to the half request at which the search for it ends.
    const double kept_up = at_rate ? wanted : std::min(reads(readers), answers(readers, room));
    double low = 1, high = room;
    if (at_rate || answers(readers, room) > kept_up)
      while (high - low > 0.5) {
        const double middle = (low + high) / 2;
        (answers(readers, middle) < kept_up ? low : high) = middle;
      }
    must_be_near(B, at_rate ? high : std::max(1.0, std::min(high, memory.concurrency / (plan.dp - readers))),
                 "requests in flight");
    must(answers(readers, B) >= wanted * (1 - 1e-9) || B == 1, "they do not keep up");
    must(B <= 1.5 || answers(readers, B - 0.5) <= wanted * (1 + 1e-9) || B == held(readers),
         "more are in flight than need be");
    const bool far = plan.tp * plan.pp >= machine.gpus_per_node;
    const Link with = link(machine, std::min(machine.gpus_per_node, 2), far);
    const double handover = page.cache(page.in(), 0) / with.rate + with.latency;
    const double first = flow.at(B).ttft + handover + flow.step(B);
    const double itl = page.out() > 1 ? flow.step(B) : 0;
    must_be_near(is->itl.raw(), itl, "time between tokens");
    const double u = at_rate ? std::min(0.99, wanted / std::min(reads(readers), answers(readers, room))) : 0;
    const double waits = 1 + u / (2 * (1 - u)) * std::log(2);
    must_be_near(is->ttft.raw(), first * waits, "time to the first token");
    must_be_near(is->e2e.raw(), first * waits + itl * flow.steps(), "time of a request");
  });
}

}  // namespace method_serving_speed_test
