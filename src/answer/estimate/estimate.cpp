#include "answer/estimate/estimate.hpp"

#include "answer/estimate/estimate_notes.hpp"
#include "answer/estimate/inference_advice.hpp"
#include "answer/estimate/named_processor.hpp"
#include "answer/estimate/near_miss.hpp"
#include "answer/estimate/training_advice.hpp"
#include "answer/facts/candidates.hpp"
#include "answer/search/promises.hpp"
#include "answer/search/search.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/records/mig.hpp"
#include "catalog/weights/quantised_name.hpp"
#include "catalog/weights/repository.hpp"
#include "job/processor.hpp"
#include "job/request/task_words.hpp"
#include "physics/planner/legal.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using job::Request;
using physics::Machine;

/// Fabric a job of this kind usually has between nodes, per node.
constexpr double kTrainingFabricGbps = 3200;  // eight 400 Gbit/s adapters
constexpr double kOlderFabricGbps = 800;      // A100 and older, or cards on PCIe
constexpr double kPlainNetworkGbps = 100;
constexpr std::int64_t kRackGpus = 72;   // joined by NVLink in an NVL72 rack
constexpr std::size_t kMostChosen = 13;  // of what a plan chooses

class MachineMaker {
 public:
  MachineMaker(const Request& request, const catalog::Gpu& gpu, const catalog::Catalog& catalog,
               const physics::Coefficients& c)
      : request_(request), gpu_(gpu), catalog_(catalog), c_(c) {}

  Result<Machine> make(job::Assumptions& assumed) {
    Machine machine;
    auto device = make_device();
    if (!device) return std::unexpected(device.error());
    machine.device = *device;
    // However much is in use, some memory is left to compare with.
    constexpr double kLeastLeft = 0.01;
    const Bytes usable = machine.device.usable;
    machine.device.usable = std::max(usable - gib(request_.used_gib), usable * kLeastLeft);
    const auto all = gpus_of_all();
    if (!all) return std::unexpected(all.error());
    const std::int64_t gpus = *all;
    if (request_.gpu_parts && gpus > 1)
      return usage_error(say("a job runs on one MIG slice: NCCL cannot combine slices"), "gpus",
                         say("--gpu {0} takes the whole GPU, --gpu {0}:{1} as many of them", request_.gpu, gpus));
    // Fewer GPUs than a node has: the job takes part of one node.
    const std::int64_t per_node =
        request_.nodes ? gpus / *request_.nodes : std::min(gpus, request_.gpus_per_node.value_or(kUsualPerNode));
    if (!request_.gpus) assumed.push_back({"gpus", static_cast<double>(gpus)});
    if (gpus % per_node != 0)
      return usage_error(say("{} GPUs do not divide into nodes of {}", gpus, per_node), "gpus_per_node");
    const std::int64_t linked = linked_gpus(gpus, per_node);
    machine.gpus_per_node = static_cast<int>(linked);
    machine.nodes = static_cast<int>(gpus / linked);
    if (request_.vcpus_per_gpu) machine.host.vcpus = *request_.vcpus_per_gpu * machine.gpus_per_node;
    if (request_.storage_gbs) machine.host.storage = gb_per_s(*request_.storage_gbs);
    const auto link = request_.interconnect ? physics::link_of_kind(gpu_, *request_.interconnect)
                                            : physics::usual_link(gpu_, machine.gpus_per_node);
    if (machine.gpus_per_node > 1) {
      machine.link = link.link;
      machine.link_bandwidth = link.bandwidth;
      if (!request_.interconnect) assumed.push_back({"interconnect", std::string(to_text(link.link))});
    }
    if (machine.nodes > 1) {
      const double gbps = request_.internode_gbps.value_or(usual_fabric());
      machine.network = gbit_per_s(gbps * static_cast<double>(linked) / static_cast<double>(per_node));
      machine.rdma = gbps >= 200;
      if (!request_.internode_gbps) assumed.push_back({"internode_gbps", gbps});
    }
    return machine;
  }

 private:
  /// A whole GPU, or the slice that was asked for.
  Result<physics::Device> make_device() const {
    if (!request_.gpu_parts) return physics::make_device(gpu_, 1, std::nullopt, c_);
    const auto slice = catalog::mig_slice(gpu_, static_cast<int>(*request_.gpu_parts), catalog_);
    if (!slice) {
      const auto profiles = catalog::mig_profiles(gpu_, catalog_);
      const auto smallest = std::ranges::max_element(profiles, {}, &catalog::MigProfile::most);
      return usage_error(say("no MIG profile cuts {} into {} slices", gpu_.id, *request_.gpu_parts), "gpu",
                         smallest == profiles.end() ? say("it has no MIG: --gpu {} takes all of it", gpu_.id)
                                                    : say("the smallest is --gpu {}:1/{}", gpu_.id, smallest->most));
    }
    return physics::make_slice(gpu_, slice->compute, slice->memory, c_);
  }

  /// total GPUs: by their number, or by nodes and what each of them has.
  Result<std::int64_t> gpus_of_all() const {
    if (!request_.nodes) return request_.gpus.value_or(1);
    const std::int64_t nodes = *request_.nodes;
    if (request_.gpus_per_node) return nodes * *request_.gpus_per_node;
    if (!request_.gpus) return nodes * kUsualPerNode;
    if (*request_.gpus % nodes != 0)
      return usage_error(say("{} GPUs cannot be spread evenly over {} nodes", *request_.gpus, nodes), "nodes");
    return *request_.gpus;
  }

  /// GPUs that NVLink joins: a node, or with NVL72 as many nodes of a rack as the job fills evenly.
  std::int64_t linked_gpus(std::int64_t gpus, std::int64_t per_node) const {
    if (request_.interconnect != job::Interconnect::nvl72) return per_node;
    std::int64_t linked = per_node;
    for (std::int64_t domain = per_node; domain <= std::min(kRackGpus, gpus); domain += per_node)
      if (gpus % domain == 0) linked = domain;
    return linked;
  }

  double usual_fabric() const {
    const bool switched = gpu_.interconnect == catalog::GpuLink::nvswitch_capable;
    if (switched && gpu_.capability.value_or(0) >= 9.0) return kTrainingFabricGbps;
    return switched || gpu_.interconnect == catalog::GpuLink::nvlink ? kOlderFabricGbps : kPlainNetworkGbps;
  }

  const Request& request_;
  const catalog::Gpu& gpu_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& c_;
};

/// Fine-tuning that master copies do not leave room for is commonly done in bf16 alone. It is said, and not done
/// unasked: a default is the same on every machine.
void tell_without_masters(EstimateAnswer& answer, const physics::Coefficients& c) {
  const auto pure = without_masters(answer.work, answer.machine, answer.plan, c);
  if (pure)
    answer.notes.push_back(say("--recipe pure would fit: {:.1f} GiB per GPU, weights, gradients and states in bf16",
                               in_gib(pure->memory.total())));
}

}  // namespace

void note_reading(const catalog::ConfigModel& model, std::vector<std::string>& notes) {
  notes.insert(notes.end(), model.notes.begin(), model.notes.end());
  if (model.unread.empty()) return;
  constexpr std::size_t kShown = 12;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, model.unread.size()); ++i)
    list += (i == 0 ? "" : ", ") + printable(shorten(model.unread[i], 60));
  if (model.unread.size() > kShown) list += say(" and {} more", model.unread.size() - kShown);
  notes.push_back(say("keys of the configuration that were not understood: {}", list));
}

namespace {

/// The sum, and what it is compared with.
void explain_fit(const Machine& machine, const physics::Plan& plan, physics::Trace& trace) {
  const auto& memory = plan.memory;
  if (memory.total().raw() <= 0) return;
  record(&trace, {"memory.total", "{:.2f}", "GiB", to_say("sum of the parts")},
         [&](auto told) { return memory.sum(told); });
  note(trace, {"memory.usable", "{:.2f}", "GiB", "gpusel gpus show"}, in_gib(machine.memory()),
       say("memory that a process can use, less than the marketed size"),
       machine.on_cpu() ? say("memory of the instance") : std::string(machine.device.gpu->id));
  physics::explain_need(plan, trace);
  record(&trace, {"memory.free", "{:.2f}", "GiB", to_say("arithmetic")},
         [&](auto told) { return told("usable", machine.memory()) - told("needed", plan.need.needed); });
}

/// What was simulated stands in place of the closed forms of the same name.
void explain_simulated(const physics::Plan& plan, physics::Trace& trace) {
  if (!plan.serving || !plan.serving->speed.simulated) return;
  const auto& of = *plan.serving->speed.simulated;
  for (const auto& [quantity, times] : {std::pair("inference.ttft", &of.ttft), std::pair("inference.itl", &of.itl)}) {
    std::erase_if(trace, [&](const auto& line) { return line.quantity == quantity; });
    note(trace, {quantity, "{:.2f}", "ms", "docs/serving.md"}, in_ms(times->p50), say("median over simulated requests"),
         {});
  }
}

}  // namespace

physics::Trace explain(const Job& work, const Machine& machine, const physics::Plan& plan,
                       const physics::Coefficients& c) {
  physics::Trace trace;
  physics::physics_of(work).explain(work, machine, plan, c, trace);
  explain_simulated(plan, trace);
  explain_fit(machine, plan, trace);
  physics::intervals_for(work, machine, plan, c, &trace);
  return trace;
}

Result<Machine> requested_machine(const Request& request, const catalog::Gpu& gpu, const catalog::Catalog& catalog,
                                  const physics::Coefficients& c, job::Assumptions& assumed) {
  return MachineMaker(request, gpu, catalog, c).make(assumed);
}

namespace {

/// The weights that the name of a quantised repository says, where the catalogue has its base alone; false where not.
bool take_named_format(std::string_view name, catalog::ConfigModel& taken) {
  catalog::Model& model = taken.model;
  const auto quantised = catalog::quantised_name(name);
  std::vector<std::string_view> names{model.id};
  for (const std::string_view alias : model.aliases) names.push_back(alias);
  if (!quantised || catalog::is_called(names, name)) return false;
  // The size of the released files is that of their own format.
  if (!model.native_dtype.starts_with(quantised->format)) model.native_weights_gib = {};
  model.native_dtype = taken.texts.emplace_back(quantised->format);
  taken.notes.push_back(
      quantised->format_open
          ? say("'{}' is taken as {} in {}, its usual format", shorten(name, 80), model.id, quantised->format)
          : say("'{}' is taken as {} in {}, as its name says", shorten(name, 80), model.id, quantised->format));
  return true;
}

/// The context that config.json of the named repository has; of a quantised one, that of its base. A bare id is the
/// model as such, which keeps its own. False: the record's holds.
bool take_named_context(std::string_view name, catalog::Model& model) {
  if (!model.repository_context) return false;
  const auto quantised = catalog::quantised_name(name);
  const std::string base(quantised ? std::string_view(quantised->base) : name);
  const catalog::Repository named = catalog::repository_of(model, base, false);
  const auto is_named = [&](std::string_view one) {
    return lower(one.substr(one.rfind('/') + 1)) == lower(named.name.substr(named.name.rfind('/') + 1));
  };
  if (named.choice != catalog::RepositoryChoice::asked) return false;
  if (std::ranges::none_of(model.context_repositories, is_named)) return false;
  model.max_context = model.repository_context;
  return true;
}

Result<FoundModel> find_main_model(const Request& request, const catalog::Catalog& catalog) {
  FoundModel found;
  const auto own = [&](Result<std::unique_ptr<catalog::ConfigModel>> read) -> Result<FoundModel> {
    if (!read) return std::unexpected(read.error());
    auto config = std::shared_ptr<catalog::ConfigModel>(std::move(*read));
    if (request.params_b) config->model.params_b = request.params_b;
    if (request.active_params_b) config->model.active_params_b = request.active_params_b;
    catalog::complete_experts(config->model);
    found.own = config;
    found.model = &config->model;
    return found;
  };
  if (request.inline_model) return own(catalog::read_config(*request.inline_model, "model"));
  if (request.model.empty())
    return missing_error(say("the model is missing"), "model",
                         say("--model llama-3.1-8b, flux.1-dev or whisper-large-v3, for example"));
  if (catalog::looks_like_path(request.model)) return own(catalog::read_model_file(request.model));
  auto named = catalog.model(request.model);
  if (!named) {
    Error error = named.error();
    error.where = "model";
    return std::unexpected(std::move(error));
  }
  found.model = *named;
  auto changed = std::make_shared<catalog::ConfigModel>();
  changed->model = **named;
  const bool is_quantised = take_named_format(request.model, *changed);
  const bool is_shorter = take_named_context(request.model, changed->model);
  if (!is_quantised && !is_shorter && !request.params_b && !request.active_params_b) return found;
  if (request.params_b) changed->model.params_b = request.params_b;
  if (request.active_params_b) changed->model.active_params_b = request.active_params_b;
  found.own = changed;
  found.model = &changed->model;
  return found;
}

}  // namespace

Result<FoundModel> find_model(const Request& request, const catalog::Catalog& catalog) {
  if (request.task && !job::runs_model(*request.task)) return FoundModel{};
  auto found = find_main_model(request, catalog);
  if (!found || request.speculative.empty() || request.speculative == "none") return found;
  const auto draft = catalog.model(request.speculative);
  if (!draft) {
    Error error = draft.error();
    error.where = "speculative";
    return std::unexpected(std::move(error));
  }
  found->draft = *draft;
  return found;
}

namespace {

/// An instance named where a GPU is asked for: its GPUs, and what of its host matters. What is said otherwise stays.
void take_instance(Request& request, const catalog::Instance& instance) {
  request.gpu = instance.gpu;
  const auto set = [](auto& place, auto value) {
    if (!place && value > 0) place = value;
  };
  const auto gpus = static_cast<std::int64_t>(instance.gpu_count.value_or(0));
  // "4x g6e.xlarge" counts instances, where "4xH100" counts GPUs of one.
  if (request.gpus && request.gpus == request.gpus_per_node && !request.nodes) request.nodes = request.gpus;
  if (gpus >= 1) {
    request.gpus_per_node = gpus;
    request.gpus = gpus * request.nodes.value_or(1);
  }
  if (gpus >= 1 && instance.vcpu) set(request.vcpus_per_gpu, *instance.vcpu / static_cast<double>(gpus));
  if (instance.network_gbps) set(request.internode_gbps, *instance.network_gbps);
}

}  // namespace

Status settle(Request& request, const catalog::Catalog& catalog, bool has_load) {
  if (!request.gpu.empty() && !catalog.has_gpu(request.gpu) && catalog.has_instance(request.gpu)) {
    const auto instance = catalog.instance(request.gpu);
    if (!instance) return std::unexpected(instance.error());
    if (!(*instance)->gpu.empty()) take_instance(request, **instance);
  }
  if (!request.names_model() && !request.usual_model.empty()) {
    request.model = request.usual_model;
    request.task_remark = to_say("no model named: the usual one for this work is taken; --model names another");
  }
  if (request.task_without_model && request.names_model()) request.task.reset();
  if (request.task) {
    job::rename_for_task(request, has_load);
    return {};
  }
  if (!request.names_model()) {
    request.task = job::task_of(request, false);
  } else {
    if (auto model = find_model(request, catalog); !model) return std::unexpected(model.error());
    request.task = job::task_of(request, true);
  }
  request.task_assumed = request.task.has_value();
  job::rename_for_task(request, has_load);
  return {};
}

namespace {

/// Training may lengthen a context; an engine refuses what is longer. What was measured ran.
Status stays_in_context(const Job& work, const Request& request) {
  const bool serves = work.task == job::Task::inference && !work.counted;
  if (!serves || request.of_data || !work.model->max_context) return {};
  const auto longest = static_cast<std::int64_t>(*work.model->max_context);
  const std::int64_t input = work.inference.input_tokens, output = work.inference.output_tokens;
  if (input + output <= longest) return {};
  std::string message = say("{} prompt and {} generated tokens exceed the {}-token context of {}", input, output,
                            longest, work.model->id);
  if (output >= longest) return usage_error(std::move(message), "output_tokens", say("--osl below {}", longest));
  return usage_error(std::move(message), request.input_tokens || request.context ? "input_tokens" : "output_tokens",
                     say("--isl {} or less", longest - output));
}

}  // namespace

Result<Job> resolve_work(const Request& request, const FoundModel& model, const catalog::Catalog& catalog) {
  auto work = job::is_counted(request, model.model) ? job::resolve_counted(request, model.model, catalog)
                                                    : job::resolve(request, *model.model, catalog, model.draft);
  if (work && !request.inline_model && !catalog::looks_like_path(request.model)) work->asked_as = request.model;
  if (!work) return work;
  if (Status stays = stays_in_context(*work, request); !stays) return std::unexpected(stays.error());
  return work;
}

Result<Job> resolve_choosing(Request request, const FoundModel& model, const catalog::Catalog& catalog) {
  job::Assumptions assumed;
  job::assume_precision(request, model.model, assumed);
  auto work = resolve_work(request, model, catalog);
  if (work) std::ranges::move(assumed, std::back_inserter(work->assumed));
  return work;
}

/// Where the framework was left open, or is one that trains weights as they are loaded.
bool trains_without_masters(const Job& work, const physics::Layout& layout) {
  const catalog::Framework& framework = *work.training.framework_record;
  const bool whole = layout.sharding == job::Sharding::none || layout.sharding == job::Sharding::ddp;
  if (physics::is_assumed(work, "framework") ||
      (framework.trains_pure.value_or(false) && !framework.masters_if_sharded.value_or(false)))
    return true;
  return whole && framework.code == catalog::LayerCode::eager;
}

std::optional<physics::Plan> without_masters(const Job& work, const Machine& machine, const physics::Plan& mixed,
                                             const physics::Coefficients& c) {
  const auto& job = work.training;
  if (!mixed.training || mixed.fits || !job.recipe_open || job.recipe != job::Recipe::mixed ||
      job.method != job::Method::full || work.task != job::Task::finetune ||
      mixed.layout.precision != job::Precision::bf16)
    return std::nullopt;
  Job bare = work;
  bare.training.recipe = job::Recipe::pure;
  auto pure = physics::plan_for(bare, machine, c);
  if (!pure || !pure->fits || !trains_without_masters(work, pure->layout)) return std::nullopt;
  return std::move(*pure);
}

job::Assumptions chosen(const Job& work, const physics::Plan& plan) {
  return physics::physics_of(work).chosen(work, plan);
}

namespace {

/// GPUs, or a machine without any, as the request names them.
Result<Machine> named_machine(const Request& request, const Job& work, const catalog::Catalog& catalog,
                              const physics::Coefficients& c, job::Assumptions& assumed) {
  if (names_processor(request, catalog)) return named_processor(request, work, catalog, c, assumed);
  auto gpu = catalog.gpu(request.gpu);
  if (gpu) return requested_machine(request, **gpu, catalog, c, assumed);
  gpu.error().where = "gpu";
  return std::unexpected(gpu.error());
}

}  // namespace

Result<EstimateAnswer> answer_estimate(const Request& asked, const catalog::Catalog& catalog,
                                       const physics::Coefficients& c, bool with_trace,
                                       std::span<const rules::Rule> rules) {
  auto found = find_model(asked, catalog);
  if (!found) return std::unexpected(found.error());
  Request request = asked;
  job::Assumptions by_machine;
  if (names_processor(asked, catalog)) job::assume_processor(request, found->model, by_machine);
  auto work = resolve_work(request, *found, catalog);
  if (!work) return std::unexpected(work.error());
  if (request.gpu.empty())
    return missing_error(say("the GPU is missing"), "gpu",
                         say("--gpu l40s, for example; which are enough: gpusel recommend {}",
                             request.model.empty() ? work->model->id : request.model));
  EstimateAnswer answer;
  answer.id = request.id;
  answer.own_model = found->own;
  answer.work = std::move(*work);
  answer.assumed.reserve(answer.work.assumed.size() + kMostChosen);
  answer.assumed = answer.work.assumed;
  answer.notes = answer.work.notes;
  if (found->own) note_reading(*found->own, answer.notes);
  auto machine = named_machine(request, answer.work, catalog, c, by_machine);
  if (!machine) return std::unexpected(machine.error());
  answer.machine = *machine;
  // Which processor, and what serves the model there, is what a reader asks first.
  if (machine->on_cpu()) answer.work.assumed.insert(answer.work.assumed.begin(), by_machine.begin(), by_machine.end());
  answer.assumed.insert(machine->on_cpu() ? answer.assumed.begin() : answer.assumed.end(), by_machine.begin(),
                        by_machine.end());
  job::Job on_all = answer.work;  // whatever may fail: this is what the machine itself does
  on_all.inference.redundancy = 0;
  if (on_all.counted) on_all.counted->redundancy = 0;
  auto plan = plan_on_all(on_all, answer.machine, catalog, c);
  if (!plan) return std::unexpected(plan.error());
  Promises promises(c);
  const PlannedMachine planned = promises.expected(answer.work, std::move(*plan));
  answer.plan = planned.plan;
  if (answer.plan.fits) answer.in_time = chance_in_time({}, answer.work, planned, &promises, c);
  if (answer.plan.serving && answer.work.inference.request_rate && answer.work.model->is_generator())
    answer.assumed.push_back(
        {"latency", std::string(answer.plan.serving->speed.simulated ? "simulated" : "closed-form")});
  tell_without_masters(answer, c);
  const auto extra = chosen(answer.work, answer.plan);
  answer.assumed.insert(answer.assumed.end(), extra.begin(), extra.end());
  if (const physics::Problem& problem = answer.plan.problem; problem.any()) answer.notes.push_back(problem.text());
  if (std::string change = what_would_fit(answer.work, answer.machine, answer.plan, c); !change.empty())
    answer.notes.push_back(answer.near_miss = std::move(change));
  answer.intervals = intervals_for(answer.work, answer.machine, answer.plan, c);
  add_fit(answer, rules, catalog, c);
  add_notes(answer, request, c);
  if (with_trace) {
    answer.trace = explain(answer.work, answer.machine, answer.plan, c);
    if (answer.plan.training) answer.advice = training_advice(answer.work, answer.machine, answer.plan, c);
    if (answer.plan.serving) answer.advice = inference_advice(answer.work, answer.machine, answer.plan, c);
  }
  return answer;
}

}  // namespace gpusel::answer
