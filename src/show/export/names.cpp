#include "show/export/names.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text/text.hpp"

namespace gpusel::show {

namespace {

constexpr CloudNames kClouds[] = {
    {.provider = "aws", .skypilot = "aws", .dstack = "aws", .cluster_in_dstack = true, .names_accelerators = true},
    {.provider = "azure",
     .skypilot = "azure",
     .dstack = "azure",
     .cluster_in_dstack = true,
     .names_accelerators = true},
    {.provider = "gcp", .skypilot = "gcp", .dstack = "gcp", .cluster_in_dstack = true, .names_accelerators = true},
    {.provider = "lambda", .skypilot = "lambda", .dstack = "lambda"},
    {.provider = "nebius",
     .skypilot = "nebius",
     .dstack = "nebius",
     .types_in_dstack = false,
     .cluster_in_dstack = true},
    {.provider = "oci", .skypilot = "oci", .dstack = "oci", .cluster_in_dstack = true},
    {.provider = "runpod",
     .skypilot = "runpod",
     .dstack = "runpod",
     .types_in_dstack = false,
     .types_in_skypilot = false,
     .not_in_skypilot = "_COMMUNITY",
     .containers = true},
    // Places of hosts are slugs in dstack ("us-california") and "California, US" in SkyPilot.
    {.provider = "vast",
     .skypilot = "vast",
     .dstack = "vastai",
     .types_in_dstack = false,
     .own_regions = false,
     .containers = true},
    {.provider = "digitalocean", .skypilot = "do", .dstack = "digitalocean"},
    {.provider = "vultr", .skypilot = "", .dstack = "vultr", .cluster_in_dstack = true},
};

struct PartName {
  std::string_view gpu;
  std::string_view name;
};

// As in SkyPilot's catalogues of AWS, Azure and Google Cloud: https://docs.skypilot.co/en/latest/overview.html and
// `sky show-gpus`. Parts that it lists under several names are left out: the type says which they are.
constexpr PartName kAccelerators[] = {
    {"a100-pcie-80gb", "A100-80GB"},
    {"a100-sxm-40gb", "A100"},
    {"a100-sxm-80gb", "A100-80GB"},
    {"a10g", "A10G"},
    {"b200-180gb", "B200"},
    {"h100-sxm-80gb", "H100"},
    {"h200-sxm-141gb", "H200"},
    {"l4", "L4"},
    {"l40s", "L40S"},
    {"mi300x-192gb", "MI300X"},
    {"p100-16gb", "P100"},
    {"t4", "T4"},
    {"v100-sxm2-16gb", "V100"},
    {"v100-sxm2-32gb", "V100-32GB"},
};

// As SkyPilot derives them from RunPod's names, Secure Cloud only:
// https://github.com/skypilot-org/skypilot/blob/master/sky/catalog/data_fetchers/fetch_runpod.py
constexpr PartName kRunpodAccelerators[] = {
    {"a100-pcie-80gb", "A100-80GB"},
    {"a100-sxm-80gb", "A100-80GB-SXM"},
    {"a40", "A40"},
    {"b200-180gb", "B200"},
    {"b300-288gb", "B300"},
    {"h100-nvl-94gb", "H100-NVL"},
    {"h100-pcie-80gb", "H100"},
    {"h100-sxm-80gb", "H100-SXM"},
    {"h200-sxm-141gb", "H200-SXM"},
    {"l4", "L4"},
    {"l40s", "L40S"},
    {"mi300x-192gb", "MI300X"},
};

// https://github.com/dstackai/gpuhunt/blob/main/src/gpuhunt/_internal/constraints.py; one name for PCIe and SXM.
constexpr PartName kDstackGpus[] = {
    {"a100-pcie-80gb", "A100"},
    {"a100-sxm-40gb", "A100"},
    {"a100-sxm-80gb", "A100"},
    {"a40", "A40"},
    {"b200-180gb", "B200"},
    {"b300-288gb", "B300"},
    {"h100-nvl-94gb", "H100NVL"},
    {"h100-pcie-80gb", "H100"},
    {"h100-sxm-80gb", "H100"},
    {"h200-sxm-141gb", "H200"},
    {"l4", "L4"},
    {"l40s", "L40S"},
    {"mi300x-192gb", "MI300X"},
    {"rtx-3090", "RTX3090"},
    {"rtx-4090", "RTX4090"},
    {"rtx-5090", "RTX5090"},
    {"v100-sxm2-16gb", "V100"},
};

// One per network card: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html
struct Interfaces {
  std::string_view type;
  int efa;
};
constexpr Interfaces kInterfaces[] = {
    {"p4d.24xlarge", 4}, {"p4de.24xlarge", 4}, {"p5.48xlarge", 32}, {"p5e.48xlarge", 32}, {"p5en.48xlarge", 16}};

// Device plugins: https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/ and, for the others,
// https://docs.habana.ai/en/latest/Orchestration/Gaudi_Kubernetes/index.html,
// https://awsdocs-neuron.readthedocs-hosted.com/en/latest/containers/kubernetes-getting-started.html,
// https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
constexpr PartName kResources[] = {{"nvidia", "nvidia.com/gpu"},
                                   {"amd", "amd.com/gpu"},
                                   {"aws", "aws.amazon.com/neuron"},
                                   {"google", "google.com/tpu"}};

std::string_view find(std::span<const PartName> names, std::string_view what) {
  const auto found = std::ranges::find(names, what, &PartName::gpu);
  return found == names.end() ? std::string_view() : found->name;
}

}  // namespace

const CloudNames* cloud_names(std::string_view provider) {
  const auto* found = std::ranges::find(kClouds, provider, &CloudNames::provider);
  return found == std::end(kClouds) ? nullptr : found;
}

std::string_view host_type(const catalog::Instance& instance) { return instance.sku.substr(0, instance.sku.find('+')); }

std::string attached_card(const catalog::Instance& instance) {
  const auto plus = instance.sku.find('+');
  const auto times = plus == std::string_view::npos ? plus : instance.sku.find('x', plus);
  return times == std::string_view::npos ? std::string() : "nvidia-tesla-" + lower(instance.sku.substr(times + 1));
}

std::string_view skypilot_accelerator(std::string_view gpu) { return find(kAccelerators, gpu); }

std::string_view skypilot_runpod_accelerator(std::string_view gpu) { return find(kRunpodAccelerators, gpu); }

std::string_view dstack_gpu(std::string_view gpu) { return find(kDstackGpus, gpu); }

int efa_interfaces(std::string_view type) {
  const auto* found = std::ranges::find(kInterfaces, type, &Interfaces::type);
  return found == std::end(kInterfaces) ? 0 : found->efa;
}

std::string_view gpu_resource(const catalog::Gpu& gpu) {
  const std::string vendor = lower(gpu.vendor);
  if (vendor == "intel") return gpu.id.starts_with("gaudi") ? "habana.ai/gaudi" : "gpu.intel.com/i915";
  return find(kResources, vendor);
}

}  // namespace gpusel::show
