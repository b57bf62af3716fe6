#include "answer/facts/candidates.hpp"

#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "money/storage.hpp"
#include "physics/kinds/networks/processor.hpp"

namespace gpusel::answer {

namespace {

using catalog::Instance;
using catalog::NodeLink;
using job::Job;

/// The link of an instance with one-way bandwidth: as documented, else as the part has it. An
/// undocumented link is taken as PCIe, the slowest.
physics::LinkChoice link_of(const Instance& instance, const catalog::Gpu& gpu) {
  const NodeLink link = instance.link.value_or(NodeLink::pcie);
  if (link == NodeLink::none || link == NodeLink::pcie) {
    const auto one_way = instance.link == NodeLink::pcie && instance.link_gbs_per_gpu
                             ? gb_per_s(*instance.link_gbs_per_gpu / 2)
                             : physics::pcie_bandwidth(gpu);
    return {NodeLink::pcie, one_way};
  }
  const double both_ways = instance.link_gbs_per_gpu.value_or(gpu.interconnect_gbs_bidir.value_or(0));
  if (both_ways <= 0) return {NodeLink::pcie, physics::pcie_bandwidth(gpu)};
  return {link, gb_per_s(both_ways / 2)};
}

/// What stands beside the GPUs; a figure of the instance goes before that of its processor.
physics::Host host_of(const Instance& instance, const catalog::Catalog& catalog, const physics::Coefficients& c,
                      std::optional<catalog::StorageKind> storage) {
  physics::Host host;
  host.storage = gb_per_s(money::most_node_gbs(instance, storage, catalog, c).value_or(0));
  host.cpu = catalog.cpu_of(instance);
  host.vcpus = instance.vcpu.value_or(0);
  host.memory = gib(instance.memory_gib.value_or(0));
  const auto either = [&](const catalog::Number& own, catalog::Number catalog::Cpu::* of_part) {
    return own ? *own : host.cpu != nullptr ? (host.cpu->*of_part).value_or(0) : 0;
  };
  host.threads_per_core = either(instance.cpu_threads_per_core, &catalog::Cpu::threads_per_core);
  host.ghz = either(instance.cpu_ghz, &catalog::Cpu::all_core_ghz);
  host.turbo_ghz = either(instance.cpu_turbo_ghz, &catalog::Cpu::turbo_ghz);
  return host;
}

}  // namespace

double devices_of(const Instance& instance, const catalog::Gpu& gpu) {
  return instance.gpu_count.value_or(0) * gpu.devices();
}

InstanceView::InstanceView(const Instance& of, const catalog::Provider* provider_of, const catalog::Catalog& all,
                           const physics::Coefficients& c)
    : instance(of),
      provider(provider_of),
      gpu(all.gpu_of(of)),
      devices(gpu != nullptr ? devices_of(of, *gpu) : 0),
      catalog(all),
      coefficients(c) {}

std::optional<double> InstanceView::share() const {
  return devices > 0 ? std::optional(std::min(1.0, devices)) : std::nullopt;
}

catalog::Number network_of(const Instance& instance) {
  if (!instance.fabric_gbps) return instance.network_gbps;
  return std::max(*instance.fabric_gbps, instance.network_gbps.value_or(0));
}

Result<physics::Machine> machine_of(const Instance& instance, int nodes, const catalog::Catalog& catalog,
                                    const physics::Coefficients& coefficients,
                                    std::optional<catalog::StorageKind> storage) {
  const catalog::Gpu* gpu = catalog.gpu_of(instance);
  const auto cannot = [&](std::string why) { return usage_error(std::move(why), std::string(instance.sku)); };
  if (instance.gpu.empty()) {
    physics::Machine machine;
    machine.host = host_of(instance, catalog, coefficients, storage);
    machine.gpus_per_node = 0;
    machine.nodes = nodes;
    machine.network = gbit_per_s(network_of(instance).value_or(0));
    if (machine.host.vcpus <= 0) return cannot(say("its number of vCPUs is not documented"));
    return machine;
  }
  if (gpu == nullptr) return cannot(say("its GPU is not disclosed"));
  const double devices = devices_of(instance, *gpu);
  if (devices <= 0) return cannot(say("its GPU count is not documented"));
  // A part of a board with two GPUs is a whole GPU; less than one GPU is a slice.
  const double share = std::min(1.0, devices);
  auto device = physics::make_device(*gpu, share, instance.gpu_memory_gb, coefficients);
  if (!device) return std::unexpected(device.error());
  physics::Machine machine;
  machine.device = *device;
  machine.host = host_of(instance, catalog, coefficients, storage);
  machine.gpus_per_node = std::max(1, static_cast<int>(std::lround(devices)));
  machine.nodes = nodes;
  if (machine.gpus_per_node > 1) {
    const auto link = link_of(instance, *gpu);
    machine.link = link.link;
    machine.link_bandwidth = link.bandwidth;
  }
  machine.network = gbit_per_s(network_of(instance).value_or(0));
  machine.rdma = instance.rdma.value_or(catalog::Rdma::none) != catalog::Rdma::none;
  return machine;
}

Result<physics::Machine> machine_for(const Job& work, const Instance& instance, int nodes,
                                     const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                     std::optional<catalog::StorageKind> storage) {
  auto machine = machine_of(instance, nodes, catalog, coefficients, storage);
  return machine ? physics::machine_for(work, std::move(*machine), coefficients) : machine;
}

PlannedMachine planned_on(physics::Machine machine, physics::Plan plan) {
  const int nodes = machine.nodes;
  const int groups = plan.serving && plan.layout.dp % nodes == 0 ? nodes : 1;
  return {.machine = std::move(machine), .plan = std::move(plan), .groups = groups, .working = groups};
}

std::pair<physics::Machine, physics::Layout> one_group(const PlannedMachine& planned) {
  std::pair out{planned.machine, planned.plan.layout};
  out.first.nodes /= planned.groups;
  out.second.dp /= planned.groups;
  return out;
}

std::string without_gpu(const Job& work) {
  if (work.counted)
    return work.counted->on_cpu ? say("CPU only, but a GPU is required")
                                : say("CPU only: many times slower than a GPU for this work");
  if (physics::runs_on_cpus(work)) return say("CPU only, but a GPU is required");
  return work.task == job::Task::inference && work.model->is_generator()
             ? say("CPU only; language models are estimated there under llama.cpp (--engine llama.cpp)")
             : say("CPU only; language models are trained on GPUs");
}

bool for_sale(catalog::Availability state) {
  return state != catalog::Availability::retired && state != catalog::Availability::restricted &&
         state != catalog::Availability::not_offered;
}

std::optional<Seconds> duration_of(const Job& work, double rate) {
  if (rate <= 0) return std::nullopt;
  if (work.counted) {
    const double things_per_s = rate * work.counted->unit.per_second;
    if (!work.counted->things || things_per_s <= 0) return std::nullopt;
    return seconds(*work.counted->things / things_per_s);
  }
  if (job::is_training(work.task)) return seconds(work.training.tokens / rate);
  if (work.inference.tokens) return seconds(*work.inference.tokens / rate);
  return std::nullopt;
}

money::Work job_of(const job::Job& work, const physics::Plan& plan) {
  money::Work job;
  const double rate = plan.rate;
  if (const auto duration = duration_of(work, rate)) job.hours = in_hours(*duration);
  if (!work.counted) {
    job.tokens_per_s = rate;
    if (work.task == job::Task::inference) job.tokens = "written";
    return job;
  }
  const double served = std::min(rate, work.counted->demand.value_or(rate));
  job.units_per_hour = work.counted->unit.priced_per_hour(served);
  job.unit = work.counted->unit.priced;
  job.needs_workstation = work.counted->needs_workstation;
  job.egress_mbps = work.counted->egress_mbps * served;
  return job;
}

}  // namespace gpusel::answer
