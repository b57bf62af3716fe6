#include "show/export/targets/cluster/pods.hpp"

#include <algorithm>

#include "base/words/message.hpp"
#include "show/export/names.hpp"
#include "show/export/targets/machines/containers.hpp"

namespace gpusel::show {

namespace {

// Labels of spot nodes: https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html,
// https://learn.microsoft.com/azure/aks/spot-node-pool,
// https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
constexpr Cluster kClusters[] = {
    {"aws", "EKS", "eks.amazonaws.com/capacityType", "SPOT", false, true},
    {"azure", "AKS", "kubernetes.azure.com/scalesetpriority", "spot", true, true},
    {"gcp", "GKE", "cloud.google.com/gke-spot", "true", false, false},
    {"aliyun", "ACK", "", "", false, false},
    {"tencent", "TKE", "", "", false, false},
    {"oci", "OKE", "", "", false, false, false},
    {"coreweave", "CKS", "", "", false, false, false},
    // Their cloud controllers label nodes with the size or plan: digitalocean-cloud-controller-manager,
    // vultr-cloud-controller-manager.
    {"digitalocean", "DOKS", "", "", false, false, false},
    {"vultr", "VKE", "", "", false, false, false},
    // So does Crusoe's, with its own names of places: internal/instances/instances.go of
    // https://github.com/crusoecloud/crusoe-cloud-controller-manager (eb97bfc of 2026-05-20).
    {"crusoe", "CMK", "", "", false, false, false},
    // Platform and preset apart, by which Nebius's own module of GPU drivers selects nodes: deploy/cluster/vendor/
    // nebius-solutions-library/modules/gpu-operator/main.tf of https://github.com/nebius/nebius-physical-ai (487a0727).
    {"nebius", "Managed Service for Kubernetes", "nebius.com/preemptible", "true", false, false, true,
     "nebius.com/resource-preset"},
};

// Set on every node by the cloud: https://kubernetes.io/docs/reference/labels-annotations-taints/
constexpr std::string_view kTypeLabel = "node.kubernetes.io/instance-type";
constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";
constexpr std::string_view kHostLabel = "kubernetes.io/hostname";

// Nodes that Karpenter starts: https://karpenter.sh/docs/concepts/scheduling/
constexpr std::string_view kKarpenterLabel = "karpenter.sh/capacity-type";
// As in https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html; pods with huge pages must ask for memory or
// processors too (https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/).
constexpr std::string_view kEfa = "vpc.amazonaws.com/efa";
constexpr std::string_view kHugePages = "5120Mi";
constexpr std::string_view kPodCache = "/cache";
constexpr double kPodShare = 0.8;     // of a node's processors and memory: the rest is its system's and its agents'
constexpr int kDiskOfSystemGb = 100;  // of a disk, as disk_gb() adds them

Json selector(const ExportView& view, const Cluster& cluster) {
  const answer::Recommendation& r = view.chosen;
  const std::string_view type = shape_of(*r.instance);
  const auto mark = cluster.size_label.empty() ? type.npos : type.find('_');
  Json out{{kTypeLabel, type.substr(0, mark)}};
  if (mark != type.npos) out[std::string(cluster.size_label)] = type.substr(mark + 1);
  if (has_region(r) && cluster.regions) out[std::string(kRegionLabel)] = r.region->id;
  if (const std::string card = attached_card(*r.instance); !card.empty())
    out["cloud.google.com/gke-accelerator"] = card;
  if (is_spot(r) && !cluster.spot_label.empty() && !cluster.karpenter)
    out[std::string(cluster.spot_label)] = cluster.spot_value;
  return out;
}

Json label_in(std::string_view key, std::string_view value) {
  return {{"matchExpressions",
           Json::array({{{"key", key}, {"operator", "In"}, {"values", Json::array({std::string(value)})}}})}};
}

/// Spot nodes of the cloud's own node groups, or of Karpenter: of several terms, one is enough
/// (https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity).
Json affinity(const ExportView& view, const Cluster& cluster) {
  Json out = Json::object();
  if (is_spot(view.chosen) && cluster.karpenter)
    out["nodeAffinity"] = {{"requiredDuringSchedulingIgnoredDuringExecution",
                            {{"nodeSelectorTerms", Json::array({label_in(cluster.spot_label, cluster.spot_value),
                                                                label_in(kKarpenterLabel, "spot")})}}}};
  if (devices_of(view.chosen) == 0)  // with devices, one pod takes all of a node's
    out["podAntiAffinity"] = {{"requiredDuringSchedulingIgnoredDuringExecution",
                               Json::array({{{"labelSelector", {{"matchLabels", {{"app", job_name(view)}}}}},
                                             {"topologyKey", kHostLabel}}})}};
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

Json environment(const ExportView& view, const answer::Launch& launch) {
  Json out = Json::array();
  for (const auto& [name, meaning] : launch.env) {
    if (name == kOutputVariable) {
      out.push_back({{"name", name}, {"value", kResultFolder}});
      continue;
    }
    const bool secret = name == kTokenVariable;
    const std::string object = job_name(view);
    out.push_back(
        {{"name", name},
         {"valueFrom",
          {{secret ? "secretKeyRef" : "configMapKeyRef", {{"name", object}, {"key", name}, {"optional", secret}}}}}});
  }
  return out;
}

Json probe(const answer::Launch& launch, int period, int failures) {
  return {{"httpGet", {{"path", launch.health}, {"port", std::stoi(launch.port)}}},
          {"periodSeconds", period},
          {"timeoutSeconds", 10},
          {"failureThreshold", failures}};
}

/// All that a pod which has a node to itself asks for, so that nothing else is put beside it.
Json resources_of(const ExportView& view, const answer::Launch& launch, std::string_view resource) {
  const catalog::Instance& instance = *view.chosen.instance;
  Json limits = Json::object(), requests = Json::object();
  if (!resource.empty()) limits[std::string(resource)] = devices_of(view.chosen);
  if (const int interfaces = fabric_interfaces(view, launch); interfaces > 0) {
    limits[std::string(kEfa)] = interfaces;
    limits["hugepages-2Mi"] = kHugePages;
  }
  if (instance.vcpu) requests["cpu"] = std::max(1, static_cast<int>(kPodShare * *instance.vcpu));
  if (instance.memory_gib) requests["memory"] = format("{:.0f}Gi", std::max(1.0, kPodShare * *instance.memory_gib));
  requests["ephemeral-storage"] = format("{}Gi", std::max(20, disk_gb(view) - kDiskOfSystemGb));
  requests.update(limits);
  Json out{{"requests", std::move(requests)}};
  if (!limits.empty()) out["limits"] = std::move(limits);
  return out;
}

Json container(const ExportView& view, const answer::Launch& launch, const Pod& pod, std::string_view resource) {
  const Container started = *container_of(view, launch);  // as check_cluster() found
  Json out{{"name", pod.container},
           {"image", started.image},
           {"command", Json::array({"/bin/sh", "-euc"})},
           {"args", Json::array({pod.preamble + started.script})}};
  if (launch.serves()) out["ports"] = Json::array({{{"containerPort", std::stoi(launch.port)}, {"protocol", "TCP"}}});
  out["env"] = environment(view, launch);
  out["env"].push_back({{"name", "HF_HOME"}, {"value", kPodCache}});
  out["resources"] = resources_of(view, launch, resource);
  if (launch.serves() && !launch.health.empty()) {
    constexpr int kPeriod = 10;
    out["startupProbe"] = probe(launch, kPeriod, start_seconds(view, kLeastPodStart) / kPeriod);
    out["readinessProbe"] = probe(launch, kPeriod, 3);
    out["livenessProbe"] = probe(launch, 3 * kPeriod, 3);
  }
  Json mounts = Json::array({{{"name", "cache"}, {"mountPath", kPodCache}}});
  if (devices_of(view.chosen) > 1) mounts.push_back({{"name", kShared}, {"mountPath", "/dev/shm"}});
  if (has_output(launch)) mounts.push_back({{"name", "output"}, {"mountPath", kResultFolder}});
  out["volumeMounts"] = std::move(mounts);
  return out;
}

}  // namespace

const Cluster* cluster_of(const answer::Recommendation& r) {
  const auto* found = std::ranges::find(kClusters, r.instance->provider, &Cluster::provider);
  return found == std::end(kClusters) ? nullptr : found;
}

Status check_cluster(const ExportView& view) {
  const answer::Recommendation& r = view.chosen;
  if (cluster_of(r) == nullptr)
    return cannot(say("no Kubernetes service is known with nodes that are instances of {}", r.instance->provider));
  if (Status typed = check_type(r); !typed) return typed;
  if (r.gpu != nullptr && gpu_resource(*r.gpu).empty())
    return cannot(say("no Kubernetes device plugin is known for {}", r.gpu->id));
  if (const auto container = container_of(view, launch_of(view)); !container) return std::unexpected(container.error());
  return {};
}

Json pod_spec(const ExportView& view, const answer::Launch& launch, const Pod& pod) {
  const Cluster& cluster = *cluster_of(view.chosen);
  const int devices = devices_of(view.chosen);
  const std::string_view resource = devices > 0 ? gpu_resource(*view.chosen.gpu) : std::string_view();
  Json out{{"nodeSelector", selector(view, cluster)}};
  if (Json list = tolerations(view, cluster, resource); !list.empty()) out["tolerations"] = std::move(list);
  if (Json list = affinity(view, cluster); !list.empty()) out["affinity"] = std::move(list);
  out["containers"] = Json::array({container(view, launch, pod, resource)});
  Json volumes = Json::array({{{"name", "cache"}, {"emptyDir", Json::object()}}});
  if (devices > 1) volumes.push_back({{"name", kShared}, {"emptyDir", {{"medium", "Memory"}}}});
  if (has_output(launch))  // https://kubernetes.io/docs/concepts/storage/persistent-volumes/
    volumes.push_back({{"name", "output"}, {"persistentVolumeClaim", {{"claimName", job_name(view)}}}});
  out["volumes"] = std::move(volumes);
  return out;
}

std::vector<std::string> pod_notes(const ExportView& view, const answer::Launch& launch) {
  std::vector<std::string> notes = launch_notes(launch);
  const Cluster& cluster = *cluster_of(view.chosen);
  notes.push_back(say("needs nodes of {} in {}, each with a disk of {} GB", host_type(*view.chosen.instance),
                      cluster.name, disk_gb(view)));
  if (devices_of(view.chosen) > 0)
    notes.push_back(say("the device plugin for {} must run there", gpu_resource(*view.chosen.gpu)));
  notes.push_back(say(
      "weights are kept in the pod: a PersistentVolumeClaim in place of the cache saves each new pod the download"));
  const std::string image = container_of(view, launch)->image;
  if (image.ends_with(":latest") || image.find(":latest-") != std::string::npos)
    notes.push_back(say("pin the image's version: {} changes under the same name", image));
  if (has_output(launch))
    notes.push_back(view.chosen.machine().nodes > 1
                        ? say("results go to a PersistentVolumeClaim {}, which must exist; pods on several nodes share "
                              "it (ReadWriteMany)",
                              job_name(view))
                        : say("results go to a PersistentVolumeClaim {}, which must exist", job_name(view)));
  else if (!launch.serves())
    notes.push_back(say("the pod's files are lost unless the command writes to your own storage"));
  if (fabric_interfaces(view, launch) > 0)
    notes.push_back(say("the device plugin for {} must run there, and nodes must set huge pages aside", kEfa));
  auto open = open_variables(launch);
  std::erase_if(open, [](const auto& variable) { return variable.first == kOutputVariable; });
  if (!open.empty()) {
    std::string words;
    for (const auto& [name, meaning] : open) words += " --from-literal=" + name + "=…";
    notes.push_back(say("variables: kubectl create configmap {}{}", job_name(view), words));
  }
  if (std::ranges::any_of(launch.env, [](const auto& variable) { return variable.first == kTokenVariable; }))
    notes.push_back(say("secret, if the model needs it: kubectl create secret generic {} --from-literal={}=…",
                        job_name(view), kTokenVariable));
  if (is_spot(view.chosen) && cluster.spot_label.empty())
    notes.push_back(say("no label of {} marks spot nodes: select their pool by one of your own", cluster.name));
  for (std::string& note : term_notes(view.chosen)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace gpusel::show
