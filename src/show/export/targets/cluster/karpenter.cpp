// Karpenter NodePool, karpenter.sh/v1: https://karpenter.sh/docs/concepts/nodepools/; on AKS
// https://learn.microsoft.com/azure/aks/node-auto-provisioning-node-pools
#include <algorithm>

#include "base/words/message.hpp"
#include "show/export/common.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"

namespace gpusel::show {

namespace {

struct NodeClass {
  std::string_view provider;
  std::string_view group;
  std::string_view kind;
  std::string_view gpu_count;  // label of a node's GPUs
};
constexpr NodeClass kClasses[] = {
    {"aws", "karpenter.k8s.aws", "EC2NodeClass", "karpenter.k8s.aws/instance-gpu-count"},
    {"azure", "karpenter.azure.com", "AKSNodeClass", "karpenter.azure.com/sku-gpu-count"},
};

Json one_of(std::string_view key, std::vector<std::string> values) {
  return {{"key", key}, {"operator", "In"}, {"values", std::move(values)}};
}

std::string capacity_of(const answer::Recommendation& r) {
  if (is_spot(r)) return "spot";
  return r.offer->term == catalog::Term::capacity_block ? "reserved" : "on-demand";
}

/// Ranks on the same terms in the same place that run the same commands.
std::vector<std::string> types_of(const ExportView& view) {
  std::vector<std::string> out;
  for (const answer::Recommendation* r : interchangeable(view)) {
    const bool same = r->instance->provider == view.chosen.instance->provider && r->region == view.chosen.region &&
                      r->offer->term == view.chosen.offer->term && devices_of(*r) == devices_of(view.chosen) &&
                      r->instance->cpu_arch == view.chosen.instance->cpu_arch;
    const std::string type(host_type(*r->instance));
    if (same && std::ranges::find(out, type) == out.end()) out.push_back(type);
  }
  return out;
}

}  // namespace

Result<Exported> export_karpenter(const ExportView& view) {
  const answer::Recommendation& r = view.chosen;
  const auto* nodes = std::ranges::find(kClasses, r.instance->provider, &NodeClass::provider);
  if (nodes == std::end(kClasses))
    return cannot(say("Karpenter starts instances of AWS and Azure, not of {}", r.instance->provider));
  const int devices = devices_of(r);
  Json requirements = Json::array(
      {one_of("node.kubernetes.io/instance-type", types_of(view)),
       one_of("karpenter.sh/capacity-type", {capacity_of(r)}),
       one_of("kubernetes.io/arch",
              {r.instance->cpu_arch == catalog::CpuArch::arm64 ? std::string("arm64") : std::string("amd64")})});
  Json spec{{"nodeClassRef", {{"group", nodes->group}, {"kind", nodes->kind}, {"name", "default"}}}};
  Json limits = Json::object();
  if (devices > 0) {
    const std::string resource(gpu_resource(*r.gpu));
    if (resource == "nvidia.com/gpu") requirements.push_back(one_of(nodes->gpu_count, {format("{}", devices)}));
    spec["taints"] = Json::array({{{"key", resource}, {"value", "present"}, {"effect", "NoSchedule"}}});
    limits = {{resource, r.machine().gpus()}};
  } else if (r.instance->vcpu) {
    limits = {{"cpu", format("{:g}", *r.instance->vcpu * r.machine().nodes)}};
  }
  spec["requirements"] = std::move(requirements);
  Exported out{"nodepool.yaml", {}, {}};
  out.notes = {say("the node class {} named default says image, disk of {} GB and network", nodes->kind, disk_gb(view)),
               say("the pods: gpusel export kubernetes for the same job")};
  if (has_region(r)) out.notes.push_back(say("the cluster's region must be {}", r.region->id));
  for (std::string& note : term_notes(r))
    if (r.offer->term != catalog::Term::capacity_block) out.notes.push_back(std::move(note));
  Json pool{{"template", {{"spec", std::move(spec)}}}};
  if (!limits.empty()) pool["limits"] = std::move(limits);
  pool["disruption"] = {{"consolidationPolicy", "WhenEmpty"}, {"consolidateAfter", "5m"}};
  out.content = yaml_file(view, out.notes,
                          {{{"apiVersion", "karpenter.sh/v1"},
                            {"kind", "NodePool"},
                            {"metadata", {{"name", job_name(view)}}},
                            {"spec", std::move(pool)}}});
  return out;
}

}  // namespace gpusel::show
