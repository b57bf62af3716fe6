#include "answer/search/search.hpp"

#include <algorithm>
#include <limits>

#include "base/words/message.hpp"
#include "job/limits/limits.hpp"
#include "money/storage.hpp"
#include "physics/kinds/networks/processor.hpp"

namespace gpusel::answer {

namespace {

using catalog::Instance;
using job::Job;
using rules::Facts;
using rules::Rule;

constexpr double kUnknown = std::numeric_limits<double>::infinity();

double or_unknown(const catalog::Number& number) { return number.value_or(kUnknown); }
template <class Enum>
double or_unknown(const std::optional<Enum>& value) {
  return value ? static_cast<double>(*value) : kUnknown;
}

Facts facts_of_job(const Question& question, const Job& work) {
  Facts facts;
  job_facts(facts, work, question.constraints.include_unavailable.value_or(false));
  return facts;
}

}  // namespace

CandidateSearch::CandidateSearch(const SearchContext& context, const Job& work, Rejected rejected)
    : context_(context),
      work_(work),
      job_(facts_of_job(context.question, work)),
      providers_(context.catalog.providers()),
      market_(context.catalog, context.quoter, context.rules, job_, context.question.today),
      rejections_(context.question),
      keep_rejections_(rejected == Rejected::kept) {
  sort_rules();
}

void CandidateSearch::sort_rules() {
  for (const Rule& rule : context_.rules) {
    if (!rules::may_fire(rule, job_, rules::Stage::job)) continue;  // it speaks of other jobs
    if (rule.fit != rules::FitVerdict::fits) fitting_.push_back(rule);
    if (rule.effect == rules::Effect::adjust) adjusting_.add(rule, job_);
    if (rule.effect == rules::Effect::reject && rule.stage != rules::Stage::offer)
      (rule.stage == rules::Stage::plan ? by_plan_ : by_instance_).add(rule, job_);
  }
}

InstanceView CandidateSearch::view_of(const Instance& instance) const {
  const auto found = std::ranges::find(providers_, instance.provider, &catalog::Provider::id);
  return {instance, found == providers_.end() ? nullptr : &*found, context_.catalog, context_.coefficients};
}

std::vector<Recommendation> CandidateSearch::run(const Depth& depth) {
  group_shapes();
  std::vector<Recommendation> candidates;
  if (context_.promises != nullptr && Promises::speak_of(work_))
    plan_simulated(depth, candidates);
  else
    plan_shapes(depth.ceiling, candidates);
  return candidates;
}

std::vector<Shape> CandidateSearch::machines() {
  group_shapes();
  std::vector<Shape> out;
  std::map<std::size_t, std::size_t> place;  // of a twin in `out`
  for (const Shape& shape : shapes_) {
    const auto [entry, first] = place.try_emplace(shape.twin, out.size());
    if (first)
      out.push_back(shape);
    else
      out[entry->second].instances.insert(out[entry->second].instances.end(), shape.instances.begin(),
                                          shape.instances.end());
  }
  return out;
}

std::vector<Recommendation> CandidateSearch::offers(const Shape& shape, PlannedMachine planned) {
  std::vector<Recommendation> out;
  offer_shape(shape, std::move(planned), out);
  return out;
}

void CandidateSearch::reject(const Instance& instance, const Reason& reason) {
  if (keep_rejections_) rejections_.add(instance, reason);
}

/// Only what rules ask for was found out so far; a message may show any fact of the instance.
void CandidateSearch::reject(const Rule& rule, const InstanceView& view, Facts& facts) {
  reject(view.instance, {rule.id, [&] {
                           instance_facts(facts, view, rules::facts_shown(rule));
                           return rules::verdict(rule, facts).message;
                         }});
}

void CandidateSearch::group_shapes() {
  const auto instances = context_.catalog.instances();
  shapes_of_gpu_.resize(context_.catalog.gpus().size() + 1);  // one more for GPUs that nobody names
  kind_of_.resize(instances.size(), kNoKind);
  InstanceKinds kinds;
  std::vector<Standing> standings;  // by kind
  const bool shared = InstanceKinds::share(by_instance_.facts());
  Facts facts = job_;
  const bool takes_cpus = physics::runs_on_cpus(work_) && !job::asks_for_gpu(context_.question.constraints);
  for (std::uint32_t i = 0; i < instances.size(); ++i) {
    const Instance& instance = instances[i];
    if (context_.question.only != nullptr && context_.question.only != &instance) continue;
    if (instance.gpu.empty() && !takes_cpus) {
      reject(instance, {"no-gpu", [&] { return without_gpu(work_); }});
      continue;
    }
    const InstanceView view = view_of(instance);
    const std::uint32_t kind = kind_of_[i] = kinds.of(instance);
    const bool first = kind == standings.size();
    if (first) standings.emplace_back();
    Standing& standing = standings[kind];
    if (first || !shared) {
      instance_facts(facts, view, by_instance_.facts());
      standing.fell_by = by_instance_.first_to_fire(facts);
    }
    if (standing.fell_by != nullptr) {
      reject(*standing.fell_by, view, facts);
    } else if (instance.offer_count == 0) {
      reject(instance, {"no-published-price", [] { return say("no published price is known"); }});
    } else {
      if (!standing.shape) standing.shape = shape_of(instance);
      const auto& shape = *standing.shape;
      if (shape)
        shapes_[*shape].instances.push_back(i);
      else
        reject(instance, {"figures-not-published", [&] { return shape.error().message; }});
    }
  }
}

std::array<double, 5> CandidateSearch::host_key(const Instance& instance) const {
  if (!work_.counted && !instance.gpu.empty()) return {};
  return {or_unknown(instance.vcpu), or_unknown(instance.memory_gib), static_cast<double>(instance.cpu_index),
          or_unknown(instance.cpu_threads_per_core) + 100 * or_unknown(instance.cpu_ghz),
          or_unknown(money::most_node_gbs(instance, context_.question.extras.storage_kind, context_.catalog,
                                          context_.coefficients))};
}

Result<std::size_t> CandidateSearch::shape_of(const Instance& instance) {
  const ShapeKey key{{or_unknown(instance.gpu_count), or_unknown(instance.gpu_memory_gb), or_unknown(instance.link),
                      or_unknown(instance.link_gbs_per_gpu)},
                     {or_unknown(instance.rdma), or_unknown(instance.fabric_gbps), or_unknown(instance.network_gbps)},
                     host_key(instance),
                     shapes_.size()};
  auto& of_this_gpu = shapes_of_gpu_[static_cast<std::size_t>(std::int64_t{instance.gpu_index} + 1)];
  std::size_t twin = key.shape;
  for (const ShapeKey& known : of_this_gpu) {
    if (known.node != key.node || known.host != key.host) continue;
    twin = std::min(twin, known.shape);
    if (known.network == key.network) return known.shape;
  }
  auto machine =
      machine_for(work_, instance, 1, context_.catalog, context_.coefficients, context_.question.extras.storage_kind);
  if (!machine) return std::unexpected(machine.error());
  of_this_gpu.push_back(key);
  shapes_.push_back({*machine, twin, {}});
  return key.shape;
}

}  // namespace gpusel::answer
