// Pods that start together. LeaderWorkerSet: https://lws.sigs.k8s.io/docs/concepts/ and
// https://lws.sigs.k8s.io/docs/reference/leaderworkerset.v1/; JobSet: https://jobset.sigs.k8s.io/docs/concepts/ and
// https://jobset.sigs.k8s.io/docs/reference/jobset.v1alpha2/
#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/cluster/pods.hpp"

namespace gpusel::show {

namespace {

constexpr std::string_view kNameLabel = "leaderworkerset.sigs.k8s.io/name";  // that the controller gives its pods
constexpr std::string_view kGroupJob = "worker";

Json pod_template(const ExportView& view, std::string_view role, Json spec) {
  return {{"metadata", {{"labels", {{"app", job_name(view)}, {"role", role}}}}}, {"spec", std::move(spec)}};
}

/// Of the first pod of a group, and of the others, which serve nothing themselves.
Json group_template(const ExportView& view, const answer::Launch& launch) {
  const std::string preamble = "RANK=\"$LWS_WORKER_INDEX\"\nMASTER=\"$LWS_LEADER_ADDRESS\"\n";
  Json out{{"size", launch.nodes},
           {"restartPolicy", "RecreateGroupOnPodRestart"},
           {"leaderTemplate", pod_template(view, "leader", pod_spec(view, launch, {"leader", preamble}))}};
  answer::Launch silent = launch;
  silent.port.clear();
  out["workerTemplate"] = pod_template(view, "worker", pod_spec(view, silent, {"worker", preamble}));
  return out;
}

Json leader_service(const ExportView& view, const answer::Launch& launch) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", job_name(view)}}},
          {"spec",
           {{"selector", {{kNameLabel, job_name(view)}, {"role", "leader"}}},
            {"ports", Json::array({{{"name", "http"}, {"port", 80}, {"targetPort", std::stoi(launch.port)}}})}}}};
}

}  // namespace

Result<Exported> export_lws(const ExportView& view) {
  if (Status possible = check_cluster(view); !possible) return std::unexpected(possible.error());
  const answer::Launch launch = launch_of(view);
  if (!launch.serves()) return cannot(say("a LeaderWorkerSet runs servers, and no server is known here for this plan"));
  Exported out{"leaderworkerset.yaml", {}, pod_notes(view, launch)};
  out.notes.push_back(say("the controller of {} must run in the cluster: {}", "LeaderWorkerSet",
                          "https://lws.sigs.k8s.io/docs/installation/"));
  const Json set{{"apiVersion", "leaderworkerset.x-k8s.io/v1"},
                 {"kind", "LeaderWorkerSet"},
                 {"metadata", {{"name", job_name(view)}, {"labels", {{"app", job_name(view)}}}}},
                 {"spec", {{"replicas", launch.copies}, {"leaderWorkerTemplate", group_template(view, launch)}}}};
  out.content = yaml_file(view, out.notes, {set, leader_service(view, launch)});
  return out;
}

Result<Exported> export_jobset(const ExportView& view) {
  if (Status possible = check_cluster(view); !possible) return std::unexpected(possible.error());
  const answer::Launch launch = launch_of(view);
  if (launch.serves()) return cannot(say("a JobSet runs jobs that end, and this plan is a server"));
  const int nodes = view.chosen.machine().nodes;
  const std::string name = job_name(view);
  const std::string preamble =
      reads_rank(launch) ? format("RANK=\"$JOB_COMPLETION_INDEX\"\nMASTER={}-{}-0-0.{}\n", name, kGroupJob, name)
                         : std::string();
  Json spec = pod_spec(view, launch, {std::string(kGroupJob), preamble});
  spec["restartPolicy"] = "Never";
  Exported out{"jobset.yaml", {}, pod_notes(view, launch)};
  out.notes.push_back(say("the controller of {} must run in the cluster: {}", "JobSet",
                          "https://jobset.sigs.k8s.io/docs/installation/"));
  Json replicated{{"name", kGroupJob},
                  {"replicas", 1},
                  {"template",
                   {{"spec",
                     {{"completions", nodes},
                      {"parallelism", nodes},
                      {"completionMode", "Indexed"},
                      {"backoffLimit", 0},
                      {"template", pod_template(view, kGroupJob, std::move(spec))}}}}}};
  const Json set{{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
                 {"kind", "JobSet"},
                 {"metadata", {{"name", name}, {"labels", {{"app", name}}}}},
                 {"spec",
                  {{"network", {{"enableDNSHostnames", true}, {"subdomain", name}}},
                   {"replicatedJobs", Json::array({std::move(replicated)})}}}};
  out.content = yaml_file(view, out.notes, {set});
  return out;
}

}  // namespace gpusel::show
