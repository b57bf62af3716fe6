// The flags of a load.
#include "answer/load/load.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::assign;
using job::kCount;
using job::kLength;

constexpr std::string_view kRequests = to_say("Requests");
constexpr job::Limits kThinkSeconds{{0, 1e7}, 1000, "s"};

#define GPUSEL_SET(...) [](LoadQuestion& q, std::string_view t) { return __VA_ARGS__; }

constexpr job::Option<LoadQuestion> kLoadOptions[] = {
    {"traffic", "", "NAME|FILE",
     to_say(
         "a log of requests, replayed as it is (CSV, JSON Lines, results of vLLM or GuideLLM; '-': standard input), or "
         "a kind of traffic: conversation, code, chat, long-chat, rag …"),
     kRequests, GPUSEL_SET(assign(t, q.traffic))},
    {"time_unit", "", "s|ms|us|ns", to_say("unit of a log's times, if its columns do not say it"), kRequests,
     GPUSEL_SET(assign(t, q.time_unit))},
    {"hash_block", "", "N", to_say("prompt tokens per entry of a log's hash_ids (default: 512)"), kRequests,
     GPUSEL_SET(assign(t, q.hash_block, kLength))},
    {"arrivals", "", "poisson|gamma:CV|even|NAME",
     to_say("how requests arrive: at random, with gaps of that coefficient of variation, evenly, or like a traffic "
            "profile"),
     kRequests, GPUSEL_SET(assign(t, q.arrivals))},
    {"users", "", "N", to_say("users, each of whom waits for an answer, thinks and asks again"), kRequests,
     GPUSEL_SET(assign(t, q.users, kCount))},
    {"think", "think-time", "S", to_say("seconds that a user thinks on average (default: 0)"), kRequests,
     GPUSEL_SET(assign(t, q.think_s, kThinkSeconds))},
    {"sessions", "", "N", to_say("like users, with prompts that grow with every turn and answer"), kRequests,
     GPUSEL_SET(assign(t, q.sessions, kCount))},
    {"turns", "", "N", to_say("of a session (default: 5)"), kRequests, GPUSEL_SET(assign(t, q.turns, kCount))},
    {"shared_prefix", "", "TOKENS", to_say("tokens that all prompts start with"), kRequests,
     GPUSEL_SET(assign(t, q.shared_prefix, kLength))},
};

#undef GPUSEL_SET

}  // namespace

std::span<const job::Option<LoadQuestion>> load_options() { return kLoadOptions; }

}  // namespace gpusel::answer
