// How each fact that rules speak of is found out. The facts of instances and offers stand in tables,
// so that a search looks up only what its rules ask for: there are thousands of offers.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "answer/facts/candidates.hpp"
#include "answer/facts/facts_of.hpp"
#include "answer/facts/stops.hpp"
#include "base/values/normal.hpp"
#include "base/words/message.hpp"
#include "catalog/records/price_date.hpp"
#include "physics/chance.hpp"
#include "physics/planner/targets.hpp"
#include "physics/serving/starts.hpp"

namespace gpusel::answer {

namespace {

using catalog::NodeLink;
using catalog::Number;
using job::Job;
using rules::Fact;
using rules::Facts;
using rules::FactSet;

/// Copies of the weights that loading takes in host memory: one, and room for reading it.
constexpr double kLoadCopies = 1.2;
/// Largest part of a checkpoint on its way to the GPU where weights go there part by part: 5 GB, as Transformers splits
/// it (huggingface.co/docs/transformers/big_models), and room for reading it. Engines map files into memory and copy
/// tensor by tensor: vLLM's safetensors-load-strategy "lazy" (docs.vllm.ai, engine arguments), SGLang and TGI by the
/// same library, TensorRT-LLM's PyTorch backend, which reads ahead only what fits (its
/// checkpoints/hf/weight_loader.py), llama.cpp by mmap, Transformers with a device map.
constexpr double kLoadedPart = 5e9 * kLoadCopies;

template <class View>
struct Finder {
  Fact fact;
  void (*find)(Facts&, const View&);
};

template <class View, Fact fact, class Get>
constexpr Finder<View> finder(Get) {
  return {fact, [](Facts& facts, const View& view) { facts.set(fact, Get{}(view)); }};
}

/// The finders of a list, by what they find: of a hundred facts a search wants a handful.
template <class View>
class FinderTable {
 public:
  template <std::size_t n>
  explicit constexpr FinderTable(const Finder<View> (&list)[n]) {
    for (const Finder<View>& one : list) {
      facts_.set(one.fact);
      find_[static_cast<std::size_t>(one.fact)] = one.find;
    }
  }
  const FactSet& facts() const { return facts_; }
  void find(Facts& facts, const View& view, const FactSet& wanted) const {
    (wanted & facts_).for_each([&](Fact fact) { find_[static_cast<std::size_t>(fact)](facts, view); });
  }

 private:
  FactSet facts_;
  std::array<void (*)(Facts&, const View&), rules::kFactCount> find_{};
};

template <class Enum>
std::string_view text_of(const std::optional<Enum>& value) {
  return value ? to_text(*value) : std::string_view{};
}

std::optional<double> scaled(const Number& number, double factor) {
  return number ? std::optional(*number * factor) : std::nullopt;
}

/// GPUs as software counts them: a slice is one.
double gpus(const InstanceView& v) { return v.devices > 0 ? std::max(1.0, std::round(v.devices)) : 0; }

std::optional<double> per_gpu(const InstanceView& v, const Number& number) {
  return gpus(v) > 0 ? scaled(number, 1 / gpus(v)) : std::nullopt;
}

/// A figure of the board, of that part of it that one device of the instance is.
std::optional<double> of_part(const InstanceView& v, const Number& number) {
  const auto share = v.share();
  return share ? scaled(number, *share / v.gpu->devices()) : std::nullopt;
}

NodeLink link(const InstanceView& v) { return gpus(v) > 1 ? v.instance.link.value_or(NodeLink::pcie) : NodeLink::none; }

bool has_nvlink(const InstanceView& v) {
  return link(v) == NodeLink::nvlink_mesh || link(v) == NodeLink::nvswitch ||
         (link(v) == NodeLink::nvlink_pairs && gpus(v) <= 2);
}

std::optional<double> marketed_memory(const InstanceView& v) {
  const auto share = v.share();
  if (share && *share < 1 && v.instance.gpu_memory_gb) return *v.instance.gpu_memory_gb;
  return of_part(v, v.gpu->memory_gb);
}

std::optional<double> usable_memory(const InstanceView& v) {
  const auto share = v.share();
  if (!share) return std::nullopt;
  const auto device = physics::make_device(*v.gpu, *share, v.instance.gpu_memory_gb, v.coefficients);
  return device ? std::optional(in_gib(device->usable)) : std::nullopt;
}

/// Whether a format is native. Where no formats are listed at all, only a peak of 0 says that one is not.
std::optional<bool> has(const catalog::Gpu& gpu, bool listed, const Number& peak) {
  return !gpu.native_formats.empty() || peak == 0 ? std::optional(listed) : std::nullopt;
}

Number dense16(const catalog::Gpu& gpu) {
  if (!gpu.fp16_dense_tflops || !gpu.bf16_dense_tflops)
    return gpu.fp16_dense_tflops ? gpu.fp16_dense_tflops : gpu.bf16_dense_tflops;
  return std::max(*gpu.fp16_dense_tflops, *gpu.bf16_dense_tflops);
}

/// What is said of the instance; else a marketplace lets others' machines, and other providers their own.
std::optional<bool> on_third_party_hosts(const InstanceView& v) {
  if (v.instance.third_party_hosts) return v.instance.third_party_hosts;
  if (v.provider == nullptr || !v.provider->kind) return std::nullopt;
  return is_hosted_by_others(*v.provider->kind);
}

template <Fact fact, class Get>
constexpr Finder<InstanceView> of_instance(Get get) {
  return finder<InstanceView, fact>(get);
}

constexpr Finder<InstanceView> kInstanceFinders[] = {
    of_instance<Fact::provider>([](const auto& v) { return v.instance.provider; }),
    of_instance<Fact::provider_kind>(
        [](const auto& v) { return v.provider != nullptr ? text_of(v.provider->kind) : std::string_view{}; }),
    of_instance<Fact::provider_country>(
        [](const auto& v) { return v.provider != nullptr ? v.provider->country : std::string_view{}; }),
    of_instance<Fact::seller>([](const auto& v) { return text_of(catalog::seller_of(v.instance, v.provider)); }),
    of_instance<Fact::third_party_hosts>([](const auto& v) { return on_third_party_hosts(v); }),
    of_instance<Fact::sku>([](const auto& v) { return v.instance.sku; }),
    of_instance<Fact::family>([](const auto& v) { return v.instance.family; }),
    of_instance<Fact::status>([](const auto& v) { return to_text(v.instance.status); }),
    of_instance<Fact::bare_metal>([](const auto& v) { return v.instance.bare_metal; }),
    of_instance<Fact::vcpu>([](const auto& v) { return v.instance.vcpu; }),
    of_instance<Fact::host_memory_gib>([](const auto& v) { return v.instance.memory_gib; }),
    of_instance<Fact::local_ssd_gb>([](const auto& v) { return v.instance.local_ssd_gb; }),
    of_instance<Fact::network_gbps>([](const auto& v) { return network_of(v.instance); }),
    of_instance<Fact::cpu_arch>([](const auto& v) { return to_text(v.instance.cpu_arch); }),
    of_instance<Fact::is_cpu>([](const auto& v) { return v.instance.gpu.empty(); }),
    of_instance<Fact::cpu>([](const auto& v) {
      const auto* cpu = v.catalog.cpu_of(v.instance);
      return cpu != nullptr ? cpu->id : std::string_view{};
    }),
    of_instance<Fact::cpu_turbo_ghz>([](const auto& v) { return v.instance.cpu_turbo_ghz; }),
    of_instance<Fact::workstation_licence>([](const auto& v) { return text_of(v.instance.workstation_licence); }),
    of_instance<Fact::has_rdma>([](const auto& v) {
      return v.instance.rdma ? std::optional(*v.instance.rdma != catalog::Rdma::none) : std::nullopt;
    }),
    of_instance<Fact::rdma>([](const auto& v) { return text_of(v.instance.rdma); }),
    of_instance<Fact::total_gpu_memory_gb>([](const auto& v) { return v.catalog.gpu_memory_total_gb(v.instance); }),
    of_instance<Fact::gpus_per_node>(
        [](const auto& v) { return v.gpu != nullptr && gpus(v) > 0 ? Number(gpus(v)) : v.instance.gpu_count; }),
    of_instance<Fact::gpu_count>([](const auto& v) {
      if (v.gpu == nullptr || v.devices <= 0) return v.instance.gpu_count;
      return Number(v.devices < 1 ? v.devices : gpus(v));
    }),
};
constexpr FinderTable<InstanceView> kInstanceFacts(kInstanceFinders);

/// Of instances whose GPU is known.
constexpr Finder<InstanceView> kGpuFinders[] = {
    of_instance<Fact::gpu>([](const auto& v) { return v.gpu->id; }),
    of_instance<Fact::gpu_vendor>([](const auto& v) { return v.gpu->vendor; }),
    of_instance<Fact::gpu_architecture>([](const auto& v) { return v.gpu->architecture; }),
    of_instance<Fact::gpu_year>([](const auto& v) { return v.gpu->release_year; }),
    of_instance<Fact::form_factor>([](const auto& v) { return v.gpu->form_factor; }),
    of_instance<Fact::compute_capability>(
        [](const auto& v) { return v.gpu->vendor == "nvidia" ? v.gpu->capability : Number(); }),
    of_instance<Fact::has_fp16>([](const auto& v) { return has(*v.gpu, v.gpu->has_fp16, v.gpu->fp16_dense_tflops); }),
    of_instance<Fact::has_bf16>([](const auto& v) { return has(*v.gpu, v.gpu->has_bf16, v.gpu->bf16_dense_tflops); }),
    of_instance<Fact::has_fp8>([](const auto& v) { return has(*v.gpu, v.gpu->has_fp8, v.gpu->fp8_dense_tflops); }),
    of_instance<Fact::fp16_tflops>([](const auto& v) { return v.gpu->fp16_dense_tflops; }),
    of_instance<Fact::dense16_tflops>([](const auto& v) { return dense16(*v.gpu); }),
    of_instance<Fact::fp32_tflops>([](const auto& v) { return v.gpu->fp32_tflops; }),
    of_instance<Fact::gpu_memory_gb>([](const auto& v) { return marketed_memory(v); }),
    of_instance<Fact::gpu_memory_usable_gib>([](const auto& v) { return usable_memory(v); }),
    of_instance<Fact::gpu_bandwidth_gbs>([](const auto& v) { return of_part(v, v.gpu->memory_bandwidth_gbs); }),
    of_instance<Fact::tdp_w>([](const auto& v) { return v.gpu->tdp_w; }),
    of_instance<Fact::mig_max_instances>([](const auto& v) { return v.gpu->mig_max_instances; }),
    of_instance<Fact::vgpu>([](const auto& v) { return text_of(v.gpu->vgpu_supported); }),
    of_instance<Fact::peer_link>([](const auto& v) { return text_of(v.gpu->interconnect); }),
    of_instance<Fact::last_cuda_major>([](const auto& v) { return v.gpu->last_cuda_major; }),
    of_instance<Fact::rt_cores>([](const auto& v) { return v.gpu->rt_cores; }),
    of_instance<Fact::rt_generation>([](const auto& v) { return v.gpu->rt_generation; }),
    of_instance<Fact::blender_score>([](const auto& v) {
      const auto* score = v.catalog.render_score(*v.gpu, catalog::RenderBenchmark::blender);
      return score != nullptr ? score->score : Number();
    }),
    of_instance<Fact::nvenc_count>([](const auto& v) { return v.gpu->nvenc_count; }),
    of_instance<Fact::av1_encode>([](const auto& v) { return v.gpu->av1_encode; }),
    of_instance<Fact::av1_decode>([](const auto& v) { return v.gpu->av1_decode; }),
    of_instance<Fact::nvdec_count>([](const auto& v) { return v.gpu->nvdec_count; }),
    of_instance<Fact::graphics>([](const auto& v) { return text_of(v.gpu->graphics); }),
    of_instance<Fact::fp64_tflops>([](const auto& v) { return v.gpu->fp64_tflops; }),
    of_instance<Fact::int8_tops>([](const auto& v) { return v.gpu->int8_dense_tops; }),
    of_instance<Fact::gpu_share>([](const auto& v) { return v.share(); }),
    of_instance<Fact::vcpu_per_gpu>([](const auto& v) { return per_gpu(v, v.instance.vcpu); }),
    of_instance<Fact::host_memory_per_gpu_gib>([](const auto& v) { return per_gpu(v, v.instance.memory_gib); }),
    of_instance<Fact::link_gbs_per_gpu>(
        [](const auto& v) { return gpus(v) > 0 ? v.instance.link_gbs_per_gpu : Number(); }),
    of_instance<Fact::gpu_link>([](const auto& v) { return gpus(v) > 0 ? to_text(link(v)) : std::string_view{}; }),
    of_instance<Fact::has_nvlink>(
        [](const auto& v) { return gpus(v) > 0 ? std::optional(has_nvlink(v)) : std::nullopt; }),
};
constexpr FinderTable<InstanceView> kGpuFacts(kGpuFinders);

std::optional<double> age(const OfferView& v) {
  const Date dated = Date::from_packed(v.offer.as_of);
  const auto days = days_between(dated, v.today);
  return days && !catalog::is_to_come(dated, v.today) ? std::optional<double>(std::max(0, *days)) : std::nullopt;
}

std::optional<double> days_ahead(const OfferView& v) {
  const Date dated = Date::from_packed(v.offer.as_of);
  return catalog::is_to_come(dated, v.today) ? std::optional<double>(*days_between(v.today, dated)) : std::nullopt;
}

std::string_view status_of(const OfferView& view) {
  const auto& instance = view.catalog.instances()[view.offer.instance];
  const catalog::OfferState* state = view.catalog.state_of(instance, view.offer);
  return to_text(state == nullptr ? catalog::Availability::available : state->state);
}

template <Fact fact, class Get>
constexpr Finder<OfferView> of_offer(Get get) {
  return finder<OfferView, fact>(get);
}

constexpr Finder<OfferView> kOfferFinders[] = {
    of_offer<Fact::provider>([](const auto& v) { return v.catalog.region_of(v.offer).provider; }),
    of_offer<Fact::region>([](const auto& v) { return v.catalog.region_of(v.offer).id; }),
    of_offer<Fact::country>([](const auto& v) { return v.catalog.region_of(v.offer).country; }),
    of_offer<Fact::term>([](const auto& v) { return to_text(v.offer.term); }),
    of_offer<Fact::offer_status>([](const auto& v) { return status_of(v); }),
    of_offer<Fact::price_ended>([](const auto& v) { return has_ended(v.offer, v.catalog, v.today); }),
    of_offer<Fact::price_is_guess>([](const auto& v) { return is_guess(v.offer, v.today); }),
    of_offer<Fact::price_note>([](const auto& v) { return v.catalog.origin_of(v.offer).note; }),
    of_offer<Fact::currency>([](const auto& v) { return v.cost.published.currency.code(); }),
    of_offer<Fact::price_per_hour>([](const auto& v) { return v.cost.hourly; }),
    of_offer<Fact::price_age_days>([](const auto& v) { return age(v); }),
    of_offer<Fact::price_days_ahead>([](const auto& v) { return days_ahead(v); }),
    of_offer<Fact::price_to_published>([](const auto& v) { return v.catalog.origin_of(v.offer).to_published; }),
    of_offer<Fact::price_too_old>([](const auto& v) { return to_text(v.cost.today.too_old); }),
    of_offer<Fact::price_today>([](const auto& v) { return v.cost.today.mid; }),
    of_offer<Fact::price_today_low>([](const auto& v) { return v.cost.today.low; }),
    of_offer<Fact::price_today_high>([](const auto& v) { return v.cost.today.high; }),
    of_offer<Fact::price_order>([](const auto& v) { return v.cost.order_factor(); }),
    of_offer<Fact::price_confidence>([](const auto& v) { return to_text(v.catalog.origin_of(v.offer).confidence); }),
    of_offer<Fact::cost>([](const auto& v) { return v.cost.total; }),
    of_offer<Fact::cost_per_million_tokens>([](const auto& v) { return v.cost.per_million_tokens; }),
    of_offer<Fact::cost_per_unit>([](const auto& v) { return v.cost.per_unit; }),
};
constexpr FinderTable<OfferView> kOfferFacts(kOfferFinders);

}  // namespace

std::vector<std::string> priced_terms(const catalog::Instance& instance, const catalog::Catalog& catalog, Date today) {
  std::map<catalog::Term, std::optional<Date>> ends;  // the last one; nothing: a price holds
  for (const catalog::Offer& offer : catalog.offers_of(instance)) {
    const Date end = catalog.origin_of(offer).ends;
    auto& last = ends.try_emplace(offer.term, end).first->second;
    last = has_ended(offer, catalog, today) && last ? std::optional(std::max(*last, end)) : std::nullopt;
  }
  std::vector<std::string> terms;
  for (const auto& [term, end] : ends)
    terms.push_back(end ? say("{} (expired on {})", say_name(to_text(term)), end->text()) : say_name(to_text(term)));
  return terms;
}

bool has_ended(const catalog::Offer& offer, const catalog::Catalog& catalog, Date today) {
  const Date ends = catalog.origin_of(offer).ends;
  return ends.known() && ends < today;
}

bool is_guess(const catalog::Offer& offer, Date today) {
  constexpr int kSpotDays = 14;  // two snapshots some weeks apart differ by a third, up and down
  if (offer.term != catalog::Term::spot) return false;
  const Date day = Date::from_packed(offer.as_of);
  const auto age = days_between(day, today);
  return day.day() == 0 || !age || *age > kSpotDays;
}

std::string guess_text() { return say("spot price is approximate: undated or more than two weeks old"); }

namespace {

void model_facts(Facts& facts, const catalog::Model& model, const Job& work) {
  facts.set(Fact::model, model.id);
  facts.set(Fact::model_kind, text_of(model.kind));
  facts.set(Fact::model_family, model.family);
  facts.set(Fact::model_licence, model.licence);
  if (work.counted)
    facts.set(Fact::model_params_b, model.params_b);
  else
    facts.set(Fact::model_params_b, work.parameters.total() / 1e9);
  facts.set(Fact::is_moe, model.is_moe());
}

/// What only some classes of counted work have.
void one_job_facts(Facts& facts, const job::OfflineRender& job) {
  facts.set(Fact::render, to_text(job::Render::offline));
  facts.set(Fact::renderer, to_text(job.renderer));
  facts.set(Fact::scene_vram_gib, job.scene_gib);
}
void one_job_facts(Facts& facts, const job::SessionJob& job) {
  facts.set(Fact::render, to_text(job.kind));
  facts.set(Fact::guest, to_text(job.guest));
  if (job.kind == job::Render::realtime) facts.set(Fact::codec, to_text(job.codec));
  facts.set(Fact::scene_vram_gib, job.session_gib);
}
void one_job_facts(Facts& facts, const job::SimulationJob& job) { facts.set(Fact::solver, to_text(job.solver)); }
void one_job_facts(Facts& facts, const job::TranscodeJob& job) { facts.set(Fact::codec, to_text(job.codec)); }
void one_job_facts(Facts& facts, const job::PreprocessJob& job) { facts.set(Fact::preprocess, to_text(job.kind)); }
void one_job_facts(Facts&, const auto&) {}

void counted_facts(Facts& facts, const Job& work) {
  const job::Counted& counted = *work.counted;
  facts.set(Fact::work, std::visit([](const auto& job) { return job.kClass; }, counted.job));
  facts.set(Fact::demand, counted.demand);
  facts.set(Fact::needs_workstation, counted.needs_workstation);
  if (job::runs_model(work.task)) {
    facts.set(Fact::engine, to_text(counted.engine));
    facts.set(Fact::mode, to_text(counted.mode));
    if (job::is_training(work.task)) facts.set(Fact::method, to_text(work.training.method));
    if (!work.inference.weights_precision.empty())
      facts.set(Fact::weights_precision, std::string_view(work.inference.weights_precision));
  }
  std::visit([&](const auto& job) { one_job_facts(facts, job); }, counted.job);
}

}  // namespace

void job_facts(Facts& facts, const Job& work, bool accepts_unavailable) {
  facts.set(Fact::task, to_text(work.task));
  facts.set(Fact::profile, to_text(work.profile));
  facts.set(Fact::accepts_unavailable, accepts_unavailable);
  if (work.model != nullptr) model_facts(facts, *work.model, work);
  if (work.counted) return counted_facts(facts, work);
  facts.set(Fact::work, "language");
  if (job::is_training(work.task)) {
    facts.set(Fact::method, to_text(work.training.method));
    facts.set(Fact::framework, std::string_view(work.training.framework));
    facts.set(Fact::seq_len, static_cast<double>(work.training.seq_len));
  } else {
    facts.set(Fact::engine, to_text(work.inference.engine));
    facts.set(Fact::context_tokens, static_cast<double>(work.inference.input_tokens + work.inference.output_tokens));
    facts.set(Fact::demand, work.inference.request_rate);
  }
}

FactSet gpu_facts(Facts& facts, const physics::Machine& machine, const catalog::Catalog& catalog,
                  const physics::Coefficients& c) {
  FactSet known = kGpuFacts.facts();
  // Of a machine that nobody rents these are assumptions of the estimate.
  for (const Fact fact : {Fact::gpu_share, Fact::vcpu_per_gpu, Fact::host_memory_per_gpu_gib, Fact::link_gbs_per_gpu,
                          Fact::gpu_link, Fact::has_nvlink, Fact::gpu_memory_gb, Fact::gpu_memory_usable_gib})
    known.reset(fact);
  if (machine.on_cpu()) return {};
  catalog::Instance instance;
  instance.gpu = machine.device.gpu->id;
  instance.gpu_index = static_cast<std::int32_t>(machine.device.gpu - catalog.gpus().data());
  instance.gpu_count = machine.gpus_per_node;
  kGpuFacts.find(facts, InstanceView(instance, nullptr, catalog, c), known);
  return known;
}

void instance_facts(Facts& facts, const InstanceView& view, const FactSet& wanted) {
  kInstanceFacts.find(facts, view, wanted);
  if (view.gpu != nullptr)
    kGpuFacts.find(facts, view, wanted);
  else
    kGpuFacts.facts().for_each([&](Fact fact) { facts.forget(fact); });
}

namespace {

void counted_plan_facts(Facts& facts, const physics::Machine& machine, const physics::Plan& plan) {
  facts.set(Fact::precision, to_text(plan.layout.precision));
  if (!machine.on_cpu()) facts.set(Fact::native_arithmetic, machine.device.native(plan.layout.precision));
  facts.set(Fact::batch, static_cast<double>(plan.layout.micro_batch));
  facts.set(Fact::throughput, plan.rate);
  if (plan.usual_time().raw() > 0) facts.set(Fact::latency_ms, in_ms(plan.usual_time()));
  static constexpr std::pair<std::string_view, Fact> kNamed[] = {{"slowdown", Fact::slowdown},
                                                                 {"largest_table_share", Fact::largest_table_share},
                                                                 {"offloaded_gib", Fact::offloaded_gib},
                                                                 {"loader_share", Fact::loader_share}};
  for (const physics::NamedFigure& figure : plan.more)
    for (const auto& [key, fact] : kNamed)
      if (figure.key == key) facts.set(fact, figure.value);
}

}  // namespace

namespace {

void time_facts(Facts& facts, const Job& work, const physics::Machine& machine, const physics::Plan& plan,
                const money::Duty& duty, const physics::Coefficients& c) {
  const auto expected = expected_hours(work, machine, plan, plan.rate, c);
  if (!expected) return;
  facts.set(Fact::hours, *expected);
  const auto sure = expected_hours(work, machine, plan, sure_rate(work, machine, plan, c), c);
  facts.set(Fact::elapsed_hours, money::elapsed_hours(*sure, duty));
}

/// Host memory of one node that loading takes; nothing where no weights are loaded. Trainers make a model on the host
/// and then shard or move it. Quantizers of bitsandbytes load onto the GPU of each rank
/// (huggingface.co/docs/transformers/quantization/bitsandbytes), unless weights are sharded: FSDP has one rank load all
/// (huggingface.co/docs/accelerate/usage_guides/fsdp, cpu_ram_efficient_loading).
Number load_gib(const Job& work, const physics::Machine& machine, const physics::Plan& plan) {
  const physics::Layout& layout = plan.layout;
  if (plan.training) {
    if (work.task == job::Task::pretrain) return std::nullopt;
    const double whole = work.parameters.total() * 2 * kLoadCopies;
    const bool apart = layout.sharding == job::Sharding::none || layout.sharding == job::Sharding::ddp;
    const bool in_parts = work.training.method == job::Method::qlora && apart;
    return (in_parts ? std::min(whole, kLoadedPart * machine.gpus_per_node) : whole) / kGiB;
  }
  return std::min(physics::stored_weights(work, *layout.weights).raw() * kLoadCopies, kLoadedPart) / kGiB;
}

void memory_facts(Facts& facts, const Job& work, const physics::Machine& machine, const physics::Plan& plan,
                  const physics::Coefficients& c) {
  const Bytes needed = plan.memory_needed();
  facts.set(Fact::memory_needed_gib, in_gib(needed));
  facts.set(Fact::memory_usable_gib, in_gib(machine.memory()));
  free_memory_facts(facts);
  if (!plan.need.is_known()) return;
  const physics::Interval interval = plan.need.interval_gib();
  facts.set(Fact::memory_required_gib, in_gib(needed));
  facts.set(Fact::memory_low_gib, interval.low);
  facts.set(Fact::memory_high_gib, interval.high);
  facts.set(Fact::fit_probability, plan.need.chance());
  facts.set(Fact::fit_asked, physics::least_chance(work, c));
}

}  // namespace

void free_memory_facts(Facts& facts) {
  if (!facts.known(Fact::memory_needed_gib) || !facts.known(Fact::memory_usable_gib)) return;
  const double needed = facts.number(Fact::memory_needed_gib);
  const double usable = facts.number(Fact::memory_usable_gib);
  facts.set(Fact::memory_free_gib, usable - needed);
  if (usable > 0) facts.set(Fact::memory_used_share, needed / usable);
}

void plan_facts(Facts& facts, const Job& work, const physics::Machine& machine, const physics::Plan& plan,
                const money::Duty& duty, const physics::Coefficients& c) {
  time_facts(facts, work, machine, plan, duty, c);
  memory_facts(facts, work, machine, plan, c);
  facts.set(Fact::bound_by, plan.bound_by);
  facts.set(Fact::nodes, static_cast<double>(machine.nodes));
  facts.set(Fact::gpus, static_cast<double>(machine.gpus()));
  if (!plan.training && !plan.serving) {
    counted_plan_facts(facts, machine, plan);
    return;
  }
  const physics::Layout& layout = plan.layout;
  facts.set(Fact::tp, static_cast<double>(layout.tp));
  facts.set(Fact::pp, static_cast<double>(layout.pp));
  facts.set(Fact::replica_nodes, std::ceil(static_cast<double>(layout.tp * layout.pp) / machine.gpus_per_node));
  facts.set(Fact::dp, static_cast<double>(layout.dp));
  facts.set(Fact::load_memory_gib, load_gib(work, machine, plan));
  if (plan.training) {
    facts.set(Fact::precision, to_text(layout.precision));
    facts.set(Fact::flash_attention, layout.flash_attention);
    facts.set(Fact::native_arithmetic, machine.device.native(layout.precision));
    facts.set(Fact::offloaded_gib, in_gib(physics::offloaded_states(work, layout.precision)) / machine.nodes);
    if (plan.rate > 0) facts.set(Fact::mfu, plan.training->mfu);
  } else {
    facts.set(Fact::weights_precision, layout.weights->name);
    const double stored = in_gib(physics::stored_weights(work, *layout.weights));
    const int nodes_per_copy = std::max(1, layout.tp * layout.pp / machine.gpus_per_node);
    const double held = stored * layout.dp / machine.nodes / nodes_per_copy;
    facts.set(Fact::offloaded_gib, held * physics::host_share(work, layout));
    const auto released = physics::weight_format(physics::native_weight_format(*work.model, machine.device));
    if (released) facts.set(Fact::quantised, layout.weights->bits < 0.99 * (*released)->bits);
    if (plan.rate > 0) facts.set(Fact::native_arithmetic, plan.serving->speed.weights_native);
    if (physics::asked_release(work.inference).empty())
      if (const auto refused =
              physics::weights_not_starting(work.inference, work.asked_as, *layout.weights, machine.device);
          refused && refused->other != nullptr)
        facts.set(Fact::engine_until, refused->other->until);
    if (const auto& assumed = machine.device.assumed_half) facts.set(Fact::assumed_tflops, assumed->tflops);
    const double most = plan.serving->speed.most_requests_per_s;
    // Within targets of latency it is less, and nobody worked out how much.
    if (most > 0 && !physics::has_targets(work.inference)) facts.set(Fact::throughput, most);
  }
  if (plan.rate > 0) facts.set(Fact::tokens_per_s, plan.rate);
}

void offer_facts(Facts& facts, const OfferView& view, const FactSet& wanted) { kOfferFacts.find(facts, view, wanted); }

Facts facts_of(const Recommendation& candidate, const Job& work, const Question& question,
               const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  Facts facts;
  job_facts(facts, work, question.constraints.include_unavailable.value_or(false));
  const auto provider = catalog.provider(candidate.instance->provider);
  instance_facts(facts, {*candidate.instance, provider ? *provider : nullptr, catalog, coefficients});
  plan_facts(facts, work, candidate.machine(), candidate.plan(), question.duty, coefficients);
  offer_facts(facts, {*candidate.offer, candidate.cost, catalog, question.today});
  facts.set(Fact::fit, to_text(candidate.fit.verdict));
  facts.set(Fact::targets_probability, candidate.in_time);
  facts.set(Fact::budget_probability, candidate.in_budget);
  return facts;
}

Facts facts_to_pass(const Recommendation& candidate, const Job& work, const Question& question,
                    const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  Facts facts = facts_of(candidate, work, question, catalog, coefficients);
  // A month of a service is kept to at the published price, a job with the confidence that is asked for.
  if (work.ends() && candidate.cost_interval.low > 0) {
    const double sure = physics::Likely::between(candidate.cost_interval).at(normal_quantile(work.confidence));
    facts.set(Fact::cost, std::max(candidate.cost.total, sure));
  }
  return facts;
}

}  // namespace gpusel::answer
