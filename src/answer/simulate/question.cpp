// The words of the question: what is asked, how it is served, what counts as in time.

#include "answer/simulate/simulate.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::assign;
using job::kCount;
using job::kLength;
using job::kShare;
using job::Limits;
using job::Option;

constexpr std::string_view kServed = to_say("Serving");
constexpr std::string_view kRun = to_say("Run");
constexpr Limits kSeconds{{0, 1e7}, 1000, "s"};
constexpr Limits kAny{{0, 1e15}, 1000};

#define GPUSEL_SET(...) [](SimulateQuestion& q, std::string_view t) { return __VA_ARGS__; }

constexpr Option<SimulateQuestion> kSimulateOptions[] = {
    {"replicas", "", "N", to_say("number of that machine (default: 1)"), kServed,
     GPUSEL_SET(assign(t, q.replicas, kCount))},
    {"router", "", "KIND", to_say("round-robin, least-requests (default), least-tokens or prefix"), kServed,
     GPUSEL_SET(assign(t, q.router))},
    {"max_num_seqs", "max-batch-size", "N", to_say("sequences that decode together (default: the engine's)"), kServed,
     GPUSEL_SET(assign(t, q.max_num_seqs, kCount))},
    {"max_num_batched_tokens", "max-num-tokens", "N", to_say("tokens of one step (default: the engine's)"), kServed,
     GPUSEL_SET(assign(t, q.max_num_batched_tokens, kLength))},
    {"block_size", "", "N", to_say("tokens of a block of the cache (default: the engine's)"), kServed,
     GPUSEL_SET(assign(t, q.block_size, Limits{{1, 4096}, 1000}))},
    {"kv_tokens", "", "N", to_say("tokens that the cache of one replica has room for (default: as estimated)"), kServed,
     GPUSEL_SET(assign(t, q.kv_tokens, Limits{{1, 1e12}, 1000}))},
    {"num_gpu_blocks", "", "N", to_say("the same in blocks"), kServed,
     [](SimulateQuestion& q, std::string_view t) -> Status {
       job::Count blocks;
       if (Status set = assign(t, blocks, Limits{{1, 1e10}, 1000}); !set) return set;
       q.kv_blocks = blocks;
       return {};
     }},
    {"async_scheduling", "", "BOOL",
     to_say("schedule a step while the previous one runs (default: as the engine's version)"), kServed,
     GPUSEL_SET(assign(t, q.async_scheduling)), true},
    {"chunked_prefill", "", "BOOL", to_say("prompts may take several steps (default: as the engine's version)"),
     kServed, GPUSEL_SET(assign(t, q.chunked_prefill)), true},
    {"prefix_caching", "", "BOOL", to_say("prefixes stay in the cache (default: as the engine's version)"), kServed,
     GPUSEL_SET(assign(t, q.prefix_caching)), true},
    {"prefill_replicas", "", "N", to_say("replicas that only read prompts"), kServed,
     GPUSEL_SET(assign(t, q.prefill_replicas, kCount))},
    {"decode_replicas", "", "N", to_say("replicas that only generate answers"), kServed,
     GPUSEL_SET(assign(t, q.decode_replicas, kCount))},
    {"transfer_gbps", "", "GBIT", to_say("between them, Gbit/s (default: 400)"), kServed,
     GPUSEL_SET(assign(t, q.transfer_gbps, Limits{{0.01, 1e6}, 1000}))},
    {"start_delay", "", "S", to_say("seconds from a replica's start until it serves: provisioning, image, weights"),
     kServed, GPUSEL_SET(assign(t, q.start_delay_s, kSeconds))},
    {"autoscale", "", "MIN..MAX", to_say("replicas follow the requests in flight"), kServed,
     GPUSEL_SET(assign(t, q.autoscale))},
    {"reclaim_per_hour", "", "N", to_say("how often per hour each replica is reclaimed, as spot is"), kServed,
     GPUSEL_SET(assign(t, q.reclaims_per_hour, Limits{{0, 3600}, 1000}))},

    {"requests", "num-prompts", "N", to_say("requests to simulate (default: until percentiles are known to 5 %)"), kRun,
     GPUSEL_SET(assign(t, q.requests, Limits{{10, 2e7}, 1000}))},
    {"warm_up", "", "S", to_say("seconds left out at the beginning (default: a fifth of the run, nothing of a log)"),
     kRun, GPUSEL_SET(assign(t, q.warm_up_s, kSeconds))},
    {"seed", "", "N", to_say("seed of the random numbers (default: 1)"), kRun, GPUSEL_SET(assign(t, q.seed, kAny))},
    {"knee", "", "BOOL", to_say("latency by request rate, up to saturation (default: true)"), kRun,
     [](SimulateQuestion& q, std::string_view t) -> Status {
       std::optional<bool> on;
       if (Status set = assign(t, on); !set) return set;
       q.knee = *on;
       return {};
     },
     true},
};

#undef GPUSEL_SET

}  // namespace

std::span<const Option<SimulateQuestion>> simulate_options() { return kSimulateOptions; }

}  // namespace gpusel::answer
