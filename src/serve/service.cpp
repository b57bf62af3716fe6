#include "serve/service.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <span>

#include "serve/load/random.hpp"

namespace gpusel::serve {

namespace {

// SGLang's router prefers the replica that has this share of the prompt, unless one has so many requests more, and so
// many times as many, as another.
constexpr double kWorthwhilePrefix = 0.3;
constexpr double kUnbalancedBy = 64;
constexpr double kUnbalancedTimes = 1.5;

// How a Kubernetes HorizontalPodAutoscaler looks at its pods, and how long it waits before it takes one away.
constexpr double kScalingEvery = 15;
constexpr double kScaleDownAfter = 300;

/// Replicas that are reclaimed faster than they answer would never be done with what is left.
constexpr double kGivesUpAfter = 7 * 24 * 3600;

struct Event {
  enum class Kind : std::uint8_t { arrival, hand_over, up, reclaim, scaling } kind;
  double time;
  std::uint64_t order;  // of those at the same time, and of the same kind
  std::uint32_t subject;
  bool operator>(const Event& other) const {
    if (time != other.time) return time > other.time;
    if (kind != other.kind) return kind < other.kind;  // replicas first
    return order > other.order;
  }
};

class Service {
 public:
  Service(const Requests& requests, const StepTimes& times, const Scheduling& scheduling, const Fleet& fleet,
          std::uint32_t users, const Window& window, std::uint64_t seed, const Watch* watch)
      : asked_(requests),
        times_(times),
        scheduling_(scheduling),
        fleet_(fleet),
        users_(users),
        window_(window),
        watch_(users > 0 ? nullptr : watch),
        random_(seed, kFailures),
        drawn_(seed, kRouter),
        tells_(users > 0 || fleet.prompt_replicas > 0) {
    run_.served.resize(requests.all.size());
    if (users_ > 0) own_ = requests;
  }

  Run go() {
    for (std::uint32_t i = 0; i < fleet_.replicas; ++i) start(0, 0, i < fleet_.prompt_replicas);
    if (fleet_.most_replicas > 0) push(Event::Kind::scaling, 0, 0);
    if (users_ > 0)
      for (std::uint32_t user = 0; user < users_; ++user) ask_next(0);
    while (next()) {
      if (run_.ended_early) return std::move(run_);
    }
    return finish();
  }

 private:
  static constexpr std::uint64_t kFailures = 7, kRouter = 17;  // streams of random numbers

  struct Replica {
    std::unique_ptr<Engine> engine;
    std::uint32_t number = 0;
    double since = 0;   // paid for
    double until = -1;  // negative: it is there
    bool serves = false;
    bool leaves = false;    // takes no more
    bool reads = false;     // prompts, for others that answer
    double link_free = 0;   // when it has sent what it has read so far
    double bound = kNever;  // no request ends before
  };

  const Requests& requests() const { return users_ > 0 ? own_ : asked_; }

  void push(Event::Kind kind, double time, std::uint32_t subject) { events_.push({kind, time, order_++, subject}); }

  /// The next thing that happens. False: nothing does any more.
  bool next() {
    const bool more = users_ == 0 && arrival_ < asked_.all.size();
    const double arrival = more ? known(asked_.all[arrival_].arrival) : kNever;
    const double event = events_.empty() ? kNever : events_.top().time;
    const double until = std::min(arrival, event);
    if (tells_ && step_soonest(until)) return true;
    const bool comes = more || (!events_.empty() && events_.top().kind == Event::Kind::arrival);
    if (until == kNever || (!comes && until > last_received_ + kGivesUpAfter)) return false;
    if (arrival < event) {
      receive(static_cast<std::uint32_t>(arrival_++), arrival);
      return true;
    }
    const Event top = events_.top();
    events_.pop();
    if (!more && events_only_of_replicas(top) && idle(top.time)) return false;
    take(top);
    return true;
  }

  double known(double arrival) const { return arrival + scheduling_.front_end; }

  /// Where ends bring about what comes next, the replica whose end may be first goes on. False: none before `until`.
  bool step_soonest(double until) {
    Replica* first = nullptr;
    double second = kNever;
    for (Replica& replica : replicas_) {
      if (replica.until >= 0) continue;
      if (first == nullptr || replica.bound < first->bound) {
        if (first != nullptr) second = std::min(second, first->bound);
        first = &replica;
      } else {
        second = std::min(second, replica.bound);
      }
    }
    if (first == nullptr || !(first->bound < until)) return false;
    first->engine->step(std::max(first->engine->clock(), std::min(until, second)));
    settle(*first);
    return true;
  }

  /// After a replica has moved.
  void settle(Replica& replica) {
    Engine& engine = *replica.engine;
    if (tells_) engine.ended([&](std::uint32_t request, double time) { has_ended(replica, request, time); });
    replica.bound = engine.next_end();
    if (replica.leaves && !engine.has_work()) retire(replica, engine.clock());
  }

  void has_ended(Replica& replica, std::uint32_t request, double time) {
    if (reads_apart() && !handed_[request]) {
      handed_[request] = true;
      if (run_.served[request].ttft < kNever) {
        // One cache after the other: a link that is too slow for all of them has a queue of its own.
        const double tokens = requests().all[request].input;
        replica.link_free = std::max(replica.link_free, time) + fleet_.transfer_per_token * tokens;
        push(Event::Kind::hand_over, replica.link_free + fleet_.transfer_fixed, request);
        return;
      }
    }
    if (users_ == 0) return;
    const std::size_t behind = std::size_t{request} + 1;
    if (behind < asked_.all.size() && asked_.all[behind].follows == behind)
      ask(static_cast<std::uint32_t>(behind), time);
    else
      ask_next(time);
  }

  /// A user who is free takes up the next request that does not go on with another's session.
  void ask_next(double time) {
    while (arrival_ < asked_.all.size() && asked_.all[arrival_].follows != 0) ++arrival_;
    if (arrival_ < asked_.all.size()) ask(static_cast<std::uint32_t>(arrival_++), time);
  }

  void ask(std::uint32_t request, double time) {
    const double at = time + asked_.all[request].arrival;
    own_.all[request].arrival = at;
    push(Event::Kind::arrival, known(at), request);
  }

  bool reads_apart() const { return fleet_.prompt_replicas > 0; }

  void take(const Event& event) {
    switch (event.kind) {
      case Event::Kind::arrival: receive(event.subject, event.time); break;
      case Event::Kind::hand_over: route(event.subject, event.time, true); break;
      case Event::Kind::up: come_up(replicas_[event.subject], event.time); break;
      case Event::Kind::reclaim: reclaim(replicas_[event.subject], event.time); break;
      case Event::Kind::scaling: scale(event.time); break;
    }
  }

  /// A request that comes from outside.
  void receive(std::uint32_t request, double at) {
    last_received_ = at;
    count_arrival(at);
    if (watch_ != nullptr) look();
    route(request, at);
  }

  /// One that may have been elsewhere before; `answer`: its prompt has been read.
  void route(std::uint32_t request, double at, bool answer = false) {
    if (reads_apart() && handed_.empty()) handed_.resize(asked_.all.size());
    Replica* const to = choose(request, at, reads_apart() && !answer ? readers_ : servers_);
    if (to == nullptr) {
      homeless_.push_back(request);
      return;
    }
    to->engine->advance(at);
    to->engine->submit(request, at);
    if (tells_ || to->leaves)
      settle(*to);
    else
      to->bound = to->engine->clock();
  }

  /// Usage is cut where the window and its parts begin and end.
  void count_arrival(double at) {
    const std::size_t count = routed_++;
    if (count < window_.from || count > window_.until) return;
    const std::size_t length =
        std::max<std::size_t>(1, (std::min(window_.until, asked_.all.size()) - window_.from) / window_.parts);
    const std::size_t behind = count - window_.from;
    if (count != window_.until && behind % length != 0) return;
    cut(at);
  }

  void look() {
    const std::size_t until = std::min(window_.until, asked_.all.size());
    const std::size_t each = std::max<std::size_t>(1, (until - window_.from) / watch_->times);
    if (routed_ <= window_.from || (routed_ - window_.from) % each != 0) return;
    run_.ended_early = watch_->ends(run_.served, window_.from, std::min(routed_, until));
  }

  void cut(double at) {
    const bool counts = cut_;
    cut_ = true;
    run_.end = at;
    if (!counts) run_.begin = at;
    if (run_.gaps.size() == window_.parts) return;  // the window has ended
    Spread gaps;
    for (Replica& replica : replicas_) {
      if (!tells_ && replica.until < 0) replica.engine->advance(at);
      const Usage usage = replica.engine->take_usage();
      if (!counts) continue;
      gaps.add(usage.gaps);
      merge(usage);
    }
    if (counts) run_.gaps.push_back(std::move(gaps));
  }

  void catch_up(Replica& replica, double at) const {
    if (tells_ || replica.bound > at) return;
    replica.engine->advance(at);
    replica.bound = replica.engine->next_end();
  }

  /// Of two drawn at random, as the routers of Envoy and Ray Serve choose (Mitzenmacher, IEEE TPDS 12 (2001) 1094). Who
  /// looks at all of them sends a wave to the one that a wave just left: requests of one length fall into step. None:
  /// one of the two takes nothing.
  Replica* less_busy_of_two(double at, std::span<Replica* const> among) {
    const std::size_t all = among.size();
    const std::size_t first = drawn_.bits() % all;
    const std::size_t second = (first + 1 + drawn_.bits() % (all - 1)) % all;
    Replica& one = *among[first];
    Replica& other = *among[second];
    for (Replica* const replica : {&one, &other}) {
      if (!replica->serves || replica->leaves) return nullptr;
      catch_up(*replica, at);
    }
    return other.engine->outstanding(at) < one.engine->outstanding(at) ? &other : &one;
  }

  Replica* choose(std::uint32_t request, double at, std::span<Replica* const> among) {
    if (among.size() == 1 && among.front()->serves) return among.front();
    if (fleet_.router == Router::round_robin) {
      for (std::size_t i = 0; i < among.size(); ++i) {
        Replica& replica = *among[turn_++ % among.size()];
        if (replica.serves && !replica.leaves) return &replica;
      }
      return nullptr;
    }
    if (fleet_.router == Router::least_requests && among.size() > 1)
      if (Replica* const one = less_busy_of_two(at, among)) return one;
    Replica* least = nullptr;
    Replica* prefix = nullptr;
    double fewest = kNever;
    double most = 0;
    std::uint64_t found = 0;
    for (Replica* const one : among) {
      Replica& replica = *one;
      if (!replica.serves || replica.leaves) continue;
      catch_up(replica, at);
      const double load = fleet_.router == Router::least_tokens
                              ? static_cast<double>(replica.engine->outstanding_tokens())
                              : replica.engine->outstanding(at);
      most = std::max(most, load);
      if (load < fewest) {
        fewest = load;
        least = &replica;
      }
      if (fleet_.router != Router::prefix) continue;
      if (const std::uint64_t here = replica.engine->finds(request); here > found) {
        found = here;
        prefix = &replica;
      }
    }
    if (prefix == nullptr || (most > fewest + kUnbalancedBy && most > fewest * kUnbalancedTimes)) return least;
    const double share = static_cast<double>(found * scheduling_.block_tokens) / requests().all[request].input;
    return share > kWorthwhilePrefix ? prefix : least;
  }

  void start(double time, double serves_from, bool reads = false) {
    Replica replica;
    const auto number = static_cast<std::uint32_t>(replicas_.size());
    Engine::Duty duty = Engine::Duty::whole;
    if (reads_apart()) duty = reads ? Engine::Duty::prompt : Engine::Duty::answer;
    replica.reads = reads;
    replica.engine = std::make_unique<Engine>(times_, scheduling_, requests(), run_.served,
                                              static_cast<std::uint16_t>(std::min(number, 0xFFFFU)), duty);
    if (tells_) replica.engine->tell_ends();
    replica.number = number;
    replica.since = time;
    replicas_.push_back(std::move(replica));
    (reads ? readers_ : servers_).push_back(&replicas_.back());
    ++there_;
    run_.most_replicas = std::max(run_.most_replicas, static_cast<std::uint32_t>(there_));
    if (serves_from > time)
      push(Event::Kind::up, serves_from, number);
    else
      come_up(replicas_.back(), time);
  }

  void come_up(Replica& replica, double time) {
    if (replica.until >= 0) return;
    replica.serves = true;
    if (fleet_.reclaims_per_hour > 0) {
      const std::uint32_t number = replica.number;
      push(Event::Kind::reclaim, time + random_.gap() * 3600 / fleet_.reclaims_per_hour, number);
    }
    std::deque<std::uint32_t> waiting;
    waiting.swap(homeless_);
    for (const std::uint32_t request : waiting) route(request, time, reads_apart() && handed_[request]);
  }

  /// It is taken away with all it was at: that begins again elsewhere, and another comes in its place.
  void reclaim(Replica& replica, double time) {
    if (replica.until >= 0) return;
    replica.engine->advance(time);
    if (tells_) settle(replica);
    const auto lost = replica.engine->stop();
    replica.bound = kNever;
    const bool replaced = !replica.leaves;
    retire(replica, time);
    for (const std::uint32_t request : lost) {
      if (reads_apart()) handed_[request] = false;
      route(request, time);
    }
    if (replaced) start(time, time + fleet_.start_delay, replica.reads);
  }

  void retire(Replica& replica, double time) {
    replica.serves = false;
    replica.leaves = false;
    replica.until = time;
    std::erase(replica.reads ? readers_ : servers_, &replica);
    --there_;
  }

  void scale(double time) {
    double requests = static_cast<double>(homeless_.size());
    for (Replica& replica : replicas_) {
      if (replica.until >= 0) continue;
      if (replica.serves) {
        replica.engine->advance(time);
        settle(replica);
      }
      requests += replica.engine->outstanding(time);
    }
    const auto wanted =
        std::clamp(static_cast<std::uint32_t>(std::ceil(requests / std::max(1.0, fleet_.wanted_requests))),
                   std::max(fleet_.replicas, requests > 0 ? 1U : 0U), fleet_.most_replicas);
    wanted_lately_.push_back({time, wanted});
    while (wanted_lately_.front().first < time - kScaleDownAfter) wanted_lately_.pop_front();
    std::uint32_t most_lately = 0;
    for (const auto& [when, count] : wanted_lately_) most_lately = std::max(most_lately, count);
    std::uint32_t staying = 0;
    for (const Replica& replica : replicas_) staying += replica.until < 0 && !replica.leaves ? 1 : 0;
    for (; staying < wanted; ++staying) start(time, time + fleet_.start_delay);
    for (auto replica = replicas_.rbegin(); replica != replicas_.rend() && staying > most_lately; ++replica) {
      if (replica->until >= 0 || replica->leaves) continue;
      replica->leaves = true;
      --staying;
      if (!replica->engine->has_work()) retire(*replica, time);
    }
    push(Event::Kind::scaling, time + kScalingEvery, 0);
  }

  /// Whether what is left concerns replicas and no request.
  static bool events_only_of_replicas(const Event& event) {
    return event.kind == Event::Kind::reclaim || event.kind == Event::Kind::scaling;
  }
  bool idle(double time) {
    if (!homeless_.empty()) return false;
    for (Replica& replica : replicas_) {
      if (replica.until >= 0) continue;
      if (!tells_) replica.engine->advance(time);
      if (replica.engine->has_work()) return false;
    }
    return events_.empty() || events_only_of_replicas(events_.top());
  }

  Run finish() {
    for (Replica& replica : replicas_) {
      if (replica.until < 0) replica.engine->advance(kNever);
      run_.ended = std::max(run_.ended, replica.engine->clock());
    }
    if (window_.until >= asked_.all.size()) cut(run_.ended);  // what is left of it
    for (const Replica& replica : replicas_)
      run_.replica_seconds += (replica.until < 0 ? run_.ended : std::min(replica.until, run_.ended)) - replica.since;
    if (users_ > 0)
      for (const Request& request : own_.all) run_.arrivals.push_back(request.arrival);
    return std::move(run_);
  }

  void merge(const Usage& from) {
    Usage& to = run_.usage;
    to.busy += from.busy;
    to.minutes.resize(std::max(to.minutes.size(), from.minutes.size()));
    for (std::size_t i = 0; i < from.minutes.size(); ++i) to.minutes[i] += from.minutes[i];
    to.gaps.add(from.gaps);
    to.batch.add(from.batch);
    to.queue.add(from.queue);
    to.cache_peak = std::max(to.cache_peak, from.cache_peak);
    to.steps += from.steps;
    to.prompt_tokens += from.prompt_tokens;
    to.found_tokens += from.found_tokens;
    to.generated += from.generated;
  }

  const Requests& asked_;
  Requests own_;  // with the arrivals of a closed loop
  const StepTimes& times_;
  const Scheduling& scheduling_;
  const Fleet& fleet_;
  const std::uint32_t users_;
  const Window window_;
  const Watch* const watch_;
  Random random_;
  Random drawn_;  // by the router
  const bool tells_;
  std::deque<Replica> replicas_;             // all that ever were
  std::vector<Replica*> servers_, readers_;  // that are there: for requests or answers, and for prompts alone
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::size_t arrival_ = 0;
  std::size_t turn_ = 0;
  std::size_t routed_ = 0;
  double last_received_ = 0;
  bool cut_ = false;
  std::size_t there_ = 0;
  std::vector<bool> handed_;
  std::deque<std::uint32_t> homeless_;
  std::deque<std::pair<double, std::uint32_t>> wanted_lately_;
  Run run_;
};

}  // namespace

Run serve_requests(const Requests& requests, const StepTimes& times, const Scheduling& scheduling, const Fleet& fleet,
                   std::uint32_t users, const Window& window, std::uint64_t seed, const Watch* watch) {
  return Service(requests, times, scheduling, fleet, users, window, seed, watch).go();
}

}  // namespace gpusel::serve
