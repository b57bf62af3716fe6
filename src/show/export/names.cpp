#include "show/export/names.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text/text.hpp"

namespace gpusel::show {

namespace {

constexpr CloudNames kClouds[] = {
    {.provider = "aws", .skypilot = "aws", .dstack = "aws"},
    {.provider = "azure", .skypilot = "azure", .dstack = "azure"},
    {.provider = "gcp", .skypilot = "gcp", .dstack = "gcp"},
    {.provider = "lambda", .skypilot = "lambda", .dstack = "lambda"},
    {.provider = "nebius", .skypilot = "nebius", .dstack = "nebius", .types_in_dstack = false},
    {.provider = "oci", .skypilot = "oci", .dstack = "oci"},
    {.provider = "runpod",
     .skypilot = "runpod",
     .dstack = "runpod",
     .types_in_dstack = false,
     .types_in_skypilot = false,
     .not_in_skypilot = "_COMMUNITY",
     .containers = true},
    // Places of hosts are slugs in dstack ("us-california") and "California, US" in SkyPilot; types come and go.
    {.provider = "vast",
     .skypilot = "vast",
     .dstack = "vastai",
     .types_in_dstack = false,
     .types_in_skypilot = false,
     .own_regions = false,
     .containers = true},
    {.provider = "verda", .skypilot = "verda", .dstack = "verda"},
    {.provider = "digitalocean", .skypilot = "do", .dstack = "digitalocean"},
    {.provider = "paperspace", .skypilot = "paperspace", .dstack = ""},
    {.provider = "crusoe", .skypilot = "", .dstack = "crusoe"},
    {.provider = "hotaisle", .skypilot = "", .dstack = "hotaisle", .types_in_dstack = false},
    {.provider = "jarvislabs", .skypilot = "", .dstack = "jarvislabs", .types_in_dstack = false},
    {.provider = "vultr", .skypilot = "", .dstack = "vultr"},
};

struct PartName {
  std::string_view gpu;
  std::string_view name;
};

// As in SkyPilot's catalogues of AWS, Azure and Google Cloud: https://docs.skypilot.co/en/latest/overview.html and
// `sky show-gpus`.
constexpr PartName kAccelerators[] = {
    {"a10", "A10"},
    {"a100-pcie-80gb", "A100-80GB"},
    {"a100-sxm-40gb", "A100"},
    {"a100-sxm-80gb", "A100-80GB"},
    {"a10g", "A10G"},
    {"b200-180gb", "B200"},
    {"h100-nvl-94gb", "H100"},
    {"h100-sxm-80gb", "H100"},
    {"h200-sxm-141gb", "H200"},
    {"l4", "L4"},
    {"l40s", "L40S"},
    {"m60-8gb", "M60"},
    {"mi300x-192gb", "MI300X"},
    {"p100-16gb", "P100"},
    {"p4", "P4"},
    {"radeon-instinct-mi25-16gb", "MI25"},
    {"t4", "T4"},
    {"v100-pcie-16gb", "V100"},
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

// As SkyPilot derives them from Vast's names, without the form of the card:
// https://github.com/skypilot-org/skypilot/blob/master/sky/catalog/data_fetchers/fetch_vast.py
constexpr PartName kVastAccelerators[] = {
    {"b200-180gb", "B200"}, {"l40s", "L40S"}, {"rtx-3090", "RTX3090"}, {"rtx-4090", "RTX4090"}, {"rtx-5090", "RTX5090"},
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
    {"l40", "L40"},
    {"rtx-2000-ada-16gb", "RTX2000Ada"},
    {"rtx-3090", "RTX3090"},
    {"rtx-4000-ada-20gb", "RTX4000Ada"},
    {"rtx-4090", "RTX4090"},
    {"rtx-5090", "RTX5090"},
    {"rtx-6000-ada-48gb", "RTX6000Ada"},
    {"rtx-a4000-16gb", "A4000"},
    {"rtx-a4500-20gb", "A4500"},
    {"rtx-a5000-24gb", "A5000"},
    {"rtx-a6000-48gb", "A6000"},
    {"v100-pcie-16gb", "V100"},
    {"v100-sxm2-16gb", "V100"},
};

// One per network card: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html; of p6-b300 the
// first card has none.
struct Interfaces {
  std::string_view type;
  int efa;
};
constexpr Interfaces kInterfaces[] = {
    {"g5.12xlarge", 1},   {"g5.16xlarge", 1},     {"g5.24xlarge", 1},      {"g5.48xlarge", 1},
    {"g5.8xlarge", 1},    {"g6.12xlarge", 1},     {"g6.16xlarge", 1},      {"g6.24xlarge", 1},
    {"g6.48xlarge", 1},   {"g6.8xlarge", 1},      {"g6e.12xlarge", 1},     {"g6e.16xlarge", 1},
    {"g6e.24xlarge", 2},  {"g6e.48xlarge", 4},    {"g6e.8xlarge", 1},      {"g4dn.12xlarge", 1},
    {"g4dn.16xlarge", 1}, {"g4dn.8xlarge", 1},    {"g4dn.metal", 1},       {"p3dn.24xlarge", 1},
    {"p4d.24xlarge", 4},  {"p4de.24xlarge", 4},   {"p5.4xlarge", 1},       {"p5.48xlarge", 32},
    {"p5e.48xlarge", 32}, {"p5en.48xlarge", 16},  {"p6-b200.48xlarge", 8}, {"p6-b300.48xlarge", 16},
    {"trn1.32xlarge", 8}, {"trn1n.32xlarge", 16}, {"trn2.48xlarge", 16}};

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

std::string_view shape_of(const catalog::Instance& instance) {
  const std::string_view type = host_type(instance);
  return type.substr(0, type.find('$'));
}

std::string attached_card(const catalog::Instance& instance) {
  const auto plus = instance.sku.find('+');
  const auto times = plus == std::string_view::npos ? plus : instance.sku.find('x', plus);
  return times == std::string_view::npos ? std::string() : "nvidia-tesla-" + lower(instance.sku.substr(times + 1));
}

std::string_view skypilot_accelerator(std::string_view gpu) { return find(kAccelerators, gpu); }

std::string_view skypilot_runpod_accelerator(std::string_view gpu) { return find(kRunpodAccelerators, gpu); }

std::string_view skypilot_vast_accelerator(std::string_view gpu) { return find(kVastAccelerators, gpu); }

std::string_view dstack_gpu(std::string_view gpu) { return find(kDstackGpus, gpu); }

int efa_interfaces(std::string_view type) {
  const auto* found = std::ranges::find(kInterfaces, type, &Interfaces::type);
  return found == std::end(kInterfaces) ? 0 : found->efa;
}

bool efa_on_first_card(std::string_view type) { return !type.starts_with("p6-b300"); }

// https://cloud.google.com/compute/docs/disks#disk-types
std::string_view google_boot_disk(std::string_view type) {
  constexpr std::string_view kHyperdiskOnly[] = {"a3-ultragpu", "a4", "g4", "c4", "n4", "x4"};
  const bool only = std::ranges::any_of(kHyperdiskOnly, [&](auto family) { return type.starts_with(family); });
  return only ? "hyperdisk-balanced" : "";
}

std::string_view gpu_resource(const catalog::Gpu& gpu) {
  const std::string vendor = lower(gpu.vendor);
  if (vendor == "intel") return gpu.id.starts_with("gaudi") ? "habana.ai/gaudi" : "gpu.intel.com/i915";
  return find(kResources, vendor);
}

}  // namespace gpusel::show
