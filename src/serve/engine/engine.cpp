#include "serve/engine/engine.hpp"

#include <algorithm>
#include <cmath>

namespace gpusel::serve {

Engine::Engine(const StepTimes& times, const Scheduling& scheduling, const Requests& requests,
               std::vector<Served>& served, std::uint16_t number, Duty duty)
    : times_(times),
      scheduling_(scheduling),
      requests_(requests),
      served_(served),
      number_(number),
      duty_(duty),
      phases_(scheduling.block_tokens),
      pool_(scheduling.kv_tokens / scheduling.block_tokens, scheduling.block_tokens,
            scheduling.prefix_caching && requests.shares()) {}

void Engine::submit(std::uint32_t request, double at) {
  if (!has_work()) clock_ = std::max(clock_, at);
  const Request& r = requests_.all[request];
  served_[request].replica = number_;
  const std::uint64_t length = std::uint64_t{r.input} + r.output;
  const bool too_long = scheduling_.longest > 0 && length > scheduling_.longest;
  if (too_long || pool_.blocks_of(length) > pool_.total()) {  // can never be served
    if (tells_) ended_.push_back({request, at});
    return;
  }
  waiting_.push_back({request, 0, -1});
  ++out_;
  tokens_out_ += r.input + r.output;
}

void Engine::step(double until) {
  just_ended_ = 0;
  read_.clear();
  const bool together = scheduling_.order == Scheduling::Order::mixed;
  Pass pass;
  std::int64_t budget = scheduling_.batched_tokens;  // of all batches of a pipeline
  budget *= static_cast<std::int64_t>(times_.stages);
  bool admits = true;
  if (together) {
    admits = make_room();
    taken_ahead_ = blocks_to_grow(ticks_in(1));  // before prompts take the rest
    pool_.take(taken_ahead_);
    pass.sequences = sequences_;
    pass.cached = static_cast<double>(cached_);
    budget -= static_cast<std::int64_t>(sequences_ * times_.rows_per_sequence);
  }
  if (reading_ != kNone) admits = add_chunk(reading_, pass, budget) && admits;
  if (admits) admit(pass, budget);
  if (pass.prompt_tokens > 0) {
    // Those that came fill one batch before the next. Where more wait, each batch takes as many as end in it.
    const double rows = together ? pass.sequences / times_.stages * times_.rows_per_sequence : 0;
    const double room = static_cast<double>(scheduling_.batched_tokens) - rows;
    pass.fullest = std::clamp(waiting_.empty() ? room / pass.prompt_tokens : 0, 1 / times_.stages, 1.0);
    return mixed_step(pass);
  }
  if (!together && sequences_ > 0) make_room();
  if (sequences_ > 0) return decode_run(until);
  // Nothing runs, and still the first does not fit: it never will.
  --out_;
  const std::uint32_t request = waiting_.front().request;
  tokens_out_ -= requests_.all[request].input + requests_.all[request].output;
  waiting_.pop_front();
  if (tells_) ended_.push_back({request, clock_});
}

/// Requests that wait, in their order, as far as tokens, sequences and cache go.
void Engine::admit(Pass& pass, std::int64_t& budget) {
  while (!waiting_.empty() && running_ < scheduling_.max_sequences && budget > 0 && reading_ == kNone) {
    const Waiting& next = waiting_.front();
    const Request& r = requests_.all[next.request];
    const std::uint32_t block = scheduling_.block_tokens;
    const std::uint32_t to_read = std::max(1U, r.input + next.done);
    const Pool::Found found = pool_.find(requests_, r);
    // What the cache has whatever it is, or another replica has sent, takes room here like any other.
    std::uint64_t has = found.blocks * block;
    if (scheduling_.cached_share > 0)
      has = std::max(has, static_cast<std::uint64_t>(scheduling_.cached_share * r.input) / block * block);
    if (duty_ == Duty::answer && next.done == 0) has = to_read;
    has = std::min<std::uint64_t>(has, std::max(to_read, 1U) - 1);
    const auto left = static_cast<std::int64_t>(to_read - has);
    if (left > budget && !scheduling_.chunked_prefill && pass.prompt_tokens > 0) return;
    const std::int64_t part = scheduling_.chunked_prefill ? std::min(left, budget) : left;
    // An engine that keeps room for answers keeps it for the rest of a prompt.
    const bool keeps = scheduling_.reserved_answer > 0;
    const std::uint64_t read = has + static_cast<std::uint64_t>(keeps ? left : part);
    const std::uint64_t blocks = pool_.blocks_of(read) - found.blocks;
    // Each answer may begin a block that it does not fill.
    const double reserved =
        scheduling_.reserved_answer * (static_cast<double>(to_come_ + (r.output - next.done)) / block + running_ + 1);
    if (static_cast<double>(pool_.free()) < static_cast<double>(blocks + found.idle) + reserved) {
      // An answer that is reserved whole must not keep a lone request out.
      if (running_ > 0 || pool_.free() < blocks + found.idle) return;
    }
    const std::uint32_t index = new_active(next);
    Active& active = active_[index];
    active.computed = static_cast<std::uint32_t>(has);
    active.to_read = to_read;
    pool_.hold(requests_, r, active.held);
    Served& served = served_[next.request];
    if (next.done == 0 && next.last_token < 0 && served.preempted == 0) {
      served.queued = static_cast<float>(clock_ - r.arrival);
      served.cached = duty_ == Duty::answer ? served.cached : static_cast<std::uint32_t>(has);
    }
    usage_.found_tokens += has;
    to_come_ += r.output - next.done;
    // The blocks of what was found whatever it is are taken with the first part.
    if (has > found.blocks * block) pool_.take(active.held, pool_.blocks_of(has) - found.blocks);
    waiting_.pop_front();
    if (!add_chunk(index, pass, budget)) return;
  }
}

/// As much of a prompt as the step still takes. False: the cache has no room, and it has been sent back to wait.
bool Engine::add_chunk(std::uint32_t index, Pass& pass, std::int64_t& budget) {
  Active& active = active_[index];
  const auto left = static_cast<std::int64_t>(active.to_read - active.computed);
  const std::int64_t part = scheduling_.chunked_prefill ? std::min(left, std::max<std::int64_t>(budget, 0)) : left;
  if (part == 0) {
    reading_ = index;
    return true;
  }
  const std::uint64_t until = active.computed + static_cast<std::uint64_t>(part);
  const std::uint64_t wanted = pool_.blocks_of(until) - pool_.blocks_of(active.computed);
  if (pool_.free() < wanted) {
    preempt(index);
    return false;
  }
  pool_.take(active.held, wanted);
  pass.prompt_tokens += static_cast<double>(part);
  pass.prompt_attention += times_.prompt(static_cast<double>(until)) - times_.prompt(active.computed);
  pass.prompts += 1;
  usage_.prompt_tokens += static_cast<std::uint64_t>(part);
  active.computed = static_cast<std::uint32_t>(until);
  pool_.computed(active.held, until);
  budget -= part;
  if (part == left) {
    read_.push_back(index);
    if (reading_ == index) reading_ = kNone;
  } else {
    reading_ = index;
  }
  return true;
}

/// A step's room for the sequences that decode: those admitted last are sent back to wait. True: none was.
bool Engine::make_room() {
  bool none = true;
  while (sequences_ > 0 && pool_.free() < blocks_to_grow(ticks_in(1))) {
    preempt(last_);
    none = false;
  }
  return none;
}

void Engine::mixed_step(const Pass& pass) {
  const double duration = times_.of(pass);
  const bool decodes = pass.sequences > 0;
  const std::uint64_t ticks = decodes ? ticks_in(1) : 0;
  if (decodes) {
    count_gaps(duration, duration, duration, 1, ticks);
    decoded(1, ticks);
  }
  account(duration);
  // The step that was scheduled ahead had none of these prompts.
  const double ahead = late_first_.empty() && late_last_.empty()
                           ? duration
                           : times_.of({.sequences = std::max(1.0, pass.sequences), .cached = pass.cached});
  const double known = clock_ + std::min(ahead, duration);
  clock_ += duration;
  settle_late(known);
  if (decodes) finish_ends();
  for (const std::uint32_t index : read_) prompt_read(index, clock_);
  settle_when_idle();
}

/// Steps that only decode, until one of the sequences ends, the cache is full or `until` is there.
void Engine::decode_run(double until) {
  std::uint64_t most = steps_until_end();
  if (tells_ && !late_last_.empty()) most = 1;                                 // their ends are known after one
  const double each = std::max(1.0, sequences_ * times_.tokens_per_sequence);  // tokens of a step
  const std::uint64_t room = pool_.free() + taken_ahead_;
  most = std::min(
      most, static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(room) * scheduling_.block_tokens / each)));
  while (most > 1 && blocks_to_grow(ticks_in(most)) > room) most -= std::max<std::uint64_t>(1, most / 16);
  const StepTimes::Run run = times_.run(sequences_, static_cast<double>(cached_), most, until - clock_);
  const std::uint64_t ticks = ticks_in(run.steps);
  const double second = run.steps > 1 ? run.first + (run.last - run.first) / static_cast<double>(run.steps - 1) : 0;
  count_gaps(run.first, second, run.last, run.steps, ticks);
  decoded(run.steps, ticks);
  account(run.seconds);
  settle_late(clock_ + run.first);
  clock_ += run.seconds;
  groups_.front().last = clock_;
  finish_ends();
  settle_when_idle();
}

/// Each sequence has so many tokens more.
void Engine::decoded(std::uint64_t steps, std::uint64_t ticks) {
  const auto sequences = static_cast<std::uint64_t>(sequences_);
  pool_.take(blocks_to_grow(ticks) - taken_ahead_);
  taken_ahead_ = 0;
  cached_ += sequences * ticks;
  to_come_ -= std::min(to_come_, sequences * ticks);
  usage_.generated += sequences * ticks;
  usage_.steps += steps - 1;
  steps_ += steps;
  ticks_ += ticks;
}

void Engine::count_gaps(double first, double second, double last, std::uint64_t steps, std::uint64_t ticks) {
  const double each = static_cast<double>(ticks) / static_cast<double>(steps);  // tokens of a step
  if (each > 0) {
    if (scheduling_.keeps_spreads)
      for (const Group& group : groups_)
        usage_.gaps.add(std::max(0.0, clock_ + first - group.last) / each, group.count * each);
    if (!groups_.empty()) {
      const double gap = (clock_ + first - groups_.front().last) / each;
      count_slow(gap, gap, each);
    }
    if (steps > 1) {
      const double gaps = each * static_cast<double>(steps - 1);
      if (scheduling_.keeps_spreads) usage_.gaps.add(second / each, last / each, sequences_ * gaps);
      count_slow(second / each, last / each, gaps);
    }
  }
  groups_.clear();
  groups_.push_back({sequences_, clock_ + first});
}

/// So many gaps, from the first length to the last.
void Engine::count_slow(double first, double last, double gaps) {
  const double limit = scheduling_.slow_gap;
  if (first > limit && last > limit)
    slow_ += gaps;
  else if (first > limit || last > limit)
    slow_ += gaps * (std::max(first, last) - limit) / std::abs(last - first);
}

void Engine::finish_ends() {
  while (!ends_.empty() && ends_.top().ticks <= ticks_) {
    const End top = ends_.top();
    ends_.pop();
    const Active& active = active_[top.active];
    if (active.decodes && active.ends == top.ticks) end(top.active, clock_);
  }
}

std::uint64_t Engine::steps_until_end() {
  while (!ends_.empty()) {
    const End& top = ends_.top();
    const Active& active = active_[top.active];
    if (active.decodes && active.ends == top.ticks) break;
    ends_.pop();  // of one that was preempted since
  }
  const std::uint64_t ticks = ends_.empty() ? 1 : std::max(ends_.top().ticks, ticks_ + 1);
  if (times_.tokens_per_sequence == 1) return ticks - ticks_;
  auto steps = static_cast<std::uint64_t>(std::ceil(static_cast<double>(ticks) / times_.tokens_per_sequence));
  steps = std::max(steps, steps_ + 1) - steps_;
  while (ticks_ + ticks_in(steps) < ticks) ++steps;
  return steps;
}

/// A token that a preemption has delayed.
void Engine::late_token(const Active& active, double time) {
  usage_.gaps.add(time - active.last_token, 1);
  if (time - active.last_token > scheduling_.slow_gap) ++served_[active.request].slow;
}

/// A prompt is read, or what a preemption had lost of it: a token more is there.
void Engine::prompt_read(std::uint32_t index, double time) {
  Active& active = active_[index];
  const Request& r = requests_.all[active.request];
  const bool first = active.done == 0;
  ++usage_.generated;
  to_come_ -= std::min<std::uint64_t>(to_come_, 1);
  if (first)
    scheduling_.async&& duty_ != Duty::prompt ? late_first_.push_back(active.request)
                                              : first_token(active.request, time);
  else
    late_token(active, time);
  if (duty_ == Duty::prompt || active.done + 1 >= r.output) {
    end(index, time);
    return;
  }
  active.decodes = true;
  active.offset = static_cast<std::int64_t>(active.to_read) - static_cast<std::int64_t>(ticks_);
  active.ends = ticks_ + (r.output - active.done - 1);
  ends_.push({active.ends, index});
  const auto block = static_cast<std::int64_t>(scheduling_.block_tokens);
  ++phases_[static_cast<std::size_t>(((active.offset % block) + block) % block)];
  cached_ += active.to_read;
  sequences_ += 1;
  active.last_token = time;
  active.slow_before = slow_;
  if (!groups_.empty() && groups_.back().last == time)
    groups_.back().count += 1;
  else
    groups_.push_back({1, time});
}

void Engine::end(std::uint32_t index, double time) {
  const std::uint32_t request = active_[index].request;
  release(index);
  remove(index);
  if (scheduling_.async && duty_ != Duty::prompt)
    late_last_.push_back(request);
  else
    last_token(request, time);
}

/// Gives back its cache and its place among those that decode.
void Engine::release(std::uint32_t index) {
  Active& active = active_[index];
  std::uint64_t tokens = active.computed;
  if (active.decodes) {
    tokens = static_cast<std::uint64_t>(active.offset + static_cast<std::int64_t>(ticks_));
    pool_.give(active.held, pool_.blocks_of(tokens) - pool_.blocks_of(active.to_read));
    const auto block = static_cast<std::int64_t>(scheduling_.block_tokens);
    --phases_[static_cast<std::size_t>(((active.offset % block) + block) % block)];
    cached_ -= tokens;
    sequences_ -= 1;
    active.decodes = false;
    served_[active.request].slow += static_cast<std::uint32_t>(std::lround(slow_ - active.slow_before));
    // It gave its last token with the others, or has given none since it began.
    const auto own = std::ranges::find(groups_, active.last_token, &Group::last);
    Group& group = own != groups_.end() ? *own : groups_.front();
    active.last_token = group.last;
    group.count -= 1;
    std::erase_if(groups_, [](const Group& g) { return g.count <= 0; });
  }
  pool_.release(active.held, tokens);
}

void Engine::preempt(std::uint32_t index) {
  Active& active = active_[index];
  const std::uint32_t left = remaining(active);
  const std::uint32_t output = requests_.all[active.request].output;
  ++served_[active.request].preempted;
  to_come_ -= std::min<std::uint64_t>(to_come_, left);
  if (reading_ == index) reading_ = kNone;
  release(index);
  waiting_.push_front({active.request, output - left, active.last_token});
  remove(index);
}

/// Answer tokens that it has not given.
std::uint32_t Engine::remaining(const Active& active) const {
  if (active.decodes) return active.ends > ticks_ ? static_cast<std::uint32_t>(active.ends - ticks_) : 0;
  return requests_.all[active.request].output - active.done;
}

void Engine::settle_late(double time) {
  for (const std::uint32_t request : late_first_) first_token(request, time);
  for (const std::uint32_t request : late_last_) last_token(request, time);
  late_first_.clear();
  late_last_.clear();
}

/// Without another step the last one is waited for, as long as such a step would take.
void Engine::settle_when_idle() {
  if (has_work() || (late_first_.empty() && late_last_.empty())) return;
  const std::uint32_t request = late_last_.empty() ? late_first_.back() : late_last_.back();
  const Request& r = requests_.all[request];
  settle_late(clock_ + times_.of({1, static_cast<double>(r.input) + r.output, 0, 0, 0}));
}

void Engine::first_token(std::uint32_t request, double time) {
  served_[request].ttft = static_cast<float>(time - requests_.all[request].arrival);
}

void Engine::last_token(std::uint32_t request, double time) {
  const Request& r = requests_.all[request];
  if (duty_ != Duty::prompt) served_[request].e2e = static_cast<float>(time - r.arrival);
  --out_;
  ++just_ended_;
  tokens_out_ -= r.input + r.output;
  if (tells_) ended_.push_back({request, std::max(time, clock_)});
}

double Engine::next_end() {
  if (!has_work()) return ended_.empty() ? kNever : clock_;
  const bool admits = !waiting_.empty() && running_ < scheduling_.max_sequences;
  if (admits || reading_ != kNone || !late_last_.empty() || sequences_ == 0) return clock_;
  return clock_ + times_.run(sequences_, static_cast<double>(cached_), steps_until_end(), kNever).seconds;
}

std::vector<std::uint32_t> Engine::stop() {
  settle_late(clock_);
  std::vector<std::uint32_t> out;
  for (std::uint32_t index = first_; index != kNone; index = active_[index].behind)
    out.push_back(active_[index].request);
  for (const Waiting& waiting : waiting_) out.push_back(waiting.request);
  while (first_ != kNone) {
    release(first_);
    remove(first_);
  }
  waiting_.clear();
  reading_ = kNone;
  to_come_ = 0;
  out_ = 0;
  tokens_out_ = 0;
  return out;
}

void Engine::account(double duration) {
  Usage& u = usage_;
  ++u.steps;
  u.busy += duration;
  if (scheduling_.keeps_spreads) {
    u.batch.add(running_, duration);
    u.queue.add(static_cast<double>(waiting_.size()), duration);
  }
  u.cache_peak = std::max(
      u.cache_peak, static_cast<double>(pool_.used()) / static_cast<double>(std::max<std::uint64_t>(1, pool_.total())));
  constexpr double kMinute = 60;
  double from = clock_;
  const double until = clock_ + duration;
  auto minute = static_cast<std::size_t>(from / kMinute);
  while (from < until) {
    const double edge = std::min(until, static_cast<double>(minute + 1) * kMinute);
    if (minute >= u.minutes.size()) u.minutes.resize(minute + 1);
    u.minutes[minute] += static_cast<float>(edge - from);
    from = edge;
    ++minute;
  }
}

/// A sequence needs a block more when it fills those that it has.
std::uint64_t Engine::blocks_to_grow(std::uint64_t ticks) const {
  const std::uint64_t block = scheduling_.block_tokens;
  std::uint64_t blocks = ticks / block * static_cast<std::uint64_t>(sequences_);
  for (std::uint64_t i = 0; i < ticks % block; ++i) blocks += phases_[(block - (ticks_ + i) % block) % block];
  return blocks;
}

std::uint64_t Engine::ticks_in(std::uint64_t steps) const {
  if (times_.tokens_per_sequence == 1) return steps;
  return static_cast<std::uint64_t>(static_cast<double>(steps_ + steps) * times_.tokens_per_sequence) - ticks_;
}

std::uint32_t Engine::new_active(const Waiting& from) {
  if (spare_.empty()) {
    spare_.push_back(static_cast<std::uint32_t>(active_.size()));
    active_.emplace_back();
  }
  const std::uint32_t index = spare_.back();
  spare_.pop_back();
  Active& active = active_[index];
  active.request = from.request;
  active.done = from.done;
  active.last_token = from.last_token;
  active.decodes = false;
  active.before = last_;
  active.behind = kNone;
  (last_ != kNone ? active_[last_].behind : first_) = index;
  last_ = index;
  ++running_;
  return index;
}

void Engine::remove(std::uint32_t index) {
  const Active& active = active_[index];
  (active.before != kNone ? active_[active.before].behind : first_) = active.behind;
  (active.behind != kNone ? active_[active.behind].before : last_) = active.before;
  spare_.push_back(index);
  --running_;
}

}  // namespace gpusel::serve
