// The fleet that closed forms propose, tried: the same requests go through the machines, which grow until as many are
// in time as was asked for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "answer/fleet/fleet_parts.hpp"
#include "answer/simulate/parts.hpp"
#include "base/text/text.hpp"
#include "base/values/normal.hpp"
#include "base/words/message.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

namespace {

constexpr std::size_t kLeastDrawn = 6000;  // requests, where none are replayed
constexpr std::size_t kReplayed = 40000;   // of a longer log, its busiest
constexpr double kDrawnSeconds = 120;      // of them, at least
constexpr double kMostOfHour = 2e4;        // requests, for one hour of a day
constexpr double kMostDrawn = 4e4;         // requests
constexpr int kMostSteps = 60;
constexpr double kGrowth = 0.25;  // of a type's machines that are added at once
constexpr double kByFar = 0.2;    // of the requests, too few in time: twice as many are added
/// Twice as many machines have to bring so much more of the requests in time: else they are too slow, not too few.
constexpr double kHelps = 0.002;

/// The requests as the fleet gets them at its busiest.
/// `of_hour`: at the rate of an hour, whatever the times of a log are.
Result<AskedLoad> load_of(const FleetContext& context, const Fleet& fleet, bool of_hour) {
  const FleetQuestion& asked = context.question;
  job::Request request = asked.request;
  const bool own_times = !of_hour && fleet.traffic.requests > 0 && fleet.traffic.requests_per_s &&
                         !asked.request.request_rate && (asked.daily.empty() || asked.daily == "trace");
  request.request_rate = own_times ? std::nullopt : std::optional(fleet.rate * fleet.peak);
  return asked_load({.traffic = asked.traffic,
                     .time_unit = asked.time_unit,
                     .hash_block = {},
                     .arrivals = {},
                     .users = {},
                     .sessions = {},
                     .turns = {},
                     .think_s = {},
                     .shared_prefix = {}},
                    request, 1, context.catalog);
}

/// Sends requests to members by the length of their prompts.
class Router {
 public:
  explicit Router(const Fleet& fleet) : buckets_(fleet.traffic.buckets), members_(fleet.mix.members) {
    sent_.assign(buckets_.size(), std::vector<double>(members_.size()));
  }

  /// The member furthest behind its share of that length.
  std::size_t take(double input) {
    const auto at = std::ranges::lower_bound(buckets_, input, {}, &job::Bucket::input_up_to);
    const auto b = static_cast<std::size_t>(std::min(at, std::prev(buckets_.end())) - buckets_.begin());
    std::size_t best = 0;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      sent_[b][m] += members_[m].share[b];
      if (sent_[b][m] > sent_[b][best]) best = m;
    }
    sent_[b][best] -= 1;
    return best;
  }

 private:
  std::span<const job::Bucket> buckets_;  // by prompt, ascending
  std::span<const FleetMember> members_;
  std::vector<std::vector<double>> sent_;  // by bucket and member, over what was its share
};

/// The machines of one type and the requests that go to them.
struct Part {
  FleetMember* member = nullptr;
  serve::Setup setup;
  serve::Doubt doubt;
  std::vector<double> kept_up;  // requests per second of each bucket, by one of them
  std::shared_ptr<job::Requests> requests = std::make_shared<job::Requests>();
  serve::Outcome slow;     // with the confidence that is asked for
  double replicas = 1;     // that work
  double enough = 0;       // replicas that are as busy as all of them; 0: all are simulated
  double drawn_share = 1;  // of the rate, that the requests came at

  /// Of the replicas and of the rate, that is simulated.
  double share() const { return enough > 0 ? std::min(1.0, enough / replicas) : 1; }

  serve::Demand demand() const {
    serve::Demand out;
    out.log = requests;
    const double span = requests->all.empty() ? 0 : requests->all.back().arrival;
    out.log_rate = span > 0 ? static_cast<double>(requests->all.size()) / span : 1;
    out.rate = share() / drawn_share * out.log_rate;
    return out;
  }
  double late() const { return (1 - slow.in_time.all) * static_cast<double>(requests->all.size()); }
};

/// Fewer machines than closed forms wanted cost less than what was proven of these.
void lower_bound_to_cost(FleetMix& mix) {
  mix.solved = std::min(mix.solved, mix.hourly);
  mix.bound = std::min(mix.bound, mix.hourly);
}

struct ReplayBounds {
  double most_hourly = std::numeric_limits<double>::infinity();  // beyond it another fleet is taken
  bool of_hour = false;                                          // of a day: at its rate, with fewer requests
};

class Replay {
 public:
  Replay(const FleetContext& context, Fleet& fleet, ReplayBounds bounds = {})
      : context_(context),
        fleet_(fleet),
        bounds_(bounds),
        spare_(static_cast<double>(fleet.work.inference.redundancy)) {}

  void run() {
    auto load = load_of(context_, fleet_, bounds_.of_hour);
    if (!load) return fleet_.notes.push_back(say("not replayed: {}", load.error().message));
    goal_ = goal_of(fleet_.work);
    if (!goal_.targets.any()) goal_.targets.ttft = longest_wait(fleet_.work.inference);
    if (!set_parts()) return;
    share_out(std::move(load->demand));
    for (Part& part : parts_) try_slow(part);
    grow();
    if (share() < goal_.share && std::isfinite(bounds_.most_hourly)) return;
    shrink();
    tell();
  }

 private:
  bool set_parts() {
    for (FleetMember& member : fleet_.mix.members) {
      const PlannedMachine& planned = *fleet_.types[member.type].planned;
      if (!planned.plan.serving) return false;
      auto setup = serve::setup_of(fleet_.work, planned.machine, planned.plan.layout, planned.plan.serving->room,
                                   context_.coefficients);
      if (!setup) return false;
      Part part{.member = &member, .setup = std::move(*setup), .doubt = {}, .kept_up = {}, .slow = {}};
      part.setup.scheduling.longest = static_cast<std::uint32_t>(fleet_.work.model->max_context.value_or(0));
      part.kept_up = kept_up(context_, fleet_.work, fleet_.types[member.type], fleet_.traffic.buckets);
      part.doubt = doubt_of(fleet_.work, planned.machine, planned.plan, context_.coefficients);
      parts_.push_back(std::move(part));
    }
    return !parts_.empty();
  }

  void share_out(serve::Demand demand) {
    demand = serve::busiest(std::move(demand), kReplayed);
    double rate = 0;  // that is simulated
    // Several types would each have a time scale of their own, which bursts and busy minutes do not survive.
    const bool even = demand.process.gap_cv <= 1 && demand.process.minute_cv <= 0;
    const bool divides = demand.divides() && (even || parts_.size() == 1);
    for (Part& part : parts_) {
      part.enough = divides ? demand.enough_replicas() : 0;
      set_replicas(part);
      rate += part.share() * part.member->requests_per_s;
    }
    const double seconds = std::max(kDrawnSeconds, 60 * demand.enough_minutes());
    const auto drawn = std::max(
        kLeastDrawn, static_cast<std::size_t>(std::min(seconds * rate, bounds_.of_hour ? kMostOfHour : kMostDrawn)));
    replayed_ = drawn;
    if (parts_.size() == 1 && !demand.replays()) {
      of_one_ = std::move(demand);
      return set_replicas(parts_.front());
    }
    const job::Requests all = serve::draw(demand, demand.replays() ? kReplayed : drawn, demand.rate, kSeed);
    Router router(fleet_);
    for (const Part& part : parts_) part.requests->runs = all.runs;
    for (const job::LoggedRequest& request : all.all) {
      const Part& part = parts_[parts_.size() == 1 ? 0 : router.take(request.input)];
      part.requests->all.push_back(request);
      if (parts_.size() > 1) part.requests->all.back().follows = 0;  // what it follows may be elsewhere
    }
    replayed_ = all.all.size();
  }

  void set_replicas(Part& part) {
    const double working = std::max(1.0, part.member->instances - spare_);
    part.replicas = working * fleet_.types[part.member->type].planned->plan.layout.dp;
    part.setup.fleet.replicas = static_cast<std::uint32_t>(std::max(1.0, std::round(part.share() * part.replicas)));
    // Of a burst a smaller part gets less: stretched in time, it would all be the part's.
    if (!of_one_ || (part.share() == part.drawn_share && !part.requests->all.empty())) return;
    part.drawn_share = part.share();
    const serve::Demand demand = of_one_->part(part.drawn_share);
    *part.requests = serve::draw(demand, replayed_, demand.rate, kSeed);
  }

  void try_slow(Part& part) {
    set_replicas(part);
    part.slow = serve::trial(part.setup, part.demand(), goal_, part.doubt,
                             {normal_quantile(goal_.confidence), part.requests->all.size(), kSeed});
  }

  double share() const {
    double late = 0;
    for (const Part& part : parts_) late += part.late();
    return replayed_ > 0 ? 1 - late / static_cast<double>(replayed_) : 1;
  }

  bool may_grow(const Part& part, double more) const {
    const FleetType& type = fleet_.types[part.member->type];
    const auto limit = context_.limit_of(*type.steady().instance);
    if (limit && part.member->instances + more > *limit) return false;
    double all = more;
    for (const FleetMember& member : fleet_.mix.members) all += member.instances;
    const auto& most = context_.question.constraints.max_nodes;
    return !most || all <= static_cast<double>(*most);
  }

  /// Of one machine; those of an hour are paid as they run.
  double hourly_of(const FleetMember& member) const {
    const FleetType& type = fleet_.types[member.type];
    return (bounds_.of_hour ? *type.elastic : type.steady()).cost.hourly;
  }

  /// How many more of them fit under the most that the fleet may cost.
  double affordable(const Part& part) const {
    const double each = hourly_of(*part.member);
    return std::floor((bounds_.most_hourly * (1 + 1e-9) - fleet_.mix.hourly) / each);
  }

  void resize(Part& part, double by) {
    FleetMember& member = *part.member;
    const double each = hourly_of(member);
    member.instances += by;
    member.load = instances_busy(fleet_, member, fleet_.rate * fleet_.peak) / std::max(1.0, member.instances - spare_);
    member.hourly += by * each;
    fleet_.mix.hourly += by * each;
    added_ += by;
  }

  void change(Part& part, double by) {
    resize(part, by);
    try_slow(part);
  }

  /// Where the most are late, until enough are in time or more machines hardly help.
  void grow() {
    double share_before = 0;
    double machines_before = 0;
    for (int step = 0; share() < goal_.share && step < kMostSteps; ++step) {
      double machines = 0;
      for (const Part& part : parts_) machines += part.member->instances;
      if (machines >= 2 * machines_before) {
        if (machines_before > 0 && share() - share_before < kHelps) return;
        share_before = share();
        machines_before = machines;
      }
      Part& part = *std::ranges::max_element(parts_, {}, &Part::late);
      const double growth = share() < goal_.share - kByFar ? 2 * kGrowth : kGrowth;
      double more = std::max(1.0, std::floor(growth * part.member->instances));
      more = std::min(more, affordable(part));
      if (more >= 1 && !may_grow(part, more)) more = 1;
      if (more < 1 || !may_grow(part, more)) return;
      change(part, more);
    }
  }

  /// Not below what keeps up with the traffic, however long it waits.
  bool may_shrink(const Part& part, double by) const {
    const FleetMember& member = *part.member;
    const double least = instances_for(fleet_, member, fleet_.rate * fleet_.peak, part.kept_up);
    return member.instances - spare_ - by >= std::max({1.0, member.committed, least - 1e-9});
  }

  /// Takes so many off, if enough requests stay in time.
  bool keeps_without(Part& part, double machines) {
    if (!may_shrink(part, machines)) return false;
    const serve::Outcome before = part.slow;
    change(part, -machines);
    if (share() >= goal_.share) return true;
    resize(part, machines);
    set_replicas(part);
    part.slow = before;
    return false;
  }

  /// Takes machines off that are not needed, most expensive first: a quarter of them, and half as many where that is
  /// too many.
  void shrink() {
    std::vector<Part*> order;
    for (Part& part : parts_) order.push_back(&part);
    std::ranges::stable_sort(order, std::greater{}, [&](const Part* part) { return hourly_of(*part->member); });
    for (Part* part : order) {
      if (share() < goal_.share) break;
      for (double step = std::max(1.0, std::floor(kGrowth * part->member->instances)); step >= 1;)
        if (!keeps_without(*part, step)) step = std::floor(step / 2);
    }
    lower_bound_to_cost(fleet_.mix);
  }

  void tell() {
    FleetReplay out;
    out.requests = replayed_;
    out.added = added_;
    out.share_sure = share();
    std::vector<double> ttft, tpot;
    double busy = 0, replicas = 0, in_time = 0;
    for (Part& part : parts_) {
      std::vector<serve::Served> served;
      const auto outcome =
          serve::trial(part.setup, part.demand(), goal_, part.doubt, {0, part.requests->all.size(), kSeed}, &served);
      in_time += outcome.in_time.all * static_cast<double>(served.size());
      busy += outcome.utilization * part.replicas;
      replicas += part.replicas;
      for (std::size_t i = 0; i < served.size(); ++i) {
        ttft.push_back(served[i].ttft);
        const std::uint32_t output = part.requests->all[i].output;
        if (output > 1) tpot.push_back(served[i].tpot(output));
      }
    }
    out.share_in_time = replayed_ > 0 ? in_time / static_cast<double>(replayed_) : 1;
    out.ttft_p95 = p95(ttft);
    out.tpot_p95 = p95(tpot);
    out.utilization = replicas > 0 ? busy / replicas : 0;
    out.kept = out.share_sure >= goal_.share;
    if (!out.kept)
      fleet_.notes.push_back(
          say("only {:.0f} % of requests are on time in the replay, {:.0f} % required: more of these machines do not "
              "help, or a limit excludes them",
              100 * out.share_in_time, 100 * goal_.share));
    fleet_.replay = std::move(out);
  }

  static Seconds p95(std::vector<double>& values) {
    if (values.empty()) return {};
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, at);
    return seconds(*at);
  }

  static constexpr std::uint64_t kSeed = 1;
  const FleetContext& context_;
  Fleet& fleet_;
  ReplayBounds bounds_;
  double spare_;
  serve::Goal goal_;
  std::vector<Part> parts_;
  std::optional<serve::Demand> of_one_;  // of which one type's requests are drawn
  std::size_t replayed_ = 0;
  double added_ = 0;
};

}  // namespace

namespace {

constexpr std::size_t kMostSingles = 6;  // types that are tried alone
constexpr double kMostOverMix = 2;       // times the price of the mix, for one type alone

/// Types that alone would serve all, on the fewest instances that keep up with the traffic: the cheapest first.
std::vector<FleetMember> singles_of(const FleetContext& context, const Fleet& fleet) {
  std::vector<FleetMember> out;
  const auto spare = static_cast<double>(fleet.work.inference.redundancy);
  for (std::size_t g = 0; g < fleet.types.size(); ++g) {
    const FleetType& type = fleet.types[g];
    FleetMember member;
    member.type = g;
    member.requests_per_s = fleet.rate * fleet.peak;
    member.share.assign(type.carried.size(), 1);
    const auto each = kept_up(context, fleet.work, type, fleet.traffic.buckets);
    const double working = std::max(1.0, std::ceil(instances_for(fleet, member, member.requests_per_s, each) - 1e-9));
    if (!std::isfinite(working)) continue;
    member.instances = working + spare;
    const auto limit = context.limit_of(*type.steady().instance);
    const auto& most = context.question.constraints.max_nodes;
    if ((limit && member.instances > *limit) || (most && member.instances > static_cast<double>(*most))) continue;
    member.load = instances_busy(fleet, member, member.requests_per_s) / working;
    member.hourly = member.instances * type.steady().cost.hourly;
    out.push_back(std::move(member));
  }
  std::ranges::stable_sort(out, {}, &FleetMember::hourly);
  return out;
}

}  // namespace

namespace {

void replay(const FleetContext& context, Fleet& fleet) {
  if (!fleet.mix.feasible || !fleet.work.model->is_generator() || fleet.work.model->is_encoder_decoder()) return;
  const Fleet proposed = fleet;
  Replay(context, fleet).run();
  if (!fleet.replay || (!physics::has_targets(fleet.work.inference) && fleet.replay->added <= 0)) return;
  // What closed forms ask for latencies may be too much: of one type, the requests decide.
  std::optional<Fleet> best;
  std::size_t tried = 0;
  for (FleetMember& member : singles_of(context, fleet)) {
    const double known = best ? best->mix.hourly : std::numeric_limits<double>::infinity();
    if (member.hourly >= known || ++tried > kMostSingles) break;
    Fleet alone = proposed;
    alone.mix.hourly = member.hourly;
    alone.mix.members = {std::move(member)};
    const double ceiling =
        fleet.replay->kept ? kMostOverMix * fleet.mix.hourly : std::numeric_limits<double>::infinity();
    Replay(context, alone, {.most_hourly = std::min(known, ceiling)}).run();
    if (alone.replay && alone.replay->kept && alone.mix.hourly < known) best = std::move(alone);
  }
  if (!best) {
    // The closed forms' own single type may need more machines than they think: it says nothing then.
    if (fleet.replay->kept && fleet.single && fleet.single->hourly < fleet.mix.hourly) fleet.single.reset();
    return;
  }
  fleet.single = best->mix.members.front();
  if (best->mix.hourly > fleet.mix.hourly * (1 + 1e-9) && fleet.replay->kept) return;
  best->single = fleet.single;
  lower_bound_to_cost(best->mix);
  fleet = std::move(*best);
}

}  // namespace

void replay_fleet(const FleetContext& context, Fleet& fleet) {
  replay(context, fleet);
  // A fleet of one type is the best of one type, however it was found.
  const FleetMix& mix = fleet.mix;
  if (mix.members.size() == 1 && fleet.single && fleet.single->hourly > mix.hourly) fleet.single = mix.members.front();
}

std::optional<FleetMix> replayed_hour(const FleetContext& context, const Fleet& fleet, std::vector<FleetMember> members,
                                      double multiplier, double most_hourly) {
  Fleet hour = fleet;
  hour.peak = multiplier;
  hour.replay.reset();
  hour.mix.members = std::move(members);
  hour.mix.hourly = 0;
  for (FleetMember& member : hour.mix.members) {
    member.committed = 0;
    member.requests_per_s = 0;
    for (std::size_t b = 0; b < member.share.size(); ++b)
      member.requests_per_s += fleet.rate * multiplier * fleet.traffic.buckets[b].share * member.share[b];
    hour.mix.hourly += member.hourly;
  }
  Replay(context, hour, {.most_hourly = most_hourly, .of_hour = true}).run();
  if (!hour.replay || !hour.replay->kept) return std::nullopt;
  return std::move(hour.mix);
}

}  // namespace gpusel::answer
