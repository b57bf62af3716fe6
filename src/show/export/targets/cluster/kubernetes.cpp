// Deployment and Service, or Job: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/,
// https://kubernetes.io/docs/concepts/workloads/controllers/job/; KServe:
// https://kserve.github.io/website/docs/reference/crd-api (InferenceService v1beta1)
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/cluster/pods.hpp"
#include "show/money/autoscale.hpp"

namespace gpusel::show {

namespace {

Json named(const ExportView& view) {
  const std::string name = job_name(view);
  return {{"name", name}, {"labels", {{"app", name}}}};
}

Json labelled(const ExportView& view, Json spec) {
  return {{"metadata", {{"labels", {{"app", job_name(view)}}}}}, {"spec", std::move(spec)}};
}

Json service(const ExportView& view, const answer::Launch& launch) {
  Json spec{{"selector", {{"app", job_name(view)}}}};
  if (launch.serves())
    spec["ports"] = Json::array({{{"name", "http"}, {"port", 80}, {"targetPort", std::stoi(launch.port)}}});
  else
    spec["clusterIP"] = "None";  // only names for the pods of a job
  return {{"apiVersion", "v1"}, {"kind", "Service"}, {"metadata", named(view)}, {"spec", std::move(spec)}};
}

Json deployment(const ExportView& view, const answer::Launch& launch) {
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", named(view)},
          {"spec",
           {{"replicas", view.chosen.machine().nodes},
            // A node that is full takes no second pod: the old one goes first.
            {"strategy", {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxSurge", 0}, {"maxUnavailable", 1}}}}},
            {"progressDeadlineSeconds", 2 * start_seconds(view, kLeastPodStart)},
            {"selector", {{"matchLabels", {{"app", job_name(view)}}}}},
            {"template", labelled(view, pod_spec(view, launch, {"server", {}}))}}}};
}

/// With names for the pods where they must find each other:
/// https://kubernetes.io/docs/tasks/job/job-with-pod-to-pod-communication/
Json job(const ExportView& view, const answer::Launch& launch) {
  const int nodes = view.chosen.machine().nodes;
  const std::string name = job_name(view);
  const bool together = reads_rank(launch);
  const std::string preamble =
      together ? format("RANK=\"$JOB_COMPLETION_INDEX\"\nMASTER={}-0.{}\n", name, name) : std::string();
  Json spec = pod_spec(view, launch, {"worker", preamble});
  if (together) spec["subdomain"] = name;
  spec["restartPolicy"] = "Never";
  Json out{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", named(view)}};
  if (nodes > 1) out["spec"] = {{"completions", nodes}, {"parallelism", nodes}, {"completionMode", "Indexed"}};
  if (nodes > 1 && together) out["spec"]["backoffLimit"] = 0;  // one that starts again finds the others gone
  out["spec"]["template"] = labelled(view, std::move(spec));
  return out;
}

/// A service that is known to have an end, or work that is none, is a job.
bool goes_on(const ExportView& view, const answer::Launch& launch) {
  const auto& work = view.advice.work;
  return launch.serves() || (work.task == job::Task::inference && !work.counted && !work.ends());
}

}  // namespace

Result<Exported> export_kubernetes(const ExportView& view) {
  if (Status possible = check_cluster(view); !possible) return std::unexpected(possible.error());
  const answer::Launch launch = launch_of(view);
  const bool served = goes_on(view, launch);
  if (served && launch.nodes > 1)
    return cannot(say("one replica spans {} instances, which a Deployment cannot start together", launch.nodes));
  Exported out{"job.yaml", {}, pod_notes(view, launch)};
  std::vector<Json> documents{served ? deployment(view, launch) : job(view, launch)};
  if (launch.serves() || (!served && reads_rank(launch))) documents.push_back(service(view, launch));
  if (served) out.name = "deployment.yaml";
  out.content = yaml_file(view, out.notes, documents);
  return out;
}

Result<Exported> export_kserve(const ExportView& view) {
  if (Status possible = check_cluster(view); !possible) return std::unexpected(possible.error());
  const answer::Launch launch = launch_of(view);
  if (!launch.serves()) return cannot(say("KServe runs servers, and no server is known here for this plan"));
  if (launch.nodes > 1)
    return cannot(
        say("one replica spans {} instances, which this form of InferenceService cannot start", launch.nodes));
  Exported out{"inferenceservice.yaml", {}, pod_notes(view, launch)};
  Json predictor{{"minReplicas", view.chosen.machine().nodes}, {"maxReplicas", view.chosen.machine().nodes}};
  if (view.scaling) {
    predictor["maxReplicas"] = number(std::max<double>(view.chosen.machine().nodes, view.scaling->max_replicas));
    if (view.scaling->min_replicas < view.chosen.machine().nodes)
      out.notes.push_back(
          say("minReplicas is what the plan starts with: lower it to {:g} once the service is up, so that "
              "it follows the traffic",
              view.scaling->min_replicas));
  }
  predictor.update(pod_spec(view, launch, {"kserve-container", {}}));
  out.notes.push_back(say("with Knative, node selectors and tolerations must be switched on in its config-features"));
  out.content = yaml_file(view, out.notes,
                          {{{"apiVersion", "serving.kserve.io/v1beta1"},
                            {"kind", "InferenceService"},
                            {"metadata", named(view)},
                            {"spec", {{"predictor", std::move(predictor)}}}}});
  return out;
}

}  // namespace gpusel::show
