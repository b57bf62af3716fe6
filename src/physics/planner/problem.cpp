#include "base/words/message.hpp"
#include "physics/planner/plan.hpp"

namespace gpusel::physics {

namespace {

/// "300 ms", "1.5 s", "85 s".
std::string latency_text(double ms) {
  return ms < 1000 ? say("{:.0f} ms", ms) : ms < 10'000 ? say("{:.3g} s", ms / 1000) : say("{:.0f} s", ms / 1000);
}

}  // namespace

std::string Problem::text() const {
  switch (kind) {
    case Kind::none: return {};
    case Kind::memory: return say("needs {:.1f} GiB per GPU, has {:.1f} GiB", needed_gib, available_gib);
    case Kind::cache:
      return requests > 1 ? say("no room for {:g} requests of {:g} tokens at once: {:.1f} GiB are needed without their "
                                "caches, and the engine may use {:.1f} GiB",
                                requests, request_tokens, needed_gib, available_gib)
                          : say("no room for one request of {:g} tokens: {:.1f} GiB are needed without its cache, and "
                                "the engine may use {:.1f} GiB",
                                request_tokens, needed_gib, available_gib);
    case Kind::no_rate: return say("the arithmetic rate of '{}' is not published for this format", subject);
    case Kind::on_processor: return say("the speed of layers on the CPU is not estimated");
    case Kind::too_much_traffic:
      return most_per_s > 0 ? say("cannot serve {:g} req/s: {:.3g} at most", asked_per_s, most_per_s)
                            : say("cannot serve {:g} req/s", asked_per_s);
    case Kind::lacking: return say("{} has no {}", subject, what);
    case Kind::refused: return *refused;
    case Kind::unpublished:
      return what.empty() ? say("no rate of '{}' for this work is known", subject)
                          : say("the {} of '{}' is not published", what, subject);
    case Kind::too_late:
      return say("one batch takes {}; the limit is {}", latency_text(batch_ms), latency_text(allowed_ms));
    case Kind::latency:
      return percentile > 0 ? say("misses the latency targets: {:.0f} % of requests have {:.0f} ms to the first token "
                                  "and {:.1f} ms between tokens, or less",
                                  percentile, ttft_ms, itl_ms)
                            : say("misses the latency targets: {:.0f} ms to the first token, {:.1f} ms between tokens",
                                  ttft_ms, itl_ms);
  }
  return {};
}

}  // namespace gpusel::physics
