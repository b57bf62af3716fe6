// Instances: sums, hosts, links, and what their names say.
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

Subject about(const Instance& instance, std::string_view path) {
  return {.kind = "instance", .id = sku_name(instance), .path = path};
}

template <class Action>
void each(Lint& lint, Action action) {
  for (const Instance& instance : lint.catalog().instances()) action(instance, lint.catalog().gpu_of(instance));
}

std::string count_text(double count) { return count < 1 ? format("1/{:.0f}", 1 / count) : shown(count); }

void memory_sum(Lint& lint) {
  each(lint, [&](const Instance& instance, const Gpu* gpu) {
    if (gpu == nullptr || !gpu->memory_gb || !instance.gpu_memory_gb || instance.gpu_count.value_or(0) <= 0) return;
    const double expected = *instance.gpu_count * *gpu->memory_gb;
    // What is sold of a slice is rounded to whole GB.
    const double tolerance = std::max(expected * 0.05, *instance.gpu_count < 1 ? 0.5 : 0.0);
    if (std::abs(*instance.gpu_memory_gb - expected) <= tolerance) return;
    lint.found(about(instance, "gpu_memory_gb"),
               say("{} GB of total GPU memory, but {} x {} GB ({}) are {}", shown(*instance.gpu_memory_gb),
                   count_text(*instance.gpu_count), shown(*gpu->memory_gb), gpu->id, shown(expected)),
               say("omit the total if it is count x memory"));
  });
}

void host(Lint& lint) {
  each(lint, [&](const Instance& instance, const Gpu*) {
    if (instance.vcpu == 0.0) lint.found(about(instance, "vcpu"), say("no vCPU"), say("omit what is not known"));
    if (instance.memory_gib == 0.0)
      lint.found(about(instance, "memory_gib"), say("no host memory"), say("omit what is not known"));
  });
}

void count(Lint& lint) {
  each(lint, [&](const Instance& instance, const Gpu* gpu) {
    if (gpu != nullptr && instance.gpu_count == 0.0)
      lint.found(about(instance, "gpus"), say("has a {} with count 0", gpu->id));
    const double n = instance.gpu_count.value_or(0);
    if (gpu != nullptr && n > 1 && n != std::floor(n))
      lint.found(about(instance, "gpus"), say("{} GPUs are not a whole number", shown(n)));
    if (instance.gpu.empty() && n > 0)
      lint.found(about(instance, "gpus"), say("{} GPUs of no kind", shown(n)), say("name the GPU, or 'undisclosed'"));
  });
}

void no_link(Lint& lint) {
  each(lint, [&](const Instance& instance, const Gpu*) {
    if (instance.gpu_count.value_or(0) > 1 && instance.link == NodeLink::none)
      lint.found(about(instance, "interconnect.kind"),
                 say("{} GPUs in one machine and no link between them", shown(*instance.gpu_count)),
                 say("they share at least PCIe; omit what is not known"));
  });
}

/// Whether the part can be wired like that.
bool can_link(NodeLink link, GpuLink part) {
  switch (link) {
    case NodeLink::none:
    case NodeLink::pcie: return true;
    case NodeLink::nvlink_pairs:
      return part == GpuLink::nvlink_bridge || part == GpuLink::nvlink || part == GpuLink::nvswitch_capable;
    case NodeLink::nvlink_mesh: return part == GpuLink::nvlink || part == GpuLink::nvswitch_capable;
    case NodeLink::nvswitch: return part == GpuLink::nvlink || part == GpuLink::nvswitch_capable;
    case NodeLink::xgmi: return part == GpuLink::infinity_fabric;
    case NodeLink::neuronlink: return part == GpuLink::neuronlink;
    case NodeLink::ici: return part == GpuLink::ici;
    case NodeLink::hccs: return part == GpuLink::hccs;
  }
  return true;
}

void link_of_part(Lint& lint) {
  each(lint, [&](const Instance& instance, const Gpu* gpu) {
    if (gpu == nullptr || !instance.link || !gpu->interconnect) return;
    if (!can_link(*instance.link, *gpu->interconnect))
      lint.found(about(instance, "interconnect.kind"),
                 say("'{}' between parts that have '{}' ({}, {})", to_text(*instance.link), to_text(*gpu->interconnect),
                     gpu->id, gpu->form_factor.empty() ? "?" : printable(gpu->form_factor)));
    else if (*instance.link != NodeLink::pcie && *instance.link != NodeLink::none && instance.link_gbs_per_gpu &&
             gpu->interconnect_gbs_bidir && *instance.link_gbs_per_gpu > *gpu->interconnect_gbs_bidir * 1.02)
      lint.found(about(instance, "interconnect.gbs_per_gpu"),
                 say("{} GB/s per GPU, and {} has {}", shown(*instance.link_gbs_per_gpu), gpu->id,
                     shown(*gpu->interconnect_gbs_bidir)));
  });
}

void architecture(Lint& lint) {
  static constexpr std::string_view kArm[] = {"graviton", "grace",  "ampere altra", "kunpeng",
                                              "axion",    "cobalt", "yitian"};
  static constexpr std::string_view kX86[] = {"xeon", "epyc", "intel", "amd"};
  const auto says = [](std::string_view cpu, std::span<const std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return cpu.find(word) != std::string_view::npos; });
  };
  each(lint, [&](const Instance& instance, const Gpu*) {
    const std::string cpu = lower(instance.cpu);
    const bool arm = says(cpu, kArm), x86 = says(cpu, kX86);
    if (arm == x86 || (instance.cpu_arch == CpuArch::arm64) == arm) return;
    lint.found(about(instance, "cpu_arch"), say("'{}' is not {}", printable(instance.cpu), to_text(instance.cpu_arch)),
               say("write cpu_arch: {}", to_text(arm ? CpuArch::arm64 : CpuArch::x86_64)));
  });
}

void fabric(Lint& lint) {
  each(lint, [&](const Instance& instance, const Gpu*) {
    if (instance.rdma == Rdma::none && instance.fabric_gbps.value_or(0) > 0)
      lint.found(about(instance, "fabric_gbps"),
                 say("an RDMA fabric of {} Gbit/s, and rdma is none", shown(*instance.fabric_gbps)));
  });
}

/// The words of a SKU: "gpu", "8x", "a100" of "gpu_8x_a100".
std::vector<std::string_view> words_of(std::string_view sku) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < sku.size();) {
    const auto end = std::min(sku.find_first_of("-_. /$", at), sku.size());
    if (end > at) words.push_back(sku.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// 8 of the word "8x"; of "8g" only behind a word that ends in "gpu".
Number count_in(std::string_view word, std::string_view before) {
  if (word.size() < 2 || word.size() > 3) return std::nullopt;
  const bool is_count = word.back() == 'x' || (word.back() == 'g' && before.ends_with("gpu"));
  return is_count ? Number(plain_number(word.substr(0, word.size() - 1))) : Number();
}

void name_count(Lint& lint) {
  each(lint, [&](const Instance& instance, const Gpu* gpu) {
    if (gpu == nullptr || !instance.gpu_count || *instance.gpu_count < 1) return;
    std::string_view before;
    for (const std::string_view word : words_of(instance.sku)) {
      const Number said = count_in(word, before);
      before = word;
      if (said && *said != *instance.gpu_count)
        lint.found(about(instance, "gpus"), say("'{}' in the name, and {} GPUs", word, shown(*instance.gpu_count)));
    }
  });
}

/// The model numbers that GPU ids begin with: "h100" of "h100-sxm-80gb". Short ones are other words too.
std::vector<std::string> model_numbers(const Catalog& catalog) {
  std::vector<std::string> numbers;
  for (const Gpu& gpu : catalog.gpus())
    for (const std::string_view word : words_of(gpu.id))
      if (word.size() >= 4 && word.find_first_of("0123456789") != std::string_view::npos && !word.ends_with("gb"))
        numbers.emplace_back(word);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void name_gpu(Lint& lint) {
  const std::vector<std::string> numbers = model_numbers(lint.catalog());
  each(lint, [&](const Instance& instance, const Gpu* gpu) {
    if (gpu == nullptr) return;
    for (const std::string_view word : words_of(instance.sku)) {
      const std::string number = lower(word);
      if (!std::binary_search(numbers.begin(), numbers.end(), number)) continue;
      const auto has = [&](std::string_view name) { return lower(name).find(number) != std::string::npos; };
      if (!has(gpu->id) && !has(gpu->name) && !has(gpu->aliases.joined()))
        lint.found(about(instance, "gpu"), say("'{}' in the name, and the GPU is {}", word, gpu->id));
    }
  });
}

constexpr Check kInstanceChecks[] = {
    {"instance.memory-sum", Severity::error, to_say("total GPU memory that is not count x memory of the GPU"),
     memory_sum},
    {"instance.count", Severity::error, to_say("a GPU with count 0, GPUs of no kind, a fractional count"), count},
    {"instance.host", Severity::error, to_say("no vCPU or no host memory"), host},
    {"instance.no-link", Severity::warning, to_say("several GPUs and no link between them"), no_link},
    {"instance.link", Severity::error, to_say("a link that the GPU does not have, or a faster one"), link_of_part},
    {"instance.cpu-arch", Severity::error, to_say("a CPU of the other architecture"), architecture},
    {"instance.fabric", Severity::error, to_say("an RDMA fabric without RDMA"), fabric},
    {"instance.name-count", Severity::error, to_say("a name that says another number of GPUs"), name_count},
    {"instance.name-gpu", Severity::error, to_say("a name that says another GPU"), name_gpu},
};

}  // namespace

std::span<const Check> instance_checks() { return kInstanceChecks; }

}  // namespace gpusel::catalog
