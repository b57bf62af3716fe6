#include "answer/estimate/what_works.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/words/message.hpp"
#include "physics/serving/starts.hpp"

namespace gpusel::answer {

namespace {

using job::Request;

constexpr std::size_t kMostWays = 5;
constexpr std::size_t kUsualSellers = 3;    // a GPU that so many providers sell can be had
constexpr int kMostTimesGpus = 8;           // as many as were asked for
constexpr std::int64_t kShortestSeq = 512;  // shorter training sequences are another job
constexpr std::int64_t kShortestInput = 256;

using TypedFlags = std::vector<Typed>;

class WaySearch {
 public:
  WaySearch(const Request& request, const EstimateAnswer& answer, const catalog::Catalog& catalog,
            const physics::Coefficients& c, std::span<const rules::Rule> rules, const WayJudge& judge)
      : request_(request), answer_(answer), catalog_(catalog), c_(c), rules_(rules), judge_(judge) {}

  std::vector<Way> run() {
    if (answer_.plan.training) try_training();
    if (answer_.plan.serving) try_serving();
    if (const auto& counted = work().counted; counted && !job::is_training(work().task))
      if (const auto* job = std::get_if<job::DiffusionJob>(&counted->job)) try_pipeline(*job);
    keep_best(kMostWays - 2);  // leaves room for other machines
    if (answer_.plan.training) try_offload();
    try_more_gpus();
    try_larger_gpu();
    keep_best(kMostWays);
    return std::move(ways_);
  }

 private:
  const job::Job& work() const { return answer_.work; }
  double wanted() const { return physics::least_chance(work(), c_); }
  bool has_likely() const {
    return std::ranges::any_of(ways_, [&](const Way& way) { return way.need.likely(wanted()); });
  }

  /// Of those that fit with the chance asked for as many as there is room for, then the riskier ones, in their order.
  void keep_best(std::size_t most) {
    while (ways_.size() > most) {
      auto last =
          std::find_if(ways_.rbegin(), ways_.rend(), [&](const Way& way) { return !way.need.likely(wanted()); });
      if (last == ways_.rend()) last = ways_.rbegin();
      ways_.erase(std::next(last).base());
    }
  }

  /// The answer to the changed line; kept where it fits, and surer than what was asked. Whether it is likely to.
  bool attempt(const TypedFlags& change) {
    Request changed = request_;
    std::string flags;
    for (const Typed& typed : change) {
      const auto* option = job::find_option(job::request_options(), typed.flag);
      if (option == nullptr || !option->set(changed, typed.value)) return false;
      changed.given.push_back(option->key);
      flags += format("{}--{} {}", flags.empty() ? "" : " ", typed.flag, typed.value);
    }
    const auto answer = answer_estimate(changed, catalog_, c_, false, rules_);
    if (!answer || !answer->plan.fits || !answer->plan.need.is_known() || !answer->plan.meets_targets) return false;
    const physics::SpokenRate rate = physics::spoken_rate(answer->work, answer->plan, answer->intervals);
    Way way{std::move(flags), answer->plan.need, answer->plan.rate > 0 ? rate.value : 0, std::string(rate.unit)};
    if (answer_.plan.fits && !way.need.likely(wanted())) return false;  // no better than what there is
    if (judge_ && !judge_(change, way)) return false;
    ways_.push_back(std::move(way));
    return ways_.back().need.likely(wanted());
  }

  /// Halves a length until the job is likely to fit.
  void halve(std::string_view flag, std::int64_t now, std::int64_t least, const TypedFlags& with) {
    for (std::int64_t less = now / 2; less >= least; less /= 2) {
      TypedFlags change = with;
      change.push_back({flag, format("{}", less)});
      const std::size_t before = ways_.size();
      if (attempt(change)) return;
      ways_.resize(before);
    }
  }

  void try_training() {
    const job::Training& job = work().training;
    const bool finetunes = work().task == job::Task::finetune;
    if (job.method == job::Method::full && job.optimizer == job::Optimizer::adamw)
      attempt({{"optimizer", std::string(to_text(job::Optimizer::adamw8bit))}});
    TypedFlags adapters;
    for (const job::Method method : {job::Method::lora, job::Method::qlora}) {
      const bool lighter = job.method == job::Method::full || (job.method == job::Method::lora && method != job.method);
      if (!finetunes || !lighter || has_likely()) continue;
      adapters = {{"method", std::string(to_text(method))}};
      attempt(adapters);
    }
    if (request_.micro_batch) halve("micro-batch", *request_.micro_batch, 1, {});
    if (!has_likely()) halve("seq-len", job.seq_len, kShortestSeq, adapters);
  }

  void try_serving() {
    const job::Inference& job = work().inference;
    if (answer_.plan.problem.kind == physics::Problem::Kind::refused) return try_schemes();
    std::vector<const physics::WeightFormat*> formats;
    for (const std::string_view name : physics::served_formats(job.engine)) {
      const auto format = physics::weight_format(name);
      if (format && (*format)->bits < answer_.plan.layout.weights->bits * 0.99 &&
          physics::has_kernels(**format, answer_.machine.device, job.engine))
        formats.push_back(*format);
    }
    std::ranges::stable_sort(formats, std::greater(), [](const auto* format) { return format->bits; });
    double tried = 0;  // bits
    for (const physics::WeightFormat* format : formats) {
      if (has_likely() || format->bits == tried) continue;
      if (attempt({{"quant", std::string(format->name)}})) tried = format->bits;
    }
    const job::KvPrecision kv = answer_.plan.layout.kv;
    const bool wide = kv == job::KvPrecision::bf16 || kv == job::KvPrecision::fp16;
    if (wide && answer_.machine.device.gpu != nullptr && answer_.machine.device.gpu->has_fp8)
      attempt({{"kv-cache-dtype", "fp8"}});
    if (request_.concurrency) halve("concurrency", *request_.concurrency, 1, {});
    if (work().model->is_generator() && !has_likely()) halve("isl", job.input_tokens, kShortestInput, {});
  }

  /// In place of weights that the engine does not start with: those that it does, the fewest bits last.
  void try_schemes() {
    const physics::Device& device = answer_.machine.device;
    const auto* engine = device.engines == nullptr ? nullptr : device.engines->find(work().inference.engine);
    if (engine == nullptr) return;
    auto schemes = physics::schemes_that_start(*engine, *device.gpu);
    std::ranges::stable_sort(schemes, std::greater(),
                             [](std::string_view scheme) { return (*physics::weight_format(scheme))->bits; });
    for (const std::string_view scheme : schemes) attempt({{"quant", std::string(scheme)}});
  }

  /// Image and video pipelines: what keeps the speed first.
  void try_pipeline(const job::DiffusionJob& job) {
    if (answer_.plan.layout.micro_batch > 1 && !job.slices) attempt({{"vae-slicing", "true"}});
    if (!job.tiles) attempt({{"vae-tiling", "true"}});
    if (work().inference.weights_precision.empty() && !has_likely()) attempt({{"quant", "fp8"}});
    if (request_.concurrency) halve("concurrency", *request_.concurrency, 1, {});
    if (work().inference.offload != job::Offload::none) return;
    for (const job::Offload moved : {job::Offload::weights, job::Offload::sequential})
      for (const bool tiles : {false, true}) {
        TypedFlags change{{"offload", std::string(to_text(moved))}};
        if (tiles) change.push_back({"vae-tiling", "true"});
        if (!has_likely() && !(tiles && job.tiles)) attempt(change);
      }
  }

  void try_offload() {
    const job::Training& job = work().training;
    if (job.offload == job::Offload::none && job.method == job::Method::full && !has_likely())
      attempt({{"offload", std::string(to_text(job::Offload::optimizer))}});
  }

  void try_more_gpus() {
    if (answer_.machine.on_cpu()) return;
    for (int times = 2; times <= kMostTimesGpus; times *= 2) {
      const std::size_t before = ways_.size();
      if (attempt({{"gpus", format("{}", answer_.machine.gpus() * times)}})) return;
      ways_.resize(before);
    }
  }

  /// As many in as many nodes as were asked for: --gpu sets the counts anew.
  std::string as_many_of(const catalog::Gpu& gpu) const {
    const physics::Machine& now = answer_.machine;
    if (now.nodes > 1) return format("{}x{}x{}", now.nodes, now.gpus_per_node, gpu.id);
    return now.gpus() > 1 ? format("{}:{}", gpu.id, now.gpus()) : std::string(gpu.id);
  }

  /// By memory, and of each size the one that most providers sell.
  void try_larger_gpu() {
    const catalog::Gpu* now = answer_.machine.device.gpu;
    if (answer_.machine.on_cpu() || now == nullptr || !now->memory_gb) return;
    std::map<const catalog::Gpu*, std::set<std::string_view>> sellers;
    for (const catalog::Instance& instance : catalog_.instances())
      if (const catalog::Gpu* gpu = catalog_.gpu_of(instance); gpu != nullptr && !catalog_.offers_of(instance).empty())
        sellers[gpu].insert(instance.provider);
    std::size_t most = 0;
    for (const auto& [gpu, providers] : sellers) most = std::max(most, providers.size());
    std::map<double, const catalog::Gpu*> of_size;
    for (const catalog::Gpu& gpu : catalog_.gpus()) {
      const auto sold = sellers.find(&gpu);
      if (sold == sellers.end() || sold->second.size() < std::min(most, kUsualSellers)) continue;
      if (!gpu.memory_gb || *gpu.memory_gb <= *now->memory_gb) continue;
      const catalog::Gpu*& best = of_size[*gpu.memory_gb];
      if (best == nullptr || sold->second.size() > sellers[best].size()) best = &gpu;
    }
    for (const auto& [size, gpu] : of_size) {
      const std::size_t before = ways_.size();
      if (attempt({{"gpu", as_many_of(*gpu)}})) return;
      ways_.resize(before);
    }
  }

  const Request& request_;
  const EstimateAnswer& answer_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& c_;
  std::span<const rules::Rule> rules_;
  const WayJudge& judge_;
  std::vector<Way> ways_;
};

}  // namespace

std::vector<Way> what_would_work(const Request& request, const EstimateAnswer& answer, const catalog::Catalog& catalog,
                                 const physics::Coefficients& c, std::span<const rules::Rule> rules,
                                 const WayJudge& judge) {
  const physics::Problem::Kind why = answer.plan.problem.kind;
  if (why == physics::Problem::Kind::unpublished || why == physics::Problem::Kind::lacking) return {};
  if (answer.plan.fits && answer.fit.short_verdict() != Verdict::risky) return {};
  return WaySearch(request, answer, catalog, c, rules, judge).run();
}

}  // namespace gpusel::answer
