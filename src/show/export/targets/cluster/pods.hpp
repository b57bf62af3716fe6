// Pods on nodes of the chosen instance, for everything that runs in Kubernetes. Private to this folder.
#pragma once

#include "show/export/common.hpp"

namespace gpusel::show {

/// A cloud's own Kubernetes service, and how its nodes are told apart.
struct Cluster {
  std::string_view provider;
  std::string_view name;
  std::string_view spot_label;  // of nodes that are spot instances; empty: none is documented
  std::string_view spot_value;
  bool spot_taint = false;  // under the same name
  bool karpenter = false;   // may start the nodes
  bool regions = true;      // whether nodes are labelled with the region as the provider calls it
  /// Where nodes carry what the SKU says behind its "_" apart from what it says before.
  std::string_view size_label{};
};
/// Null where no such service is known here.
const Cluster* cluster_of(const answer::Recommendation& r);
/// Error: the provider has no Kubernetes service that is known here, or the work no container.
Status check_cluster(const ExportView& view);

struct Pod {
  std::string container;  // its name
  std::string preamble;   // lines before the script
};
/// Spec of a pod that has all devices of one instance.
Json pod_spec(const ExportView& view, const answer::Launch& launch, const Pod& pod);
/// The volume by which processes on one node exchange data.
inline constexpr std::string_view kShared = "shm";
/// Seconds that each pod has at least until it answers.
inline constexpr int kLeastPodStart = 600;
/// What of it is the reader's, and which parts of the plan nodes do not tell.
std::vector<std::string> pod_notes(const ExportView& view, const answer::Launch& launch);

}  // namespace gpusel::show
