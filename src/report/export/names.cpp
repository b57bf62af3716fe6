#include "report/export/names.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "gpusel/base/text.hpp"

namespace gpusel::report {

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
    {.provider = "runpod", .skypilot = "runpod", .dstack = "runpod", .types_in_dstack = false},
    {.provider = "vast", .skypilot = "vast", .dstack = "vastai", .types_in_dstack = false},
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

std::string_view gpu_resource(const catalog::Gpu& gpu) {
  const std::string vendor = lower(gpu.vendor);
  if (vendor == "intel") return gpu.id.starts_with("gaudi") ? "habana.ai/gaudi" : "gpu.intel.com/i915";
  return find(kResources, vendor);
}

}  // namespace gpusel::report
