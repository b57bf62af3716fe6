#include "answer/estimate/named_processor.hpp"

#include <algorithm>

#include "answer/facts/candidates.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "job/limits/constraints.hpp"
#include "physics/kinds/networks/processor.hpp"

namespace gpusel::answer {

namespace {

using physics::Host;
using physics::Machine;

/// What is meant where nobody says which processor: what most clouds rent that multiplies matrices.
constexpr std::string_view kUsualProcessor = "intel-sapphire-rapids";
constexpr double kUsualVcpus = 16;
constexpr double kUsualGibPerVcpu = 4;  // of a general-purpose instance

bool is_none(const std::string& name) {
  const auto spec = job::parse_gpu_spec(name);
  return spec && spec->none;
}

/// The instance of that name, if it has no GPU.
const catalog::Instance* instance_without_gpu(const std::string& name, const catalog::Catalog& catalog) {
  if (catalog.has_gpu(name) || !catalog.has_instance(name)) return nullptr;
  const auto instance = catalog.instance(name);
  return instance && (*instance)->gpu.empty() ? *instance : nullptr;
}

/// So many vCPUs of a processor; all of a socket where their number is not said.
Machine of_processor(const catalog::Cpu& cpu, std::optional<double> vcpus, double sockets, job::Assumptions& assumed) {
  Machine machine;
  Host& host = machine.host;
  host.cpu = &cpu;
  host.threads_per_core = cpu.threads_per_core.value_or(1);
  host.ghz = cpu.all_core_ghz.value_or(0);
  host.turbo_ghz = cpu.turbo_ghz.value_or(0);
  host.vcpus = vcpus.value_or(cpu.cores_per_socket.value_or(0) * host.threads_per_core) * sockets;
  host.memory = gib(host.vcpus * kUsualGibPerVcpu);
  machine.gpus_per_node = 0;
  if (!vcpus) assumed.push_back({"vcpus", host.vcpus});
  assumed.push_back({"host_memory_gib", in_gib(host.memory)});
  return machine;
}

}  // namespace

const catalog::Cpu* find_processor(std::string_view name, const catalog::Catalog& catalog) {
  const std::string asked = fold_name(name);
  const auto is_called = [&](const catalog::Cpu& cpu) {
    if (fold_name(cpu.id) == asked || fold_name(cpu.name) == asked) return true;
    return std::ranges::any_of(cpu.names, [&](std::string_view one) { return fold_name(one) == asked; });
  };
  const auto found = std::ranges::find_if(catalog.cpus(), is_called);
  return found != catalog.cpus().end() ? &*found : nullptr;
}

bool names_processor(const job::Request& request, const catalog::Catalog& catalog) {
  const std::string& name = request.gpu;
  if (name.empty() || catalog.has_gpu(name)) return false;
  return is_none(name) || instance_without_gpu(name, catalog) != nullptr || find_processor(name, catalog) != nullptr;
}

Result<Machine> named_processor(const job::Request& request, const job::Job& work, const catalog::Catalog& catalog,
                                const physics::Coefficients& c, job::Assumptions& assumed) {
  if (!physics::runs_on_cpus(work)) return usage_error(without_gpu(work), "gpu");
  const auto count = static_cast<int>(request.gpus.value_or(1));
  if (const catalog::Instance* instance = instance_without_gpu(request.gpu, catalog))
    return machine_for(work, *instance, count, catalog, c);
  std::optional<double> vcpus = request.vcpus_per_gpu;
  const catalog::Cpu* cpu = find_processor(request.gpu, catalog);
  if (cpu == nullptr) {
    cpu = find_processor(kUsualProcessor, catalog);
    if (cpu == nullptr)
      return usage_error(say("no processor is named"), "gpu", say("name an instance without a GPU, or a processor"));
    assumed.push_back({"cpu", std::string(cpu->id)});
    if (!vcpus) assumed.push_back({"vcpus", kUsualVcpus});
    vcpus = vcpus.value_or(kUsualVcpus);
  }
  return physics::machine_for(work, of_processor(*cpu, vcpus, count, assumed), c);
}

}  // namespace gpusel::answer
