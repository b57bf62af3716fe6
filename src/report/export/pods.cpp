#include "report/export/pods.hpp"

#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "report/export/names.hpp"

namespace gpusel::report {

namespace {

// Labels of spot nodes: https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html,
// https://learn.microsoft.com/azure/aks/spot-node-pool,
// https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
constexpr Cluster kClusters[] = {
    {"aws", "EKS", "eks.amazonaws.com/capacityType", "SPOT", false},
    {"azure", "AKS", "kubernetes.azure.com/scalesetpriority", "spot", true},
    {"gcp", "GKE", "cloud.google.com/gke-spot", "true", false},
    {"aliyun", "ACK", "", "", false},
    {"tencent", "TKE", "", "", false},
};

// Set on every node by the cloud: https://kubernetes.io/docs/reference/labels-annotations-taints/
constexpr std::string_view kTypeLabel = "node.kubernetes.io/instance-type";
constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";
constexpr std::string_view kHostLabel = "kubernetes.io/hostname";
// RFC 2606: a name that never resolves, so that nobody's image is run by mistake.
constexpr std::string_view kNoImage = "registry.invalid/your-image:tag";

Json selector(const ExportView& view, const Cluster& cluster) {
  const advise::Recommendation& r = view.chosen;
  Json out{{kTypeLabel, host_type(*r.instance)}};
  if (has_region(r)) out[std::string(kRegionLabel)] = r.region->id;
  if (const std::string card = attached_card(*r.instance); !card.empty())
    out["cloud.google.com/gke-accelerator"] = card;
  if (is_spot(r) && !cluster.spot_label.empty()) out[std::string(cluster.spot_label)] = cluster.spot_value;
  return out;
}

Json tolerations(const ExportView& view, const Cluster& cluster, std::string_view resource) {
  Json out = Json::array();
  if (!resource.empty()) out.push_back({{"key", resource}, {"operator", "Exists"}, {"effect", "NoSchedule"}});
  if (is_spot(view.chosen) && cluster.spot_taint)
    out.push_back(
        {{"key", cluster.spot_label}, {"operator", "Equal"}, {"value", cluster.spot_value}, {"effect", "NoSchedule"}});
  return out;
}

Json environment(const ExportView& view, const advise::Launch& launch) {
  Json out = Json::array();
  for (const auto& [name, meaning] : launch.env) {
    const bool secret = name == kTokenVariable;
    const std::string object = job_name(view);
    out.push_back(
        {{"name", name},
         {"valueFrom",
          {{secret ? "secretKeyRef" : "configMapKeyRef", {{"name", object}, {"key", name}, {"optional", secret}}}}}});
  }
  return out;
}

Json container(const ExportView& view, const advise::Launch& launch, const Pod& pod, std::string_view resource) {
  Json out{{"name", pod.container},
           {"image", launch.image.empty() ? std::string(kNoImage) : launch.image},
           {"command", Json::array({"/bin/sh", "-c"})},
           {"args", Json::array({pod.preamble + script_of(launch)})}};
  if (launch.serves()) out["ports"] = Json::array({{{"containerPort", std::stoi(launch.port)}, {"protocol", "TCP"}}});
  if (!launch.env.empty()) out["env"] = environment(view, launch);
  const int devices = devices_of(view.chosen);
  if (!resource.empty()) out["resources"]["limits"][std::string(resource)] = devices;
  if (launch.serves() && !launch.health.empty())
    out["readinessProbe"] = {{"httpGet", {{"path", launch.health}, {"port", std::stoi(launch.port)}}},
                             {"periodSeconds", 10}};
  if (devices > 1) out["volumeMounts"] = Json::array({{{"name", "shm"}, {"mountPath", "/dev/shm"}}});
  return out;
}

}  // namespace

const Cluster* cluster_of(const advise::Recommendation& r) {
  const auto* found = std::ranges::find(kClusters, r.instance->provider, &Cluster::provider);
  return found == std::end(kClusters) ? nullptr : found;
}

Status check_cluster(const ExportView& view) {
  const advise::Recommendation& r = view.chosen;
  if (cluster_of(r) == nullptr)
    return cannot(say("no Kubernetes service is known here whose nodes are instances of {}", r.instance->provider));
  if (r.gpu != nullptr && gpu_resource(*r.gpu).empty())
    return cannot(say("no device plugin for Kubernetes is known here for {}", r.gpu->id));
  return {};
}

Json pod_spec(const ExportView& view, const advise::Launch& launch, const Pod& pod) {
  const Cluster& cluster = *cluster_of(view.chosen);
  const int devices = devices_of(view.chosen);
  const std::string_view resource = devices > 0 ? gpu_resource(*view.chosen.gpu) : std::string_view();
  Json out{{"nodeSelector", selector(view, cluster)}};
  if (Json list = tolerations(view, cluster, resource); !list.empty()) out["tolerations"] = std::move(list);
  if (devices == 0)  // with devices, one pod takes all of a node's
    out["affinity"] = {{"podAntiAffinity",
                        {{"requiredDuringSchedulingIgnoredDuringExecution",
                          Json::array({{{"labelSelector", {{"matchLabels", {{"app", job_name(view)}}}}},
                                        {"topologyKey", kHostLabel}}})}}}};
  out["containers"] = Json::array({container(view, launch, pod, resource)});
  if (devices > 1)  // where processes on one node exchange data
    out["volumes"] = Json::array({{{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}}});
  return out;
}

std::vector<std::string> pod_notes(const ExportView& view, const advise::Launch& launch) {
  std::vector<std::string> notes = launch_notes(launch);
  const Cluster& cluster = *cluster_of(view.chosen);
  notes.push_back(say("needs nodes of {} in {}, each with a disk of {} GB", host_type(*view.chosen.instance),
                      cluster.name, disk_gb(view)));
  if (devices_of(view.chosen) > 0)
    notes.push_back(say("the device plugin for {} must run there", gpu_resource(*view.chosen.gpu)));
  if (launch.image.empty()) notes.push_back(say("put your own image in place of {}", kNoImage));
  if (launch.image.ends_with(":latest") || launch.image.find(":latest-") != std::string::npos)
    notes.push_back(say("pin the image's version: {} changes under the same name", launch.image));
  const auto open = open_variables(launch);
  if (!open.empty()) {
    std::string words;
    for (const auto& [name, meaning] : open) words += " --from-literal=" + name + "=…";
    notes.push_back(say("variables: kubectl create configmap {}{}", job_name(view), words));
  }
  if (open.size() < launch.env.size())
    notes.push_back(say("secret, where the model asks for it: kubectl create secret generic {} --from-literal={}=…",
                        job_name(view), kTokenVariable));
  if (is_spot(view.chosen) && cluster.spot_label.empty())
    notes.push_back(say("no label of {} tells spot nodes: select their pool by one of your own", cluster.name));
  for (std::string& note : term_notes(view.chosen)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace gpusel::report
