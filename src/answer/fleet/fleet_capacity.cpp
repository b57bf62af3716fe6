// What each machine serves of each bucket, layout by layout, and for what price it can be had.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "answer/fleet/fleet_parts.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

namespace {

using job::Bucket;
using job::Job;
using physics::Layout;
using physics::Machine;
using physics::Plan;

/// A rate is found to within so much of itself.
constexpr double kRateStep = 0.01;
/// What serves less than this share of what it could carries nothing.
constexpr double kLeastRate = 1e-4;
/// Of one machine, so many SKUs that each can be had in limited number.
constexpr std::size_t kMostSkus = 6;

bool good(const Result<Plan>& plan) { return plan && plan->is_usable(); }

/// The job on nothing but this layout.
Job pinned(const Job& work, const Layout& layout) {
  Job out = work;
  out.pins.tp = layout.tp;
  out.pins.pp = layout.pp;
  out.pins.ep = layout.ep;
  out.pins.dp = layout.dp;
  out.inference.weights_precision = layout.weights->name;
  out.inference.allow_precisions.clear();
  out.inference.kv_precision = layout.kv;
  return out;
}

class Carrier {
 public:
  Carrier(const Machine& machine, const physics::Coefficients& c) : machine_(machine), c_(c) {}

  /// The most of these requests within the targets. `choice` becomes the plan at that rate.
  Carried carry(const Job& work, std::optional<Plan>& plan) const {
    Carried out;
    const auto full = physics::plan_inference(physics::at_full_load(work), machine_, c_);
    if (!good(full)) {
      if (full) out.problem = full->problem;
      return out;
    }
    out.ceiling = full->sequences_per_s;
    // As slow as the confidence asked for allows, as one type alone is sized.
    const auto ratios = physics::physics_of(work).ratios(work, machine_, *full, c_);
    const auto slow = physics::slowness(ratios, normal_quantile(work.confidence));
    double high = work.inference.max_load * out.ceiling;
    auto best = at_rate(work, high, slow);
    if (best.holds) {
      note(*best.plan, high, out);
      plan = std::move(*best.plan);
      return out;
    }
    out.problem = best.plan ? best.plan->problem : physics::Problem{};
    double low = 0;
    // What is too slow for next to no load is too slow for any.
    for (double rate = kLeastRate * out.ceiling; high - low > kRateStep * high; rate = (low + high) / 2) {
      auto trial = at_rate(work, rate, slow);
      if (!trial.holds) {
        high = rate;
        if (low <= 0) break;
        continue;
      }
      low = rate;
      note(*trial.plan, rate, out);
      plan = std::move(*trial.plan);
    }
    return out;
  }

 private:
  struct Tried {
    Result<Plan> plan;
    bool holds;
  };
  Tried at_rate(const Job& work, double rate, const physics::Slowness& slow) const {
    Job arriving = work;
    arriving.inference.concurrency.reset();
    arriving.inference.request_rate = rate;
    auto plan = physics::plan_inference(arriving, machine_, c_);
    const bool holds = good(plan) && !too_slow_to_serve(work, *plan) &&
                       physics::holds_rate(arriving, machine_, plan->layout, slow, c_);
    return {std::move(plan), holds};
  }

  static void note(const Plan& plan, double rate, Carried& out) {
    out.requests_per_s = rate;
    const physics::InferenceSpeed& speed = plan.serving->speed;
    out.in_flight = speed.in_flight;
    out.ttft = speed.ttft();
    out.itl = speed.itl();
    out.e2e = speed.e2e();
    out.problem = {};
  }

  const Machine& machine_;
  const physics::Coefficients& c_;
};

class TypeFinder {
 public:
  TypeFinder(const FleetContext& context, const Job& work, std::span<const Bucket> buckets, Late late)
      : context_(context),
        work_(work),
        buckets_(buckets),
        lets_late_(late == Late::longest),
        elastic_context_{context.elastic, context.catalog, context.coefficients, context.quoter, context.elastic_rules},
        committed_context_{context.committed, context.catalog, context.coefficients, context.quoter,
                           context.committed_rules},
        elastic_(elastic_context_, work),
        committed_(committed_context_, work) {
    const auto by_length = [](const Bucket& a, const Bucket& b) { return a.input + a.output < b.input + b.output; };
    longest_ = static_cast<std::size_t>(std::max_element(buckets.begin(), buckets.end(), by_length) - buckets.begin());
    shortest_ = static_cast<std::size_t>(std::min_element(buckets.begin(), buckets.end(), by_length) - buckets.begin());
    find_longest();
  }

  FleetCandidates run() {
    FleetCandidates out;
    out.shapes = elastic_.machines();
    committed_.machines();
    for (const Rejection& fallen : elastic_.take_rejections()) out.rejected[fallen.rule] += fallen.count;
    for (const Shape& shape : out.shapes) {
      const std::size_t had = out.types.size();
      bool serves = false;
      for (const Layout& layout : layouts(shape.machine)) serves = add(shape, layout, out) || serves;
      if (out.types.size() == had)
        out.rejected[serves ? "no-offer" : "serves-nothing"] += static_cast<int>(shape.instances.size());
    }
    return out;
  }

 private:
  void find_longest() {
    longest_ones_.assign(buckets_.size(), false);
    if (!physics::has_targets(work_.inference)) return;
    std::vector<std::size_t> longest_first(buckets_.size());
    std::iota(longest_first.begin(), longest_first.end(), std::size_t{0});
    std::ranges::stable_sort(longest_first, std::greater{}, [&](std::size_t b) { return buckets_[b].input; });
    double left = 1 - work_.inference.slo_percentile / 100;
    for (const std::size_t b : longest_first) {
      left -= buckets_[b].share;
      if (left < 0) return;
      longest_ones_[b] = true;
    }
  }

  /// One for each format and tensor-parallel degree; the rest of a layout is the planner's.
  std::vector<Layout> layouts(const Machine& machine) const {
    std::vector<Layout> out;
    const auto formats = physics::allowed_formats(work_, machine.device);
    if (!formats) return out;
    const bool in_turn = physics::lays_out_in_turn(work_.inference.engine);
    for (const physics::WeightFormat* format : *formats)
      for (int tp = 1; tp <= (in_turn ? 1 : machine.gpus_per_node); tp *= 2) {
        Job trial = physics::at_full_load(work_);
        if (!in_turn && !work_.pins.tp) trial.pins.tp = tp;
        trial.inference.weights_precision = format->name;
        trial.inference.allow_precisions.clear();
        if (work_.pins.tp && tp > 1) break;
        for (const std::size_t bucket : {longest_, shortest_}) {
          const auto plan = physics::plan_inference(of_bucket(trial, buckets_[bucket]), machine, context_.coefficients);
          if (!plan || !plan->fits) continue;
          out.push_back(plan->layout);
          break;
        }
      }
    return out;
  }

  bool add(const Shape& shape, const Layout& layout, FleetCandidates& out) {
    const Job work = pinned(work_, layout);
    const Carrier carrier(shape.machine, context_.coefficients);
    FleetType type;
    std::optional<Plan> heaviest;
    double most = 0;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      const Bucket& bucket = buckets_[b];
      Carried& carried = type.carried.emplace_back();
      if (beyond_context(*work.model, bucket)) continue;
      std::optional<Plan> plan;
      carried = carrier.carry(of_bucket(work, bucket), plan);
      if (carried.requests_per_s <= 0 && longest_ones_[b]) {
        out.cannot_carry_longest = true;
        if (lets_late_) carried = carrier.carry(physics::without_targets(of_bucket(work, bucket)), plan);
      }
      const double load = carried.requests_per_s > 0 ? bucket.share / carried.requests_per_s : 0;
      if (load <= most) continue;
      most = load;
      heaviest = std::move(plan);
    }
    if (!heaviest) return false;
    type.planned = std::make_shared<const PlannedMachine>(PlannedMachine{shape.machine, std::move(*heaviest)});
    price(shape, type, out.types);
    return true;
  }

  void price(const Shape& shape, const FleetType& type, std::vector<FleetType>& out) {
    const auto elastic = context_.has_elastic ? offers(elastic_, shape, type) : std::vector<FleetOffer>{};
    const auto committed = context_.has_committed ? offers(committed_, shape, type) : std::vector<FleetOffer>{};
    if (elastic.empty() && committed.empty()) return;
    if (!context_.has_limits()) {
      FleetType& added = out.emplace_back(type);
      if (!elastic.empty()) added.elastic = elastic.front();
      if (!committed.empty()) added.committed = committed.front();
      return;
    }
    // What is cheapest may not be enough of: each SKU by itself, down to the first without a limit.
    std::vector<const catalog::Instance*> skus;
    for (const auto* list : {&elastic, &committed}) {
      std::size_t taken = 0;
      for (const FleetOffer& offer : *list) {
        if (std::ranges::find(skus, offer.instance) == skus.end()) skus.push_back(offer.instance);
        if (!context_.limit_of(*offer.instance) || ++taken == kMostSkus) break;
      }
    }
    for (const catalog::Instance* sku : skus) {
      FleetType& added = out.emplace_back(type);
      const auto of_sku = [&](const std::vector<FleetOffer>& list) -> std::optional<FleetOffer> {
        const auto found = std::ranges::find_if(list, [&](const FleetOffer& one) { return one.instance == sku; });
        return found == list.end() ? std::nullopt : std::optional(*found);
      };
      added.elastic = of_sku(elastic);
      added.committed = of_sku(committed);
    }
  }

  static std::vector<FleetOffer> offers(CandidateSearch& search, const Shape& shape, const FleetType& type) {
    std::vector<FleetOffer> out;
    for (const Recommendation& r : search.offers(shape, *type.planned))
      out.push_back({r.instance, r.offer, r.region, r.cost});
    std::ranges::stable_sort(out, [](const FleetOffer& a, const FleetOffer& b) {
      return std::tuple(a.cost.hourly, a.instance->provider, a.instance->sku) <
             std::tuple(b.cost.hourly, b.instance->provider, b.instance->sku);
    });
    return out;
  }

  const FleetContext& context_;
  const Job& work_;
  std::span<const Bucket> buckets_;
  const bool lets_late_;
  SearchContext elastic_context_, committed_context_;
  CandidateSearch elastic_, committed_;
  std::size_t longest_ = 0;
  std::size_t shortest_ = 0;
  std::vector<bool> longest_ones_;  // by bucket, of those that percentiles leave out
};

}  // namespace

const FleetOffer& FleetType::steady() const {
  if (!elastic) return *committed;
  return committed && committed->cost.hourly < elastic->cost.hourly ? *committed : *elastic;
}

FleetCandidates find_types(const FleetContext& context, const Job& work, std::span<const Bucket> buckets, Late late) {
  return TypeFinder(context, work, buckets, late).run();
}

std::vector<double> kept_up(const FleetContext& context, const Job& work, const FleetType& type,
                            std::span<const Bucket> buckets) {
  const Job open = physics::without_targets(pinned(work, type.layout()));
  const Carrier carrier(type.machine(), context.coefficients);
  std::vector<double> out;
  std::optional<Plan> unused;
  for (const Bucket& bucket : buckets) out.push_back(carrier.carry(of_bucket(open, bucket), unused).requests_per_s);
  return out;
}

Unserved explain_unserved(const FleetContext& context, const Job& work, std::size_t bucket, const Bucket& lengths,
                          std::span<const Shape> shapes) {
  Unserved out;
  out.bucket = bucket;
  if (beyond_context(*work.model, lengths)) {
    out.message = say("at {:.0f} tokens they are longer than the model's context of {:.0f}, on any machine",
                      lengths.input + lengths.output, *work.model->max_context);
    return out;
  }
  Job alone = physics::without_targets(of_bucket(work, lengths));
  alone.inference.request_rate.reset();
  alone.inference.slo_percentile = 50;
  alone.inference.concurrency = 1;
  const SearchContext search_context{context.elastic, context.catalog, context.coefficients, context.quoter,
                                     context.elastic_rules};
  CandidateSearch search(search_context, work);
  std::optional<physics::Problem> least;
  double nearest = 0;
  for (const Shape& shape : shapes) {
    auto plan = physics::plan_inference(alone, shape.machine, context.coefficients);
    if (!plan) continue;
    if (!plan->fits || plan->rate <= 0) {
      const bool closer = !least || plan->problem.missing_gib() < least->missing_gib();
      if (plan->problem.any() && closer) least = plan->problem;
      continue;
    }
    const double missed = physics::missed_by(work.inference, plan->serving->speed);
    if (out.nearest && missed >= nearest) continue;
    const auto speed = plan->serving->speed;
    auto offers = search.offers(shape, {shape.machine, std::move(*plan)});
    const auto cheapest =
        std::ranges::min_element(offers, [](const auto& a, const auto& b) { return a.cost.hourly < b.cost.hourly; });
    if (cheapest == offers.end()) continue;
    nearest = missed;
    out.nearest = FleetOffer{cheapest->instance, cheapest->offer, cheapest->region, cheapest->cost};
    out.ttft = speed.ttft();
    out.itl = speed.itl();
  }
  const auto& job = work.inference;
  if (!out.nearest) {
    out.message = least ? say("no allowed machine has room for them: {}", least->text())
                        : say("no allowed machine serves this model");
    return out;
  }
  std::string flags;
  // What is given to relax a target by must hold once printed.
  const auto relax = [&](std::string_view flag, const std::optional<double>& target, Seconds reached) {
    if (target && in_ms(reached) > *target)
      flags += format("{}{} {:g}", flags.empty() ? "" : " ", flag, std::ceil(in_ms(reached)));
  };
  relax("--ttft", job.ttft_ms, out.ttft);
  relax("--tpot", job.tpot_ms, out.itl);
  const std::string who = format("{} {}", out.nearest->instance->provider, printable(out.nearest->instance->sku));
  out.message = flags.empty()
                    ? say("{} has less than {:.0f} % chance of meeting the targets, even for a single request", who,
                          100 * work.confidence)
                    : say("{} comes closest, with {:.0f} ms to the first token and {:.1f} ms between tokens "
                          "for a single request; at least {} is needed",
                          who, in_ms(out.ttft), in_ms(out.itl), flags);
  return out;
}

}  // namespace gpusel::answer
